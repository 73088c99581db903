/* scalar-solve.h: internal: products, and full matrices with pivots, of one trajectory. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SCALAR_SOLVE_H
#define CST_SCALAR_SOLVE_H
#include <math.h>

static inline double product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static inline void exchange(double *a, double *b, int n) {
  for (int i = 0; i < n; i++) {
    const double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

/* A[m][m] := P L U. */
static inline void factor(int m, double *A, int *pivot) {
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabs(A[i * m + k]) > fabs(A[best * m + k]))
        best = i;
    pivot[k] = best;
    if (best != k)
      exchange(A + k * m, A + best * m, m);
    for (int i = k + 1; i < m; i++) {
      const double f = A[i * m + k] /= A[k * m + k];
      for (int j = k + 1; j < m; j++)
        A[i * m + j] -= f * A[k * m + j];
    }
  }
}

/* y := A^-1 y */
static inline void solve_with(int m, const double *A, const int *pivot, double *y) {
  for (int k = 0; k < m; k++)
    if (pivot[k] != k)
      exchange(y + k, y + pivot[k], 1);
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++)
      y[i] -= A[i * m + k] * y[k];
  for (int k = m - 1; k >= 0; k--) {
    for (int j = k + 1; j < m; j++)
      y[k] -= A[k * m + j] * y[j];
    y[k] /= A[k * m + k];
  }
}
#endif
