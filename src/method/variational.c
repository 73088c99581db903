/* variational.c: variational methods with one force and one drift, with constraints: symplectic Euler A and
 * B, SHAKE, RATTLE and the midpoint rule.
 *
 *   p0 = M(q1-q0)/h + w0 h grad V(q0) + G(q0)'L,   p1 = M(q1-q0)/h - w1 h grad V(q1) - G(q1)'m
 *
 * with g(q1) = 0 and G(q1) M^-1 p1 = 0. Weights (w0, w1) = (1, 0): A; (0, 1): B, its adjoint; (1/2, 1/2):
 * RATTLE. The midpoint rule, L_d = h L((q0+q1)/2, (q1-q0)/h), has h/2 grad V((q0+q1)/2) in both places, and
 * is RATTLE if V is linear. Source: Barbero-Linan, Martin de Diego, Sato Martin de Almagro, A new
 * perspective on symplectic integration of constrained mechanical systems via discretization maps, section
 * 5, with the sign M A = f - G' lambda.
 *
 * SHAKE is RATTLE without the last projection, m = 0. The positions are those of RATTLE, because the next
 * impulse absorbs the part that was not projected; L / h is therefore the multiplier at the left end of a
 * step (in the first step, which starts from a tangent p, L is half of that). p is of order 1 and G M^-1 p
 * is O(h). On T*N the map pulls dp ^ dq back as RATTLE does: the difference G'm contributes dm ^ G dq = 0.
 * Source: Ryckaert, Ciccotti, Berendsen 1977.
 *
 * discretization(theta=) evaluates the force at q_m = q0 + theta (q1 - q0), with weight 1 - theta on the
 * left side and theta on the right: L_d = h L(q_m, (q1-q0)/h). It is A, the midpoint rule and B at theta =
 * 0, 1/2 and 1; its adjoint has 1 - theta. discretization(map=) takes any map of the user (map.h):
 * L_d(q0, q1) = h L(q, w/h) where (left, right)(q, w) = (q0, q1). With retraction= the map is (R(q, -theta
 * v), R(q, (1-theta) v)) for a point R(q, v) of the user.
 *
 * Arithmetic: core/kick.c and core/midpoint.c; with a mass that depends on q or with a(q), core/lagrange.c;
 * with form=null-space, core/null-space.c; with map=, core/mapped.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "method/families.h"
#include "method/texts/map.h"

/* Where the force acts: with weights w0 h and w1 h at the two ends of the drift, or inside it at theta;
 * tangent: p1 is projected. */
static const struct weights {
  const char *name;
  double      w0, w1;
  bool        inside;
  double      theta;
  bool        tangent;
} table[] = {
    {"euler-a", .w0 = 1, .tangent = true},
    {"euler-b", .w1 = 1, .tangent = true},
    {"midpoint", .inside = true, .theta = 0.5, .tangent = true},
    {"shake", .w0 = 0.5, .w1 = 0.5},
    {"rattle", .w0 = 0.5, .w1 = 0.5, .tangent = true},
    {"discretization", .inside = true, .tangent = true},
};

typedef struct {
  double    theta; /* NAN: not given */
  bool      null_space;
  cst_term *map, *retraction;
} values;

static const char *const forms[] = {"multipliers", "null-space", NULL};

#define FORM_OF(example)                                                                           \
  {                                                                                                \
    "", "form", CST_BY_NAME, NULL, "multipliers", "", example,                                     \
        "what the equations have: multipliers, or a basis of ker G", .value = {                    \
          CST_VALUE_CHOICE,                                                                        \
          CST_AT(values, null_space),                                                              \
          .words = forms                                                                           \
        }                                                                                          \
  }
static const cst_key arguments_of_family[] = {
    {"", "theta", CST_BY_NAME, NULL, "required without map; 0 with retraction", "",
     "discretization(theta=0.25)", "the position of the force in the step",
     .value = {CST_VALUE_NUMBER, CST_AT(values, theta), 0, 1, .rule = true},
     .called = "theta, the position of the force in the step,"},
    FORM_OF("discretization(theta=0.25, form=null-space)"),
    {"", "map", CST_BY_NAME, "a name of the key maps, or {left: EXPRESSION, right: EXPRESSION}",
     "none", "", "discretization(map={left: q, right: q + v})", "of the study, in place of theta",
     .value = {CST_VALUE_OWN, CST_AT(values, map)}},
    {"", "retraction", CST_BY_NAME, "a name of the key retractions, or {point: EXPRESSION}", "none",
     "", "discretization(retraction={point: q + v})", "of the study",
     .value = {CST_VALUE_OWN, CST_AT(values, retraction)}},
    {0}};

static values values_of(const cst_term *t) {
  values x = {.theta = NAN};
  cst_term_read(t, &x);
  return x;
}

static const cst_text *map_of(const cst_term *t) {
  const values x = values_of(t);
  return x.map ? x.map->text : x.retraction ? x.retraction->text : NULL;
}

static struct weights weights(const cst_term *t) {
  const struct weights *w = table;
  const double          theta = values_of(t).theta;
  while (strcmp(w->name, t->name))
    w++;
  struct weights x = *w;
  if (!isnan(theta))
    x.theta = theta;
  return x;
}

static bool in_null_space(const cst_term *t) { return values_of(t).null_space; }

static bool check_family(const cst_term *t, cst_expr_error *e) {
  const values x = values_of(t);
  const bool   given = !isnan(x.theta);
  if (x.retraction ? x.map != NULL : given == (x.map != NULL))
    return cst_term_error(t, e,
                          "discretization takes theta=, a number from 0 to 1: "
                          "discretization(theta=0.25), perhaps with retraction=, or map=, a map of "
                          "the study");
  if (x.retraction)
    return cst_term_retraction(x.retraction, given ? x.theta : 0, e);
  return !x.map || cst_term_map(x.map, e);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const struct weights w = weights(t);
  if (map_of(t))
    cst_program_add(p, cst_mapped(fraction, map_of(t), in_null_space(t)));
  else if (in_null_space(t))
    cst_program_add(p, cst_null_space(fraction, w.w0, w.w1, w.inside, w.theta, w.tangent));
  else
    cst_program_add(p, w.inside ? cst_midpoint(fraction, w.theta)
                                : cst_kick(fraction, w.w0, w.w1, w.tangent));
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool diagonal = cst_has(s, CST_MASS_DIAGONAL);
  if (map_of(t) && in_null_space(t) && (s->ng == 0 || s->nq > CST_MAX_Q)) {
    snprintf(why, (size_t)n,
             "form=null-space needs constraints and at most %d coordinates, and %s has %d and %d",
             CST_MAX_Q, s->name, s->ng, s->nq);
    return false;
  }
  if (map_of(t))
    return cst_mapping_fits(map_of(t), s, why, n);
  if (!weights(t).tangent && s->ng == 0)
    snprintf(why, (size_t)n, "shake needs constraints and %s has none (there rattle is the same)",
             s->name);
  else if (cst_has(s, CST_MASSLESS) && !weights(t).inside)
    snprintf(why, (size_t)n,
             "%s has coordinates without mass, whose velocities %s would take from the mass at the "
             "ends of a step; midpoint, layers such as rk4, project(LAYER) and gauss(s) do not",
             s->name, t->name);
  else if (in_null_space(t) && (s->model->nforce || !diagonal))
    snprintf(
        why, (size_t)n,
        "form=null-space needs a constant diagonal mass, no gyroscopic term and no forces, and "
        "%s has %s",
        s->name,
        cst_has(s, CST_GYROSCOPIC) ? "a gyroscopic term"
        : !diagonal                ? "another kind of mass"
                                   : "forces");
  else if (in_null_space(t) && s->nq > CST_MAX_Q)
    snprintf(
        why, (size_t)n,
        "form=null-space takes at most %d coordinates, since its matrices are full, and %s has %d",
        CST_MAX_Q, s->name, s->nq);
  else if (!cst_has(s, CST_SEPARABLE) && (s->nq > CST_MOST_FULL || s->ng > CST_MOST_FULL))
    snprintf(why, (size_t)n,
             "%s has %s, and %s then eliminates full matrices of at most %d coordinates and "
             "constraints; there are %d and %d, which layers such as rk4, project(LAYER) and "
             "gauss(s) step",
             s->name, cst_trait_among(s, CST_FORCED | CST_DRIVEN | CST_TIMED), t->name,
             CST_MOST_FULL, s->nq, s->ng);
  else
    return (!weights(t).inside && !in_null_space(t)) || cst_term_bends(t, s, why, n);
  return false;
}

/* A map that is its own adjoint gives a symmetric method. Momenta are those whose symmetries the map commutes
 * with; the line does with all linear ones. Where the steps of a map depend on q, so does its modified energy,
 * which then need not stay near the energy of a motion on which an angle grows. */
static cst_properties mapped(const cst_text *m, const cst_system *s) {
  const cst_map_traits *is = cst_map_traits_of(m);
  cst_properties        x = cst_variational(is->symmetric ? 2 : 1, s);
  if (!is->linear)
    x.claims &= ~(unsigned)CST_CLAIM_MOMENTUM;
  if (!is->invariant)
    x.claims &= ~(unsigned)CST_CLAIM_BOUNDED;
  return x;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  if (map_of(t))
    return mapped(map_of(t), s);
  const struct weights w = weights(t);
  if (w.tangent)
    return cst_variational((w.inside ? w.theta == 0.5 : w.w0 == w.w1) ? 2 : 1, s);
  return (cst_properties){.order_q = 2,
                          .order_p = 1,
                          .order_lambda = 2,
                          .claims = CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS |
                                    (cst_system_is_gauged(s) ? 0 : CST_CLAIM_MOMENTUM),
                          .lambda_time = 0,
                          .own_lambda = true,
                          .first_impulse = 0.5};
}

#define MAPS                                                                                       \
  "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization maps), section 5"
#define FORM                                                                                       \
  "form=null-space replaces the equations of the multipliers by projections on a basis of ker G: " \
  "the same "                                                                                      \
  "map, with full matrices, on systems with a constant diagonal mass; with map= or retraction= "   \
  "on any mass."
#define VARIATIONAL(ident, label, text, formulas, from)                                            \
  static const cst_key arguments_of_##ident[] = {FORM_OF(label "(form=null-space)"), {0}};         \
  FAMILY(ident, label, label, label "(form=multipliers)", text, formulas, from,                    \
         arguments_of_##ident, NULL)
#define FAMILY(ident, label, shown, usage, text, formulas, from, rows, test)                       \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info = {.name = label,                                                                      \
               .doc = text,                                                                        \
               .equations = formulas,                                                              \
               .notes = FORM,                                                                      \
               .source = from,                                                                     \
               .signature = usage,                                                                 \
               .example = shown},                                                                  \
      .steps = CST_FORCED | CST_TIMED | CST_DRIVEN | CST_MASSLESS,                                 \
      .arguments = rows,                                                                           \
      .check = test,                                                                               \
      .fits = fits,                                                                                \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
VARIATIONAL(
    euler_a, "euler-a",
    "Symplectic Euler, variant A, with constraints: the force acts at the left end of the step.",
    "p0 = M(q1-q0)/h + h dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - G(q1)'m\n"
    "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
    "with M(q) or a(q):  p0 = L_v(q0, u) - h L_q(q0, u) + G(q0)'L;  p1 = L_v(q0, u) - G(q1)'m\n"
    "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
    MAPS);
VARIATIONAL(
    euler_b, "euler-b",
    "Symplectic Euler, variant B, with constraints: the force acts at the right end of the step; "
    "the "
    "adjoint of euler-a.",
    "p0 = M(q1-q0)/h + G(q0)'L;  p1 = M(q1-q0)/h - h dV(q1) - G(q1)'m\n"
    "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
    "with M(q) or a(q):  p0 = L_v(q1, u) + G(q0)'L;  p1 = L_v(q1, u) + h L_q(q1, u) - G(q1)'m\n"
    "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
    MAPS);
VARIATIONAL(midpoint, "midpoint",
            "Variational midpoint rule with constraints; implicit in the force.",
            "p0 = M(q1-q0)/h + h/2 dV(qm) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(qm) - G(q1)'m\n"
            "qm = (q0+q1)/2, g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(qm, u) - h/2 L_q(qm, u) + G(q0)'L;  p1 = L_v(qm, u) + "
            "h/2 L_q(qm, "
            "u) - G(q1)'m\n"
            "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1",
            MAPS);
VARIATIONAL(shake, "shake",
            "SHAKE: RATTLE's positions; momenta of order 1 that satisfy the hidden constraint only "
            "to O(h).",
            "p0 = M(q1-q0)/h + h/2 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(q1)\n"
            "g(q1) = 0\n"
            "with M(q) or a(q):  p0 = L_v(q0, u) - h/2 L_q(q0, u) + G(q0)'L;  p1 = L_v(q1, w) + "
            "h/2 L_q(q1, w)\n"
            "L_v(q0, u) = L_v(q1, w), u + w = 2(q1-q0)/h, g(q1) = 0",
            "Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977)");
VARIATIONAL(rattle, "rattle",
            "RATTLE: half a kick, a drift on the constraints, half a kick, both constraints kept.",
            "p0 = M(q1-q0)/h + h/2 dV(q0) + G(q0)'L;  p1 = M(q1-q0)/h - h/2 dV(q1) - G(q1)'m\n"
            "g(q1) = 0, G(q1) M^-1 p1 = 0\n"
            "with M(q) or a(q):  p0 = L_v(q0, u) - h/2 L_q(q0, u) + G(q0)'L;  p1 = L_v(q1, w) + "
            "h/2 L_q(q1, w) - "
            "G(q1)'m\n"
            "L_v(q0, u) = L_v(q1, w), u + w = 2(q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + "
            "a(q1) = p1",
            MAPS);
FAMILY(
    discretization, "discretization", "discretization(theta=0.25)",
    "discretization(theta=, form=multipliers), discretization(map=, form=multipliers) or "
    "discretization(retraction=, theta=0, form=multipliers)",
    "Discretization map (q - theta v, q + (1-theta) v) with constraints: euler-a, midpoint, "
    "euler-b at "
    "theta = 0, 1/2, 1; map=: any map (left, right) of the study's key maps; retraction=: the map "
    "(R(q, -theta v), R(q, (1-theta) v)) of its key retractions.",
    "p0 = M(q1-q0)/h + (1-theta)h dV(qm) + G(q0)'L;  p1 = M(q1-q0)/h - theta h dV(qm) - G(q1)'m\n"
    "qm = q0 + theta (q1-q0), g(q1) = 0, G(q1) M^-1 p1 = 0; the adjoint has 1 - theta\n"
    "with M(q) or a(q):  p0 = L_v(qm, u) - (1-theta)h L_q(qm, u) + G(q0)'L;  p1 = L_v(qm, u) + "
    "theta h "
    "L_q(qm, u) - G(q1)'m\n"
    "u = (q1-q0)/h, g(q1) = 0, G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1\n"
    "map=:  p0 = -D1 Ld + G(q0)'L;  p1 = D2 Ld - G(q1)'m;  Ld(q0, q1) = h L(q, w/h) where "
    "(left, right)(q, w) = (q0, q1)",
    MAPS, arguments_of_family, check_family);
