/* speeds.c: an example of an observer (docs/adding.md), for src/observe: the largest |v_k|, and a histogram of |v| in
 * sixteen bins of width 1/4, the last without an upper edge. Its line in src/observe/observers.h: OBSERVER(speeds) */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
enum { BINS = 16 };
#ifdef CST_OBSERVE
CST_OBSERVE(speeds, 1) {
  const cst_context *C = view->context;
  const vd          *v = now.v;
  vd                 top = vset(0), squares = vset(0), *count = (vd *)kept;
  (void)C, (void)look;
  UNROLL
  for (int i = 0; i < NQ; i++) {
    top = vmax(vabs(v[i]), top);
    squares += v[i] * v[i];
  }
  *(vd *)value = *(vd *)scale = top;
  if (view->keep == CST_KEEP_NOT)
    return; /* a sample must not change what is kept */
  const vd speed = 4 * vsqrt(squares);
  for (int k = 0; k < BINS; k++) {
    vl here = (vl)(speed >= (double)k);
    if (k < BINS - 1)
      here &= (vl)(speed < k + 1.0);
    count[k] += vkeep(here, vset(1));
  }
}
#else
static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "speeds", .unit = "1", .doc = "largest |v_k|", .drifts = true};
}

const cst_observer cst_observer_speeds = {
    .name = "speeds",
    .doc = "largest |v_k|, and how often |v| lay in each of sixteen bins",
    .optional = true,
    .kept = {.one = BINS},
    .describe = describe,
    .path = "/histograms/%s",
    .path_doc = "observed steps with |v| in [k, k + 1)/4",
};
#endif
