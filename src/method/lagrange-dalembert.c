/* lagrange-dalembert.c: lagrange-dalembert(LAYER, bias=b): makes a one-step method into an integrator of
 * the Lagrange-d'Alembert principle, for constraints on velocities, nonconservative forces, and explicit
 * time dependence.
 *
 *   Theta(w) = D L_h(w) + sum over the layer's quadrature of
 *                         h alpha b_i (F - phi'lambda)(Q_i, V_i, t_i) . D Q_i
 *   Theta = p+ D(P d+) - p- D(P d-) + nu1 [G, 0] + nu2 [v'D2g, G]
 *   phi(q) v + phi0(q) = 0 at w,   B'(p- - pb) = 0,   B a basis of ker [G; phi] at the left end
 *
 * lambda is that of the equations of motion on all of TQ, which keep phi v + phi0. Without constraints on
 * velocities it is the forced form of convert(...). Source: C. Cuell, thesis, chapters 4 to 6. Arithmetic:
 * core/convert.c, core/convert-newton.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"

typedef struct {
  cst_term *layer;
  double    bias;
  bool      of_w;
} values;

static const char *const states[] = {"p", "w", NULL};

static const cst_key arguments[] = {
    {"", "LAYER", CST_BY_PLACE, NULL, NULL, "", "lagrange-dalembert(rk4, bias=-0.5)", "a layer",
     .value = {CST_VALUE_LAYER, CST_AT(values, layer)}},
    {"", "bias", CST_BY_NAME, NULL, "0", "", "lagrange-dalembert(rk4, bias=-0.5)",
     "places w at the time -bias h in the step; -1/2 makes the method symmetric",
     .value = {CST_VALUE_NUMBER, CST_AT(values, bias), -1, 0}},
    {"", "state", CST_BY_NAME, NULL, "p", "", "lagrange-dalembert(rk4, state=w)",
     "what the method keeps besides q, or in place of q and p",
     .value = {CST_VALUE_CHOICE, CST_AT(values, of_w), .words = states}},
    {0}};

CST_VALUES_OF_TERM

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const values    x = values_of(t);
  const cst_term *l = x.layer;
  if (x.of_w && cst_has(s, CST_TIMED)) {
    snprintf(why, (size_t)n,
             "lagrange-dalembert(LAYER, state=w) is for systems without forces or time dependence, "
             "and %s has them",
             s->name);
    return false;
  }
  if (x.of_w && (s->nq > CST_MAX_Q || s->ng > CST_MAX_G)) {
    snprintf(why, (size_t)n,
             "lagrange-dalembert(LAYER, state=w) solves with full matrices of at most %d "
             "coordinates and %d constraints, and %s has %d and %d",
             CST_MAX_Q, CST_MAX_G, s->name, s->nq, s->ng);
    return false;
  }
  if (s->model->nvel && (s->nq > CST_MAX_Q || s->ng > CST_MAX_G)) {
    snprintf(why, (size_t)n,
             "lagrange-dalembert with constraints on velocities solves for variations of all "
             "coordinates with full matrices, of at most %d coordinates and %d constraints, and %s "
             "has %d and %d; discrete-lagrange-dalembert(reversible) and layers step it",
             CST_MAX_Q, CST_MAX_G, s->name, s->nq, s->ng);
    return false;
  }
  if (s->nq <= CST_MOST_CONVERTED && s->ng <= CST_MOST_CONVERTED)
    return cst_term_fits(l, s, why, n) && cst_convert_fits(l, s, why, n);
  snprintf(why, (size_t)n,
           "lagrange-dalembert takes at most %d coordinates and constraints, and %s has %d and %d",
           CST_MOST_CONVERTED, s->name, s->nq, s->ng);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  cst_layer    l = {0};
  cst_term_layer(x.layer, &l);
  cst_program_add(p, x.of_w ? cst_convert_of_w(fraction, &l, &l, x.bias)
                            : cst_substep_convert(fraction, &l, &l, x.bias, false));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const values v = values_of(t);
  int          order = v.of_w ? cst_layer_order(v.layer, s) : cst_layer_converted_order(v.layer, s);
  unsigned     claims = CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
  if (v.bias == -0.5) {
    order += order % 2;
    claims |= CST_CLAIM_SYMMETRIC;
  }
  cst_properties x = cst_layer_properties(order, claims);
  x.tangential = s->model->nvel == 0 && !v.of_w;
  return x;
}

const cst_method_row cst_method_row_lagrange_dalembert = {
    .info =
        {.name = "lagrange-dalembert",
         .doc = "Any one-step layer made into an integrator of the Lagrange-d'Alembert "
                "principle, of the "
                "same order: constraints on velocities, forces, time.",
         .equations =
             "R_t: the layer's step for M A = f - G'lambda - phi'lambda, phi A = -D(phi v + "
             "phi0)[v];  b: "
             "the bias;  P: the projection on g = 0\n"
             "d-(w) = R^q_{hb}(w),  d+(w) = R^q_{h(1+b)}(w),  L_h(w) = R^S_{h(1+b)}(w) - "
             "R^S_{hb}(w),  w = "
             "(q, v)\n"
             "Theta(w) = D L_h(w) + sum h alpha b_i (F - phi'lambda)(Q_i, V_i, t_i) . D Q_i\n"
             "from (q0, p0) find w and p+ with\n"
             "  q0 = P(d-(w)),  phi(q) v + phi0(q) = 0,  Theta = p+ D(P d+) - p- D(P d-) along "
             "TQ,  B'(p- - "
             "p0) = 0, B a basis of ker [G; phi](q0)\n"
             "then q1 = P(d+(w)), and p1 = M v + a with G v = 0, phi v + phi0 = 0, B'(p1 - p+) "
             "= 0 at q1",
         .notes =
             "The state is q and p = M v + a; the part of p that constraint forces change has "
             "no meaning, "
             "and is chosen such that v satisfies the constraints.\nstate=w keeps w = (q, v) "
             "in place of q "
             "and p, as the source does: a run starts at w = (q0, v0) and is read there; the "
             "steps are the "
             "same, seen from another of their points, where both constraints hold. For systems "
             "without forces and time dependence.\nThe order is that of the layer for any bias "
             "from -1 to 0; "
             "b = -1/2 makes "
             "the method its own adjoint and gains one order over an odd layer. g, G v and phi "
             "v + phi0 are "
             "0 to round-off. Nothing symplectic is claimed: docs/nonholonomic.md says what is "
             "kept.\nWithout constraints on velocities it is the forced form of convert(LAYER, "
             "bias=b), and "
             "without forces it is that method. Layers must be tableaus if there are forces, "
             "and tableaus or "
             "taylor-curve(p) if there are constraints on velocities.",
         .source = "C. L. Cuell, Lagrange-d'Alembert integrators, thesis, University of "
                   "Saskatchewan 2007; "
                   "in the form for any layer",
         .signature = "lagrange-dalembert(LAYER, bias=0, state=p)",
         .example = "lagrange-dalembert(rk4)"},
    .steps = CST_NONHOLONOMIC | CST_FORCED | CST_TIMED,
    .arguments = arguments,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
