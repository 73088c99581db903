/* kick-bend.h: residuals, and corrections that are bent: Newton's, and the one of what it leaves. Part of
 * kick.c.
 *
 * A correction w of the coordinates leaves 1/2 D2g[w, w] of the residual. Where that is below round-off the
 * step is done. Where it is not, but the third order is (cst_rows_are_close), it is computed from G, and
 * removed with the same matrix. A second correction by Newton's method would compute a residual from
 * coordinates that are the solution but for round-off. It would correct the round-off of this residual, which
 * depends on the phase of the motion, and the energy would drift.
 *
 * The first steps, which are not extrapolated in full, take more corrections instead.
 */
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

/* Behind evaluate_only, where a lane is not near: sets the lanes that are bent, for which one correction is
 * enough too. */
CST_INLINE void find_bent(const cst_context *C, struct local *L, const vd *f) {
  if (!BY_ROWS(RESIDUAL))
    L->close = cst_rows_are_close(C, f, L->G1, L->slack, L->reach);
  L->bent = L->close & ~L->near & L->steady;
  L->near |= L->bent;
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vl done = evaluate_only(C, L, j, x, f);
  L->bent = vmask(0);
  if (BENDS && vany(~L->near))
    find_bent(C, L, f);
  L->bends = BENDS && vany(L->bent);
  return done;
}

/* left := what Newton's correction d leaves of the residual in lanes that are bent, 1/2 (G(q1 + w) - G(q1)) w.
 * Its round-off is smaller by the size of w than that of a residual that is computed there. */
CST_INLINE void find_left(const cst_context *C, struct local *L, int j, const vd *d) {
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd s = vset(CST_ZERO);
    COL_G(i, a, e)
      s += L->G[e] * d[a];
    L->way[i] = HM(i) * s;
    L->q2[i] = L->q1[i] - L->way[i];
  }
  K_G(L->c, L->q2, L->G2);
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd s = vset(CST_ZERO);
    ROW_G(a, i, e)
      s += (L->G1[e] - L->G2[e]) * L->way[i];
    L->left[a] = vkeep(L->bent, 0.5 * s);
  }
}

/* x := S^-1 x once more behind cst_gram_solve. The elimination of a band of 1 keeps no factors. */
CST_INLINE void solve_again(const cst_context *C, struct local *L, int j, vd *S, vd *x) {
#if !CST_SIZED
  if (C->system->gram.banded && C->system->gram.band == 1) {
    cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
    cst_gram_solve(C, S, x, 0);
    return;
  }
#endif
  cst_gram_backsolve(C, S, x);
}

/* Adds to Newton's correction d the one of what it leaves. S has the factors, or is the work space of the
 * system's own functions, which eliminate once more. */
CST_INLINE void bend(const cst_context *C, struct local *L, int j, vd *S, vd *d) {
  const vd *more = L->left;
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
    find_left(C, L, j, d);
    solve_again(C, L, j, S, L->left);
  }
  UNROLL
  for (int a = 0; a < NG; a++)
    d[a] += more[a];
}
