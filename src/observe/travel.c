/* travel.c: the observer `travel`: how far q has gone, the sum of |q - q'| from each observed state q' to the
 * next one, q. With `observe: every` it is the length of the polygon through the states of all steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
/* kept: the way so far, then q of the last observation. */
CST_OBSERVE(travel, 1) {
  const cst_context *C = view->context;
  vd                *way = (vd *)kept, *last = way + 1, squares = vset(0);
  (void)C, (void)look;
  for (int i = 0; i < NQ; i++) {
    const vd before = view->keep == CST_KEEP_FIRST ? now.q[i] : last[i];
    squares += (now.q[i] - before) * (now.q[i] - before);
  }
  const vd all = *way + vsqrt(squares);
  *(vd *)value = *(vd *)scale = all;
  if (view->keep == CST_KEEP_NOT)
    return;
  *way = all;
  for (int i = 0; i < NQ; i++)
    last[i] = now.q[i];
}
#else

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "travel",
                      .unit = "1",
                      .doc = "sum of |q - q'| over successive observed states q', q",
                      .drifts = true,
                      .moves = true};
}

const cst_observer cst_observer_travel = {
    .name = "travel",
    .doc = "how far q has gone: the sum of |q - q'| over successive observed states",
    .optional = true,
    .kept = {.one = 1, .q = 1},
    .describe = describe,
};
#endif
