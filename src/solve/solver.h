/* solver.h: one PETSc SNES over a batch of independent small systems, one system per lane.
 *
 * The solver does not depend on the method: it calls cst_equations, callbacks on groups of lanes. With the
 * SNES type `lanes` (the default, defined here) one SNESSolve is one call of `march`, which iterates each
 * lane separately, possibly through many steps: the equations of successive steps are block lower triangular,
 * and a march is their forward substitution. With newtonls and nrichardson the groups iterate together, one
 * substep per SNESSolve, through residual and direction. All three do the same operations on a lane, so their
 * bits agree.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SOLVER_H
#define CST_SOLVER_H
#include <stdbool.h>
#include "core/error.h"

typedef struct {
  void *context;
  /* All work of all groups in one call. */
  cst_error (*march)(void *context);
  /* The current substep on one group: x, f, d are [unknowns][W]. residual returns whether a lane is still
   * active; direction gives d, the next iterate being x + d; correct applies d to the active lanes of x. */
  int (*residual)(void *context, int group, const double *x, double *f);
  void (*direction)(void *context, int group, const double *x, const double *f, double *d);
  void (*correct)(void *context, int group, double *x, const double *d);
} cst_equations;

typedef struct cst_solver cst_solver;

/* Not collective. Memory for `groups` groups of `width` lanes with `unknowns` unknowns each. The SNES takes
 * its options from the command line. Fails (CST_ERR_SUP, with the reason) for a type that couples lanes.
 * Owned. */
cst_error cst_solver_create(cst_equations equations, int groups, int width, int unknowns,
                            int max_iterations, cst_solver **solver);
cst_error cst_solver_destroy(cst_solver **solver);
/* Whether SNESSolve calls march (type lanes without a monitor) rather than the other callbacks. */
bool cst_solver_marches(const cst_solver *s);
/* Solves for the first `groups` groups. The equations record which lanes failed; this is not an error here.
 */
cst_error cst_solver_solve(cst_solver *s, int groups);
/* The unknowns of one group, [unknowns][width]: fill them before, and read them after a solve without march.
 */
double *cst_solver_unknowns(cst_solver *s, int group);

/* Register the type; after PetscInitialize. Loads PETSc's functions (petsc.h). */
cst_error cst_solver_register(void);
/* NULL when `type` may be used, else the reason why not. */
const char *cst_solver_refuse(const char *type);
#endif
