/* single.c: PETSc's own solvers for the equations of one trajectory (see single.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/single.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "solve/petsc.h"
#include "solve/team.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error this PETSc is not one of real numbers in double precision
#endif

struct cst_single {
  SNES                 snes;
  Vec                  X, F;
  Mat                  J;
  cst_single_equations equations;
  PetscInt            *index; /* 0, 1, ...; of a sparse J its columns */
  double              *values, *before, *d;
  /* of a sparse J: */
  KSP ksp;
  Vec B, R; /* of linear systems */
  double *
      factored; /* the values of the preconditioner's matrix, while it is one of cst_single_factor */
  bool is_factored, lags; /* lags: the preconditioner is kept unless corrections shrink badly */
  PetscInt
       lag; /* of J, which is kept like the preconditioner: -1, or -2 where PETSc tests it once; 0: as options say */
  bool plain; /* J stores its rows one after another, as the equations do */
  bool put;   /* once: its pattern is there */
  bool holds; /* J has the values `factored` */
  bool
      symmetric; /* factors are of the upper triangle: where J itself is wanted they precondition GMRES */
  bool teams;  /* linear systems are those of a team, number `system`: the PC hands them over */
  bool direct; /* the team's own solver takes J as symmetric */
  int  system;
  const double *shown;      /* the values that are in J */
  double        last, rate; /* of corrections */
  int           corrections;
  /* a Jacobian could not be found in this solve (a domain error of the SNES would end all later ones) */
  bool lost;
};

/* Corrections that shrink less are too many: the preconditioner is renewed. */
static const double SLOW = 0.2;

/* Puts values into a sparse J. */
static cst_error put(cst_single *s, const double *values) {
  const int    n = s->equations.unknowns, *row = s->equations.row;
  PetscScalar *at;
  s->holds = false;
  if (s->plain && s->put) {
    CST_TRY(cst_petsc.MatSeqAIJGetArray(s->J, &at));
    memcpy(at, values, (size_t)row[n] * sizeof *at);
    CST_TRY(cst_petsc.MatSeqAIJRestoreArray(s->J, &at));
  }
  for (PetscInt k = 0; k < n && !(s->plain && s->put); k++)
    CST_TRY(cst_petsc.MatSetValues(s->J, 1, &k, row[k + 1] - row[k], s->index + row[k],
                                   values + row[k], INSERT_VALUES));
  CST_TRY(cst_petsc.MatAssemblyBegin(s->J, MAT_FINAL_ASSEMBLY));
  CST_TRY(cst_petsc.MatAssemblyEnd(s->J, MAT_FINAL_ASSEMBLY));
  s->put = true;
  s->shown = values;
  return 0;
}

static PetscErrorCode residual(SNES snes, Vec X, Vec F, void *context) {
  const cst_single  *s = context;
  const PetscScalar *x;
  PetscScalar       *f;
  (void)snes;
  CST_TRY(cst_petsc.VecGetArrayRead(X, &x));
  CST_TRY(cst_petsc.VecGetArray(F, &f));
  s->equations.residual(s->equations.context, x, f);
  CST_TRY(cst_petsc.VecRestoreArray(F, &f));
  CST_TRY(cst_petsc.VecRestoreArrayRead(X, &x));
  return 0;
}

/* P is s->J; A differs from it under -snes_mf_operator only. */
static PetscErrorCode jacobian(SNES snes, Vec X, Mat A, Mat P, void *context) {
  cst_single        *s = context;
  const PetscInt     n = s->equations.unknowns;
  const PetscScalar *x;
  (void)snes;
  CST_TRY(cst_petsc.VecGetArrayRead(X, &x));
  const bool found = s->equations.jacobian(s->equations.context, x, s->values);
  CST_TRY(cst_petsc.VecRestoreArrayRead(X, &x));
  s->lost |= !found;
  for (PetscInt i = 0; i < n && !found && !s->equations.row; i++)
    for (PetscInt k = 0; k < n; k++)
      s->values[i * n + k] = i == k; /* the test ends the solve behind this correction */
  if (s->equations.row)
    CST_TRY(put(s, s->values));
  else
    CST_TRY(cst_petsc.MatSetValues(P, n, s->index, n, s->index, s->values, INSERT_VALUES));
  CST_TRY(cst_petsc.MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  CST_TRY(cst_petsc.MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  if (A != P) {
    CST_TRY(cst_petsc.MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    CST_TRY(cst_petsc.MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  return 0;
}

/* Notes how the corrections shrink; renews the preconditioner from now on if they do so badly. */
static cst_error note(cst_single *s, const double *x) {
  double size = 0, of = 0;
  for (int k = 0; k < s->equations.unknowns; k++) {
    size = fmax(size, fabs(s->d[k]));
    of = fmax(of, fabs(x[k]));
  }
  const bool counts = (s->is_factored || !s->lags) && size > 1e-13 * of;
  if (s->corrections++ > 0 && counts)
    s->rate = fmax(s->rate, size / s->last);
  s->last = size;
  if (s->lags && s->is_factored && s->rate > SLOW) {
    CST_TRY(cst_petsc.SNESSetLagPreconditioner(s->snes, 1));
    if (s->lag)
      CST_TRY(cst_petsc.SNESSetLagJacobian(s->snes, 1));
    if (s->symmetric)
      CST_TRY(cst_petsc.KSPSetType(s->ksp, KSPGMRES));
    s->is_factored = false;
  }
  return 0;
}

/* Ends by the equations, or by PETSc's tolerances. */
static PetscErrorCode test(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f,
                           SNESConvergedReason *reason, void *context) {
  cst_single        *s = context;
  const size_t       n = (size_t)s->equations.unknowns;
  const PetscScalar *x;
  Vec                X;
  CST_TRY(cst_petsc.SNESConvergedDefault(snes, it, xnorm, gnorm, f, reason, NULL));
  CST_TRY(cst_petsc.SNESGetSolution(snes, &X));
  CST_TRY(cst_petsc.VecGetArrayRead(X, &x));
  for (size_t k = 0; k < n; k++)
    s->d[k] = x[k] - s->before[k];
  memcpy(s->before, x, n * sizeof *x);
  if (s->equations.row && it > 0)
    CST_TRY(note(s, x));
  if (s->lost)
    *reason = SNES_DIVERGED_LINEAR_SOLVE;
  const bool ends =
      *reason >= 0 && s->equations.ends(s->equations.context, (int)it, x, it > 0 ? s->d : NULL);
  CST_TRY(cst_petsc.VecRestoreArrayRead(X, &x));
  if (ends && *reason == SNES_CONVERGED_ITERATING)
    *reason = SNES_CONVERGED_FNORM_ABS;
  return 0;
}

static cst_error create_matrix(cst_single *s) {
  const PetscInt n = s->equations.unknowns;
  CST_TRY(cst_petsc.MatCreate(MPI_COMM_SELF, &s->J));
  CST_TRY(cst_petsc.MatSetSizes(s->J, n, n, n, n));
  const int *row = s->equations.row;
  CST_TRY(cst_petsc.MatSetType(s->J, row ? MATSEQAIJ : MATSEQDENSE));
  CST_TRY(cst_petsc.MatSetFromOptions(s->J));
  PetscInt *length = cst_zeros(n, sizeof *length);
  for (int k = 0; k < n; k++)
    length[k] = row ? row[k + 1] - row[k] : n;
  CST_TRY(cst_petsc.MatSeqAIJSetPreallocation(s->J, 0, length));
  free(length);
  CST_TRY(cst_petsc.MatSetUp(s->J));
  PetscBool plain;
  CST_TRY(cst_petsc.PetscObjectTypeCompare((PetscObject)s->J, MATSEQAIJ, &plain));
  s->plain = row && plain;
  return 0;
}

static cst_error has(const char *option, bool *found) {
  PetscBool is;
  CST_TRY(cst_petsc.PetscOptionsHasName(NULL, NULL, option, &is));
  *found |= is;
  return 0;
}

/* Beyond so many unknowns minimum degree takes longer, to find the order too, than nested dissection. */
enum { DISSECT = 10000 };

/* What a sparse J is factored by before options say another thing. The factors of S are symmetric ones, which take half
 * the work, unless an option asks for J itself, or names a library, which may have none. */
static cst_error choose_factors(cst_single *s, PC pc) {
  bool other = s->equations.ordered;
  CST_TRY(has("-snes_lag_preconditioner", &other));
  CST_TRY(has("-pc_factor_mat_solver_type", &other));
  CST_TRY(has("-mat_type", &other));
  CST_TRY(cst_petsc.PCSetType(pc, other ? PCLU : PCCHOLESKY));
  CST_TRY(cst_petsc.PCFactorSetMatOrderingType(pc, s->equations.ordered ? MATORDERINGNATURAL
                                                   : s->equations.unknowns > DISSECT
                                                       ? MATORDERINGND
                                                       : MATORDERINGQMD));
  CST_TRY(cst_petsc.SNESSetLagPreconditioner(s->snes, -1));
  return 0;
}

/* A matrix of differences stands in the place of J, and so does S where only its factors are used. */
static cst_error choose_lags(cst_single *s, KSP ksp, PC pc) {
  PetscBool plain, symmetric;
  PetscInt  lag;
  bool      tests = false, own = false;
  CST_TRY(cst_petsc.PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &plain));
  CST_TRY(cst_petsc.PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &symmetric));
  CST_TRY(has("-snes_test_jacobian", &tests));
  CST_TRY(has("-snes_lag_jacobian", &own));
  CST_TRY(cst_petsc.SNESGetLagPreconditioner(s->snes, &lag));
  s->lags = lag == -1;
  if (!own && s->equations.ordered)
    s->lag = tests ? -2 : -1;
  else if (!own && !tests && plain && s->lags && s->equations.row)
    s->lag = -1;
  if (s->lag)
    CST_TRY(cst_petsc.SNESSetLagJacobian(s->snes, s->lag));
  s->symmetric = s->equations.row && !s->equations.ordered && plain && s->lags &&
                 (s->teams ? s->direct : symmetric);
  if (s->symmetric)
    CST_TRY(cst_petsc.KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, PETSC_DEFAULT));
  return 0;
}

static PetscErrorCode set_up_team(PC pc) {
  cst_single *s;
  CST_TRY(cst_petsc.PCShellGetContext(pc, &s));
  CST_TRY(cst_team_factor(s->system, s->shown));
  return 0;
}

/* A solution that is not found is no number, which ends the solve. */
static PetscErrorCode apply_team(PC pc, Vec B, Vec X) {
  cst_single        *s;
  const PetscScalar *b;
  PetscScalar       *x;
  bool               good;
  CST_TRY(cst_petsc.PCShellGetContext(pc, &s));
  CST_TRY(cst_petsc.VecGetArrayRead(B, &b));
  CST_TRY(cst_petsc.VecGetArray(X, &x));
  CST_TRY(cst_team_solve(s->system, b, x, &good));
  for (int k = 0; k < s->equations.unknowns && !good; k++)
    x[k] = NAN;
  CST_TRY(cst_petsc.VecRestoreArray(X, &x));
  CST_TRY(cst_petsc.VecRestoreArrayRead(B, &b));
  return 0;
}

/* PETSc's options for linear systems are those of the team's solver. Without them the team takes what one rank takes for
 * symmetric. */
static cst_error use_team(cst_single *s, KSP ksp, PC pc) {
  static const char *const    others[] = {"-snes_lag_preconditioner", "-pc_factor_mat_solver_type",
                                          "-mat_type", "-ksp_type", "-pc_type"};
  const cst_single_equations *e = &s->equations;
  bool                        other = e->ordered;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    CST_TRY(has(others[k], &other));
  s->direct = !other;
  CST_TRY(cst_team_create(e->unknowns, e->row, e->column, s->direct, &s->system));
  CST_TRY(cst_petsc.KSPSetType(ksp, KSPPREONLY));
  CST_TRY(cst_petsc.PCSetType(pc, PCSHELL));
  CST_TRY(cst_petsc.PCShellSetContext(pc, s));
  CST_TRY(cst_petsc.PCShellSetSetUp(pc, set_up_team));
  CST_TRY(cst_petsc.PCShellSetApply(pc, apply_team));
  return 0;
}

/* What PETSc's options may change comes before SNESSetFromOptions. */
static cst_error create_snes(cst_single *s, int max_iterations) {
  PC             pc;
  SNESLineSearch search;
  CST_TRY(cst_petsc.SNESCreate(MPI_COMM_SELF, &s->snes));
  CST_TRY(cst_petsc.SNESSetFunction(s->snes, s->F, residual, s));
  CST_TRY(cst_petsc.SNESSetJacobian(s->snes, s->J, s->J, jacobian, s));
  CST_TRY(cst_petsc.SNESSetConvergenceTest(s->snes, test, s, NULL));
  CST_TRY(cst_petsc.SNESSetTolerances(s->snes, 0, 0, 0, max_iterations, INT_MAX));
  CST_TRY(cst_petsc.SNESSetDivergenceTolerance(s->snes, -1));
  CST_TRY(cst_petsc.SNESSetType(s->snes, SNESNEWTONLS));
  CST_TRY(cst_petsc.SNESGetLineSearch(s->snes, &search));
  CST_TRY(cst_petsc.SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  CST_TRY(cst_petsc.SNESGetKSP(s->snes, &s->ksp));
  CST_TRY(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  CST_TRY(cst_petsc.KSPGetPC(s->ksp, &pc));
  CST_TRY(cst_petsc.PCSetType(pc, PCLU));
  if (s->equations.row)
    CST_TRY(choose_factors(s, pc));
  CST_TRY(cst_petsc.SNESSetFromOptions(s->snes));
  s->teams = s->equations.row && cst_team_leads();
  if (s->teams)
    CST_TRY(use_team(s, s->ksp, pc));
  CST_TRY(cst_petsc.SNESSetSolution(s->snes, s->X)); /* some types make vectors like it */
  CST_TRY(cst_petsc.SNESSetUp(s->snes));
  CST_TRY(choose_lags(s, s->ksp, pc));
  return 0;
}

cst_error cst_single_create(cst_single_equations equations, int max_iterations,
                            cst_single **single) {
  const int   n = equations.unknowns, *row = equations.row;
  const int   m = row ? row[n] : n; /* columns, and numbers of J by rows */
  cst_single *s;
  s = cst_zeros(1, sizeof *s);
  *single = s;
  s->equations = equations;
  s->index = cst_zeros(m, sizeof *s->index);
  for (int k = 0; k < m; k++)
    s->index[k] = row ? equations.column[k] : k;
  s->values = cst_need(calloc(row ? (size_t)m : (size_t)n * (size_t)n, sizeof *s->values));
  s->factored = cst_zeros(row ? m : 0, sizeof *s->factored);
  s->before = cst_zeros(n, sizeof *s->before);
  s->d = cst_zeros(n, sizeof *s->d);
  CST_TRY(cst_petsc.VecCreateSeq(MPI_COMM_SELF, n, &s->X));
  CST_TRY(cst_petsc.VecDuplicate(s->X, &s->F));
  CST_TRY(cst_petsc.VecDuplicate(s->X, &s->B));
  CST_TRY(cst_petsc.VecDuplicate(s->X, &s->R));
  CST_TRY(create_matrix(s));
  CST_TRY(create_snes(s, max_iterations));
  return 0;
}

cst_error cst_single_destroy(cst_single **single) {
  cst_single *s = *single;
  if (!s)
    return 0;
  if (s->teams)
    CST_TRY(cst_team_destroy(s->system));
  CST_TRY(cst_petsc.SNESDestroy(&s->snes));
  CST_TRY(cst_petsc.MatDestroy(&s->J));
  CST_TRY(cst_petsc.VecDestroy(&s->X));
  CST_TRY(cst_petsc.VecDestroy(&s->F));
  CST_TRY(cst_petsc.VecDestroy(&s->B));
  CST_TRY(cst_petsc.VecDestroy(&s->R));
  free(s->factored);
  free(s->index);
  free(s->values);
  free(s->before);
  free(s->d);
  free(s);
  *single = NULL;
  return 0;
}

cst_error cst_single_solve(cst_single *s, double *x, int *reason) {
  const size_t        bytes = (size_t)s->equations.unknowns * sizeof *x;
  SNESConvergedReason why;
  PetscScalar        *at;
  CST_TRY(cst_petsc.VecGetArray(s->X, &at));
  memcpy(at, x, bytes);
  CST_TRY(cst_petsc.VecRestoreArray(s->X, &at));
  memcpy(s->before, x, bytes);
  s->corrections = 0;
  s->rate = 0;
  s->lost = false;
  if (s->equations.row && s->lags)
    CST_TRY(cst_petsc.SNESSetLagPreconditioner(s->snes, -1));
  else
    s->is_factored = false;
  if (s->lag)
    CST_TRY(cst_petsc.SNESSetLagJacobian(s->snes, s->lag));
  if (s->symmetric)
    CST_TRY(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  CST_TRY(cst_petsc.SNESSolve(s->snes, NULL, s->X));
  CST_TRY(cst_petsc.SNESGetConvergedReason(s->snes, &why));
  CST_TRY(cst_petsc.VecGetArray(s->X, &at));
  memcpy(x, at, bytes);
  CST_TRY(cst_petsc.VecRestoreArray(s->X, &at));
  *reason = (int)why;
  return 0;
}

cst_error cst_single_factor(cst_single *s, const double *values) {
  const size_t bytes = (size_t)s->equations.row[s->equations.unknowns] * sizeof *values;
  if (s->is_factored && !memcmp(s->factored, values, bytes))
    return 0;
  memcpy(s->factored, values, bytes);
  CST_TRY(put(s, values));
  s->holds = true;
  if (s->symmetric)
    CST_TRY(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  CST_TRY(cst_petsc.KSPSetReusePreconditioner(s->ksp, PETSC_FALSE));
  CST_TRY(cst_petsc.KSPSetOperators(s->ksp, s->J, s->J));
  CST_TRY(cst_petsc.KSPSetUp(s->ksp));
  CST_TRY(cst_petsc.KSPSetReusePreconditioner(s->ksp, PETSC_TRUE));
  s->is_factored = true;
  return 0;
}

/* Copies between an array and a vector. */
static cst_error fill(Vec V, const double *x, size_t bytes) {
  PetscScalar *at;
  CST_TRY(cst_petsc.VecGetArray(V, &at));
  memcpy(at, x, bytes);
  CST_TRY(cst_petsc.VecRestoreArray(V, &at));
  return 0;
}

/* F := A^-1 R */
static cst_error solve_linear(cst_single *s, bool *good) {
  KSPConvergedReason why;
  CST_TRY(cst_petsc.KSPSolve(s->ksp, s->R, s->F));
  CST_TRY(cst_petsc.KSPGetConvergedReason(s->ksp, &why));
  *good &= why > 0 || why == KSP_DIVERGED_ITS; /* refined below */
  return 0;
}

/* Solutions are refined while that makes the residual at least twice as small; iterative solvers end at a tolerance
 * of their own. */
cst_error cst_single_backsolve(cst_single *s, double *x, bool *good) {
  enum { REFINEMENTS = 20 };
  const size_t       bytes = (size_t)s->equations.unknowns * sizeof *x;
  const PetscScalar *at;
  PetscReal          norm, size, last = INFINITY;
  CST_TRY(fill(s->B, x, bytes));
  CST_TRY(cst_petsc.VecCopy(s->B, s->R));
  CST_TRY(cst_petsc.VecSet(s->X, 0));
  CST_TRY(cst_petsc.VecNorm(s->B, NORM_2, &norm));
  if (!s->holds)
    CST_TRY(put(s, s->factored));
  s->holds = true;
  size = norm;
  for (int k = 0; k < REFINEMENTS && *good && size > 0 && size <= 0.5 * last; k++) {
    CST_TRY(solve_linear(s, good));
    CST_TRY(cst_petsc.VecAXPY(s->X, 1, s->F));
    last = size;
    CST_TRY(cst_petsc.MatMult(s->J, s->X, s->R));
    CST_TRY(cst_petsc.VecAYPX(s->R, -1, s->B));
    CST_TRY(cst_petsc.VecNorm(s->R, NORM_2, &size));
  }
  *good &= size <= 1e-10 * norm;
  CST_TRY(cst_petsc.VecGetArrayRead(s->X, &at));
  memcpy(x, at, bytes);
  CST_TRY(cst_petsc.VecRestoreArrayRead(s->X, &at));
  return 0;
}

static cst_error norm(Vec V, double *size) {
  PetscReal of;
  CST_TRY(cst_petsc.VecNorm(V, NORM_INFINITY, &of));
  *size = of;
  return 0;
}

/* How the next correction compares with the only one, whose residual is s->F; 1 where round-off may prevail. */
static cst_error rate_of_next(cst_single *s, double of, double *rate) {
  double size;
  bool   good = true;
  *rate = 1;
  if (s->corrections == 1 && s->last > 1e-10 * of) {
    CST_TRY(cst_petsc.VecCopy(s->F, s->R));
    CST_TRY(solve_linear(s, &good));
    CST_TRY(norm(s->F, &size));
    if (good)
      *rate = size / s->last;
  }
  return 0;
}

/* How J compares with the matrix of the start, at the solution. */
static cst_error rate_of_matrix(cst_single *s, double of, double *rate) {
  double     size;
  bool       good = true;
  const bool found = s->equations.jacobian(s->equations.context, s->before, s->values);
  CST_TRY(put(s, s->values));
  CST_TRY(cst_petsc.MatMult(s->J, s->B, s->R));
  CST_TRY(solve_linear(s, &good));
  CST_TRY(cst_petsc.VecAXPY(s->B, -1, s->F));
  CST_TRY(norm(s->B, &size));
  *rate = !found || !good ? 1 : of > 0 ? size / of : 0;
  return 0;
}

cst_error cst_single_rate(cst_single *s, double *rate) {
  double of;
  if (s->corrections < 2) {
    CST_TRY(fill(s->B, s->before, (size_t)s->equations.unknowns * sizeof *s->before));
    CST_TRY(norm(s->B, &of));
    CST_TRY(rate_of_next(s, of, &s->rate));
    if (!(s->rate <= SLOW))
      CST_TRY(rate_of_matrix(s, of, &s->rate));
  }
  *rate = s->rate;
  return 0;
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
