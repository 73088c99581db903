/* shake.c: SHAKE: RATTLE without the last projection of p on the tangent space.
 *
 *   p_h = p0 - h/2 grad V(q0) - G(q0)'L,   q1 = q0 + h M^-1 p_h,   g(q1) = 0,   p1 = p_h - h/2 grad V(q1)
 *
 * The positions are RATTLE's, for the next impulse takes up what was not projected; so L / h is the multiplier at the left end of a step
 * (of the first step, which starts from a tangent p, L is half of that). p is of order 1 and G M^-1 p is O(h). On T*N the map pulls dp ^ dq
 * back as RATTLE does: the difference G'm contributes dm ^ G dq = 0. Source: Ryckaert, Ciccotti, Berendsen 1977; math as in rattle.c.
 * Arithmetic: core/kick.c; with a mass that depends on q or with a(q), core/lagrange.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/kick.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  (void)t;
  cst_kick_add(p, fraction, 0.5, 0.5, 0);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  (void)t;
  if (s->ng > 0) return true;
  snprintf(why, (size_t)n, "shake needs constraints and %s has none (rattle is the same there)", s->name);
  return false;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return (cst_properties){.order_q = 2,
                          .order_p = 1,
                          .order_lambda = 2,
                          .claims = CST_SYMPLECTIC | CST_POSITIONS | (cst_system_is_gauged(s) ? 0 : CST_MOMENTUM),
                          .lambda_time = 0,
                          .own_lambda = true,
                          .first_impulse = 0.5};
}

const cst_method_row cst_method_row_shake = {
    .info = {.name = "shake",
             .doc = "SHAKE: RATTLE's positions; momenta of order 1 that keep the hidden constraint to O(h) only.",
             .equations = "p0 = M(q1-q0)/h + h/2 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(q1)\n"
                          "g(q1) = 0\n"
                          "with M(q) or a(q):  p0 = L_v(q0, u) - h/2 L_q(q0, u) + G(q0)'L;  p1 = L_v(q1, w) + h/2 L_q(q1, w)\n"
                          "L_v(q0, u) = L_v(q1, w), u + w = 2(q1-q0)/h, g(q1) = 0",
             .source = "Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977)",
             .signature = "shake",
             .example = "shake"},
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
