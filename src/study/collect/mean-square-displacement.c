/* mean-square-displacement.c: the collector `mean-square-displacement`: <|x(s + t) - x(s)|^2> over the run and the
 * members against t, and its slope over the second half of the lags: 2 D for each expression of a diffusion. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/lags.h"
#include "study/plan/clock.h"

/* clang-format off */
static const cst_channel_row curve = {"/mean-square-displacement/%s", "1", "mean of |x(s + lag) - x(s)|^2 over the run and the members that did not fail, summed over the expressions", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row error = {"/mean-square-displacement/%s_error", "1", "its standard error", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row lag = {"/mean-square-displacement/%s_lag", "time", "the lags", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row pairs = {"/mean-square-displacement/%s_pairs", "1", "pairs of samples of each trajectory, at every lag", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
static const cst_channel_row parts = {"/mean-square-displacement/%s_parts", "1", "of each part of the run: the value at the last lag, and the slope over the second half of the lags", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
static const cst_channel_row sums = {"/mean-square-displacement/%s_sums", "1", "exact sums over the members, in units of 2^-200", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
static const cst_channel_row count = {"/mean-square-displacement/%s_members", "1", "members in the sums", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
static const cst_channel_row kept = {"mean-square-displacement", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};

static const cst_key keys[] = {
    {"", "mean-square-displacement", CST_KEYS_ALL, "list of maps", "none", "", "mean-square-displacement: [{name: way, expression: x, every: 0.1, lags: 4}]", "The mean square of the change of an expression between two times against the time between them (docs/frequencies.md)."},
    {"mean-square-displacement", "name", CST_KEYS_ALL, NULL, NULL, "", "mean-square-displacement: [{name: height, expression: y, every: 0.1, lags: 4}]", "Name of its datasets and columns.",
     .value = {CST_VALUE_NAME, CST_AT(cst_lag, named.name), .of = "a mean square displacement", .item = "mean-square-displacement"}},
    {"mean-square-displacement", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "mean-square-displacement: [{name: both, for: \"i = 1..2\", expression: \"i*x\", every: 0.1, lags: 4}]", "\"NAME = FROM..TO\": the sum over the expressions for all these indices."},
    {"mean-square-displacement", "expression", CST_KEYS_ALL, NULL, NULL, "", "mean-square-displacement: [{name: way, expression: \"x*y\", every: 0.1, lags: 4}]", "The quantity, as in `observables`.",
     .value = {CST_VALUE_EXPRESSIONS, CST_AT(cst_lag, named.expressions)}},
    {"mean-square-displacement", "every", CST_KEYS_ALL, NULL, NULL, "time", "mean-square-displacement: [{name: way, expression: x, every: 0.1, lags: 4}]", "Time between samples and between lags, a multiple of every step.",
     CST_LAGS_EVERY},
    {"mean-square-displacement", "lags", CST_KEYS_ALL, NULL, NULL, "", "mean-square-displacement: [{name: way, expression: x, every: 0.1, lags: 5}]", "Number of lags after 0; a run has at least 33 samples more.",
     CST_LAGS_LAGS},
    {0},
};
/* clang-format on */

static double slope(const double *y, long lags, double spacing) {
  const long half = lags / 2;
  return (y[lags] - y[half]) / ((double)(lags - half) * spacing);
}

extern const cst_collector cst_collector_mean_square_displacement;
static const cst_lag_kind  kind = {
     CST_LAGS_KEY("mean-square-displacement", "a mean square displacement"),
     &cst_collector_mean_square_displacement,
     "mean square displacements are means over parts of the run",
     true,
     {&curve, &error, NULL, NULL, &lag, &pairs, &parts, &kept, &sums, &count},
     slope};

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct {
  cst_number_column last, last_error, diffusion, diffusion_error, exponent;
} displacement_columns;

static void declare_columns(cst_columns *c, const void *entry, void *columns) {
  const char           *name = ((const cst_lag *)entry)->named.name;
  displacement_columns *x = columns;
  x->last = cst_columns_number(c, cst_columns_shown(true, "displacement-last", name),
                               "mean square displacement at the last lag", "%s_last", name);
  x->last_error = cst_columns_number(c, cst_columns_use("displacement-last-error", name),
                                     "its standard error", "%s_last_error", name);
  x->diffusion = cst_columns_number(
      c, cst_columns_shown(true, "diffusion", name),
      "half the slope over the second half of the lags, per expression", "%s_diffusion", name);
  x->diffusion_error = cst_columns_number(c, cst_columns_shown(true, "diffusion-error", name),
                                          "its standard error", "%s_diffusion_error", name);
  x->exponent = cst_columns_number(
      c, cst_columns_shown(true, "displacement-exponent", name),
      "power of the lag with which it grows over their second half: 2 ballistic, 1 diffusive",
      "%s_exponent", name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_named_columns(c, cst_lags_of(&kind, p), sizeof(displacement_columns), declare_columns);
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const displacement_columns *x = handles;
  const cst_plan             *p = rows->plan;
  cst_lag_means               m;
  for (int k = 0; k < cst_lags_of(&kind, p)->n; k++) {
    const cst_lag *l = cst_lag_of(cst_lags_of(&kind, p), k);
    const cst_class *class = &p->classes[p->class_of[rows->icase]];
    const double spacing =
        cst_clock_of(&p->cases[rows->icase], (double)cst_sampled_steps(class, l->every));
    const double half = (double)(l->lags / 2), times = 2.0 * l->named.expressions.n;
    CST_TRY(cst_lags_means(&kind, rows, k, &m));
    const double before = m.value - m.figure * ((double)l->lags - half) * spacing;
    cst_column_set(x[k].last, rows->icase, m.value);
    cst_column_set(x[k].last_error, rows->icase, m.value_error);
    cst_column_set(x[k].diffusion, rows->icase, m.figure / times);
    cst_column_set(x[k].diffusion_error, rows->icase, m.figure_error / times);
    cst_column_set(x[k].exponent, rows->icase,
                   cst_elementary_log(m.value / before) /
                       cst_elementary_log((double)l->lags / half));
  }
  return 0;
}

#include "study/collect/lags-row.h"

const cst_collector cst_collector_mean_square_displacement = {
    .name = "mean-square-displacement",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "mean square displacement of expressions",
    CST_LAGS_ROW("displacement"),
};
