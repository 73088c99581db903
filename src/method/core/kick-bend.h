/* kick-bend.h: residuals of kick.c, and its corrections that are bent (bend.h). Part of it. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* f = g(q1(x)); a lane is done when every constraint is met. */
CST_INLINE vl evaluate_only(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vl done;
  USES_G
  if (BY_ROWS(RESIDUAL)) {
    cst_kick_rows z = rows_of(L, vmask(0), x, f, NULL, NULL);
    CST_BY_ROWS(RESIDUAL, &z);
    L->near = z.met[1];
    L->close = z.met[2];
    return z.met[0];
  }
  drift(C, L, j, x);
  K_g(L->c, L->q1, f);
  K_G(L->c, L->q1, L->G1);
  if (COMPENSATED) {
    UNROLL
    for (int a = 0; a < NG; a++)
      ROW_G(a, i, e)
        f[a] += L->G1[e] * L->eq1[i];
  }
  cst_rows_test(C, f, L->G1, L->q1, L->slack, L->bound, &done, &L->near);
  return done;
}

/* The same at an x that one correction has changed by little: no test is passed that evaluate_only would not
 * pass. */
CST_INLINE vl evaluate_again(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vl met = vmask(1);
  drift(C, L, j, x);
  K_g(L->c, L->q1, f);
  K_G(L->c, L->q1, L->G1);
  UNROLL
  for (int a = 0; a < NG; a++)
    met &= (vl)(vabs(f[a]) <= 0.999 * L->bound[a]) | vmask(DROPPED(a));
  return met;
}

#include "method/core/bend.h"

/* Adds to Newton's correction d the one of what it leaves. S has the factors, or is the work space of the
 * system's own functions, which eliminate once more. */
CST_INLINE void bend(const cst_context *C, struct local *L, int j, vd *S, vd *d) {
  const vd *more = L->left;
  USES_G
  if (BY_ROWS(CORRECTION)) {
    cst_kick_rows z = rows_of(L, vmask(0), NULL, L->left, d, S);
    z.way = L->way;
    z.q2 = L->q2;
    z.bent = L->bent;
    CST_BY_ROWS(BEND, &z);
    z.d = L->way;
    CST_BY_ROWS(CORRECTION, &z);
    more = L->way;
  } else {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      vd s = vset(CST_ZERO);
      COL_G(i, a, e)
        s += L->G[e] * d[a];
      L->way[i] = HM(i) * s;
      L->q2[i] = L->q1[i] - L->way[i];
    }
    find_left(C, L);
    solve_again(C, L, j, S, L->left);
  }
  UNROLL
  for (int a = 0; a < NG; a++)
    d[a] += more[a];
}
