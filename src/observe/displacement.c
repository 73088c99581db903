/* displacement.c: the observer `displacement`: |q - q(0)|, in every study: it shows trajectories that escape.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
CST_OBSERVE_KNOWING(displacement, 1, 0, 1) {
  const cst_context *C = view->context;
  const vd          *q = now.q, *q0 = (const vd *)view->q0;
  vd                 s = vset(0);
  (void)C, (void)look, (void)kept;
  UNROLL
  for (int i = 0; i < NQ; i++)
    s += (q[i] - q0[i]) * (q[i] - q0[i]);
  *(vd *)value = vsqrt(s);
  *(vd *)scale = vset(1);
}
#else
static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "displacement", .unit = "1", .doc = "|q(t) - q(0)|", .windows = true};
}

const cst_observer cst_observer_displacement = {
    .name = "displacement",
    .doc = "|q(t) - q(0)|, always kept",
    .always = true,
    .describe = describe,
};
#endif
