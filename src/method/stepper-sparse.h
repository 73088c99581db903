/* stepper-sparse.h: the matrix of a substep's equations under PETSc's own solvers where it is sparse: the S = G1 W G0'
 * of gram.h, row by row of the constraints.
 *
 * Lane code hands S over instead of eliminating it: to be kept, for a Jacobian, or to be solved with. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_SPARSE_H
#define CST_STEPPER_SPARSE_H
#include "method/core.h"
#include "method/substep.h"
#include "solve/single.h"

/* What becomes of an S that lane code hands over: nothing, and its solutions are 0; it is kept, the same; it is
 * factored, and systems are solved. */
typedef enum { CST_SPARSE_IGNORE, CST_SPARSE_KEEP, CST_SPARSE_SOLVE } cst_sparse_use;

typedef struct {
  const cst_march *march;
  int              width;
  int             *row, *column; /* [ng + 1], [row[ng]] the pattern of S, columns ascending */
  int             *at, *mirror;  /* [gram.n] the entry of each pair (a, b) of gram, and of (b, a) */
  double          *values;       /* [row[ng]] of S, 1 in rows of redundant constraints */
  double          *G, *x;        /* workspace: [entries of G][W], [ng] */
  cst_sparse_use   use;
  cst_eliminator   by; /* for the context of lane code */
  cst_single      *solver;
  cst_error        error; /* of what lane code has asked for */
  bool             failed;
} cst_sparse;

/* Whether the equations of a substep are taken in this form: S is their matrix, and the system is long. */
bool cst_sparse_takes(const cst_substep *x, const cst_system *s);
/* Borrows the march; x is borrowed by lane code, and must not move. */
void cst_sparse_create(cst_sparse *x, const cst_march *m, int width);
void cst_sparse_destroy(cst_sparse *x);
/* x->values := those of S = G W G' at the q of a record, for the length of substep j. */
void cst_sparse_at_start(cst_sparse *x, const double *record, int j);
#endif
