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

/* L->start: w, mu+ and r from the state alone, without multipliers. The values of the sweeps are those of
 * this w; theta[ng] is the multiplier that makes mu+ tangential. */
CST_INLINE void predict_unknowns(const cst_context *C, struct local *L, int j, vd *theta) {
  vd *const x = L->start;
  predict(C, L, j, x);
  take_values(C, L, x);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < L->sweep[k].layer->stages * NQ && L->sweep[k].layer->implicit; i++)
      L->sweep[k].first[i] = L->sweep[k].A[i];
  for (int i = 0; i < NQ; i++)
    x[R_ + i] = END_Q(1)[i];
  cst_momentum(C, L->c, L->m, x + R_, END_V(1), x + MU);
  gram_at(C, L, x + R_, L->E1, L->G1, L->S1);
  make_tangential(C, L, L->G1, L->S1, NULL, x + MU, theta);
  for (int a = 0; a < NG; a++)
    theta[a] = -theta[a];
  for (int a = 0; a < 4 * NG; a++)
    x[4 * NQ + a] = vset(0);
}

/* The matrix of the chord at L->start. */
CST_INLINE void begin_matrix(const cst_context *C, struct local *L, int j) {
  if (OWN(0)->iteration != CST_ITERATION_CHORD || exact(C))
    return;
  for (int i = 0; i < NQ; i++)
    L->minus[i] = L->p[i];
  matrix_of_chord(C, L, j, L->q);
  make_matrix(C, L, j, L->start, 0);
}

/* On entry x holds by how much the unknowns differ from the prediction, extrapolated from the last steps. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd theta[ROOM(NG)];
  L->by_mass = OWN(j)->by_mass;
#if FIBRED
  L->iota = OWN(j)->iota;
#endif
  if (OWN(j)->of_w)
    leave_w(C, L, j);
  prepare(C, L);
  place_sweeps(C, L, j);
  first_stages(C, L, j);
  predict_unknowns(C, L, j, theta);
  begin_matrix(C, L, j);
  for (int i = 0; i < NX; i++)
    x[i] = vpick(MARCH->smooth && !MARCH->attempt, L->start[i] + x[i], L->start[i]);
#if !FIBRED
  L->varied = 0;
  if (ADAPTS)
    enter_tangent_space(C, L, x);
#endif
}
