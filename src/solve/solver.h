/* solver.h: one PETSc SNES over a batch of independent small systems, one system a lane.
 *
 * The solver knows no method: it is given cst_equations, callbacks on groups of lanes. With the SNES type `lanes` (ours, the default) one
 * SNESSolve is one call of `march`, which iterates every lane by itself, possibly through many steps: the equations of successive steps are
 * block lower triangular, and a march is their forward substitution. With newtonls and nrichardson the groups iterate together, one substep
 * a SNESSolve, through residual and direction. All three do the same operations on a lane, so their bits agree.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SOLVER_H
#define CST_SOLVER_H
#include <petscsnes.h>

typedef struct {
  void *context;
  /* All the work at once, on every group. */
  PetscErrorCode (*march)(void *context);
  /* The current substep on one group: x, f, d are [unknowns][W]. residual returns whether a lane is still active; direction gives d, the
   * next iterate being x + d; correct applies d to the active lanes of x. */
  int (*residual)(void *context, int group, const double *x, double *f);
  void (*direction)(void *context, int group, const double *x, const double *f, double *d);
  void (*correct)(void *context, int group, double *x, const double *d);
} cst_equations;

typedef struct cst_solver cst_solver;

/* Not collective. Room for `groups` groups of `width` lanes with `unknowns` unknowns each. The SNES takes its options from the
 * command line. Fails (PETSC_ERR_SUP, with the reason) for a type that couples lanes. Owned. */
PetscErrorCode cst_solver_create(cst_equations equations, int groups, int width, int unknowns, int max_iterations, cst_solver **solver);
PetscErrorCode cst_solver_destroy(cst_solver **solver);
/* Whether SNESSolve will call march (type lanes without a monitor) rather than the pieces. */
PetscBool cst_solver_marches(const cst_solver *s);
/* Solve for the first `groups` groups. Which lanes failed is known to the equations; not an error here. */
PetscErrorCode cst_solver_solve(cst_solver *s, int groups);
/* The unknowns of one group, [unknowns][width], to be filled before and read after a solve in pieces. */
double *cst_solver_unknowns(cst_solver *s, int group);

/* Register the type; after PetscInitialize. */
PetscErrorCode cst_solver_register(void);
/* NULL when `type` may be used, else the reason why not. */
const char *cst_solver_refuse(const char *type);
#endif
