/* integrator-begin.c: starts MPI for programs that do not use it (constella/integrator.h). MPI reports whether
 * it is initialised; the flags record what was asked for here, and whether this file did it. PETSc is not
 * used. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <mpi.h>
#include <stdio.h>
#include "integrator/integrator-internal.h"

/* Properties of the process, as MPI's are. */
static bool begun, ours;

static cst_integrator_code refuse(char *why, int n, const char *reason) {
  if (why && n > 0)
    snprintf(why, (size_t)n, "%s", reason);
  return CST_INTEGRATOR_INTERNAL;
}

cst_integrator_code cst_integrator_begin(char *why, int n) {
  int there, over, threads;
  if (MPI_Finalized(&over) || MPI_Initialized(&there))
    return refuse(why, n, "MPI does not answer");
  if (over)
    return refuse(why, n,
                  "MPI has been finalised, and a process can initialise it only once; call "
                  "cst_integrator_end when no integrator is needed any more");
  if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads))
    return refuse(why, n, "MPI cannot be initialised");
  ours = ours || !there;
  begun = true;
  return CST_INTEGRATOR_OK;
}

bool cst_integrator_has_begun(void) {
  int over = 1;
  return begun && !MPI_Finalized(&over) && !over;
}

void cst_integrator_end(void) {
  if (ours && cst_integrator_has_begun())
    (void)MPI_Finalize();
  if (ours)
    begun = false;
}
