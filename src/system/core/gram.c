/* gram.c: what gram.h leaves to code of its own, compiled once per instruction set: the elimination of S of a long
 * system, banded or sparse, without pivoting, since it is near a symmetric positive matrix, and determinants.
 *
 * A banded matrix with n rows and half bandwidth k is vd[n * (2 k + 1)]: entry (r, c) is at r (2 k + 1) + c -
 * r + k.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/gram.h"
#define NUMBER           vd
#define SPARSE_FACTOR    sparse_lu
#define SPARSE_BACKSOLVE sparse_solve
#include "core/sparse.h"

/* ---- bands ----------------------------------------------------------------------------------- */

/* The lower half of a symmetric A from its upper one. */
static __attribute__((noinline)) void band_mirror(vd *A, int n, int k) {
  const long w = 2 * k + 1;
  for (long r = 0; r < n; r++)
    for (int d = 1; d <= k && r + d < n; d++)
      A[(r + d) * w + k - d] = A[r * w + k + d];
}

/* A := LU in place, the diagonal holding reciprocals of the pivots. */
static __attribute__((noinline)) void band_lu(vd *A, int n, int k) {
  const int w = 2 * k + 1;
  for (int r = 0; r < n; r++) {
    const int last = r + k < n ? r + k : n - 1;
    vd       *pivot = A + (long)r * w + k, inverse = 1.0 / *pivot;
    *pivot = inverse;
    for (int i = r + 1; i <= last; i++) {
      vd *row = A + (long)i * w + k - i, f = row[r] * inverse;
      row[r] = f;
      for (int c = r + 1; c <= last; c++)
        row[c] -= f * pivot[c - r];
    }
  }
}

/* b := A^-1 b with A from band_lu. */
static __attribute__((noinline)) void band_solve(const vd *A, vd *b, int n, int k) {
  const int w = 2 * k + 1;
  for (int r = 1; r < n; r++) {
    const vd *row = A + (long)r * w + k - r;
    vd        s = b[r];
    for (int c = r > k ? r - k : 0; c < r; c++)
      s -= row[c] * b[c];
    b[r] = s;
  }
  for (int r = n - 1; r >= 0; r--) {
    const vd *row = A + (long)r * w + k - r;
    vd        s = b[r];
    for (int c = r + k < n ? r + k : n - 1; c > r; c--)
      s -= row[c] * b[c];
    b[r] = s * row[r];
  }
}

/* One step of the elimination of a tridiagonal matrix, from a row to its neighbour r: `to` is the entry (r,
 * neighbour), `back` its mirror image. pivot and x hold the values of the previous row and get those of row
 * r; pivots are kept as reciprocals. */
CST_INLINE void tridiagonal_row(vd *diagonal, vd *b, vd to, vd back, vd *pivot, vd *x) {
  const vd f = to * *pivot;
  *diagonal = *pivot = 1.0 / (*diagonal - f * back);
  *b = *x = *b - f * *x;
}

/* b := A^-1 b for k = 1 and n > 2; A is destroyed. Eliminates from both ends to the middle: each division
 * waits for the one before, so two short chains take half the time of a long one. Row r belongs to b[at[r]].
 * symmetric: the entries below the diagonal are not read. The diagonal has the signs of the pivots then. */
static __attribute__((noinline)) void
tridiagonal_solve(vd *restrict A, vd *restrict b, const int *restrict at, int n, int symmetric) {
  vd *const diagonal = A + 1, *const above = A + 2,
            *const below = symmetric ? A - 1 : A; /* of row r at 3 r */
  long             r = 0, s = n - 1;
  vd               p = 1.0 / diagonal[0], q = 1.0 / diagonal[3 * s], x = b[at[0]], y = b[at[s]];
  diagonal[0] = p;
  diagonal[3 * s] = q;
  if (n % 2 == 0) {
    s--;
    tridiagonal_row(&diagonal[3 * s], &b[at[s]], above[3 * s], below[3 * s + 3], &q, &y);
  }
  while (++r < --s) {
    tridiagonal_row(&diagonal[3 * r], &b[at[r]], below[3 * r], above[3 * r - 3], &p, &x);
    tridiagonal_row(&diagonal[3 * s], &b[at[s]], above[3 * s], below[3 * s + 3], &q, &y);
  }
  const vd f = below[3 * r] * p, g = above[3 * r] * q;
  diagonal[3 * r] = diagonal[3 * r] - f * above[3 * r - 3] - g * below[3 * r + 3];
  x = y = b[at[r]] = (b[at[r]] - f * x - g * y) / diagonal[3 * r];
  for (r--, s++; r >= 0; r--, s++) {
    b[at[r]] = x = (b[at[r]] - above[3 * r] * x) * diagonal[3 * r];
    b[at[s]] = y = (b[at[s]] - below[3 * s] * y) * diagonal[3 * s];
  }
  if (s < n)
    b[at[s]] = (b[at[s]] - below[3 * s] * y) * diagonal[3 * s];
}

/* ---- S, in the order of elimination ---------------------------------------------------------- */

static void factor(const cst_context *C, vd *S, int symmetric) {
  const cst_gram *g = &C->system->model->gram;
  if (g->form == CST_FORM_SPARSE) {
    sparse_lu(S, NG, g->row, g->column, symmetric);
    return;
  }
  if (g->form == CST_FORM_PAIRS)
    return;
  if (symmetric)
    band_mirror(S, NG, g->band);
  band_lu(S, NG, g->band);
}

static void backsolve(const cst_context *C, const vd *S, vd *x, int symmetric) {
  const cst_gram *g = &C->system->model->gram;
  vd              y[ROOM(NG)];
  if (g->form == CST_FORM_PAIRS) { /* which plans keep from lanes */
    for (int a = 0; a < NG; a++)
      x[a] = vset(NAN);
    return;
  }
  for (int a = 0; a < NG; a++)
    y[g->place[a]] = x[a];
  if (g->form == CST_FORM_SPARSE)
    sparse_solve(S, y, NG, g->row, g->column, symmetric);
  else
    band_solve(S, y, NG, g->band);
  for (int a = 0; a < NG; a++)
    x[a] = y[g->place[a]];
}

/* The pivot of row r, as its reciprocal behind the factorisation. */
static vd pivot(const cst_context *C, const vd *S, int r) {
  const cst_gram *g = &C->system->model->gram;
  return S[g->form == CST_FORM_BAND ? (long)r * (2 * g->band + 1) + g->band : r];
}

static void solve(const cst_context *C, vd *S, vd *x, int symmetric) {
  const cst_gram *g = &C->system->model->gram;
  if (g->band == 1 && NG > 2) {
    tridiagonal_solve(S, x, g->order, NG, symmetric);
    return;
  }
  factor(C, S, symmetric);
  backsolve(C, S, x, symmetric);
}

static vl is_positive(const cst_context *C, const vd *S, vd h) {
  const cst_gram *g = &C->system->model->gram;
  vl              odd = vmask(0);
  for (int r = 0; r < NG; r++) {
    const vl flip = (vl)(h < 0) & vmask(!DROPPED(g->order[r]));
    odd |= (vl)pivot(C, S, r) ^ flip;
  }
  return (vl)(odd >= 0);
}

/* ---- determinants ---------------------------------------------------------------------------- */

/* By elimination with row pivoting. */
static void determinant_of(const vd *A, int n, int lane, cst_determinant *D) {
  double a[n > 0 ? n * n : 1];
  for (int i = 0; i < n * n; i++)
    a[i] = A[i][lane];
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
        best = i;
    for (int j = k; j < n && best != k; j++) {
      const double t = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = -t;
    }
    cst_determinant_times(D, a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      const double f = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
    }
  }
}

static void multiply(const cst_context *C, vd *S, vd h, int lane, cst_determinant *D) {
  const cst_gram *g = &C->system->model->gram;
  if (g->banded)
    factor(C, S, 0);
  else
    determinant_of(S, NG, lane, D);
  for (int r = 0; r < NG; r++) {
    if (g->banded)
      cst_determinant_times(D, 1 / pivot(C, S, r)[lane]);
    if (!DROPPED(g->banded ? g->order[r] : r))
      cst_determinant_times(D, 1 / h[lane]);
  }
}

const cst_gram_apart CST_NAME(cst_gram) = {factor,      backsolve,      solve,
                                           is_positive, determinant_of, multiply};
