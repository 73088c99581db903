/* linear.c: linear algebra at one point: masses, patterns, and the factors of S = G W G'. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/linear.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "system/derive/sparse-order.h"

/* ---- elimination by blocks of rows ----------------------------------------------------------- */

/* A block is rows of which each has the columns of the last one, and those of the rows behind it in the block: the
 * separators of an order by nested dissection. What the rows of a block subtract from a later row is summed over
 * them first, as products of dense matrices, and then added to its entries. E. G. Ng, B. W. Peyton, SIAM J. Sci.
 * Comput. 14 (1993), 1034. */

enum { TOGETHER = 4 }; /* rows to which a block adds at once, so that it is read less often */

typedef struct {
  double    *A, *right;
  const int *row, *column;
  /* [n] of a block, by its last row: its first row; how many of its columns are in front of the current block */
  int *first, *used;
  /* [n] lists of blocks, as their last rows, by the block, as its first row, that has their next column; -1: the end */
  int    *head, *next;
  int    *leader; /* [n] the first row of the block of each row */
  int    *at;  /* [n] of a column behind the current block: its place among those of the last row */
  double *sum; /* [TOGETHER][n] */
} blocks;

static int columns(const blocks *b, int r) { return b->row[r + 1] - b->row[r]; }

/* The pattern of row r without its first column lies in that of this column's row. They are equal if as long. */
static int continues(const blocks *b, int r) {
  return columns(b, r - 1) > 0 && b->column[b->row[r - 1]] == r &&
         columns(b, r - 1) == columns(b, r) + 1;
}

/* s[t][e] += factor[t][0] x[e] + factor[t][1] y[e], e < n. */
static void add(const double *x, const double *y, double factor[TOGETHER][2], long n,
                double *restrict s) {
  double *restrict s1 = s + n, *restrict s2 = s1 + n, *restrict s3 = s2 + n;
  for (long e = 0; e < n; e++) {
    s[e] += factor[0][0] * x[e] + factor[0][1] * y[e];
    s1[e] += factor[1][0] * x[e] + factor[1][1] * y[e];
    s2[e] += factor[2][0] * x[e] + factor[2][1] * y[e];
    s3[e] += factor[3][0] * x[e] + factor[3][1] * y[e];
  }
}

/* sum[t][e], e < n, := what rows first .. last, of one block, subtract from the entry in their column `skip` + e behind
 * row `last`, of the row that is their column `skip` + t there, t < few. */
static void products(const blocks *b, int first, int last, long skip, int few, long n) {
  memset(b->sum, 0, sizeof *b->sum * (size_t)(TOGETHER * n));
  for (int k = first; k <= last; k += 2) {
    const double *x = b->right + b->row[k] + (last - k) + skip, *y = x;
    double        factor[TOGETHER][2] = {{0}};
    if (k < last)
      y = b->right + b->row[k + 1] + (last - k - 1) + skip;
    for (int t = 0; t < few; t++) {
      factor[t][0] = x[t] * b->A[k];
      factor[t][1] = k < last ? y[t] * b->A[k + 1] : 0;
    }
    add(x, y, factor, n, b->sum);
  }
}

/* Subtracts what the block that ends with row `source` has for the current block, which ends with row `last`. */
static void subtract(const blocks *b, int source, int last) {
  const int *column = b->column + b->row[source];
  const int  n = columns(b, source);
  int        begin = b->used[source], end = begin;
  while (end < n && column[end] <= last)
    end++;
  for (int t0 = begin; t0 < end; t0 += TOGETHER) {
    const int  few = end - t0 < TOGETHER ? end - t0 : TOGETHER;
    const long left = n - t0;
    products(b, b->first[source], source, t0, few, left);
    for (int t = 0; t < few; t++) {
      const int     r = column[t0 + t];
      const double *sum = b->sum + t * left;
      double       *to = b->right + b->row[r];
      b->A[r] -= sum[t];
      for (int e = t0 + t + 1; e < end; e++)
        to[column[e] - r - 1] -= sum[e - t0];
      to += last - r;
      for (int e = end; e < n; e++)
        to[b->at[column[e]]] -= sum[e - t0];
    }
  }
  b->used[source] = end;
}

/* Eliminates within the block. */
static void factor_block(const blocks *b, int first, int last) {
  for (int r0 = first; r0 <= last; r0 += TOGETHER) {
    const int  few = last + 1 - r0 < TOGETHER ? last + 1 - r0 : TOGETHER;
    const long left = columns(b, r0) + 1;
    products(b, first, r0 - 1, 0, few, left);
    for (int r = r0; r < r0 + few; r++) {
      const long    n = columns(b, r);
      const double *sum = b->sum + (r - r0) * (left + 1) + 1;
      double       *to = b->right + b->row[r];
      b->A[r] -= sum[-1];
      for (long e = 0; e < n; e++)
        to[e] -= sum[e];
      for (int k = r0; k < r; k++) {
        const double *from = b->right + b->row[k] + (r - k - 1), factor = from[0] * b->A[k];
        b->A[r] -= factor * from[0];
        for (long e = 0; e < n; e++)
          to[e] -= factor * from[e + 1];
      }
      b->A[r] = 1 / b->A[r];
    }
  }
}

static void push(const blocks *b, int source) {
  const int n = columns(b, source), k = b->used[source];
  if (k == n)
    return;
  const int to = b->leader[b->column[b->row[source] + k]];
  b->next[source] = b->head[to];
  b->head[to] = source;
}

void cst_sparse_blocks_factor(double *A, int n, const int *row, const int *column) {
  int   *room = cst_zeros(6 * (long)n, sizeof *room);
  blocks b = {
      .A = A, .right = A + n, .row = row, .column = column, .first = room, .used = room + n};
  b.head = room + 2 * (long)n, b.next = b.head + n, b.leader = b.next + n, b.at = b.leader + n;
  b.sum = cst_zeros(TOGETHER * (long)n, sizeof *b.sum);
  for (int r = 0; r < n; r++) {
    b.head[r] = -1;
    b.leader[r] = r > 0 && continues(&b, r) ? b.leader[r - 1] : r;
  }
  for (int first = 0, last; first < n; first = last + 1) {
    for (last = first; last + 1 < n && b.leader[last + 1] == first; last++)
      ;
    for (int e = 0; e < columns(&b, last); e++)
      b.at[column[row[last] + e]] = e;
    for (int source = b.head[first], then; source >= 0; source = then) {
      then = b.next[source];
      subtract(&b, source, last);
      push(&b, source);
    }
    factor_block(&b, first, last);
    b.first[last] = first;
    push(&b, last);
  }
  free(b.sum);
  free(room);
}

/* ---- masses and factors ---------------------------------------------------------------------- */

double *cst_linear_numbers(long n) { return cst_zeros(n, sizeof(double)); }

void cst_linear_masses(const cst_system *s, const double *c, double *m) {
  double *distinct = cst_linear_numbers(s->model->nmass);
  cst_system_eval_at(s, CST_K_mass, c, NULL, distinct);
  for (int i = 0; i < s->nq; i++)
    m[i] = distinct[s->model->mass_class[i]];
  free(distinct);
}

#define NUMBER           double
#define SPARSE_BACKSOLVE solve_sparse /* of cst_sparse_blocks_factor */
#include "core/sparse.h"

static bool is_diagonal(const cst_pattern *p) {
  for (int i = 0; i < p->rows; i++) {
    const bool single = p->start[i + 1] == i + 1;
    if (!single || p->column[i] != i)
      return false;
  }
  return true;
}

/* M(q) in rows of length nq, dense. */
static void dense_mass(const cst_system *s, const double *c, const double *q, double *M) {
  const long n = s->nq;
  if (!cst_has(s, CST_SEPARABLE)) {
    cst_system_matrix(s, CST_K_M, c, q, NULL, M);
    return;
  }
  double *m = cst_linear_numbers(n);
  cst_linear_masses(s, c, m);
  for (long i = 0; i < n; i++)
    M[i * n + i] = m[i];
  free(m);
}

void cst_linear_raised(const cst_system *s, int *from, int *to) {
  const bool all = cst_has(s, CST_MASSLESS);
  *from = all ? 0 : s->model->nown;
  *to = all ? s->ng : s->ng - s->model->nvel;
}

/* M := M + sigma G'G with those constraints. It replaces the mass where a body is flat, or a coordinate has no
 * mass; on G v = 0 it equals M. */
static void raise_mass(cst_mass *M, const double *c, const double *q) {
  const cst_system  *s = M->s;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  const long         n = s->nq;
  double            *G = cst_linear_numbers(P->n);
  int                from, to;
  cst_linear_raised(s, &from, &to);
  M->sigma = 0;
  for (int k = 0; k < s->model->nbodies; k++) {
    const long i = s->model->bodies[k].rotation;
    M->sigma = fmax(M->sigma, M->m[i * n + i]);
  }
  for (int i = 0; i < n && cst_has(s, CST_MASSLESS); i++)
    M->sigma = fmax(M->sigma, M->m[i * (n + 1)]);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  for (int a = from; a < to; a++)
    CST_EACH_ENTRY(P, a, e) {
      double      *row = M->m + P->column[e] * n;
      const double weight = M->sigma * G[e];
      CST_EACH_ENTRY(P, a, f)
        row[P->column[f]] += weight * G[f];
    }
  free(G);
}

static bool factor_mass(cst_mass *M, bool flat, const double *c, const double *q) {
  const long n = M->s->nq;
  M->m = cst_linear_numbers(n * n);
  M->row = cst_zeros(n, sizeof *M->row);
  dense_mass(M->s, c, q, M->m);
  if (flat || cst_has(M->s, CST_MASSLESS))
    raise_mass(M, c, q);
  return cst_dense_factor(M->m, M->row, M->s->nq);
}

bool cst_linear_mass_create(cst_mass *M, const cst_system *s, const double *c, const double *q) {
  const bool constant = cst_has(s, CST_SEPARABLE);
  const bool diagonal = constant || is_diagonal(&s->model->pattern[CST_K_M]);
  *M = (cst_mass){.s = s};
  const bool flat = cst_system_flat_at(s, c);
  if (flat || !diagonal)
    return factor_mass(M, flat, c, q);
  bool good = true;
  M->m = cst_linear_numbers(s->nq);
  if (constant)
    cst_linear_masses(s, c, M->m);
  else
    cst_system_eval_at(s, CST_K_M, c, q, M->m);
  for (int i = 0; i < s->nq; i++)
    good &= M->m[i] != 0;
  return good;
}

void cst_linear_mass_destroy(cst_mass *M) {
  free(M->m);
  free(M->row);
}

void cst_linear_mass_solve(const cst_mass *M, double *x) {
  const int n = M->s->nq;
  if (M->row) {
    cst_dense_solve(M->m, M->row, n, x);
    return;
  }
  for (int i = 0; i < n; i++)
    x[i] /= M->m[i];
}

void cst_linear_pattern_times(const cst_pattern *p, const double *A, const double *x, double *y) {
  for (int a = 0; a < p->rows; a++) {
    double sum = 0;
    CST_EACH_ENTRY(p, a, e)
      sum += A[e] * x[p->column[e]];
    y[a] = sum;
  }
}

void cst_linear_pattern_add_transposed(const cst_pattern *p, const double *A, const double *x,
                                       double *y) {
  for (int a = 0; a < p->rows; a++)
    CST_EACH_ENTRY(p, a, e)
      y[p->column[e]] += A[e] * x[a];
}

static int keep(const cst_system *s, int *kept) {
  int n = 0;
  for (int a = 0; a < s->ng; a++)
    if (cst_system_enforces(s, a))
      kept[n++] = a;
  return n;
}

/* LU factors of a banded matrix without pivoting: S is symmetric and positive definite. */
static bool factor_band(double *S, int n, int band, double *least) {
  const long width = 2 * band + 1;
  double    *diagonal = cst_linear_numbers(n);
  bool       good = true;
  for (int k = 0; k < n; k++)
    diagonal[k] = S[k * width + band];
  *least = 1;
  for (int k = 0; k < n && good; k++) {
    const double *top = S + k * width + band; /* top[j - k] is entry (k, j) */
    const int     left = n - 1 - k;
    const int     below = band < left ? band : left;
    double        ratio = 0;
    good = top[0] > 0 && isfinite(top[0]);
    if (good)
      ratio = top[0] / diagonal[k];
    *least = fmin(*least, ratio);
    for (int d = 1; d <= below && good; d++) {
      double *now = S + (k + d) * width + band - d; /* now[j - k] is entry (k + d, j) */
      now[0] /= top[0];
      for (int j = 1; j <= below; j++)
        now[j] -= now[0] * top[j];
    }
  }
  free(diagonal);
  return good;
}

static void solve_band(const double *S, int n, int band, double *b) {
  const long width = 2 * band + 1;
  for (int i = 0; i < n; i++) {
    const double *row = S + i * width + band;
    const int     first = i > band ? i - band : 0;
    for (int j = first; j < i; j++)
      b[i] -= row[j - i] * b[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = S + i * width + band;
    const int     last = i + band < n ? i + band : n - 1;
    for (int j = i + 1; j <= last; j++)
      b[i] -= row[j - i] * b[j];
    b[i] /= row[0];
  }
}

/* S := the sum over the terms of every pair of constraints, for a diagonal M. */
static void add_pairs(const cst_system *s, const double *G, const double *m, double *S) {
  const cst_gram *g = &s->model->gram;
  for (int k = 0; k < g->n; k++) {
    double sum = 0;
    for (int t = g->first[k]; t < g->first[k + 1]; t++) {
      const double one = G[g->ea[t]];
      const double other = G[g->eb[t]];
      const double mass = m ? m[g->i[t]] : 1;
      sum += one * other / mass;
    }
    S[g->at[k]] = sum;
  }
}

/* Sparse factors of S by pairs, at whose size lanes stop, are made of its symmetric half. */
static bool make_sparse(cst_schur *x, const double *G, const double *m) {
  const cst_gram *g = &x->s->model->gram;
  const long      n = x->n, size = n + g->row[n];
  double         *entry = cst_linear_numbers(g->size);
  x->S = cst_linear_numbers(size + n);
  x->b = x->S + size;
  add_pairs(x->s, G, m, entry);
  for (int k = 0; k < g->upper; k++)
    x->S[cst_sparse_place(g->row, g->column, x->s->ng, g->place[g->a[k]], g->place[g->b[k]])] =
        entry[g->at[k]];
  free(entry);
  double *diagonal = cst_linear_numbers(n);
  cst_linear_copy(diagonal, x->S, (int)n);
  cst_sparse_blocks_factor(x->S, (int)n, g->row, g->column);
  bool good = true;
  for (long r = 0; r < n; r++) {
    const double ratio = 1 / (x->S[r] * diagonal[r]);
    good &= ratio > 0 && isfinite(ratio);
    x->least = fmin(x->least, ratio > 0 ? ratio : 0);
  }
  free(diagonal);
  return good;
}

static bool make_banded(cst_schur *x, const double *G, const double *m) {
  const cst_gram *g = &x->s->model->gram;
  x->S = cst_linear_numbers((long)g->size + x->n);
  x->b = x->S + g->size;
  add_pairs(x->s, G, m, x->S);
  return factor_band(x->S, x->s->ng, g->band, &x->least);
}

/* Z[n][nq], of zeros, := the rows of G, or M^-1 times each of them if M is not NULL. */
static void solve_rows(const cst_schur *x, const double *G, const cst_mass *M, double *Z) {
  const cst_pattern *p = &x->s->model->pattern[CST_K_G];
  const long         nq = x->s->nq;
  for (int k = 0; k < x->n; k++) {
    double *row = Z + k * nq;
    CST_EACH_ENTRY(p, x->kept[k], e)
      row[p->column[e]] = G[e];
    if (M)
      cst_linear_mass_solve(M, row);
  }
}

static void multiply_rows(const cst_schur *x, const double *G, const double *Z) {
  const cst_pattern *p = &x->s->model->pattern[CST_K_G];
  const long         n = x->n;
  const long         nq = x->s->nq;
  for (long a = 0; a < n; a++)
    for (long b = 0; b < n; b++) {
      const double *z = Z + b * nq;
      double        sum = 0;
      CST_EACH_ENTRY(p, x->kept[a], e)
        sum += G[e] * z[p->column[e]];
      x->S[a * n + b] = sum;
    }
}

static bool make_dense(cst_schur *x, const double *G, const cst_mass *M) {
  const long n = x->n;
  const long nq = x->s->nq;
  x->S = cst_linear_numbers(n * n + n + n * nq);
  x->b = x->S + n * n;
  x->row = x->kept + x->s->ng;
  double *Z = x->b + n;
  solve_rows(x, G, M, Z);
  multiply_rows(x, G, Z);
  double top = 0;
  for (long a = 0; a < n; a++)
    top = fmax(top, x->S[a * n + a]);
  const bool good = cst_dense_factor(x->S, x->row, x->n);
  for (long a = 0; a < n; a++) {
    const double pivot = fabs(x->S[a * n + a]);
    x->least = fmin(x->least, good ? pivot / top : 0);
  }
  return good;
}

bool cst_linear_schur_create(cst_schur *x, const cst_system *s, const double *G,
                             const cst_mass *M) {
  const bool diagonal = !M || !M->row;
  *x = (cst_schur){.s = s, .least = 1};
  x->kept = cst_zeros(2 * s->ng, sizeof *x->kept);
  x->n = keep(s, x->kept);
  x->banded = s->model->gram.banded && !s->model->dropped && diagonal;
  if (x->banded && s->model->gram.form == CST_FORM_BAND)
    return make_banded(x, G, M ? M->m : NULL);
  if (x->banded)
    return make_sparse(x, G, M ? M->m : NULL);
  return make_dense(x, G, M);
}

void cst_linear_schur_destroy(cst_schur *x) {
  free(x->kept);
  free(x->S);
}

/* The place in b of the kept constraint k. */
static int place_of(const cst_schur *x, int k) {
  return x->banded ? x->s->model->gram.place[k] : k;
}

void cst_linear_schur_solve(const cst_schur *x, double *l) {
  const cst_system *s = x->s;
  double           *b = x->b;
  for (int k = 0; k < x->n; k++)
    b[place_of(x, k)] = l[x->kept[k]];
  if (x->banded && s->model->gram.form == CST_FORM_BAND)
    solve_band(x->S, x->n, s->model->gram.band, b);
  else if (x->banded)
    solve_sparse(x->S, b, x->n, s->model->gram.row, s->model->gram.column, 1);
  else
    cst_dense_solve(x->S, x->row, x->n, b);
  cst_linear_clear(l, s->ng);
  for (int k = 0; k < x->n; k++)
    l[x->kept[k]] = b[place_of(x, k)];
}

void cst_linear_project_tangent(const cst_system *s, const double *G, const cst_schur *S,
                                double *x) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
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
