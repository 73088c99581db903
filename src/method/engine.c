/* engine.c: semi-implicit-euler(erp=, post=0) and linearly-implicit-euler(erp=): the steps of physics
 * engines for games, robots and reinforcement learning.
 *
 *   N (v1 - v0) = h (f(q0, v0) - G(q0)'lambda),   G(q0) v1 = -(erp/h) g(q0),   q1 = q0 + h v1
 *
 * N = M, or M - h D_v f for linearly-implicit-euler, where damping and gyroscopic forces are stiff. erp,
 * the error reduction parameter, is the share of g that a step takes away to first order; post=1 corrects
 * q1 by one step of Newton's method on g = 0 along M^-1 G'.
 *
 * The constraint holds on the tangent plane at q0: with erp = 0 |g| grows like T h, with erp > 0 it tends
 * to h^2 v'G_q v/(2 erp). G(q1) v1 is O(h). lambda is of order 1 from the second step on; that of the
 * first step lacks v'G_q v, since v0 satisfies the constraint at q0.
 *
 * Without constraints and with a constant mass semi-implicit-euler is symplectic Euler. Source: Baraff 1996;
 * Erez, Tassa, Todorov 2015; Todorov, Erez, Tassa 2012. Arithmetic: core/engine.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/symmetry.h"
#include "method/method.h"
#include "method/substep.h"

static bool is_linear(const cst_term *t) { return *t->name == 'l'; }

typedef struct {
  double erp;
  int    post;
} values;

static const char *const posts[] = {"0", "1", NULL};

#define ERP(example)                                                                               \
  {                                                                                                \
    "", "erp", CST_BY_NAME, NULL, NULL, "", example, "the share of g that a step takes away",      \
        .value = {                                                                                 \
          CST_VALUE_NUMBER,                                                                        \
          CST_AT(values, erp),                                                                     \
          0,                                                                                       \
          1                                                                                        \
        }                                                                                          \
  }
static const cst_key arguments[] = {
    ERP("semi-implicit-euler(erp=1)"),
    {"", "post", CST_BY_NAME, NULL, "0", "", "semi-implicit-euler(erp=1, post=1)",
     "corrections of the positions after the step",
     .value = {CST_VALUE_CHOICE, CST_AT(values, post), .words = posts}},
    {0}};
static const cst_key linear_arguments[] = {ERP("linearly-implicit-euler(erp=1)"), {0}};

CST_VALUES_OF_TERM

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool dense = !cst_has(s, CST_MASS_DIAGONAL);
  if (s->nq <= CST_MAX_Q && s->ng <= CST_MAX_G)
    return !is_linear(t) || cst_term_bends(t, s, why, n);
  if (!dense && !(is_linear(t) && s->model->nforce))
    return true;
  snprintf(why, (size_t)n,
           "%s eliminates a full matrix on this system; it takes at most %d coordinates and %d "
           "constraints then, and %s has %d and %d",
           t->name, CST_MAX_Q, CST_MAX_G, s->name, s->nq, s->ng);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  cst_program_add(p, cst_engine(fraction, x.erp, x.post, is_linear(t)));
}

/* A symmetry that turns constraints into each other, as turns of a body about an axis of its own do with orthogonality,
 * leaves them alone only where they hold; here they hold to order h^2, so that its momentum is not kept. */
static bool keeps_momenta(const cst_system *s) {
  return cst_has(s, CST_SEPARABLE) && !cst_system_is_gauged(s) &&
         (!s->ng || cst_symmetry_is_translation(s));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  unsigned claims = 0;
  if (!is_linear(t) && !values_of(t).post && keeps_momenta(s))
    claims |= CST_CLAIM_MOMENTUM;
  if (!is_linear(t) && cst_has(s, CST_SEPARABLE) && !s->ng)
    claims |= CST_CLAIM_SYMPLECTIC | CST_CLAIM_BOUNDED;
  return (cst_properties){.order_q = 1,
                          .order_p = 1,
                          .order_lambda = 1,
                          .claims = claims,
                          .lambda_time = 0,
                          .own_lambda = true};
}

#define NOTES                                                                                      \
  "Constraints hold on the tangent plane at q0. With erp=0 |g| grows in proportion to time and "   \
  "step; with erp > 0 it tends to h^2 v'G_q v/(2 erp).\nlambda is of order 1 from the second "     \
  "step "                                                                                          \
  "on; that of the first step is wrong by v'G_q v."

#define ENGINE(ident, label, text, formulas, more, from, sign, one, table)                         \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info = {.name = label,                                                                      \
               .doc = text,                                                                        \
               .equations = formulas,                                                              \
               .notes = NOTES more,                                                                \
               .source = from,                                                                     \
               .signature = sign,                                                                  \
               .example = one},                                                                    \
      .steps = CST_FORCED | CST_TIMED,                                                             \
      .arguments = table,                                                                          \
      .fits = fits,                                                                                \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
ENGINE(
    semi_implicit_euler, "semi-implicit-euler",
    "Semi-implicit Euler with constraints on the level of velocities, as in physics engines.",
    "M (v1 - v0) = h (f(q0, v0) - G(q0)'lambda),  G(q0) v1 = -(erp/h) g(q0),  q1 = q0 + h v1\n"
    "post=1: q1 := q1 - M^-1 G(q1)'(G M^-1 G')^-1 g(q1)",
    "\npost=1 corrects the positions once after each step; g is then of the size of its square.",
    "Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996; Erez, Tassa, Todorov, "
    "Simulation tools for model-based robotics, ICRA 2015",
    "semi-implicit-euler(erp=, post=0)", "semi-implicit-euler(erp=1)", arguments);
ENGINE(linearly_implicit_euler, "linearly-implicit-euler",
       "Semi-implicit Euler with velocity-dependent forces taken implicitly to first order, as in "
       "physics "
       "engines.",
       "(M - h D_v f)(v1 - v0) = h (f(q0, v0) - G(q0)'lambda),  G(q0) v1 = -(erp/h) g(q0),  q1 = "
       "q0 + h v1",
       "\nD_v f includes the gyroscopic and Coriolis terms of M(q) and a(q). Where f does not "
       "depend on v "
       "the method is semi-implicit-euler.",
       "Todorov, Erez, Tassa, MuJoCo: a physics engine for model-based control, IROS 2012",
       "linearly-implicit-euler(erp=)", "linearly-implicit-euler(erp=1)", linear_arguments);
