/* merge.c: what `constella merge` reads and checks before the run that concludes the parts (run.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "cli/inputs.h"
#include "cli/run.h"
#include "cli/stored.h"

/* The study of the first part. Its layers in C, which all methods need, may come from anybody. */
static cst_study *read_first(cst_arguments *a, cst_diag *d) {
  const cst_trust trust = {.given = a->trusts};
  cst_study      *s = cst_stored_study(a->first, a->parts.file[0], cst_run_share, &trust, d);
  if (!s || !*cst_stored_withheld(s))
    return s;
  cst_diag_add(d, a->parts.file[0], 0, 0,
               "it has methods in C, which are not compiled without permission: %s; --trust-code "
               "gives it",
               cst_stored_withheld(s));
  cst_study_destroy(s);
  return NULL;
}

cst_study *cst_run_read_parts(cst_arguments *a, cst_diag *d) {
  char why[512];
  int  open;
  if (!a->parts.n)
    return NULL;
  for (int i = 0; i < a->parts.n; i++)
    cst_inputs_note(a->parts.file[i]);
  a->first = cst_result_open(a->parts.file[0], why, sizeof why);
  if (!a->first)
    cst_diag_add(d, a->parts.file[0], 0, 0, "%s", why);
  open = a->first != NULL;
  (void)MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, cst_world);
  return open ? read_first(a, d) : NULL;
}

void cst_run_examine_parts(cst_arguments *a, const cst_plan *plan, cst_diag *d) {
  int rank;
  MPI_Comm_rank(cst_world, &rank);
  if (!a->parts.n || !plan)
    return;
  a->found = (cst_merge){.plan = plan, .file = a->parts.file, .nfile = a->parts.n};
  if (rank == 0)
    cst_merge_examine(&a->found, d);
}

void cst_run_share_parts(cst_arguments *a) {
  if (!a->parts.n)
    return;
  a->run.merge = &a->found;
  cst_merge_share(&a->found);
}

void cst_run_close_parts(cst_arguments *a) {
  cst_merge_destroy(&a->found);
  cst_result_close(a->first);
  free(a->parts.file);
}
