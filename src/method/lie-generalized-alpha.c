/* lie-generalized-alpha.c: lie-generalized-alpha(rho=): generalised-alpha on the rotations of bodies.
 *
 *   q1 = q0 exp(h v0 + h^2 ((1/2 - beta) a0 + beta a1)),   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
 *   (1 - am) a1 + am a0 = (1 - af) A1 + af A0
 *   I A1 + v1 x I v1 = -dV(q1) - G(q1)'lambda,   g(q1) = 0
 *
 * v are angular velocities in body axes; ordinary coordinates take the steps of generalized-alpha. am, af,
 * beta and gamma are those of generalized-alpha. Orthogonality needs no multipliers; g are the user's
 * constraints. Source: Bruels, Cardona 2010. Arithmetic: core/lie-alpha.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"
#include "method/method.h"
#include "method/substep.h"

typedef struct {
  double rho;
} values;

static const cst_key arguments[] = {{"", "rho", CST_BY_NAME, NULL, NULL, "",
                                     "lie-generalized-alpha(rho=0.8)",
                                     "by which a step damps the highest frequencies",
                                     .value = {CST_VALUE_NUMBER, CST_AT(values, rho), 0, 1}},
                                    {0}};

static void expand(const cst_term *t, cst_program *p, double fraction) {
  values x;
  cst_term_read(t, &x);
  const double rho = x.rho;
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
  cst_program_add(p, cst_lie_alpha(fraction, am, af, (gamma + 0.5) * (gamma + 0.5) / 4, gamma));
}

/* The multipliers are those of M A = f - G'lambda at the state: a step has none for orthogonality. G v = 0
 * holds only where there are no joints. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return (cst_properties){.order_q = 2,
                          .order_p = 2,
                          .order_lambda = 2,
                          .claims =
                              CST_CLAIM_POSITIONS | (s->model->nown ? 0u : CST_CLAIM_VELOCITIES),
                          .lambda_time = 1};
}

const cst_method_row cst_method_row_lie_generalized_alpha = {
    .info =
        {.name = "lie-generalized-alpha",
         .doc = "Generalised-alpha on the rotations of bodies, with the user's constraints at "
                "index 3.",
         .equations = "q1 = q0 exp(h v0 + h^2 ((1/2 - beta) a0 + beta a1)),  v1 = v0 + h ((1 - "
                      "gamma) a0 + gamma a1)\n"
                      "(1 - am) a1 + am a0 = (1 - af) A1 + af A0,  I A1 + v1 x I v1 = -dV(q1) - "
                      "G(q1)'lambda,  g(q1) = 0",
         .notes =
             "v are angular velocities in body axes; am, af, beta, gamma are those of "
             "generalized-alpha.\nThe state holds a and A besides q and v, so the method is not "
             "composed with others. Multipliers are those of M A = f - G'lambda at the end of the "
             "step.\nIt dissipates energy for rho < 1; how much is not claimed. Without damping "
             "(rho = 1) "
             "joints may make it unstable in long runs.\nIt is for systems with bodies; their "
             "other "
             "coordinates have a constant mass, and there is no gyroscopic term. Flat bodies are "
             "not allowed.",
         .source = "Bruels, Cardona, J. Comput. Nonlinear Dyn. 5 (2010)",
         .signature = "lie-generalized-alpha(rho=)",
         .example = "lie-generalized-alpha(rho=0.8)"},
    .whole = true,
    .arguments = arguments,
    .fits = cst_lie_fits,
    .properties = properties,
    .expand = expand,
};
