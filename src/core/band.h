/* band.h: banded linear algebra over lanes: elimination without pivoting for matrices near a symmetric
 * positive one.
 *
 * A banded matrix with n rows and half bandwidth k is vd[n * (2 k + 1)]: entry (r, c) is at r (2 k + 1) + c -
 * r + k.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BAND_H
#define CST_BAND_H
#include "constella/lanes.h"

#ifdef UNROLL
#define CST_BAND_UNROLL UNROLL
#else
#define CST_BAND_UNROLL
#endif

/* The lower half of a symmetric A from its upper one. */
static __attribute__((unused, noinline)) void cst_band_mirror(vd *A, int n, int k) {
  const long w = 2 * k + 1;
  for (long r = 0; r < n; r++)
    for (int d = 1; d <= k && r + d < n; d++)
      A[(r + d) * w + k - d] = A[r * w + k + d];
}

/* A := LU in place, the diagonal holding reciprocals of the pivots. */
static __attribute__((unused, noinline)) void cst_band_lu(vd *A, int n, int k) {
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

/* b := A^-1 b with A from cst_band_lu. */
static __attribute__((unused, noinline)) void cst_band_solve(const vd *A, vd *b, int n, int k) {
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

/* b := A^-1 b for a symmetric A. Its upper half is stored by rows, entry (r, r + d) at r (band + 1) + d; row
 * r ends at last[r], fill-in included (cst_bands). A is destroyed. Unrolls where n and last are constants. */
CST_INLINE void cst_envelope_solve(vd *A, vd *b, int n, int band, const int *last) {
  CST_BAND_UNROLL
  for (int r = 0; r < n; r++) {
    vd *const pivot = A + (long)r * (band + 1);
    const vd  inverse = 1.0 / pivot[0];
    pivot[0] = inverse;
    CST_BAND_UNROLL
    for (int i = r + 1; i <= last[r]; i++) {
      const vd f = pivot[i - r] * inverse;
      CST_BAND_UNROLL
      for (int c = i; c <= last[r]; c++)
        A[(long)i * (band + 1) + c - i] -= f * pivot[c - r];
      b[i] -= f * b[r];
      pivot[i - r] = f;
    }
  }
  CST_BAND_UNROLL
  for (int r = n - 1; r >= 0; r--) {
    vd s = b[r] * A[(long)r * (band + 1)];
    CST_BAND_UNROLL
    for (int i = r + 1; i <= last[r]; i++)
      s -= A[(long)r * (band + 1) + i - r] * b[i];
    b[r] = s;
  }
}

/* One step of the elimination of a tridiagonal matrix, from a row to its neighbour r: `to` is the entry (r,
 * neighbour), `back` its mirror image. pivot and x hold the values of the previous row and get those of row
 * r; pivots are kept as reciprocals. */
CST_INLINE void cst_tridiagonal_row(vd *diagonal, vd *b, vd to, vd back, vd *pivot, vd *x) {
  const vd f = to * *pivot;
  *diagonal = *pivot = 1.0 / (*diagonal - f * back);
  *b = *x = *b - f * *x;
}

/* b := A^-1 b for k = 1 and n > 2; A is destroyed. Eliminates from both ends to the middle: each division
 * waits for the one before, so two short chains take half the time of a long one. Row r belongs to b[at[r]].
 * symmetric: the entries below the diagonal are not read. The diagonal has the signs of the pivots then. */
static __attribute__((unused, noinline)) void cst_tridiagonal_solve(vd *restrict A, vd *restrict b,
                                                                    const int *restrict at, int n,
                                                                    int symmetric) {
  vd *const diagonal = A + 1, *const above = A + 2,
            *const below = symmetric ? A - 1 : A; /* of row r at 3 r */
  long             r = 0, s = n - 1;
  vd               p = 1.0 / diagonal[0], q = 1.0 / diagonal[3 * s], x = b[at[0]], y = b[at[s]];
  diagonal[0] = p;
  diagonal[3 * s] = q;
  if (n % 2 == 0) {
    s--;
    cst_tridiagonal_row(&diagonal[3 * s], &b[at[s]], above[3 * s], below[3 * s + 3], &q, &y);
  }
  while (++r < --s) {
    cst_tridiagonal_row(&diagonal[3 * r], &b[at[r]], below[3 * r], above[3 * r - 3], &p, &x);
    cst_tridiagonal_row(&diagonal[3 * s], &b[at[s]], above[3 * s], below[3 * s + 3], &q, &y);
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
#endif
