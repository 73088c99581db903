/* identity.c: a layer under which nothing moves: a control that changes no two-form, and is frozen. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/layer.h"

static void step(const cst_layer_step *s) {
  cst_layer_copy(s, s->q, s->q1);
  cst_layer_copy(s, s->v, s->v1);
  *s->S = s->lagrangian(s, s->q, s->v);
}
const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "identity", 1, "Nothing moves.", step};
