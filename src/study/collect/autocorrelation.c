/* autocorrelation.c: the collector `autocorrelation`: C(t) = <x(s) x(s + t)> over the run and the members, and its
 * integral, by the trapezoidal rule, until the last lag. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/lags.h"

/* clang-format off */
static const cst_channel_row curve = {"/autocorrelation/%s", "1", "mean of x(s) x(s + lag) over the run and the members that did not fail, summed over the expressions", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row error = {"/autocorrelation/%s_error", "1", "its standard error", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row normal = {"/autocorrelation/%s_normalised", "1", "the same divided by its value at lag 0", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row normal_error = {"/autocorrelation/%s_normalised_error", "1", "standard error of that", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row lag = {"/autocorrelation/%s_lag", "time", "the lags", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row pairs = {"/autocorrelation/%s_pairs", "1", "pairs of samples of each trajectory, at every lag", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
static const cst_channel_row parts = {"/autocorrelation/%s_parts", "1", "of each part of the run: the value at lag 0, and the integral over the lags", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
static const cst_channel_row sums = {"/autocorrelation/%s_sums", "1", "exact sums over the members, in units of 2^-200", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
static const cst_channel_row count = {"/autocorrelation/%s_members", "1", "members in the sums", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
static const cst_channel_row kept = {"autocorrelation", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};

static const cst_key keys[] = {
    {"", "autocorrelation", CST_KEYS_ALL, "list of maps", "none", "", "autocorrelation: [{name: swing, expression: x, every: 0.1, lags: 4}]", "The mean product of an expression at two times against the time between them (docs/frequencies.md)."},
    {"autocorrelation", "name", CST_KEYS_ALL, NULL, NULL, "", "autocorrelation: [{name: velocity, expression: x', every: 0.1, lags: 4}]", "Name of its datasets and columns.",
     .value = {CST_VALUE_NAME, CST_AT(cst_lag, named.name), .of = "an autocorrelation"}},
    {"autocorrelation", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "autocorrelation: [{name: both, for: \"i = 1..2\", expression: \"i*x\", every: 0.1, lags: 4}]", "\"NAME = FROM..TO\": the sum over the expressions for all these indices."},
    {"autocorrelation", "expression", CST_KEYS_ALL, NULL, NULL, "", "autocorrelation: [{name: height, expression: y, every: 0.1, lags: 4}]", "The quantity, as in `observables`.",
     .value = {CST_VALUE_EXPRESSIONS, CST_AT(cst_lag, named.expressions)}},
    {"autocorrelation", "mean", CST_KEYS_ALL, NULL, "0", "", "autocorrelation: [{name: height, expression: y, mean: -0.9, every: 0.1, lags: 4}]", "Its mean as far as it is known, which is subtracted.",
     .value = {CST_VALUE_NUMBER, CST_AT(cst_lag, mean)}},
    {"autocorrelation", "every", CST_KEYS_ALL, NULL, NULL, "time", "autocorrelation: [{name: swing, expression: x, every: 0.1, lags: 4}]", "Time between samples and between lags, a multiple of every step.",
     CST_LAGS_EVERY},
    {"autocorrelation", "lags", CST_KEYS_ALL, NULL, NULL, "", "autocorrelation: [{name: swing, expression: x, every: 0.1, lags: 5}]", "Number of lags after 0; a run has at least 33 samples more.",
     CST_LAGS_LAGS},
    {0},
};
/* clang-format on */

static double integral(const double *y, long lags, double spacing) {
  double sum = 0.5 * (y[0] + y[lags]);
  for (long k = 1; k < lags; k++)
    sum += y[k];
  return sum * spacing;
}

extern const cst_collector cst_collector_autocorrelation;
static const cst_lag_kind  kind = {
     CST_LAGS_KEY("autocorrelation", "an autocorrelation"),
     &cst_collector_autocorrelation,
     "autocorrelations are means over parts of the run",
     false,
     {&curve, &error, &normal, &normal_error, &lag, &pairs, &parts, &kept, &sums, &count},
     integral};

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct {
  cst_number_column square, square_error, integral, integral_error, time;
} correlation_columns;

static void declare_columns(cst_columns *c, const void *entry, void *columns) {
  const char          *name = ((const cst_lag *)entry)->named.name;
  correlation_columns *x = columns;
  x->square = cst_columns_number(c, cst_columns_shown(true, "correlation-square", name),
                                 "mean of x^2 over the run and the members", "%s_square", name);
  x->square_error = cst_columns_number(c, cst_columns_use("correlation-square-error", name),
                                       "standard error of this mean", "%s_square_error", name);
  x->integral =
      cst_columns_number(c, cst_columns_shown(true, "correlation-integral", name),
                         "integral of the autocorrelation until the last lag", "%s_integral", name);
  x->integral_error =
      cst_columns_number(c, cst_columns_shown(true, "correlation-integral-error", name),
                         "its standard error", "%s_integral_error", name);
  x->time = cst_columns_number(
      c, (cst_column_use){.shown = true, .role = "correlation-time", .of = name, .unit = "time"},
      "the integral divided by the value at lag 0", "%s_time", name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_named_columns(c, cst_lags_of(&kind, p), sizeof(correlation_columns), declare_columns);
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const correlation_columns *x = handles;
  cst_lag_means              m;
  for (int k = 0; k < cst_lags_of(&kind, rows->plan)->n; k++) {
    CST_TRY(cst_lags_means(&kind, rows, k, &m));
    cst_column_set(x[k].square, rows->icase, m.value);
    cst_column_set(x[k].square_error, rows->icase, m.value_error);
    cst_column_set(x[k].integral, rows->icase, m.figure);
    cst_column_set(x[k].integral_error, rows->icase, m.figure_error);
    cst_column_set(x[k].time, rows->icase, m.figure / m.value);
  }
  return 0;
}

#include "study/collect/lags-row.h"

const cst_collector cst_collector_autocorrelation = {
    .name = "autocorrelation",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "autocorrelation of expressions",
    CST_LAGS_ROW("autocorrelation"),
};
