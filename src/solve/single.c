/* single.c: PETSc's own solvers for the equations of one trajectory (see single.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CST_WITH_PETSC
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
static PetscErrorCode put(cst_single *s, const double *values) {
  const int    n = s->equations.unknowns, *row = s->equations.row;
  PetscScalar *at;
  PetscFunctionBegin;
  s->holds = false;
  if (s->plain && s->put) {
    PetscCall(cst_petsc.MatSeqAIJGetArray(s->J, &at));
    memcpy(at, values, (size_t)row[n] * sizeof *at);
    PetscCall(cst_petsc.MatSeqAIJRestoreArray(s->J, &at));
  }
  for (PetscInt k = 0; k < n && !(s->plain && s->put); k++)
    PetscCall(cst_petsc.MatSetValues(s->J, 1, &k, row[k + 1] - row[k], s->index + row[k],
                                     values + row[k], INSERT_VALUES));
  PetscCall(cst_petsc.MatAssemblyBegin(s->J, MAT_FINAL_ASSEMBLY));
  PetscCall(cst_petsc.MatAssemblyEnd(s->J, MAT_FINAL_ASSEMBLY));
  s->put = true;
  s->shown = values;
  PetscFunctionReturn(0);
}

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
  cst_single        *s = context;
  const PetscInt     n = s->equations.unknowns;
  const PetscScalar *x;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(cst_petsc.VecGetArrayRead(X, &x));
  const bool found = s->equations.jacobian(s->equations.context, x, s->values);
  PetscCall(cst_petsc.VecRestoreArrayRead(X, &x));
  s->lost |= !found;
  for (PetscInt i = 0; i < n && !found && !s->equations.row; i++)
    for (PetscInt k = 0; k < n; k++)
      s->values[i * n + k] = i == k; /* the test ends the solve behind this correction */
  if (s->equations.row)
    PetscCall(put(s, s->values));
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

/* Notes how the corrections shrink; renews the preconditioner from now on if they do so badly. */
static PetscErrorCode note(cst_single *s, const double *x) {
  double size = 0, of = 0;
  PetscFunctionBegin;
  for (int k = 0; k < s->equations.unknowns; k++) {
    size = fmax(size, fabs(s->d[k]));
    of = fmax(of, fabs(x[k]));
  }
  const bool counts = (s->is_factored || !s->lags) && size > 1e-13 * of;
  if (s->corrections++ > 0 && counts)
    s->rate = fmax(s->rate, size / s->last);
  s->last = size;
  if (s->lags && s->is_factored && s->rate > SLOW) {
    PetscCall(cst_petsc.SNESSetLagPreconditioner(s->snes, 1));
    if (s->lag)
      PetscCall(cst_petsc.SNESSetLagJacobian(s->snes, 1));
    if (s->symmetric)
      PetscCall(cst_petsc.KSPSetType(s->ksp, KSPGMRES));
    s->is_factored = false;
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
  if (s->equations.row && it > 0)
    PetscCall(note(s, x));
  if (s->lost)
    *reason = SNES_DIVERGED_LINEAR_SOLVE;
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
  const int *row = s->equations.row;
  PetscCall(cst_petsc.MatSetType(s->J, row ? MATSEQAIJ : MATSEQDENSE));
  PetscCall(cst_petsc.MatSetFromOptions(s->J));
  PetscInt *length = cst_zeros(n, sizeof *length);
  for (int k = 0; k < n; k++)
    length[k] = row ? row[k + 1] - row[k] : n;
  PetscCall(cst_petsc.MatSeqAIJSetPreallocation(s->J, 0, length));
  free(length);
  PetscCall(cst_petsc.MatSetUp(s->J));
  PetscBool plain;
  PetscCall(cst_petsc.PetscObjectTypeCompare((PetscObject)s->J, MATSEQAIJ, &plain));
  s->plain = row && plain;
  PetscFunctionReturn(0);
}

static PetscErrorCode has(const char *option, bool *found) {
  PetscBool is;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PetscOptionsHasName(NULL, NULL, option, &is));
  *found |= is;
  PetscFunctionReturn(0);
}

/* Beyond so many unknowns minimum degree takes longer, to find the order too, than nested dissection. */
enum { DISSECT = 10000 };

/* What a sparse J is factored by before options say another thing. The factors of S are symmetric ones, which take half
 * the work, unless an option asks for J itself, or names a library, which may have none. */
static PetscErrorCode choose_factors(cst_single *s, PC pc) {
  bool other = s->equations.ordered;
  PetscFunctionBegin;
  PetscCall(has("-snes_lag_preconditioner", &other));
  PetscCall(has("-pc_factor_mat_solver_type", &other));
  PetscCall(has("-mat_type", &other));
  PetscCall(cst_petsc.PCSetType(pc, other ? PCLU : PCCHOLESKY));
  PetscCall(cst_petsc.PCFactorSetMatOrderingType(pc, s->equations.ordered ? MATORDERINGNATURAL
                                                     : s->equations.unknowns > DISSECT
                                                         ? MATORDERINGND
                                                         : MATORDERINGQMD));
  PetscCall(cst_petsc.SNESSetLagPreconditioner(s->snes, -1));
  PetscFunctionReturn(0);
}

/* A matrix of differences stands in the place of J, and so does S where only its factors are used. */
static PetscErrorCode choose_lags(cst_single *s, KSP ksp, PC pc) {
  PetscBool plain, symmetric;
  PetscInt  lag;
  bool      tests = false, own = false;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &plain));
  PetscCall(cst_petsc.PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &symmetric));
  PetscCall(has("-snes_test_jacobian", &tests));
  PetscCall(has("-snes_lag_jacobian", &own));
  PetscCall(cst_petsc.SNESGetLagPreconditioner(s->snes, &lag));
  s->lags = lag == -1;
  if (!own && s->equations.ordered)
    s->lag = tests ? -2 : -1;
  else if (!own && !tests && plain && s->lags && s->equations.row)
    s->lag = -1;
  if (s->lag)
    PetscCall(cst_petsc.SNESSetLagJacobian(s->snes, s->lag));
  s->symmetric = s->equations.row && !s->equations.ordered && plain && s->lags &&
                 (s->teams ? s->direct : symmetric);
  if (s->symmetric)
    PetscCall(cst_petsc.KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up_team(PC pc) {
  cst_single *s;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PCShellGetContext(pc, &s));
  PetscCall(cst_team_factor(s->system, s->shown));
  PetscFunctionReturn(0);
}

/* A solution that is not found is no number, which ends the solve. */
static PetscErrorCode apply_team(PC pc, Vec B, Vec X) {
  cst_single        *s;
  const PetscScalar *b;
  PetscScalar       *x;
  bool               good;
  PetscFunctionBegin;
  PetscCall(cst_petsc.PCShellGetContext(pc, &s));
  PetscCall(cst_petsc.VecGetArrayRead(B, &b));
  PetscCall(cst_petsc.VecGetArray(X, &x));
  PetscCall(cst_team_solve(s->system, b, x, &good));
  for (int k = 0; k < s->equations.unknowns && !good; k++)
    x[k] = NAN;
  PetscCall(cst_petsc.VecRestoreArray(X, &x));
  PetscCall(cst_petsc.VecRestoreArrayRead(B, &b));
  PetscFunctionReturn(0);
}

/* PETSc's options for linear systems are those of the team's solver. Without them the team takes what one rank takes for
 * symmetric. */
static PetscErrorCode use_team(cst_single *s, KSP ksp, PC pc) {
  static const char *const    others[] = {"-snes_lag_preconditioner", "-pc_factor_mat_solver_type",
                                          "-mat_type", "-ksp_type", "-pc_type"};
  const cst_single_equations *e = &s->equations;
  bool                        other = e->ordered;
  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    PetscCall(has(others[k], &other));
  s->direct = !other;
  PetscCall(cst_team_create(e->unknowns, e->row, e->column, s->direct, &s->system));
  PetscCall(cst_petsc.KSPSetType(ksp, KSPPREONLY));
  PetscCall(cst_petsc.PCSetType(pc, PCSHELL));
  PetscCall(cst_petsc.PCShellSetContext(pc, s));
  PetscCall(cst_petsc.PCShellSetSetUp(pc, set_up_team));
  PetscCall(cst_petsc.PCShellSetApply(pc, apply_team));
  PetscFunctionReturn(0);
}

/* What PETSc's options may change comes before SNESSetFromOptions. */
static PetscErrorCode create_snes(cst_single *s, int max_iterations) {
  PC             pc;
  SNESLineSearch search;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESCreate(PETSC_COMM_SELF, &s->snes));
  PetscCall(cst_petsc.SNESSetFunction(s->snes, s->F, residual, s));
  PetscCall(cst_petsc.SNESSetJacobian(s->snes, s->J, s->J, jacobian, s));
  PetscCall(cst_petsc.SNESSetConvergenceTest(s->snes, test, s, NULL));
  PetscCall(cst_petsc.SNESSetTolerances(s->snes, 0, 0, 0, max_iterations, INT_MAX));
  PetscCall(cst_petsc.SNESSetDivergenceTolerance(s->snes, -1));
  PetscCall(cst_petsc.SNESSetType(s->snes, SNESNEWTONLS));
  PetscCall(cst_petsc.SNESGetLineSearch(s->snes, &search));
  PetscCall(cst_petsc.SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscCall(cst_petsc.SNESGetKSP(s->snes, &s->ksp));
  PetscCall(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(cst_petsc.KSPGetPC(s->ksp, &pc));
  PetscCall(cst_petsc.PCSetType(pc, PCLU));
  if (s->equations.row)
    PetscCall(choose_factors(s, pc));
  PetscCall(cst_petsc.SNESSetFromOptions(s->snes));
  s->teams = s->equations.row && cst_team_leads();
  if (s->teams)
    PetscCall(use_team(s, s->ksp, pc));
  PetscCall(cst_petsc.SNESSetSolution(s->snes, s->X)); /* some types make vectors like it */
  PetscCall(cst_petsc.SNESSetUp(s->snes));
  PetscCall(choose_lags(s, s->ksp, pc));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_create(cst_single_equations equations, int max_iterations,
                                 cst_single **single) {
  const int   n = equations.unknowns, *row = equations.row;
  const int   m = row ? row[n] : n; /* columns, and numbers of J by rows */
  cst_single *s;
  PetscFunctionBegin;
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
  PetscCall(cst_petsc.VecCreateSeq(PETSC_COMM_SELF, n, &s->X));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->F));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->B));
  PetscCall(cst_petsc.VecDuplicate(s->X, &s->R));
  PetscCall(create_matrix(s));
  PetscCall(create_snes(s, max_iterations));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_destroy(cst_single **single) {
  cst_single *s = *single;
  PetscFunctionBegin;
  if (!s)
    PetscFunctionReturn(0);
  if (s->teams)
    PetscCall(cst_team_destroy(s->system));
  PetscCall(cst_petsc.SNESDestroy(&s->snes));
  PetscCall(cst_petsc.MatDestroy(&s->J));
  PetscCall(cst_petsc.VecDestroy(&s->X));
  PetscCall(cst_petsc.VecDestroy(&s->F));
  PetscCall(cst_petsc.VecDestroy(&s->B));
  PetscCall(cst_petsc.VecDestroy(&s->R));
  free(s->factored);
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
  s->corrections = 0;
  s->rate = 0;
  s->lost = false;
  if (s->equations.row && s->lags)
    PetscCall(cst_petsc.SNESSetLagPreconditioner(s->snes, -1));
  else
    s->is_factored = false;
  if (s->lag)
    PetscCall(cst_petsc.SNESSetLagJacobian(s->snes, s->lag));
  if (s->symmetric)
    PetscCall(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(cst_petsc.SNESSolve(s->snes, NULL, s->X));
  PetscCall(cst_petsc.SNESGetConvergedReason(s->snes, &why));
  PetscCall(cst_petsc.VecGetArray(s->X, &at));
  memcpy(x, at, bytes);
  PetscCall(cst_petsc.VecRestoreArray(s->X, &at));
  *reason = (int)why;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_factor(cst_single *s, const double *values) {
  const size_t bytes = (size_t)s->equations.row[s->equations.unknowns] * sizeof *values;
  PetscFunctionBegin;
  if (s->is_factored && !memcmp(s->factored, values, bytes))
    PetscFunctionReturn(0);
  memcpy(s->factored, values, bytes);
  PetscCall(put(s, values));
  s->holds = true;
  if (s->symmetric)
    PetscCall(cst_petsc.KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(cst_petsc.KSPSetReusePreconditioner(s->ksp, PETSC_FALSE));
  PetscCall(cst_petsc.KSPSetOperators(s->ksp, s->J, s->J));
  PetscCall(cst_petsc.KSPSetUp(s->ksp));
  PetscCall(cst_petsc.KSPSetReusePreconditioner(s->ksp, PETSC_TRUE));
  s->is_factored = true;
  PetscFunctionReturn(0);
}

/* Copies between an array and a vector. */
static PetscErrorCode fill(Vec V, const double *x, size_t bytes) {
  PetscScalar *at;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecGetArray(V, &at));
  memcpy(at, x, bytes);
  PetscCall(cst_petsc.VecRestoreArray(V, &at));
  PetscFunctionReturn(0);
}

/* F := A^-1 R */
static PetscErrorCode solve_linear(cst_single *s, bool *good) {
  KSPConvergedReason why;
  PetscFunctionBegin;
  PetscCall(cst_petsc.KSPSolve(s->ksp, s->R, s->F));
  PetscCall(cst_petsc.KSPGetConvergedReason(s->ksp, &why));
  *good &= why > 0 || why == KSP_DIVERGED_ITS; /* refined below */
  PetscFunctionReturn(0);
}

/* Solutions are refined while that makes the residual at least twice as small; iterative solvers end at a tolerance
 * of their own. */
PetscErrorCode cst_single_backsolve(cst_single *s, double *x, bool *good) {
  enum { REFINEMENTS = 20 };
  const size_t       bytes = (size_t)s->equations.unknowns * sizeof *x;
  const PetscScalar *at;
  PetscReal          norm, size, last = INFINITY;
  PetscFunctionBegin;
  PetscCall(fill(s->B, x, bytes));
  PetscCall(cst_petsc.VecCopy(s->B, s->R));
  PetscCall(cst_petsc.VecSet(s->X, 0));
  PetscCall(cst_petsc.VecNorm(s->B, NORM_2, &norm));
  if (!s->holds)
    PetscCall(put(s, s->factored));
  s->holds = true;
  size = norm;
  for (int k = 0; k < REFINEMENTS && *good && size > 0 && size <= 0.5 * last; k++) {
    PetscCall(solve_linear(s, good));
    PetscCall(cst_petsc.VecAXPY(s->X, 1, s->F));
    last = size;
    PetscCall(cst_petsc.MatMult(s->J, s->X, s->R));
    PetscCall(cst_petsc.VecAYPX(s->R, -1, s->B));
    PetscCall(cst_petsc.VecNorm(s->R, NORM_2, &size));
  }
  *good &= size <= 1e-10 * norm;
  PetscCall(cst_petsc.VecGetArrayRead(s->X, &at));
  memcpy(x, at, bytes);
  PetscCall(cst_petsc.VecRestoreArrayRead(s->X, &at));
  PetscFunctionReturn(0);
}

static PetscErrorCode norm(Vec V, double *size) {
  PetscReal of;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecNorm(V, NORM_INFINITY, &of));
  *size = of;
  PetscFunctionReturn(0);
}

/* How the next correction compares with the only one, whose residual is s->F; 1 where round-off may prevail. */
static PetscErrorCode rate_of_next(cst_single *s, double of, double *rate) {
  double size;
  bool   good = true;
  PetscFunctionBegin;
  *rate = 1;
  if (s->corrections == 1 && s->last > 1e-10 * of) {
    PetscCall(cst_petsc.VecCopy(s->F, s->R));
    PetscCall(solve_linear(s, &good));
    PetscCall(norm(s->F, &size));
    if (good)
      *rate = size / s->last;
  }
  PetscFunctionReturn(0);
}

/* How J compares with the matrix of the start, at the solution. */
static PetscErrorCode rate_of_matrix(cst_single *s, double of, double *rate) {
  double size;
  bool   good = true;
  PetscFunctionBegin;
  const bool found = s->equations.jacobian(s->equations.context, s->before, s->values);
  PetscCall(put(s, s->values));
  PetscCall(cst_petsc.MatMult(s->J, s->B, s->R));
  PetscCall(solve_linear(s, &good));
  PetscCall(cst_petsc.VecAXPY(s->B, -1, s->F));
  PetscCall(norm(s->B, &size));
  *rate = !found || !good ? 1 : of > 0 ? size / of : 0;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_single_rate(cst_single *s, double *rate) {
  double of;
  PetscFunctionBegin;
  if (s->corrections < 2) {
    PetscCall(fill(s->B, s->before, (size_t)s->equations.unknowns * sizeof *s->before));
    PetscCall(norm(s->B, &of));
    PetscCall(rate_of_next(s, of, &s->rate));
    if (!(s->rate <= SLOW))
      PetscCall(rate_of_matrix(s, of, &s->rate));
  }
  *rate = s->rate;
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
