/* convert-data.h: the data of a substep of convert(...) that lane code reads. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONVERT_DATA_H
#define CST_CONVERT_DATA_H
#include "constella/method.h"
#include "method/lane-iota.h"
#include "method/lane-layer.h"

struct data {
  double         bias;     /* alpha- */
  cst_lane_layer layer[2]; /* of the minus and of the plus half */
  int            iteration;
  int            of_w;    /* q and p of the record are those of w: convert-state.h */
  int            by_mass; /* P is orthogonal in the metric M */
#if FIBRED
  const cst_lane_iota *iota;
#endif
};
#endif
