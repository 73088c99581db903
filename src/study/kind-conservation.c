/* kind-conservation.c: the kind of study `conservation`: drift of energy, momenta, constraints and the user's
 * quantities over long times, and the verdicts on it (docs/verdicts.md). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/statistics/judge.h"
#include "study/kind.h"
#include "study/result/parts.h"

typedef struct {
  cst_number_column largest; /* only for quantities that drift */
  cst_number_column scale, slope, slope_error, slope_rms, limit, exponent, low, high;
  cst_text_column   verdict, why;
} growth_columns;

typedef struct {
  cst_error_columns      error; /* only with a reference */
  cst_number_column      displacement;
  cst_constraint_columns constraints;
  growth_columns         growth[]; /* [nquantity], used for quantities that are judged */
} columns;

static const char
    verdicts[] = "exact | frozen | bounded | random-walk | linear | quadratic | exponential | "
                 "linear (round-off) | escaped | failed | undecided",
    whys[] = "few-windows | slow | wide | one-member | swelling | weak | between | no-power | "
             "not-finite: why a verdict is undecided";

/* ---- columns --------------------------------------------------------------------------------- */

/* The column NAME_ENDING of a quantity. */
static cst_number_column number(cst_columns *c, const cst_quantity *q, bool shown, const char *role,
                                const char *ending, const char *doc) {
  return cst_columns_number(c, cst_columns_shown(shown, role, q->name), doc, "%s_%s", q->name,
                            ending);
}

static void declare_growth(cst_columns *c, const cst_quantity *q, bool first, growth_columns *x) {
  if (q->drifts)
    x->largest = number(c, q, true, "largest", "max", "largest |x - x(0)|");
  x->scale = number(c, q, false, "scale", "scale",
                    "scale of the quantity: mean over the run of the size of its terms");
  x->slope = number(c, q, first, "slope", "slope", "slope of the mean drift against time");
  x->slope_error = number(c, q, false, "slope-error", "slope_error", "standard error of the slope");
  x->slope_rms =
      number(c, q, false, "slope-rms", "slope_rms", "root mean square of the members' slopes");
  x->limit = number(c, q, false, "drift-limit", "drift_limit",
                    "a larger drift per unit of time is excluded at 95 %");
  x->exponent = number(c, q, first, "exponent", "exponent", "exponent of the growth of the drift");
  x->low =
      number(c, q, false, "exponent-low", "exponent_low", "lower end of the exponent's interval");
  x->high =
      number(c, q, false, "exponent-high", "exponent_high", "upper end of the exponent's interval");
  x->verdict = cst_columns_text(c, cst_columns_shown(true, "verdict", q->name), verdicts,
                                "%s_verdict", q->name);
  x->why = cst_columns_text(c, cst_columns_use("why", q->name), whys, "%s_why", q->name);
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x + sizeof *x->growth * (size_t)p->nquantity));
  if (p->study->reference != CST_REFERENCE_NONE)
    cst_parts_errors_declare(p, c, &x->error);
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged)
      declare_growth(c, &p->quantity[k], k == 0, &x->growth[k]);
  cst_parts_constraints_declare(c, &x->constraints);
  x->displacement = cst_parts_displacement_declare(c, true);
  return x;
}

/* ---- conclusions ----------------------------------------------------------------------------- */

/* If a member failed, there is no verdict on the others: only their slope and exponent are reported. */
static void write_growth(const growth_columns *x, int i, const cst_growth *g, bool failed) {
  cst_column_set(x->slope, i, g->slope);
  cst_column_set(x->slope_error, i, g->slope_error);
  cst_column_set(x->slope_rms, i, g->slope_rms);
  cst_column_set(x->limit, i, g->limit);
  cst_column_set(x->exponent, i, g->exponent);
  cst_column_set(x->low, i, g->low);
  cst_column_set(x->high, i, g->high);
  cst_column_say(x->verdict, i, cst_growth_verdict_names[failed ? CST_FAILED : g->verdict]);
  cst_column_say(x->why, i, failed ? "" : cst_growth_why_names[g->why]);
}

static PetscErrorCode conclude_quantity(cst_case_rows *rows, const growth_columns *x, int k,
                                        cst_journey *j, bool failed) {
  const int           i = rows->icase;
  const cst_quantity *q = &rows->plan->quantity[k];
  double              drift, value;
  bool                observed = false;
  cst_growth          growth;
  PetscFunctionBegin;
  if (q->drifts) {
    PetscCall(cst_parts_quantity_largest(rows, k, &drift, &value));
    cst_column_set(x->largest, i, value);
  }
  if (q->windows)
    PetscCall(cst_judge_journey(rows, j, k, &observed, &growth));
  if (!observed)
    PetscFunctionReturn(0);
  cst_column_set(x->scale, i, cst_case_rows_largest(j->scale, rows->plan->study->members));
  write_growth(x, i, &growth, failed);
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude(cst_case_rows *rows, const void *handles) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  cst_journey     j;
  PetscFunctionBegin;
  if (p->study->reference != CST_REFERENCE_NONE)
    PetscCall(cst_parts_errors_conclude(rows, &x->error));
  PetscCall(cst_judge_journey_create(p->study->members, &j));
  PetscCall(cst_judge_journey_begin(rows, &j));
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged)
      PetscCall(conclude_quantity(rows, &x->growth[k], k, &j, rows->failed > 0));
  PetscCall(cst_judge_journey_destroy(&j));
  PetscCall(cst_parts_constraints_conclude(rows, &x->constraints));
  PetscCall(cst_parts_displacement_conclude(rows, x->displacement));
  PetscFunctionReturn(0);
}

const cst_kind cst_kind_conservation = {
    .name = "conservation",
    .doc = "drift of energy, momenta and constraints over long times; verdicts",
    .needs = CST_NEEDS_WINDOWS,
    .figures = "drift,constraint,work-energy",
    .declare = declare,
    .conclude = conclude,
};
