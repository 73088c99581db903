/* convert.c: convert(LAYER, bias=b) and convert(minus=LAYER1, plus=LAYER2, bias=b): makes a one-step method
 * into a constrained variational integrator of the same order.
 *
 * The discrete Lagrangian L_h(w) = R^S_{h(1+b)}(w) - R^S_{hb}(w), w in TQ, is the layer's own action between
 * the points that the layer reaches from w backward and forward. Its Euler-Lagrange equations, with both
 * points projected onto g = 0, define the step. It is symplectic for any layer, has the order of the layer,
 * and preserves momenta if the layer is equivariant, which a user's formulas need not be. With b = -1/2 and
 * one layer for both halves the method is its own adjoint, so odd orders gain one. In general the adjoint
 * exchanges the halves, and b with -1 - b. Source: Patrick, Cuell, Spiteri, Zhang. The paper's half step that
 * "ends at w and is done by the adjoint" is convert(minus=adjoint(L), plus=L); it does not raise an odd
 * order. Arithmetic: core/convert.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/texts/map.h"
#include "method/layer.h"
#include "method/symmetry.h"

typedef struct {
  cst_term *one, *minus, *plus; /* layers */
  double    bias;
  cst_term *iota;
} values;

static const cst_key arguments[] = {
    {"", "LAYER", CST_BY_PLACE, NULL, "minus and plus", "", "convert(rk4, bias=-0.5)",
     "a layer, or minus= and plus=", .value = {CST_VALUE_METHOD, CST_AT(values, one)}},
    {"", "minus", CST_BY_NAME, NULL, "LAYER", "", "convert(minus=heun, plus=rk4)",
     "a layer for the way back to the left end of the step",
     .value = {CST_VALUE_METHOD, CST_AT(values, minus)}},
    {"", "plus", CST_BY_NAME, NULL, "LAYER", "", "convert(minus=heun, plus=rk4)",
     "a layer for the way on to the right end", .value = {CST_VALUE_METHOD, CST_AT(values, plus)}},
    {"", "bias", CST_BY_NAME, NULL, "0", "", "convert(rk4, bias=-0.5)",
     "places w at the time -bias h in the step; -1/2 makes the method symmetric",
     .value = {CST_VALUE_NUMBER, CST_AT(values, bias), -1, 0}},
    {"", "iota", CST_BY_NAME, "euclidean, mass, a name of the key iotas, or {fibre: EXPRESSION}",
     "euclidean", "", "convert(rk4, iota=mass)", "the fibres along which points are projected",
     .value = {CST_VALUE_OWN, CST_AT(values, iota)}},
    {0}};

CST_VALUES_OF_TERM

static bool is_word(const cst_term *x, const char *word) {
  return x->kind == CST_TERM_NAME && x->n == 0 && !strcmp(x->name, word);
}

/* iota from text; NULL: none. */
static const cst_text *iota_of(const cst_term *t) {
  const cst_term *x = values_of(t).iota;
  return x ? x->text : NULL;
}

static bool by_mass(const cst_term *t) {
  const cst_term *x = values_of(t).iota;
  return x && !x->text && is_word(x, "mass");
}

/* The layer of a half. P after project(LAYER) changes nothing, and P along Dg' is that projection. */
static const cst_term *half(const cst_term *l) {
  return strcmp(l->name, "project") ? l : l->arg[0];
}
static const cst_term *minus_of(const cst_term *t) {
  const values x = values_of(t);
  return half(x.one ? x.one : x.minus);
}
static const cst_term *plus_of(const cst_term *t) {
  const values x = values_of(t);
  return half(x.one ? x.one : x.plus);
}
static double bias_of(const cst_term *t) { return values_of(t).bias; }

static bool projects(const cst_term *t) {
  const values    x = values_of(t);
  const cst_term *l[] = {x.one, x.minus, x.plus};
  for (int k = 0; k < 3; k++)
    if (l[k] && !strcmp(l[k]->name, "project"))
      return true;
  return false;
}

static bool check_layer(const cst_term *l, cst_expr_error *e) {
  return cst_term_layer(half(l), &(cst_layer){0}) ||
         cst_term_error(l, e,
                        "'%s' is not a layer; convert takes a one-step layer such as euler, heun, "
                        "rk4, gauss(2)",
                        l->name);
}

static bool check(const cst_term *t, cst_expr_error *e) {
  const values x = values_of(t);
  cst_term    *iota = x.iota;
  if (!x.one == !(x.minus || x.plus) || (!x.one && !x.minus != !x.plus))
    return cst_term_error(
        t, e, "convert takes one layer, or both minus= and plus=: convert(rk4, bias=-0.5)");
  if (iota && !is_word(iota, "euclidean") && !is_word(iota, "mass") && !cst_term_iota(iota, e))
    return false;
  if (x.one ? !check_layer(x.one, e) : !check_layer(x.minus, e) || !check_layer(x.plus, e))
    return false;
  return !(by_mass(t) || iota_of(t)) || !projects(t) ||
         cst_term_error(iota, e, "project(LAYER) projects along Dg'; write iota= with LAYER alone");
}

bool cst_convert_fits(const cst_term *layer, const cst_system *s, char *why, int n) {
  cst_layer l = {0};
  cst_term_layer(layer, &l);
  const char *work = cst_trait_among(s, CST_NONHOLONOMIC | CST_FORCED);
  if (!l.rule || !work || (l.rule->work && !s->model->nforce))
    return true;
  snprintf(why, (size_t)n,
           "%s has %s, whose work is summed over the stages of a tableau; the formulas of %s do "
           "not give it",
           s->name, work, layer->name);
  return false;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->nq > CST_MOST_CONVERTED || s->ng > CST_MOST_CONVERTED) {
    snprintf(why, (size_t)n,
             "convert takes at most %d coordinates and constraints, and %s has %d and %d",
             CST_MOST_CONVERTED, s->name, s->nq, s->ng);
    return false;
  }
  if (!cst_term_bends(t, s, why, n))
    return false;
  if (by_mass(t) && !cst_has(s, CST_CONSTRAINED | CST_SEPARABLE)) {
    snprintf(why, (size_t)n,
             s->ng
                 ? "iota=mass needs a constant diagonal mass, no gyroscopic term, no forces and no "
                   "dependence on time, and %s has others"
                 : "iota=mass is a projection on constraints, and %s has none",
             s->name);
    return false;
  }
  if (iota_of(t) && !cst_iota_fits(iota_of(t), s, why, n))
    return false;
  if (projects(t) && s->ng == s->model->nvel) {
    snprintf(why, (size_t)n, "project needs constraints on positions and %s has none", s->name);
    return false;
  }
  if (!cst_term_fits(minus_of(t), s, why, n) || !cst_term_fits(plus_of(t), s, why, n))
    return false;
  return cst_convert_fits(minus_of(t), s, why, n) && cst_convert_fits(plus_of(t), s, why, n);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer minus = {0}, plus = {0};
  cst_term_layer(minus_of(t), &minus);
  cst_term_layer(plus_of(t), &plus);
  cst_program_add(p, iota_of(t)
                         ? cst_convert_along(fraction, &minus, &plus, bias_of(t), iota_of(t))
                         : cst_substep_convert(fraction, &minus, &plus, bias_of(t), by_mass(t)));
}

static bool own_adjoint(const cst_term *t) {
  cst_layer minus = {0}, plus = {0};
  cst_term_layer(minus_of(t), &minus);
  cst_term_layer(plus_of(t), &plus);
  return bias_of(t) == -0.5 && cst_program_same_layer(&minus, &plus);
}

/* The action is taken between the layer's points. A gauge F would have to be integrated exactly by the layer
 * and be equal at a point and at its Euclidean projection, which commutes only with rigid motions. The
 * symmetries of a constant mass are motions that are rigid in its metric. Fibres from text need not be
 * equivariant. */
static bool keeps_momenta(const cst_term *t, const cst_system *s) {
  return !iota_of(t) && !cst_system_is_gauged(s) &&
         (s->ng == 0 || by_mass(t) || cst_symmetry_is_rigid(s));
}

/* True if neither half consists of formulas that are not equivariant. */
static bool equivariant(const cst_term *t) {
  cst_layer minus = {0}, plus = {0};
  cst_term_layer(minus_of(t), &minus);
  cst_term_layer(plus_of(t), &plus);
  return (!minus.rule || minus.rule->equivariant) && (!plus.rule || plus.rule->equivariant);
}

/* A half of length 0 does not count. */
static int order_of(const cst_term *t, const cst_system *s) {
  const int    minus = cst_layer_converted_order(minus_of(t), s);
  const int    plus = cst_layer_converted_order(plus_of(t), s);
  const double b = bias_of(t);
  if (b == 0)
    return plus;
  if (b == -1)
    return minus;
  return minus < plus ? minus : plus;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  int      order = order_of(t, s);
  unsigned claims =
      CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED;
  if (equivariant(t) && keeps_momenta(t, s))
    claims |= CST_CLAIM_MOMENTUM;
  if (own_adjoint(t)) {
    order += order % 2;
    claims |= CST_CLAIM_SYMMETRIC;
  }
  cst_properties x = cst_layer_properties(order, claims);
  x.tangential = !by_mass(t) && !iota_of(t);
  return x;
}

const cst_method_row cst_method_row_convert = {
    .info =
        {.name = "convert",
         .doc =
             "Any one-step layer made into a constrained variational integrator of the same order.",
         .equations =
             "R_t: the layer's step for q' = v, v' = A(q, v), S' = L;  b: the bias;  P: the "
             "projection on g = 0 along Dg'\n"
             "d-(w) = R^q_{hb}(w),  d+(w) = R^q_{h(1+b)}(w),  L_h(w) = R^S_{h(1+b)}(w) - "
             "R^S_{hb}(w),  w = (q, v) in TQ\n"
             "from (q0, p0) with Dg p0 = 0 find w and mu+ with\n"
             "  q0 = P(d-(w)),  D L_h(w) = mu+ D d+(w) - mu- D d-(w) along TQ,  mu- = DP'p0\n"
             "then q1 = P(d+(w)), and p1 with Dg p1 = 0 and mu+ = DP'p1",
         .notes =
             "The state is (q, p) on T*Q, p tangential. A run starts from q0 and the "
             "tangential part of "
             "M v0 + a at t = 0; v is computed from p.\nThe bias, from -1 to 0, places w at "
             "the time t = "
             "-b h in the step; the order is that of the layer for every bias. b = -1/2 makes "
             "the method "
             "its own adjoint and gains one order over an odd layer: convert(rk3, bias=-0.5) "
             "has order "
             "4.\nconvert(minus=L1, plus=L2, bias=b) takes L1 back to the left end of the "
             "step and L2 on "
             "to the right end. With minus=adjoint(L), plus=L the half that ends in w is a "
             "step of L "
             "itself; it is not the adjoint of the other half, and gains nothing.\niota=mass "
             "projects "
             "orthogonally in the mass metric, d = q + M^-1 Dg(q)'theta, in place of along Dg'; "
             "iota=NAME along fibres d = iota(q, theta) under the study's key iotas, any that lead "
             "away from g = 0 at theta = 0; momenta are then kept if the fibres have their "
             "symmetry, which is not claimed. p is M v in both. convert(project(LAYER)) is "
             "convert(LAYER): the points of a layer "
             "that projects are those that P projects, and its action is the same.\nA study's "
             "`solver: "
             "{iteration: ...}` is simplified (first variations of the layer; the "
             "default), "
             "newton (second variations), chord (the paper's) or krylov (newton without a "
             "matrix; the "
             "default for large systems); with iota=NAME it is always newton.",
         .source =
             "G. W. Patrick, C. Cuell, R. J. Spiteri, W. Zhang, On converting any one-step method "
             "to a variational integrator of the same order, University of Saskatchewan",
         .signature = "convert(LAYER, bias=0, iota=euclidean)",
         .example = "convert(rk4)"},
    .arguments = arguments,
    .check = check,
    .steps = CST_FORCED | CST_TIMED,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
