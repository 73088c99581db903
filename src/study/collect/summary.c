/* summary.c: the collector `summary`: a few numbers of every observable, and what observers keep. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collector.h"
#include "study/result/parts.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_summary = {"/observables/%s", NULL, NULL, CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_SUMMARY, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_accumulators = {"accumulators", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_observer = {"%s", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
/* clang-format on */

static const char *name_of(const cst_observation *x) { return x->name ? x->name : x->row->name; }

/* What an observer keeps is written if its row has a path for it. */
static void declare_observer(cst_channels *c, const cst_observation *look, int k) {
  const cst_observer *row = look->row;
  const int           kept = cst_observer_kept(look);
  cst_channel_use     use = {
          .path = row->path, .name = name_of(look), .doc = row->path_doc, .count = (size_t)kept};
  if (!kept)
    return;
  if (row->path) {
    use.is = CST_IS_WRITTEN;
    use.axis = cst_channels_axis(c, row->path_doc, kept, "%.40s_entry", name_of(look));
  }
  cst_channels_add(c, &cst_channel_observer, k, use);
}

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < p->nquantity; k++)
    cst_channels_add(c, &cst_channel_summary, k,
                     (cst_channel_use){.name = p->quantity[k].name,
                                       .unit = p->quantity[k].unit,
                                       .doc = p->quantity[k].doc});
  cst_channels_add(c, &cst_channel_accumulators, 0,
                   (cst_channel_use){.count = (size_t)p->nquantity * CST_SLOTS});
  for (int k = 0; k < p->nobservation; k++)
    declare_observer(c, &p->observation[k], k);
}

/* Unwanted quantities are set to NaN at the beginning and stay so. */
static void fold_one(cst_runner *r, int group, bool begins) {
  cst_batch *b = r->b;
  const int  W = r->width;
  double    *acc = cst_runner_accumulators(r, group);
  if (begins) {
    r->meter.fold->fold(r->plan->nquantity, r->meter.value, r->meter.scale, b->alive[group], true,
                        acc);
    return;
  }
  for (int i = 0; i < r->meter.nspan; i++) {
    const int     first = r->meter.span[i].first;
    const double *value = r->meter.value + first * W;
    const double *scale = r->meter.scale + first * W;
    r->meter.fold->fold(r->meter.span[i].count, value, scale, b->alive[group], false,
                        acc + (long)first * CST_SLOTS * W);
  }
}

static void look(cst_collection *x, int group, const cst_view *view) {
  (void)view;
  fold_one(x->run, group, x->run->b->step == 0);
}

/* Several states on the way of a group. */
static void along(cst_collection *x, int group, const cst_view *view, const cst_states *states) {
  cst_runner *r = x->run;
  const int   W = r->width;
  double     *accumulators = cst_runner_accumulators(r, group);
  for (int i = 0; i < r->meter.nwanted; i++) {
    const int              k = r->meter.wanted[i];
    const cst_observation *look = &r->plan->observation[k];
    double                *acc = accumulators + (long)look->first * CST_SLOTS * W;
    if (r->meter.follow[k]) {
      r->meter.follow[k](look, view, states, cst_runner_observer(r, k, group), acc);
    } else {
      const cst_traced values = look->row->along(look, view, states, r->meter.traced);
      r->meter.fold->trace(states->n, values.at, values.stride, view->alive, acc);
    }
  }
}

/* Of a quantity, acc: a failed start has no summary, and an observable that is not a number at the start no drift. */
static void fill_quantity(const double *acc, int W, bool started, double folds, double *f) {
  for (int i = 0; i < CST_SUMMARY_NUMBERS; i++)
    f[i] = NAN;
  if (!started)
    return;
  f[CST_SUMMARY_START] = acc[CST_SLOT_START * W];
  f[CST_SUMMARY_END] = acc[CST_SLOT_LAST * W];
  if (isnan(f[CST_SUMMARY_START]))
    return;
  f[CST_SUMMARY_DRIFT] = acc[CST_SLOT_DRIFT * W];
  f[CST_SUMMARY_SCALE] = acc[CST_SLOT_SCALE * W];
  f[CST_SUMMARY_SIZE] = acc[CST_SLOT_SIZES * W] / folds;
}

/* first[k]: the summaries of quantity k, of lane 0. */
static void fill(const cst_runner *r, long lane, bool started, double folds, double *const *first) {
  const int     W = r->width;
  const double *acc = cst_runner_accumulators(r, (int)(lane / W)) + lane % W;
  for (int k = 0; k < r->plan->nquantity; k++)
    fill_quantity(acc + k * CST_SLOTS * W, W, started, folds,
                  first[k] + lane * CST_SUMMARY_NUMBERS);
}

/* A state can be finite where its energy overflows: such a trajectory has failed too. status: of lane 0; energy: its
 * summaries. */
static void check_energy(signed char *status, const double *energy, long lane) {
  const double *f = energy + lane * CST_SUMMARY_NUMBERS;
  if (status[lane] == CST_DONE && isfinite(f[CST_SUMMARY_START]) && !isfinite(f[CST_SUMMARY_DRIFT]))
    status[lane] = CST_NOT_FINITE;
}

static void begin(cst_collection *x) {
  const cst_runner *r = x->run;
  const size_t      lanes = (size_t)r->b->groups * (size_t)r->width;
  for (int k = 0; k < r->plan->nobservation; k++)
    if (r->meter.kept[k])
      memset(r->meter.kept[k], 0,
             sizeof(double) * lanes * (size_t)cst_observer_kept(&r->plan->observation[k]));
}

static double folds_until(const cst_runner *r, long step) {
  return (double)cst_plan_position(r->plan, r->class, step).folds;
}

static cst_error finish(cst_collection *x) {
  cst_runner  *r = x->run;
  const int    n = r->plan->nquantity;
  const double folds = folds_until(r, r->class->n);
  double     **first = cst_need(malloc(sizeof *first * (size_t)(n + 1)));
  const int    energy = cst_parts_quantity_find(r->plan, "energy");
  signed char *status_of =
      cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_status, 0), 0);
  for (int k = 0; k < n; k++)
    first[k] = cst_rows_numbers(r->rows, &cst_channel_summary, k, 0);
  for (long l = 0; l < r->work->count; l++) {
    const cst_lane_status *status = &r->b->status[l];
    const bool             stopped = cst_reason_stopped(status->reason);
    fill(r, l, status->reason != CST_NO_START, stopped ? folds_until(r, status->step) : folds,
         first);
    check_energy(status_of, first[energy], l);
  }
  free(first);
  return 0;
}

const cst_collector cst_collector_summary = {
    .name = "summary",
    .doc = "summaries of the observables",
    .run = {.begin = begin, .look = look, .along = along, .finish = finish},
    .file = {.declare = declare},
};
