/* reactions.h: lane code: accelerations and multipliers where the matrix of the constraints is not that of
 * other systems: coordinates have no mass, or forces depend on the multipliers. Part of acceleration.h, for the
 * generic code only.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REACTIONS_H
#define CST_REACTIONS_H
#include <math.h>
#include "system/lane/gram.h"

#if !CST_SIZED
/* [ M  G' ] (x, z) = (r, s) at q, in place: x and z are r and s at first. A dropped constraint has z = 0. The
 * matrix is eliminated with pivoting, as a whole, since coordinates without mass have no entry on its
 * diagonal. */
static __attribute__((noinline, unused)) void cst_whole_saddle(const cst_context *C, const vd *c,
                                                               const vd *q, vd *x, vd *z) {
  const int n = NQ + NG;
  vd        M[ROOM(NNZ_M)], G[ROOM(NNZ_G)], J[ROOM(n * n)], y[ROOM(n)];
  USES_M
  USES_G
  K_M(c, q, M);
  K_G(c, q, G);
  cst_gram_drop(C, z);
  for (int k = 0; k < n * n; k++)
    J[k] = vset(0);
  for (int i = 0; i < NQ; i++) {
    y[i] = x[i];
    ROW_M(i, j, e)
      J[i * n + j] = M[e];
  }
  for (int a = 0; a < NG; a++) {
    y[NQ + a] = z[a];
    if (DROPPED(a)) {
      J[(NQ + a) * (n + 1)] = vset(1);
      continue;
    }
    ROW_G(a, i, e)
      J[i * n + NQ + a] = J[(NQ + a) * n + i] = G[e];
  }
  cst_pivoted_solve(J, y, n);
  for (int i = 0; i < NQ; i++)
    x[i] = y[i];
  for (int a = 0; a < NG; a++)
    z[a] = y[NQ + a];
}

/* x := M A without constraints, z := -D2g[v, v]; then A and lambda. */
CST_INLINE void cst_massless_acceleration(const cst_context *C, const vd *c, const vd *q,
                                          const vd *v, vd *A, vd *lambda) {
  K_f(c, q, v, A);
  K_D2gvv(c, q, v, lambda);
  for (int a = 0; a < NG; a++)
    lambda[a] = -lambda[a];
  cst_whole_saddle(C, c, q, A, lambda);
}

/* v and m with M v = p - a - G'm, G v + phi0 = 0. */
CST_INLINE void cst_massless_velocity(const cst_context *C, const vd *c, const vd *q, const vd *p,
                                      vd *v, vd *m) {
  K_a(c, q, v);
  K_phi0(c, q, m);
  for (int a = 0; a < NG; a++)
    m[a] = vpick(AFFINE, -m[a], vset(0));
  for (int i = 0; i < NQ; i++)
    v[i] = p[i] - v[i];
  cst_whole_saddle(C, c, q, v, m);
}

/* X := G M^-1 and S := G M^-1 G', full. */
CST_INLINE void cst_full_gram(const cst_context *C, const vd *c, const vd *minv, const vd *q,
                              const vd *G, vd *M, vd *X, vd *S) {
  USES_G
  if (GENERAL) {
    cst_inertia(C, c, q, M);
    cst_gram_general(C, G, M, X, S);
    return;
  }
  for (int a = 0; a < NG; a++) {
    for (int i = 0; i < NQ; i++)
      X[a * NQ + i] = vset(0);
    ROW_G(a, i, e)
      X[a * NQ + i] = G[e] * MINV(i);
  }
  for (int a = 0; a < NG; a++)
    for (int b = 0; b < NG; b++) {
      vd s = vset(0);
      ROW_G(b, i, e)
        s += X[a * NQ + i] * G[e];
      S[a * NG + b] = vpick(DROPPED(a) || DROPPED(b), vset(a == b), s);
    }
}

enum { CST_MOST_SLIPS = 40 }; /* iterations for the multipliers of forces that depend on them */

/* The equations for lambda at a point: X = G M^-1, S = G M^-1 G', D2g[v, v]. */
typedef struct {
  const vd *X, *S, *bend;
} cst_slip;

/* J, and d := r; f := f(lambda). */
static __attribute__((noinline, unused)) void cst_slip_equations(const cst_context *C, cst_slip K,
                                                                 const vd *c, const vd *q,
                                                                 const vd *v, const vd *lambda,
                                                                 vd *f, vd *J, vd *d) {
  const cst_pattern *P = &C->system->pattern[CST_K_Fl];
  vd                 Fl[ROOM(P->n)];
  CALL(C, f, c, q, v, 0, 0, lambda, f);
  CALL(C, Fl, c, q, v, 0, 0, lambda, Fl);
  for (int a = 0; a < NG; a++) {
    d[a] = K.bend[a];
    for (int i = 0; i < NQ; i++)
      d[a] += K.X[a * NQ + i] * f[i];
    for (int b = 0; b < NG; b++) {
      d[a] -= K.S[a * NG + b] * lambda[b];
      J[a * NG + b] = K.S[a * NG + b];
    }
    for (int i = 0; i < NQ && !DROPPED(a); i++)
      for (int e = P->start[i]; e < P->start[i + 1]; e++)
        if (!DROPPED(P->column[e]))
          J[a * NG + P->column[e]] -= K.X[a * NQ + i] * Fl[e];
  }
  cst_gram_drop(C, d);
}

/* All-ones in those of the lanes in which det J is not positive. */
static __attribute__((noinline, unused)) vl cst_slip_lost(const cst_context *C, const vd *J,
                                                          vl lanes) {
  vl lost = vmask(0);
  for (int l = 0; l < CST_W; l++) {
    cst_determinant D = {1, 0};
    if (!lanes[l])
      continue;
    cst_determinant_of(J, NG, l, &D);
    lost[l] = -(long)!(D.mantissa > 0);
  }
  return lost;
}

/* lambda; returns the lanes in which there is none. */
static __attribute__((noinline, unused)) vl cst_slip_solve(const cst_context *C, cst_slip K,
                                                           const vd *c, const vd *q, const vd *v,
                                                           vd *f, vd *lambda) {
  vd J[ROOM(NG * NG)], factors[ROOM(NG * NG)], d[ROOM(NG)];
  vd before = vset(INFINITY);
  vl active = vmask(1), lost = vmask(0);
  for (int a = 0; a < NG; a++)
    lambda[a] = vset(0);
  for (int k = 0; k < CST_MOST_SLIPS && vany(active); k++) {
    vd size = vset(0), move = vset(0);
    cst_slip_equations(C, K, c, q, v, lambda, f, J, d);
    for (int e = 0; e < NG * NG; e++)
      factors[e] = J[e];
    cst_pivoted_solve(factors, d, NG);
    for (int a = 0; a < NG; a++) {
      lambda[a] += vkeep(active, d[a]);
      size = vmax(vabs(lambda[a]), size);
      move = vmax(vabs(d[a]), move);
    }
    const vl small =
        (vl)(move <= 0x1p-50 * size) | ((vl)(move <= 1e-9 * size) & (vl)(move >= 0.5 * before));
    const vl ended = active & (small | ~(vl)(move < INFINITY));
    lost |= cst_slip_lost(C, J, ended);
    active &= ~ended;
    before = move;
  }
  return lost | active;
}

/* Forces that depend on multipliers, M A = f(lambda) - G'lambda: Newton's method from lambda = 0 for
 *
 *   r = D2g[v, v] + G M^-1 (f(lambda) - G'lambda) = 0,   J = G M^-1 (G' - f_lambda),   lambda += J^-1 r
 *
 * The law is followed to where its corrections are round-off. det J > 0 where forces do not depend on lambda; a
 * lane in which it is not at the end, or which does not end, has no multiplier of the motion: A and lambda are not
 * numbers then (cst_system_slip_ahead tells the reason). */
static __attribute__((noinline, unused)) void cst_acceleration_slipping(const cst_context *C,
                                                                        const vd *c, const vd *minv,
                                                                        const vd *q, const vd *v,
                                                                        vd *A, vd *lambda) {
  vd M[ROOM(GENERAL ? NQ * NQ : 0)], G[ROOM(NNZ_G)], X[ROOM(NG * NQ)], S[ROOM(NG * NG)];
  vd bend[ROOM(NG)];
  K_G(c, q, G);
  K_D2gvv(c, q, v, bend);
  cst_full_gram(C, c, minv, q, G, M, X, S);
  const vl lost = cst_slip_solve(C, (cst_slip){X, S, bend}, c, q, v, A, lambda);
  CALL(C, f, c, q, v, 0, 0, lambda, A);
  if (GENERAL)
    cst_lu_solve(M, A, NQ);
  for (int i = 0; i < NQ; i++) {
    vd sum = vpick(GENERAL, A[i], MINV(i) * A[i]);
    for (int a = 0; a < NG; a++)
      sum -= X[a * NQ + i] * lambda[a];
    A[i] = vselect(lost, vset(NAN), sum);
  }
  for (int a = 0; a < NG; a++)
    lambda[a] = vselect(lost, vset(NAN), lambda[a]);
}
#else
CST_INLINE void cst_massless_acceleration(const cst_context *C, const vd *c, const vd *q,
                                          const vd *v, vd *A, vd *lambda) {
  (void)C, (void)c, (void)q, (void)v, (void)A, (void)lambda;
}
CST_INLINE void cst_massless_velocity(const cst_context *C, const vd *c, const vd *q, const vd *p,
                                      vd *v, vd *m) {
  (void)C, (void)c, (void)q, (void)p, (void)v, (void)m;
}
CST_INLINE void cst_acceleration_slipping(const cst_context *C, const vd *c, const vd *minv,
                                          const vd *q, const vd *v, vd *A, vd *lambda) {
  (void)C, (void)c, (void)minv, (void)q, (void)v, (void)A, (void)lambda;
}
#endif
#endif
