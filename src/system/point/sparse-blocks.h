/* sparse-blocks.h: elimination of a sparse symmetric positive definite matrix by blocks of rows with one pattern. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SPARSE_BLOCKS_H
#define CST_SPARSE_BLOCKS_H

/* A[n + row[n]], of the form of core/sparse.h without what is below the diagonal: A = U' D U, U with ones on its
 * diagonal. D becomes its reciprocals, and what is right of the diagonal D U. */
void cst_sparse_blocks_factor(double *A, int n, const int *row, const int *column);
#endif
