/* single.h: the equations of one trajectory under PETSc's own solvers: residual and Jacobian as callbacks of a SNES
 * whose types, options and monitors are all PETSc's.
 *
 * Where options say nothing else it is newtonls with full steps, whose linear systems are solved by LU factors
 * (of a full matrix LAPACK's, with pivoting). The iteration ends where the equations say so, and where
 * PETSc's tolerances do, which are 0 unless they are options.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SINGLE_H
#define CST_SINGLE_H
#include <stdbool.h>
#include "core/error.h"

typedef struct {
  void *context;
  int   unknowns;
  /* of a sparse J: its entries are in the columns column[row[k]] .. column[row[k + 1] - 1] of row k, ascending; row
   * is NULL where J is full */
  const int *row, *column;
  /* rows of a sparse J are in an order of elimination, and J is costly: solves keep the matrix of cst_single_factor
   * in its place, unless corrections shrink badly or options say so */
  bool ordered;
  /* f[unknowns] at x */
  void (*residual)(void *context, const double *x, double *f);
  /* J[unknowns * unknowns], or J[row[unknowns]], at x, by rows. False: it could not be found there, and the solve
   * fails. */
  bool (*jacobian)(void *context, const double *x, double *J);
  /* Whether x, to which `corrections` corrections have led, d the last of them, is the solution. Called once
   * behind each correction, and for the start (d is NULL then). */
  bool (*ends)(void *context, int corrections, const double *x, const double *d);
} cst_single_equations;

typedef struct cst_single cst_single;

/* Not collective; PETSc is initialised. Takes options from PETSc's data base. Owned. */
cst_error cst_single_create(cst_single_equations equations, int max_iterations,
                            cst_single **single);
cst_error cst_single_destroy(cst_single **single);
/* Solves from x[unknowns] on. *reason: SNESConvergedReason, positive where it converged; x is then the solution. */
cst_error cst_single_solve(cst_single *s, double *x, int *reason);
/* Of a sparse J: sets the preconditioner up with a matrix of these values, as PETSc's options say, by default its LU
 * factors in an order of minimum degree. Unless options say so (-snes_lag_preconditioner) solves keep it, while
 * corrections shrink well. */
cst_error cst_single_factor(cst_single *s, const double *values);
/* x := A^-1 x of the A that was factored last, to round-off. *good: whether that succeeded. */
cst_error cst_single_backsolve(cst_single *s, double *x, bool *good);
/* Of the last solve: the largest ratio of a correction and the one before, above round-off, before the preconditioner
 * was renewed; with one correction, of the next one and it if that is small, else of x - A^-1 J x and x, J at x. Small:
 * the solution is continued from the matrix A. */
cst_error cst_single_rate(cst_single *s, double *rate);
/* NULL where this SNES type may be used, else why not; those that may be. */
const char       *cst_single_refuse(const char *type);
extern const char cst_single_types[];
#endif
