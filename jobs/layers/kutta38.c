/* kutta38.c: Kutta's 3/8 rule, order 4 (Kutta 1901), as an example of a one-step method of one's own. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/layer.h"

enum { STAGES = 4 };
static const double a[STAGES][STAGES] = {{0}, {1. / 3}, {-1. / 3, 1}, {1, -1, 1}},
                    b[STAGES] = {1. / 8, 3. / 8, 3. / 8, 1. / 8};

static void step(const cst_layer_step *s) {
  cst_node Q[STAGES][s->n], V[STAGES][s->n], A[STAGES][s->n];
  cst_layer_copy(s, s->q, s->q1);
  cst_layer_copy(s, s->v, s->v1);
  *s->S = s->number(s, 0);
  for (int i = 0; i < STAGES; i++) {
    cst_layer_copy(s, s->q, Q[i]);
    cst_layer_copy(s, s->v, V[i]);
    for (int j = 0; j < i; j++) {
      cst_layer_axpy(s, cst_layer_part(s, a[i][j]), V[j], Q[i]);
      cst_layer_axpy(s, cst_layer_part(s, a[i][j]), A[j], V[i]);
    }
    s->acceleration(s, Q[i], V[i], A[i]);
    cst_layer_axpy(s, cst_layer_part(s, b[i]), V[i], s->q1);
    cst_layer_axpy(s, cst_layer_part(s, b[i]), A[i], s->v1);
    *s->S = s->add(s, *s->S, s->mul(s, cst_layer_part(s, b[i]), s->lagrangian(s, Q[i], V[i])));
  }
}

const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "kutta38", 4, "Kutta's 3/8 rule.",
                                         step};
