/* averages-columns.c: the columns NAME_mean, NAME_error and NAME_autocorrelation of quantities that are averaged
 * over time and members (see averages-columns.h).
 *
 * The autocorrelation time is the integral of the normalised autocorrelation from 0 to infinity, tau = T
 * var(mean) / (2 var(x)), where T is the total time of all members; T / (2 tau) is the effective number of
 * independent samples.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/averages-columns.h"
#include "study/collect/averages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/parts.h"
#include "study/plan/clock.h"

typedef struct {
  cst_number_column    mean, error, time, freedom; /* freedom: for the temperature only */
  cst_text_column      source;
  cst_survivor_columns survivors;
} average_columns;

static bool is_temperature(const cst_quantity *q) { return !strcmp(q->name, "temperature"); }

static void declare(const cst_plan *p, cst_columns *c, const cst_quantity *q, average_columns *x) {
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

void *cst_averages_declare(const cst_plan *p, cst_columns *c) {
  if (!p->averages)
    return NULL;
  average_columns *x = cst_zeros(p->nquantity, sizeof *x);
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      declare(p, c, &p->quantity[k], &x[k]);
  if (cst_averages_wish_of(p->study)->fixman) /* after those of the quantities */
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
  const long    n = rows->plan->study->members;
  const double *summary;
  CST_TRY(cst_output_read_members(rows->output, &cst_channel_averages, k, i, 0, n, s->means));
  CST_TRY(cst_output_read_members(rows->output, &cst_channel_squares, k, i, 0, n, s->square));
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
  const long n = rows->plan->study->members;
  double     sum = 0, square = 0;
  for (long i = 0; i < n * CST_WINDOWS; i++)
    s->weight[i] = 1;
  for (long m = 0; m < n; m++)
    s->all_weight[m] = 1;
  if (!cst_averages_wish_of(rows->plan->study)->fixman)
    return 0;
  CST_TRY(cst_output_read_members(rows->output, &cst_channel_average_weights, 0, rows->icase, 0, n,
                                  s->weight));
  CST_TRY(cst_output_read_members(rows->output, &cst_channel_average_squares, 0, rows->icase, 0, n,
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
  const long n = rows->plan->study->members;
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

static cst_error conclude(cst_case_rows *rows, const average_columns *x, int k, sums *s) {
  const int       icase = rows->icase;
  const cst_case *c = &rows->plan->cases[icase];
  const cst_class *class = &rows->plan->classes[rows->plan->class_of[icase]];
  const long n = rows->plan->study->members;
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
  const double      time = cst_clock_at(class, good * (double)(c->n - class->after));
  cst_column_set(x->mean, icase, mean);
  cst_column_set(x->error, icase, a.error);
  cst_parts_survivors_conclude(x->survivors, icase, (long)good, n);
  cst_column_say(x->source, icase, cst_batch_means_source_names[a.source]);
  if (variance > 0)
    cst_column_set(x->time, icase, time * a.of_windows / (2 * variance));
  return 0;
}

cst_error cst_averages_conclude(cst_case_rows *rows, const void *handles) {
  const cst_plan        *p = rows->plan;
  const average_columns *x = handles;
  const int              i = rows->icase;
  const long             n = p->study->members;
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
  if (cst_averages_wish_of(p->study)->fixman)
    cst_column_set(x[p->nquantity].mean, i, effective);
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      CST_TRY(conclude(rows, &x[k], k, &s));
  free(s.means);
  free(s.square);
  free(s.start);
  free(s.weight);
  free(s.all_weight);
  return 0;
}
