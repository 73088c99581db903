/* order.c: the kind of study `order`: errors against a reference over a range of steps, and the orders
 * fitted to them (docs/orders.md).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/result/output.h"
#include "study/result/parts.h"

/* The quantities to which an order is fitted; all go to zero with the step: the errors, and the hidden
 * constraints. */
enum { FIT_HIDDEN = CST_ERRORS, FITS };

typedef struct {
  cst_number_column rate, order, low, high;
  cst_text_column   flag;
} fit_columns;

typedef struct {
  cst_error_columns      error;
  fit_columns            fit[FITS];
  cst_number_column      claimed[CST_ERRORS], reference_error[CST_ERRORS], energy, momentum;
  cst_constraint_columns constraints;
} columns;

/* ---- columns --------------------------------------------------------------------------------- */

static void declare_fit(cst_columns *c, fit_columns *x, bool shown, const char *ending,
                        const char *of) {
  static const char doc[] =
      "ok | pre-asymptotic | plateau | too-few | returns | contradicts | no-reference";
  x->order = cst_columns_number(c, cst_columns_shown(shown, "order", of),
                                "fitted order of the method", "order%s", ending);
  x->low = cst_columns_number(c, cst_columns_use("order-low", of),
                              "lower end of the order's interval", "order_low%s", ending);
  x->high = cst_columns_number(c, cst_columns_use("order-high", of),
                               "upper end of the order's interval", "order_high%s", ending);
  x->flag = cst_columns_text(c, cst_columns_shown(shown, "flag", of), doc, "flag%s", ending);
}

static void declare_orders(const cst_plan *p, cst_columns *c, columns *x) {
  const char *const *ending = cst_parts_endings;
  const char *const *of = cst_channels_error_names;
  for (int k = 0; k < CST_ERRORS; k++)
    x->fit[k].rate =
        cst_columns_number(c, cst_columns_shown(k == 1 || k == 2, "rate", of[k]),
                           "order between this step and the next larger one", "rate%s", ending[k]);
  for (int k = 0; k < CST_ERRORS; k++)
    declare_fit(c, &x->fit[k], k == 1 || k == 2, ending[k], of[k]);
  const bool by_method = p->study->reference.kind == CST_REFERENCE_METHOD;
  for (int k = 0; k < CST_ERRORS; k++)
    x->claimed[k] = cst_columns_number(c, cst_columns_use("claimed", of[k]),
                                       "order that the method claims", "claimed%s", ending[k]);
  for (int k = 0; k < CST_ERRORS; k++)
    x->reference_error[k] = cst_columns_number(
        c, cst_columns_shown(k == 0 && by_method, "reference-error", of[k]),
        "error of the reference at twice its step, against itself", "reference_error%s", ending[k]);
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x));
  cst_parts_errors_declare(p, c, &x->error);
  declare_orders(p, c, x);
  x->energy = cst_columns_number(c, cst_columns_use("largest", "energy"), "largest |E - E(0)|",
                                 "energy_max");
  x->momentum = cst_columns_number(c, cst_columns_use("largest", "momentum"),
                                   "largest |J - J(0)| of all momenta", "momentum_max");
  cst_parts_constraints_declare(c, &x->constraints);
  x->fit[FIT_HIDDEN].rate = cst_columns_number(
      c, cst_columns_use("rate", "hidden"),
      "order of hidden_max between this step and the next larger one", "rate_hidden");
  declare_fit(c, &x->fit[FIT_HIDDEN], false, "_hidden", "hidden");
  return x;
}

/* Strong orders are those of root mean squares over the paths of the noise: the largest error of many grows
 * more slowly than it as the step shrinks. */
static cst_number_column fitted(const cst_plan *p, const columns *x, int icase, int k) {
  const cst_study *s = p->study;
  if (k == FIT_HIDDEN)
    return x->constraints.largest[CST_HIDDEN];
  if (s->ensemble.members > 1 && cst_method_has_noise(s->methods.method[p->cases[icase].method]))
    return x->error.rms[k];
  return x->error.largest[k];
}

/* ---- one case -------------------------------------------------------------------------------- */

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns   *x = handles;
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const int        i = rows->icase;
  double           drift, value, momentum = NAN;
  CST_TRY(cst_parts_errors_conclude(rows, &x->error));
  for (int k = 0; k < CST_ERRORS; k++)
    cst_column_set(x->reference_error[k], i,
                   rows->reference_error[p->cases[i].variant * CST_ERRORS + k]);
  CST_TRY(cst_parts_quantity_largest(rows, cst_parts_quantity_find(p, "energy"), &drift, &value));
  cst_column_set(x->energy, i, value);
  for (int k = 0; k < s->problem.system->nsym; k++) {
    CST_TRY(cst_parts_quantity_largest(
        rows, cst_parts_quantity_find(p, s->problem.system->description->symmetry[k]), &drift,
        &value));
    if (!(drift <= momentum))
      momentum = drift;
  }
  cst_column_set(x->momentum, i, momentum);
  CST_TRY(cst_parts_constraints_conclude(rows, &x->constraints));
  return 0;
}

/* ---- the steps of a method ------------------------------------------------------------------- */

/* The floor below which errors are meaningless, the largest of: round-off, eps times the size of the state
 * times sqrt(n); the solver's residual, a tenth of a tolerance above 1e-14; and a third of reference_error
 * (only errors above ten floors are used). For G v, whose terms are not stored, the size is the one by which
 * it was scaled. */
static cst_error find_floor(cst_case_rows *rows, const columns *x, double *floor) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const int        i = rows->icase;
  const int        size[CST_ERRORS] = {0, s->problem.system->nq, s->problem.system->nq,
                                       s->problem.system->ng};
  const double    *largest[] = {x->constraints.largest[CST_HIDDEN].value,
                                x->constraints.largest[CST_HIDDEN_SCALED].value};
  const double    *state;
  static const cst_channel_row *const channel[CST_ERRORS] = {[CST_ERROR_Q] = &cst_channel_q,
                                                             [CST_ERROR_P] = &cst_channel_p,
                                                             [CST_ERROR_LAMBDA] =
                                                                 &cst_channel_lambda};
  double                              most[FITS] = {0};
  for (int k = 1; k < CST_ERRORS; k++) {
    if (size[k] == 0)
      continue;
    CST_TRY(cst_case_rows_get(rows, channel[k], 0, &state));
    for (long m = 0; m < s->ensemble.members * size[k]; m++)
      if (rows->good[m / size[k]])
        most[k] = fmax(most[k], fabs(state[m]));
  }
  most[0] = fmax(most[1], most[2]);
  most[FIT_HIDDEN] = largest[0][i] / largest[1][i];
  const double tolerance = s->solver.tolerance[p->cases[i].tolerance];
  const double loose = fmax(0, tolerance - 1e-14);
  const double noise = 2.2e-16 * sqrt((double)p->cases[i].n);
  for (int k = 0; k < FITS; k++)
    floor[k] = fmax(noise, 0.1 * loose) * most[k];
  for (int k = 0; k < CST_ERRORS; k++) {
    const double error = fmax(0, cst_column_get(x->reference_error[k], i));
    floor[k] = fmax(floor[k], 0.3 * error);
  }
  return 0;
}

/* The order that a method claims for a fitted quantity; 0: none. */
static int claimed_order(const cst_plan *p, int i, int k) {
  const cst_study     *s = p->study;
  const cst_properties has = p->method[p->cases[i].method]->properties;
  const int            of_lambda = s->problem.system->ng ? has.order_lambda : 0;
  const int            of[CST_ERRORS] = {0, has.order_q, has.order_p, of_lambda};
  const bool           chosen[CST_ERRORS] = {false, s->error.q, s->error.p, s->error.lambda};
  int                  least = 0;
  if (k >= CST_ERRORS)
    return 0;
  if (k > 0)
    return of[k];
  for (int j = 1; j < CST_ERRORS; j++) {
    if (!chosen[j])
      continue;
    if (of[j] == 0)
      return 0;
    if (least == 0)
      least = of[j];
    else
      least = CST_SMALLER(least, of[j]);
  }
  return least;
}

/* True if the motion ends near its start, within a twentieth of its largest distance from it, and errors are
 * read at the end only. */
static cst_error returns(cst_case_rows *rows, bool *so) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const double    *summary;
  double           end = 0, most = 0;
  CST_TRY(cst_case_rows_summary(rows, cst_parts_quantity_find(p, "displacement"), &summary));
  for (long m = 0; m < s->ensemble.members; m++) {
    if (!rows->good[m])
      continue;
    end = fmax(end, summary[m * CST_SUMMARY_NUMBERS + CST_SUMMARY_END]);
    most = fmax(most, summary[m * CST_SUMMARY_NUMBERS + CST_SUMMARY_DRIFT]);
  }
  *so = s->error.over == CST_OVER_END && end < 0.05 * most;
  return 0;
}

/* The order between cases i - 1 and i, which differ only in their step. */
static double rate(const cst_plan *p, const double *error, int i) {
  const double ratio = error[i - 1] / error[i];
  const double step = p->cases[i - 1].h / p->cases[i].h;
  if (ratio > 0 && isfinite(ratio))
    return cst_elementary_log(ratio) / cst_elementary_log(step);
  return NAN;
}

static void write_fit(const fit_columns *x, int i, const cst_order_fit *fit) {
  cst_column_set(x->order, i, fit->order);
  cst_column_set(x->low, i, fit->low);
  cst_column_set(x->high, i, fit->high);
  cst_column_say(x->flag, i, cst_order_flag_names[fit->flag]);
}

static cst_error conclude_steps(cst_case_rows *rows, const void *handles, int first) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  const int       n = p->study->steps.n;
  double         *h, *floor, (*all)[FITS];
  bool            back = false, unreferred = false;
  h = cst_zeros(n, sizeof *h);
  floor = cst_zeros(n, sizeof *floor);
  all = cst_zeros(n, sizeof *all);
  for (int i = 0; i < n; i++) {
    h[i] = p->cases[first + i].h;
    CST_TRY(cst_case_rows_open(rows, first + i));
    CST_TRY(find_floor(rows, x, all[i]));
    unreferred |= cst_case_rows_unreferred(rows);
  }
  CST_TRY(returns(rows, &back)); /* for the finest step */
  for (int k = 0; k < FITS; k++) {
    const double *error = fitted(p, x, first, k).value;
    const int     claimed = claimed_order(p, first, k);
    for (int i = 0; i < n; i++)
      floor[i] = all[i][k];
    cst_order_fit fit = cst_order_estimate(h, error + first, floor, n);
    fit.flag = cst_order_judge(&fit, claimed, back && k != FIT_HIDDEN);
    if (fit.flag == CST_FLAG_TOO_FEW && unreferred && k != FIT_HIDDEN)
      fit.flag = CST_FLAG_NO_REFERENCE;
    for (int i = first; i < first + n; i++) {
      if (i > first)
        cst_column_set(x->fit[k].rate, i, rate(p, error, i));
      if (k < CST_ERRORS)
        cst_column_set(x->claimed[k], i, claimed ? claimed : NAN);
      write_fit(&x->fit[k], i, &fit);
    }
  }
  free(h);
  free(floor);
  free(all);
  return 0;
}

const cst_kind cst_kind_order = {
    .name = "order",
    .doc = "error against a reference over a range of steps; fitted orders",
    .needs = CST_NEEDS_REFERENCE | CST_NEEDS_REFERENCE_ERROR | CST_NEEDS_NOMINAL_STEPS,
    .figures = "order,work,work-energy,constraint",
    .declare = declare,
    .conclude = conclude,
    .conclude_steps = conclude_steps,
};
