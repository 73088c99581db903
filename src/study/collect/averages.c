/* averages.c: the collector `averages`: means over the run after the burn-in. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "constella/isa.h"
#include "study/channels/channels.h"
#include "study/collect/averages-columns.h"
#include "study/collector.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_averages = {"/averages/mean/%s", NULL, "mean of x - x(0) over each of 64 equal parts of the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_squares = {"/averages/square/%s", "1", "mean of (x - x(0))^2 over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_weights = {"/averages/weight", "1", "mean weight of the samples over each part; the means are of weight times deviation", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_squares = {"/averages/weight_square", "1", "mean square of the weight of the samples over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->study->averages)
    return;
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_averages, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_squares, k, (cst_channel_use){.name = p->quantity[k].name});
  if (!p->study->average_fixman)
    return;
  cst_channels_add(c, &cst_channel_average_weights, 0, (cst_channel_use){0});
  cst_channels_add(c, &cst_channel_average_squares, 0, (cst_channel_use){0});
}

static bool wanted(const cst_plan *p) { return p->study->averages; }

static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.concludes = wanted(p) ? 2 * (CST_WINDOWS + 2) : 0};
}

typedef struct {
  double **average, **square; /* [nquantity] into the rows, from lane 0 on; NULL: not averaged */
  double  *weight, *weight_square; /* likewise; NULL: samples are not weighted */
} own;

/* Deviations are taken from x(0) if it is a number, else from 0. */
static double origin(double start) { return isnan(start) ? 0 : start; }

static void add_weights(const own *o, cst_runner *r, int group, int part, const double *weight) {
  const size_t W = (size_t)r->width;
  const size_t at = (size_t)group * W;
  double      *sum = o->weight + at * CST_WINDOWS + (size_t)part * W;
  double      *square = o->weight_square + at;
  for (int l = 0; l < r->width; l++) {
    const bool   on = r->b->alive[group] >> l & 1;
    const double w = weight[l];
    const double more = sum[l] + w;
    const double more_square = square[l] + w * w;
    sum[l] = on ? more : sum[l];
    square[l] = on ? more_square : square[l];
  }
}

static void average(const own *o, cst_runner *r, int group, const double *weight) {
  cst_batch *b = r->b;
  const int  W = r->width;
  const int  part = cst_plan_class_part(r->cohort, b->step, CST_WINDOWS);
  for (int k = 0; k < r->plan->nquantity; k++) {
    const double *x = r->meter.value + k * W;
    const double *start = cst_runner_accumulators(r, group) + (k * CST_SLOTS + CST_SLOT_START) * W;
    if (!o->average[k])
      continue;
    const size_t at = (size_t)group * CST_WINDOWS + (size_t)part;
    double      *sum = o->average[k] + at * (size_t)W;
    double      *square = o->square[k] + (size_t)group * (size_t)W;
    for (int l = 0; l < W; l++) {
      const bool   on = b->alive[group] >> l & 1;
      const double d = x[l] - origin(start[l]);
      const double w = weight ? weight[l] : 1;
      const double more = sum[l] + w * d;
      const double more_square = square[l] + w * d * d;
      sum[l] = on ? more : sum[l];
      square[l] = on ? more_square : square[l];
    }
  }
  if (weight)
    add_weights(o, r, group, part, weight);
}

/* Divides sums by the number of folds; failed lanes get NaN. */
static void finish_average(cst_runner *r, double *sums, double *squares, const double *folds) {
  const int W = r->width;
  double    all = 0;
  for (int w = 0; w < CST_WINDOWS; w++)
    all += folds[w];
  for (int g = 0; g < r->b->groups; g++)
    for (int l = 0; l < W; l++) {
      const size_t at = (size_t)g * CST_WINDOWS * (size_t)W;
      double      *sum = sums + at + l;
      double      *square = squares + (size_t)g * (size_t)W + l;
      const bool   alive = cst_runner_group_lives(r, g, l);
      for (int w = 0; w < CST_WINDOWS; w++) {
        const bool any = alive && folds[w] > 0;
        sum[w * W] = any ? sum[w * W] / folds[w] : NAN;
      }
      *square = alive ? *square / all : NAN;
    }
}

static PetscErrorCode finish(cst_collection *x) {
  const own  *o = x->own;
  cst_runner *r = x->run;
  double      folds[CST_WINDOWS];
  PetscFunctionBegin;
  cst_plan_class_part_folds(r->cohort, CST_WINDOWS, folds);
  for (int k = 0; k < r->plan->nquantity; k++)
    if (o->average[k])
      finish_average(r, o->average[k], o->square[k], folds);
  if (o->weight)
    finish_average(r, o->weight, o->weight_square, folds);
  PetscFunctionReturn(0);
}

static void create(cst_collection *x) {
  own        *o = x->own;
  cst_runner *r = x->run;
  const int   n = r->plan->nquantity;
  o->average = cst_zeros(2 * n, sizeof *o->average);
  o->square = o->average + n;
  for (int k = 0; k < n; k++) {
    o->average[k] = cst_rows_numbers(r->rows, &cst_channel_averages, k, 0);
    o->square[k] = cst_rows_numbers(r->rows, &cst_channel_squares, k, 0);
  }
  o->weight = cst_rows_numbers(r->rows, &cst_channel_average_weights, 0, 0);
  o->weight_square = cst_rows_numbers(r->rows, &cst_channel_average_squares, 0, 0);
}

static void destroy(cst_collection *x) { free(((own *)x->own)->average); }

static void begin(cst_collection *x) {
  const own   *o = x->own;
  cst_runner  *r = x->run;
  const size_t bytes = sizeof(double) * (size_t)r->b->groups * (size_t)r->width;
  for (int k = 0; k < r->plan->nquantity; k++) {
    if (!o->average[k])
      continue;
    memset(o->average[k], 0, CST_WINDOWS * bytes);
    memset(o->square[k], 0, bytes);
  }
  if (!o->weight)
    return;
  memset(o->weight, 0, CST_WINDOWS * bytes);
  memset(o->weight_square, 0, bytes);
}

static void look(cst_collection *x, int group, const cst_view *view) {
  cst_runner *r = x->run;
  double      weight[CST_W_MAX] __attribute__((aligned(64))) = {0};
  const bool  weighs = r->plan->study->average_fixman;
  if (r->b->step < r->cohort->after)
    return;
  if (weighs)
    r->meter.fold->weigh(view->context, view->record, weight);
  average(x->own, r, group, weighs ? weight : NULL);
}

const cst_collector cst_collector_averages = {
    .name = "averages",
    .doc = "averages over time",
    .demand = demand,
    .declare = declare,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .look = look,
    .finish = finish,
    .columns = cst_averages_declare,
    .conclude = cst_averages_conclude,
    .figures = "averages",
};
