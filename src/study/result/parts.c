/* parts.c: columns for errors, largest values and constraints of a case (see parts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/parts.h"
#include <math.h>
#include <string.h>
#include "study/result/output.h"
#include "study/rows/collector.h"

const char *const cst_parts_endings[CST_ERRORS] = {"", "_q", "_p", "_lambda"};

/* ---- errors ---------------------------------------------------------------------------------- */

void cst_parts_errors_declare(const cst_plan *p, cst_columns *c, cst_error_columns *x) {
  for (int k = 0; k < CST_ERRORS; k++)
    x->largest[k] = cst_columns_number(
        c,
        (cst_column_use){
            .shown = k < 3, .role = "error", .of = cst_channels_error_names[k], .axis = "y log"},
        "error against the reference, largest over the members", "error%s", cst_parts_endings[k]);
  for (int k = 0; k < CST_ERRORS && p->study->ensemble.members > 1; k++)
    x->rms[k] = cst_columns_number(
        c, (cst_column_use){.role = "error-rms", .of = cst_channels_error_names[k]},
        "error against the reference, root mean square over the members", "error%s_rms",
        cst_parts_endings[k]);
}

cst_error cst_parts_errors_conclude(cst_case_rows *rows, const cst_error_columns *x) {
  const long    n = rows->plan->study->ensemble.members;
  const double *error;
  for (int k = 0; k < CST_ERRORS; k++) {
    CST_TRY(cst_case_rows_get(rows, &cst_channel_error, k, &error));
    cst_column_set(x->largest[k], rows->icase, cst_case_rows_largest(error, n));
    if (n > 1)
      cst_column_set(x->rms[k], rows->icase, cst_ensemble_rms(error, n));
  }
  return 0;
}

cst_error cst_parts_largest(cst_case_rows *rows, const cst_channel_row *row, int which,
                            cst_number_column to) {
  const long    members = rows->plan->study->ensemble.members;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, row, which, &x));
  for (long m = 0; m < members; m++)
    rows->number[m] = rows->good[m] ? x[m] : NAN;
  cst_column_set(to, rows->icase, cst_case_rows_largest(rows->number, members));
  return 0;
}

/* ---- survivors -------------------------------------------------------------------------------- */

cst_survivor_columns cst_parts_survivors_declare(cst_columns *c, const char *of) {
  return (cst_survivor_columns){
      .members = cst_columns_number(c, cst_columns_use("survivors", of),
                                    "members that count in the means", "%s_survivors", of),
      .flag = cst_columns_text(c, cst_columns_use("mean-flag", of),
                               "biased: members failed, and the means are over the others",
                               "%s_flag", of),
  };
}

void cst_parts_survivors_conclude(cst_survivor_columns x, int icase, long survivors, long members) {
  cst_column_set(x.members, icase, (double)survivors);
  cst_column_say(x.flag, icase, survivors < members ? "biased" : "");
}

/* ---- largest values -------------------------------------------------------------------------- */

int cst_parts_quantity_find(const cst_plan *p, const char *name) {
  for (int k = 0; k < p->nbuiltin; k++)
    if (!strcmp(p->quantity[k].name, name))
      return k;
  return -1;
}

/* The largest value of a figure, or of the sum of two. */
static double largest_figure(cst_case_rows *rows, int figure, int and) {
  cst_case_rows_pick_stopped(rows, figure, and, rows->number);
  return cst_case_rows_largest(rows->number, rows->plan->study->ensemble.members);
}

/* Constraints start near zero, so their largest value itself is reported. */
cst_error cst_parts_quantity_largest(cst_case_rows *rows, int quantity, double *drift,
                                     double *value) {
  const double *summary;
  CST_TRY(cst_case_rows_summary(rows, quantity, &summary));
  *drift = *value = largest_figure(rows, CST_SUMMARY_DRIFT, -1);
  if (!rows->plan->quantity[quantity].drifts)
    *value = largest_figure(rows, CST_SUMMARY_START, CST_SUMMARY_DRIFT);
  return 0;
}

bool cst_parts_has_values(const cst_plan *p, int quantity) {
  const cst_values_request *w = p->study->collected[CST_COLLECTOR(summary)];
  return p->quantity[quantity].moves && !w->unknown;
}

static cst_number_column declare_change(cst_columns *c, const char *of, bool shown,
                                        const char *ending) {
  return cst_columns_number(c, cst_columns_shown(shown, "largest", of), "largest |x - x(0)|",
                            "%s_%s", of, ending);
}

cst_extreme_columns cst_parts_extremes_declare(const cst_plan *p, cst_columns *c, int quantity,
                                               bool shown) {
  const char         *of = p->quantity[quantity].name;
  cst_extreme_columns x;
  if (!cst_parts_has_values(p, quantity))
    return (cst_extreme_columns){declare_change(c, of, shown, "max"), {{NULL}}};
  x.value[CST_VALUE_LEAST] =
      cst_columns_number(c, cst_columns_shown(shown, "minimum", of),
                         "least value over the run and the members", "%s_min", of);
  x.value[CST_VALUE_LARGEST] =
      cst_columns_number(c, cst_columns_shown(shown, "maximum", of),
                         "largest value over the run and the members", "%s_max", of);
  x.change = declare_change(c, of, false, "change");
  return x;
}

/* The same bits as the value itself: only signs change. */
static double end_of(const cst_case_rows *rows, const double *values, int end) {
  const double sign = end == CST_VALUE_LEAST ? -1 : 1;
  double       most = NAN;
  for (long m = 0; m < rows->plan->study->ensemble.members; m++) {
    const double x = sign * values[m * CST_VALUES + end];
    if ((rows->good[m] || rows->stopped[m]) && !isnan(x) && !(x <= most))
      most = x;
  }
  return sign * most;
}

cst_error cst_parts_extremes_conclude(cst_case_rows *rows, int quantity,
                                      const cst_extreme_columns *x) {
  double        drift, value;
  const double *values;
  CST_TRY(cst_parts_quantity_largest(rows, quantity, &drift, &value));
  cst_column_set(x->change, rows->icase, drift);
  if (!cst_parts_has_values(rows->plan, quantity))
    return 0;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_values, quantity, &values));
  for (int e = 0; e < CST_VALUES; e++)
    cst_column_set(x->value[e], rows->icase, end_of(rows, values, e));
  return 0;
}

static const struct {
  const char *name, *doc;
  bool        shown;
} constraints[CST_CONSTRAINT_COLUMNS] = {
    [CST_CONSTRAINT] = {"constraint", "largest |g_j|", false},
    [CST_CONSTRAINT_SCALED] = {"constraint_scaled", "largest |g_j| / s_j", true},
    [CST_HIDDEN] = {"hidden", "largest |G v|, in the norm of error: {hidden: ...}", false},
    [CST_HIDDEN_SCALED] = {"hidden_scaled", "largest |(G v)_j|, scaled", true},
};

void cst_parts_constraints_declare(cst_columns *c, cst_constraint_columns *x) {
  for (int k = 0; k < CST_CONSTRAINT_COLUMNS; k++)
    x->largest[k] = cst_columns_number(c,
                                       (cst_column_use){.shown = constraints[k].shown,
                                                        .role = "largest",
                                                        .of = constraints[k].name},
                                       constraints[k].doc, "%s_max", constraints[k].name);
}

cst_error cst_parts_constraints_conclude(cst_case_rows *rows, const cst_constraint_columns *x) {
  for (int k = 0; k < CST_CONSTRAINT_COLUMNS; k++) {
    double drift, value;
    CST_TRY(cst_parts_quantity_largest(
        rows, cst_parts_quantity_find(rows->plan, constraints[k].name), &drift, &value));
    cst_column_set(x->largest[k], rows->icase, value);
  }
  return 0;
}

cst_number_column cst_parts_displacement_declare(cst_columns *c, bool shown) {
  return cst_columns_number(
      c, (cst_column_use){.shown = shown, .role = "largest", .of = "displacement"},
      "largest |q(t) - q(0)|", "displacement");
}

cst_error cst_parts_displacement_conclude(cst_case_rows *rows, cst_number_column x) {
  double drift, value;
  CST_TRY(cst_parts_quantity_largest(rows, cst_parts_quantity_find(rows->plan, "displacement"),
                                     &drift, &value));
  cst_column_set(x, rows->icase, drift);
  return 0;
}
