/* layer.h: what the one-step layers share: Runge-Kutta methods on the index-reduced equations, written for comparison. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAYER_H
#define CST_LAYER_H
#include "method/method.h"

static inline void cst_layer_add(cst_program *p, double fraction, const cst_tableau *t) {
  cst_program_add(p, (cst_instruction){.core = CST_CORE_rk, .fraction = fraction, .tableau = *t});
}

/* Orders of a layer; its multipliers come from the state. */
static inline cst_properties cst_layer_properties(int order, unsigned claims) {
  return (cst_properties){
      .order_q = order, .order_p = order, .order_lambda = order, .claims = claims, .lambda_time = 1, .own_lambda = false};
}
#endif
