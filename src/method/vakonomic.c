/* vakonomic.c: vakonomic(multiplier=0): the variational midpoint rule of the vakonomic principle, for
 * comparison with integrators of Lagrange-d'Alembert. Arithmetic: core/vakonomic.c.
 *
 * Under constraints on velocities the two principles differ. Lagrange-d'Alembert lets the constraint act as a
 * force, phi'lambda. The vakonomic principle makes the action stationary among the curves that satisfy it:
 *
 *   d/dt (M v - phi'mu) = -dV - D_q(mu . (phi v + phi0)),   phi v + phi0 = 0
 *
 * so M v' has, besides phi'mu', the force D(phi'mu)[v] - D_q(mu . (phi v + phi0)), which is like that of a
 * magnetic field. mu(0) is free: q and v at the start determine a family of motions. At mu(0) = 0 the motions
 * agree if the constraint is integrable.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"
#include "method/families.h"

enum { MOST_UNKNOWNS = 120 }; /* of Newton's matrix, whose entries take nq^2 evaluations of D phi */

typedef struct {
  double multiplier;
} values;

static const cst_key arguments[] = {
    {"", "multiplier", CST_BY_NAME, NULL, "0", "", "vakonomic(multiplier=0.5)",
     "mu of each constraint at the start", .value = {CST_VALUE_NUMBER, CST_AT(values, multiplier)}},
    {0}};

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->ng > s->model->nvel)
    snprintf(
        why, (size_t)n,
        "%s does not support constraints on positions, and %s has some besides those on velocities",
        t->name, s->name);
  else if (!cst_has(s, CST_SEPARABLE))
    snprintf(why, (size_t)n,
             "%s needs a constant diagonal mass, and no gyroscopic term, forces or dependence on "
             "time, and %s has others",
             t->name, s->name);
  else if (s->nq + s->ng > MOST_UNKNOWNS)
    snprintf(why, (size_t)n, "%s solves for at most %d unknowns, with a full matrix, and %s has %d",
             t->name, MOST_UNKNOWNS, s->name, s->nq + s->ng);
  else
    return true;
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  values x;
  cst_term_read(t, &x);
  cst_program_add(p, cst_vakonomic(fraction, x.multiplier));
}

/* No order against the motion of Lagrange-d'Alembert, which is that of the system. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  (void)s;
  return cst_layer_properties(0, CST_CLAIM_VELOCITIES | CST_CLAIM_SYMMETRIC);
}

const cst_method_row cst_method_row_vakonomic = {
    .info = {.name = "vakonomic",
             .doc = "Variational midpoint rule of the vakonomic principle under constraints on "
                    "velocities: "
                    "another mechanics, for comparison.",
             .equations = "P = M v - phi'mu;  L_d = h (L(q_m, u) - l . (phi(q_m) u + phi0(q_m))),  "
                          "P0 = -D1 L_d,  P1 = D2 L_d,  "
                          "phi(q_m) u + phi0(q_m) = 0;  q_m = (q0 + q1)/2,  u = (q1 - q0)/h",
             .notes =
                 "The action is stationary among the curves that satisfy the constraint, whereas "
                 "methods of "
                 "Lagrange-d'Alembert let the constraint act as a force. Errors are measured "
                 "against the latter "
                 "motion, so no order is claimed; against vakonomic motions it is 2 "
                 "(tests/cli/test_vakonomic.py). The map is symplectic in q and P.\nmultiplier is "
                 "mu of each "
                 "constraint at the start, on which the motion depends; p in the result is M v.",
             .source = "V. Arnold, V. Kozlov, A. Neishtadt, Mathematical Aspects of Classical and "
                       "Celestial Mechanics "
                       "(2006), 1.4; discretised as R. Benito, D. Martin de Diego, Discrete "
                       "vakonomic mechanics, J. Math. "
                       "Phys. 46 (2005) 083521",
             .signature = "vakonomic(multiplier=0)",
             .example = "vakonomic"},
    .steps = CST_STEPS_ALL,
    .needs = CST_NONHOLONOMIC,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
