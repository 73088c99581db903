/* solver-lanes.c: the SNES type `lanes`: Newton's method on each lane separately inside one SNESSolve.
 *
 * Without a monitor the equations advance group by group, and a group leaves the registers only when its work
 * is done. With a monitor the groups iterate together, so that there are iterations to monitor; the
 * arithmetic of the lanes is the same.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CST_WITH_PETSC
#include "solve/solver-internal.h"

static PetscErrorCode watch(SNES snes, cst_solver *s, PetscInt it) {
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(cst_petsc.VecNorm(snes->vec_func, NORM_2, &norm));
  snes->iter = it;
  snes->norm = norm;
  (void)s;
  PetscCall(cst_petsc.SNESMonitor(snes, it, norm));
  PetscFunctionReturn(0);
}

static PetscErrorCode together(SNES snes, cst_solver *s) {
  PetscFunctionBegin;
  for (PetscInt it = 0;; it++) {
    PetscCall(cst_petsc.SNESComputeFunction(snes, snes->vec_sol, snes->vec_func));
    PetscCall(watch(snes, s, it));
    if (s->active == 0 || it == s->max_iterations)
      break;
    PetscCall(cst_solver_direction(s, snes->vec_sol, snes->vec_func, s->direction));
    PetscCall(cst_solver_correct(s, snes->vec_sol, s->direction));
  }
  snes->reason = s->active ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_FNORM_ABS;
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(SNES snes) {
  cst_solver *s;
  PetscFunctionBegin;
  PetscCall(cst_petsc.SNESGetApplicationContext(snes, &s));
  if (!cst_solver_marches(s)) {
    PetscCall(together(snes, s));
    PetscFunctionReturn(0);
  }
  PetscCall(s->equations.march(s->equations.context));
  snes->reason = SNES_CONVERGED_FNORM_ABS;
  PetscFunctionReturn(0);
}

static PetscErrorCode nothing(SNES snes) {
  PetscFunctionBegin;
  (void)snes;
  PetscFunctionReturn(0);
}

static PetscErrorCode create(SNES snes) {
  PetscFunctionBegin;
  snes->ops->solve = solve;
  snes->ops->setup = nothing;
  snes->ops->reset = nothing;
  snes->ops->destroy = nothing;
  snes->usesksp = PETSC_FALSE;
  snes->usesnpc = PETSC_FALSE;
  snes->alwayscomputesfinalresidual = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_solver_register(void) {
  char why[512];
  PetscFunctionBegin;
  PetscCheck(cst_petsc_load(why, sizeof why), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", why);
  PetscCall(cst_petsc.SNESRegister("lanes", create));
  PetscFunctionReturn(0);
}
