/* pivoted.h: LU factors with row pivoting of one matrix of scalars, for set-up and references. A template:
 * define NUMBER, the type of a scalar, MAGNITUDE, its absolute value, and FACTOR and SOLVE, the names of the
 * two functions, before including it. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* A := its LU factors (n x n, row-major, rows swapped as in row[n]); false when a pivot is zero or not
 * finite. */
static inline bool FACTOR(NUMBER *A, int *row, int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (MAGNITUDE(A[(size_t)i * (size_t)n + (size_t)k]) >
          MAGNITUDE(A[(size_t)best * (size_t)n + (size_t)k]))
        best = i;
    NUMBER *top = A + (size_t)k * (size_t)n, *other = A + (size_t)best * (size_t)n;
    row[k] = best;
    for (int j = 0; j < n; j++) {
      NUMBER x = top[j];
      top[j] = other[j];
      other[j] = x;
    }
    if (!(MAGNITUDE(top[k]) > 0) || !(top[k] - top[k] == 0))
      return false;
    for (int i = k + 1; i < n; i++) {
      NUMBER *now = A + (size_t)i * (size_t)n;
      now[k] /= top[k];
      for (int j = k + 1; j < n; j++)
        now[j] -= now[k] * top[j];
    }
  }
  return true;
}

/* b := A^-1 b with the factors of A. */
static inline void SOLVE(const NUMBER *A, const int *row, int n, NUMBER *b) {
  for (int k = 0; k < n; k++) {
    NUMBER x = b[k];
    b[k] = b[row[k]];
    b[row[k]] = x;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[j];
    b[i] /= A[(size_t)i * (size_t)n + (size_t)i];
  }
}
#undef NUMBER
#undef MAGNITUDE
#undef FACTOR
#undef SOLVE
