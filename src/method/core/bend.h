/* bend.h: lane code: corrections that are bent: Newton's, and the one of what it leaves. For kick.c, midpoint.c and
 * null-space.c, which have the fields of lane.h, q1, G1 and slack, and whose last NG residuals are those of g.
 *
 * A correction w of the coordinates leaves 1/2 D2g[w, w] of the residual. Where that is below round-off the
 * step is done. Where it is not, but the third order is (cst_rows_are_close), it is computed from G, and
 * removed with the same matrix. A second correction by Newton's method would compute a residual from
 * coordinates that are the solution but for round-off. It would correct the round-off of this residual, which
 * depends on the phase of the motion, and the energy would drift.
 *
 * The first steps, which are not extrapolated in full, take more corrections instead. A core BENDS only where all
 * other equations are linear, so that a correction leaves nothing of them; lie.h, which has its own code, bends all of
 * them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BY_ROWS
#define BY_ROWS(which) 0
#endif

/* Behind evaluate_only, where a lane is not near: sets the lanes that are bent, for which one correction is
 * enough too. */
CST_INLINE void find_bent(const cst_context *C, struct local *L, int j, const vd *f) {
  L->bent = vmask(0);
  if (!(BENDS))
    return;
  if (!BY_ROWS(RESIDUAL))
    L->close = cst_rows_are_close(C, f + NX - NG, L->G1, L->slack, L->reach);
  L->bent = L->close & ~L->near & L->steady;
  L->near |= L->bent;
  (void)j;
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vl done = evaluate_only(C, L, j, x, f);
  L->bent = vmask(0);
  if (BENDS && vany(~L->near))
    find_bent(C, L, j, f);
  L->bends = BENDS && vany(L->bent);
  return done;
}

/* left := what a correction of q1 by -way leaves of the residual in lanes that are bent, 1/2 (G(q1 + w) - G(q1)) w.
 * Its round-off is smaller by the size of w than that of a residual that is computed there. */
CST_INLINE void find_left(const cst_context *C, struct local *L) {
  USES_G
  K_G(L->c, L->q2, L->G2);
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd s = vset(CST_ZERO);
    ROW_G(a, i, e)
      s += (L->G1[e] - L->G2[e]) * L->way[i];
    L->left[a] = vkeep(L->bent, 0.5 * s);
  }
}

/* x := S^-1 x once more behind cst_gram_solve. S has the factors; but the elimination of a band of 1 keeps none, and
 * S is filled once more. */
CST_INLINE void solve_again(const cst_context *C, struct local *L, int j, vd *S, vd *x) {
#if !CST_SIZED
  if (C->system->model->gram.banded && C->system->model->gram.band == 1) {
    cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
    cst_gram_solve(C, S, x, 0);
    return;
  }
#endif
  cst_gram_backsolve(C, S, x, 1);
}
