/* conclude.h: the table of a study: declares and fills the columns common to every study and those of its
 * kind. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONCLUDE_H
#define CST_CONCLUDE_H
#include "study/run/failure.h"
#include "study/result/output.h"

typedef struct cst_conclusion cst_conclusion;

/* Declares the columns in their order and sets those that are known before the run. */
cst_conclusion *cst_conclude_create(const cst_plan *p);
void            cst_conclude_destroy(cst_conclusion *x);
/* Borrowed. */
const cst_columns *cst_conclude_columns(const cst_conclusion *x);
/* Sets all columns from the finished rows; on one rank. reference_error: see cst_reference_errors. *failures:
 * how the trajectories ended. */
PetscErrorCode cst_conclude(cst_conclusion *x, cst_output *o, const double *reference_error,
                            cst_failures *failures);
#endif
