/* runner-create.c: creates the object that steps batches (runner.h), with workspace that all batches share.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/runner/runner-internal.h"

static double *aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (n + 8) * sizeof(double)))
    cst_need_fail();
  memset(p, 0, (n + 8) * sizeof(double));
  return p;
}

static size_t expression_scratch(const cst_plan *p) {
  int most = 0;
  for (int k = 0; k < p->nlook; k++)
    if (p->look[k].tape) {
      const int registers = cst_tape_registers(p->look[k].tape);
      most = PetscMax(most, registers);
    }
  for (int k = 0; k < p->study->nhistogram; k++)
    most = PetscMax(most, cst_tape_registers(p->histogram[k]));
  return (size_t)most;
}

static void clear_values(cst_runner *r, const cst_observation *look) {
  const int first = look->first * r->width;
  const int end = first + look->count * r->width;
  for (int i = first; i < end; i++) {
    r->value[i] = NAN;
    r->scale[i] = 1;
  }
}

/* Finds what is measured. Values of unwanted quantities are set here and never change. */
static void find_wanted(cst_runner *r) {
  const cst_plan *p = r->plan;
  int             last = -2; /* the last observation that is wanted */
  r->wanted = cst_zeros(p->nlook, sizeof *r->wanted);
  r->span = cst_zeros(p->nlook, sizeof *r->span);
  for (int k = 0; k < p->nlook; k++) {
    const cst_observation *look = &p->look[k];
    if (!look->wanted) {
      clear_values(r, look);
      continue;
    }
    if (last != k - 1)
      r->span[r->nspan++].first = look->first;
    r->span[r->nspan - 1].count += look->count;
    r->wanted[r->nwanted++] = k;
    last = k;
  }
}

PetscErrorCode cst_runner_create(const cst_plan *p, long batch, cst_reference *reference,
                                 cst_output *o, cst_series *series, cst_poll *poll, void *context,
                                 cst_runner **runner) {
  const cst_system *s = p->study->system;
  const int         ng = s->ng;
  const int         nq = s->nq;
  cst_runner       *r;
  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *runner = r;
  r->plan = p;
  r->reference = reference;
  r->output = o;
  r->series = series;
  r->batch = batch;
  r->slice_class = -1;
  r->poll = poll;
  r->poll_context = context;
  r->width = cst_isas[p->isa].width;
  r->fold = cst_fold_for(s, p->isa);
  PetscCall(PetscMalloc3(p->nlook, &r->measure, p->nlook, &r->follow, p->nlook, &r->kept));
  for (int k = 0; k < p->nlook; k++) {
    const cst_observer *row = p->look[k].row;
    r->measure[k] = cst_fold_measure(r->fold, row);
    r->follow[k] = cst_fold_follow(r->fold, row);
  }
  r->one_by_one = p->needs_lambda || p->study->averages;
  const size_t W = (size_t)r->width;
  const size_t groups = ((size_t)batch + W - 1) / W;
  const size_t quantities = (size_t)p->nquantity;
  PetscCall(PetscCalloc3(p->study->nmethod, &r->stepper, p->study->nmethod, &r->partner, p->nclass,
                         &r->seconds));
  r->q0 = aligned(groups * (size_t)nq * W);
  r->v0 = aligned(groups * (size_t)nq * W);
  r->value = aligned(quantities * W);
  r->scale = aligned(quantities * W);
  find_wanted(r);
  r->bins = aligned(quantities * CST_BINS * W);
  r->top = aligned(quantities * W);
  r->count = aligned(quantities * W);
  const size_t scratch = expression_scratch(p) + 4 + (size_t)(2 * nq + ng);
  r->scratch = aligned(scratch * W);
  r->time = aligned(W);
  r->speed = aligned(CST_TRAIL * (size_t)nq * W);
  r->times = aligned(CST_TRAIL * W);
  r->traced = aligned(CST_TRAIL * W);
  r->traced_scale = aligned(CST_TRAIL * W);
  r->half_lambda = aligned(groups * (size_t)(ng + 1) * W);
  r->lambda = aligned((size_t)ng * W);
  r->last = aligned((size_t)ng * W);
  r->state = aligned(6 * (size_t)nq + 2 * (size_t)ng);
  r->rows = cst_rows_create(cst_output_channels(o), batch, r->width);
  for (int k = 0; k < CST_ERRORS; k++)
    r->error[k] = cst_rows_numbers(r->rows, &cst_channel_error, k, 0);
  for (int k = 0; k < p->nlook; k++)
    r->kept[k] = cst_rows_numbers(r->rows, &cst_channel_observer, k, 0);
  r->accumulators = cst_rows_numbers(r->rows, &cst_channel_accumulators, 0, 0);
  const cst_channel *c = cst_channels_find(r->rows->channels, &cst_channel_continue, 0);
  r->row = c ? c->count : 0;
  cst_runner_create_collected(r);
  cst_tracks_create(&r->tracks, p, o);
  PetscFunctionReturn(0);
}

PetscErrorCode cst_runner_destroy(cst_runner **runner) {
  cst_runner *r = *runner;
  PetscFunctionBegin;
  for (int i = 0; i < r->plan->study->nmethod; i++) {
    if (r->stepper[i])
      PetscCall(cst_batch_destroy(&r->full[i]));
    if (r->partner[i])
      PetscCall(cst_batch_destroy(&r->half[i]));
    PetscCall(cst_stepper_destroy(&r->stepper[i]));
    PetscCall(cst_stepper_destroy(&r->partner[i]));
  }
  PetscCall(PetscFree3(r->measure, r->follow, r->kept));
  PetscCall(PetscFree3(r->stepper, r->partner, r->seconds));
  PetscCall(PetscFree2(r->full, r->half));
  cst_runner_destroy_collected(r);
  cst_tracks_destroy(&r->tracks);
  free(r->kept_rows);
  free(r->wanted);
  free(r->span);
  double *owned[] = {r->q0,    r->v0,      r->value, r->scale,       r->bins,        r->top,
                     r->count, r->scratch, r->time,  r->half_lambda, r->lambda,      r->last,
                     r->state, r->speed,   r->times, r->traced,      r->traced_scale};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  cst_rows_destroy(r->rows);
  PetscCall(PetscFree(*runner));
  PetscFunctionReturn(0);
}
