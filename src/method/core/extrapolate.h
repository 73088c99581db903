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
 * tolerance. A core that BENDS its corrections removes what one leaves down to the third order, and FORGIVES:
 * above, the residual before the second correction is far from round-off.
 *
 * A core that USES_NEAR starts these steps from the polynomial of order DUE_ORDERS, from which two
 * corrections lead to round-off, and no iteration of it ends by the tolerance before the residual was so
 * small once, or four corrections were made. Without constraints it FORGIVES: no residual is left that could do
 * work, and all steps are extrapolated in full.
 *
 * A core that PREDICTS_FREELY does none of this. It extrapolates the difference between the unknowns and its
 * prediction from the state alone, or the unknowns themselves if it makes no prediction. Its iteration ends
 * by its updates alone, after as many corrections as necessary. The polynomial of a lane has only orders up
 * to which the differences decrease; they do not at large steps, at jumps, and at the level of round-off.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef PREDICTS_FREELY
#define FREELY 1
#else
#define FREELY 0
#endif

/* Lanes with too few steps behind them to be extrapolated in full. */
CST_INLINE vl beginners(vl steps) { return (vl)(steps <= CST_PAST); }

/* If a core PREDICTS_FREELY: x from the differences in past; a lane uses them as long as they decrease. A
 * lane that fails is stepped again from the values of the last step. */
CST_INLINE void extrapolate_freely(const cst_context *C, vd *x, const vd *past) {
  vd last = vset(0);
  vl taken = vmask(!MARCH->attempt);
  for (int k = 0; k < CST_PAST; k++) {
    const vd *const d = past + k * NX_PREDICTED;
    vd              size = vset(0);
    for (int i = 0; i < NX_TESTED; i++)
      size = vmax(vabs(d[i]), size);
    if (k > 0)
      taken &= (vl)(size <= 0.75 * last);
    if (k > 0 && !vany(taken))
      return;
    for (int i = 0; i < NX_PREDICTED; i++)
      x[i] = vpick(k > 0, x[i] + vkeep(taken, d[i]), d[i]);
    last = size;
  }
}

/* Advances past at the end of a step with the unknowns x. DUE then holds the slowest contraction of the last
 * steps, with a slow decay, because from a good start an iteration is too short to show it. Without it
 * momenta drift three times as fast. */
CST_INLINE void advance(const cst_context *C, vl steps, int early, const vd *prediction,
                        const vd *x, vd *past) {
  DUE(past) = 0.98 * DUE(past);
  for (int i = 0; i < NX_PREDICTED; i++) {
    vd d = prediction ? vpick(MARCH->attempt, vset(0), x[i] - prediction[i]) : x[i];
    CST_UNROLL
    for (int k = 0; k < CST_PAST; k++) {
      vd *before = &past[k * NX_PREDICTED + i];
      vd  next = d - *before;
      *before = d;
      if (early)
        next = vkeep((vl)(steps > k), next);
      d = next;
    }
  }
}

/* Advances past, the differences of orders 0 to CST_PAST - 1 of the last step, and extrapolates x, in plain
 * lanes by the polynomial of order DUE_ORDERS. */
CST_INLINE void extrapolate_by(const cst_context *C, vl steps, const int early, const int only_past,
                               vl plain, vd *x, vd *past) {
  const int n = NX_PREDICTED;
  x += NX - n;
  UNROLL
  for (int i = 0; i < n; i++) {
    vd  d = x[i];
    vd  sum = d;
    vd  low = d;
    vd *before = past + i;
    CST_UNROLL
    for (int k = 0; k < CST_PAST; k++, before += n) {
      vd next = d - *before;
      *before = d;
      if (early)
        next = vkeep((vl)(steps > k + 1), next);
      d = next;
      sum += d;
      if (k + 1 == DUE_ORDERS)
        low = sum;
    }
    if (!only_past)
      x[i] = vselect(plain, low, sum);
  }
}

/* The same at the start of a step. A lane that fails is stepped again from x itself. */
CST_INLINE void extrapolate(const cst_context *C, vl steps, int early, vd *x, vd *past) {
  if (FREELY) {
    extrapolate_freely(C, x, past);
    return;
  }
  DUE(past) = vmax(DUE(past) - 1, vset(0));
  const vl plain = (vl)(DUE(past) > 0);
  if (CST_SIZED || early || MARCH->attempt)
    extrapolate_by(C, steps, early, !CST_SIZED && MARCH->attempt, plain, x, past);
  else
    extrapolate_by(C, steps, 0, 0, plain, x, past);
}

/* The lanes of met (residual small enough) that end after this many corrections; plain: lanes for which two
 * are due. */
CST_INLINE vl ends(const cst_context *C, course *c, vl met, vl near, vl plain, int corrections) {
  c->near = near;
  if (!PREDICTS)
    return met;
  if (NEARS)
    return met & (c->was_near | vmask(corrections >= 4));
  return met & (plain | c->was_near | vmask(corrections >= 2));
}

/* Called before each correction of the active lanes, with the number of corrections made so far, where a substep
 * does not FORGIVE. */
CST_INLINE void note(const cst_context *C, vl active, vl young, vl plain, int corrections,
                     vd *due) {
  if (PREDICTS && !FREELY && corrections == 1)
    *due = vselect(active & ~young & ~plain, vset(CST_DUE_STEPS), *due);
}
