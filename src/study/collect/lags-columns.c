/* lags-columns.c: curves over the lags from the sums over members, and means over members for columns (lags.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/lags.h"

long cst_lags_cells(const cst_lag_kind *kind, const cst_plan *p) {
  const cst_lags *w = cst_lags_of(kind, p);
  long            n = 0;
  for (int i = 0; i < w->n; i++)
    n += CST_LAGS_SUMS * (w->each[i].lags + 2);
  return n;
}

cst_tally_term cst_lags_term(const cst_plan *p, int icase, long cell) {
  (void)cell;
  return (cst_tally_term){.step = p->cases[icase].n, .done = true};
}

/* The means of y_k and y_0 over n trajectories or parts, and the (co)variances of these means. */
typedef struct {
  double n, mean, first, of_mean, crossed, of_first;
} moments;

static double spread(double products, double a, double b, double n) {
  return n > 1 ? (products / n - a * b) / (n - 1) : NAN;
}

/* cell: those of y_k and of y_0; units: trajectories, or parts, in each term. */
static moments moments_of(const cst_cell *cell, const cst_cell *first, double units) {
  moments m = {.n = cell->count * units};
  if (!(m.n > 0))
    return (moments){0, NAN, NAN, NAN, NAN, NAN};
  m.mean = cst_sum_value(&cell[CST_LAGS_SUM].sum) / cell->count;
  m.first = cst_sum_value(&first[CST_LAGS_SUM].sum) / cell->count;
  m.of_mean = spread(cst_sum_value(&cell[CST_LAGS_SQUARE].sum) * units, m.mean, m.mean, m.n);
  m.crossed = spread(cst_sum_value(&cell[CST_LAGS_CROSSED].sum) * units, m.mean, m.first, m.n);
  m.of_first = spread(cst_sum_value(&first[CST_LAGS_SQUARE].sum) * units, m.first, m.first, m.n);
  return m;
}

/* The error of a mean with this variance; round-off may have made that negative. */
static double error_of(double variance, double n) {
  return cst_batch_means_error(variance < 0 ? 0 : variance, n - 1);
}

/* The curves of one entry, of which kind->row has some. */
static void curves_of(const cst_lag *x, const cst_cell *cell, double units, double *curve[]) {
  for (long k = 0; k <= x->lags; k++) {
    const moments m = moments_of(&cell[CST_LAGS_SUMS * k], cell, units);
    const double  ratio = m.mean / m.first;
    const double  of_ratio = m.of_mean - 2 * ratio * m.crossed + ratio * ratio * m.of_first;
    curve[CST_LAGS_CURVE][k] = m.mean;
    curve[CST_LAGS_ERROR][k] = error_of(m.of_mean, m.n);
    curve[CST_LAGS_NORMAL][k] = ratio;
    curve[CST_LAGS_NORMAL_ERROR][k] = k ? error_of(of_ratio, m.n) / fabs(m.first) : 0;
  }
}

cst_error cst_lags_total(const cst_lag_kind *kind, const cst_plan *p, int icase, const cst_cell *x,
                         cst_output *o) {
  const cst_lags *w = cst_lags_of(kind, p);
  const double    units = cst_lags_by_members(p) ? 1 : CST_LAGS_PARTS;
  for (int i = 0; i < w->n; i++) {
    const long n = w->each[i].lags + 1;
    double    *curve[CST_LAGS_TIME];
    for (int k = 0; k < CST_LAGS_TIME; k++)
      curve[k] = cst_zeros(n, sizeof *curve[k]);
    curves_of(&w->each[i], x, units, curve);
    for (int k = 0; k < CST_LAGS_TIME; k++) {
      if (kind->row[k])
        CST_TRY(cst_output_case(o, kind->row[k], i, icase, curve[k]));
      free(curve[k]);
    }
    CST_TRY(cst_lags_store(kind, i, &w->each[i], icase, x, o));
    x += CST_LAGS_SUMS * (n + 1);
  }
  return 0;
}

cst_error cst_lags_means(const cst_lag_kind *kind, cst_case_rows *rows, int which,
                         cst_lag_means *m) {
  const long    members = rows->plan->study->members;
  const double *x;
  cst_average   a[2];
  CST_TRY(cst_case_rows_get(rows, kind->row[CST_LAGS_OF_PARTS], which, &x));
  double *means = cst_zeros(members * CST_LAGS_PARTS, sizeof *means);
  double  mean[2];
  for (int k = 0; k < 2; k++) {
    for (long j = 0; j < members * CST_LAGS_PARTS; j++)
      means[j] = rows->good[j / CST_LAGS_PARTS] ? x[2 * j + k] : NAN;
    a[k] = cst_batch_means_estimate(means, members, CST_LAGS_PARTS);
    mean[k] = cst_ensemble_mean(means, members * CST_LAGS_PARTS);
  }
  free(means);
  *m = (cst_lag_means){mean[0], a[0].error, mean[1], a[1].error};
  return 0;
}
