/* variational.c: the variational methods of one force in one drift, with constraints: symplectic Euler A and B, SHAKE, RATTLE and the
 * midpoint rule.
 *
 *   p0 = M(q1-q0)/h + w0 h grad V(q0) + G(q0)'L,   p1 = M(q1-q0)/h - w1 h grad V(q1) - G(q1)'m
 *
 * with g(q1) = 0 and G(q1) M^-1 p1 = 0. Weights (w0, w1) = (1, 0): A; (0, 1): B, its adjoint; (1/2, 1/2): RATTLE. The midpoint rule, L_d =
 * h L((q0+q1)/2, (q1-q0)/h), has h/2 grad V((q0+q1)/2) in both places, and is RATTLE where V is linear. Source: Barbero-Linan, Martin de
 * Diego, Sato Martin de Almagro, A new perspective on symplectic integration of constrained mechanical systems via discretization maps,
 * section 5, in the sign M A = f - G' lambda.
 *
 * SHAKE is RATTLE without the last projection, m = 0. The positions are RATTLE's, for the next impulse takes up what was not projected; so
 * L / h is the multiplier at the left end of a step (of the first step, which starts from a tangent p, L is half of that). p is of order 1
 * and G M^-1 p is O(h). On T*N the map pulls dp ^ dq back as RATTLE does: the difference G'm contributes dm ^ G dq = 0. Source: Ryckaert,
 * Ciccotti, Berendsen 1977.
 *
 * Arithmetic: core/kick.c and core/midpoint.c; with a mass that depends on q or with a(q), core/lagrange.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "method/kick.h"

/* Where the force acts: for the parts w0 and w1 of h at the two ends of the drift, or in its middle; whether p1 is projected. */
static const struct weights {
  const char *name;
  double      w0, w1;
  bool        middle, tangent;
} table[] = {
    {"euler-a", .w0 = 1, .tangent = true},
    {"euler-b", .w1 = 1, .tangent = true},
    {"midpoint", .middle = true, .tangent = true},
    {"shake", .w0 = 0.5, .w1 = 0.5},
    {"rattle", .w0 = 0.5, .w1 = 0.5, .tangent = true},
};

static const struct weights *weights(const cst_term *t) {
  const struct weights *w = table;
  while (strcmp(w->name, t->name)) w++;
  return w;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const struct weights *w = weights(t);
  cst_program_add(p, w->middle ? cst_midpoint(fraction) : cst_kick(fraction, w->w0, w->w1, w->tangent));
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (weights(t)->tangent || s->ng > 0) return true;
  snprintf(why, (size_t)n, "shake needs constraints and %s has none (rattle is the same there)", s->name);
  return false;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const struct weights *w = weights(t);
  if (w->tangent) return cst_variational(w->w0 == w->w1 ? 2 : 1, s);
  return (cst_properties){.order_q = 2,
                          .order_p = 1,
                          .order_lambda = 2,
                          .claims = CST_SYMPLECTIC | CST_POSITIONS | (cst_system_is_gauged(s) ? 0 : CST_MOMENTUM),
                          .lambda_time = 0,
                          .own_lambda = true,
                          .first_impulse = 0.5};
}

#define MAPS "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization maps), section 5"
#define VARIATIONAL(ident, label, text, formulas, from)                                                                                    \
  const cst_method_row cst_method_row_##ident = {                                                                                          \
      .info = {.name = label, .doc = text, .equations = formulas, .source = from, .signature = label, .example = label},                   \
      .fits = fits,                                                                                                                        \
      .properties = properties,                                                                                                            \
      .expand = expand,                                                                                                                    \
  }
VARIATIONAL(euler_a, "euler-a", "Symplectic Euler, variant A, with constraints: the force acts at the left end of the step.",
            "p0 = M(q1-q0)/h + h dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - G(q1)'m\n"
            "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(q0, u) - h L_q(q0, u) + G(q0)'L;  p1 = L_v(q0, u) - G(q1)'m\n"
            "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
            MAPS);
VARIATIONAL(euler_b, "euler-b",
            "Symplectic Euler, variant B, with constraints: the force acts at the right end of the step; the adjoint of euler-a.",
            "p0 = M(q1-q0)/h + G(q0)'L;  p1 = M(q1-q0)/h - h dV(q1) - G(q1)'m\n"
            "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(q1, u) + G(q0)'L;  p1 = L_v(q1, u) + h L_q(q1, u) - G(q1)'m\n"
            "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
            MAPS);
VARIATIONAL(midpoint, "midpoint", "Variational midpoint rule with constraints; implicit in the force.",
            "p0 = M(q1-q0)/h + h/2 dV(qm) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(qm) - G(q1)'m\n"
            "qm = (q0+q1)/2, g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(qm, u) - h/2 L_q(qm, u) + G(q0)'L;  p1 = L_v(qm, u) + h/2 L_q(qm, u) - G(q1)'m\n"
            "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
            MAPS);
VARIATIONAL(shake, "shake", "SHAKE: RATTLE's positions; momenta of order 1 that keep the hidden constraint to O(h) only.",
            "p0 = M(q1-q0)/h + h/2 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(q1)\n"
            "g(q1) = 0\n"
            "with M(q) or a(q):  p0 = L_v(q0, u) - h/2 L_q(q0, u) + G(q0)'L;  p1 = L_v(q1, w) + h/2 L_q(q1, w)\n"
            "L_v(q0, u) = L_v(q1, w), u + w = 2(q1-q0)/h, g(q1) = 0",
            "Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977)");
VARIATIONAL(rattle, "rattle", "RATTLE: half a kick, a drift on the constraints, half a kick, both constraints kept.",
            "p0 = M(q1-q0)/h + h/2 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(q1) - G(q1)'m\n"
            "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(q0, u) - h/2 L_q(q0, u) + G(q0)'L;  p1 = L_v(q1, w) + h/2 L_q(q1, w) - G(q1)'m\n"
            "L_v(q0, u) = L_v(q1, w), u + w = 2(q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
            MAPS);
