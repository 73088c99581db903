/* stepper-single.h: the equations of a segment's substeps for PETSc's own solvers, shared by stepper-petsc.c, which
 * steps, and stepper-jacobian.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_SINGLE_H
#define CST_STEPPER_SINGLE_H
#include "method/stepper-colours.h"
#include "method/stepper-internal.h"
#include "method/stepper-sparse.h"

/* What the Jacobian is: a full matrix; the S of stepper-sparse.h, with the other sign, which Cholesky's factors need
 * where h > 0; a sparse matrix of differences. */
typedef enum { CST_MATRIX_FULL, CST_MATRIX_GRAM, CST_MATRIX_COLOURS } cst_matrix;

/* The equations of a segment's substeps, and the place of the one that is solved. */
struct cst_stepper_single {
  cst_stepper       *st;
  const cst_segment *g;
  cst_march          march; /* that of g; of a sparse matrix, with what eliminates S */
  cst_matrix         form;
  cst_sparse         sparse;
  cst_colours        colours;
  cst_single  *solver, *projector; /* projector: of S, where that is not what the solver has */
  cst_scratch *scratch;            /* [2]: of the iteration; for all else */
  double      *record;             /* the part that is stepped */
  double      *copy;               /* of it, for what may change counts in it */
  double      *x, *f, *d;          /* [unknowns][W] */
  double      *start;              /* unknowns with which the iteration begins */
  double      *matrix, *column;
  double      *balance; /* [n] what each equation is multiplied by for PETSc; powers of 2 */
  /* of a matrix of colours or of differences, [row[n]] or [n][n], and where it was taken, [n] */
  double *values, *at;
  bool   *stays; /* unknowns that no equation changes, in the order of x */
  int    *row, sub;
  bool    exact, opened, formed; /* formed: values are those of this substep */
};

enum { CST_OWN, CST_OTHER };

static inline int cst_stepper_single_unknowns(const cst_stepper_single *s) {
  return s->g->march.unknowns;
}

/* The unknown that PETSc has at place k. */
static inline int cst_stepper_single_unknown(const cst_stepper_single *s, int k) {
  return s->form == CST_MATRIX_COLOURS ? s->colours.order[k] : k;
}

/* x in every lane, and back. */
void cst_stepper_single_spread(const cst_stepper_single *s, const double *x, double *to);
void cst_stepper_single_pick(const cst_stepper_single *s, const double *from, double *x);
/* Callbacks of a cst_single_equations, whose context is the struct. */
void cst_stepper_single_residual(void *context, const double *x, double *f);
bool cst_stepper_single_jacobian(void *context, const double *x, double *J);
/* matrix := -J^-1; s->stays := unknowns that no correction changes */
void cst_stepper_single_invert(cst_stepper_single *s, const double *x);
/* Of a matrix of differences: finds the balance for this substep, from the matrix at s->start. */
void cst_stepper_single_balance(cst_stepper_single *s);
/* The entries of the sparse matrix with which the corrections of a substep begin: where a step begins of length 0, or
 * at s->start. */
const double *cst_stepper_single_first(cst_stepper_single *s);
#endif
