/* bdf.c: bdf(k): the backward differentiation formulas with k steps of equal length on the stabilised
 * equations of index 2, as in the codes DASSL and IDA.
 *
 *   q1 = sum_j gamma_j q_(1-j) + h beta (v1 - G(q1)'mu),   v1 = sum_j gamma_j v_(1-j) + h beta A1
 *   M A1 = f(q1, v1, t1) - G(q1)'lambda1,   g(q1) = 0,   G(q1) v1 = 0
 *
 * The state holds the q and v of k - 1 earlier steps. The first k - 1 steps of a run are steps of Radau
 * IIA with three stages, of the same length and with the same constraints. Unstable from k = 3 on for
 * undamped oscillations of some h omega, dissipative otherwise.
 *
 * Source: Gear, Gupta, Leimkuhler 1985; Brenan, Campbell, Petzold 1996. Arithmetic: core/constrained.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

typedef struct {
  int steps;
} values;

static const cst_key arguments[] = {{"", "k", CST_BY_PLACE, NULL, NULL, "", "bdf(2)",
                                     "the number of steps",
                                     .value = {CST_VALUE_INTEGER, CST_AT(values, steps), 1, 5}},
                                    {0}};

static int steps(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.steps;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_constrained_fits(t, s, 3, true, why, n); /* the first steps have three stages */
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_program_add(p, cst_constrained_bdf(fraction, steps(t)));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)s;
  return cst_constrained_properties(steps(t), steps(t), steps(t), true, true);
}

const cst_method_row cst_method_row_bdf = {
    .info = {.name = "bdf",
             .doc = "Backward differentiation with k equal steps on the stabilised index-2 "
                    "equations, as in DASSL "
                    "and IDA; order k.",
             .equations = "sum_j alpha_j q_(1-j) = h beta (v1 - G(q1)'mu),  M sum_j alpha_j "
                          "v_(1-j) = h beta (f(q1, "
                          "v1) - G(q1)'lambda1)\ng(q1) = 0,  G(q1) v1 = 0",
             .notes = "The state holds the q and v of k - 1 earlier steps, so the method is not "
                      "composed with "
                      "others. A run begins with k - 1 steps of radau(3).\nEnergy is dissipated; "
                      "from k = 3 on there "
                      "are oscillations that grow.",
             .source = "Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12-13 (1985); Brenan, "
                       "Campbell, Petzold, "
                       "Numerical Solution of Initial-Value Problems in Differential-Algebraic "
                       "Equations, 1996",
             .signature = "bdf(k)",
             .example = "bdf(2)"},
    .steps = CST_FORCED | CST_TIMED,
    .whole = true,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
