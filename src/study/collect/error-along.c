/* error-along.c: the collector `error-along`: the error against the reference at the samples, of each trajectory, and the
 * largest and the root mean square of the members. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/errors.h"
#include "study/collect/series.h"
#include "study/collect/states.h"
#include "study/collect/tangent.h"
#include "study/file/reader.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"

/* clang-format off */
static const cst_channel_row along = {"/errors/along", "1", "error of q and p against the reference, at the samples", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row largest = {"/series/error/max", "1", "largest error over the members", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row rms = {"/series/error/rms", "1", "root mean square of the error over the members", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_measured measures[] = {
    {"error", "the error of q and p against the reference, at the samples", true},
    {0},
};
/* clang-format on */

/* ---- the study file -------------------------------------------------------------------------- */

typedef struct {
  bool asked;
} request;

static void read(cst_reader *r, void *own) {
  ((request *)own)->asked = cst_tangent_entry(r, measures->name) != NULL;
}

static void check(cst_reader *r, const void *own) {
  cst_yaml *n = ((const request *)own)->asked ? cst_tangent_entry(r, measures->name) : NULL;
  if (n && cst_states_has_expression(r->s, measures->name))
    cst_yaml_error(r->doc, n, r->d,
                   "the observable 'error' is the name of an expression too; call that otherwise");
  else if (n && r->s->reference.kind == CST_REFERENCE_NONE)
    cst_yaml_error(r->doc, n, r->d, "the observable 'error' needs the key 'reference'");
  else if (n && !r->s->error.q && !r->s->error.p)
    cst_yaml_error(
        r->doc, n, r->d,
        "the observable 'error' is that of q and p, and the key 'error' leaves both out");
}

static bool asked(const cst_plan *p) {
  const request *w = p->study->collected[CST_COLLECTOR(error_along)];
  return w->asked && p->study->reference.kind != CST_REFERENCE_NONE;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void schedule(const cst_plan *p, cst_class *k) { k->shown_samples = asked(p); }

static void *settle(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "observables");
  if (asked(p) && !p->most_samples)
    cst_diag_add(d, p->study->source.file, at.line, at.column,
                 "the observable 'error' is kept at the samples, and `samples` has none");
  return NULL;
}

static bool wanted(const cst_plan *p) { return asked(p) && p->most_samples > 0; }

static void declare(const cst_plan *p, cst_channels *c) {
  if (!wanted(p))
    return;
  cst_channels_add(c, &along, 0, (cst_channel_use){0});
  cst_channels_add(c, &largest, 0, (cst_channel_use){0});
  cst_channels_add(c, &rms, 0, (cst_channel_use){0});
}

static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.concludes = wanted(p) ? p->most_samples : 0};
}

/* ---- a batch --------------------------------------------------------------------------------- */

static void begin(cst_collection *x) {
  double    *row = cst_rows_numbers(x->run->rows, &along, 0, 0);
  const long n = x->run->work->count * x->run->plan->most_samples;
  for (long i = 0; i < n; i++)
    row[i] = NAN;
}

static cst_error stop(cst_collection *x) {
  const cst_runner *r = x->run;
  const int         at = cst_series_here(r);
  const double     *now = cst_errors_now(r);
  for (long lane = 0; lane < r->work->count && at >= 0; lane++)
    if (cst_runner_lives(r, r->b, lane))
      cst_rows_numbers(r->rows, &along, 0, lane)[at] = now[lane];
  return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Over the members that have an error there, in their order. */
static void reduce(const double *x, long members, int samples, int at, double *most, double *mean) {
  double sum = 0, top = 0;
  long   count = 0;
  for (long m = 0; m < members; m++) {
    const double e = x[m * samples + at];
    if (isnan(e))
      continue;
    top = fmax(top, e);
    sum += e * e;
    count++;
  }
  *most = count ? top : NAN;
  *mean = count ? sqrt(sum / (double)count) : NAN;
}

typedef struct {
  cst_number_column peak, time;
} peak_columns;

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  peak_columns *x = cst_zeros(1, sizeof *x);
  x->peak = cst_columns_number(c, cst_columns_use("most", measures->name),
                               "largest error at the samples, over the members", "error_peak");
  x->time = cst_columns_number(c, cst_columns_use("most-time", measures->name),
                               "the first sample at which it is that", "error_peak_time");
  return x;
}

static void set_peak(const cst_case_rows *rows, const peak_columns *c, const double *most) {
  const cst_class *k = &rows->plan->classes[rows->plan->class_of[rows->icase]];
  int              at = -1;
  for (int i = 0; i < k->nsample; i++)
    if (!isnan(most[i]) && (at < 0 || most[i] > most[at]))
      at = i;
  if (at < 0)
    return;
  cst_column_set(c->peak, rows->icase, most[at]);
  cst_column_set(c->time, rows->icase,
                 cst_clock_of(&rows->plan->cases[rows->icase], (double)k->sample[at]));
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_plan *p = rows->plan;
  const double   *x;
  double         *series;
  CST_TRY(cst_case_rows_get(rows, &along, 0, &x));
  series = cst_zeros(2L * p->most_samples, sizeof *series);
  for (int i = 0; i < p->most_samples; i++)
    reduce(x, p->study->ensemble.members, p->most_samples, i, &series[i],
           &series[p->most_samples + i]);
  CST_TRY(cst_output_case(rows->output, &largest, 0, rows->icase, series));
  CST_TRY(cst_output_case(rows->output, &rms, 0, rows->icase, series + p->most_samples));
  set_peak(rows, handles, series);
  free(series);
  return 0;
}

/* ---- a later end ----------------------------------------------------------------------------- */

static const char *refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                          const cst_class *to) {
  (void)old, (void)from, (void)to;
  return wanted(now) ? "the samples of its errors are at other steps" : NULL;
}

static const cst_reuse reuse = {.refuse = refuse};

const cst_collector cst_collector_error_along = {
    .name = "error-along",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "errors against the reference at the samples",
    .keys = {.request = sizeof(request), .read = read, .check = check, .measures = measures},
    .plan = {.schedule = schedule, .demand = demand, .settle = settle, .wanted = wanted},
    .run = {.begin = begin, .next = cst_series_next, .stop = stop},
    .file = {.declare = declare, .columns = columns, .conclude = conclude, .figures = "error"},
    .reuse = &reuse,
};
