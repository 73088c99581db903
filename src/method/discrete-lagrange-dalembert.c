/* discrete-lagrange-dalembert.c: discrete-lagrange-dalembert(FORM): integrators from the literature that
 * discretise constraints on velocities directly, for comparison. Arithmetic: core/dalembert.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"

typedef struct {
  int  form;
  bool null_space;
} values;

enum { REVERSIBLE = 1, MOST_UNKNOWNS = 600 }; /* index of the form; of Newton's matrix */
static const char *const forms[] = {"midpoint", "reversible", "leapfrog", NULL};
static const char *const equations[] = {"multipliers", "null-space", NULL};

static const cst_key arguments[] = {
    {"", "FORM", CST_BY_PLACE, NULL, NULL, "",
     "discrete-lagrange-dalembert(reversible, form=null-space)", "the form",
     .value = {CST_VALUE_CHOICE, CST_AT(values, form), .words = forms}},
    {"", "form", CST_BY_NAME, NULL, "multipliers", "",
     "discrete-lagrange-dalembert(reversible, form=null-space)",
     "what the equations have: multipliers, or a basis of the admissible directions",
     .value = {CST_VALUE_CHOICE, CST_AT(values, null_space), .words = equations}},
    {0}};

CST_VALUES_OF_TERM
static bool in_null_space(const cst_term *t) { return values_of(t).null_space; }
static int  form(const cst_term *t) { return values_of(t).form; }

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool others = !cst_has(s, CST_SEPARABLE);
  if (s->ng > s->model->nvel && form(t) != REVERSIBLE)
    snprintf(why, (size_t)n,
             "this form of %s does not support constraints on positions, and %s has some besides "
             "those on velocities; %s(reversible) does",
             t->name, s->name, t->name);
  else if (others && in_null_space(t))
    snprintf(why, (size_t)n,
             "form=null-space of %s needs a constant diagonal mass, and no gyroscopic term, forces "
             "or dependence on time, and %s has others; form=multipliers does not",
             t->name, s->name);
  else if (in_null_space(t) && s->nq > CST_MAX_Q)
    snprintf(
        why, (size_t)n,
        "form=null-space takes at most %d coordinates, since its matrices are full, and %s has %d",
        CST_MAX_Q, s->name, s->nq);
  else if (others && form(t) != REVERSIBLE)
    snprintf(why, (size_t)n,
             "this form of %s needs a constant diagonal mass, and no gyroscopic term, forces or "
             "dependence on time, and %s has others; %s(reversible) does not",
             t->name, s->name, t->name);
  else if (others && (s->nq > CST_MOST_FULL || s->ng > CST_MOST_FULL))
    snprintf(why, (size_t)n,
             "%s eliminates full matrices of at most %d coordinates and constraints on this "
             "system, and %s has %d and %d; layers such as rk4 and project(LAYER) step it",
             t->name, CST_MOST_FULL, s->name, s->nq, s->ng);
  else if (form(t) != REVERSIBLE && s->nq + s->ng > MOST_UNKNOWNS)
    snprintf(why, (size_t)n,
             "this form of %s solves for at most %d unknowns at once, with a full matrix, and %s "
             "has %d; reversible is explicit",
             t->name, MOST_UNKNOWNS, s->name, s->nq + s->ng);
  else
    return true;
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_program_add(p, in_null_space(t) ? cst_dalembert_basis(fraction, form(t))
                                      : cst_dalembert(fraction, form(t)));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  (void)s;
  return cst_layer_properties(2, CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_SYMMETRIC);
}

const cst_method_row cst_method_row_discrete_lagrange_dalembert = {
    .info =
        {.name = "discrete-lagrange-dalembert",
         .doc =
             "Discrete Lagrange-d'Alembert equations with direct discretisations of constraints on "
             "velocities; order 2.",
         .equations =
             "D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) = phi(q_k)'L + G(q_k)'m,  u = (q1 - q0)/h\n"
             "midpoint:    L_d = h L(q_m, u),  phi(q_m) u + phi0(q_m) = 0,  q_m = (q0 + q1)/2\n"
             "reversible:  L_d = h/2 (L(q0, u) + L(q1, u)),  phi(q_k) v_k + phi0(q_k) = 0,  g(q_k) "
             "= 0,\n"
             "             v_k = (q_k+1 - q_k-1)/(2 h) - M^-1 G(q_k)'l,  G(q_k) v_k = 0\n"
             "leapfrog:    L_d as reversible, phi as midpoint; q = (q_k + q_k+1)/2, v = u",
         .notes =
             "A run starts from q0 and M v0; p is D2 L_d plus a constraint force such that phi v + "
             "phi0 = 0. For systems with a constant diagonal mass and without forces. reversible "
             "steps all others too, and has L_q + F in place of L_q; there M v_k + a is the mean "
             "of D2 L_d and -D1 L_d, less G'l.\nreversible also keeps constraints on positions: it "
             "is then the integrator of its source on the manifold g = 0. v_k is the mean of the "
             "velocities on both sides of q_k, projected onto G v = 0; without such constraints "
             "G'l = 0, and the mean itself satisfies phi. The two steps that meet in q_k have the "
             "same impulse of phi there, h/2 phi'k, but impulses of G of their own, as those of "
             "RATTLE.\nmidpoint is the form of Cortes and Martinez, reversible the "
             "geometric "
             "nonholonomic integrator of Ferraro, Iglesias and Martin de Diego (nonholonomic "
             "RATTLE), "
             "leapfrog the reversible method of McLachlan and Perlmutter.\nform=null-space has "
             "equations on a basis of the admissible directions instead of multipliers: the same "
             "map, with full matrices, on systems with a constant diagonal mass.",
         .source =
             "J. Cortes, S. Martinez, Non-holonomic integrators, Nonlinearity 14 (2001) 1365; R. "
             "McLachlan, M. Perlmutter, Integrators for nonholonomic mechanical systems, J. "
             "Nonlinear "
             "Sci. 16 (2006) 283; S. Ferraro, D. Iglesias, D. Martin de Diego, Momentum and energy "
             "preserving integrators for nonholonomic dynamics, Nonlinearity 21 (2008) 1911",
         .signature = "discrete-lagrange-dalembert(FORM, form=multipliers)",
         .example = "discrete-lagrange-dalembert(reversible)"},
    .steps = CST_STEPS_ALL,
    .needs = CST_NONHOLONOMIC,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
