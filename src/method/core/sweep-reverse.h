/* sweep-reverse.h: lane code: the derivatives of a one-step layer in reverse, and forward over reverse
 * (second); sweep.h has the equations, the values and the tangents.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SWEEP_REVERSE_H
#define CST_SWEEP_REVERSE_H
#include "method/core/sweep.h"

/* out := base + t sum_j a_ji K_j. */
CST_INLINE void cst_sweep_column(const cst_context *C, const cst_sweep *H, int i, const vd *base,
                                 const vd *K, vd *out) {
  const cst_lane_layer *T = H->layer;
  UNROLL
  for (int k = 0; k < NQ; k++)
    out[k] = base ? base[k] : vset(0);
  for (int j = T->implicit ? 0 : i + 1; j < T->stages; j++)
    if (T->a[j * T->stages + i] != 0)
      UNROLL
  for (int k = 0; k < NQ; k++)
    out[k] += (H->t * T->a[j * T->stages + i]) * K[j * NQ + k];
}

/* The covectors of stage i, from those of the others. */
CST_INLINE void cst_sweep_reverse_at(const cst_context *C, const cst_sweep *H, int i, const vd *x,
                                     vd s, vd *Qx, vd *Vx) {
  const vd tb = H->t * H->layer->b[i];
  vd       a[ROOM(NQ)];
  vd       direct[ROOM(NQ)];
  vd       grad[ROOM(2 * NQ)];
  cst_sweep_column(C, H, i, NULL, H->Vx, a);
  UNROLL
  for (int k = 0; k < NQ; k++)
    direct[k] = tb * x[k];
  cst_sweep_column(C, H, i, direct, H->Qx, direct);
  cst_sweep_clock(C, H, i);
  cst_saddle_reverse(C, H->c, H->minv, cst_sweep_saddle(C, H, i), AT_STAGE(Q), AT_STAGE(V),
                     AT_STAGE(A), H->lambda + i * NG, a, tb * s, AT_STAGE(y), H->z + i * NG, grad);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    Qx[k] = grad[k];
    Vx[k] = direct[k] + grad[NQ + k];
  }
}

/* A lane ends where both covectors are at rest in one sweep: one of them may rest before the other has
 * reached it. y and z, which every sweep writes for all lanes, are then made of the last covectors, however
 * long other lanes took. */
static __attribute__((noinline, unused)) void
cst_sweep_reverse_implicit(const cst_context *C, const cst_sweep *H, const vd *x, vd s) {
  const int n = H->layer->stages * NQ;
  vd        now[ROOM(2 * n)];
  vd        last[2] = {vset(INFINITY), vset(INFINITY)};
  vl        active = vmask(1);
  for (int k = 0; k < n; k++)
    H->Qx[k] = H->Vx[k] = vset(0);
  for (int it = 0; it < CST_MOST_SWEEPS && vany(active); it++) {
    for (int i = 0; i < H->layer->stages; i++)
      cst_sweep_reverse_at(C, H, i, x, s, now + i * NQ, now + n + i * NQ);
    const vl rest = cst_sweep_take(active, now, H->Qx, n, &last[0]);
    active &= ~(rest & cst_sweep_take(active, now + n, H->Vx, n, &last[1]));
  }
  for (int i = 0; i < H->layer->stages; i++)
    cst_sweep_reverse_at(C, H, i, x, s, now + i * NQ, now + n + i * NQ);
}

/* grad[2 nq] := the gradient of x.q1 + s S by (q, v), at the (q, v) of the last value. */
static __attribute__((noinline, unused)) void cst_sweep_reverse(const cst_context *C,
                                                                const cst_sweep *H, const vd *q,
                                                                const vd *v, const vd *x, vd s,
                                                                vd *grad) {
  const int n = H->layer->stages;
  if (H->layer->flow && cst_sweep_moves(H)) {
    cst_sweep_formulas(C, H, CST_FLOW_reverse, q, v, x, s, NULL, grad);
    return;
  }
  UNROLL
  for (int k = 0; k < NQ; k++) {
    grad[k] = x[k];
    grad[NQ + k] = vset(0);
  }
  if (!cst_sweep_moves(H))
    return;
  if (H->layer->implicit)
    cst_sweep_reverse_implicit(C, H, x, s);
  else
    for (int i = n - 1; i >= 0; i--)
      cst_sweep_reverse_at(C, H, i, x, s, AT_STAGE(Qx), AT_STAGE(Vx));
  for (int i = n - 1; i >= 0; i--)
    UNROLL
  for (int k = 0; k < NQ; k++) {
    grad[k] += H->Qx[i * NQ + k];
    grad[NQ + k] += H->Vx[i * NQ + k];
  }
}

CST_INLINE void cst_sweep_second_at(const cst_context *C, const cst_sweep *H, int i, const vd *dx,
                                    vd s) {
  const vd tb = H->t * H->layer->b[i];
  vd       da[ROOM(NQ)];
  vd       direct[ROOM(NQ)];
  vd       u[ROOM(2 * NQ)];
  vd       grad[ROOM(2 * NQ)];
  cst_sweep_column(C, H, i, NULL, H->dVx, da);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    direct[k] = tb * dx[k];
    u[k] = H->dQ[i * NQ + k];
    u[NQ + k] = H->dV[i * NQ + k];
  }
  cst_sweep_column(C, H, i, direct, H->dQx, direct);
  cst_sweep_clock(C, H, i);
  cst_saddle_second(C, H->c, H->minv, cst_sweep_saddle(C, H, i), AT_STAGE(Q), AT_STAGE(V),
                    AT_STAGE(A), H->lambda + i * NG, AT_STAGE(y), H->z + i * NG, tb * s, u,
                    AT_STAGE(dA), H->dlambda + i * NG, da, grad);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    H->dQx[i * NQ + k] = grad[k];
    H->dVx[i * NQ + k] = direct[k] + grad[NQ + k];
  }
}

/* dgrad[2 nq] := the change of the gradient for the change u = (dq, dv) of the last tangent and dx of x; x
 * and s are those of the last reverse. */
static __attribute__((noinline, unused)) void
cst_sweep_second(const cst_context *C, const cst_sweep *H, const vd *q, const vd *v, const vd *x,
                 vd s, const vd *u, const vd *dx, vd *dgrad) {
  const int n = H->layer->stages;
  if (H->layer->flow && cst_sweep_moves(H)) {
    vd all[ROOM(3 * NQ)];
    UNROLL
    for (int k = 0; k < NQ; k++) {
      all[k] = u[k];
      all[NQ + k] = u[NQ + k];
      all[2 * NQ + k] = dx[k];
    }
    cst_sweep_formulas(C, H, CST_FLOW_second, q, v, x, s, all, dgrad);
    return;
  }
  UNROLL
  for (int k = 0; k < NQ; k++) {
    dgrad[k] = dx[k];
    dgrad[NQ + k] = vset(0);
  }
  if (!cst_sweep_moves(H))
    return;
  for (int k = 0; k < n * NQ && H->layer->implicit; k++)
    H->dQx[k] = H->dVx[k] = vset(0);
  for (int it = 0; it < (H->layer->implicit ? CST_TANGENT_SWEEPS : 1); it++)
    for (int i = n - 1; i >= 0; i--)
      cst_sweep_second_at(C, H, i, dx, s);
  for (int i = n - 1; i >= 0; i--)
    UNROLL
  for (int k = 0; k < NQ; k++) {
    dgrad[k] += H->dQx[i * NQ + k];
    dgrad[NQ + k] += H->dVx[i * NQ + k];
  }
}
#endif
