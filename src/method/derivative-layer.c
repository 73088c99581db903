/* derivative-layer.c: the derivative of a Runge-Kutta step (core/rk.c), by the variations of its stages
 * (stages.h), and of a projection onto both constraints (core/project.c):
 *
 *   q1 = q + G(q1)'t,  g(q1) = 0:     (1 - D2(t.g)(q1)) dq1 - G1'dt = dq,  G1 dq1 = 0
 *   p1 = p - G1'm, G1 M^-1 p1 = 0:    as at the end of a kick (derivative.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/derivative-parts.h"
#include "method/substep.h"

bool cst_derivative_layer(cst_derivative *x, const double *c, const cst_tableau *of, double h,
                          double *q, double *p, int count, double *w) {
  const int n = x->n;
  double    v[n];
  cst_rk_stages_set(x->stages, c);
  for (int e = 0; e < n; e++)
    v[e] = x->minv[e] * p[e];
  if (!cst_rk_stages_run(x->stages, of, h, 0, q, v))
    return false;
  for (int i = 0; i < count; i++, w += 2 * n) {
    for (int e = 0; e < n; e++)
      w[n + e] *= x->minv[e];
    cst_rk_stages_vary(x->stages, w, w + n, w, w + n);
    for (int e = 0; e < n; e++)
      w[n + e] /= x->minv[e];
  }
  cst_rk_stages_end(x->stages, q, v, q, v);
  for (int e = 0; e < n; e++)
    p[e] = v[e] / x->minv[e];
  return true;
}

/* A := factors of G1 Z, Z[m][n] = B^-1 G1'; B NULL: 1. */
static void factor_projection(cst_derivative *x, const double *B) {
  const int n = x->n, m = x->m;
  for (int i = 0; i < m; i++) {
    memcpy(x->Z + i * n, row_of(x, x->G1, i), sizeof *x->Z * (size_t)n);
    if (B)
      solve_with(n, B, x->turn, x->Z + i * n);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      x->A[i * m + j] = product(row_of(x, x->G1, i), x->Z + j * n, n);
  factor(m, x->A, x->pivot);
}

/* The core's iteration, to stagnation: q1 and t. */
static bool find_foot(cst_derivative *x, const double *c, const double *q, double *q1, double *t) {
  enum { MOST = 100 };
  const int n = x->n, m = x->m;
  double    last = INFINITY, f[n];
  memcpy(q1, q, sizeof *q * (size_t)n);
  memset(t, 0, sizeof *t * (size_t)m);
  for (int it = 0; it < MOST; it++) {
    double size = 0, most = 0;
    jacobian(x, c, q1, x->G1);
    factor_projection(x, NULL);
    cst_system_eval_at(x->s, CST_K_g, c, q1, x->g);
    for (int e = 0; e < n; e++)
      f[e] = q[e] - q1[e];
    for (int i = 0; i < m; i++)
      for (int e = 0; e < n; e++)
        f[e] += row_of(x, x->G1, i)[e] * t[i];
    for (int i = 0; i < m; i++)
      x->y[i] = -x->g[x->row[i]] - product(row_of(x, x->G1, i), f, n);
    solve(x, x->y);
    for (int i = 0; i < m; i++) {
      t[i] += x->y[i];
      for (int e = 0; e < n; e++)
        f[e] += row_of(x, x->G1, i)[e] * x->y[i];
    }
    for (int e = 0; e < n; e++) {
      q1[e] += f[e];
      size = fmax(size, fabs(f[e]));
      most = fmax(most, fabs(q1[e]));
    }
    if (!(size < INFINITY))
      return false;
    if (size <= DBL_EPSILON * most || (size >= last && size <= 1e-12 * most))
      return true;
    last = size;
  }
  return false;
}

/* B := 1 - D2(t.g)(q1), factored. */
static void bend_foot(cst_derivative *x, const double *c, const double *q1, const double *t) {
  const int n = x->n;
  double    unit[n], column[n];
  for (int j = 0; j < n; j++) {
    for (int e = 0; e < n; e++) {
      unit[e] = e == j;
      column[e] = unit[e];
    }
    bend(x, c, q1, t, unit, column);
    for (int e = 0; e < n; e++)
      x->B[e * n + j] = column[e];
  }
  factor(n, x->B, x->turn);
}

bool cst_derivative_projection(cst_derivative *x, const double *c, double *q, double *p, int count,
                               double *w) {
  const int n = x->n, m = x->m;
  double    q1[n], t[m + 1], impulse[m + 1];
  if (!m)
    return true;
  if (!find_foot(x, c, q, q1, t))
    return false;
  bend_foot(x, c, q1, t);
  factor_projection(x, x->B);
  for (int k = 0; k < count; k++) {
    double *dq = w + k * 2 * n;
    solve_with(n, x->B, x->turn, dq);
    for (int i = 0; i < m; i++)
      x->y[i] = product(row_of(x, x->G1, i), dq, n);
    solve(x, x->y);
    for (int i = 0; i < m; i++)
      for (int e = 0; e < n; e++)
        dq[e] -= x->y[i] * x->Z[i * n + e];
  }
  factor_gram(x, x->G1, x->G1);
  land(x, p, impulse);
  for (int k = 0; k < count; k++) {
    double *dq = w + k * 2 * n;
    bend(x, c, q1, impulse, dq, dq + n);
    make_tangent(x, c, q1, x->v, x->G1, dq, dq + n);
  }
  memcpy(q, q1, sizeof *q * (size_t)n);
  return true;
}
