/* lie.c: integrators on the group SO(3)^k x R^m of systems with bodies: symplectic Euler A and B, Lobatto
 * and RATTLE.
 *
 * In body axes, with alpha = I xi the momentum of a body and dV, G the derivatives along R hat(eta); x = h
 * xi, tau the Cayley map or the exponential:
 *
 *   A        alpha0 = (dR tau^-1_x)* I xi + h dV(q0) + G(q0)'L,
 *            R1 = R0 tau(x),  alpha1 = (dL tau^-1_x)* I xi - G(q1)'m
 *   B        alpha0 = (dL tau^-1_-x)* I xi + G(q0)'L,
 *            alpha1 = (dR tau^-1_-x)* I xi - h dV(q1) - G(q1)'m;  the adjoint of A
 *   Lobatto  B with h/2 after A with h/2: (6.4)-(6.7)
 *   RATTLE   R1 = R0 tau(x) tau(y), x = h/2 xi, y = h/2 eta, half the force at either end,
 *            (dL tau^-1_x)* I xi = (dL tau^-1_-y)* I eta: (6.8)-(6.10); without constraints it is Lobatto
 *
 * with g(q1) = 0 for the user's constraints and G v1 = 0. Ordinary coordinates (plain ones and centres)
 * drift with M^-1 p at the same time. Without V, A and B are symmetric too. Source: Barbero-Linan, Martin
 * de Diego, Sato Martin de Almagro, section 6, with the sign p' = -dV - G'lambda. Arithmetic: core/lie.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "method/joints.h"
#include "method/families.h"
#include "method/symmetry.h"
#include "method/texts/map.h"

typedef struct {
  cst_term *retraction;
  double    theta;
  bool      moves; /* turns and displacements are one motion */
} values;

static const char *const groups[] = {"so3", "se3", NULL};

#define RETRACTION_OF(example)                                                                     \
  {                                                                                                \
    "", "retraction", CST_BY_NAME,                                                                 \
        "cayley, exp, a name of the key retractions, or {tangent: EXPRESSION}", "cayley", "",      \
        example, "the map from body velocities to rotations", .value = {                           \
          CST_VALUE_OWN,                                                                           \
          CST_AT(values, retraction)                                                               \
        }                                                                                          \
  }
#define GROUP_OF(example)                                                                          \
  {                                                                                                \
    "", "group", CST_BY_NAME, NULL, "so3", "", example,                                            \
        "in which a body moves; se3 makes its turn and its displacement one motion", .value = {    \
          CST_VALUE_CHOICE,                                                                        \
          CST_AT(values, moves),                                                                   \
          .words = groups                                                                          \
        }                                                                                          \
  }
static const cst_key midpoint_arguments[] = {GROUP_OF("lie-midpoint(group=se3)"), {0}};
static const cst_key stage_arguments[] = {
    {"", "theta", CST_BY_NAME, NULL, NULL, "", "lie-discretization(theta=0.25)",
     "the position of the force in the step",
     .value = {CST_VALUE_NUMBER, CST_AT(values, theta), 0, 1}},
    GROUP_OF("lie-discretization(theta=0.25, group=se3)"),
    {0}};

static bool is(const cst_term *t, const char *name) { return !strcmp(t->name, name); }

static values values_of(const cst_term *t) {
  values x = {.theta = is(t, "lie-euler-a") ? 0 : is(t, "lie-euler-b") ? 1 : 0.5};
  cst_term_read(t, &x);
  return x;
}

static const cst_text *tau_of(const cst_term *t) {
  const cst_term *x = values_of(t).retraction;
  return x ? x->text : NULL;
}

/* Whether it does not treat all axes alike. */
static bool of_axes(const cst_text *tau) { return tau && tau->of.n; }

static bool is_word(const cst_term *x, const char *word) {
  return x->kind == CST_TERM_NAME && !strcmp(x->name, word);
}

static bool exponential(const cst_term *t) {
  const cst_term *x = values_of(t).retraction;
  return x && !x->text && is_word(x, "exp");
}

static bool moves(const cst_term *t) { return values_of(t).moves; }

static double theta_of(const cst_term *t) { return values_of(t).theta; }

static bool check(const cst_term *t, cst_expr_error *e) {
  cst_term *x = values_of(t).retraction;
  if (moves(t) && x && !is_word(x, "exp"))
    return cst_term_error(x, e,
                          "group=se3 steps by the exponential of SE(3); leave retraction= out");
  return !x || is_word(x, "cayley") || is_word(x, "exp") || cst_term_tau(x, e);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const bool      exp = exponential(t);
  const cst_text *tau = tau_of(t);
  if (moves(t) && is(t, "lie-lobatto")) {
    cst_program_add(p, cst_lie_motion(fraction / 2, 0));
    cst_program_add(p, cst_lie_motion(fraction / 2, 1));
  } else if (moves(t)) {
    cst_program_add(p, cst_lie_motion(fraction, theta_of(t)));
  } else if (is(t, "lie-midpoint") || is(t, "lie-discretization")) {
    cst_program_add(p, cst_lie_stage(fraction, theta_of(t)));
  } else if (of_axes(tau) && is(t, "lie-rattle")) {
    cst_program_add(p, cst_lie_axes_rattle(fraction, tau));
  } else if (of_axes(tau) && is(t, "lie-lobatto")) {
    cst_program_add(p, cst_lie_axes(fraction / 2, 1, 0, tau));
    cst_program_add(p, cst_lie_axes(fraction / 2, 0, 1, tau));
  } else if (of_axes(tau)) {
    cst_program_add(p, cst_lie_axes(fraction, is(t, "lie-euler-a"), is(t, "lie-euler-b"), tau));
  } else if (is(t, "lie-rattle")) {
    cst_program_add(p, cst_lie_rattle(fraction, exp, tau));
  } else if (is(t, "lie-lobatto")) {
    cst_program_add(p, cst_lie(fraction / 2, 1, 0, exp, tau));
    cst_program_add(p, cst_lie(fraction / 2, 0, 1, exp, tau));
  } else {
    const bool left = is(t, "lie-euler-a");
    cst_program_add(p, cst_lie(fraction, left, !left, exp, tau));
  }
}

/* True if the kinetic energy depends on q. */
static bool mass_depends(const cst_system *s) {
  const int n = (int)cst_system_masses(s);
  for (int i = 0; i < n; i++)
    if (cst_graph_degree(s->model->graph, s->model->mass[i], 'q') != 0)
      return true;
  return false;
}

bool cst_lie_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (!s->model->nbodies)
    snprintf(why, (size_t)n, "%s steps the rotations of `bodies:`, and %s has none", t->name,
             s->name);
  else if (cst_has(s, CST_GYROSCOPIC))
    snprintf(why, (size_t)n, "%s takes no gyroscopic term, and %s has one", t->name, s->name);
  else if (mass_depends(s))
    snprintf(why, (size_t)n,
             "%s needs a constant mass of the coordinates besides the bodies, and that of %s "
             "depends on them",
             t->name, s->name);
  else
    return true;
  return false;
}

static bool is_coupled(const cst_system *s) {
  cst_joints *j = cst_joints_create(s);
  const bool  coupled = j && j->coupled;
  cst_joints_destroy(j);
  return coupled;
}

static const char *not_moved(const cst_system *s) {
  int centres = 0;
  for (int b = 0; b < s->model->nbodies; b++)
    centres += s->model->bodies[b].centre >= 0;
  return s->model->nown          ? "constraints besides those of rotations"
         : cst_has(s, CST_TIMED) ? "a potential that depends on t"
         : !centres              ? "no body with a centre"
         : is_coupled(s)         ? "coupled masses of the coordinates besides the bodies"
                                 : NULL;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (!cst_lie_fits(t, s, why, n))
    return false;
  if (!moves(t) || !not_moved(s))
    return true;
  snprintf(why, (size_t)n, "group=se3 steps free bodies with centres, and %s has %s", s->name,
           not_moved(s));
  return false;
}

/* The multipliers are those of M A = f - G'lambda at the state: a step has none for orthogonality. The
 * exponential of SE(3) commutes with motions of space, not with turns of centres alone; a retraction of axes
 * with turns of space, not with those in the axes of a body. */
static cst_properties properties(const cst_term *t, const cst_system *s) {
  cst_properties x = cst_variational(theta_of(t) == 0.5 ? 2 : 1, s);
  if ((moves(t) && !cst_symmetry_moves_bodies(s)) ||
      (of_axes(tau_of(t)) && !cst_symmetry_turns_space(s)))
    x.claims &= ~(unsigned)CST_CLAIM_MOMENTUM;
  x.own_lambda = false;
  x.lambda_time = 1;
  return x;
}

#define NOTES                                                                                      \
  "retraction=cayley (the default) or retraction=exp is the map tau from body velocities to "      \
  "rotations; a name of the key retractions, or {tangent: t}, is the turn about x with "           \
  "tan(angle/2) = t(s) |x|, s = |x|^2; of three expressions it is the turn by the vector "         \
  "tan(angle/2) = t(x), which need not treat all axes alike.\n"                                    \
  "The unknowns of a step are the velocities of the bodies and the multipliers of the user's "     \
  "constraints; "                                                                                  \
  "the group enforces orthogonality, and after every drift R := R - R (R'R - 1)/2 removes its "    \
  "round-off.\n"                                                                                   \
  "p is M v in the coordinates. The multipliers, also those of orthogonality, are those of "       \
  "M A = f - G'lambda at the end of the step.\n"                                                   \
  "The system has bodies; its other coordinates have a constant mass, and there is no gyroscopic " \
  "term. "                                                                                         \
  "Flat bodies are allowed."
#define GROUP                                                                                      \
  "group=se3 takes the exponential of SE(3), in which the turn of a body and the displacement of " \
  "its centre are one motion, R1 = R0 exp(w), c1 = c0 + R0 (dR exp_w) u, x = (w, u), I and the "   \
  "mass in place of I; the default, group=so3, that of SO(3) x R^3. Then bodies are free: there "  \
  "are no joints, and V does not depend on t."
#define LIE(ident, label, text, formulas, from)                                                    \
  static const cst_key arguments_of_##ident[] = {RETRACTION_OF(label "(retraction=exp)"), {0}};    \
  LIE_OF(ident, label, text, formulas, from, NOTES, "retraction=cayley")
#define MOVING(ident, label, text, formulas, from)                                                 \
  static const cst_key arguments_of_##ident[] = {                                                  \
      RETRACTION_OF(label "(retraction=exp)"), GROUP_OF(label "(group=se3)"), {0}};                \
  LIE_OF(ident, label, text, formulas, from, NOTES "\n" GROUP, "retraction=cayley, group=so3")
#define LIE_OF(ident, label, text, formulas, from, more, options)                                  \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info =                                                                                      \
          {.name = label,                                                                          \
           .doc = text,                                                                            \
           .equations = formulas,                                                                  \
           .notes = more,                                                                          \
           .source =                                                                               \
               "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization maps), "    \
               "section 6" from,                                                                   \
           .signature = label "(" options ")",                                                     \
           .example = label},                                                                      \
      .steps = CST_TIMED | CST_DRIVEN,                                                             \
      .arguments = arguments_of_##ident,                                                           \
      .check = check,                                                                              \
      .fits = fits,                                                                                \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
MOVING(
    lie_euler_a, "lie-euler-a",
    "Symplectic Euler, variant A, on the rotations of bodies: the force acts at the left end.",
    "alpha0 = (dR tau^-1_x)* I xi + h dV(q0) + G(q0)'L;  alpha1 = (dL tau^-1_x)* I xi - G(q1)'m\n"
    "R1 = R0 tau(x), x = h xi, g(q1) = 0, G(q1) v1 = 0",
    "");
MOVING(
    lie_euler_b, "lie-euler-b",
    "Symplectic Euler, variant B, on the rotations of bodies: the force acts at the right end.",
    "alpha0 = (dL tau^-1_-x)* I xi + G(q0)'L;  alpha1 = (dR tau^-1_-x)* I xi - h dV(q1) - G(q1)'m\n"
    "R1 = R0 tau(x), x = h xi, g(q1) = 0, G(q1) v1 = 0",
    "");
MOVING(
    lie_lobatto, "lie-lobatto",
    "The Lobatto IIIA-IIIB pair on the rotations of bodies: lie-euler-b with h/2 after lie-euler-a "
    "with h/2.",
    "lie-euler-b(h/2) o lie-euler-a(h/2)", ", (6.4)-(6.7)");
LIE(lie_rattle, "lie-rattle",
    "RATTLE on the rotations of bodies: half a kick, a drift in two halves, half a kick.",
    "alpha0 = (dR tau^-1_x)* I xi + h/2 dV(q0) + G(q0)'L;  alpha1 = (dR tau^-1_-y)* I eta - h/2 "
    "dV(q1) - "
    "G(q1)'m\n"
    "(dL tau^-1_x)* I xi = (dL tau^-1_-y)* I eta\n"
    "R1 = R0 tau(x) tau(y), x = h/2 xi, y = h/2 eta, g(q1) = 0, G(q1) v1 = 0",
    ", (6.8)-(6.10)");

#define STAGE_EQUATIONS                                                                            \
  "alpha0 = (dR tau^-1_x)* I xi + h (F - K) + G(q0)'L;  R1 alpha1 = R0 ((dR tau^-1_x)* I xi - h "  \
  "K) "                                                                                            \
  "- R1 G(q1)'m\n"                                                                                 \
  "R1 = R0 exp(x), x = h xi, F = dV(R0 exp(theta x)) in the axes of R0, K = theta (dR tau^-1_x)* " \
  "(dR tau_(theta x))* F"
#define STAGED(ident, label, usage, shown, text, table)                                            \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info = {.name = label,                                                                      \
               .doc = text,                                                                        \
               .equations = STAGE_EQUATIONS,                                                       \
               .notes =                                                                            \
                   "tau is the exponential, with which the stages of both ends agree.\n" GROUP,    \
               .source = "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization " \
                         "maps), sections 3 and 6",                                                \
               .signature = usage,                                                                 \
               .example = shown},                                                                  \
      .steps = CST_TIMED | CST_DRIVEN,                                                             \
      .arguments = table,                                                                          \
      .fits = fits,                                                                                \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
STAGED(lie_midpoint, "lie-midpoint", "lie-midpoint(group=so3)", "lie-midpoint",
       "The midpoint rule on the rotations of bodies, by the exponential: the force acts in the "
       "middle of the drift.",
       midpoint_arguments);
STAGED(lie_discretization, "lie-discretization", "lie-discretization(theta=, group=so3)",
       "lie-discretization(theta=0.25)",
       "Discretization map (R exp(-theta x), R exp((1-theta) x)) on the rotations of bodies: "
       "lie-euler-a, lie-midpoint, lie-euler-b with the exponential at theta = 0, 1/2, 1.",
       stage_arguments);
