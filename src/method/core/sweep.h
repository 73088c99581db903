/* sweep.h: lane code: a one-step layer R_t of q' = v, v' = A(q, v), S' = L, and its derivatives by machine:
 * forward (tangent), in reverse, and forward over reverse (second), for any tableau and for formulas
 * (method/texts/flow.h).
 *
 *   V_i = v + t sum a_ij A_j,  Q_i = q + t sum a_ij V_j,  A_i = A(Q_i, V_i);
 *   q1 = q + t sum b_i V_i,  v1 = v + t sum b_i A_i
 *   S = t sum b_i L(Q_i, V_i)
 *
 * In reverse, for the gradient of x.q1 + s S by (q, v): with Qx_i, Vx_i the covectors of Q_i, V_i,
 *
 *   a_i = t sum_j a_ji Vx_j,   (Qx_i, Vx_i) = grad_(q,v)(a_i.A + t b_i s L)
 *         + (0, t b_i x + t sum_j a_ji Qx_j)
 *   gradient = (x + sum Qx_i, sum Vx_i)
 *
 * Stages of an implicit tableau are iterated functionally, each lane to its own stagnation, from `first`,
 * so that the result depends on nothing but the arguments and `first`. Their tangents are only used for
 * Newton's matrices: a fixed number of iterations will do.
 *
 * Who includes this says in STAGES how many there is room for.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SWEEP_H
#define CST_SWEEP_H
#include "method/texts/flow.h"
#include "method/texts/lane-layer.h"
#include "system/lane/saddle.h"

enum { CST_MOST_SWEEPS = 200, CST_TANGENT_SWEEPS = 8 };

/* One layer over a time t of each lane, 0 in all of them or in none, and what its stages leave for the
 * derivatives. Arrays [stages][...]. */
typedef struct {
  const cst_lane_layer *layer;
  vd                    t;
  const vd             *c;
  const vd             *minv;
  const vd             *given; /* of K_given */
  /* Points, accelerations, saddle matrices; E: of K_place. */
  vd *Q;
  vd *V;
  vd *A;
  vd *lambda;
  vd *G;
  vd *S;
  vd *M;
  vd *E;
  /* Accelerations that the iteration of implicit stages begins with. */
  vd *first;
  /* Left by reverse. */
  vd *y;
  vd *z;
  vd *Qx;
  vd *Vx;
  /* Left by tangent. */
  vd *dQ;
  vd *dV;
  vd *dA;
  vd *dlambda;
  /* Used by second. */
  vd *dQx;
  vd *dVx;
  /* Of systems that depend on the time: where in c it stands, and the time of (q, v). */
  vd *clock;
  vd  at;
} cst_sweep;

/* The arrays of a sweep and the entries that a stage has of each; `...` is handed on to ROW. */
#define CST_SWEEP_ARRAYS(ROW, ...)                                                                 \
  ROW(Q, NQ, __VA_ARGS__)                                                                          \
  ROW(V, NQ, __VA_ARGS__)                                                                          \
  ROW(A, NQ, __VA_ARGS__)                                                                          \
  ROW(lambda, NG, __VA_ARGS__)                                                                     \
  ROW(G, SADDLE_G, __VA_ARGS__)                                                                    \
  ROW(S, SADDLE_S, __VA_ARGS__)                                                                    \
  ROW(M, SADDLE_M, __VA_ARGS__)                                                                    \
  ROW(E, SADDLE_E, __VA_ARGS__)                                                                    \
  ROW(first, NQ, __VA_ARGS__)                                                                      \
  ROW(y, NQ, __VA_ARGS__)                                                                          \
  ROW(z, NG, __VA_ARGS__)                                                                          \
  ROW(Qx, NQ, __VA_ARGS__)                                                                         \
  ROW(Vx, NQ, __VA_ARGS__)                                                                         \
  ROW(dQ, NQ, __VA_ARGS__)                                                                         \
  ROW(dV, NQ, __VA_ARGS__)                                                                         \
  ROW(dA, NQ, __VA_ARGS__)                                                                         \
  ROW(dlambda, NG, __VA_ARGS__)                                                                    \
  ROW(dQx, NQ, __VA_ARGS__)                                                                        \
  ROW(dVx, NQ, __VA_ARGS__)

/* Fields of two sweeps, for the LOCAL list of a core. */
#define CST_SWEEP_FIELDS(X)         CST_SWEEP_ARRAYS(CST_SWEEP_FIELD, X)
#define CST_SWEEP_FIELD(name, n, X) X(name, 2 * STAGES * (n))
/* Sweep k of the two in `fields`, which have c, minv and given. */
#define CST_SWEEP_OF(fields, k, which, time)                                                       \
  (cst_sweep) {                                                                                    \
    .layer = (which), .t = (time), .c = (fields)->c, .minv = (fields)->minv,                       \
    .given = (fields)->given, CST_SWEEP_ARRAYS(CST_SWEEP_TAKE, fields, k)                          \
  }
#define CST_SWEEP_TAKE(name, n, fields, k) .name = (fields)->name + (k)*STAGES * (n),

CST_INLINE cst_saddle cst_sweep_saddle(const cst_context *C, const cst_sweep *H, int i) {
  return (cst_saddle){
      .G = H->G + i * SADDLE_G,
      .S = H->S + i * SADDLE_S,
      .M = H->M + i * SADDLE_M,
      .e = H->E + i * SADDLE_E,
      .given = H->given,
  };
}

CST_INLINE int cst_sweep_moves(const cst_sweep *H) { return vany((vl)(H->t != 0)); }

/* The NQ entries of stage i in this array of H. */
#define AT_STAGE(name) (H->name + i * NQ)

/* The time of stage i, before its kernels are called. */
CST_INLINE void cst_sweep_clock(const cst_context *C, const cst_sweep *H, int i) {
  if (TIMED)
    *H->clock = H->at + H->t * cst_stage_time(H->layer, i);
  (void)C, (void)H, (void)i;
}

/* What depends on the time alone at its stages, once for all sweeps over them. */
CST_INLINE void cst_sweep_times(const cst_context *C, const cst_sweep *H) {
  for (int i = 0; i < H->layer->stages && TIMED; i++) {
    cst_sweep_clock(C, H, i);
    K_clock(H->c, H->given, H->E + i * SADDLE_E);
  }
}

/* out := base + t sum_l a_il K_l, without base where it is NULL; over the stages that the tableau names. */
CST_INLINE void cst_sweep_row(const cst_context *C, const cst_sweep *H, int i, const vd *base,
                              const vd *K, vd *out) {
  const cst_lane_layer *T = H->layer;
  UNROLL
  for (int k = 0; k < NQ; k++)
    out[k] = base ? base[k] : vset(0);
  for (int l = 0, n = T->implicit ? T->stages : i; l < n; l++)
    if (T->a[i * T->stages + l] != 0)
      UNROLL
  for (int k = 0; k < NQ; k++)
    out[k] += (H->t * T->a[i * T->stages + l]) * K[l * NQ + k];
}

/* out := base + t sum b_i K_i. */
CST_INLINE void cst_sweep_end(const cst_context *C, const cst_sweep *H, const vd *base, const vd *K,
                              vd *out) {
  UNROLL
  for (int k = 0; k < NQ; k++) {
    out[k] = base[k];
    for (int i = 0; i < H->layer->stages; i++)
      if (H->layer->b[i] != 0)
        out[k] += (H->t * H->layer->b[i]) * K[i * NQ + k];
  }
}

/* K := K with `now` in the lanes that still move; returns those that have come to rest by this change. */
CST_INLINE vl cst_sweep_take(vl active, const vd *now, vd *K, int n, vd *last) {
  vd size = vset(0);
  vd of = vset(0);
  for (int k = 0; k < n; k++) {
    size = vmax(vabs(now[k] - K[k]), size);
    of = vmax(vabs(now[k]), of);
    K[k] = vselect(active, now[k], K[k]);
  }
  vl small = (vl)(size <= EPS * of);
  vl stalled = (vl)(size >= 0.9 * *last) & (vl)(size <= 1e-12 * of);
  *last = size;
  return active & (small | stalled);
}

/* A of the stages of an implicit tableau. */
static __attribute__((noinline, unused)) void
cst_sweep_iterate(const cst_context *C, const cst_sweep *H, const vd *q, const vd *v) {
  const int s = H->layer->stages;
  vd        now[ROOM(s * NQ)];
  vd        lambda[ROOM(NG)];
  vd        last = vset(INFINITY);
  vl        active = vmask(1);
  for (int k = 0; k < s * NQ; k++)
    H->A[k] = H->first[k];
  for (int it = 0; it < CST_MOST_SWEEPS && vany(active); it++) {
    for (int i = 0; i < s; i++)
      cst_sweep_row(C, H, i, v, H->A, AT_STAGE(V));
    for (int i = 0; i < s; i++) {
      cst_sweep_row(C, H, i, q, H->V, AT_STAGE(Q));
      cst_sweep_clock(C, H, i);
      cst_acceleration(C, H->c, H->minv, AT_STAGE(Q), AT_STAGE(V), now + i * NQ, lambda);
    }
    active &= ~cst_sweep_take(active, now, H->A, s * NQ, &last);
  }
  for (int i = 0; i < s; i++)
    cst_sweep_row(C, H, i, v, H->A, AT_STAGE(V));
}

CST_INLINE void cst_sweep_formulas(const cst_context *C, const cst_sweep *H, cst_flow_kernel_id k,
                                   const vd *q, const vd *v, const vd *x, vd s, const vd *u,
                                   vd *out) {
  const vd l[2] = {H->t, s};
  H->layer->flow[k](H->layer->self, (const double *)H->c, (const double *)q, (const double *)v,
                    (const double *)x, (const double *)u, (const double *)l, (double *)out);
  (void)C;
}

CST_INLINE void cst_sweep_split(const cst_context *C, const vd *both, vd *x, vd *y) {
  UNROLL
  for (int k = 0; k < NQ; k++) {
    x[k] = both[k];
    y[k] = both[NQ + k];
  }
}

/* (q1, v1) of a step of t from (q, v). */
static __attribute__((noinline, unused)) void cst_sweep_value(const cst_context *C,
                                                              const cst_sweep *H, const vd *q,
                                                              const vd *v, vd *q1, vd *v1) {
  if (!cst_sweep_moves(H)) {
    UNROLL
    for (int k = 0; k < NQ; k++) {
      q1[k] = q[k];
      v1[k] = v[k];
    }
    return;
  }
  if (H->layer->flow) {
    vd both[ROOM(2 * NQ)];
    cst_sweep_formulas(C, H, CST_FLOW_value, q, v, NULL, vset(0), NULL, both);
    cst_sweep_split(C, both, q1, v1);
    return;
  }
  if (H->layer->implicit)
    cst_sweep_iterate(C, H, q, v);
  for (int i = 0; i < H->layer->stages; i++) {
    cst_saddle K = cst_sweep_saddle(C, H, i);
    if (!H->layer->implicit)
      cst_sweep_row(C, H, i, v, H->A, AT_STAGE(V));
    cst_sweep_row(C, H, i, q, H->V, AT_STAGE(Q));
    cst_sweep_clock(C, H, i);
    cst_saddle_factor(C, H->c, H->minv, AT_STAGE(Q), K);
    cst_saddle_acceleration(C, H->c, H->minv, K, AT_STAGE(Q), AT_STAGE(V), AT_STAGE(A),
                            H->lambda + i * NG);
  }
  cst_sweep_end(C, H, q, H->V, q1);
  cst_sweep_end(C, H, v, H->A, v1);
}

CST_INLINE void cst_sweep_tangent_at(const cst_context *C, const cst_sweep *H, int i, const vd *dq,
                                     const vd *dv) {
  vd u[ROOM(2 * NQ)];
  cst_sweep_row(C, H, i, dv, H->dA, AT_STAGE(dV));
  cst_sweep_row(C, H, i, dq, H->dV, AT_STAGE(dQ));
  UNROLL
  for (int k = 0; k < NQ; k++) {
    u[k] = H->dQ[i * NQ + k];
    u[NQ + k] = H->dV[i * NQ + k];
  }
  cst_sweep_clock(C, H, i);
  cst_saddle_variation(C, H->c, H->minv, cst_sweep_saddle(C, H, i), AT_STAGE(Q), AT_STAGE(V),
                       AT_STAGE(A), H->lambda + i * NG, u, AT_STAGE(dA), H->dlambda + i * NG);
}

/* The change (dq1, dv1) for the change (dq, dv), at the (q, v) of the last value. sweeps: how often the stages of an
 * implicit tableau are iterated. */
static __attribute__((noinline, unused)) void
cst_sweep_tangent(const cst_context *C, const cst_sweep *H, int sweeps, const vd *q, const vd *v,
                  const vd *dq, const vd *dv, vd *dq1, vd *dv1) {
  const int s = H->layer->stages;
  if (!cst_sweep_moves(H)) {
    UNROLL
    for (int k = 0; k < NQ; k++) {
      dq1[k] = dq[k];
      dv1[k] = dv[k];
    }
    return;
  }
  if (H->layer->flow) {
    vd both[ROOM(2 * NQ)];
    vd u[ROOM(2 * NQ)];
    UNROLL
    for (int k = 0; k < NQ; k++) {
      u[k] = dq[k];
      u[NQ + k] = dv[k];
    }
    cst_sweep_formulas(C, H, CST_FLOW_tangent, q, v, NULL, vset(0), u, both);
    cst_sweep_split(C, both, dq1, dv1);
    return;
  }
  for (int k = 0; k < s * NQ && H->layer->implicit; k++) {
    H->dA[k] = vset(0);
    H->dV[k] = dv[k % NQ];
  }
  for (int it = 0; it < (H->layer->implicit ? sweeps : 1); it++)
    for (int i = 0; i < s; i++)
      cst_sweep_tangent_at(C, H, i, dq, dv);
  cst_sweep_end(C, H, dq, H->dV, dq1);
  cst_sweep_end(C, H, dv, H->dA, dv1);
}

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
