/* march-freely.h: how the unknowns of a core are extrapolated that PREDICTS_FREELY. Part of march.h.
 *
 * Such a core extrapolates the difference between the unknowns and its prediction from the state alone, or the
 * unknowns themselves if it makes no prediction. Its iteration ends by its updates alone, after as many
 * corrections as necessary. The polynomial of a lane has only orders up to which the differences decrease; they
 * do not at large steps, at jumps, and at the level of round-off.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define FREELY 1

/* x from the differences in past; a lane uses them as long as they decrease. A lane that
 * fails is stepped again from the values of the last step. */
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
