/* summary.c: the collector `summary`: a few numbers of every observable, and what observers keep. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/rows/collector.h"
#include "study/result/parts.h"
#include "study/runner/runner.h"

/* clang-format off */
const cst_channel_row cst_channel_summary = {"/observables/%s", NULL, NULL, CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_SUMMARY, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_values = {"/values/%s", NULL, "least and largest value along the trajectory, at observed steps", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
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

static void as_in(void *x, cst_result *file) {
  cst_values_request *w = x;
  char(*paths)[96];
  w->unknown = cst_result_list(file, "/values", &paths) <= 0;
  free(paths);
}

static void declare_values(const cst_plan *p, cst_channels *c) {
  static const char *const names[CST_VALUES] = {"least", "largest"};
  for (int k = 0; k < p->nquantity; k++) {
    if (!cst_parts_has_values(p, k))
      continue;
    const int axis = cst_channels_axis(c, "least, largest", CST_VALUES, "extreme");
    cst_channels_label(c, axis, names);
    cst_channels_add(
        c, &cst_channel_values, k,
        (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit, .axis = axis});
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < p->nquantity; k++)
    cst_channels_add(c, &cst_channel_summary, k,
                     (cst_channel_use){.name = p->quantity[k].name,
                                       .unit = p->quantity[k].unit,
                                       .doc = p->quantity[k].doc});
  declare_values(p, c);
  cst_channels_add(c, &cst_channel_accumulators, 0,
                   (cst_channel_use){.count = (size_t)p->nquantity * CST_SLOTS});
  for (int k = 0; k < p->nobservation; k++)
    declare_observer(c, &p->observation[k], k);
}

static void look(cst_collection *x, int group, const cst_view *view) {
  (void)view;
  cst_runner_accumulate(x->run, group);
}

static void along(cst_collection *x, int group, const cst_view *view, const cst_states *states) {
  cst_runner_accumulate_along(x->run, group, view, states);
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

/* Of a quantity that moves; NaN where its summary has no drift. */
static void fill_values(const double *acc, int W, const double *f, double *values) {
  const bool known = !isnan(f[CST_SUMMARY_DRIFT]);
  values[CST_VALUE_LEAST] = known ? acc[CST_SLOT_LEAST * W] : NAN;
  values[CST_VALUE_LARGEST] = known ? acc[CST_SLOT_MOST * W] : NAN;
}

/* Of a quantity, of lane 0: its summaries, and its values or NULL. */
typedef struct {
  double *summary, *values;
} figures;

static void fill(const cst_runner *r, long lane, bool started, double folds, const figures *of) {
  const int     W = r->width;
  const double *acc = cst_runner_accumulators(r, (int)(lane / W)) + lane % W;
  for (int k = 0; k < r->plan->nquantity; k++, acc += CST_SLOTS * W) {
    double *f = of[k].summary + lane * CST_SUMMARY_NUMBERS;
    fill_quantity(acc, W, started, folds, f);
    if (of[k].values)
      fill_values(acc, W, f, of[k].values + lane * CST_VALUES);
  }
}

/* A state can be finite where its energy overflows: such a trajectory has failed too. status: of lane 0; energy: its
 * summaries. */
static void check_energy(signed char *status, const double *energy, long lane) {
  const double *f = energy + lane * CST_SUMMARY_NUMBERS;
  if (status[lane] == CST_DONE && isfinite(f[CST_SUMMARY_START]) && !isfinite(f[CST_SUMMARY_DRIFT]))
    status[lane] = CST_NOT_FINITE;
}

static void begin(cst_collection *x) { cst_runner_clear_kept(x->run); }

static double folds_until(const cst_runner *r, long step) {
  return (double)cst_plan_position(r->plan, r->class, step).folds;
}

static cst_error finish(cst_collection *x) {
  const cst_runner *r = x->run;
  const int         n = r->plan->nquantity;
  const double      folds = folds_until(r, r->class->n);
  figures          *first = cst_zeros(n + 1, sizeof *first);
  const int         energy = cst_parts_quantity_find(r->plan, "energy");
  signed char      *status_of =
      cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_status, 0), 0);
  for (int k = 0; k < n; k++) {
    first[k].summary = cst_rows_numbers(r->rows, &cst_channel_summary, k, 0);
    first[k].values = cst_rows_numbers(r->rows, &cst_channel_values, k, 0);
  }
  for (long l = 0; l < r->work->count; l++) {
    const cst_lane_status *status = &r->b->status[l];
    const bool             stopped = cst_reason_stopped(status->reason);
    fill(r, l, status->reason != CST_NO_START, stopped ? folds_until(r, status->step) : folds,
         first);
    check_energy(status_of, first[energy].summary, l);
  }
  free(first);
  return 0;
}

const cst_collector cst_collector_summary = {
    .name = "summary",
    .doc = "summaries of the observables",
    .keys = {.request = sizeof(cst_values_request), .as_in = as_in},
    .run = {.begin = begin, .look = look, .along = along, .finish = finish},
    .file = {.declare = declare},
};
