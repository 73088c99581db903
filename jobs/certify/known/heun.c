/* heun.c: Heun's method with 0.49999 in place of one weight 1/2: it is not consistent. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/layer.h"

static void step(const cst_layer_step *s) {
  cst_node A[s->n], B[s->n], w[s->n], half = cst_layer_part(s, 0.5),
                                      odd = cst_layer_part(s, 0.49999);
  s->acceleration(s, s->q, s->v, A);
  cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, s->t, s->v, s->q1);
  cst_layer_copy(s, s->v, w), cst_layer_axpy(s, s->t, A, w);
  s->acceleration(s, s->q1, w, B);
  *s->S = s->mul(s, half, s->add(s, s->lagrangian(s, s->q, s->v), s->lagrangian(s, s->q1, w)));
  cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, half, s->v, s->q1),
      cst_layer_axpy(s, odd, w, s->q1);
  cst_layer_copy(s, s->v, s->v1), cst_layer_axpy(s, half, A, s->v1),
      cst_layer_axpy(s, odd, B, s->v1);
}

const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "heun-off", 2,
                                         "Heun's method, a digit off.", step};
