/* extrapolate.h: the unknowns with which the iteration of a step starts, and the end of an iteration that
 * starts so. Part of march.h.
 *
 * The unknowns of a step start from the polynomial through those of the last CST_PAST + 1 steps, by
 * differences: x + Dx + DDx + ... At small steps one correction then suffices. The error that the iteration
 * leaves in the constraints must not depend on the phase of the motion, though: an offset that appears where
 * the reaction is strong and vanishes where it is weak does work, and the energy drifts linearly. Measured:
 * 3e-2 eps per step where the tolerance alone decides; 1e-2 where one and two corrections alternate, or where
 * two are always made and the second corrects round-off. A lane therefore ends after one correction only if
 * the residual before it was so small that its square, the error that Newton's method leaves, is far below
 * round-off. Otherwise the next CST_DUE_STEPS steps start from the unknowns of the last step and end by the
 * tolerance.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes with too few steps behind them to be extrapolated in full. */
CST_INLINE vl beginners(vl steps) { return (vl)(steps <= CST_PAST); }

/* Advances past, the differences of orders 0 to CST_PAST - 1 of the last step. A lane that fails is stepped
 * again from x itself. */
CST_INLINE void extrapolate(const cst_context *C, vl steps, int early, vd *x, vd *past) {
  DUE(past) = vmax(DUE(past) - 1, vset(0));
  const vl plain = (vl)(DUE(past) > 0);
  U for (int i = 0; i < NX_PREDICTED; i++) {
    vd d = x[NX - NX_PREDICTED + i], sum = d;
    CST_UNROLL for (int k = 0; k < CST_PAST; k++) {
      vd *before = &past[k * NX_PREDICTED + i], next = d - *before;
      *before = d;
      if (early) next = vkeep((vl)(steps > k + 1), next);
      d = next, sum += d;
    }
    if (CST_HOT || !MARCH->robust) x[NX - NX_PREDICTED + i] = vselect(plain, x[NX - NX_PREDICTED + i], sum);
  }
}

/* The lanes of met (residual small enough) that end after this many corrections; plain: lanes that are not
 * extrapolated. */
CST_INLINE vl ends(const cst_context *C, course *c, vl met, vl near, vl plain, int corrections) {
  if (!PREDICTS) return met;
  c->near = near;
  return met & (plain | c->was_near | vmask(corrections >= 2));
}

/* Called before each correction of the active lanes, with the number of corrections made so far. */
CST_INLINE void note(const cst_context *C, vl active, vl young, vl plain, int corrections, vd *due) {
  if (PREDICTS && corrections == 1) *due = vselect(active & ~young & ~plain, vset(CST_DUE_STEPS), *due);
}
