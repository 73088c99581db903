/* mapped-null-space.h: lane code: the null-space form of mapped.c, which defines the fields. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/core/null-space-basis.h"

/* f[nq] := N(q0)'(P - p0) and the enforced g(q1), with P in L->w. Returns the size of the former. */
CST_INLINE vd leave_basis(const cst_context *C, struct local *L, const vd *g, vd *f) {
  vd r[ROOM(NQ)], off = vset(0);
  for (int i = 0; i < NQ; i++)
    r[i] = L->w[i] - L->p[i];
  cst_householder_forth(L->A, L->b, NQ, NR, r);
  for (int k = NR; k < NQ; k++) {
    f[k - NR] = r[k];
    off = vmax(vabs(r[k]), off);
  }
  for (int a = 0, row = NQ - NR; a < NG; a++)
    if (!DROPPED(a))
      f[row++] = g[a];
  return off;
}

/* The rows of the first of these equations in J. */
CST_INLINE void fill_projection(const cst_context *C, struct local *L, vd *J) {
  const int n = NX;
  fill_basis(C, L->A, L->b, L->N);
  for (int k = 0; k < NQ - NR; k++)
    for (int i = 0; i < n; i++)
      J[(3 * NQ + k) * n + i] = i < 3 * NQ ? vset(0) : L->N[k * NQ + i - 3 * NQ];
}

/* p := M v + a with v = N y, N'(M v + a - p) = 0, N the basis at q1. r := what p loses. */
static void project_on_basis(const cst_context *C, struct local *L, vd *p, vd *r) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)], y[ROOM(n)], MN[ROOM(n * NQ)], a[ROOM(NQ)], v[ROOM(NQ)];
  for (int i = 0; i < NQ; i++)
    v[i] = vset(0);
  cst_momentum(C, L->c, L->mass, L->q1, v, a);
  fill_basis(C, L->A, L->b, L->N);
  for (int k = 0; k < n; k++) {
    cst_momentum(C, L->c, L->mass, L->q1, L->N + k * NQ, MN + k * NQ);
    y[k] = vset(0);
    for (int i = 0; i < NQ; i++) {
      MN[k * NQ + i] -= a[i];
      y[k] += L->N[k * NQ + i] * (p[i] - a[i]);
    }
  }
  for (int k = 0; k < n; k++)
    for (int l = k; l < n; l++) {
      S[k * n + l] = vset(0);
      for (int i = 0; i < NQ; i++)
        S[k * n + l] += L->N[k * NQ + i] * MN[l * NQ + i];
    }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  for (int i = 0; i < NQ; i++) {
    vd now = a[i];
    for (int k = 0; k < n; k++)
      now += MN[k * NQ + i] * y[k];
    r[i] = p[i] - now;
    p[i] = now;
  }
}

/* q := q1, p := p1, and both impulses: that of the left end is R^-1 Q'(p0 - P). */
static void finish_on_basis(const cst_context *C, struct local *L, const vd *D) {
  vd r[ROOM(NQ)];
  vd m[ROOM(NG)];
  for (int i = 0; i < NQ; i++) {
    r[i] = L->p[i] - L->w[i];
    L->p[i] = L->w[i] + D[i];
    L->q[i] = L->q1[i];
  }
  add_impulse(C, L->A, L->d, L->b, r, m, L->impulse);
  factor(C, L->G1, L->A, L->d, L->b);
  project_on_basis(C, L, L->p, r);
  add_impulse(C, L->A, L->d, L->b, r, m, L->impulse);
  CST_TAKE(L->G, L->G1, NNZ_G);
}
