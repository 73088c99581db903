/* saddle.h: lane code. The saddle matrix of the equations of motion at a point, which gives accelerations
 * and their derivatives.
 *
 *   [ M  G' ] ( x )   ( r )
 *   [ G  0  ] ( z ) = ( s )
 *
 * For r = f, s = -D2g[v, v] the solution is (A, lambda) (acceleration.h). With the residuals E1 = f - M A -
 * G'lambda, E2 = -D2g[v, v] - G A and a change (dq, dv) of the point,
 *
 *   first variation (dA, dlambda)      r, s = D(E1, E2)[dq, dv]
 *   reverse, for a covector a of A     r, s = a, 0 gives (y, z); then a.dA = grad_(q,v)(y.E1 + z.E2).(dq, dv)
 *   its change (dy, dz)                r, s = da - D(M y)[dq] - D2(z.g) dq, -D2g[y, dq]
 *
 * For the generic code only. The matrix is symmetric, so one factorization serves all three.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SADDLE_H
#define CST_SADDLE_H
#include "system/lane/acceleration.h"

/* K_point in two parts: what depends on the time, and the rest. */
#if CST_SIZED && SYS_NPOINT
#define K_clock(c, k, o)    sys_clock(c, k, o)
#define K_place(c, k, q, o) sys_place(c, k, q, o)
#else
#define K_clock(c, k, o)    (void)(k), (void)(o)
#define K_place(c, k, q, o) (void)(k), (void)(o)
#endif

/* G, the factors of S = G M^-1 G' and, where M depends on q or is full, those of M; what kernels have in
 * common at the point (K_point), of which `given` is that of the parameters. */
typedef struct {
  vd       *G, *S, *M, *e;
  const vd *given;
} cst_saddle;

#define SADDLE_G (NNZ_G)
#define SADDLE_S (GENERAL ? NG * NG : GRAM_SIZE)
#define SADDLE_M (GENERAL ? NQ * NQ : 0)
#define SADDLE_E (NPOINT)

/* Sized code has copies of these two wherever they are called. */
#if CST_SIZED
#define SADDLE_CODE CST_INLINE
#else
#define SADDLE_CODE static __attribute__((noinline, unused))
#endif

/* K.e has what depends on the time. */
SADDLE_CODE void cst_saddle_factor(const cst_context *C, const vd *c, const vd *minv, const vd *q,
                                   cst_saddle K) {
  K_place(c, K.given, q, K.e);
  K_G_AT(K.e, c, q, K.G);
  if (GENERAL) {
    vd X[ROOM(NG * NQ)];
    cst_inertia_at(C, c, K.e, q, K.M);
    cst_gram_general(C, K.G, K.M, X, K.S);
    cst_ldl(K.S, NG);
    return;
  }
  if (NG == 0)
    return;
  cst_gram_fill(C, K.G, K.G, minv, vset(1.0), 1, K.S);
  cst_gram_factor(C, K.S);
}

/* x := M^-1 x. */
CST_INLINE void cst_saddle_mass(const cst_context *C, const vd *minv, cst_saddle K, vd *x) {
  if (GENERAL)
    cst_lu_solve(K.M, x, NQ);
  else
    UNROLL
  for (int i = 0; i < NQ; i++)
    x[i] = MINV(i) * x[i];
}

/* On entry x, z are r, s; on return they are the solution. */
SADDLE_CODE void cst_saddle_solve(const cst_context *C, const vd *minv, cst_saddle K, vd *x,
                                  vd *z) {
  vd force[ROOM(NQ)];
  USES_G
  cst_saddle_mass(C, minv, K, x);
  if (NG == 0)
    return;
  UNROLL
  for (int a = 0; a < NG; a++) {
    z[a] = -z[a];
    ROW_G(a, i, e)
      z[a] += K.G[e] * x[i];
  }
  if (GENERAL) {
    cst_gram_drop(C, z);
    cst_lu_solve(K.S, z, NG);
  } else {
    cst_gram_backsolve(C, K.S, z, 1);
  }
  UNROLL
  for (int i = 0; i < NQ; i++) {
    force[i] = vset(0);
    COL_G(i, a, e)
      force[i] += K.G[e] * z[a];
  }
  cst_saddle_mass(C, minv, K, force);
  UNROLL
  for (int i = 0; i < NQ; i++)
    x[i] -= force[i];
}

/* A and lambda at (q, v); K must be factored there. */
CST_INLINE void cst_saddle_acceleration(const cst_context *C, const vd *c, const vd *minv,
                                        cst_saddle K, const vd *q, const vd *v, vd *A, vd *lambda) {
  if (GENERAL) {
    K_f_AT(K.e, c, q, v, A);
  } else {
    cst_force(C, c, K.e, q, v, A);
  }
  K_D2gvv_AT(K.e, c, q, v, lambda);
  UNROLL
  for (int a = 0; a < NG; a++)
    lambda[a] = -lambda[a];
  cst_saddle_solve(C, minv, K, A, lambda);
}

/* dA and dlambda for the change u = (dq, dv) of the point; A, lambda belong to (q, v). */
CST_INLINE void cst_saddle_variation(const cst_context *C, const vd *c, const vd *minv,
                                     cst_saddle K, const vd *q, const vd *v, const vd *A,
                                     const vd *lambda, const vd *u, vd *dA, vd *dlambda) {
  vd E[ROOM(NQ + NG)];
  K_DE_AT(K.e, c, q, v, A, u, lambda, E);
  UNROLL
  for (int i = 0; i < NQ; i++)
    dA[i] = E[i];
  UNROLL
  for (int a = 0; a < NG; a++)
    dlambda[a] = E[NQ + a];
  cst_saddle_solve(C, minv, K, dA, dlambda);
}

/* The reverse contribution of a point of a layer: (y, z) for the covector a, and in grad[2 nq] the gradient
 * of a.A + s L by (q, v). */
CST_INLINE void cst_saddle_reverse(const cst_context *C, const vd *c, const vd *minv, cst_saddle K,
                                   const vd *q, const vd *v, const vd *A, const vd *lambda,
                                   const vd *a, vd s, vd *y, vd *z, vd *grad) {
  vd w[ROOM(2 * NQ)];
  vd l[ROOM(2 * NG + 1)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    y[i] = a[i];
  UNROLL
  for (int b = 0; b < NG; b++)
    z[b] = vset(0);
  cst_saddle_solve(C, minv, K, y, z);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    w[i] = y[i];
    w[NQ + i] = A[i];
  }
  UNROLL
  for (int b = 0; b < NG; b++) {
    l[b] = lambda[b];
    l[NG + b] = z[b];
  }
  l[2 * NG] = s;
  K_RE_AT(K.e, c, q, v, w, l, grad);
}

/* The change of that contribution for the changes u = (dq, dv) of the point, dA and dlambda of its
 * accelerations, and da of the covector. */
CST_INLINE void cst_saddle_second(const cst_context *C, const vd *c, const vd *minv, cst_saddle K,
                                  const vd *q, const vd *v, const vd *A, const vd *lambda,
                                  const vd *y, const vd *z, vd s, const vd *u, const vd *dA,
                                  const vd *dlambda, const vd *da, vd *dgrad) {
  vd  w[ROOM(2 * NQ)];
  vd  l[ROOM(4 * NG + 1)];
  vd  d[ROOM(4 * NQ)];
  vd  bent[ROOM(NQ)];
  vd  moved[ROOM(NQ)];
  vd  dz[ROOM(NG)];
  vd *dy = d + 2 * NQ;
  K_D2glw_AT(K.e, c, q, u, z, bent);
  UNROLL
  for (int i = 0; i < NQ; i++)
    moved[i] = vset(0);
  if (GENERAL)
    K_DMvw_AT(K.e, c, q, y, u, moved);
  UNROLL
  for (int i = 0; i < NQ; i++)
    dy[i] = da[i] - moved[i] - bent[i];
  K_D2gvw_AT(K.e, c, q, y, u, dz);
  UNROLL
  for (int b = 0; b < NG; b++)
    dz[b] = -dz[b];
  cst_saddle_solve(C, minv, K, dy, dz);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    w[i] = y[i];
    w[NQ + i] = A[i];
    d[i] = u[i];
    d[NQ + i] = u[NQ + i];
    d[3 * NQ + i] = dA[i];
  }
  UNROLL
  for (int b = 0; b < NG; b++) {
    l[b] = lambda[b];
    l[NG + b] = z[b];
    l[2 * NG + 1 + b] = dlambda[b];
    l[3 * NG + 1 + b] = dz[b];
  }
  l[2 * NG] = s;
  K_DRE_AT(K.e, c, q, v, w, d, l, dgrad);
}
#endif
