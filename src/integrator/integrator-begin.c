/* integrator-begin.c: starts MPI and PETSc for programs that do not use them (constella/integrator.h). PETSc
 * and MPI report whether they are initialised; the flag records whether this file did it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <petscsys.h>
#include <stdio.h>
#include "constella/integrator.h"
#include "solve/solver.h"

/* Whether PETSc was initialised here: a property of the process, as PETSc itself is. */
static bool begun;

static cst_integrator_code refuse(char *why, int n, const char *reason) {
  if (why && n > 0)
    snprintf(why, (size_t)n, "%s", reason);
  return CST_INTEGRATOR_INTERNAL;
}

/* PETSC_COMM_WORLD is this process: in a parallel program each rank steps independently. */
static bool start_petsc(void) {
  int running = 0;
  if (MPI_Initialized(&running))
    return false;
  if (running)
    PETSC_COMM_WORLD = MPI_COMM_SELF;
  if (PetscInitializeNoArguments())
    return false;
  (void)PetscPopSignalHandler();
  return begun = true;
}

cst_integrator_code cst_integrator_begin(char *why, int n) {
  PetscBool there, over = PETSC_FALSE;
  int       finalised = 0;
  if (MPI_Finalized(&finalised) || PetscFinalized(&over))
    return refuse(why, n, "MPI or PETSc does not answer");
  if (finalised || over)
    return refuse(why, n,
                  "MPI and PETSc have been finalised, and a process can initialise them only once; "
                  "call cst_integrator_end when no integrator is needed any more");
  if (PetscInitialized(&there))
    return refuse(why, n, "PETSc does not answer");
  if (!there && !start_petsc())
    return refuse(why, n, "PETSc or MPI cannot be initialised");
  return cst_solver_register() ? refuse(why, n, "PETSc cannot register the solver")
                               : CST_INTEGRATOR_OK;
}

void cst_integrator_end(void) {
  if (begun)
    (void)PetscFinalize();
  begun = false;
}
