/* skew.c: an example of a method (docs/adding.md), for src/method: a quarter of the kick at the left end of the step,
 * three quarters at the right end. Its line in src/method/list.h: METHOD(skew)
 *
 *   p0 = M(q1-q0)/h + h/4 grad V(q0) + G(q0)'L,   p1 = M(q1-q0)/h - 3h/4 grad V(q1) - G(q1)'m
 *
 * with g(q1) = 0 and G(q1) M^-1 p1 = 0. Between euler-a, rattle and euler-b. Arithmetic: core/kick.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  (void)t;
  /* weights at the left and right end; 1: both constraints are kept */
  cst_kick_add(p, fraction, 0.25, 0.75, 1);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return cst_variational(1, s); /* order 1; symplectic, keeps momenta and both constraints */
}

const cst_method_row cst_method_row_skew = {
    .info = {.name = "skew",
             .doc = "A quarter of the kick before the drift, three quarters after it.",
             .equations = "p0 = M(q1-q0)/h + h/4 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - 3h/4 dV(q1) "
                          "- G(q1)'m;  g(q1) = 0, G(q1) M^-1 p1 = 0",
             .source = "an example",
             .signature = "skew",
             .example = "skew"},
    .properties = properties,
    .expand = expand,
};
