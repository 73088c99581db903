/* fronts.h: factors L D L' of a part of a symmetric sparse matrix, and its Schur complement on the interface.
 *
 * Each set of parts.h is eliminated in a dense front: its columns, the updates of its children, and the rows of later
 * sets that it meets (J. W. H. Liu, SIAM Review 34 (1992), 82). There is no pivoting, as the matrices are definite;
 * a pivot of zero makes solutions that are no numbers. Operations have one order, so results do not depend on the
 * machine. Unknowns of a part are numbered from 0; those of the interface come next. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FRONTS_H
#define CST_FRONTS_H

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

typedef struct cst_front cst_front;
typedef struct {
  int        own, interface; /* unknowns */
  int        fronts;
  cst_front *front;
  int        entries;
  long      *at; /* of each entry, in panels */
  long       numbers;
  double    *panel; /* the columns of all fronts */
  int       *places, *waits;
  double    *update, *stack, *pack, *t;
} cst_fronts;

/* The rows of a dense matrix of n unknowns are stored with zeros to so many. */
static inline int cst_fronts_even(int n) { return (n + 7) / 8 * 8; }

/* Of the sets of one part, whose first unknown is `first`, with `interface` unknowns from `last` on. Entries k are
 * (row[k], column[k]), row[k] >= column[k], and column[k] is in the part. */
void cst_fronts_create(cst_fronts *f, const cst_part_set *set, int sets, int first, int own,
                       int last, int interface, int entries, const int *row, const int *column);
void cst_fronts_destroy(cst_fronts *f);
/* Factors. `plus`, if any, is added to the last front, n x n by columns. `schur`, if any, of the interface: the
 * update is added to its lower triangle. */
void cst_fronts_factor(cst_fronts *f, const double *values, const double *plus, double *schur);
/* x: of the part, then of the interface. Forward adds to the latter, back reads it. */
void cst_fronts_forward(cst_fronts *f, double *x);
void cst_fronts_back(cst_fronts *f, double *x);
#endif
