/* dependent.c: chooses dependent coordinates; see dependent.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/dependent.h"
#include <math.h>
#include <stdlib.h>
#include "core/need.h"

enum { POINTS = 24, MOST_SETS = 20000 };
static const double RANGE = 6, SMALL = 1e-6;

typedef struct {
  const cst_system *s;
  int               m, row[CST_MAX_G];
  int n, candidate[CST_MAX_Q]; /* coordinates on which no constraint depends, last first */
  /* [1 + POINTS][ng][nq], at the first start and at points of a range */
  double *phi;
} search;

static void forbid(const cst_system *s, cst_node x, bool *forbidden) {
  int      *index;
  const int n = cst_graph_support(s->graph, x, 'q', &index);
  for (int k = 0; k < n; k++)
    forbidden[index[k]] = true;
  free(index);
}

/* Finds the enforced constraints, and the coordinates on which they do not depend. */
static void find_candidates(search *f) {
  const cst_system  *s = f->s;
  const cst_pattern *G = &s->pattern[CST_K_G];
  bool               forbidden[CST_MAX_Q] = {false};
  for (int a = s->ng - s->nvel; a < s->ng; a++) {
    if (s->dropped && s->dropped[a])
      continue;
    f->row[f->m++] = a;
    CST_EACH_ENTRY(G, a, e)
      forbid(s, s->kernel_out[CST_K_G][e], forbidden);
    if (s->affine)
      forbid(s, s->kernel_out[CST_K_phi0][a], forbidden);
  }
  for (int i = s->nq - 1; i >= 0; i--)
    if (!forbidden[i])
      f->candidate[f->n++] = i;
}

static void take_points(search *f) {
  const cst_system *s = f->s;
  const int         size = s->ng * s->nq;
  double            c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q];
  f->phi = cst_need(calloc((size_t)((1 + POINTS) * size + 1), sizeof(double)));
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  for (int k = 0; k <= POINTS; k++) {
    cst_system_matrix(s, CST_K_G, c, q, v, f->phi + k * size);
    for (int i = 0; i < s->nq; i++) {
      const double x = 0.6180339887 * (k + 1) * (i + 1.37);
      q[i] = RANGE * (x - floor(x) - 0.5);
    }
  }
}

/* Determinant by elimination with row pivoting; A[m][m] is destroyed. */
static double determinant(double *A, int m) {
  double d = 1;
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabs(A[i * m + k]) > fabs(A[best * m + k]))
        best = i;
    for (int j = 0; j < m && best != k; j++) {
      const double x = A[k * m + j];
      A[k * m + j] = A[best * m + j];
      A[best * m + j] = -x;
    }
    d *= A[k * m + k];
    for (int i = k + 1; i < m && d != 0; i++)
      for (int j = m - 1; j >= k; j--)
        A[i * m + j] -= A[i * m + k] / A[k * m + k] * A[k * m + j];
  }
  return d;
}

/* Determinant of a set of columns at a point, relative to the lengths of the rows. */
static double determinant_at(const search *f, int point, const int *column) {
  const double *phi = f->phi + point * f->s->ng * f->s->nq;
  double        A[CST_MAX_G * CST_MAX_G], size = 1;
  for (int a = 0; a < f->m; a++) {
    const double *row = phi + f->row[a] * f->s->nq;
    double        square = 0;
    for (int i = 0; i < f->s->nq; i++)
      square += row[i] * row[i];
    for (int b = 0; b < f->m; b++)
      A[a * f->m + b] = row[column[b]];
    size *= sqrt(square);
  }
  return determinant(A, f->m) / size;
}

static bool is_regular(const search *f, const int *column) {
  const double at_start = determinant_at(f, 0, column);
  bool         regular = fabs(at_start) > SMALL;
  /* NaN where phi is undefined is accepted */
  for (int k = 1; k <= POINTS && regular; k++)
    regular = !(determinant_at(f, k, column) * at_start <= 0);
  return regular;
}

/* Converts the ascending set k[m] of candidates to ascending coordinates. */
static void take(const search *f, const int *k, int *column) {
  for (int b = 0; b < f->m; b++)
    column[b] = f->candidate[k[f->m - 1 - b]];
}

/* The next set in lexical order; false after the last. */
static bool advance(const search *f, int *k) {
  int b = f->m - 1;
  while (b >= 0 && k[b] == f->n - f->m + b)
    b--;
  if (b < 0)
    return false;
  k[b]++;
  for (b++; b < f->m; b++)
    k[b] = k[b - 1] + 1;
  return true;
}

static bool choose(const search *f, int *column) {
  int k[CST_MAX_G];
  for (int b = 0; b < f->m; b++)
    k[b] = b;
  for (int sets = 0; f->m <= f->n && sets < MOST_SETS; sets++) {
    take(f, k, column);
    if (is_regular(f, column))
      return true;
    if (!advance(f, k))
      break;
  }
  return false;
}

int cst_dependent(const cst_system *s, int *row, int *column) {
  search f = {.s = s};
  find_candidates(&f);
  take_points(&f);
  const bool found = f.m == 0 || choose(&f, column);
  for (int a = 0; a < f.m; a++)
    row[a] = f.row[a];
  free(f.phi);
  return found ? f.m : -1;
}
