/* householder.h: orthogonal factors over lanes: A = Q R by Householder reflections, which are stable without
 * pivoting.
 *
 * A is vd[n * m], n rows, m <= n columns, row-major, one matrix per lane. Where its columns are dependent,
 * the diagonal of R has a zero. Loops unroll where n and m are constants (sized cores).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_HOUSEHOLDER_H
#define CST_HOUSEHOLDER_H
#include "constella/lanes.h"

#ifndef UNROLL
#define UNROLL
#endif

/* A := the reflections below and on the diagonal, R above it; d[m] the diagonal of R, b[m] the factors of the
 * reflections. */
CST_INLINE void cst_householder(vd *A, vd *d, vd *b, int n, int m) {
  UNROLL
  for (int k = 0; k < m; k++) {
    vd sum = vset(0);
    UNROLL
    for (int i = k; i < n; i++)
      sum += A[i * m + k] * A[i * m + k];
    const vd top = A[k * m + k], length = vsqrt(sum);
    d[k] = vselect((vl)(top < 0), length, -length);
    A[k * m + k] = top - d[k];
    const vd square = sum - top * d[k]; /* half the square of the norm of the reflection's vector */
    b[k] = vselect((vl)(square > 0), 1.0 / square, vset(0));
    UNROLL
    for (int j = k + 1; j < m; j++) {
      vd s = vset(0);
      UNROLL
      for (int i = k; i < n; i++)
        s += A[i * m + k] * A[i * m + j];
      s *= b[k];
      UNROLL
      for (int i = k; i < n; i++)
        A[i * m + j] -= s * A[i * m + k];
    }
  }
}

/* Applies reflection k to x[n]. */
CST_INLINE void cst_reflect(const vd *A, const vd *b, int n, int m, int k, vd *x) {
  vd s = vset(0);
  UNROLL
  for (int i = k; i < n; i++)
    s += A[i * m + k] * x[i];
  s *= b[k];
  UNROLL
  for (int i = k; i < n; i++)
    x[i] -= s * A[i * m + k];
}

/* x := Q' x. Its first m entries belong to the columns of A (R), the others are components on a basis of the
 * complement of their span. */
CST_INLINE void cst_householder_forth(const vd *A, const vd *b, int n, int m, vd *x) {
  UNROLL
  for (int k = 0; k < m; k++)
    cst_reflect(A, b, n, m, k, x);
}

/* x := Q x. */
CST_INLINE void cst_householder_back(const vd *A, const vd *b, int n, int m, vd *x) {
  UNROLL
  for (int k = m - 1; k >= 0; k--)
    cst_reflect(A, b, n, m, k, x);
}

/* x[m] := R^-1 x. */
CST_INLINE void cst_householder_solve(const vd *A, const vd *d, int m, vd *x) {
  UNROLL
  for (int i = m - 1; i >= 0; i--) {
    UNROLL
    for (int j = i + 1; j < m; j++)
      x[i] -= A[i * m + j] * x[j];
    x[i] /= d[i];
  }
}
#endif
