/* hand-line.c: hbvm(k=6, s=2) written by hand for modified-pendulum, as the limit that the product is
 * measured against; compiled once a width.
 *
 * The iteration of src/method/core/hbvm.c and its test. What a person may use who writes for one system only
 * is used: phi is eliminated, masses are 1, the degree and the number of nodes are constants, structural
 * zeros of dV are left out, nothing is counted, nothing can fail.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include "constella/lanes.h"
#include "core/dense.h"
#undef UNROLL
#define UNROLL CST_UNROLL

enum { N = 3, K = 6 };
static const double xi[2] = {0.5, 0.28867513459481287}; /* sqrt(1/12) */

/* Sums over the nodes; psi has no other component than z. */
typedef struct {
  vd psi[2], rho[2][N];
} sums;

CST_INLINE vd cube(vd x) { return x * x * x; }
CST_INLINE vd slope(const vd *q) { return 4.0 * cube(q[2]); } /* dV/dz */

CST_INLINE void normal(const vd *q, vd *G) {
  const vd square = q[0] * q[0];
  G[0] = 6.0 * (square * square * q[0]), G[1] = 4.0 * cube(q[1]), G[2] = 2.0 * q[2];
}

CST_INLINE vd dot(const vd *a, const vd *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The unknowns of the constant acceleration at (q, p), and the size of what makes gamma. */
CST_INLINE vd begin(const vd *q, const vd *p, double h, vd gamma[2][N], vd *lambda) {
  const vd dV[N] = {vset(0), vset(0), slope(q)}, xx = q[0] * q[0];
  vd       G[N], size = vset(0);
  normal(q, G);
  const vd bend =
      30.0 * (xx * xx) * (p[0] * p[0]) + 12.0 * (q[1] * q[1]) * (p[1] * p[1]) + 2.0 * (p[2] * p[2]);
  *lambda = (bend - G[2] * dV[2]) / dot(G, G);
  UNROLL
  for (int i = 0; i < N; i++) {
    const vd A = -dV[i] - G[i] * *lambda;
    gamma[0][i] = p[i] + (h * xi[0]) * A, gamma[1][i] = (h * xi[1]) * A;
    size = vmax(vabs(p[i]) + vabs(h * dV[i]), size);
  }
  return size;
}

CST_INLINE void integrate(const double *weighted, const double *integral, double h, const vd *q,
                          vd gamma[2][N], sums *x) {
  *x = (sums){{vset(0), vset(0)}, {{vset(0)}, {vset(0)}}};
  UNROLL
  for (int k = 0; k < K; k++) {
    const double w0 = weighted[2 * k], w1 = weighted[2 * k + 1], h0 = h * integral[2 * k],
                 h1 = h * integral[2 * k + 1];
    vd u[N], G[N];
    UNROLL
    for (int i = 0; i < N; i++)
      u[i] = q[i] + (h0 * gamma[0][i] + h1 * gamma[1][i]);
    const vd dV = slope(u);
    normal(u, G);
    x->psi[0] += w0 * dV, x->psi[1] += w1 * dV;
    UNROLL
    for (int i = 0; i < N; i++)
      x->rho[0][i] += w0 * G[i], x->rho[1][i] += w1 * G[i];
  }
}

/* Rows of X y. */
CST_INLINE vd upper(vd y0, vd y1) { return xi[0] * y0 - xi[1] * y1; }
CST_INLINE vd lower(vd y0) { return xi[1] * y0; }

/* d: the changes of gamma; returns h times that of lambda. */
CST_INLINE vd direction(const sums *x, double h, const vd *q, const vd *p, vd gamma[2][N],
                        vd lambda, vd d[2][N]) {
  vd end[N], G[N], turned[N], C = vset(0);
  UNROLL
  for (int i = 0; i < N; i++) {
    const vd last = i == 2 ? vset(1) : vset(0), phi0 = last * x->psi[0] + x->rho[0][i] * lambda,
             phi1 = last * x->psi[1] + x->rho[1][i] * lambda;
    d[0][i] = p[i] - h * upper(phi0, phi1) - gamma[0][i], d[1][i] = -h * lower(phi0) - gamma[1][i];
    turned[i] = upper(x->rho[0][i], x->rho[1][i]);
    end[i] = q[i] + h * gamma[0][i];
    C += x->rho[0][i] * gamma[0][i] + x->rho[1][i] * gamma[1][i];
  }
  normal(end, G);
  const vd l = (C + dot(G, d[0])) / dot(G, turned);
  UNROLL
  for (int i = 0; i < N; i++)
    d[0][i] -= turned[i] * l, d[1][i] -= lower(x->rho[0][i]) * l;
  return l;
}

/* The lanes whose next update is predicted far below round-off, as the product has it. */
CST_INLINE vl is_done(vd size, vd of, vd *last, vd *rate) {
  const vd ratio = size / *last;
  *rate = vmax(vkeep((vl)(size > 1e-13 * of), ratio), *rate);
  const vd slowest = vselect((vl)(*rate > 0), *rate, ratio),
           left = slowest * vmin(slowest * *last, size);
  const vl small = (vl)(left <= (1e-3 * EPS) * of) & (vl)(*last < 1e300),
           stalled = (vl)(size >= 0.98 * *last);
  *last = size;
  return (small | stalled) & (vl)(size <= 1e-12 * of);
}

CST_INLINE void step(const double *weighted, const double *integral, double h, vd *q, vd *p,
                     vd *impulse) {
  vd gamma[2][N], d[2][N], lambda, end[N] = {p[0], p[1], p[2]}, last = vset(1e301), rate = vset(0);
  vl active = vmask(1);
  vd base = begin(q, p, h, gamma, &lambda);
  while (vany(active)) {
    sums x;
    vd   size = vset(0), of = base;
    integrate(weighted, integral, h, q, gamma, &x);
    lambda += vkeep(active, direction(&x, h, q, p, gamma, lambda, d) / h);
    UNROLL
    for (int r = 0; r < 2; r++) {
      UNROLL
      for (int i = 0; i < N; i++) {
        gamma[r][i] += vkeep(active, d[r][i]);
        size = vmax(vabs(d[r][i]), size), of = vmax(vabs(gamma[r][i]), of);
      }
    }
    UNROLL
    for (int i = 0; i < N; i++) {
      const vd phi = x.rho[0][i] * lambda + (i == 2 ? x.psi[0] : vset(0));
      end[i] = vselect(active, p[i] - h * phi, end[i]);
    }
    active &= ~is_done(size, of, &last, &rate);
  }
  UNROLL
  for (int i = 0; i < N; i++)
    q[i] += h * gamma[0][i], p[i] = end[i];
  *impulse = h * lambda;
}

hand_line_loop HAND_SYMBOL;

void HAND_SYMBOL(double *state, int groups, const double *weighted, const double *integral,
                 double h, long n) {
  for (int g = 0; g < groups; g++) {
    vd *x = (vd *)state + (size_t)g * (2 * N + 1);
    for (long k = 0; k < n; k++)
      step(weighted, integral, h, x, x + N, x + 2 * N);
  }
}
