/* stepper-sparse.h: the matrix of a substep's equations under PETSc's own solvers where it is sparse: the S = G1 W G0'
 * of gram.h, row by row of the constraints, or a Jacobian by differences of residuals.
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

/* The Jacobian of a substep of a long system whose residual is known only as a function: its pattern
 * from the graph of the system (cst_coupling), an order in which it is eliminated without pivoting, and which
 * of its columns share no row, so that one pair of residuals has the differences of all of them. A. R. Curtis, M. J. D.
 * Powell, J. K. Reid, J. Inst. Maths Applics 13 (1974), 117.
 */

/* What the matrix of a substep takes: entries, those of the upper factor, multiplications of its elimination. */
typedef struct {
  double entries, factors, work;
} cst_colours_size;

typedef struct {
  cst_coupling      by;
  cst_colours_size  size; /* of constrained systems */
  const cst_system *system;
  int               n;
  int              *order; /* [n] the unknown, and the equation, of each row of the matrix */
  int    *row, *column; /* [n + 1], [row[n]] its pattern, which is symmetric; columns ascending */
  int    *mirror;       /* [row[n]] the entry (c, r) of each entry (r, c) */
  int     colours;
  int    *first, *member; /* [colours + 1], [n] the columns of each colour */
  double *step;           /* [n] of the differences in each row's unknown */
} cst_colours;

/* Residuals at W points x side by side, [unknowns][W] in the order of the unknowns. */
typedef void cst_colours_residual(void *context, const double *x, double *f);

/* Whether the equations of a substep are taken in this form. */
bool cst_colours_take(const cst_substep *x, const cst_system *s);
/* The substep that PETSc's solvers make in the place of x: the same map with equations of this form, or x. */
cst_substep      cst_colours_sparse(const cst_substep *x, const cst_system *s);
void             cst_colours_create(cst_colours *c, const cst_substep *x, const cst_system *s);
void             cst_colours_destroy(cst_colours *c);
cst_colours_size cst_colours_measure(const cst_substep *x, const cst_system *s);
/* c->step for substeps of length h from a record of W equal lanes: every unknown changes by what moves a point by about
 * cbrt(eps) of the system's extent. */
void cst_colours_scale(cst_colours *c, const cst_context *C, int W, const double *record, double h);
/* values[row[n]] := by.sign times the Jacobian at x [n], all in the order of the rows, from central differences of
 * residuals; the equation of a redundant constraint is that nothing changes. y, f: work space [n][W]. */
void cst_colours_jacobian(const cst_colours *c, const double *x, const unsigned char *dropped,
                          int W, cst_colours_residual *residual, void *context, double *y,
                          double *f, double *values);
#endif
