/* solver.c: sets up a SNES over a batch of lanes so that PETSc costs nothing per trajectory.
 *
 * newtonls is fast because it looks up no options per iteration (lag -2, persistent), and has KSPPREONLY with
 * a shell preconditioner that solves exactly, a shell line search X -= Y, a convergence test on the lanes,
 * and norms only for monitors.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CST_WITH_PETSC
#include <limits.h>
#include <string.h>
#include "core/need.h"
#include "solve/solver-internal.h"

/* F(X) over all groups; also counts the groups that are still active. */
PetscErrorCode cst_solver_residual(cst_solver *s, Vec X, Vec F) {
  const PetscScalar *x;
  PetscScalar       *f;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  PetscCall(cst_petsc.VecGetArray(F, &f));
  s->active = 0;
  for (int g = 0; g < s->groups; g++)
    s->active += s->equations.residual(s->equations.context, g, x + (size_t)g * s->stride,
                                       f + (size_t)g * s->stride) != 0;
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  PetscCall(cst_petsc.VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

/* D = -J^-1 F, the correction. */
PetscErrorCode cst_solver_direction(cst_solver *s, Vec X, Vec F, Vec D) {
  const PetscScalar *x, *f;
  PetscScalar       *d;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  PetscCall(cst_petsc.VecGetArrayRead(F, &f));
  PetscCall(cst_petsc.VecGetArray(D, &d));
  for (int g = 0; g < s->groups; g++)
    s->equations.direction(s->equations.context, g, x + (size_t)g * s->stride,
                           f + (size_t)g * s->stride, d + (size_t)g * s->stride);
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  PetscCall(cst_petsc.VecRestoreArrayRead(F, &f));
  PetscCall(cst_petsc.VecRestoreArray(D, &d));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_solver_correct(cst_solver *s, Vec X, Vec D) {
  const PetscScalar *d;
  PetscScalar       *x;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArray(X, &x));
  PetscCall(cst_petsc.VecGetArrayRead(D, &d));
  for (int g = 0; g < s->groups; g++)
    s->equations.correct(s->equations.context, g, x + (size_t)g * s->stride,
                         d + (size_t)g * s->stride);
  PetscCall(cst_petsc.VecRestoreArray(X, &x));
  PetscCall(cst_petsc.VecRestoreArrayRead(D, &d));
  PetscFunctionReturn(0);
}

static PetscErrorCode function(SNES snes, Vec X, Vec F, void *context) {
  PetscFunctionBegin;
  (void)snes;
  PetscCall(cst_solver_residual(context, X, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode jacobian(SNES snes, Vec X, Mat A, Mat B, void *context) {
  PetscFunctionBegin;
  (void)snes, (void)X, (void)A, (void)B,
      (void)context; /* the preconditioner forms and solves it lane by lane */
  PetscFunctionReturn(0);
}

/* MatMult of the shell: KSPPREONLY never calls it, but a MATSHELL must have it. */
static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  (void)A;
  PetscCall(cst_petsc.VecCopy(x, y));
  PetscFunctionReturn(0);
}

/* Y = D with x + d the next iterate; the sign is kept through the line search, where PETSc's convention would
 * be X - Y. */
static PetscErrorCode precondition(PC pc, Vec F, Vec Y) {
  cst_solver *s;
  Vec         X;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PCShellGetContext(pc, &s));
  PetscCall(cst_petsc.SNESGetSolution(s->snes, &X));
  PetscCall(cst_solver_direction(s, X, F, Y));
  PetscFunctionReturn(0);
}

static PetscErrorCode search(SNESLineSearch ls, void *context) {
  Vec         X, F, Y;
  cst_solver *s = context;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESLineSearchGetVecs(ls, &X, &F, &Y, NULL, NULL));
  if (s->richardson)
    PetscCall(cst_solver_direction(s, X, F, s->direction));
  PetscCall(cst_solver_correct(s, X, s->richardson ? s->direction : Y));
  PetscCall(cst_petsc.SNESComputeFunction(s->snes, X, F));
  PetscCall(cst_petsc.SNESLineSearchComputeNorms(ls));
  PetscCall(cst_petsc.SNESLineSearchSetReason(ls, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

/* Tests the lanes, not a norm over the batch: a norm hides one bad lane and depends on the batch. */
static PetscErrorCode test(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f,
                           SNESConvergedReason *reason, void *context) {
  cst_solver *s = context;
  PetscFunctionBegin;
  (void)snes, (void)xnorm, (void)gnorm, (void)f;
  *reason = s->active == 0            ? SNES_CONVERGED_FNORM_ABS
            : it >= s->max_iterations ? SNES_DIVERGED_MAX_IT
                                      : SNES_CONVERGED_ITERATING;
  PetscFunctionReturn(0);
}

static PetscErrorCode set_linear_solver(cst_solver *s) {
  KSP ksp;
  PC  pc;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESGetKSP(s->snes, &ksp));
  PetscCall(cst_petsc.KSPSetType(ksp, KSPPREONLY));
  PetscCall(cst_petsc.KSPGetPC(ksp, &pc));
  PetscCall(cst_petsc.PCSetType(pc, PCSHELL));
  PetscCall(cst_petsc.PCShellSetContext(pc, s));
  PetscCall(cst_petsc.PCShellSetApply(pc, precondition));
  PetscCall(cst_petsc.SNESSetLagJacobian(s->snes, -2));
  PetscCall(cst_petsc.SNESSetLagJacobianPersists(s->snes, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_line_search(cst_solver *s) {
  SNESLineSearch ls;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESGetLineSearch(s->snes, &ls));
  PetscCall(cst_petsc.SNESLineSearchSetType(ls, SNESLINESEARCHSHELL));
  PetscCall(cst_petsc.SNESLineSearchShellSetApply(ls, search, s));
  PetscCall(cst_petsc.SNESLineSearchSetComputeNorms(ls, (PetscBool)(s->snes->numbermonitors > 0)));
  PetscFunctionReturn(0);
}

const char *cst_solver_refuse(const char *type) {
  static const char *const allowed[] = {"lanes", SNESNEWTONLS, SNESNRICHARDSON};
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (!strcmp(type, allowed[i]))
      return NULL;
  return "it couples the lanes of a batch (dot products over the whole vector), so results would "
         "depend on "
         "the batch; allowed: lanes, newtonls, nrichardson";
}

static PetscErrorCode check_type(cst_solver *s) {
  SNESType    type;
  const char *why;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESGetType(s->snes, &type));
  why = cst_solver_refuse(type);
  PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_SUP, "-snes_type %s: %s", type, why);
  s->richardson = !strcmp(type, SNESNRICHARDSON);
  s->lanes = !strcmp(type, "lanes");
  PetscFunctionReturn(0);
}

PetscErrorCode cst_solver_create(cst_equations equations, int groups, int width, int unknowns,
                                 int max_iterations, cst_solver **solver) {
  cst_solver *s;
  PetscFunctionBegin;
  s = cst_zeros(1, sizeof *s);
  *solver = s;
  s->equations = equations;
  s->stride = unknowns * width;
  s->max_iterations = max_iterations;
  const PetscInt n = (PetscInt)groups * s->stride;
  PetscCall(cst_petsc.VecCreateSeq(PETSC_COMM_SELF, n, &s->X));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->F));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->direction));
  PetscCall(cst_petsc.MatCreateShell(PETSC_COMM_SELF, n, n, n, n, s, &s->J));
  PetscCall(cst_petsc.MatShellSetOperation(s->J, MATOP_MULT, (void *)multiply));
  PetscCall(cst_petsc.SNESCreate(PETSC_COMM_SELF, &s->snes));
  PetscCall(cst_petsc.SNESSetApplicationContext(s->snes, s));
  PetscCall(cst_petsc.SNESSetFunction(s->snes, s->F, function, s));
  PetscCall(cst_petsc.SNESSetJacobian(s->snes, s->J, s->J, jacobian, s));
  PetscCall(cst_petsc.SNESSetType(s->snes, "lanes"));
  PetscCall(cst_petsc.SNESSetFromOptions(s->snes));
  PetscCall(check_type(s));
  PetscCall(set_linear_solver(s));
  PetscCall(set_line_search(s));
  PetscCall(cst_petsc.SNESSetConvergenceTest(s->snes, test, s, NULL));
  PetscCall(cst_petsc.SNESSetTolerances(s->snes, 0, 0, 0, max_iterations + 1, INT_MAX));
  PetscCall(cst_petsc.SNESSetUp(s->snes));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_solver_destroy(cst_solver **solver) {
  cst_solver *s = *solver;
  PetscFunctionBegin;
  if (!s)
    PetscFunctionReturn(0);
  PetscCall(cst_petsc.SNESDestroy(&s->snes));
  PetscCall(cst_petsc.MatDestroy(&s->J));
  PetscCall(cst_petsc.VecDestroy(&s->X));
  PetscCall(cst_petsc.VecDestroy(&s->F));
  PetscCall(cst_petsc.VecDestroy(&s->direction));
  free(s);
  *solver = NULL;
  PetscFunctionReturn(0);
}

bool cst_solver_marches(const cst_solver *s) { return s->lanes && !s->snes->numbermonitors; }

PetscErrorCode cst_solver_solve(cst_solver *s, int groups) {
  PetscFunctionBegin;
  s->groups = groups;
  PetscCall(cst_petsc.SNESSolve(s->snes, NULL, s->X));
  PetscFunctionReturn(0);
}

double *cst_solver_unknowns(cst_solver *s, int group) {
  PetscScalar *x = NULL;
  if (cst_petsc.VecGetArray(s->X, &x) || cst_petsc.VecRestoreArray(s->X, &(PetscScalar *){x}))
    return NULL;
  return x + (size_t)group * s->stride;
}
