/* acceleration.h: lane code: velocities and momenta, accelerations and multipliers of the index-reduced
 * equations at (q, v).
 *
 *   p = M(q) v + a(q),   M A = f - G' lambda,   G A = -D2g[v, v]
 *   so   (G M^-1 G') lambda = D2g[v, v] + G M^-1 f
 *
 * with D2g[v, v] that of all rows of G, phi of constraints on velocities among them (constella/system.h),
 * and f = F - grad V where M is a constant diagonal and a = 0, else f(q, v) = d_q L - (d_q d_v L) v + F, F
 * the sum of the forces. These are the equations (4.2) of Patrick, Cuell, Spiteri, Zhang (conversion) in
 * the sign M A = f - G' lambda. `mass` and minv are the distinct masses and their reciprocals; a system
 * with another M has none and takes M(q) from its kernel, dense.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ACCELERATION_H
#define CST_ACCELERATION_H
#include <math.h>
#include "system/lane/rows.h"

/* ---- kernels at one point ---------------------------------------------------------------------- */

/* K_given once for the parameters, K_point of them at q into e[NPOINT], and the kernels with e. Where nothing is in
 * common, and in generic code, they are the kernels themselves. */
#if CST_SIZED && SYS_NPOINT
#define NPOINT                          SYS_NPOINT
#define NGIVEN                          SYS_NGIVEN
#define K_given(c, o)                   sys_given(c, o)
#define K_point(c, k, q, o)             sys_point(c, k, q, o)
#define K_AT(e, k, c, q, v, w, u, l, o) sys_##k##_at(c, q, v, w, u, l, e, o)
#else
#define NPOINT                          0
#define NGIVEN                          0
#define K_given(c, o)                   (void)(o)
#define K_point(c, k, q, o)             (void)(k), (void)(o)
#define K_AT(e, k, c, q, v, w, u, l, o) CALL(C, k, c, q, v, w, u, l, o)
#endif

/* With e of K_point at q. */
#define K_G_AT(e, c, q, o)               K_AT(e, G, c, q, 0, 0, 0, 0, o)
#define K_g_AT(e, c, q, o)               K_AT(e, g, c, q, 0, 0, 0, 0, o)
#define K_M_AT(e, c, q, o)               K_AT(e, M, c, q, 0, 0, 0, 0, o)
#define K_dV_AT(e, c, q, o)              K_AT(e, dV, c, q, 0, 0, 0, 0, o)
#define K_phi0_AT(e, c, q, o)            K_AT(e, phi0, c, q, 0, 0, 0, 0, o)
#define K_f_AT(e, c, q, v, o)            K_AT(e, f, c, q, v, 0, 0, 0, o)
#define K_Lvq_AT(e, c, q, v, o)          K_AT(e, Lvq, c, q, v, 0, 0, 0, o)
#define K_D2gvv_AT(e, c, q, v, o)        K_AT(e, D2gvv, c, q, v, 0, 0, 0, o)
#define K_D2glw_AT(e, c, q, w, l, o)     K_AT(e, D2glw, c, q, 0, w, 0, l, o)
#define K_D2gvw_AT(e, c, q, v, w, o)     K_AT(e, D2gvw, c, q, v, w, 0, 0, o)
#define K_DMvw_AT(e, c, q, v, w, o)      K_AT(e, DMvw, c, q, v, w, 0, 0, o)
#define K_Dphi0w_AT(e, c, q, w, o)       K_AT(e, Dphi0w, c, q, 0, w, 0, 0, o)
#define K_D3glwu_AT(e, c, q, w, u, l, o) K_AT(e, D3glwu, c, q, 0, w, u, l, o)
#define K_DE_AT(e, c, q, v, w, u, l, o)  K_AT(e, DE, c, q, v, w, u, l, o)
#define K_RE_AT(e, c, q, v, w, l, o)     K_AT(e, RE, c, q, v, w, 0, l, o)
#define K_DRE_AT(e, c, q, v, w, u, l, o) K_AT(e, DRE, c, q, v, w, u, l, o)

/* 1/m of coordinate i, from minv[nmass]. */
#define MINV(i) vpick(MASS_UNIT, vset(1.0), minv[CLASS(i)])

/* S := the matrix whose entries are given in the pattern of kernel k, row-major. */
CST_INLINE void cst_expand(const cst_context *C, int k, const vd *entry, vd *S) {
  const cst_pattern *p = &C->system->model->pattern[k];
  for (int i = 0; i < p->rows * p->columns; i++)
    S[i] = vset(0);
  for (int r = 0; r < p->rows; r++)
    for (int e = p->start[r]; e < p->start[r + 1]; e++)
      S[r * p->columns + p->column[e]] = entry[e];
}

#if !CST_SIZED || SYS_GENERAL
/* M(q), factored by cst_ldl. */
CST_INLINE void cst_inertia_at(const cst_context *C, const vd *c, const vd *e, const vd *q, vd *M) {
  vd entry[ROOM(NNZ_M)];
  (void)e;
  USES_M
  K_M_AT(e, c, q, entry);
  UNROLL
  for (int k = 0; k < NQ * NQ; k++)
    M[k] = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    ROW_M(i, j, k)
      M[i * NQ + j] = entry[k];
  cst_ldl(M, NQ);
}

CST_INLINE void cst_inertia(const cst_context *C, const vd *c, const vd *q, vd *M) {
  vd k[ROOM(NGIVEN)], e[ROOM(NPOINT)];
  K_given(c, k);
  K_point(c, k, q, e);
  cst_inertia_at(C, c, e, q, M);
}

/* X := G M^-1 (rows of length nq) and S := G M^-1 G' with M factored; rows of dropped constraints are those
 * of the identity. */
CST_INLINE void cst_gram_general(const cst_context *C, const vd *G, const vd *M, vd *X, vd *S) {
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      X[a * NQ + i] = vset(0);
    ROW_G(a, i, e)
      X[a * NQ + i] = G[e];
    cst_lu_solve(M, X + a * NQ, NQ);
    UNROLL
    for (int b = 0; b < NG; b++) {
      vd s = vset(0);
      ROW_G(b, i, e)
        s += G[e] * X[a * NQ + i];
      S[b * NG + a] = s;
    }
  }
  UNROLL
  for (int a = 0; a < NG; a++) {
    UNROLL
    for (int b = 0; b < NG; b++)
      if (DROPPED(a) || DROPPED(b))
        S[a * NG + b] = vset(a == b);
  }
}

static __attribute__((noinline, unused)) void cst_acceleration_general(const cst_context *C,
                                                                       const vd *c, const vd *q,
                                                                       const vd *v, vd *A,
                                                                       vd *lambda) {
  vd M[ROOM(NQ * NQ)];
  vd G[ROOM(NNZ_G)];
  vd X[ROOM(NG * NQ)];
  vd S[ROOM(NG * NG)];
  vd k[ROOM(NGIVEN)];
  vd e[ROOM(NPOINT)];
  USES_G
  K_given(c, k);
  K_point(c, k, q, e);
  K_f_AT(e, c, q, v, A);
  cst_inertia_at(C, c, e, q, M);
  cst_lu_solve(M, A, NQ);
  if (NG == 0)
    return;
  K_G_AT(e, c, q, G);
  K_D2gvv_AT(e, c, q, v, lambda);
  UNROLL
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, t)
      lambda[a] += G[t] * A[i];
  cst_gram_general(C, G, M, X, S);
  cst_gram_drop(C, lambda);
  cst_ldl(S, NG);
  cst_lu_solve(S, lambda, NG);
  UNROLL
  for (int a = 0; a < NG; a++) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      A[i] -= X[a * NQ + i] * lambda[a];
  }
}

static __attribute__((noinline, unused)) void cst_make_tangent_general(const cst_context *C,
                                                                       const vd *c, const vd *q,
                                                                       const vd *G, vd *p, vd *m) {
  vd M[ROOM(NQ * NQ)];
  vd X[ROOM(NG * NQ)];
  vd S[ROOM(NG * NG)];
  vd a0[ROOM(NQ)];
  vd phi0[ROOM(NG)];
  USES_G
  K_a(c, q, a0);
  if (AFFINE)
    K_phi0(c, q, phi0);
  cst_inertia(C, c, q, M);
  cst_gram_general(C, G, M, X, S);
  UNROLL
  for (int a = 0; a < NG; a++) {
    m[a] = vpick(AFFINE, phi0[a], vset(0));
    UNROLL
    for (int i = 0; i < NQ; i++)
      m[a] += X[a * NQ + i] * (p[i] - a0[i]);
  }
  cst_gram_drop(C, m);
  cst_ldl(S, NG);
  cst_lu_solve(S, m, NG);
  UNROLL
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, e)
      p[i] -= G[e] * m[a];
}

static __attribute__((noinline, unused)) void
cst_velocity_general(const cst_context *C, const vd *c, const vd *q, const vd *p, vd *v) {
  vd M[ROOM(NQ * NQ)];
  vd a0[ROOM(NQ)];
  K_a(c, q, a0);
  cst_inertia(C, c, q, M);
  UNROLL
  for (int i = 0; i < NQ; i++)
    v[i] = p[i] - a0[i];
  cst_lu_solve(M, v, NQ);
}
#else
CST_INLINE void cst_inertia(const cst_context *C, const vd *c, const vd *q, vd *M) {}
CST_INLINE void cst_inertia_at(const cst_context *C, const vd *c, const vd *e, const vd *q, vd *M) {
}
CST_INLINE void cst_gram_general(const cst_context *C, const vd *G, const vd *M, vd *X, vd *S) {}
CST_INLINE void cst_acceleration_general(const cst_context *C, const vd *c, const vd *q,
                                         const vd *v, vd *A, vd *lambda) {}
CST_INLINE void cst_make_tangent_general(const cst_context *C, const vd *c, const vd *q,
                                         const vd *G, vd *p, vd *m) {}
CST_INLINE void cst_velocity_general(const cst_context *C, const vd *c, const vd *q, const vd *p,
                                     vd *v) {}
#endif

/* ---- coordinates without mass, and forces that depend on multipliers ------------------------- */

/* Accelerations and multipliers where the matrix of the constraints is not that of other systems: coordinates
 * have no mass, or forces depend on the multipliers. In the generic code only. */
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
  const cst_pattern *P = &C->system->model->pattern[CST_K_Fl];
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
    GRAM_APART.determinant(J, NG, l, &D);
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

/* f := -grad V and the forces, where the mass is a constant diagonal; e of K_point. */
CST_INLINE void cst_force(const cst_context *C, const vd *c, const vd *e, const vd *q, const vd *v,
                          vd *f) {
  (void)e;
  if (NFORCE > 0) {
    K_f_AT(e, c, q, v, f);
    return;
  }
  K_dV_AT(e, c, q, f);
  UNROLL
  for (int i = 0; i < NQ; i++)
    f[i] = -f[i];
}

CST_INLINE void cst_acceleration(const cst_context *C, const vd *c, const vd *minv, const vd *q,
                                 const vd *v, vd *A, vd *lambda) {
  vd force[ROOM(NQ)];
  vd G[ROOM(NNZ_G)];
  vd S[ROOM(GRAM_SIZE)];
  vd k[ROOM(NGIVEN)];
  vd e[ROOM(NPOINT)];
  USES_G
  if (SLIPS) {
    cst_acceleration_slipping(C, c, minv, q, v, A, lambda);
    return;
  }
  if (MASSLESS) {
    cst_massless_acceleration(C, c, q, v, A, lambda);
    return;
  }
  if (GENERAL) {
    cst_acceleration_general(C, c, q, v, A, lambda);
    return;
  }
  K_given(c, k);
  K_point(c, k, q, e);
  cst_force(C, c, e, q, v, force);
  if (NG > 0) {
    K_G_AT(e, c, q, G);
    K_D2gvv_AT(e, c, q, v, lambda);
    UNROLL
    for (int a = 0; a < NG; a++)
      ROW_G(a, i, t)
        lambda[a] += (G[t] * MINV(i)) * force[i];
    cst_gram_fill(C, G, G, minv, vset(1.0), 1, S);
    cst_gram_solve(C, S, lambda, 1);
  }
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd f = force[i];
    COL_G(i, a, t)
      f -= G[t] * lambda[a];
    A[i] = MINV(i) * f;
  }
}

/* p := p - G' m with G v + phi0 = 0 for the velocity of p; m[ng] is filled. */
CST_INLINE void cst_make_tangent(const cst_context *C, const vd *c, const vd *q, const vd *G,
                                 const vd *minv, vd *p, vd *m) {
  vd S[ROOM(GRAM_SIZE)], phi0[ROOM(NG)];
  USES_G
  if (MASSLESS) {
    vd v[ROOM(NQ)];
    cst_massless_velocity(C, c, q, p, v, m);
  } else if (GENERAL) {
    cst_make_tangent_general(C, c, q, G, p, m);
    return;
  }
  if (!MASSLESS) {
    if (AFFINE)
      K_phi0(c, q, phi0);
    UNROLL
    for (int a = 0; a < NG; a++) {
      m[a] = vpick(AFFINE, phi0[a], vset(0));
      ROW_G(a, i, e)
        m[a] += (G[e] * MINV(i)) * p[i];
    }
    cst_gram_fill(C, G, G, minv, vset(1.0), 1, S);
    cst_gram_solve(C, S, m, 1);
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      p[i] -= G[e] * m[a];
}

/* p = M v + a. */
CST_INLINE void cst_momentum(const cst_context *C, const vd *c, const vd *mass, const vd *q,
                             const vd *v, vd *p) {
  if (GENERAL)
    K_Lv(c, q, v, p);
  else {
    UNROLL
    for (int i = 0; i < NQ; i++)
      p[i] = vpick(MASS_UNIT, v[i], mass[CLASS(i)] * v[i]);
  }
}

/* The velocity of p; by division, so that p -> v -> p keeps the bits it can. */
CST_INLINE void cst_velocity(const cst_context *C, const vd *c, const vd *mass, const vd *q,
                             const vd *p, vd *v) {
  if (MASSLESS) {
    vd m[ROOM(NG)];
    cst_massless_velocity(C, c, q, p, v, m);
    return;
  }
  if (GENERAL) {
    cst_velocity_general(C, c, q, p, v);
    return;
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    v[i] = vpick(MASS_UNIT, p[i], p[i] / mass[CLASS(i)]);
}
#endif
