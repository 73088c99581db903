/* runner-create.c: creates the object that steps batches (runner.h), with workspace that all batches share.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/method.h"
#include "study/runner/runner-internal.h"

static size_t expression_scratch(const cst_plan *p) {
  int most = 0;
  for (int k = 0; k < p->nobservation; k++)
    if (p->observation[k].tape) {
      const int registers = cst_tape_along_registers(p->observation[k].tape);
      most = CST_LARGER(most, registers);
    }
  return (size_t)most;
}

static void clear_values(cst_runner *r, const cst_observation *look) {
  const int first = look->first * r->width;
  const int end = first + look->count * r->width;
  for (int i = first; i < end; i++) {
    r->meter.value[i] = NAN;
    r->meter.scale[i] = 1;
  }
}

/* Finds what is measured. Values of unwanted quantities are set here and never change. */
static void find_wanted(cst_runner *r) {
  const cst_plan *p = r->plan;
  int             last = -2; /* the last observation that is wanted */
  r->meter.wanted = cst_zeros(p->nobservation, sizeof *r->meter.wanted);
  r->meter.block = cst_zeros(p->nobservation, sizeof *r->meter.block);
  r->meter.span = cst_zeros(p->nobservation, sizeof *r->meter.span);
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observation *look = &p->observation[k];
    if (!look->wanted) {
      clear_values(r, look);
      continue;
    }
    if (last != k - 1)
      r->meter.span[r->meter.nspan++].first = look->first;
    r->meter.span[r->meter.nspan - 1].count += look->count;
    r->meter.wanted[r->meter.nwanted++] = k;
    last = k;
  }
}

/* Those that this study wants. States are looked at one by one if some of them can do no more. */
static void create_collections(cst_runner *r) {
  r->meter.one_by_one = r->plan->needs_lambda;
  for (int i = 0; i < r->meter.nwanted; i++)
    r->meter.one_by_one |= r->plan->observation[r->meter.wanted[i]].row->state != NULL;
  r->collection = cst_zeros(cst_collector_count, sizeof *r->collection);
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_collector *row = cst_collectors[k];
    if (row->wanted && !row->wanted(r->plan))
      continue;
    cst_collection *x = &r->collection[r->ncollection++];
    *x = (cst_collection){row, k, r, cst_zeros(1, row->own + 1)};
    if (row->create)
      row->create(x);
    r->meter.one_by_one |= row->look && !row->along;
    r->watch.on |= row->watch != NULL;
  }
}

static void destroy_collections(cst_runner *r) {
  for (int i = 0; i < r->ncollection; i++) {
    if (r->collection[i].row->destroy)
      r->collection[i].row->destroy(&r->collection[i]);
    free(r->collection[i].own);
  }
  free(r->collection);
}

cst_error cst_runner_create(const cst_plan *p, long batch, cst_reference *reference, cst_output *o,
                            cst_tallies *tallies, cst_poll *poll, void *context,
                            cst_runner **runner) {
  const cst_system *s = p->study->system;
  const int         ng = s->ng;
  const int         nq = s->nq;
  cst_runner       *r;
  r = cst_zeros(1, sizeof *r);
  *runner = r;
  r->plan = p;
  r->reference = reference;
  r->output = o;
  r->channels = o ? NULL : cst_channels_create(p, NULL);
  r->tallies = tallies;
  r->batch = batch;
  r->slices.slice_class = -1;
  r->slices.poll = poll;
  r->slices.poll_context = context;
  r->width = cst_isas[p->isa].width;
  r->meter.fold = cst_fold_for(s, p->isa);
  r->meter.measure = cst_zeros(p->nobservation, sizeof *r->meter.measure);
  r->meter.follow = cst_zeros(p->nobservation, sizeof *r->meter.follow);
  r->meter.kept = cst_zeros(p->nobservation, sizeof *r->meter.kept);
  r->meter.keeps = cst_zeros(p->nobservation, sizeof *r->meter.keeps);
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observer *row = p->observation[k].row;
    r->meter.measure[k] = cst_fold_measure(r->meter.fold, row);
    r->meter.follow[k] = cst_fold_follow(r->meter.fold, row);
    r->meter.keeps[k] = (size_t)(cst_observer_kept(&p->observation[k]) * r->width);
  }
  const size_t W = (size_t)r->width;
  const size_t groups = ((size_t)batch + W - 1) / W;
  const size_t quantities = (size_t)p->nquantity;
  r->stepper = cst_zeros(p->study->nmethod, sizeof *r->stepper);
  r->partner = cst_zeros(p->study->nmethod, sizeof *r->partner);
  r->slices.seconds = cst_zeros(p->nclass, sizeof *r->slices.seconds);
  r->q0 = cst_aligned(groups * (size_t)nq * W);
  r->v0 = cst_aligned(groups * (size_t)nq * W);
  r->meter.value = cst_aligned(quantities * W);
  r->meter.scale = cst_aligned(quantities * W);
  find_wanted(r);
  const size_t scratch = expression_scratch(p) + 4 + (size_t)(2 * nq + ng);
  r->meter.scratch = cst_aligned(scratch * W);
  r->meter.time = cst_aligned(W);
  r->meter.speed = cst_aligned(CST_TRAIL * (size_t)nq * W);
  r->meter.times = cst_aligned(CST_TRAIL * W);
  r->meter.traced = cst_aligned(CST_TRAIL * W);
  r->lambda = cst_aligned((size_t)ng * W);
  r->start = cst_aligned(2 * (size_t)nq);
  r->rows = cst_rows_create(o ? cst_output_channels(o) : r->channels, batch, r->width);
  for (int k = 0; k < p->nobservation; k++)
    r->meter.kept[k] = cst_rows_numbers(r->rows, &cst_channel_observer, k, 0);
  r->meter.accumulators = cst_rows_numbers(r->rows, &cst_channel_accumulators, 0, 0);
  create_collections(r);
  if (r->watch.on) {
    r->watch.times = cst_aligned(CST_TRAIL * W);
    r->watch.speed = cst_aligned(CST_TRAIL * (size_t)nq * W);
  }
  return 0;
}

cst_error cst_runner_destroy(cst_runner **runner) {
  cst_runner *r = *runner;
  for (int i = 0; i < r->plan->study->nmethod; i++) {
    if (r->stepper[i])
      CST_TRY(cst_batch_destroy(&r->full[i]));
    if (r->partner[i])
      CST_TRY(cst_batch_destroy(&r->half[i]));
    CST_TRY(cst_stepper_destroy(&r->stepper[i]));
    CST_TRY(cst_stepper_destroy(&r->partner[i]));
  }
  free(r->meter.measure);
  free(r->meter.follow);
  free(r->meter.kept);
  free(r->meter.keeps);
  free(r->stepper);
  free(r->partner);
  free(r->slices.seconds);
  free(r->full);
  free(r->half);
  destroy_collections(r);
  free(r->slices.kept_rows);
  free(r->meter.wanted);
  free(r->meter.block);
  free(r->meter.span);
  double *owned[] = {
      r->q0,           r->v0,          r->meter.value, r->meter.scale, r->meter.scratch,
      r->meter.time,   r->lambda,      r->start,       r->meter.speed, r->meter.times,
      r->meter.traced, r->watch.speed, r->watch.times};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  cst_rows_destroy(r->rows);
  if (r->channels)
    cst_channels_destroy(r->channels);
  free(*runner);
  *runner = NULL;
  return 0;
}
