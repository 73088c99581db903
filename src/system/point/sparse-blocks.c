/* sparse-blocks.c: sparse symmetric elimination by blocks of rows (see sparse-blocks.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/sparse-blocks.h"
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

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
