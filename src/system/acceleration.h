/* acceleration.h: lane code: accelerations and multipliers of the index-reduced equations at (q, v).
 *
 *   M A = -grad V - G' lambda,   G A = -D2g[v, v]   so   (G M^-1 G') lambda = D2g[v, v] - G M^-1 grad V
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ACCELERATION_H
#define CST_ACCELERATION_H
#include "system/group.h"
#include "core/dense.h"

/* 1/m of coordinate i, from minv[nmass]. */
#define MINV(i) vpick(MASS_UNIT, vset(1.0), minv[CLASS(i)])

/* S := upper triangle of G M^-1 G'. */
CST_INLINE void cst_gram(const cst_context *C, const vd *G, const vd *minv, vd *S) {
  (void)C;
  U for (int a = 0; a < NG; a++) U for (int b = a; b < NG; b++) {
    vd s = vset(0);
    U for (int i = 0; i < NQ; i++) if (NZG(a, i) && NZG(b, i)) s += (G[a * NQ + i] * MINV(i)) * G[b * NQ + i];
    S[a * NG + b] = s;
  }
}

CST_INLINE void cst_acceleration(const cst_context *C, const vd *c, const vd *minv, const vd *q, const vd *v, vd *A, vd *lambda) {
  vd dV[QMAX], G[GMAX * QMAX], S[GMAX * GMAX];
  K_dV(c, q, dV);
  if (NG > 0) {
    K_G(c, q, G);
    K_D2gvv(c, q, v, lambda);
    U for (int a = 0; a < NG; a++) U for (int i = 0; i < NQ; i++) if (NZG(a, i)) lambda[a] -= (G[a * NQ + i] * MINV(i)) * dV[i];
    cst_gram(C, G, minv, S);
    cst_ldl(S, NG);
    cst_lu_solve(S, lambda, NG);
  }
  U for (int i = 0; i < NQ; i++) {
    vd f = -dV[i];
    U for (int a = 0; a < NG; a++) if (NZG(a, i)) f -= G[a * NQ + i] * lambda[a];
    A[i] = MINV(i) * f;
  }
}

/* p := p - G' m with G M^-1 p = 0; m[ng] is filled. */
CST_INLINE void cst_make_tangent(const cst_context *C, const vd *G, const vd *minv, vd *p, vd *m) {
  vd S[GMAX * GMAX];
  U for (int a = 0; a < NG; a++) {
    m[a] = vset(0);
    U for (int i = 0; i < NQ; i++) if (NZG(a, i)) m[a] += (G[a * NQ + i] * MINV(i)) * p[i];
  }
  cst_gram(C, G, minv, S);
  cst_ldl(S, NG);
  cst_lu_solve(S, m, NG);
  U for (int i = 0; i < NQ; i++) U for (int a = 0; a < NG; a++) if (NZG(a, i)) p[i] -= G[a * NQ + i] * m[a];
}

/* All-ones where every |g_a| <= tolerance * s_a, s_a = sum_k |G_ak| |q_k|, at least scale_a. */
CST_INLINE vl cst_on_manifold(const cst_context *C, const vd *g, const vd *G, const vd *q, vd tolerance, const vd *scale) {
  vl done = vmask(1);
  (void)C;
  U for (int a = 0; a < NG; a++) {
    vd s = vset(0);
    U for (int i = 0; i < NQ; i++) if (NZG(a, i)) s += vabs(G[a * NQ + i]) * vabs(q[i]);
    done &= (vl)(vabs(g[a]) <= tolerance * vmax(s, scale[a]));
  }
  return done;
}
#endif
