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
#include "system/internal.h"

static const char *refuse(const cst_system *s) { return s->nsym ? NULL : "declares no symmetries"; }
static int         count(const cst_system *s) { return s->nsym; }

static bool bound(const cst_observation *look, const cst_bounded_state *now, cst_bounded *x) {
  const cst_system        *s = look->system;
  const cst_pattern       *pattern = &s->model->pattern[CST_K_xi];
  const cst_bounded *const in[128] = {['c'] = now->c, ['q'] = now->q};
  cst_bounded             *xi = cst_zeros(pattern->n, sizeof *xi);
  cst_system_bound(s, CST_K_xi, in, xi);
  const bool gyroscopic = cst_has(s, CST_GYROSCOPIC);
  if (gyroscopic)
    cst_system_bound(s, CST_K_gauge, in, x);
  for (int k = 0; k < s->nsym; k++) {
    x[k] = gyroscopic ? (cst_bounded){-x[k].value, x[k].error} : (cst_bounded){0, 0};
    CST_EACH_ENTRY(pattern, k, e)
      x[k] = cst_bounded_sum(x[k], cst_bounded_product(now->p[pattern->column[e]], xi[e]));
  }
  free(xi);
  return true;
}

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  *q = (cst_quantity){.unit = "1",
                      .doc = "momentum map <p, xi(q)>",
                      .drifts = true,
                      .judged = true,
                      .windows = true};
  snprintf(q->name, sizeof q->name, "%s", look->system->description->symmetry[k]);
}

const cst_observer cst_observer_momentum = {
    .name = "momentum",
    .doc = "<p, xi(q)> of every declared symmetry",
    .refuse = refuse,
    .count = count,
    .describe = describe,
    .bound = bound,
};
#endif
