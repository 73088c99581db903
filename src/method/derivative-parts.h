/* derivative-parts.h: internal: what the derivatives of kicks, midpoint rules and layers share. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DERIVATIVE_PARTS_H
#define CST_DERIVATIVE_PARTS_H
#include <float.h>
#include <math.h>
#include <string.h>
#include "method/derivative.h"
#include "method/scalar-solve.h"
#include "method/rk-stages.h"

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

/* A midpoint rule: its length and impulses; p1 is p0 before it. */
typedef struct {
  double theta, h, *L, *m, *q1, *p1, *qm;
} cst_middle;

/* derivative-layer.c: a step of a tableau, and a projection; q, p and w become those behind it. */
bool cst_derivative_layer(cst_derivative *x, const double *c, const cst_tableau *of, double h,
                          double *q, double *p, int count, double *w);
bool cst_derivative_projection(cst_derivative *x, const double *c, double *q, double *p, int count,
                               double *w);
/* derivative-midpoint.c: as a step; q becomes q1. */
bool cst_derivative_midpoint(cst_derivative *x, const double *c, const cst_middle *k, double *q,
                             int count, double *w);

/* ---- linear algebra -------------------------------------------------------------------------- */

static inline double *row_of(const cst_derivative *x, double *G, int k) {
  return G + x->row[k] * x->n;
}

static inline void solve(const cst_derivative *x, double *y) {
  solve_with(x->m, x->A, x->pivot, y);
}

/* Factors L M^-1 R', of the enforced rows of two matrices. */
static inline void factor_gram(cst_derivative *x, double *L, double *R) {
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
static inline void subtract(const cst_derivative *x, double *G, const double *y, double *a) {
  for (int k = 0; k < x->m; k++)
    for (int e = 0; e < x->n; e++)
      a[e] -= row_of(x, G, k)[e] * y[k];
}

/* a -= f V''(q) d; the Hessian is in x->H. */
static inline void subtract_hessian(const cst_derivative *x, double f, const double *d, double *a) {
  for (int i = 0; i < x->n; i++)
    a[i] -= f * product(x->H + i * x->n, d, x->n);
}

/* y := G M^-1 a */
static inline void against(const cst_derivative *x, double *G, const double *a, double *y) {
  for (int k = 0; k < x->m; k++) {
    y[k] = 0;
    for (int e = 0; e < x->n; e++)
      y[k] += row_of(x, G, k)[e] * x->minv[e] * a[e];
  }
}

/* ---- the system ------------------------------------------------------------------------------ */

static inline void set_mass(cst_derivative *x, const double *c) {
  cst_system_eval(x->s, CST_K_mass, c, NULL, NULL, NULL, NULL, NULL, x->mass);
  for (int i = 0; i < x->n; i++)
    x->minv[i] = 1 / x->mass[x->s->mass_class[i]];
}

static inline void jacobian(const cst_derivative *x, const double *c, const double *q, double *G) {
  if (x->m)
    cst_system_matrix(x->s, CST_K_G, c, q, NULL, G);
}

static inline void hessian(const cst_derivative *x, const double *c, const double *q) {
  cst_system_matrix(x->s, CST_K_d2V, c, q, NULL, x->H);
}

/* a -= D2(l.g)(q) d, l of the enforced constraints */
static inline void bend(cst_derivative *x, const double *c, const double *q, const double *l,
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
static inline void make_tangent(cst_derivative *x, const double *c, const double *q,
                                const double *v, double *G, const double *dq, double *dp) {
  if (!x->m)
    return;
  cst_system_eval(x->s, CST_K_D2gvw, c, q, v, dq, NULL, NULL, x->g);
  against(x, G, dp, x->y);
  for (int k = 0; k < x->m; k++)
    x->y[k] += x->g[x->row[k]];
  solve(x, x->y);
  subtract(x, G, x->y, dp);
}

static inline void kick_by_force(cst_derivative *x, const double *c, double by, const double *q,
                                 double *p) {
  cst_system_eval_at(x->s, CST_K_dV, c, q, x->a);
  for (int e = 0; e < x->n; e++)
    p[e] -= by * x->a[e];
}

/* p -= G1'm on the tangent space at q1, and x->v the velocity; G1 M^-1 G1' is factored. */
static inline void land(cst_derivative *x, double *p, double *m) {
  against(x, x->G1, p, m);
  solve(x, m);
  subtract(x, x->G1, m, p);
  for (int e = 0; e < x->n; e++)
    x->v[e] = x->minv[e] * p[e];
}
#endif
