/* sparse.h: sparse elimination without pivoting, in an order and with a pattern that were found before, for matrices
 * near a symmetric positive one. NUMBER is their type, numbers or lanes of them; SPARSE_FACTOR, which may be left out,
 * and SPARSE_BACKSOLVE are the names of the functions.
 *
 * A matrix with n rows is NUMBER[n + 2 m], m = row[n]: its diagonal, then the entries right of it by rows, those
 * of row r in the columns column[row[r]] .. column[row[r + 1] - 1], ascending, fill-in included; then those below
 * it by columns, with the same pattern. S. C. Eisenstat, M. C. Gursky, M. H. Schultz, A. H. Sherman, Int. J. Numer.
 * Meth. Engng. 18 (1982), 1145.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

#ifdef SPARSE_FACTOR
/* A := LU in place, L with ones on its diagonal, the diagonal holding reciprocals of the pivots. symmetric: what is
 * below the diagonal is neither read nor written. */
static __attribute__((unused, noinline)) void SPARSE_FACTOR(NUMBER *A, int n, const int *row,
                                                            const int *column, int symmetric) {
  NUMBER *const right = A + n, *const below = right + row[n];
  NUMBER u[n], l[n];        /* row r and column r, by their columns and rows */
  int    at[n];             /* of an earlier row: its first entry that is not behind row r */
  int    first[n], next[n]; /* lists of the earlier rows with an entry in column r; -1: the end */
  for (int r = 0; r < n; r++)
    first[r] = -1;
  for (int r = 0; r < n; r++) {
    NUMBER pivot = A[r];
    for (int e = row[r]; e < row[r + 1]; e++) {
      u[column[e]] = right[e];
      if (!symmetric)
        l[column[e]] = below[e];
    }
    for (int k = first[r], then; k >= 0; k = then) {
      const int    here = at[k]++;
      const NUMBER b = right[here], inverse = A[k];
      NUMBER       a = b * inverse;
      if (!symmetric)
        a = below[here];
      pivot -= a * b;
      for (int e = here + 1; e < row[k + 1]; e++)
        u[column[e]] -= a * right[e];
      for (int e = here + 1; e < row[k + 1] && !symmetric; e++)
        l[column[e]] -= b * below[e];
      then = next[k];
      if (here + 1 < row[k + 1]) {
        next[k] = first[column[here + 1]];
        first[column[here + 1]] = k;
      }
    }
    A[r] = pivot = 1.0 / pivot;
    for (int e = row[r]; e < row[r + 1]; e++) {
      right[e] = u[column[e]];
      if (!symmetric)
        below[e] = l[column[e]] * pivot;
    }
    at[r] = row[r];
    if (row[r] < row[r + 1]) {
      next[r] = first[column[row[r]]];
      first[column[row[r]]] = r;
    }
  }
}
#endif

/* b := A^-1 b with A from SPARSE_FACTOR. */
static __attribute__((unused, noinline)) void SPARSE_BACKSOLVE(const NUMBER *A, NUMBER *b, int n,
                                                               const int *row, const int *column,
                                                               int symmetric) {
  const NUMBER *const right = A + n, *const below = symmetric ? right : right + row[n];
  for (int r = 0; r < n; r++) {
    NUMBER x = b[r];
    if (symmetric)
      x *= A[r];
    for (int e = row[r]; e < row[r + 1]; e++)
      b[column[e]] -= below[e] * x;
  }
  for (int r = n - 1; r >= 0; r--) {
    NUMBER s = b[r];
    for (int e = row[r]; e < row[r + 1]; e++)
      s -= right[e] * b[column[e]];
    b[r] = s * A[r];
  }
}
#undef NUMBER
#undef SPARSE_FACTOR
#undef SPARSE_BACKSOLVE
