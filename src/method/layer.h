/* layer.h: shared by the one-step layers: Runge-Kutta methods on the index-reduced equations, for comparison.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAYER_H
#define CST_LAYER_H
#include "method/method.h"
#include "method/substep.h"

static inline void cst_layer_add(cst_program *p, double fraction, const cst_tableau *t) {
  cst_program_add(p, cst_rk(fraction, &(cst_layer){.tableau = *t}));
}

static inline void cst_layer_add_rule(cst_program *p, double fraction, const cst_flow_rule *rule) {
  cst_program_add(p, cst_rk(fraction, &(cst_layer){.rule = rule}));
}

static inline int cst_layer_action(const cst_term *layer) {
  cst_layer l = {0};
  cst_term_layer(layer, &l);
  return l.rule ? l.rule->action : 0;
}

/* Order of a conversion of a layer in its points (q, v). A quadrature of the action may limit it. */
static inline int cst_layer_order(const cst_term *layer, const cst_system *s) {
  const int order = cst_term_properties(layer, s).order_q, action = cst_layer_action(layer);
  return action && action < order ? action : order;
}

/* Order in q and p of a conversion of a layer. The exact action along a curve of order p has an error
 * h^(2p+1), because it is stationary at the motion between the curve's ends; the work of constraints on
 * velocities along the curve has an error h^(p+2). */
static inline int cst_layer_converted_order(const cst_term *layer, const cst_system *s) {
  const int order = cst_term_properties(layer, s).order_q, action = cst_layer_action(layer);
  const int curve = s->model->nvel ? order + 1 : 2 * order;
  if (!action)
    return order;
  return action < curve ? action : curve;
}

/* Whether a conversion can sum the work of forces and constraints on velocities over the layer, if s has
 * them. */
bool cst_convert_fits(const cst_term *layer, const cst_system *s, char *why, int n);

/* Properties of a layer; its multipliers are computed from the state. */
static inline cst_properties cst_layer_properties(int order, unsigned claims) {
  return (cst_properties){.order_q = order,
                          .order_p = order,
                          .order_lambda = order,
                          .claims = claims,
                          .lambda_time = 1,
                          .own_lambda = false};
}

/* Properties of a tableau. Quadratic invariants and dp ^ dq are kept if (q, v) -> (q, p) is linear and there
 * are no constraints, which the index-reduced equations also impose off g = 0. */
static inline cst_properties cst_tableau_properties(const cst_tableau *t, const cst_system *s) {
  const double vanishing = 1e-13;
  const bool   kept =
      !s->ng && cst_has(s, CST_SEPARABLE) && cst_tableau_symplectic_defect(t) <= vanishing;
  return cst_layer_properties(
      t->order, (cst_tableau_symmetry_defect(t) <= vanishing ? CST_CLAIM_SYMMETRIC : 0u) |
                    (kept ? CST_CLAIM_MOMENTUM | CST_CLAIM_SYMPLECTIC | CST_CLAIM_BOUNDED : 0u));
}
#endif
