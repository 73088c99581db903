/* averages.c: the collector `averages`: means over the run after the burn-in. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "constella/isa.h"
#include "study/channels/channels.h"
#include "study/collect/averages-columns.h"
#include "study/collect/averages.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_averages = {"/averages/mean/%s", NULL, "mean of x - x(0) over each of 64 equal parts of the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_squares = {"/averages/square/%s", "1", "mean of (x - x(0))^2 over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_weights = {"/averages/weight", "1", "mean weight of the samples over each part; the means are of weight times deviation", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_squares = {"/averages/weight_square", "1", "mean square of the weight of the samples over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};

static const cst_key keys[] = {
    {"", "burn-in", CST_KEYS_ALL, "number", "0", "fraction of the run", "burn-in: 0.1", "The fraction of the run, at least 0 and below 1, that time averages and histograms leave out at its start."},
    {"", "averages", CST_KEYS_ALL, "map", "taken where `burn-in`, `histograms` or temperature ask for them", "", "averages: {weight: none}", "How the samples of time averages are weighted (docs/averages.md)."},
    {"averages", "weight", CST_KEYS_ALL, "none or fixman", "none", "", "averages: {weight: fixman}", "As `weight` of histograms."},
    {0},
};
/* clang-format on */

enum { MOST_WEIGHED = 128 };

/* ---- the study file -------------------------------------------------------------------------- */

const cst_averages_wish *cst_averages_wish_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(averages)];
}

bool cst_averages_read_weight(cst_reader *r, cst_yaml *n) {
  static const char *const names[] = {"none", "fixman"};
  cst_yaml                *weight = cst_yaml_get(n, "weight");
  int                      which = 0;
  cst_reader_choice(r, weight, "weight", names, CST_COUNT(names), &which);
  if (!which || !r->s->system)
    return which;
  if (!r->s->system->ng)
    cst_yaml_error(r->doc, weight, r->d, "'weight' is fixman, and %s has no constraints",
                   r->s->system->name);
  else if (r->s->system->ng > MOST_WEIGHED)
    cst_yaml_error(r->doc, weight, r->d,
                   "'weight' is fixman, and %s has %d constraints; at most %d are allowed",
                   r->s->system->name, r->s->system->ng, MOST_WEIGHED);
  return true;
}

static void read(cst_reader *r, void *wish) {
  cst_averages_wish *w = wish;
  cst_yaml          *n = cst_yaml_get(r->root, "burn-in");
  cst_yaml          *averages = cst_yaml_get(r->root, "averages");
  if (cst_reader_number(r, n, "burn-in", &w->burn_in) && !(w->burn_in >= 0 && w->burn_in < 1)) {
    cst_yaml_error(r->doc, n, r->d,
                   "'burn-in' is %s; it must be at least 0 and below 1: a fraction of the run",
                   cst_reader_shortest(w->burn_in));
    w->burn_in = 0;
  }
  if (cst_reader_keys(r, averages, "averages", "averages", CST_KEYS_ALL))
    w->fixman = cst_averages_read_weight(r, averages);
  w->given = n || averages;
}

/* Averages and histograms divide the run into parts, which would move with its end. */
static void check(cst_reader *r, const void *wish) {
  const cst_averages_wish *w = wish;
  bool                     taken = w->given;
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->averages)
      taken |= cst_collectors[k]->averages(r->s);
  if (r->s->extensible && taken)
    cst_yaml_error(
        r->doc, cst_yaml_get(r->root, "extensible"), r->d,
        "'extensible' cannot be combined with averages and histograms ('burn-in', 'histograms', "
        "temperature): the parts of the run over which they are taken would move with its end");
}

static bool averages(const cst_study *s) {
  bool wants = cst_averages_wish_of(s)->given;
  for (int i = 0; i < s->nobservable; i++)
    wants |= s->observable[i].observer->averages;
  return wants;
}

static void schedule(const cst_plan *p, cst_class *k) {
  k->after = (long)ceil(cst_averages_wish_of(p->study)->burn_in * (double)k->n - 1e-9);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->averages)
    return;
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_averages, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_squares, k, (cst_channel_use){.name = p->quantity[k].name});
  if (!cst_averages_wish_of(p->study)->fixman)
    return;
  cst_channels_add(c, &cst_channel_average_weights, 0, (cst_channel_use){0});
  cst_channels_add(c, &cst_channel_average_squares, 0, (cst_channel_use){0});
}

static bool wanted(const cst_plan *p) { return p->averages; }

static void tell(const cst_plan *p, FILE *out) {
  const double left_out = cst_averages_wish_of(p->study)->burn_in;
  if (wanted(p))
    fprintf(out, "%-14s over the last %.6g %% of the run\n", "averages", 100 * (1 - left_out));
}

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
  const int  part = cst_plan_class_part(r->class, b->step, CST_WINDOWS);
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

static cst_error finish(cst_collection *x) {
  const own  *o = x->own;
  cst_runner *r = x->run;
  double      folds[CST_WINDOWS];
  cst_plan_class_part_folds(r->class, CST_WINDOWS, folds);
  for (int k = 0; k < r->plan->nquantity; k++)
    if (o->average[k])
      finish_average(r, o->average[k], o->square[k], folds);
  if (o->weight)
    finish_average(r, o->weight, o->weight_square, folds);
  return 0;
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
  const bool  weighs = cst_averages_wish_of(r->plan->study)->fixman;
  if (r->b->step < r->class->after)
    return;
  if (weighs)
    r->meter.fold->weigh(view->context, view->record, weight);
  average(x->own, r, group, weighs ? weight : NULL);
}

const cst_collector cst_collector_averages = {
    .name = "averages",
    .doc = "averages over time",
    .keys = keys,
    .wish = sizeof(cst_averages_wish),
    .read = read,
    .check = check,
    .averages = averages,
    .schedule = schedule,
    .demand = demand,
    .tell = tell,
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
