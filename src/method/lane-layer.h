/* lane-layer.h: a one-step layer as lane code reads it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_LAYER_H
#define CST_LANE_LAYER_H
#include "constella/system.h"

/* A tableau a[stages][stages], b[stages], or its flow kernels (method/flow.h), interpreted with `self`. */
typedef struct {
  int                stages, implicit;
  const double      *a, *b;
  cst_kernel *const *flow; /* NULL: the tableau */
  const void        *self;
} cst_lane_layer;
#endif
