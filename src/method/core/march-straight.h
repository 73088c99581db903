/* march-straight.h: one correction for every lane: the march of sized code through steps with nothing to decide. Part of
 * march.h.
 *
 * Most steps of a smooth motion are such where the step is short. What else may happen in one is left out
 * here: sizes of updates, lanes that end before others, lanes that are not extrapolated. The first step with
 * such a thing is left to the ordinary loop, as if it had not been tried.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* As extrapolate has it: x from the unknowns of the last step and the differences behind them. */
CST_INLINE void extrapolate_all(const cst_context *C, vd *x, vd *past) {
  x += NX - NX_PREDICTED;
  UNROLL
  for (int i = 0; i < NX_PREDICTED; i++) {
    vd d = x[i], sum = d;
    CST_UNROLL
    for (int k = 0; k < CST_PAST; k++) {
      const vd before = past[k * NX_PREDICTED + i];
      past[k * NX_PREDICTED + i] = d;
      d -= before;
      sum += d;
    }
    x[i] = sum;
  }
  (void)C, (void)x, (void)past;
}

/* What a step leaves in these fields is not kept. */
#define FORGET(name, n)                                                                            \
  UNROLL                                                                                           \
  for (int i = 0; i < (n); i++)                                                                    \
    L->name[i] = of->name[i];
CST_INLINE void hand_back(const cst_context *C, struct local *L, struct local *of) {
  PASSING(FORGET)
  L->c = of->c;
  *of = *L;
  (void)C;
}

/* At most n steps of K groups from step `done` on, in copies of what march_with keeps, which registers hold.
 * Returns how many are done. *begun: whether the unknowns of the step behind them have been extrapolated. */
CST_INLINE long march_single(const cst_context *shared, const int K, struct local *groups, vd *warm,
                             vd *past, long done, long n, trail *t, int *begun) {
  const cst_lane_substep sub = ((const cst_march *)shared)->sub[0];
  cst_march              own = *(const cst_march *)shared;
  const cst_context     *C = &own.group;
  struct local           L[BESIDE];
  vd                     c[BESIDE][ROOM(NPAR)];
  vd                     f[BESIDE][ROOM(NX)];
  vd                     x[BESIDE][ROOM(NX)];
  vd                     start[BESIDE][ROOM(NX)];
  vd                     d[BESIDE][ROOM(NX)];
  vl                     due = vmask(0);
  long                   k = 0;
  if (TIMED || !PREDICTS || FREELY || MARCH->nsub != 1 || !MARCH->opens)
    return 0;
  own.sub = &sub;
  own.opens = 1;
  EACH_GROUP(g)
    due |= (vl)(DUE(past + g * PAST_SIZE) > 0);
  if (vany(due))
    return 0;
  EACH_GROUP(g) {
    L[g] = groups[g];
    cst_load(c[g], (const double *)groups[g].c, 0, NPAR);
    L[g].c = c[g];
    UNROLL
    for (int i = 0; i < NX; i++)
      x[g][i] = warm[g * NX + i];
  }
  for (; k < n; k++) {
    vl ends = vmask(1);
    EACH_GROUP(g) {
      extrapolate_all(C, x[g], past + g * PAST_SIZE);
      UNROLL
      for (int i = 0; i < NX; i++)
        start[g][i] = x[g][i];
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
    EACH_GROUP(g)
      finish(C, &L[g], 0, x[g]);
    leave_trail(C, K, L, done + k + 1, t);
  }
  *begun = k < n;
  EACH_GROUP(g) {
    UNROLL
    for (int i = 0; i < NX; i++)
      warm[g * NX + i] = vpick(k < n, start[g][i], x[g][i]);
    L[g].iterations += (double)k;
    hand_back(C, &L[g], &groups[g]);
  }
  return k;
}
