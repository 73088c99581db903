/* averages.c: the collector `averages`: means over the members and the run after the burn-in, in the columns
 * NAME_mean, NAME_error and NAME_autocorrelation of quantities.
 *
 * The autocorrelation time is the integral of the normalised autocorrelation from 0 to infinity, tau = T
 * var(mean) / (2 var(x)), where T is the total time of all members; T / (2 tau) is the effective number of
 * independent samples.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/averages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/isa.h"
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/plan/clock.h"
#include "study/result/parts.h"
#include "study/runner/runner.h"

typedef struct {
  bool   given;   /* one of the keys is there */
  bool   fixman;  /* every sample has the weight (det G M^-1 G')^(-1/2) */
  double burn_in; /* the part of the run that averages and histograms leave out */
} averages_request;

/* clang-format off */
static const cst_channel_row channel_averages = {"/averages/mean/%s", NULL, "mean of x - x(0) over each of 64 equal parts of the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_squares = {"/averages/square/%s", "1", "mean of (x - x(0))^2 over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_weights = {"/averages/weight", "1", "mean weight of the samples over each part; the means are of weight times deviation", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_weight_squares = {"/averages/weight_square", "1", "mean square of the weight of the samples over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};

static const cst_key keys[] = {
    {"", "burn-in", CST_KEYS_ALL, NULL, "0", "fraction of the run", "burn-in: 0.1", "The fraction of the run that time averages and histograms leave out at its start.",
     .value = {CST_VALUE_NUMBER, CST_AT(averages_request, burn_in), 0, 1, .below = true}},
    {"", "averages", CST_KEYS_ALL, "map", "taken where `burn-in`, `histograms` or temperature ask for them", "", "averages: {weight: none}", "How the samples of time averages are weighted (docs/averages.md)."},
    {"averages", "weight", CST_KEYS_ALL, NULL, "none", "", "averages: {weight: fixman}", "As `weight` of histograms.",
     .value = {CST_VALUE_CHOICE, CST_AT(averages_request, fixman), .words = cst_averages_weights}},
    {0},
};
/* clang-format on */

enum { MOST_WEIGHED = 128 };

/* ---- the study file -------------------------------------------------------------------------- */

static const averages_request *request_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(averages)];
}

const char *const cst_averages_weights[] = {"none", "fixman", NULL};

void cst_averages_check_weight(cst_reader *r, cst_yaml *weight, bool fixman) {
  if (!fixman || !r->s->problem.system)
    return;
  if (!r->s->problem.system->ng)
    cst_yaml_error(r->doc, weight, r->d, "'weight' is fixman, and %s has no constraints",
                   r->s->problem.system->name);
  else if (r->s->problem.system->ng > MOST_WEIGHED)
    cst_yaml_error(r->doc, weight, r->d,
                   "'weight' is fixman, and %s has %d constraints; at most %d are allowed",
                   r->s->problem.system->name, r->s->problem.system->ng, MOST_WEIGHED);
}

static void read(cst_reader *r, void *request) {
  averages_request *w = request;
  cst_yaml         *averages = cst_yaml_get(r->root, "averages");
  cst_reader_section(r, averages, "averages", "averages", CST_KEYS_ALL, w);
  cst_averages_check_weight(r, cst_yaml_get(averages, "weight"), w->fixman);
  w->given = cst_yaml_get(r->root, "burn-in") || averages;
}

/* Averages and histograms divide the run into parts, which would move with its end. */
static void check(cst_reader *r, const void *request) {
  const averages_request *w = request;
  bool                    taken = w->given;
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->plan.averages)
      taken |= cst_collectors[k]->plan.averages(r->s);
  if (r->s->run.extensible && taken)
    cst_yaml_error(
        r->doc, cst_yaml_get(r->root, "extensible"), r->d,
        "'extensible' cannot be combined with averages and histograms ('burn-in', 'histograms', "
        "temperature): the parts of the run over which they are taken would move with its end");
}

static bool averages(const cst_study *s) {
  bool wants = request_of(s)->given;
  for (int i = 0; i < s->observe.n; i++)
    wants |= s->observe.observable[i].observer->averages;
  return wants;
}

static void schedule(const cst_plan *p, cst_class *k) {
  k->after = (long)ceil(request_of(p->study)->burn_in * (double)k->n - 1e-9);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->averages)
    return;
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &channel_averages, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &channel_squares, k, (cst_channel_use){.name = p->quantity[k].name});
  if (!request_of(p->study)->fixman)
    return;
  cst_channels_add(c, &channel_weights, 0, (cst_channel_use){0});
  cst_channels_add(c, &channel_weight_squares, 0, (cst_channel_use){0});
}

static bool wanted(const cst_plan *p) { return p->averages; }

static void tell(const cst_plan *p, FILE *out) {
  const double left_out = request_of(p->study)->burn_in;
  if (wanted(p))
    fprintf(out, "%-14s over the last %.6g %% of the run\n", "averages", 100 * (1 - left_out));
}

static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.concludes = wanted(p) ? 2 * (CST_WINDOWS + 2) : 0};
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  double **average, **square; /* [nquantity] into the rows, from lane 0 on; NULL: not averaged */
  double  *weight, *weight_square; /* likewise; NULL: samples are not weighted */
} own;

/* Deviations are taken from x(0) if it is a number, else from 0. */
static double origin(double start) { return isnan(start) ? 0 : start; }

static void add_weights(const own *o, const cst_runner *r, int group, int part,
                        const double *weight) {
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

static void average(const own *o, const cst_runner *r, int group, const double *weight) {
  cst_batch *b = r->b;
  const int  W = r->width;
  const int  part = cst_plan_class_part(r->class, b->step, CST_WINDOWS);
  for (int k = 0; k < r->plan->nquantity; k++) {
    const double *x = r->value + k * W;
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
static void finish_average(const cst_runner *r, double *sums, double *squares,
                           const double *folds) {
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
  const own        *o = x->own;
  const cst_runner *r = x->run;
  double            folds[CST_WINDOWS];
  cst_plan_class_part_folds(r->class, CST_WINDOWS, folds);
  for (int k = 0; k < r->plan->nquantity; k++)
    if (o->average[k])
      finish_average(r, o->average[k], o->square[k], folds);
  if (o->weight)
    finish_average(r, o->weight, o->weight_square, folds);
  return 0;
}

static void create(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const int         n = r->plan->nquantity;
  o->average = cst_zeros(2 * n, sizeof *o->average);
  o->square = o->average + n;
  for (int k = 0; k < n; k++) {
    o->average[k] = cst_rows_numbers(r->rows, &channel_averages, k, 0);
    o->square[k] = cst_rows_numbers(r->rows, &channel_squares, k, 0);
  }
  o->weight = cst_rows_numbers(r->rows, &channel_weights, 0, 0);
  o->weight_square = cst_rows_numbers(r->rows, &channel_weight_squares, 0, 0);
}

static void destroy(cst_collection *x) { free(((own *)x->own)->average); }

static void begin(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const size_t      bytes = sizeof(double) * (size_t)r->b->groups * (size_t)r->width;
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
  const cst_runner *r = x->run;
  double            weight[CST_W_MAX] __attribute__((aligned(64))) = {0};
  const bool        weighs = request_of(r->plan->study)->fixman;
  if (r->b->step < r->class->after)
    return;
  if (weighs)
    r->fold->weigh(view->context, view->record, weight);
  average(x->own, r, group, weighs ? weight : NULL);
}

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct {
  cst_number_column    mean, error, time, freedom; /* freedom: for the temperature only */
  cst_text_column      source;
  cst_survivor_columns survivors;
} average_columns;

static bool is_temperature(const cst_quantity *q) { return !strcmp(q->name, "temperature"); }

static void declare_columns(const cst_plan *p, cst_columns *c, const cst_quantity *q,
                            average_columns *x) {
  static const char sources[] = "source of NAME_error: windows of the run, members, or unknown";
  x->mean =
      cst_columns_number(c, cst_columns_shown(true, "average", q->name),
                         "mean over the members and the run after the burn-in", "%s_mean", q->name);
  x->error = cst_columns_number(
      c, cst_columns_shown(true, "average-error", q->name),
      "standard error of that mean, widened so that 2 errors give a 95 % interval", "%s_error",
      q->name);
  x->time = cst_columns_number(c, cst_columns_use("autocorrelation", q->name),
                               "integrated autocorrelation time, if windows of the run resolve it",
                               "%s_autocorrelation", q->name);
  x->source = cst_columns_text(c, cst_columns_use("average-source", q->name), sources,
                               "%s_error_from", q->name);
  x->survivors = cst_parts_survivors_declare(c, q->name);
  if (!is_temperature(q))
    return;
  x->freedom =
      cst_columns_number(c, cst_columns_use("freedom", q->name),
                         "degrees of freedom f of the temperature 2 T / f", "%s_freedom", q->name);
  for (int i = 0; i < p->ncase; i++)
    cst_column_set(x->freedom, i, p->freedom[p->cases[i].method]);
}

/* Declares the columns. NULL: there are none. Owned, free(). */
static void *columns(const cst_plan *p, cst_columns *c) {
  if (!p->averages)
    return NULL;
  average_columns *x = cst_zeros(p->nquantity, sizeof *x);
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      declare_columns(p, c, &p->quantity[k], &x[k]);
  if (request_of(p->study)->fixman) /* after those of the quantities */
    x[p->nquantity].mean = cst_columns_number(
        c, cst_columns_use("effective", "averages"),
        "effective number of equally weighted samples: (sum w)^2 / sum w^2", "averages_effective");
  return x;
}

/* Data of one quantity of the open case. */
typedef struct {
  /* means[members][CST_WINDOWS] of w (x - x(0)); square[members]: means of w (x - x(0))^2 */
  double *means, *square, *start;
  /* weight[members][CST_WINDOWS] and all_weight[members]: means of w; w = 1 without weights */
  double *weight, *all_weight;
  double  folds[CST_WINDOWS], all;
} sums;

static cst_error read_sums(cst_case_rows *rows, int k, sums *s) {
  const int     i = rows->icase;
  const long    n = rows->plan->study->ensemble.members;
  const double *summary;
  CST_TRY(cst_output_read_members(rows->output, &channel_averages, k, i, 0, n, s->means));
  CST_TRY(cst_output_read_members(rows->output, &channel_squares, k, i, 0, n, s->square));
  CST_TRY(cst_case_rows_summary(rows, k, &summary));
  for (long m = 0; m < n; m++) {
    const double start = summary[m * CST_SUMMARY_NUMBERS + CST_SUMMARY_START];
    double      *means = s->means + m * CST_WINDOWS;
    if (isnan(start))
      s->start[m] = 0;
    else
      s->start[m] = start;
    if (rows->good[m])
      continue;
    for (int w = 0; w < CST_WINDOWS; w++)
      means[w] = NAN;
  }
  return 0;
}

/* Mean of one member over its windows; all folds have equal weight. */
static double mean_over(const sums *s, const double *x) {
  double sum = 0;
  for (int w = 0; w < CST_WINDOWS; w++)
    if (s->folds[w] > 0)
      sum += s->folds[w] * x[w];
  return sum / s->all;
}

static double mean_of_member(const sums *s, long m) {
  return mean_over(s, s->means + m * CST_WINDOWS);
}

/* The weights of the open case, and the effective number of equally weighted samples. */
static cst_error read_weights(cst_case_rows *rows, sums *s, double *effective) {
  const long n = rows->plan->study->ensemble.members;
  double     sum = 0, square = 0;
  for (long i = 0; i < n * CST_WINDOWS; i++)
    s->weight[i] = 1;
  for (long m = 0; m < n; m++)
    s->all_weight[m] = 1;
  if (!request_of(rows->plan->study)->fixman)
    return 0;
  CST_TRY(cst_output_read_members(rows->output, &channel_weights, 0, rows->icase, 0, n, s->weight));
  CST_TRY(cst_output_read_members(rows->output, &channel_weight_squares, 0, rows->icase, 0, n,
                                  s->square));
  for (long m = 0; m < n; m++) {
    s->all_weight[m] = mean_over(s, s->weight + m * CST_WINDOWS);
    if (rows->good[m]) {
      sum += s->all * s->all_weight[m];
      square += s->all * s->square[m];
    }
  }
  *effective = sum * sum / square;
  return 0;
}

/* Mean and variance of x over time and the members that did not fail. */
static void moments(const cst_case_rows *rows, const sums *s, double *mean, double *variance) {
  const long n = rows->plan->study->ensemble.members;
  double     count = 0;
  double     sum = 0;
  double     square = 0;
  for (long m = 0; m < n; m++) {
    if (!rows->good[m])
      continue;
    const double at_start = s->start[m] * s->all_weight[m];
    sum += at_start + mean_of_member(s, m);
    count += s->all_weight[m];
  }
  *mean = count > 0 ? sum / count : NAN;
  for (long m = 0; m < n; m++) {
    if (!rows->good[m])
      continue;
    const double d = s->start[m] - *mean;
    const double crossed = 2 * d * mean_of_member(s, m);
    square += s->square[m] + crossed + d * d * s->all_weight[m];
  }
  *variance = count > 0 ? square / count : NAN;
}

static cst_error conclude_quantity(cst_case_rows *rows, const average_columns *x, int k, sums *s) {
  const int       icase = rows->icase;
  const cst_case *c = &rows->plan->cases[icase];
  const cst_class *class = &rows->plan->classes[rows->plan->class_of[icase]];
  const long n = rows->plan->study->ensemble.members;
  double     mean, variance, good = 0, weight = 0;
  CST_TRY(read_sums(rows, k, s));
  moments(rows, s, &mean, &variance);
  for (long m = 0; m < n; m++) {
    if (!rows->good[m])
      continue;
    good++;
    weight += s->all_weight[m];
  }
  weight /=
      good; /* the error is that of the mean of w (x - mean) / <w>: first-order error of a ratio */
  for (long i = 0; i < n * CST_WINDOWS; i++) {
    const double off = s->start[i / CST_WINDOWS] - mean;
    const double sum = s->means[i] + off * s->weight[i];
    s->means[i] = sum / weight;
  }
  const cst_average a = cst_batch_means_estimate(s->means, n, CST_WINDOWS);
  const double      time = cst_clock_of(c, good * (double)(c->n - class->after));
  cst_column_set(x->mean, icase, mean);
  cst_column_set(x->error, icase, a.error);
  cst_parts_survivors_conclude(x->survivors, icase, (long)good, n);
  cst_column_say(x->source, icase, cst_batch_means_source_names[a.source]);
  if (variance > 0)
    cst_column_set(x->time, icase, time * a.of_windows / (2 * variance));
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_plan        *p = rows->plan;
  const average_columns *x = handles;
  const int              i = rows->icase;
  const long             n = p->study->ensemble.members;
  sums                   s;
  double                 effective = NAN;
  if (!x)
    return 0;
  s.means = cst_zeros(n * CST_WINDOWS, sizeof *s.means);
  s.square = cst_zeros(n, sizeof *s.square);
  s.start = cst_zeros(n, sizeof *s.start);
  s.weight = cst_zeros(n * CST_WINDOWS, sizeof *s.weight);
  s.all_weight = cst_zeros(n, sizeof *s.all_weight);
  cst_plan_class_part_folds(&p->classes[p->class_of[i]], CST_WINDOWS, s.folds);
  s.all = 0;
  for (int w = 0; w < CST_WINDOWS; w++)
    s.all += s.folds[w];
  CST_TRY(read_weights(rows, &s, &effective));
  if (request_of(p->study)->fixman)
    cst_column_set(x[p->nquantity].mean, i, effective);
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      CST_TRY(conclude_quantity(rows, &x[k], k, &s));
  free(s.means);
  free(s.square);
  free(s.start);
  free(s.weight);
  free(s.all_weight);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_averages = {
    .name = "averages",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "averages over time",
    .keys = {.table = keys, .request = sizeof(averages_request), .read = read, .check = check},
    .plan = {.averages = averages,
             .schedule = schedule,
             .demand = demand,
             .tell = tell,
             .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .look = look,
            .finish = finish},
    .file = {.declare = declare, .columns = columns, .conclude = conclude, .figures = "averages"},
};
