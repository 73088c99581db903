/* midpoint.c: the variational midpoint rule with constraints, L_d = h L((q0+q1)/2, (q1-q0)/h).
 *
 *   p0 = M(q1-q0)/h + h/2 grad V(qm) + G(q0)'L,   p1 = M(q1-q0)/h - h/2 grad V(qm) - G(q1)'m,   qm = (q0+q1)/2
 *
 * with g(q1) = 0 and G(q1) M^-1 p1 = 0. Equal to RATTLE where V is linear. Source as in rattle.c. Arithmetic: core/midpoint.c; with a mass
 * that depends on q or with a(q), core/lagrange.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/kick.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  (void)t;
  cst_program_add(p, cst_midpoint(fraction));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return cst_variational(2, s);
}

const cst_method_row cst_method_row_midpoint = {
    .info = {.name = "midpoint",
             .doc = "Variational midpoint rule with constraints; implicit in the force.",
             .equations = "p0 = M(q1-q0)/h + h/2 dV(qm) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(qm) - G(q1)'m\n"
                          "qm = (q0+q1)/2, g(q1) = 0, G(q1) M^-1 p1 = 0\n"
                          "with M(q) or a(q):  p0 = L_v(qm, u) - h/2 L_q(qm, u) + G(q0)'L;  p1 = L_v(qm, u) + h/2 L_q(qm, u) - G(q1)'m\n"
                          "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
             .source = "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization maps), section 5",
             .signature = "midpoint",
             .example = "midpoint"},
    .properties = properties,
    .expand = expand,
};
