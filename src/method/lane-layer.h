/* lane-layer.h: a one-step layer as lane code reads it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_LAYER_H
#define CST_LANE_LAYER_H
#include "constella/system.h"

/* A tableau a[stages][stages], b[stages], or kernels of formulas (method/flow.h), called with `self`. */
typedef struct {
  int                stages, implicit;
  const double      *a, *b;
  cst_kernel *const *flow; /* NULL: use the tableau */
  const void        *self;
} cst_lane_layer;

/* The time of stage i as a fraction of the step: the sum of row i. */
static inline double cst_stage_time(const cst_lane_layer *x, int i) {
  double c = 0;
  for (int l = 0; l < x->stages; l++)
    c += x->a[i * x->stages + l];
  return c;
}
#endif
