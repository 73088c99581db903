/* single.c: PETSc's own solvers for the equations of one trajectory (see single.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/single.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "solve/petsc.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error this PETSc is not one of real numbers in double precision
#endif

struct cst_single {
  SNES                 snes;
  Vec                  X, F;
  Mat                  J;
  cst_single_equations equations;
  PetscInt            *index; /* 0, 1, ... */
  double              *values, *before, *d;
};

static PetscErrorCode residual(SNES snes, Vec X, Vec F, void *context) {
  const cst_single  *s = context;
  const PetscScalar *x;
  PetscScalar       *f;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  PetscCall(cst_petsc.VecGetArray(F, &f));
  s->equations.residual(s->equations.context, x, f);
  PetscCall(cst_petsc.VecRestoreArray(F, &f));
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  PetscFunctionReturn(0);
}

/* P is s->J; A differs from it under -snes_mf_operator only. */
static PetscErrorCode jacobian(SNES snes, Vec X, Mat A, Mat P, void *context) {
  const cst_single  *s = context;
  const PetscInt     n = s->equations.unknowns;
  const PetscScalar *x;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  const bool found = s->equations.jacobian(s->equations.context, x, s->values);
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  if (!found)
    PetscCall(cst_petsc.SNESSetJacobianDomainError(snes));
  else
    PetscCall(cst_petsc.MatSetValues(P, n, s->index, n, s->index, s->values, INSERT_VALUES));
  PetscCall(cst_petsc.MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(cst_petsc.MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  if (A != P) {
    PetscCall(cst_petsc.MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(cst_petsc.MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

/* Ends by the equations, or by PETSc's tolerances. */
static PetscErrorCode test(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f,
                           SNESConvergedReason *reason, void *context) {
  cst_single        *s = context;
  const size_t       n = (size_t)s->equations.unknowns;
  const PetscScalar *x;
  Vec                X;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESConvergedDefault(snes, it, xnorm, gnorm, f, reason, NULL));
  PetscCall(cst_petsc.SNESGetSolution(snes, &X));
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  for (size_t k = 0; k < n; k++)
    s->d[k] = x[k] - s->before[k];
  memcpy(s->before, x, n * sizeof *x);
  const bool ends =
      *reason >= 0 && s->equations.ends(s->equations.context, (int)it, x, it > 0 ? s->d : NULL);
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  if (ends && *reason == SNES_CONVERGED_ITERATING)
    *reason = SNES_CONVERGED_FNORM_ABS;
  PetscFunctionReturn(0);
}

static PetscErrorCode create_matrix(cst_single *s) {
  const PetscInt n = s->equations.unknowns;
  PetscFunctionBegin;
  PetscCall(cst_petsc.MatCreate(PETSC_COMM_SELF, &s->J));
  PetscCall(cst_petsc.MatSetSizes(s->J, n, n, n, n));
  PetscCall(cst_petsc.MatSetType(s->J, MATSEQDENSE));
  PetscCall(cst_petsc.MatSetFromOptions(s->J));
  PetscCall(cst_petsc.MatSeqAIJSetPreallocation(s->J, n, NULL));
  PetscCall(cst_petsc.MatSetUp(s->J));
  PetscFunctionReturn(0);
}

/* What PETSc's options may change comes before SNESSetFromOptions. */
static PetscErrorCode create_snes(cst_single *s, int max_iterations) {
  KSP            ksp;
  PC             pc;
  SNESLineSearch search;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESCreate(PETSC_COMM_SELF, &s->snes));
  PetscCall(cst_petsc.SNESSetFunction(s->snes, s->F, residual, s));
  PetscCall(cst_petsc.SNESSetJacobian(s->snes, s->J, s->J, jacobian, s));
  PetscCall(cst_petsc.SNESSetConvergenceTest(s->snes, test, s, NULL));
  PetscCall(cst_petsc.SNESSetTolerances(s->snes, 0, 0, 0, max_iterations, INT_MAX));
  PetscCall(cst_petsc.SNESSetDivergenceTolerance(s->snes, -1));
  PetscCall(cst_petsc.SNESSetCheckJacobianDomainError(s->snes, PETSC_TRUE));
  PetscCall(cst_petsc.SNESSetType(s->snes, SNESNEWTONLS));
  PetscCall(cst_petsc.SNESGetLineSearch(s->snes, &search));
  PetscCall(cst_petsc.SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscCall(cst_petsc.SNESGetKSP(s->snes, &ksp));
  PetscCall(cst_petsc.KSPSetType(ksp, KSPPREONLY));
  PetscCall(cst_petsc.KSPGetPC(ksp, &pc));
  PetscCall(cst_petsc.PCSetType(pc, PCLU));
  PetscCall(cst_petsc.SNESSetFromOptions(s->snes));
  PetscCall(cst_petsc.SNESSetUp(s->snes));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_create(cst_single_equations equations, int max_iterations,
                                 cst_single **single) {
  const int   n = equations.unknowns;
  cst_single *s;
  PetscFunctionBegin;
  s = cst_zeros(1, sizeof *s);
  *single = s;
  s->equations = equations;
  s->index = cst_zeros(n, sizeof *s->index);
  for (int k = 0; k < n; k++)
    s->index[k] = k;
  s->values = cst_need(calloc((size_t)n * (size_t)n, sizeof *s->values));
  s->before = cst_zeros(n, sizeof *s->before);
  s->d = cst_zeros(n, sizeof *s->d);
  PetscCall(cst_petsc.VecCreateSeq(PETSC_COMM_SELF, n, &s->X));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->F));
  PetscCall(create_matrix(s));
  PetscCall(create_snes(s, max_iterations));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_destroy(cst_single **single) {
  cst_single *s = *single;
  PetscFunctionBegin;
  if (!s)
    PetscFunctionReturn(0);
  PetscCall(cst_petsc.SNESDestroy(&s->snes));
  PetscCall(cst_petsc.MatDestroy(&s->J));
  PetscCall(cst_petsc.VecDestroy(&s->X));
  PetscCall(cst_petsc.VecDestroy(&s->F));
  free(s->index);
  free(s->values);
  free(s->before);
  free(s->d);
  free(s);
  *single = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_solve(cst_single *s, double *x, int *reason) {
  const size_t        bytes = (size_t)s->equations.unknowns * sizeof *x;
  SNESConvergedReason why;
  PetscScalar        *at;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArray(s->X, &at));
  memcpy(at, x, bytes);
  PetscCall(cst_petsc.VecRestoreArray(s->X, &at));
  memcpy(s->before, x, bytes);
  PetscCall(cst_petsc.SNESSolve(s->snes, NULL, s->X));
  PetscCall(cst_petsc.SNESGetConvergedReason(s->snes, &why));
  PetscCall(cst_petsc.VecGetArray(s->X, &at));
  memcpy(x, at, bytes);
  PetscCall(cst_petsc.VecRestoreArray(s->X, &at));
  *reason = (int)why;
  PetscFunctionReturn(0);
}

#define TYPES "newtonls, newtontr, nrichardson, ngmres, anderson, qn, ksponly"
const char cst_single_types[] = TYPES;

/* Those that solve F(X) = 0 by these callbacks alone. */
const char *cst_single_refuse(const char *type) {
  static const char *const allowed[] = {SNESNEWTONLS, SNESNEWTONTR, SNESNRICHARDSON, SNESNGMRES,
                                        SNESANDERSON, SNESQN,       SNESKSPONLY};
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (!strcmp(type, allowed[i]))
      return NULL;
  return "with `solver: {engine: petsc}` allowed: " TYPES;
}
