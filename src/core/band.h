/* band.h: banded linear algebra over lanes: LU without pivoting for matrices near a symmetric positive one.
 *
 * A banded matrix of n rows and half bandwidth k is vd[n * (2 k + 1)]: entry (r, c) stands at r (2 k + 1) + c - r + k.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BAND_H
#define CST_BAND_H
#include "constella/lanes.h"

CST_INLINE void cst_band_solve_of(vd *A, vd *b, int n, int k, int symmetric) {
  const int w = 2 * k + 1;
  for (int r = 0; r < n; r++) {
    const int last = r + k < n ? r + k : n - 1;
    vd       *pivot = A + (long)r * w + k, inverse = 1.0 / *pivot;
    *pivot = inverse;
    for (int i = r + 1; i <= last; i++) {
      vd *row = A + (long)i * w + k - i, f = (symmetric ? pivot[i - r] : row[r]) * inverse;
      for (int c = symmetric ? i : r + 1; c <= last; c++) row[c] -= f * pivot[c - r];
      b[i] -= f * b[r];
    }
  }
  for (int r = n - 1; r >= 0; r--) {
    const vd *row = A + (long)r * w + k - r;
    vd        s = b[r];
    for (int c = r + k < n ? r + k : n - 1; c > r; c--) s -= row[c] * b[c];
    b[r] = s * row[r];
  }
}

/* b := A^-1 b in one pass down, which eliminates, and one up; A is destroyed. symmetric: only its upper triangle is read. Chains (k = 1)
 * have loops of their own. */
static __attribute__((unused, noinline)) void cst_band_solve(vd *A, vd *b, int n, int k, int symmetric) {
  if (k == 1 && symmetric)
    cst_band_solve_of(A, b, n, 1, 1);
  else if (k == 1)
    cst_band_solve_of(A, b, n, 1, 0);
  else
    cst_band_solve_of(A, b, n, k, symmetric);
}
#endif
