/* convert-start.h: how a step of convert(...) begins: from the state to pb and its velocity, the unknowns
 * that are predicted from them alone, and Newton's matrix there. Part of convert.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* The state as the step needs it: pb tangential, its velocity and the multiplier mb with pb = M vb + a +
 * G'mb. */
static void prepare(const cst_context *C, struct local *L) {
  vd unused[ROOM(NG)], kinetic[ROOM(NQ)];
  gram_at(C, L, L->q, L->Eb, L->Gb, L->Sb);
  make_tangential(C, L, L->Gb, L->Sb, NULL, L->p, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    kinetic[i] = L->p[i];
  if (NVEL > 0)
    K_G_AT(L->Eb, L->c, L->q, L->phib);
  if (NG > 0)
    cst_make_tangent(C, L->c, L->q, NVEL ? L->phib : L->Gb, L->minv, kinetic, L->mb);
  cst_velocity(C, L->c, L->m, L->q, kinetic, L->vb);
}

CST_INLINE void place_sweeps(const cst_context *C, struct local *L, int j) {
  const struct data *s = OWN(j);
  for (int k = 0; k < 2; k++)
    L->sweep[k] = CST_SWEEP_OF(L, k, &s->layer[k], H(j) * (k ? 1 + s->bias : s->bias));
  for (int k = 0; k < 2 && TIMED; k++) {
    L->sweep[k].clock = L->own + ACCOUNT - 1;
    L->sweep[k].at = START_OF(L, j) - H(j) * s->bias;
    cst_sweep_times(C, &L->sweep[k]);
  }
}

/* Implicit stages begin with the acceleration at the start of the step. */
static void first_stages(const cst_context *C, struct local *L, int j) {
  vd A[ROOM(NQ)], lambda[ROOM(NG)];
  if (!L->sweep[0].layer->implicit && !L->sweep[1].layer->implicit)
    return;
  SET_TIME(L, START_OF(L, j));
  cst_acceleration(C, L->c, L->minv, L->q, L->vb, A, lambda);
  for (int k = 0; k < 2; k++)
    for (int stage = 0; stage < L->sweep[k].layer->stages; stage++)
      UNROLL
  for (int i = 0; i < NQ; i++)
    L->sweep[k].first[stage * NQ + i] = A[i];
}

CST_INLINE void take_values(const cst_context *C, struct local *L, const vd *w) {
  for (int k = 0; k < 2; k++)
    cst_sweep_value(C, &L->sweep[k], w, w + NQ, END_Q(k), END_V(k));
}

/* w := R_{-h alpha-}(qb, vb), or where that led nowhere (qb, vb) itself. */
static void predict(const cst_context *C, const struct local *L, int j, vd *x) {
  cst_sweep back = L->sweep[0];
  if (TIMED)
    back.at = START_OF(L, j);
  (void)j;
  back.t = vpick(MARCH->attempt < 2, -back.t, vset(0));
  cst_sweep_times(C, &back);
  cst_sweep_value(C, &back, L->q, L->vb, x + Q_, x + V_);
  cst_sweep_times(C, &L->sweep[0]);
}

#include "method/core/convert-state.h"

/* The same, unless w is that of the last values in all lanes. Stages of an implicit layer depend on those that
 * their iteration begins with. */
static void take_values_again(const cst_context *C, struct local *L, const vd *w) {
  vl other = vmask(L->sweep[0].layer->implicit || L->sweep[1].layer->implicit);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++) {
    other |= (vl)(w[i] != L->last_w[i]);
    L->last_w[i] = w[i];
  }
  if (vany(other))
    take_values(C, L, w);
}

/* G1 and S1 at r. */
static void take_foot_again(const cst_context *C, struct local *L, const vd *r) {
  vl other = vmask(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    other |= (vl)(r[i] != L->last_r[i]);
    L->last_r[i] = r[i];
  }
  if (vany(other))
    gram_at(C, L, r, L->E1, L->G1, L->S1);
}

/* r and mu+ of L->start and of x: those of w, of which the values are taken, and from there on by how much x
 * holds. */
static void begin_ends(const cst_context *C, struct local *L, vd *x) {
  vd *const start = L->start;
  const int differs = MARCH->smooth && !MARCH->attempt;
  vd        unused[ROOM(NG)];
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    L->first_w[i] = L->last_w[i] = x[i];
  take_values(C, L, x);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < L->sweep[k].layer->stages * NQ && L->sweep[k].layer->implicit; i++)
      L->sweep[k].first[i] = L->sweep[k].A[i];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    start[R_ + i] = END_Q(1)[i];
    x[R_ + i] = L->last_r[i] = vpick(differs, start[R_ + i] + x[R_ + i], start[R_ + i]);
  }
  gram_at(C, L, x + R_, L->E1, L->G1, L->S1);
  cst_momentum(C, L->c, L->m, x + R_, END_V(1), start + MU);
  make_tangential(C, L, L->G1, L->S1, NULL, start + MU, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    x[MU + i] = vpick(differs, start[MU + i] + x[MU + i], start[MU + i]);
  UNROLL
  for (int a = 0; a < 4 * NG; a++) {
    start[4 * NQ + a] = vset(0);
    x[4 * NQ + a] = vpick(differs, x[4 * NQ + a], vset(0));
  }
}

/* Adds to dr and dp how r and p+ change with w by dw: as in the chord. */
static void add_by_chord(const cst_context *C, const struct local *L, const vd *x, const vd *dw,
                         vd *dr, vd *dp) {
  vd before[ROOM(NQ)], after[ROOM(NQ)];
  cst_momentum(C, L->c, L->m, x + Q_, L->first_w + NQ, before);
  cst_momentum(C, L->c, L->m, x + Q_, x + V_, after);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    dr[i] += dw[i] + L->sweep[1].t * dw[NQ + i];
    dp[i] += after[i] - before[i];
  }
}

/* What r and mu+ of L->start are for w of the solution x, to first order in the distance: by how much x differs
 * from this is smooth in time. G1 and S1 are those at r. */
static void follow_start(const cst_context *C, struct local *L, const vd *x) {
  vd dw[ROOM(2 * NQ)], dp[ROOM(NQ)], unused[ROOM(NG)];
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    dw[i] = x[Q_ + i] - L->first_w[i];
  UNROLL
  for (int i = 0; i < NQ; i++)
    dp[i] = vset(0);
#if !FIBRED
  if (ADAPTS)
    add_by_flow(C, L, dw, L->start + R_, dp);
  else
#endif
    add_by_chord(C, L, x, dw, L->start + R_, dp);
  make_tangential(C, L, L->G1, L->S1, NULL, dp, unused);
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->start[MU + i] += dp[i];
}

/* The matrix of the chord at x. */
static void begin_matrix(const cst_context *C, struct local *L, int j, const vd *x) {
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->minus[i] = L->p[i];
  matrix_of_chord(C, L, j, L->q);
  make_matrix(C, L, j, x, 0);
}

/* On entry x holds by how much the unknowns differ from the prediction, extrapolated from the last steps. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  L->by_mass = OWN(j)->by_mass;
#if FIBRED
  L->iota = OWN(j)->iota;
#endif
  if (OWN(j)->of_w)
    leave_w(C, L, j);
  prepare(C, L);
  place_sweeps(C, L, j);
  first_stages(C, L, j);
  predict(C, L, j, L->start);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    x[i] = vpick(MARCH->smooth && !MARCH->attempt, L->start[i] + x[i], L->start[i]);
#if !FIBRED
  if (ADAPTS)
    enter_tangent_space(C, L, x);
#endif
  begin_ends(C, L, x);
  if (OWN(0)->iteration == CST_ITERATION_CHORD && !exact(C))
    begin_matrix(C, L, j, x);
#if !FIBRED
  if (ADAPTS)
    make_flow(C, L, j, x);
#endif
}
