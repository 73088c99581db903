/* quad-precision.c: the index-reduced equations at one point in quadruple precision.
 *
 *   M A = f - G' lambda,  G A = -D2g[v, v]   so   (G M^-1 G') lambda = D2g[v, v] + G M^-1 f
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include <string.h>
#include "system/internal.h"
#include "system/point/quad-precision.h"

typedef __float128 quad;

#define NUMBER    quad
#define MAGNITUDE fabsq
#define FACTOR    factor
#define SOLVE     solve
#include "core/pivoted.h"

struct cst_quad {
  const cst_system *s;
  int               n, *kept; /* enforced constraints */
  int              *row, *constraint_row;
  quad             *c, *mass, *a;  /* [npar], [nmass], [nq] */
  quad             *entry, *M;     /* entries of M; its factors [nq * nq], or its diagonal */
  quad             *G, *Z;         /* entries; rows of G times M^-1, [n][nq] */
  quad             *S, *b, *D2gvv; /* [n * n], [n], [ng] */
};

static quad *numbers(int n) { return cst_zeros(n, sizeof(quad)); }

cst_quad *cst_quad_create(const cst_system *s, const double *c) {
  const int ng = s->ng;
  const int nq = s->nq;
  cst_quad *x = cst_need(calloc(1, sizeof *x));
  x->s = s;
  x->kept = cst_zeros(ng, sizeof *x->kept);
  for (int a = 0; a < ng; a++)
    if (cst_system_enforces(s, a))
      x->kept[x->n++] = a;
  if (!cst_has(s, CST_SEPARABLE))
    x->row = cst_zeros(nq, sizeof *x->row);
  x->constraint_row = cst_zeros(x->n, sizeof *x->constraint_row);
  x->c = numbers(s->npar);
  x->mass = numbers(s->model->nmass);
  x->a = numbers(nq);
  x->entry = numbers(s->model->pattern[CST_K_M].n);
  x->M = numbers(x->row ? nq * nq : nq);
  x->G = numbers(s->model->pattern[CST_K_G].n);
  x->Z = numbers(x->n * nq);
  x->S = numbers(x->n * x->n);
  x->b = numbers(x->n);
  x->D2gvv = numbers(ng);
  for (int k = 0; k < s->npar; k++)
    x->c[k] = c[k];
  cst_system_eval_quad(s, CST_K_mass, x->c, NULL, NULL, x->mass);
  for (int i = 0; i < nq && !x->row; i++)
    x->M[i] = x->mass[s->model->mass_class[i]];
  return x;
}

void cst_quad_destroy(cst_quad *x) {
  if (!x)
    return;
  int  *integers[] = {x->kept, x->row, x->constraint_row};
  quad *owned[] = {x->c, x->mass, x->a, x->entry, x->M, x->G, x->Z, x->S, x->b, x->D2gvv};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    free(integers[i]);
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  free(x);
}

void cst_quad_time(cst_quad *x, quad t) {
  if (cst_has(x->s, CST_TIMED))
    x->c[x->s->model->account - 1] = t;
}

/* Factors M(q). */
static bool factor_mass(cst_quad *x, const quad *q) {
  const cst_pattern *p = &x->s->model->pattern[CST_K_M];
  if (!x->row)
    return true;
  cst_system_eval_quad(x->s, CST_K_M, x->c, q, NULL, x->entry);
  const size_t entries = (size_t)p->rows * (size_t)p->columns;
  memset(x->M, 0, sizeof *x->M * entries);
  for (int i = 0; i < p->rows; i++) {
    quad *row = x->M + i * p->columns;
    CST_EACH_ENTRY(p, i, e)
      row[p->column[e]] = x->entry[e];
  }
  return factor(x->M, x->row, p->rows);
}

static void solve_mass(const cst_quad *x, quad *y) {
  const cst_system *s = x->s;
  if (x->row)
    solve(x->M, x->row, s->nq, y);
  else
    for (int i = 0; i < s->nq; i++)
      y[i] /= x->M[i];
}

/* S = G M^-1 G' of the enforced constraints, and Z = G M^-1. */
static bool factor_constraints(cst_quad *x, const quad *q) {
  const cst_pattern *p = &x->s->model->pattern[CST_K_G];
  const int          n = x->n;
  const int          nq = x->s->nq;
  cst_system_eval_quad(x->s, CST_K_G, x->c, q, NULL, x->G);
  const size_t entries = (size_t)n * (size_t)nq;
  memset(x->Z, 0, sizeof *x->Z * entries);
  for (int k = 0; k < n; k++) {
    quad *row = x->Z + k * nq;
    CST_EACH_ENTRY(p, x->kept[k], e)
      row[p->column[e]] = x->G[e];
    solve_mass(x, row);
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      const quad *row = x->Z + b * nq;
      quad        sum = 0;
      CST_EACH_ENTRY(p, x->kept[a], e)
        sum += x->G[e] * row[p->column[e]];
      x->S[a * n + b] = sum;
    }
  return factor(x->S, x->constraint_row, n);
}

bool cst_quad_accelerate(cst_quad *x, const quad *q, const quad *v, quad *A, quad *lambda) {
  const cst_system   *s = x->s;
  const int           nq = s->nq;
  const cst_pattern  *p = &s->model->pattern[CST_K_G];
  const cst_kernel_id force = cst_system_force_kernel(s);
  if (!factor_mass(x, q))
    return false;
  if (!factor_constraints(x, q))
    return false;
  cst_system_eval_quad(s, force, x->c, q, v, A);
  for (int i = 0; i < nq && force == CST_K_dV; i++)
    A[i] = -A[i];
  solve_mass(x, A);
  cst_system_eval_quad(s, CST_K_D2gvv, x->c, q, v, x->D2gvv);
  for (int a = 0; a < s->ng; a++)
    lambda[a] = 0;
  for (int k = 0; k < x->n; k++) {
    const int a = x->kept[k];
    quad      sum = x->D2gvv[a];
    CST_EACH_ENTRY(p, a, e)
      sum += x->G[e] * A[p->column[e]];
    x->b[k] = sum;
  }
  solve(x->S, x->constraint_row, x->n, x->b);
  for (int k = 0; k < x->n; k++) {
    const quad *Z = x->Z + k * nq;
    lambda[x->kept[k]] = x->b[k];
    for (int i = 0; i < nq; i++)
      A[i] -= Z[i] * x->b[k];
  }
  return true;
}

void cst_quad_momentum(cst_quad *x, const quad *q, const quad *v, quad *p) {
  const cst_system  *s = x->s;
  const cst_pattern *P = &s->model->pattern[CST_K_M];
  if (!x->row) {
    for (int i = 0; i < s->nq; i++)
      p[i] = x->M[i] * v[i];
    return;
  }
  cst_system_eval_quad(s, CST_K_M, x->c, q, NULL, x->entry);
  cst_system_eval_quad(s, CST_K_a, x->c, q, NULL, x->a);
  for (int i = 0; i < s->nq; i++) {
    quad sum = x->a[i];
    CST_EACH_ENTRY(P, i, e)
      sum += x->entry[e] * v[P->column[e]];
    p[i] = sum;
  }
}
