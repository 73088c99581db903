/* rk-stages.c: the stages of a Runge-Kutta step, and their variations (see rk-stages.h).
 *
 * The variation of an acceleration solves M dA + G'dlambda = E1, G dA = E2, where E is the change of
 * f - M A - G'lambda and -D2g[v, v] - G A at fixed A and lambda (kernel DE). Implicit tableaus are iterated
 * functionally to stagnation, variations too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/rk-stages.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/scalar-solve.h"

enum { MOST_SWEEPS = 200 };

cst_rk_stages *cst_rk_stages_create(const cst_system *s, int most) {
  cst_rk_stages *x = cst_zeros(1, sizeof *x);
  const int      n = s->nq, ng = s->ng;
  x->s = s;
  x->n = n;
  x->ng = ng;
  x->row = cst_zeros(ng + 1, sizeof *x->row);
  for (int k = 0; k < ng; k++)
    if (cst_system_enforces(s, k))
      x->row[x->m++] = k;
  const size_t m = (size_t)x->m, N = (size_t)n, g = (size_t)ng, S = (size_t)most;
  double     **arrays[] = {&x->c,  &x->mass, &x->Q, &x->V, &x->A, &x->lambda, &x->dQ,  &x->dV,
                           &x->dA, &x->G,    &x->S, &x->f, &x->y, &x->u,      &x->past};
  const size_t size[] = {(size_t)s->npar, N,         S * N,     S * N, S * N, S * g, S * N, S * N,
                         S * N,           S * g * N, S * m * m, N + g, m,     2 * N, S * N};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = cst_zeros(size[k] + 1, sizeof(double));
  x->pivot = cst_zeros(S * m + 1, sizeof *x->pivot);
  return x;
}

void cst_rk_stages_destroy(cst_rk_stages *x) {
  if (!x)
    return;
  double *arrays[] = {x->c,  x->mass, x->Q, x->V, x->A, x->lambda, x->dQ,  x->dV,
                      x->dA, x->G,    x->S, x->f, x->y, x->u,      x->past};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    free(arrays[k]);
  free(x->pivot);
  free(x->row);
  free(x);
}

void cst_rk_stages_set(cst_rk_stages *x, const double *c) {
  memcpy(x->c, c, sizeof *c * (size_t)x->s->npar);
  for (int i = 0; i < x->n; i++)
    x->u[i] = 1;
  memset(x->f, 0, sizeof *x->f * (size_t)x->n);
  cst_system_momentum(x->s, x->c, x->f, x->u, x->mass);
}

void cst_rk_stages_clock(cst_rk_stages *x, double t) { cst_system_set_time(x->s, x->c, t); }

static const double *row_of(const cst_rk_stages *x, int stage, int k) {
  return x->G + (stage * x->ng + x->row[k]) * x->n;
}

static void at_stage(cst_rk_stages *x, int i) {
  double c = 0;
  for (int l = 0; l < x->of->stages; l++)
    c += x->of->a[i * x->of->stages + l];
  cst_rk_stages_clock(x, x->t + x->h * c);
}

/* (A, l) of M A + G'l = f, G A = e at stage i: f becomes A. */
static void solve_saddle(cst_rk_stages *x, int i, double *f, const double *e, double *l) {
  const int m = x->m, n = x->n;
  for (int k = 0; k < n; k++)
    f[k] /= x->mass[k];
  for (int a = 0; a < m; a++)
    x->y[a] = product(row_of(x, i, a), f, n) - e[x->row[a]];
  solve_with(m, x->S + i * m * m, x->pivot + i * m, x->y);
  for (int a = 0; a < m; a++) {
    const double *G = row_of(x, i, a);
    for (int k = 0; k < n; k++)
      f[k] -= G[k] * x->y[a] / x->mass[k];
  }
  for (int a = 0; a < m && l; a++)
    l[x->row[a]] = x->y[a];
}

static void factor_gram(cst_rk_stages *x, int i) {
  const int m = x->m;
  double   *S = x->S + i * m * m;
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      S[a * m + b] = 0;
      for (int k = 0; k < x->n; k++)
        S[a * m + b] += row_of(x, i, a)[k] * row_of(x, i, b)[k] / x->mass[k];
    }
  factor(m, S, x->pivot + i * m);
}

/* A and lambda at stage i, whose Q and V are there. */
static void accelerate(cst_rk_stages *x, int i) {
  const int     n = x->n;
  const double *q = x->Q + i * n, *v = x->V + i * n;
  double       *A = x->A + i * n, *bent = x->f + n;
  at_stage(x, i);
  cst_system_force(x->s, x->c, q, v, NULL, A);
  if (x->ng) {
    cst_system_matrix(x->s, CST_K_G, x->c, q, v, x->G + i * x->ng * n);
    factor_gram(x, i);
    cst_system_eval(x->s, CST_K_D2gvv, x->c, q, v, NULL, NULL, NULL, bent);
  }
  for (int a = 0; a < x->ng; a++)
    bent[a] = -bent[a];
  solve_saddle(x, i, A, bent, x->lambda + i * x->ng);
}

/* out := base + h sum_l a_il K_l */
static void add_row(const cst_rk_stages *x, int i, const double *base, const double *K,
                    double *out) {
  const int s = x->of->stages;
  for (int k = 0; k < x->n; k++) {
    out[k] = base[k];
    for (int l = 0; l < s; l++)
      if (x->of->a[i * s + l] != 0)
        out[k] += x->h * x->of->a[i * s + l] * K[l * x->n + k];
  }
}

static void add_end(const cst_rk_stages *x, const double *base, const double *K, double *out) {
  for (int k = 0; k < x->n; k++) {
    double sum = 0;
    for (int i = 0; i < x->of->stages; i++)
      sum += x->of->b[i] * K[i * x->n + k];
    out[k] = base[k] + x->h * sum;
  }
}

/* A has come to rest: it differs from what it was by round-off, or no longer comes nearer. */
static bool rests(const cst_rk_stages *x, const double *A, double *last) {
  double    change = 0, size = 0;
  const int n = x->of->stages * x->n;
  for (int k = 0; k < n; k++) {
    change = fmax(change, fabs(A[k] - x->past[k]));
    size = fmax(size, fabs(A[k]));
  }
  const bool done =
      change <= DBL_EPSILON * size || (change >= 0.9 * *last && change <= 1e-12 * size);
  *last = change;
  return done;
}

bool cst_rk_stages_run(cst_rk_stages *x, const cst_tableau *of, double h, double t, const double *q,
                       const double *v) {
  const int    s = of->stages, n = x->n;
  const size_t size = sizeof(double) * (size_t)(s * n);
  double       last = INFINITY;
  bool         done = false;
  x->of = of;
  x->h = h;
  x->t = t;
  memset(x->A, 0, size);
  for (int i = 0; i < s; i++)
    memcpy(x->V + i * n, v, sizeof *v * (size_t)n);
  for (int it = 0; it < MOST_SWEEPS && !done; it++) {
    memcpy(x->past, x->A, size);
    for (int i = 0; i < s; i++) {
      add_row(x, i, v, x->A, x->V + i * n);
      add_row(x, i, q, x->V, x->Q + i * n);
      accelerate(x, i);
    }
    done = !of->implicit || rests(x, x->A, &last);
  }
  for (int k = 0; k < s * n; k++)
    done &= isfinite(x->A[k]);
  return done;
}

void cst_rk_stages_end(const cst_rk_stages *x, const double *q, const double *v, double *q1,
                       double *v1) {
  add_end(x, q, x->V, q1);
  add_end(x, v, x->A, v1);
}

static void vary_stage(cst_rk_stages *x, int i, const double *dq, const double *dv) {
  const int n = x->n;
  double   *dA = x->dA + i * n;
  add_row(x, i, dv, x->dA, x->dV + i * n);
  add_row(x, i, dq, x->dV, x->dQ + i * n);
  memcpy(x->u, x->dQ + i * n, sizeof *x->u * (size_t)n);
  memcpy(x->u + n, x->dV + i * n, sizeof *x->u * (size_t)n);
  at_stage(x, i);
  cst_system_eval(x->s, CST_K_DE, x->c, x->Q + i * n, x->V + i * n, x->A + i * n, x->u,
                  x->lambda + i * x->ng, x->f);
  memcpy(dA, x->f, sizeof *dA * (size_t)n);
  solve_saddle(x, i, dA, x->f + n, NULL);
}

void cst_rk_stages_vary(cst_rk_stages *x, const double *dq, const double *dv, double *dq1,
                        double *dv1) {
  const int    s = x->of->stages;
  const size_t size = sizeof(double) * (size_t)(s * x->n);
  double       last = INFINITY;
  bool         done = false;
  memset(x->dA, 0, size);
  for (int i = 0; i < s; i++)
    memcpy(x->dV + i * x->n, dv, sizeof *dv * (size_t)x->n);
  for (int it = 0; it < MOST_SWEEPS && !done; it++) {
    memcpy(x->past, x->dA, size);
    for (int i = 0; i < s; i++)
      vary_stage(x, i, dq, dv);
    done = !x->of->implicit || rests(x, x->dA, &last);
  }
  add_end(x, dq, x->dV, dq1);
  add_end(x, dv, x->dA, dv1);
}
