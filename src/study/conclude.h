/* conclude.h: the statistics of a finished study, from its rows. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONCLUDE_H
#define CST_CONCLUDE_H
#include "study/output.h"

/* Fill the columns that say what a case is. */
void cst_conclude_cases(const cst_plan *p, cst_columns *c);
/* Fill the others from the finished rows; on one rank. failed: trajectories that failed. */
PetscErrorCode cst_conclude(const cst_plan *p, cst_output *o, cst_columns *c, long *failed);
#endif
