/* momentum.c: the observer `momentum`: the momentum map <p, xi(q)> of every symmetry that the system
 * declares, with the scale sum |p_i xi_i|; minus its gauge where a(q) is invariant up to a gradient. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
CST_OBSERVE(momentum, NSYM) {
  const cst_context *C = view->context;
  const vd          *c = cst_block(view->record, LAYOUT(C).c), *q = now.q, *p = now.p;
  vd                 xi[ROOM(NNZ_X)], gauge[ROOM(NSYM)], *x = (vd *)value, *s = (vd *)scale;
  (void)C, (void)look, (void)kept;
  K_xi(c, q, xi);
  if (GYROSCOPIC)
    K_gauge(c, q, gauge);
  UNROLL
  for (int k = 0; k < NSYM; k++) {
    x[k] = vpick(GYROSCOPIC, -gauge[k], vset(0));
    s[k] = vabs(x[k]);
    ROW_X(k, i, e) {
      vd t = p[i] * xi[e];
      x[k] += t;
      s[k] += vabs(t);
    }
  }
}
#else
#include <stdio.h>

static const char *refuse(const cst_system *s) { return s->nsym ? NULL : "declares no symmetries"; }
static int         count(const cst_system *s) { return s->nsym; }

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  *q = (cst_quantity){.unit = "1",
                      .doc = "momentum map <p, xi(q)>",
                      .drifts = true,
                      .judged = true,
                      .windows = true};
  snprintf(q->name, sizeof q->name, "%s", look->system->symmetry[k]);
}

const cst_observer cst_observer_momentum = {
    .name = "momentum",
    .doc = "<p, xi(q)> of every declared symmetry",
    .refuse = refuse,
    .count = count,
    .describe = describe,
};
#endif
