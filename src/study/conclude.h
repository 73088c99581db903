/* conclude.h: the table of a study: the columns of every study and those of its kind, and how they are
 * filled. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONCLUDE_H
#define CST_CONCLUDE_H
#include "study/failure.h"
#include "study/output.h"

typedef struct cst_conclusion cst_conclusion;

/* The columns in their order, with what is known before anything is run. */
cst_conclusion *cst_conclude_create(const cst_plan *p);
void            cst_conclude_destroy(cst_conclusion *x);
/* Borrowed. */
const cst_columns *cst_conclude_columns(const cst_conclusion *x);
/* Set all columns from the finished rows; on one rank. reference_error: as cst_reference_errors has them;
 * *failures: how the trajectories ended. */
PetscErrorCode cst_conclude(cst_conclusion *x, cst_output *o, const double *reference_error,
                            cst_failures *failures);
#endif
