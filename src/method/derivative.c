/* derivative.c: the derivative of a step that consists of kicks (core/kick.c), of midpoint rules,
 * and of layers and projections. A kick
 *
 *   p_h = p0 - w0 h grad V(q0) - G0'L,   q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   p1  = p_h - w1 h grad V(q1) - G1'm,  G1 M^-1 p1 = 0
 *
 * is solved for the impulses L and m by Newton's method, and differentiated:
 *
 *   dp_h = dp0 - w0 h V''(q0) dq0 - D2(L.g)(q0) dq0 - G0'dL,   dq1 = dq0 + h M^-1 dp_h,   G1 dq1 = 0
 *   dp1  = dp_h - w1 h V''(q1) dq1 - D2(m.g)(q1) dq1 - G1'dm,  G1 M^-1 dp1 + D2g(q1)[dq1, M^-1 p1] = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/derivative.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/core/kick-data.h"
#include "method/rk-stages.h"
#include "method/scalar-solve.h"
#include "method/substep.h"

struct cst_derivative {
  const cst_prepared *of;
  const cst_system   *s;
  int                 n, m;           /* coordinates, enforced constraints */
  int                *row;            /* [m] of the enforced ones */
  double             *minv;           /* [n] */
  double             *H, *A;          /* [n][n], [m][m] */
  double             *B, *Z;          /* [n][n], [m][n]: B^-1 G0' */
  int                *pivot, *turn;   /* [m] of A, [n] of B */
  double             *G0, *G1, *mass; /* [ng][n]; [nmass] */
  double             *a, *b, *v;      /* [n] */
  double             *y, *g, *l;      /* [m], [ng], [ng] */
  cst_rk_stages      *stages;         /* of layers; NULL: there are none */
};

/* ---- linear algebra -------------------------------------------------------------------------- */

static double *row_of(const cst_derivative *x, double *G, int k) { return G + x->row[k] * x->n; }

static void solve(const cst_derivative *x, double *y) { solve_with(x->m, x->A, x->pivot, y); }

/* Factors L M^-1 R', of the enforced rows of two matrices. */
static void factor_gram(cst_derivative *x, double *L, double *R) {
  for (int i = 0; i < x->m; i++)
    for (int j = 0; j < x->m; j++) {
      double sum = 0;
      for (int e = 0; e < x->n; e++)
        sum += row_of(x, L, i)[e] * x->minv[e] * row_of(x, R, j)[e];
      x->A[i * x->m + j] = sum;
    }
  factor(x->m, x->A, x->pivot);
}

/* a -= G'y */
static void subtract(const cst_derivative *x, double *G, const double *y, double *a) {
  for (int k = 0; k < x->m; k++)
    for (int e = 0; e < x->n; e++)
      a[e] -= row_of(x, G, k)[e] * y[k];
}

/* a -= f V''(q) d; the Hessian is in x->H. */
static void subtract_hessian(const cst_derivative *x, double f, const double *d, double *a) {
  for (int i = 0; i < x->n; i++)
    a[i] -= f * product(x->H + i * x->n, d, x->n);
}

/* y := G M^-1 a */
static void against(const cst_derivative *x, double *G, const double *a, double *y) {
  for (int k = 0; k < x->m; k++) {
    y[k] = 0;
    for (int e = 0; e < x->n; e++)
      y[k] += row_of(x, G, k)[e] * x->minv[e] * a[e];
  }
}

/* ---- the system ------------------------------------------------------------------------------ */

static void set_mass(cst_derivative *x, const double *c) {
  cst_system_eval(x->s, CST_K_mass, c, NULL, NULL, NULL, NULL, NULL, x->mass);
  for (int i = 0; i < x->n; i++)
    x->minv[i] = 1 / x->mass[x->s->model->mass_class[i]];
}

static void jacobian(const cst_derivative *x, const double *c, const double *q, double *G) {
  if (x->m)
    cst_system_matrix(x->s, CST_K_G, c, q, NULL, G);
}

static void hessian(const cst_derivative *x, const double *c, const double *q) {
  cst_system_matrix(x->s, CST_K_d2V, c, q, NULL, x->H);
}

/* a -= D2(l.g)(q) d, l of the enforced constraints */
static void bend(cst_derivative *x, const double *c, const double *q, const double *l,
                 const double *d, double *a) {
  if (!x->m)
    return;
  memset(x->l, 0, sizeof(double) * (size_t)x->s->ng);
  for (int k = 0; k < x->m; k++)
    x->l[x->row[k]] = l[k];
  cst_system_eval(x->s, CST_K_D2glw, c, q, NULL, d, NULL, x->l, x->b);
  for (int e = 0; e < x->n; e++)
    a[e] -= x->b[e];
}

/* dp -= G'y such that G M^-1 dp + D2g(q)[v, dq] = 0; G M^-1 G' is factored. */
static void make_tangent(cst_derivative *x, const double *c, const double *q, const double *v,
                         double *G, const double *dq, double *dp) {
  if (!x->m)
    return;
  cst_system_eval(x->s, CST_K_D2gvw, c, q, v, dq, NULL, NULL, x->g);
  against(x, G, dp, x->y);
  for (int k = 0; k < x->m; k++)
    x->y[k] += x->g[x->row[k]];
  solve(x, x->y);
  subtract(x, G, x->y, dp);
}

static void kick_by_force(cst_derivative *x, const double *c, double by, const double *q,
                          double *p) {
  cst_system_eval_at(x->s, CST_K_dV, c, q, x->a);
  for (int e = 0; e < x->n; e++)
    p[e] -= by * x->a[e];
}

/* p -= G1'm on the tangent space at q1, and x->v the velocity; G1 M^-1 G1' is factored. */
static void land(cst_derivative *x, double *p, double *m) {
  against(x, x->G1, p, m);
  solve(x, m);
  subtract(x, x->G1, m, p);
  for (int e = 0; e < x->n; e++)
    x->v[e] = x->minv[e] * p[e];
}

/* ---- a kick ---------------------------------------------------------------------------------- */

/* Newton's method for L: from p = p0 - w0 h grad V(q0) to p_h, and q1; grad V(q0) is in x->a. */
static bool find_impulse(cst_derivative *x, const double *c, double h, const double *q, double *p,
                         double *L, double *q1) {
  enum { MOST = 50 };
  const double force = sqrt(product(x->a, x->a, x->n));
  double       last = INFINITY;
  memset(L, 0, sizeof(double) * (size_t)x->m);
  for (int it = 0; it < MOST; it++) {
    double size = 0, most = 1e-3 * (sqrt(product(p, p, x->n)) + h * force);
    for (int e = 0; e < x->n; e++)
      q1[e] = q[e] + h * x->minv[e] * p[e];
    if (!x->m)
      return true;
    jacobian(x, c, q1, x->G1);
    cst_system_eval_at(x->s, CST_K_g, c, q1, x->g);
    factor_gram(x, x->G1, x->G0);
    for (int k = 0; k < x->m; k++)
      x->y[k] = x->g[x->row[k]] / h;
    solve(x, x->y);
    for (int k = 0; k < x->m; k++) {
      size = fmax(size, fabs(x->y[k]));
      most = fmax(most, fabs(L[k]));
    }
    if (!(size < INFINITY))
      return false;
    if (size <= DBL_EPSILON * most || (size >= last && size <= 1e-10 * most))
      return true;
    for (int k = 0; k < x->m; k++)
      L[k] += x->y[k];
    subtract(x, x->G0, x->y, p);
    last = size;
  }
  return false;
}

typedef struct {
  const struct data *of;
  double             h, *L, *m, *q1, *p1;
} kick;

/* The vectors before x->H becomes the Hessian at the right end. */
static void move_left(cst_derivative *x, const double *c, const kick *k, const double *q,
                      double *w) {
  const int n = x->n;
  double   *dq = w, *dp = w + n;
  subtract_hessian(x, k->of->w0 * k->h, dq, dp);
  bend(x, c, q, k->L, dq, dp);
  against(x, x->G1, dp, x->y);
  for (int i = 0; i < x->m; i++)
    x->y[i] += product(row_of(x, x->G1, i), dq, n) / k->h;
  solve(x, x->y);
  subtract(x, x->G0, x->y, dp);
  for (int e = 0; e < n; e++)
    dq[e] += k->h * x->minv[e] * dp[e];
}

static void move_right(cst_derivative *x, const double *c, const kick *k, double *w) {
  double *dq = w, *dp = w + x->n;
  subtract_hessian(x, k->of->w1 * k->h, dq, dp);
  if (!k->of->tangent)
    return;
  bend(x, c, k->q1, k->m, dq, dp);
  make_tangent(x, c, k->q1, x->v, x->G1, dq, dp);
}

static bool do_kick(cst_derivative *x, const double *c, const kick *k, double *q, int count,
                    double *w) {
  const int n = x->n;
  jacobian(x, c, q, x->G0);
  kick_by_force(x, c, k->of->w0 * k->h, q, k->p1);
  if (!find_impulse(x, c, k->h, q, k->p1, k->L, k->q1))
    return false;
  hessian(x, c, q);
  for (int i = 0; i < count; i++)
    move_left(x, c, k, q, w + (size_t)i * 2 * (size_t)n);
  kick_by_force(x, c, k->of->w1 * k->h, k->q1, k->p1);
  hessian(x, c, k->q1);
  factor_gram(x, x->G1, x->G1);
  if (k->of->tangent)
    land(x, k->p1, k->m);
  for (int i = 0; i < count; i++)
    move_right(x, c, k, w + (size_t)i * 2 * (size_t)n);
  memcpy(q, k->q1, sizeof *q * (size_t)n);
  return true;
}

/* ---- a midpoint rule ------------------------------------------------------------------------- */

/* The derivative of a midpoint rule (core/midpoint.c), which is solved for p_h and L
 * by Newton's method. Its equations are those of a kick, with the forces (1 - theta) h grad
 * V(q_m) and theta h grad V(q_m), q_m = q0 + theta h M^-1 p_h, and before dp_h the matrix
 * B = 1 + theta (1 - theta) h^2 V''(q_m) M^-1.
 */

/* A midpoint rule: its length and impulses; p1 is p0 before it. */
typedef struct {
  double theta, h, *L, *m, *q1, *p1, *qm;
} middle;

/* B at q_m, S = h G1 M^-1 B^-1 G0', and their factors. */
static void factor_middle(cst_derivative *x, const double *c, const middle *k) {
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
static bool find_middle(cst_derivative *x, const double *c, const middle *k, const double *q,
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

static void move_through(cst_derivative *x, const double *c, const middle *k, const double *q,
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

/* As a step; q becomes q1. */
static bool do_midpoint(cst_derivative *x, const double *c, const middle *k, double *q, int count,
                        double *w) {
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

/* ---- layers and projections ------------------------------------------------------------------ */

/* The derivative of a Runge-Kutta step (core/rk.c), by the variations of its stages
 * (rk-stages.h), and of a projection onto both constraints (core/project.c):
 *
 *   q1 = q + G(q1)'t,  g(q1) = 0:     (1 - D2(t.g)(q1)) dq1 - G1'dt = dq,  G1 dq1 = 0
 *   p1 = p - G1'm, G1 M^-1 p1 = 0:    as at the end of a kick.
 */

/* A step of a tableau; q, p and w become those behind it. */
static bool do_layer(cst_derivative *x, const double *c, const cst_tableau *of, double h, double *q,
                     double *p, int count, double *w) {
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

/* The same of a projection. */
static bool do_projection(cst_derivative *x, const double *c, double *q, double *p, int count,
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

/* ---- a step ---------------------------------------------------------------------------------- */

static bool is_kick(const cst_substep *x) { return !strcmp(x->row->name, "kick"); }
static bool is_midpoint(const cst_substep *x) { return !strcmp(x->row->name, "midpoint"); }

static bool is_projection(const cst_substep *x) { return !strcmp(x->row->name, "project"); }

/* The tableau of a layer; NULL: it is none, or one of formulas. */
static const cst_tableau *tableau_of(const cst_substep *x) {
  const cst_layer *l = x->row->layer ? x->row->layer(x->data) : NULL;
  return l && !l->rule ? &l->tableau : NULL;
}

static bool has_derivative(const cst_substep *x, const cst_system *s) {
  if (tableau_of(x))
    return s->model->kernel_size[CST_K_DE] == s->nq + s->ng;
  return is_kick(x) || is_midpoint(x) || is_projection(x);
}

const char *cst_derivative_refusal(const cst_method *m, const cst_system *s) {
  const char *why = NULL;
  if (!cst_has(s, CST_SEPARABLE) || !s->model->nmass || s->model->nvel || !s->model->bent)
    return "has no exact derivative on a system with forces, t, a(q), constraints on velocities, "
           "or "
           "a mass that is no constant diagonal; 'companions' serve it";
  cst_prepared *p = cst_method_prepare(m, s);
  if (p->stepped != s)
    why = "steps another system in the place of the study's, and has no exact derivative";
  for (int i = 0; i < p->program->n; i++)
    if (!has_derivative(&p->program->step[i], s))
      why = "has no exact derivative; rattle, euler-a, euler-b, shake, midpoint, layers with a "
            "tableau, project(LAYER) of them and compositions have one, and 'companions' serve "
            "every method";
  cst_program_prepared_destroy(p);
  return why;
}

cst_derivative *cst_derivative_create(const cst_prepared *p) {
  cst_derivative   *x = cst_zeros(1, sizeof *x);
  const cst_system *s = p->stepped;
  const int         n = s->nq, ng = s->ng;
  x->of = p;
  x->s = s;
  x->n = n;
  x->row = cst_zeros(ng + 1, sizeof *x->row);
  for (int k = 0; k < ng; k++)
    if (cst_system_enforces(s, k))
      x->row[x->m++] = k;
  const int m = x->m;
  x->pivot = cst_zeros(m + n + 1, sizeof *x->pivot);
  x->turn = x->pivot + m;
  x->minv =
      cst_zeros(4 * n + s->model->nmass + 2 * n * n + m * m + m * n + 2 * ng * n + m + 2 * ng + 1,
                sizeof *x->minv);
  x->a = x->minv + n;
  x->b = x->a + n;
  x->v = x->b + n;
  x->mass = x->v + n;
  x->H = x->mass + s->model->nmass;
  x->A = x->H + n * n;
  x->G0 = x->A + m * m;
  x->G1 = x->G0 + ng * n;
  x->y = x->G1 + ng * n;
  x->g = x->y + m;
  x->l = x->g + ng;
  x->B = x->l + ng;
  x->Z = x->B + n * n;
  for (int i = 0; i < p->program->n; i++)
    if (tableau_of(&p->program->step[i]) && !x->stages)
      x->stages = cst_rk_stages_create(s, CST_MAX_STAGES);
  return x;
}

void cst_derivative_destroy(cst_derivative *x) {
  if (!x)
    return;
  cst_rk_stages_destroy(x->stages);
  free(x->row);
  free(x->pivot);
  free(x->minv);
  free(x);
}

void cst_derivative_tangent(cst_derivative *x, const double *c, const double *q, const double *p,
                            int k, double *w) {
  const int n = x->n;
  set_mass(x, c);
  jacobian(x, c, q, x->G0);
  factor_gram(x, x->G0, x->G0);
  for (int e = 0; e < n; e++)
    x->v[e] = x->minv[e] * p[e];
  for (; k > 0; k--, w += 2 * n) {
    for (int i = 0; i < x->m; i++)
      x->y[i] = product(row_of(x, x->G0, i), w, n);
    solve(x, x->y);
    memset(x->a, 0, sizeof(double) * (size_t)n);
    subtract(x, x->G0, x->y, x->a);
    for (int e = 0; e < n; e++)
      w[e] += x->minv[e] * x->a[e];
    make_tangent(x, c, q, x->v, x->G0, w, w + n);
  }
}

bool cst_derivative_step(cst_derivative *x, const double *c, double h, double *q, double *p, int k,
                         double *w) {
  const cst_program *program = x->of->program;
  double             L[x->m + 1], m[x->m + 1], q1[x->n], qm[x->n];
  bool               good = true;
  set_mass(x, c);
  for (int i = 0; i < program->n && good; i++) {
    const cst_substep *s = &program->step[i];
    const double       part = s->fraction * h;
    double             theta;
    if (is_kick(s)) {
      good = do_kick(x, c, &(kick){(const struct data *)s->data, part, L, m, q1, p}, q, k, w);
      continue;
    }
    if (tableau_of(s)) {
      good = do_layer(x, c, tableau_of(s), part, q, p, k, w);
      continue;
    }
    if (is_projection(s)) {
      good = do_projection(x, c, q, p, k, w);
      continue;
    }
    memcpy(&theta, s->data, sizeof theta); /* the data of core/midpoint.c */
    good = do_midpoint(x, c, &(middle){theta, part, L, m, q1, p, qm}, q, k, w);
  }
  return good;
}
