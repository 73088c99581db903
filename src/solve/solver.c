/* solver.c: sets up a SNES over a batch of lanes so that PETSc costs nothing per trajectory.
 *
 * newtonls is fast because it looks up no options per iteration (lag -2, persistent), and has KSPPREONLY with
 * a shell preconditioner that solves exactly, a shell line search X -= Y, a convergence test on the lanes,
 * and norms only for monitors.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/solver.h"
#include <limits.h>
#include <string.h>
#include <petsc/private/snesimpl.h>
#include "core/need.h"
#include "solve/petsc.h"

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

/* F(X) over all groups; also counts the groups that are still active. */
static cst_error residual_of(cst_solver *s, Vec X, Vec F) {
  const PetscScalar *x;
  PetscScalar       *f;
  CST_TRY(cst_petsc.VecGetArrayRead(X, &x));
  CST_TRY(cst_petsc.VecGetArray(F, &f));
  s->active = 0;
  for (int g = 0; g < s->groups; g++)
    s->active += s->equations.residual(s->equations.context, g, x + (size_t)g * s->stride,
                                       f + (size_t)g * s->stride) != 0;
  CST_TRY(cst_petsc.VecRestoreArrayRead(X, &x));
  CST_TRY(cst_petsc.VecRestoreArray(F, &f));
  return 0;
}

/* D = -J^-1 F, the correction. */
static cst_error direction_of(cst_solver *s, Vec X, Vec F, Vec D) {
  const PetscScalar *x, *f;
  PetscScalar       *d;
  CST_TRY(cst_petsc.VecGetArrayRead(X, &x));
  CST_TRY(cst_petsc.VecGetArrayRead(F, &f));
  CST_TRY(cst_petsc.VecGetArray(D, &d));
  for (int g = 0; g < s->groups; g++)
    s->equations.direction(s->equations.context, g, x + (size_t)g * s->stride,
                           f + (size_t)g * s->stride, d + (size_t)g * s->stride);
  CST_TRY(cst_petsc.VecRestoreArrayRead(X, &x));
  CST_TRY(cst_petsc.VecRestoreArrayRead(F, &f));
  CST_TRY(cst_petsc.VecRestoreArray(D, &d));
  return 0;
}

static cst_error correct(cst_solver *s, Vec X, Vec D) {
  const PetscScalar *d;
  PetscScalar       *x;
  CST_TRY(cst_petsc.VecGetArray(X, &x));
  CST_TRY(cst_petsc.VecGetArrayRead(D, &d));
  for (int g = 0; g < s->groups; g++)
    s->equations.correct(s->equations.context, g, x + (size_t)g * s->stride,
                         d + (size_t)g * s->stride);
  CST_TRY(cst_petsc.VecRestoreArray(X, &x));
  CST_TRY(cst_petsc.VecRestoreArrayRead(D, &d));
  return 0;
}

static PetscErrorCode function(SNES snes, Vec X, Vec F, void *context) {
  (void)snes;
  CST_TRY(residual_of(context, X, F));
  return 0;
}

static PetscErrorCode jacobian(SNES snes, Vec X, Mat A, Mat B, void *context) {
  (void)snes, (void)X, (void)A, (void)B,
      (void)context; /* the preconditioner forms and solves it lane by lane */
  return 0;
}

/* MatMult of the shell: KSPPREONLY never calls it, but a MATSHELL must have it. */
static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  (void)A;
  CST_TRY(cst_petsc.VecCopy(x, y));
  return 0;
}

/* Y = D with x + d the next iterate; the sign is kept through the line search, where PETSc's convention would
 * be X - Y. */
static PetscErrorCode precondition(PC pc, Vec F, Vec Y) {
  cst_solver *s;
  Vec         X;
  CST_TRY(cst_petsc.PCShellGetContext(pc, &s));
  CST_TRY(cst_petsc.SNESGetSolution(s->snes, &X));
  CST_TRY(direction_of(s, X, F, Y));
  return 0;
}

static PetscErrorCode search(SNESLineSearch ls, void *context) {
  Vec         X, F, Y;
  cst_solver *s = context;
  CST_TRY(cst_petsc.SNESLineSearchGetVecs(ls, &X, &F, &Y, NULL, NULL));
  if (s->richardson)
    CST_TRY(direction_of(s, X, F, s->direction));
  CST_TRY(correct(s, X, s->richardson ? s->direction : Y));
  CST_TRY(cst_petsc.SNESComputeFunction(s->snes, X, F));
  CST_TRY(cst_petsc.SNESLineSearchComputeNorms(ls));
  CST_TRY(cst_petsc.SNESLineSearchSetReason(ls, SNES_LINESEARCH_SUCCEEDED));
  return 0;
}

/* Tests the lanes, not a norm over the batch: a norm hides one bad lane and depends on the batch. */
static PetscErrorCode test(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f,
                           SNESConvergedReason *reason, void *context) {
  cst_solver *s = context;
  (void)snes, (void)xnorm, (void)gnorm, (void)f;
  *reason = s->active == 0            ? SNES_CONVERGED_FNORM_ABS
            : it >= s->max_iterations ? SNES_DIVERGED_MAX_IT
                                      : SNES_CONVERGED_ITERATING;
  return 0;
}

static cst_error set_linear_solver(cst_solver *s) {
  KSP ksp;
  PC  pc;
  CST_TRY(cst_petsc.SNESGetKSP(s->snes, &ksp));
  CST_TRY(cst_petsc.KSPSetType(ksp, KSPPREONLY));
  CST_TRY(cst_petsc.KSPGetPC(ksp, &pc));
  CST_TRY(cst_petsc.PCSetType(pc, PCSHELL));
  CST_TRY(cst_petsc.PCShellSetContext(pc, s));
  CST_TRY(cst_petsc.PCShellSetApply(pc, precondition));
  CST_TRY(cst_petsc.SNESSetLagJacobian(s->snes, -2));
  CST_TRY(cst_petsc.SNESSetLagJacobianPersists(s->snes, PETSC_TRUE));
  return 0;
}

static cst_error set_line_search(cst_solver *s) {
  SNESLineSearch ls;
  CST_TRY(cst_petsc.SNESGetLineSearch(s->snes, &ls));
  CST_TRY(cst_petsc.SNESLineSearchSetType(ls, SNESLINESEARCHSHELL));
  CST_TRY(cst_petsc.SNESLineSearchShellSetApply(ls, search, s));
  CST_TRY(cst_petsc.SNESLineSearchSetComputeNorms(ls, (PetscBool)(s->snes->numbermonitors > 0)));
  return 0;
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

static cst_error check_type(cst_solver *s) {
  SNESType    type;
  const char *why;
  CST_TRY(cst_petsc.SNESGetType(s->snes, &type));
  why = cst_solver_refuse(type);
  CST_CHECK(!why, MPI_COMM_SELF, CST_ERR_SUP, "-snes_type %s: %s", type, why);
  s->richardson = !strcmp(type, SNESNRICHARDSON);
  s->lanes = !strcmp(type, "lanes");
  return 0;
}

cst_error cst_solver_create(cst_equations equations, int groups, int width, int unknowns,
                            int max_iterations, cst_solver **solver) {
  cst_solver *s;
  s = cst_zeros(1, sizeof *s);
  *solver = s;
  s->equations = equations;
  s->stride = unknowns * width;
  s->max_iterations = max_iterations;
  const PetscInt n = (PetscInt)groups * s->stride;
  CST_TRY(cst_petsc.VecCreateSeq(MPI_COMM_SELF, n, &s->X));
  CST_TRY(cst_petsc.VecDuplicate(s->X, &s->F));
  CST_TRY(cst_petsc.VecDuplicate(s->X, &s->direction));
  CST_TRY(cst_petsc.MatCreateShell(MPI_COMM_SELF, n, n, n, n, s, &s->J));
  CST_TRY(cst_petsc.MatShellSetOperation(s->J, MATOP_MULT, (void *)multiply));
  CST_TRY(cst_petsc.SNESCreate(MPI_COMM_SELF, &s->snes));
  CST_TRY(cst_petsc.SNESSetApplicationContext(s->snes, s));
  CST_TRY(cst_petsc.SNESSetFunction(s->snes, s->F, function, s));
  CST_TRY(cst_petsc.SNESSetJacobian(s->snes, s->J, s->J, jacobian, s));
  CST_TRY(cst_petsc.SNESSetType(s->snes, "lanes"));
  CST_TRY(cst_petsc.SNESSetFromOptions(s->snes));
  CST_TRY(check_type(s));
  CST_TRY(set_linear_solver(s));
  CST_TRY(set_line_search(s));
  CST_TRY(cst_petsc.SNESSetConvergenceTest(s->snes, test, s, NULL));
  CST_TRY(cst_petsc.SNESSetTolerances(s->snes, 0, 0, 0, max_iterations + 1, INT_MAX));
  CST_TRY(cst_petsc.SNESSetUp(s->snes));
  return 0;
}

cst_error cst_solver_destroy(cst_solver **solver) {
  cst_solver *s = *solver;
  if (!s)
    return 0;
  CST_TRY(cst_petsc.SNESDestroy(&s->snes));
  CST_TRY(cst_petsc.MatDestroy(&s->J));
  CST_TRY(cst_petsc.VecDestroy(&s->X));
  CST_TRY(cst_petsc.VecDestroy(&s->F));
  CST_TRY(cst_petsc.VecDestroy(&s->direction));
  free(s);
  *solver = NULL;
  return 0;
}

bool cst_solver_marches(const cst_solver *s) { return s->lanes && !s->snes->numbermonitors; }

cst_error cst_solver_solve(cst_solver *s, int groups) {
  s->groups = groups;
  CST_TRY(cst_petsc.SNESSolve(s->snes, NULL, s->X));
  return 0;
}

double *cst_solver_unknowns(cst_solver *s, int group) {
  PetscScalar *x = NULL;
  if (cst_petsc.VecGetArray(s->X, &x) || cst_petsc.VecRestoreArray(s->X, &(PetscScalar *){x}))
    return NULL;
  return x + (size_t)group * s->stride;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* The SNES type `lanes`: Newton's method on each lane separately inside one SNESSolve.
 *
 * Without a monitor the equations advance group by group, and a group leaves the registers only when its work
 * is done. With a monitor the groups iterate together, so that there are iterations to monitor; the
 * arithmetic of the lanes is the same.
 */

static cst_error watch(SNES snes, cst_solver *s, PetscInt it) {
  PetscReal norm;
  CST_TRY(cst_petsc.VecNorm(snes->vec_func, NORM_2, &norm));
  snes->iter = it;
  snes->norm = norm;
  (void)s;
  CST_TRY(cst_petsc.SNESMonitor(snes, it, norm));
  return 0;
}

static cst_error together(SNES snes, cst_solver *s) {
  for (PetscInt it = 0;; it++) {
    CST_TRY(cst_petsc.SNESComputeFunction(snes, snes->vec_sol, snes->vec_func));
    CST_TRY(watch(snes, s, it));
    if (s->active == 0 || it == s->max_iterations)
      break;
    CST_TRY(direction_of(s, snes->vec_sol, snes->vec_func, s->direction));
    CST_TRY(correct(s, snes->vec_sol, s->direction));
  }
  snes->reason = s->active ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_FNORM_ABS;
  return 0;
}

static PetscErrorCode solve(SNES snes) {
  cst_solver *s;
  CST_TRY(cst_petsc.SNESGetApplicationContext(snes, &s));
  if (!cst_solver_marches(s)) {
    CST_TRY(together(snes, s));
    return 0;
  }
  CST_TRY(s->equations.march(s->equations.context));
  snes->reason = SNES_CONVERGED_FNORM_ABS;
  return 0;
}

static PetscErrorCode nothing(SNES snes) {
  (void)snes;
  return 0;
}

static PetscErrorCode create(SNES snes) {
  snes->ops->solve = solve;
  snes->ops->setup = nothing;
  snes->ops->reset = nothing;
  snes->ops->destroy = nothing;
  snes->usesksp = PETSC_FALSE;
  snes->usesnpc = PETSC_FALSE;
  snes->alwayscomputesfinalresidual = PETSC_FALSE;
  return 0;
}

cst_error cst_solver_register(void) {
  char why[512];
  CST_CHECK(cst_petsc_load(why, sizeof why), MPI_COMM_SELF, CST_ERR_LIB, "%s", why);
  CST_TRY(cst_petsc.SNESRegister("lanes", create));
  return 0;
}
