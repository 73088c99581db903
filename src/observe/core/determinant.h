/* determinant.h: lane code: log det (G M^-1 G') over the independent constraints, from the pivots of Gaussian
 * elimination. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DETERMINANT_H
#define CST_DETERMINANT_H
#include "system/lane/acceleration.h"
#ifndef CST_COLD

#if !CST_SIZED
/* Copies S in the order of its band into a dense row-major matrix, which has b nonzero entries on each side
 * of the diagonal. */
static __attribute__((noinline)) void cst_gram_dense(const cst_context *C, const vd *c, const vd *q,
                                                     const vd *G, const vd *minv, vd *S) {
  const cst_gram *g = &C->system->gram;
  USES_G
  if (GENERAL) {
    vd M[ROOM(NQ * NQ)];
    vd X[ROOM(NG * NQ)];
    cst_inertia(C, c, q, M);
    cst_gram_general(C, G, M, X, S);
    return;
  }
  if (!g->banded) {
    cst_gram_fill(C, G, G, minv, vset(1), 0, S);
    return;
  }
  for (int k = 0; k < NG * NG; k++)
    S[k] = vset(0);
  for (int a = 0; a < NG; a++) {
    if (DROPPED(a))
      S[g->place[a] * NG + g->place[a]] = vset(1);
    ROW_G(a, i, e) {
      COL_G(i, b, k) {
        if (!DROPPED(a) && !DROPPED(b))
          S[g->place[a] * NG + g->place[b]] += G[e] * MINV(i) * G[k];
      }
    }
  }
}

/* Columns right of the diagonal that the elimination of a row reaches. */
static inline int cst_gram_reach(const cst_context *C) {
  return C->system->gram.banded && !GENERAL ? C->system->gram.band : NG;
}
#endif

CST_INLINE vd cst_gram_log_determinant(const cst_context *C, const vd *c, const vd *q, const vd *G,
                                       const vd *minv) {
  vd sum = vset(0), S[ROOM(NG * NG)];
  (void)C, (void)c, (void)q;
#if CST_SIZED
  const int reach = NG;
  cst_gram_fill(C, G, G, minv, vset(1), 0, S);
#else
  const int reach = cst_gram_reach(C);
  cst_gram_dense(C, c, q, G, minv, S);
#endif
  for (int a = 0; a < NG; a++) {
    const int end = a + reach + 1 < NG ? a + reach + 1 : NG;
    const vd  pivot = S[a * NG + a];
    sum += vlog(pivot);
    for (int b = a + 1; b < end; b++) {
      const vd f = S[b * NG + a] / pivot;
      for (int k = a + 1; k < end; k++)
        S[b * NG + k] -= f * S[a * NG + k];
    }
  }
  return sum;
}
#endif
#endif
