/* panels.h: LU without pivoting of matrices over lanes that are too large for registers, eight columns of a row at a
 * time, with the operations of cst_lu (core/dense.h) in their order, and the solution of the linear system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PANELS_H
#define CST_PANELS_H
#include <stddef.h>
#include "core/dense.h"

/* Columns first to first + width - 1 of row i of A := LU, those before them being done, in registers. Every
 * number is made by the operations of cst_lu in their order. */
CST_INLINE void cst_lu_panel(vd *A, int n, int i, int first, const int width) {
  vd *const row = A + (size_t)i * (size_t)n;
  vd        x[8];
  CST_UNROLL
  for (int j = 0; j < width; j++)
    x[j] = row[first + j];
  for (int k = 0; k < (i < first ? i : first); k++) {
    const vd        f = row[k];
    const vd *const above = A + (size_t)k * (size_t)n + first;
    CST_UNROLL
    for (int j = 0; j < width; j++)
      x[j] -= f * above[j];
  }
  CST_UNROLL
  for (int k = 0; k < width; k++) {
    const vd *const above = A + (size_t)(first + k) * (size_t)n + first;
    if (first + k == i)
      x[k] = 1.0 / x[k];
    if (first + k >= i)
      break;
    x[k] *= above[k];
    CST_UNROLL
    for (int j = k + 1; j < width; j++)
      x[j] -= x[k] * above[j];
  }
  CST_UNROLL
  for (int j = 0; j < width; j++)
    row[first + j] = x[j];
}

/* b := A^-1 b with A from cst_lu, a column at a time, which makes the rows independent of one another. */
CST_INLINE void cst_lu_solve_by_columns(const vd *A, vd *b, int n) {
  UNROLL
  for (int j = 0; j < n; j++)
    UNROLL
  for (int i = j + 1; i < n; i++)
    b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
  UNROLL
  for (int j = n - 1; j >= 0; j--) {
    b[j] *= A[(size_t)j * (size_t)n + (size_t)j];
    UNROLL
    for (int i = 0; i < j; i++)
      b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
  }
}

/* A := LU as by cst_lu, and b := A^-1 b, for any n: eight columns of a row at a time. */
static __attribute__((noinline, unused)) void cst_lu_by_panels(vd *A, vd *b, int n) {
  for (int i = 0; i < n; i++) {
    int first = 0;
    for (; first + 8 <= n; first += 8)
      cst_lu_panel(A, n, i, first, 8);
    for (; first + 2 <= n; first += 2)
      cst_lu_panel(A, n, i, first, 2);
    if (first < n)
      cst_lu_panel(A, n, i, first, 1);
  }
  cst_lu_solve_by_columns(A, b, n);
}
#endif
