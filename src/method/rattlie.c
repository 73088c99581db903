/* rattlie.c: RATTLie, the variational method of Hante and Arnold on the rotations of bodies.
 *
 *   alpha0 = T^-T(x) I xi + h/2 dV(q0) + h/2 G(q0)'lambda+,   R1 = R0 exp(x),  x = h xi,   g(q1) = 0
 *   alpha1 = T^-T(-x) I xi - h/2 dV(q1) - h/2 G(q1)'lambda-,  G(q1) v1 = 0
 *
 * with alpha = I omega and the tangent map T of exp. It follows from the discrete Lagrangian h (T(xi) - (V(q0) +
 * V(q1))/2) with R1 = R0 exp(h xi). Compared with lie-rattle(retraction=exp), the drift is one piece: that of
 * lie-euler-a, with half the force and an impulse at either end. The group is SO(3)^k x R^m, without the coupling of
 * SE(3). Arithmetic: core/lie.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  (void)t;
  cst_program_add(p, cst_lie(fraction, 0.5, 0.5, true, NULL));
}

/* The multipliers are those of M A = f - G'lambda at the state: a step has none for orthogonality. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  cst_properties x = cst_variational(2, s);
  x.own_lambda = false;
  x.lambda_time = 1;
  return x;
}

const cst_method_row cst_method_row_rattlie = {
    .info = {.name = "rattlie",
             .doc = "RATTLie on the rotations of bodies: half a kick, a drift by the exponential "
                    "map in one piece, half a kick.",
             .equations =
                 "alpha0 = T^-T(x) I xi + h/2 dV(q0) + G(q0)'L;  alpha1 = T^-T(-x) I xi - h/2 "
                 "dV(q1) - G(q1)'m\n"
                 "R1 = R0 exp(x), x = h xi, T the tangent map of exp, g(q1) = 0, G(q1) v1 = 0",
             .notes =
                 "lie-rattle(retraction=exp) takes the drift in two pieces of h/2 instead. Without "
                 "bodies that turn it would be RATTLE.\n"
                 "The system has bodies; its other coordinates have a constant mass, and there is "
                 "no gyroscopic term. Flat bodies are allowed.",
             .source = "Hante, Arnold, RATTLie: A variational Lie group integration scheme for "
                       "constrained mechanical systems, J. Comput. Appl. Math. 387 (2021) 112492",
             .signature = "rattlie",
             .example = "rattlie"},
    .fits = cst_lie_fits,
    .properties = properties,
    .expand = expand,
};
