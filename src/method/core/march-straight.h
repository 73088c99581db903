/* march-straight.h: the steps of a march in which one correction does for every lane. Part of march.h.
 *
 * Most steps of a smooth motion are such where the step is short. What else may happen in one is left out
 * here: sizes of updates, lanes that end before others, lanes that are not extrapolated. The first step with
 * such a thing is left to the ordinary loop, as if it had not been tried.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
/* As extrapolate has it: x from the unknowns of the last step and the differences behind them; next: those
 * behind x. */
CST_INLINE void extrapolate_all(const cst_context *C, const vd *last, const vd *past, vd *x,
                                vd *next) {
  last += NX - NX_PREDICTED;
  x += NX - NX_PREDICTED;
  UNROLL
  for (int i = 0; i < NX_PREDICTED; i++) {
    vd d = last[i], sum = d;
    CST_UNROLL
    for (int k = 0; k < CST_PAST; k++) {
      next[k * NX_PREDICTED + i] = d;
      d -= past[k * NX_PREDICTED + i];
      sum += d;
    }
    x[i] = sum;
  }
  (void)C, (void)last, (void)past, (void)x, (void)next;
}

/* At most n steps of K groups from step `done` on, in copies of what march_with keeps of the unknowns, which
 * registers hold. Returns how many are done. */
CST_INLINE long march_straight(const cst_context *C, const int K, struct local *L, vd *warm,
                               vd *past, long done, long n, trail *t) {
  vd   last[BESIDE][ROOM(NX)];
  vd   behind[BESIDE][ROOM(CST_PAST * NX_PREDICTED)];
  vd   f[BESIDE][ROOM(NX)];
  vd   x[BESIDE][ROOM(NX)];
  vd   next[BESIDE][ROOM(CST_PAST * NX_PREDICTED)];
  vd   d[BESIDE][ROOM(NX)];
  vl   due = vmask(0);
  long k = 0;
  if (!PREDICTS || FREELY || MARCH->nsub != 1)
    return 0;
  EACH_GROUP(g)
    due |= (vl)(DUE(past + g * PAST_SIZE) > 0);
  if (vany(due))
    return 0;
  EACH_GROUP(g) {
    UNROLL
    for (int i = 0; i < NX; i++)
      last[g][i] = warm[g * NX + i];
    UNROLL
    for (int i = 0; i < CST_PAST * NX_PREDICTED; i++)
      behind[g][i] = past[g * PAST_SIZE + i];
  }
  for (; k < n; k++) {
    vl ends = vmask(1);
    EACH_GROUP(g) {
      extrapolate_all(C, last[g], behind[g], x[g], next[g]);
      begin(C, &L[g], 0, x[g]);
    }
    EACH_GROUP(g) {
      SET_STEADY(&L[g], vmask(1));
      EVALUATE_ONLY(C, &L[g], 0, x[g], f[g]);
      ends &= NEAR(&L[g]);
    }
    const int bends = vany(~ends);
    if (bends) {
      ends = vmask(1);
      EACH_GROUP(g) {
        FIND_BENT(C, &L[g], 0, f[g]);
        ends &= NEAR(&L[g]);
      }
      if (vany(~ends))
        break;
    }
    EACH_GROUP(g) {
      SET_BENDS(&L[g], bends);
      SET_STRICT(&L[g], 0);
      direction(C, &L[g], 0, x[g], f[g], d[g]);
      if (SEEKS)
        ends &= SURE(&L[g]);
      UNROLL
      for (int i = 0; i < NX; i++)
        x[g][i] += d[g][i];
    }
    EACH_GROUP(g)
      ends &= EVALUATE_AGAIN(C, &L[g], 0, x[g], f[g]);
    if (__builtin_expect(vany(~ends), 0))
      break;
    EACH_GROUP(g) {
      finish(C, &L[g], 0, x[g]);
      UNROLL
      for (int i = 0; i < NX; i++)
        last[g][i] = x[g][i];
      UNROLL
      for (int i = 0; i < CST_PAST * NX_PREDICTED; i++)
        behind[g][i] = next[g][i];
    }
    leave_trail(C, K, L, done + k + 1, t);
  }
  EACH_GROUP(g) {
    UNROLL
    for (int i = 0; i < NX; i++)
      warm[g * NX + i] = last[g][i];
    UNROLL
    for (int i = 0; i < CST_PAST * NX_PREDICTED; i++)
      past[g * PAST_SIZE + i] = behind[g][i];
    L[g].iterations += (double)k;
  }
  return k;
}
