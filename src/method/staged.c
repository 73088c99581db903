/* staged.c: staged(theta=0.5): the discretization map (q - theta v, q + (1-theta) v) with the constraint at
 * its stage point, g(q_m) = 0, instead of the ends of the step.
 *
 *   p0 = M(q1-q0)/h + (1-theta) (h grad V(q_m) + G(q_m)'L),   q_m = q0 + theta (q1 - q0)
 *   p1 = M(q1-q0)/h - theta (h grad V(q_m) + G(q_m)'L),       g(q_m) = 0
 *
 * For comparison: this is what Barbero-Linan, Martin de Diego, Sato, (1.2), argue against. It is symplectic,
 * since p1 dq1 - p0 dq0 = d L_d - L.dg(q_m) and dg(q_m) = 0 along solutions. With n0, n1 the distances of
 * the ends from the constraint, (1-theta) n0 + theta n1 = O(h^2): an error of n grows by (1-theta)/theta in
 * a step if theta < 1/2, and backwards if theta > 1/2, where that of the normal part of p grows. At 1/2 it
 * alternates: n is O(h^2), the normal part of p, M n/h with both signs, does not converge if the start is on
 * the constraint, and L/h grows as 1/h. Arithmetic: core/staged.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/families.h"

typedef struct {
  double theta;
} values;

static const cst_key arguments[] = {
    {"", "theta", CST_BY_NAME, NULL, "0.5", "", "staged(theta=0.25)",
     "the position of the stage in the step",
     .value = {CST_VALUE_NUMBER, CST_AT(values, theta), 0, 1, .above = true, .below = true}},
    {0}};

static double theta_of(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.theta;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  (void)t;
  if (s->ng == 0)
    snprintf(why, (size_t)n,
             "staged needs constraints and %s has none (there discretization is the same)",
             s->name);
  else
    return true;
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_program_add(p, cst_staged(fraction, theta_of(t)));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const bool middle = theta_of(t) == 0.5;
  return (cst_properties){.order_q = middle ? 2 : 0,
                          .claims = CST_CLAIM_SYMPLECTIC | (middle ? CST_CLAIM_SYMMETRIC : 0) |
                                    (cst_system_is_gauged(s) ? 0 : CST_CLAIM_MOMENTUM),
                          .lambda_time = theta_of(t),
                          .own_lambda = true};
}

const cst_method_row cst_method_row_staged = {
    .info = {.name = "staged",
             .doc = "Discretization map with the constraint at its stage point, not at the ends of "
                    "the step; for comparison.",
             .equations =
                 "p0 = M(q1-q0)/h + (1-theta)(h dV(qm) + G(qm)'L);  p1 = M(q1-q0)/h - theta(h "
                 "dV(qm) + G(qm)'L)\n"
                 "qm = q0 + theta (q1-q0), g(qm) = 0",
             .notes = "The ends of steps leave the constraint by O(h^2). From a start on it, the "
                      "normal part of p and the multipliers alternate, the first without "
                      "converging, the second as 1/h; with theta other than 1/2 they grow without "
                      "bound. rattle, midpoint and discretization(theta=) impose the constraint "
                      "at the ends.",
             .source = "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization "
                       "maps), (1.2); Johnson, Murphey, Dangers of two-point holonomic "
                       "constraints for variational integrators, American Control Conference 2009",
             .signature = "staged(theta=0.5)",
             .example = "staged"},
    .needs = CST_SEPARABLE,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
