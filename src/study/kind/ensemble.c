/* ensemble.c: the kind of study `ensemble`: many members around a start, and their distributions at the
 * end. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/rows/kind.h"
#include "study/result/parts.h"

enum { QUANTILES = 5 };
static const double quantiles[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const double level = 0.95; /* confidence level of the quantiles' intervals */
static const struct {
  const char *name, *low, *high, *doc;
} quantile_names[QUANTILES] = {{"q05", "q05-low", "q05-high", "5 % quantile at the end"},
                               {"q25", "q25-low", "q25-high", "25 % quantile at the end"},
                               {"q50", "q50-low", "q50-high", "median at the end"},
                               {"q75", "q75-low", "q75-high", "75 % quantile at the end"},
                               {"q95", "q95-low", "q95-high", "95 % quantile at the end"}};

typedef struct {
  cst_number_column    mean, rms, quantile[QUANTILES];
  cst_extreme_columns  extremes; /* only for quantities that drift */
  cst_number_column    deviation, mean_error, rms_error, low[QUANTILES], high[QUANTILES];
  cst_survivor_columns survivors; /* unless those of an average over time say it */
} spread_columns;

typedef struct {
  cst_error_columns      error; /* only with a reference */
  cst_number_column      displacement;
  cst_constraint_columns constraints;
  spread_columns         spread[]; /* [nquantity], used for quantities that are spread */
} columns;

/* Constraints are near zero for all members. */
static bool is_spread(const cst_plan *p, int k) {
  return p->quantity[k].drifts || k == cst_parts_quantity_find(p, "displacement");
}

/* Columns with the sampling errors of the statistics. */
static void declare_errors(cst_columns *c, const char *of, spread_columns *x) {
  static const char low[] =
      "lower end of a 95 % confidence interval of that quantile, whatever the distribution";
  static const char high[] =
      "upper end of a 95 % confidence interval of that quantile, whatever the distribution";
  x->deviation = cst_columns_number(c, cst_columns_use("deviation", of),
                                    "standard deviation at the end", "%s_std", of);
  x->mean_error = cst_columns_number(c, cst_columns_use("mean-error", of),
                                     "standard error of the mean at the end", "%s_sem", of);
  x->rms_error =
      cst_columns_number(c, cst_columns_use("rms-error", of),
                         "standard error of the root mean square at the end", "%s_rms_sem", of);
  for (int j = 0; j < QUANTILES; j++) {
    const char *name = quantile_names[j].name;
    x->low[j] = cst_columns_number(c, cst_columns_use(quantile_names[j].low, of), low, "%s_%s_low",
                                   of, name);
    x->high[j] = cst_columns_number(c, cst_columns_use(quantile_names[j].high, of), high,
                                    "%s_%s_high", of, name);
  }
}

static void conclude_distribution(const cst_case_rows *rows, const spread_columns *x) {
  const int  i = rows->icase;
  const long n = rows->plan->study->ensemble.members;
  double     q[QUANTILES], low[QUANTILES], high[QUANTILES];
  cst_column_set(x->deviation, i, cst_ensemble_deviation(rows->number, n));
  cst_column_set(x->mean_error, i, cst_ensemble_mean_error(rows->number, n));
  cst_column_set(x->rms_error, i, cst_ensemble_rms_error(rows->number, n));
  cst_ensemble_quantile_intervals(rows->number, n, quantiles, QUANTILES, level, q, low, high);
  for (int j = 0; j < QUANTILES; j++)
    cst_column_set(x->quantile[j], i, q[j]);
  for (int j = 0; j < QUANTILES; j++) {
    cst_column_set(x->low[j], i, low[j]);
    cst_column_set(x->high[j], i, high[j]);
  }
}

/* If averages are taken, they are shown instead, and NAME_mean is theirs (averages.h). */
static void declare_spread(const cst_plan *p, cst_columns *c, int k, spread_columns *x) {
  const cst_quantity *q = &p->quantity[k];
  const bool          shown = !p->averages;
  x->mean = cst_columns_number(c, cst_columns_shown(shown, "mean", q->name), "mean at the end",
                               "%s_mean%s", q->name, cst_plan_averages(p, k) ? "_end" : "");
  x->rms = cst_columns_number(c, cst_columns_shown(shown, "rms", q->name),
                              "root mean square at the end", "%s_rms", q->name);
  for (int j = 0; j < QUANTILES; j++)
    x->quantile[j] =
        cst_columns_number(c, cst_columns_use(quantile_names[j].name, q->name),
                           quantile_names[j].doc, "%s_%s", q->name, quantile_names[j].name);
  declare_errors(c, q->name, x);
  if (!cst_plan_averages(p, k))
    x->survivors = cst_parts_survivors_declare(c, q->name);
  if (q->drifts)
    x->extremes = cst_parts_extremes_declare(p, c, k, k == 0);
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x + sizeof *x->spread * (size_t)p->nquantity));
  if (p->study->reference.kind != CST_REFERENCE_NONE)
    cst_parts_errors_declare(p, c, &x->error);
  for (int k = 0; k < p->nquantity; k++)
    if (is_spread(p, k))
      declare_spread(p, c, k, &x->spread[k]);
  cst_parts_constraints_declare(c, &x->constraints);
  x->displacement = cst_parts_displacement_declare(c, false);
  return x;
}

static cst_error conclude_quantity(cst_case_rows *rows, const spread_columns *x, int k) {
  const int     i = rows->icase;
  const long    n = rows->plan->study->ensemble.members;
  const double *summary;
  if (rows->plan->quantity[k].drifts)
    CST_TRY(cst_parts_extremes_conclude(rows, k, &x->extremes));
  else
    CST_TRY(cst_case_rows_summary(rows, k, &summary));
  cst_case_rows_pick(rows, CST_SUMMARY_END, -1, rows->number);
  cst_column_set(x->mean, i, cst_ensemble_mean(rows->number, n));
  cst_column_set(x->rms, i, cst_ensemble_rms(rows->number, n));
  conclude_distribution(rows, x);
  if (!x->survivors.members.value)
    return 0;
  long survivors = 0, good = 0;
  for (long m = 0; m < n; m++) {
    survivors += !isnan(rows->number[m]);
    good += rows->good[m];
  }
  /* of an observable that is not taken no member has a number, and none is missing */
  cst_parts_survivors_conclude(x->survivors, i, survivors, good == n ? survivors : n);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  if (p->study->reference.kind != CST_REFERENCE_NONE)
    CST_TRY(cst_parts_errors_conclude(rows, &x->error));
  for (int k = 0; k < p->nquantity; k++)
    if (is_spread(p, k))
      CST_TRY(conclude_quantity(rows, &x->spread[k], k));
  CST_TRY(cst_parts_constraints_conclude(rows, &x->constraints));
  CST_TRY(cst_parts_displacement_conclude(rows, x->displacement));
  return 0;
}

const cst_kind cst_kind_ensemble = {
    .name = "ensemble",
    .doc = "members around a start; distributions at the end",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .figures = "ensemble,ensemble-drift,drift,constraint",
    .declare = declare,
    .conclude = conclude,
};
