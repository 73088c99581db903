/* rows.h: lane code: G' x, sums over the rows of G, the drift and the test of the constraints, by loops over
 * the pattern of G; and the functions that are compiled for a kick of a long system (kick-rows.h).
 *
 * Sums begin with 0, or where a system is banded with -0, which adds nothing, as compiled ones have it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ROWS_H
#define CST_ROWS_H
#include "system/lane/gram.h"
#include "system/lane/kick-rows.h"

#if CST_SIZED
#define CST_HAS_ROWS(which) 0
#define CST_ZERO            0.0
#else
#define CST_HAS_ROWS(which) (C->gram && C->gram[CST_GRAM_##which])
#define CST_ZERO            (C->system->model->gram.banded ? -0.0 : 0.0)
#endif

/* Calls a function that is compiled for the system. */
#define CST_BY_ROWS(which, z) C->gram[CST_GRAM_##which]((const double *)(z), 0, 0, 0, 0, 0, 0, 0)

/* ---- whether the constraints are met --------------------------------------------------------- */

/* Where coordinates are larger than so many lengths of the system, the round-off of what is computed from
 * them may exceed the 1e-12 of its size below which an iteration that ends by its updates can tell that they
 * no longer shrink. */
#define CST_REMOTE 64.0

/* slack_a = tolerance L_a / CST_ROUNDOFF, so that tolerance s_a + CST_ROUNDOFF r_a = CST_ROUNDOFF sum_k
 * |G_ak| (slack_a + max_k |q_k|) with s_a = L_a sum_k |G_ak| and r_a = max_k |q_k| sum_k |G_ak|, over the
 * coordinates of the constraint. */
CST_INLINE void cst_load_slack(const cst_context *C, const double *record, vd *slack) {
  const cst_layout at = LAYOUT(C);
  const vd         t = *cst_block(record, at.tolerance) * (1 / CST_ROUNDOFF);
  UNROLL
  for (int a = 0; a < NG; a++)
    slack[a] = t * cst_block(record, at.length)[a];
}

/* All-ones where |g| <= tolerance s_a + CST_ROUNDOFF r_a: some point is on the constraint whose coordinates
 * are off by no more than the tolerance times its length and their own round-off. A dropped constraint always
 * is. */
CST_INLINE vl cst_is_met(const cst_context *C, int a, vd g, const vd *G, const vd *q,
                         const vd *slack) {
  vd row = vset(0), far = vset(0);
  USES_G
  ROW_G(a, i, e) {
    row += vabs(G[e]);
    far = vmax(vabs(q[i]), far);
  }
  return (vl)(vabs(g) <= (CST_ROUNDOFF * row) * (slack[a] + far)) | vmask(DROPPED(a));
}

/* All-ones where |g| is so small that what a correction by Newton's method leaves of it, its square, is far
 * below round-off: 3e-10 s_a at the tolerance of 1e-14. */
CST_INLINE vl cst_is_near(const cst_context *C, int a, vd g, const vd *G, const vd *q,
                          const vd *slack) {
  return cst_is_met(C, a, 0x1p-17 * g, G, q, slack);
}

#define CST_CLOSE 0x1p21 /* cst_rows_are_close */

/* All-ones where every constraint is met. */
CST_INLINE vl cst_on_manifold(const cst_context *C, const vd *g, const vd *G, const vd *q,
                              const vd *slack) {
  vl done = vmask(1);
  UNROLL
  for (int a = 0; a < NG; a++) {
    if (!CST_SIZED && !vany(done))
      break;
    done &= cst_is_met(C, a, g[a], G, q, slack);
  }
  return done;
}

/* ---- loops over the pattern of G ------------------------------------------------------------- */

/* to := from - G' x; they may be the same. */
CST_INLINE void cst_rows_impulses(const cst_context *C, const vd *G, const vd *x, const vd *from,
                                  vd *to) {
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd s = from[i];
    COL_G(i, a, e)
      s -= G[e] * x[a];
    to[i] = s;
  }
}

/* q1 := q + W p with the weights hm by class of mass. */
CST_INLINE void cst_rows_drift(const cst_context *C, const vd *q, const vd *hm, const vd *p,
                               vd *q1) {
  for (int i = 0; i < NQ; i++)
    q1[i] = q[i] + hm[CLASS(i)] * p[i];
}

/* m := G W p */
CST_INLINE void cst_rows_sums(const cst_context *C, const vd *G, const vd *hm, const vd *p, vd *m) {
  USES_G
  for (int a = 0; a < NG; a++) {
    vd s = vset(CST_ZERO);
    ROW_G(a, i, e)
      s += (G[e] * hm[CLASS(i)]) * p[i];
    m[a] = s;
  }
}

/* All-ones in *met and *near where every constraint is met, and near (cst_is_met, cst_is_near); what is met is
 * below `bounds`, which sized code keeps. */
CST_INLINE void cst_rows_test(const cst_context *C, const vd *g, const vd *G, const vd *q,
                              const vd *slack, vd *bounds, vl *met, vl *near) {
  USES_G
  *met = *near = vmask(1);
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd row = vset(0), far = vset(0);
    if (!CST_SIZED && !vany(*met | *near))
      break;
    ROW_G(a, i, e) {
      row += vabs(G[e]);
      far = vmax(vabs(q[i]), far);
    }
    const vd bound = (CST_ROUNDOFF * row) * (slack[a] + far);
    if (CST_SIZED)
      bounds[a] = bound;
    *met &= (vl)(vabs(g[a]) <= bound) | vmask(DROPPED(a));
    *near &= (vl)(vabs(0x1p-17 * g[a]) <= bound) | vmask(DROPPED(a));
  }
}

/* All-ones where every constraint is close: |g| <= sum_k |G_k| times the length over which it bends / CST_CLOSE.
 * Then the cube of the residual is far below round-off, and its square still far above where it is not; slack and
 * reach have the factor of the tolerance. */
CST_INLINE vl cst_rows_are_close(const cst_context *C, const vd *g, const vd *G, const vd *slack,
                                 vd reach) {
  vl close = vmask(1);
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd row = vset(0);
    ROW_G(a, i, e) {
      row += vabs(G[e]);
      (void)i;
    }
    close &= (vl)(reach * vabs(g[a]) <= row * slack[a]) | vmask(DROPPED(a));
  }
  return close;
}
#endif
