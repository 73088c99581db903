/* euler-a.c: Symplectic Euler, variant A, with constraints: the force acts at the left end of the step.
 *
 *   p0 = M(q1-q0)/h + h grad V(q0) + G(q0)'L,   p1 = M(q1-q0)/h - G(q1)'m
 *
 * with g(q1) = 0 and G(q1) M^-1 p1 = 0. Source: Barbero-Linan, Martin de Diego, Sato Martin de Almagro, A new perspective on symplectic
 * integration of constrained mechanical systems via discretization maps, section 5, in the sign M A = f - G' lambda. Arithmetic:
 * core/kick.c; with a mass that depends on q or with a(q), core/lagrange.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/kick.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  (void)t;
  cst_kick_add(p, fraction, 1, 0, 1);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return cst_variational(1, s);
}

const cst_method_row cst_method_row_euler_a = {
    .info = {.name = "euler-a",
             .doc = "Symplectic Euler, variant A, with constraints: the force acts at the left end of the step.",
             .equations = "p0 = M(q1-q0)/h + h dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - G(q1)'m\n"
                          "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
                          "with M(q) or a(q):  p0 = L_v(q0, u) - h L_q(q0, u) + G(q0)'L;  p1 = L_v(q0, u) - G(q1)'m\n"
                          "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
             .source = "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization maps), section 5",
             .signature = "euler-a",
             .example = "euler-a"},
    .properties = properties,
    .expand = expand,
};
