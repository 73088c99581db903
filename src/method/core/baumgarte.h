/* baumgarte.h: lane code: the acceleration of Baumgarte's stabilised equation from that of the
 * index-reduced one.
 *
 *   A := A - M^-1 G' (G M^-1 G')^-1 y,   y = 2 alpha G v + beta^2 g
 *
 * so that G A = -D2g[v, v] - y. Constraints on velocities have g = 0, and phi0 beside G v.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_BAUMGARTE_H
#define CST_CORE_BAUMGARTE_H
#include "system/lane/acceleration.h"

/* Out of line: few studies have it, and code compiled for one system is long enough. */
static __attribute__((noinline, unused)) void cst_stabilise(const cst_context *C, const vd *c,
                                                            const vd *minv, const vd *q,
                                                            const vd *v, double alpha, double beta,
                                                            vd *A) {
  vd G[ROOM(NNZ_G)], M[ROOM(GENERAL ? NQ * NQ : 1)], X[ROOM(GENERAL ? NG * NQ : 1)];
  vd S[ROOM(GENERAL ? NG * NG : GRAM_SIZE)], y[ROOM(NG)], phi0[ROOM(NG)];
  USES_G
  if (NG == 0)
    return;
  K_G(c, q, G);
  K_g(c, q, y);
  if (AFFINE)
    K_phi0(c, q, phi0);
  for (int a = 0; a < NG; a++) {
    vd rate = vpick(AFFINE, phi0[a], vset(0));
    ROW_G(a, i, e)
      rate += G[e] * v[i];
    y[a] = (2 * alpha) * rate + (beta * beta) * vpick(a < NG - NVEL, y[a], vset(0));
  }
  if (GENERAL) {
    cst_inertia(C, c, q, M);
    cst_gram_general(C, G, M, X, S);
    cst_gram_drop(C, y);
    cst_ldl(S, NG);
    cst_lu_solve(S, y, NG);
    for (int a = 0; a < NG; a++)
      for (int i = 0; i < NQ; i++)
        A[i] -= X[a * NQ + i] * y[a];
    return;
  }
  cst_gram_fill(C, G, G, minv, vset(1.0), 1, S);
  cst_gram_solve(C, S, y, 1);
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      A[i] -= MINV(i) * (G[e] * y[a]);
}
#endif
