/* checked.h: inside the room: a study read, checked and planned, as `check` shows it and `submit` needs it
 * before it bothers a scheduler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHECKED_H
#define CST_CHECKED_H
#include "study/agenda.h"

typedef struct {
  cst_study  *study;
  cst_plan   *plan;
  cst_agenda *agenda;
} cst_checked;

/* Read the study in `file` and plan it for the given number of ranks on this machine. NULL, all three or the
 * last two, where d has mistakes. Without MPI. */
cst_checked cst_checked_read(const char *file, int ranks, cst_diag *d);
void        cst_checked_free(cst_checked *c);
#endif
