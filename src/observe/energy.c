/* energy.c: the observer `energy`: T + V, with the scale |T| + |V - V(q(0))|, because a constant in V has no
 * effect. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
/* kept: V(q(0)). */
CST_OBSERVE_KNOWING(energy, 1, 1, 0) {
  const cst_context *C = view->context;
  const vd          *c = cst_block(view->record, LAYOUT(C).c), *q = now.q, *p = now.p, *v = now.v;
  vd                 V, T = vset(0), a[ROOM(NQ)], *start = (vd *)kept;
  (void)C, (void)look;
  K_V(c, q, &V);
  if (GYROSCOPIC)
    K_a(c, q, a);
  UNROLL
  for (int i = 0; i < NQ; i++)
    T += vpick(GYROSCOPIC, p[i] - a[i], p[i]) * v[i];
  T = 0.5 * T;
  if (view->keep == CST_KEEP_FIRST)
    *start = V;
  *(vd *)value = T + V;
  *(vd *)scale = vabs(T) + vabs(V - *start);
}
#else
#include "system/internal.h"

/* T + V. */
static bool bound(const cst_observation *look, const cst_bounded_state *now, cst_bounded *x) {
  const cst_system        *s = look->system;
  const cst_bounded *const in[128] = {['c'] = now->c, ['q'] = now->q};
  cst_bounded             *a = cst_zeros(s->nq, sizeof *a);
  cst_bounded              twice = {0, 0};
  const bool               gyroscopic = cst_has(s, CST_GYROSCOPIC);
  if (gyroscopic)
    cst_system_bound(s, CST_K_a, in, a);
  for (int i = 0; i < s->nq; i++) {
    a[i].value = -a[i].value;
    const cst_bounded p = gyroscopic ? cst_bounded_sum(now->p[i], a[i]) : now->p[i];
    twice = cst_bounded_sum(twice, cst_bounded_product(p, now->v[i]));
  }
  cst_system_bound(s, CST_K_V, in, x);
  *x = cst_bounded_sum(*x, (cst_bounded){twice.value / 2, twice.error / 2});
  free(a);
  return true;
}

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "energy",
                      .unit = "1",
                      .doc = "T + V",
                      .drifts = true,
                      .judged = true,
                      .windows = true};
}

const cst_observer cst_observer_energy = {
    .name = "energy",
    .doc = "T + V, with the scale |T| + |V - V(q(0))|",
    .kept = {.one = 1},
    .describe = describe,
    .bound = bound,
};
#endif
