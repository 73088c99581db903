/* parts.h: the unknowns of a symmetric sparse matrix as a tree of sets for its elimination, in parts for several ranks.
 *
 * The graph of the matrix is cut into parts that meet only in the interface, which is eliminated last, and each part
 * by nested dissection (A. George, SIAM J. Numer. Anal. 10 (1973), 345). What is cut is cut along a difference of
 * distances from corners: two opposite corners are the ends of a longest way, the third is far from both; in a net
 * the difference of the distances from adjacent corners is constant along straight threads. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PARTS_H
#define CST_PARTS_H

/* A set of adjacent unknowns in the order of elimination. */
typedef struct {
  int first, n;
  int children; /* the last so many sets of which none is a child yet */
} cst_part_set;

typedef struct {
  int           n, parts;
  int          *order; /* [n]: old numbers of unknowns */
  int           sets;
  cst_part_set *set;     /* children before parents, part after part */
  int          *end;     /* [parts]: of the sets of each part */
  int          *unknown; /* [parts + 1]: the first unknown of each part, and of the interface */
} cst_parts;

/* A matrix of n rows with the pattern of single.h, which is symmetric. */
void cst_parts_create(cst_parts *x, int n, const int *row, const int *column, int parts);
void cst_parts_destroy(cst_parts *x);
#endif
