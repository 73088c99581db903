/* sparse-order.h: the order of elimination of a sparse symmetric graph, and the pattern of its factors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SPARSE_ORDER_H
#define CST_SPARSE_ORDER_H
#include <stdbool.h>
#include "core/need.h"

/* The neighbours of node a are to[from[a]] .. to[from[a + 1] - 1]; a itself may be among them. order[n] := the node of
 * each row of the elimination. */
void cst_sparse_order(int n, const int *from, const int *to, int *order);

/* The entries right of the diagonal of the upper factor: columns column[row[r]] .. column[row[r + 1] - 1] of row r,
 * ascending. */
typedef struct {
  int   *row, *column; /* [n + 1], [row[n]] */
  double work;         /* multiplications of a factorisation without symmetry */
  bool   too_large;    /* there are more than `most` entries, and the pattern is not complete */
} cst_sparse_pattern;

/* place_of is the inverse of order. Owned: row and column. */
cst_sparse_pattern cst_sparse_factors(int n, const int *from, const int *to, const int *order,
                                      const int *place_of, double most);
/* Where the entry (a, b) of a matrix of n rows with this pattern is, in the order of elimination: behind the diagonal,
 * the upper factor and then the lower one (core/sparse.h). */
int cst_sparse_place(const int *row, const int *column, int n, int a, int b);
#endif
