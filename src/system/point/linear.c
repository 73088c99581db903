/* linear.c: linear algebra at one point: masses, patterns, and the factors of S = G W G'. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/point/linear.h"

double *cst_linear_numbers(long n) { return cst_zeros(n, sizeof(double)); }

void cst_linear_masses(const cst_system *s, const double *c, double *m) {
  double *distinct = cst_linear_numbers(s->nmass);
  cst_system_eval(s, CST_K_mass, c, NULL, NULL, NULL, NULL, NULL, distinct);
  for (int i = 0; i < s->nq; i++)
    m[i] = distinct[s->mass_class[i]];
  free(distinct);
}

static bool is_diagonal(const cst_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    if (p->start[i + 1] != i + 1 || p->column[i] != i)
      return false;
  return true;
}

/* M + sigma G'G with the orthogonality constraints, dense. It replaces the mass where a body is flat; on G v
 * = 0 it equals M. */
static bool raised_mass(cst_mass *M, const double *c, const double *q) {
  const cst_system  *s = M->s;
  const cst_pattern *P = &s->pattern[CST_K_G];
  const size_t       n = (size_t)s->nq;
  double            *G = cst_linear_numbers(P->n);
  M->m = cst_linear_numbers(n * n);
  M->row = cst_need(calloc(n + 1, sizeof *M->row));
  if (s->general)
    cst_system_matrix(s, CST_K_M, c, q, NULL, M->m);
  else {
    double *m = cst_linear_numbers(n);
    cst_linear_masses(s, c, m);
    for (size_t i = 0; i < n; i++)
      M->m[i * n + i] = m[i];
    free(m);
  }
  M->sigma = 0;
  for (int k = 0; k < s->nbodies; k++)
    M->sigma = fmax(M->sigma, M->m[(size_t)s->bodies[k].rotation * (n + 1)]);
  cst_system_eval(s, CST_K_G, c, q, NULL, NULL, NULL, NULL, G);
  for (int a = s->nown; a < s->ng - s->nvel; a++)
    for (int e = P->start[a]; e < P->start[a + 1]; e++)
      for (int f = P->start[a]; f < P->start[a + 1]; f++)
        M->m[(size_t)P->column[e] * n + (size_t)P->column[f]] += M->sigma * G[e] * G[f];
  free(G);
  return cst_dense_factor(M->m, M->row, s->nq);
}

bool cst_linear_mass_create(cst_mass *M, const cst_system *s, const double *c, const double *q) {
  const size_t n = (size_t)s->nq;
  *M = (cst_mass){.s = s};
  if (s->flat >= 0)
    return raised_mass(M, c, q);
  if (!s->general || is_diagonal(&s->pattern[CST_K_M])) {
    bool good = true;
    M->m = cst_linear_numbers(n);
    if (s->general)
      cst_system_eval(s, CST_K_M, c, q, NULL, NULL, NULL, NULL, M->m);
    else
      cst_linear_masses(s, c, M->m);
    for (size_t i = 0; i < n; i++)
      good &= M->m[i] != 0;
    return good;
  }
  M->m = cst_linear_numbers(n * n);
  M->row = cst_need(calloc(n + 1, sizeof *M->row));
  cst_system_matrix(s, CST_K_M, c, q, NULL, M->m);
  return cst_dense_factor(M->m, M->row, s->nq);
}

void cst_linear_mass_destroy(cst_mass *M) {
  free(M->m);
  free(M->row);
}

void cst_linear_mass_solve(const cst_mass *M, double *x) {
  if (M->row) {
    cst_dense_solve(M->m, M->row, M->s->nq, x);
    return;
  }
  for (int i = 0; i < M->s->nq; i++)
    x[i] /= M->m[i];
}

void cst_linear_pattern_times(const cst_pattern *p, const double *A, const double *x, double *y) {
  for (int a = 0; a < p->rows; a++) {
    y[a] = 0;
    for (int e = p->start[a]; e < p->start[a + 1]; e++)
      y[a] += A[e] * x[p->column[e]];
  }
}

void cst_linear_pattern_add_transposed(const cst_pattern *p, const double *A, const double *x,
                                       double *y) {
  for (int a = 0; a < p->rows; a++)
    for (int e = p->start[a]; e < p->start[a + 1]; e++)
      y[p->column[e]] += A[e] * x[a];
}

static int keep(const cst_system *s, int *kept) {
  int n = 0;
  for (int a = 0; a < s->ng; a++)
    if (!s->dropped || !s->dropped[a])
      kept[n++] = a;
  return n;
}

/* LU factors of a banded matrix without pivoting: S is symmetric and positive definite. */
static bool factor_band(double *S, int n, int band, double *least) {
  const int width = 2 * band + 1;
  double   *diagonal = cst_linear_numbers(n);
  bool      good = true;
  for (int k = 0; k < n; k++)
    diagonal[k] = S[(size_t)k * (size_t)width + (size_t)band];
  *least = 1;
  for (int k = 0; k < n && good; k++) {
    const double *top = S + (size_t)k * (size_t)width + band; /* top[j - k] is entry (k, j) */
    good = top[0] > 0 && isfinite(top[0]);
    *least = fmin(*least, good ? top[0] / diagonal[k] : 0);
    for (int i = k + 1; i < n && i <= k + band && good; i++) {
      double *now = S + (size_t)i * (size_t)width + band - (i - k); /* now[j - k] is entry (i, j) */
      now[0] /= top[0];
      for (int j = 1; j <= band && k + j < n; j++)
        now[j] -= now[0] * top[j];
    }
  }
  free(diagonal);
  return good;
}

static void solve_band(const double *S, int n, int band, double *b) {
  const int width = 2 * band + 1;
  for (int i = 0; i < n; i++)
    for (int j = i > band ? i - band : 0; j < i; j++)
      b[i] -= S[(size_t)i * (size_t)width + (size_t)(j - i + band)] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    const double *row = S + (size_t)i * (size_t)width + band;
    for (int j = i + 1; j < n && j <= i + band; j++)
      b[i] -= row[j - i] * b[j];
    b[i] /= row[0];
  }
}

/* S := the sum over the terms of every pair of constraints, for a diagonal M. */
static void add_pairs(const cst_system *s, const double *G, const double *m, double *S) {
  const cst_gram *g = &s->gram;
  for (int k = 0; k < g->n; k++) {
    double sum = 0;
    for (int t = g->first[k]; t < g->first[k + 1]; t++)
      sum += G[g->ea[t]] * G[g->eb[t]] / (m ? m[g->i[t]] : 1);
    S[g->at[k]] = sum;
  }
}

static bool make_banded(cst_schur *x, const double *G, const double *m) {
  const cst_gram *g = &x->s->gram;
  x->S = cst_linear_numbers((size_t)g->size + (size_t)x->n);
  x->b = x->S + g->size;
  add_pairs(x->s, G, m, x->S);
  return factor_band(x->S, x->s->ng, g->band, &x->least);
}

/* Z[n][nq], of zeros, := the rows of G, or M^-1 times each of them if M is not NULL. */
static void solve_rows(const cst_schur *x, const double *G, const cst_mass *M, double *Z) {
  const cst_pattern *p = &x->s->pattern[CST_K_G];
  const size_t       nq = (size_t)x->s->nq;
  for (int k = 0; k < x->n; k++) {
    for (int e = p->start[x->kept[k]]; e < p->start[x->kept[k] + 1]; e++)
      Z[(size_t)k * nq + (size_t)p->column[e]] = G[e];
    if (M)
      cst_linear_mass_solve(M, Z + (size_t)k * nq);
  }
}

static bool make_dense(cst_schur *x, const double *G, const cst_mass *M) {
  const cst_pattern *p = &x->s->pattern[CST_K_G];
  const size_t       n = (size_t)x->n;
  const size_t       nq = (size_t)x->s->nq;
  double            *Z;
  x->S = cst_linear_numbers(n * n + n + n * nq);
  x->b = x->S + n * n;
  x->row = x->kept + x->s->ng;
  Z = x->b + n;
  solve_rows(x, G, M, Z);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      for (int e = p->start[x->kept[a]]; e < p->start[x->kept[a] + 1]; e++)
        x->S[a * n + b] += G[e] * Z[b * nq + (size_t)p->column[e]];
  double top = 0;
  for (size_t a = 0; a < n; a++)
    top = fmax(top, x->S[a * n + a]);
  const bool good = cst_dense_factor(x->S, x->row, x->n);
  for (size_t a = 0; a < n; a++)
    x->least = fmin(x->least, good ? fabs(x->S[a * n + a]) / top : 0);
  return good;
}

bool cst_linear_schur_create(cst_schur *x, const cst_system *s, const double *G,
                             const cst_mass *M) {
  *x =
      (cst_schur){.s = s, .kept = cst_need(calloc(2 * (size_t)s->ng + 1, sizeof(int))), .least = 1};
  x->n = keep(s, x->kept);
  x->banded = s->gram.banded && !s->dropped && (!M || !M->row);
  if (x->banded)
    return make_banded(x, G, M ? M->m : NULL);
  return make_dense(x, G, M);
}

void cst_linear_schur_destroy(cst_schur *x) {
  free(x->kept);
  free(x->S);
}

void cst_linear_schur_solve(const cst_schur *x, double *l) {
  double *b = x->b;
  for (int k = 0; k < x->n; k++)
    b[x->banded ? x->s->gram.place[k] : k] = l[x->kept[k]];
  if (x->banded)
    solve_band(x->S, x->n, x->s->gram.band, b);
  else
    cst_dense_solve(x->S, x->row, x->n, b);
  memset(l, 0, sizeof *l * (size_t)x->s->ng);
  for (int k = 0; k < x->n; k++)
    l[x->kept[k]] = b[x->banded ? x->s->gram.place[k] : k];
}

void cst_linear_project_tangent(const cst_system *s, const double *G, const cst_schur *S,
                                double *x) {
  const cst_pattern *P = &s->pattern[CST_K_G];
  double            *b = cst_linear_numbers(s->ng);
  cst_linear_pattern_times(P, G, x, b);
  cst_linear_schur_solve(S, b);
  for (int a = 0; a < s->ng; a++)
    b[a] = -b[a];
  cst_linear_pattern_add_transposed(P, G, b, x);
  free(b);
}

double cst_linear_dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}
