/* solver-lanes.c: the SNES type `lanes`: Newton's method on each lane separately inside one SNESSolve.
 *
 * Without a monitor the equations advance group by group, and a group leaves the registers only when its work
 * is done. With a monitor the groups iterate together, so that there are iterations to monitor; the
 * arithmetic of the lanes is the same.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/solver-internal.h"

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
    CST_TRY(cst_solver_direction(s, snes->vec_sol, snes->vec_func, s->direction));
    CST_TRY(cst_solver_correct(s, snes->vec_sol, s->direction));
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
