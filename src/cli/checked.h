/* checked.h: private to src/cli: reads, checks and plans a study, for `check`, and for `submit` before it
 * calls the scheduler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHECKED_H
#define CST_CHECKED_H
#include "study/plan/agenda.h"

typedef struct {
  cst_study  *study;
  cst_plan   *plan;
  cst_agenda *agenda;
} cst_checked;

/* Reads the study in `file` and plans it for the given number of ranks on this machine. All three members or
 * the last two are NULL where d has errors. Without MPI. */
cst_checked cst_checked_read(const char *file, int ranks, cst_diag *d);
void        cst_checked_free(cst_checked *c);
#endif
