/* solver-internal.h: the solver object, shared by solver.c and the SNES type in solver-lanes.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SOLVE_INTERNAL_H
#define CST_SOLVE_INTERNAL_H
#include "solve/petsc.h"
#include <petsc/private/snesimpl.h>
#include "solve/solver.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error this PETSc is not one of real numbers in double precision
#endif
struct cst_solver {
  SNES          snes;
  Vec           X, F, direction;
  Mat           J;
  cst_equations equations;
  int           groups, stride; /* groups of the current solve; doubles per group in X */
  int           max_iterations;
  int           active; /* groups with a lane that has not converged, from the last residual */
  bool          lanes, richardson;
};

cst_error cst_solver_residual(cst_solver *s, Vec X, Vec F);
cst_error cst_solver_direction(cst_solver *s, Vec X, Vec F, Vec D);
cst_error cst_solver_correct(cst_solver *s, Vec X, Vec D);
#endif
