/* gmres.h: lane code: matrix-free GMRES with right preconditioning, one linear system per lane.
 *
 * Every lane has its own dot products, rotations and end: a lane that has reached its tolerance only gets
 * zeros from then on, so its solution does not depend on its neighbours. Saad, Schultz, SIAM J. Sci. Stat.
 * Comput. 7 (1986) 856.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_GMRES_H
#define CST_GMRES_H
#include "constella/lanes.h"

/* y := A x, and y := P^-1 x. n vectors each. */
typedef struct {
  void *self;
  void (*apply)(void *self, const vd *x, vd *y);
  void (*precondition)(void *self, const vd *x, vd *y);
} cst_linear;

/* Size of the workspace in vectors, for n unknowns and at most m iterations. */
CST_INLINE size_t cst_gmres_workspace(size_t n, size_t m) {
  return (m + 3) * n + (m + 1) * (m + 4);
}

CST_INLINE vd cst_dot(const vd *x, const vd *y, int n) {
  vd s = vset(0);
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* Adds a vector to the orthonormal basis and computes its column h[k + 2] of the Hessenberg matrix. */
CST_INLINE void cst_gmres_extend(vd *basis, int k, int n, vd *h) {
  vd *w = basis + (size_t)(k + 1) * (size_t)n;
  for (int i = 0; i <= k; i++) {
    const vd *v = basis + (size_t)i * (size_t)n;
    h[i] = cst_dot(v, w, n);
    for (int j = 0; j < n; j++)
      w[j] -= h[i] * v[j];
  }
  h[k + 1] = vsqrt(cst_dot(w, w, n));
  const vl some = (vl)(h[k + 1] > 0);
  for (int j = 0; j < n; j++)
    w[j] = vselect(some, w[j] / h[k + 1], vset(0));
}

/* b := A^-1 b to `tolerance` of the norm of b, with at most m iterations. space: cst_gmres_workspace(n, m)
 * vectors. */
static __attribute__((noinline, unused)) void cst_gmres(const cst_linear *A, vd *b, int n, int m,
                                                        double tolerance, vd *space) {
  vd *basis = space, *z = basis + (size_t)(m + 1) * (size_t)n, *sum = z + n, *H = sum + n,
     *c = H + (m + 1) * (m + 1), *s = c + m + 1, *g = s + m + 1;
  const vd norm = vsqrt(cst_dot(b, b, n));
  vl       active = (vl)(norm > 0);
  int      k = 0;
  for (int j = 0; j < n; j++) {
    basis[j] = vselect(active, b[j] / norm, vset(0));
    sum[j] = vset(0);
  }
  g[0] = vkeep(active, norm);
  for (; k < m && vany(active); k++) {
    vd *h = H + k * (m + 1);
    A->precondition(A->self, basis + (size_t)k * (size_t)n, z);
    A->apply(A->self, z, basis + (size_t)(k + 1) * (size_t)n);
    cst_gmres_extend(basis, k, n, h);
    for (int i = 0; i < k; i++) {
      const vd t = c[i] * h[i] + s[i] * h[i + 1];
      h[i + 1] = c[i] * h[i + 1] - s[i] * h[i];
      h[i] = t;
    }
    const vd r = vsqrt(h[k] * h[k] + h[k + 1] * h[k + 1]);
    const vl good = active & (vl)(r > 0);
    c[k] = vselect(good, h[k] / r, vset(1));
    s[k] = vselect(good, h[k + 1] / r, vset(0));
    for (int i = 0; i < k; i++)
      h[i] = vkeep(active, h[i]);
    h[k] = vselect(good, r, vset(1));
    g[k + 1] = -(s[k] * g[k]);
    g[k] = vkeep(active, c[k] * g[k]);
    active = good & (vl)(vabs(g[k + 1]) > tolerance * norm);
    g[k + 1] = vkeep(active, g[k + 1]);
    for (int j = 0; j < n; j++)
      basis[(size_t)(k + 1) * (size_t)n + (size_t)j] =
          vkeep(active, basis[(size_t)(k + 1) * (size_t)n + (size_t)j]);
  }
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++)
      g[i] -= H[j * (m + 1) + i] * g[j];
    g[i] /= H[i * (m + 1) + i];
    for (int j = 0; j < n; j++)
      sum[j] += g[i] * basis[(size_t)i * (size_t)n + (size_t)j];
  }
  A->precondition(A->self, sum, b);
}
#endif
