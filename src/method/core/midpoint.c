/* midpoint.c: the core of the variational midpoint rule with constraints.
 *
 *   p_h = p0 - h/2 grad V(q_m) - G(q0)' L,   q_m = q0 + h/2 M^-1 p_h,   q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   p1  = p_h - h/2 grad V(q_m) - G(q1)' m,   G(q1) M^-1 p1 = 0
 *
 * Barbero-Linan, Martin de Diego, Sato, midpoint discretization map, in the sign M A = f - G' lambda. Unknowns (p_h, L); Newton's matrix is
 *   [ B  G0' ; h G1 M^-1  0 ],  B = 1 + h^2/4 V''(q_m) M^-1
 * solved by its Schur complement; B = 1 when V is linear, and the map is then RATTLE's. The multipliers are the mean over a step, the sum
 * of its impulses L + m over h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/acceleration.h"
#define CORE  midpoint
#define NX    (NQ + NG)
#define NXMAX (QMAX + GMAX)

struct local {
  const vd *c;
  vd        q[QMAX], p[QMAX], G[GMAX * QMAX], minv[QMAX], hm[QMAX];
  vd        qm[QMAX], q1[QMAX], dV[QMAX], G1[GMAX * QMAX];
  vd        scale[GMAX], tolerance, impulse[GMAX], iterations;
};
#define HM(i) vpick(MASS_UNIT, vset(C->sub[j].h), L->hm[CLASS(i)])

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
  cst_load(L->scale, record, at.scale, NG);
  L->tolerance = *cst_block(record, at.tolerance);
  cst_load(L->impulse, record, at.impulse, NG);
  U for (int k = 0; k < NMASS; k++) L->minv[k] = 1.0 / cst_block(record, at.mass)[k];
  K_G(L->c, L->q, L->G);
}

/* The unknowns start from the impulses of the last step and the force at q0. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  if (!MASS_UNIT) U for (int k = 0; k < NMASS; k++) L->hm[k] = C->sub[j].h * L->minv[k];
  if (j == 0 && C->opens) U for (int a = 0; a < NG; a++) L->impulse[a] = vset(0);
  vd dV[QMAX];
  K_dV(L->c, L->q, dV);
  U for (int i = 0; i < NQ; i++) {
    x[i] = L->p[i] - (0.5 * C->sub[j].h) * dV[i];
    U for (int a = 0; a < NG; a++) if (NZG(a, i)) x[i] -= L->G[a * NQ + i] * x[NQ + a];
  }
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const double half = 0.5 * C->sub[j].h;
  U for (int i = 0; i < NQ; i++) {
    L->qm[i] = L->q[i] + 0.5 * (HM(i) * x[i]);
    L->q1[i] = L->q[i] + HM(i) * x[i];
  }
  K_dV(L->c, L->qm, L->dV);
  K_g(L->c, L->q1, f + NQ);
  K_G(L->c, L->q1, L->G1);
  vd size = vset(0), off = vset(0);
  U for (int i = 0; i < NQ; i++) {
    f[i] = (x[i] - L->p[i]) + half * L->dV[i];
    U for (int a = 0; a < NG; a++) if (NZG(a, i)) f[i] += L->G[a * NQ + i] * x[NQ + a];
    size = vmax(vmax(vabs(x[i]), vabs(L->p[i])), size);
    off = vmax(vabs(f[i]), off);
  }
  return cst_on_manifold(C, f + NQ, L->G1, L->q1, L->tolerance, L->scale) & (vl)(off <= L->tolerance * size);
}

/* B := 1 + h^2/4 V''(q_m) M^-1. */
CST_INLINE void matrix(const cst_context *C, const struct local *L, int j, vd *B) {
  vd           H[QMAX * QMAX];
  const double quarter = 0.25 * C->sub[j].h;
  K_d2V(L->c, L->qm, H);
  U for (int i = 0; i < NQ; i++) U for (int k = 0; k < NQ; k++) {
    B[i * NQ + k] = vset(i == k);
    if (NZV(i, k)) B[i * NQ + k] += H[i * NQ + k] * (quarter * HM(k));
  }
}

#if !CST_HOT
static void direction_pivoted(const cst_context *C, const struct local *L, int j, const vd *f, vd *d) {
  const int n = NX;
  vd        J[NXMAX * NXMAX], B[QMAX * QMAX];
  matrix(C, L, j, B);
  for (int k = 0; k < n * n; k++) J[k] = vset(0);
  for (int i = 0; i < NQ; i++) {
    for (int k = 0; k < NQ; k++) J[i * n + k] = B[i * NQ + k];
    for (int a = 0; a < NG; a++)
      if (NZG(a, i)) J[i * n + NQ + a] = L->G[a * NQ + i], J[(NQ + a) * n + i] = L->G1[a * NQ + i] * HM(i);
  }
  for (int k = 0; k < n; k++) d[k] = -f[k];
  cst_pivoted_solve(J, d, n);
}
#endif

/* Schur complement: (h G1 M^-1 B^-1 G0') dL = g - h G1 M^-1 B^-1 f_p, then B dp = -f_p - G0' dL. */
CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *f, vd *d) {
  vd B[QMAX * QMAX], X[QMAX], S[GMAX * GMAX], *t = d + NQ;
#if !CST_HOT
  if (C->robust) {
    direction_pivoted(C, L, j, f, d);
    return;
  }
#endif
  if (!LINEAR_V) matrix(C, L, j, B), cst_lu(B, NQ);
  U for (int i = 0; i < NQ; i++) d[i] = -f[i];
  if (!LINEAR_V) cst_lu_solve(B, d, NQ);
  U for (int b = 0; b < NG; b++) {
    U for (int i = 0; i < NQ; i++) X[i] = vpick(NZG(b, i), L->G[b * NQ + i], vset(0));
    if (!LINEAR_V) cst_lu_solve(B, X, NQ);
    U for (int a = 0; a < NG; a++) {
      vd s = vset(0);
      U for (int i = 0; i < NQ; i++) if (NZG(a, i)) s += (L->G1[a * NQ + i] * HM(i)) * X[i];
      S[a * NG + b] = s;
    }
  }
  U for (int a = 0; a < NG; a++) {
    t[a] = f[NQ + a];
    U for (int i = 0; i < NQ; i++) if (NZG(a, i)) t[a] += (L->G1[a * NQ + i] * HM(i)) * d[i];
  }
  cst_lu(S, NG);
  cst_lu_solve(S, t, NG);
  U for (int i = 0; i < NQ; i++) {
    d[i] = -f[i];
    U for (int a = 0; a < NG; a++) if (NZG(a, i)) d[i] -= L->G[a * NQ + i] * t[a];
  }
  if (!LINEAR_V) cst_lu_solve(B, d, NQ);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const double half = 0.5 * C->sub[j].h;
  vd           p[QMAX], m[GMAX];
  (void)j;
  U for (int i = 0; i < NQ; i++) p[i] = x[i] - half * L->dV[i];
  if (NG > 0) cst_make_tangent(C, L->G1, L->minv, p, m);
  U for (int a = 0; a < NG; a++) L->impulse[a] += x[NQ + a] + m[a];
  U for (int i = 0; i < NQ; i++) L->q[i] = L->q1[i], L->p[i] = p[i];
  U for (int k = 0; k < NG * NQ; k++) if (NZG(k / NQ, k % NQ)) L->G[k] = L->G1[k];
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, at.p, L->p, NQ);
  cst_store(record, at.impulse, L->impulse, NG);
}

#include "method/core/march.h"
