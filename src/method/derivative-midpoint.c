/* derivative-midpoint.c: the derivative of a midpoint rule (core/midpoint.c), which is solved for p_h and L
 * by Newton's method. Its equations are those of a kick (derivative.c), with the forces (1 - theta) h grad
 * V(q_m) and theta h grad V(q_m), q_m = q0 + theta h M^-1 p_h, and before dp_h the matrix
 * B = 1 + theta (1 - theta) h^2 V''(q_m) M^-1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/derivative-parts.h"

/* B at q_m, S = h G1 M^-1 B^-1 G0', and their factors. */
static void factor_middle(cst_derivative *x, const double *c, const cst_middle *k) {
  const int    n = x->n;
  const double f = k->theta * (1 - k->theta) * k->h * k->h;
  hessian(x, c, k->qm);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x->B[i * n + j] = (i == j) + f * x->H[i * n + j] * x->minv[j];
  factor(n, x->B, x->turn);
  for (int i = 0; i < x->m; i++) {
    double *z = x->Z + i * n;
    memcpy(z, row_of(x, x->G0, i), sizeof *z * (size_t)n);
    solve_with(n, x->B, x->turn, z);
  }
  for (int j = 0; j < x->m; j++) {
    against(x, x->G1, x->Z + j * n, x->y);
    for (int i = 0; i < x->m; i++)
      x->A[i * x->m + j] = k->h * x->y[i];
  }
  factor(x->m, x->A, x->pivot);
}

/* r := dp_h = B^-1 (r - G0'dL) with G1 (d + h M^-1 dp_h) = 0, of G1 d = y; y becomes dL. */
static void solve_middle(cst_derivative *x, double h, const double *d, double *r) {
  solve_with(x->n, x->B, x->turn, r);
  against(x, x->G1, r, x->y);
  for (int i = 0; i < x->m; i++)
    x->y[i] = h * x->y[i] + d[i];
  solve(x, x->y);
  for (int i = 0; i < x->m; i++)
    for (int e = 0; e < x->n; e++)
      r[e] -= x->y[i] * x->Z[i * x->n + e];
}

static void advance(const cst_derivative *x, double h, const double *q, const double *p,
                    double *to) {
  for (int e = 0; e < x->n; e++)
    to[e] = q[e] + h * x->minv[e] * p[e];
}

/* Newton's method for p_h, in k->p1, and L. */
static bool find_middle(cst_derivative *x, const double *c, const cst_middle *k, const double *q,
                        const double *p) {
  enum { MOST = 50 };
  const int n = x->n;
  double    last = INFINITY, r[n], d[x->m + 1];
  memset(k->L, 0, sizeof(double) * (size_t)x->m);
  for (int it = 0; it < MOST; it++) {
    advance(x, k->theta * k->h, q, k->p1, k->qm);
    advance(x, k->h, q, k->p1, k->q1);
    jacobian(x, c, k->q1, x->G1);
    factor_middle(x, c, k);
    for (int e = 0; e < n; e++)
      r[e] = p[e] - k->p1[e];
    subtract(x, x->G0, k->L, r);
    kick_by_force(x, c, (1 - k->theta) * k->h, k->qm, r);
    const double most = 1e-3 * (sqrt(product(p, p, n)) + k->h * sqrt(product(x->a, x->a, n)));
    if (x->m)
      cst_system_eval_at(x->s, CST_K_g, c, k->q1, x->g);
    for (int i = 0; i < x->m; i++)
      d[i] = x->g[x->row[i]];
    solve_middle(x, k->h, d, r);
    const double size = sqrt(product(r, r, n));
    if (!(size < INFINITY))
      return false;
    if (size <= DBL_EPSILON * most || (size >= last && size <= 1e-10 * most))
      return true;
    for (int e = 0; e < n; e++)
      k->p1[e] += r[e];
    for (int i = 0; i < x->m; i++)
      k->L[i] += x->y[i];
    last = size;
  }
  return false;
}

static void move_through(cst_derivative *x, const double *c, const cst_middle *k, const double *q,
                         double *w) {
  const int n = x->n;
  double   *dq = w, *dp = w + n, d[x->m + 1], dm[n];
  subtract_hessian(x, (1 - k->theta) * k->h, dq, dp);
  bend(x, c, q, k->L, dq, dp);
  for (int i = 0; i < x->m; i++)
    d[i] = product(row_of(x, x->G1, i), dq, n);
  solve_middle(x, k->h, d, dp);
  advance(x, k->theta * k->h, dq, dp, dm);
  advance(x, k->h, dq, dp, dq);
  subtract_hessian(x, k->theta * k->h, dm, dp);
}

bool cst_derivative_midpoint(cst_derivative *x, const double *c, const cst_middle *k, double *q,
                             int count, double *w) {
  const size_t n = (size_t)x->n;
  double       p[x->n];
  memcpy(p, k->p1, sizeof p);
  jacobian(x, c, q, x->G0);
  if (!find_middle(x, c, k, q, p))
    return false;
  for (int i = 0; i < count; i++)
    move_through(x, c, k, q, w + (size_t)i * 2 * n);
  kick_by_force(x, c, k->theta * k->h, k->qm, k->p1);
  factor_gram(x, x->G1, x->G1);
  land(x, k->p1, k->m);
  for (int i = 0; i < count; i++) {
    double *dq = w + (size_t)i * 2 * n;
    bend(x, c, k->q1, k->m, dq, dq + n);
    make_tangent(x, c, k->q1, x->v, x->G1, dq, dq + n);
  }
  memcpy(q, k->q1, sizeof *q * n);
  return true;
}
