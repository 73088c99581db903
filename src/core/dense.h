/* dense.h: small dense linear algebra over lanes: LU without pivoting for matrices near a symmetric positive
 * one, and a solve with pivoting, lane by lane, for the rare step that needs it.
 *
 * Matrices are vd[n * n], row-major, one matrix per lane. Loops unroll where n is a constant (sized cores).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DENSE_H
#define CST_DENSE_H
#include "constella/lanes.h"

#ifndef UNROLL
#define UNROLL
#endif
#define EPS 2.220446049250313e-16

/* A := LU in place, the diagonal holding reciprocals of the pivots. */
CST_INLINE void cst_lu(vd *A, int n) {
  if (n ==
      2) { /* written out, since compilers leave this loop alone and A in memory; the same operations */
    const vd r = 1.0 / A[0], f = A[2] * r;
    A[0] = r;
    A[2] = f;
    A[3] = 1.0 / (A[3] - f * A[1]);
    return;
  }
  UNROLL
  for (int k = 0; k < n; k++) {
    vd r = 1.0 / A[k * n + k];
    A[k * n + k] = r;
    UNROLL
    for (int i = k + 1; i < n; i++) {
      vd f = A[i * n + k] * r;
      A[i * n + k] = f;
      UNROLL
      for (int j = k + 1; j < n; j++)
        A[i * n + j] -= f * A[k * n + j];
    }
  }
}

/* All-ones where every pivot of A from cst_lu is positive. */
CST_INLINE vl cst_lu_is_positive(const vd *A, int n) {
  vl odd = (vl){};
  UNROLL
  for (int k = 0; k < n; k++)
    odd |= (vl)A[k * n + k];
  return (vl)(odd >= 0);
}

/* b := A^-1 b with A from cst_lu. */
CST_INLINE void cst_lu_solve(const vd *A, vd *b, int n) {
  UNROLL
  for (int i = 1; i < n; i++) {
    UNROLL
    for (int j = 0; j < i; j++)
      b[i] -= A[i * n + j] * b[j];
  }
  UNROLL
  for (int i = n - 1; i >= 0; i--) {
    UNROLL
    for (int j = i + 1; j < n; j++)
      b[i] -= A[i * n + j] * b[j];
    b[i] *= A[i * n + i];
  }
}

/* The same for a symmetric matrix: only the upper triangle is read, and the factor overwrites the lower one.
 */
CST_INLINE void cst_ldl(vd *A, int n) {
  if (n == 2) {
    const vd r = 1.0 / A[0], f = A[1] * r;
    A[0] = r;
    A[2] = f;
    A[3] = 1.0 / (A[3] - f * A[1]);
    return;
  }
  UNROLL
  for (int k = 0; k < n; k++) {
    vd r = 1.0 / A[k * n + k];
    A[k * n + k] = r;
    UNROLL
    for (int i = k + 1; i < n; i++) {
      vd f = A[k * n + i] * r;
      A[i * n + k] = f;
      UNROLL
      for (int j = i; j < n; j++)
        A[i * n + j] -= f * A[k * n + j];
    }
  }
}

/* x := A^-1 x lane by lane by Gaussian elimination with row pivoting; A is destroyed. */
static __attribute__((noinline, unused)) void cst_pivoted_solve(vd *A, vd *b, int n) {
  for (int l = 0; l < CST_W; l++) {
    for (int k = 0; k < n; k++) {
      int best = k;
      for (int i = k + 1; i < n; i++)
        if (fabs(A[i * n + k][l]) > fabs(A[best * n + k][l]))
          best = i;
      for (int j = 0; j < n && best != k; j++) {
        double t = A[k * n + j][l];
        A[k * n + j][l] = A[best * n + j][l];
        A[best * n + j][l] = t;
      }
      double t = b[k][l];
      b[k][l] = b[best][l];
      b[best][l] = t;
      for (int i = k + 1; i < n; i++) {
        double f = A[i * n + k][l] / A[k * n + k][l];
        for (int j = k + 1; j < n; j++)
          A[i * n + j][l] -= f * A[k * n + j][l];
        b[i][l] -= f * b[k][l];
      }
    }
    for (int i = n - 1; i >= 0; i--) {
      double s = b[i][l];
      for (int j = i + 1; j < n; j++)
        s -= A[i * n + j][l] * b[j][l];
      b[i][l] = s / A[i * n + i][l];
    }
  }
}
#endif
