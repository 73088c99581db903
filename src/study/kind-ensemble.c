/* kind-ensemble.c: the kind of study `ensemble`: many members around a start, and their distributions at the end. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "study/kind.h"
#include "study/parts.h"

enum { QUANTILES = 5 };
static const double quantiles[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const struct {
  const char *name, *doc;
} quantile_names[QUANTILES] = {{"q05", "5 % quantile at the end"},
                               {"q25", "25 % quantile at the end"},
                               {"q50", "median at the end"},
                               {"q75", "75 % quantile at the end"},
                               {"q95", "95 % quantile at the end"}};

typedef struct {
  cst_number_column mean, rms, quantile[QUANTILES], largest; /* the last one of what drifts alone */
} spread_columns;

typedef struct {
  cst_error_columns      error; /* with a reference alone */
  cst_number_column      displacement;
  cst_constraint_columns constraints;
  spread_columns         spread[]; /* [nquantity], of those that are spread */
} columns;

/* Constraints are near zero for all members. */
static bool is_spread(const cst_plan *p, int k) { return p->quantity[k].drifts || k == cst_quantity_find(p, "displacement"); }

/* Where averages are taken they are what is shown, and NAME_mean is theirs (averages.h). */
static void declare_spread(const cst_plan *p, cst_columns *c, int k, spread_columns *x) {
  const cst_quantity *q = &p->quantity[k];
  const bool          shown = !p->study->averages;
  x->mean = cst_columns_number(c, (cst_column_use){.shown = shown, .role = "mean", .of = q->name}, "mean at the end", "%s_mean%s", q->name,
                               cst_plan_averages(p, k) ? "_end" : "");
  x->rms = cst_columns_number(c, (cst_column_use){.shown = shown, .role = "rms", .of = q->name}, "root mean square at the end", "%s_rms",
                              q->name);
  for (int j = 0; j < QUANTILES; j++)
    x->quantile[j] = cst_columns_number(c, (cst_column_use){.role = quantile_names[j].name, .of = q->name}, quantile_names[j].doc, "%s_%s",
                                        q->name, quantile_names[j].name);
  if (q->drifts)
    x->largest =
        cst_columns_number(c, (cst_column_use){.shown = k == 0, .role = "largest", .of = q->name}, "largest |x - x(0)|", "%s_max", q->name);
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x + sizeof *x->spread * (size_t)p->nquantity));
  if (p->study->reference != CST_REFERENCE_NONE) cst_errors_declare(p, c, &x->error);
  for (int k = 0; k < p->nquantity; k++)
    if (is_spread(p, k)) declare_spread(p, c, k, &x->spread[k]);
  cst_constraints_declare(c, &x->constraints);
  x->displacement = cst_displacement_declare(c, false);
  return x;
}

static PetscErrorCode conclude_quantity(cst_case_rows *rows, const spread_columns *x, int k) {
  const long n = rows->plan->study->members;
  double     drift, value, q[QUANTILES];
  PetscFunctionBegin;
  PetscCall(cst_quantity_largest(rows, k, &drift, &value));
  if (rows->plan->quantity[k].drifts) cst_column_set(x->largest, rows->icase, value);
  cst_case_rows_pick(rows, CST_FIGURE_END, -1, rows->number);
  cst_column_set(x->mean, rows->icase, cst_mean(rows->number, n));
  cst_column_set(x->rms, rows->icase, cst_rms(rows->number, n));
  cst_quantiles(rows->number, n, quantiles, QUANTILES, q);
  for (int j = 0; j < QUANTILES; j++) cst_column_set(x->quantile[j], rows->icase, q[j]);
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude(cst_case_rows *rows, const void *handles) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  PetscFunctionBegin;
  for (int i = 0; i < p->ncase; i++) {
    PetscCall(cst_case_rows_open(rows, i, NULL));
    if (p->study->reference != CST_REFERENCE_NONE) PetscCall(cst_errors_conclude(rows, &x->error));
    for (int k = 0; k < p->nquantity; k++)
      if (is_spread(p, k)) PetscCall(conclude_quantity(rows, &x->spread[k], k));
    PetscCall(cst_constraints_conclude(rows, &x->constraints));
    PetscCall(cst_displacement_conclude(rows, x->displacement));
  }
  PetscFunctionReturn(0);
}

const cst_kind cst_kind_ensemble = {
    .name = "ensemble",
    .doc = "members around a start; distributions at the end",
    .figures = "ensemble,ensemble-drift,drift,constraint",
    .declare = declare,
    .conclude = conclude,
};
