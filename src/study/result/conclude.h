/* conclude.h: the table of a study: declares and fills the columns common to every study and those of its
 * kind. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONCLUDE_H
#define CST_CONCLUDE_H
#include "study/result/case-rows.h"
#include "study/result/failure.h"

typedef struct cst_conclusion cst_conclusion;

/* Declares the columns in their order and sets those that are known before the run. */
cst_conclusion *cst_conclude_create(const cst_plan *p);
void            cst_conclude_destroy(cst_conclusion *x);
/* Borrowed. */
const cst_columns *cst_conclude_columns(const cst_conclusion *x);
/* Sets the columns of a case from its finished rows, on any rank, and writes its histograms. Opens the case.
 */
cst_error cst_conclude_case(cst_conclusion *x, cst_case_rows *rows, int icase);
/* Then those that compare the steps of cases first .. first + nstep - 1, on the same rank. */
cst_error cst_conclude_steps(cst_conclusion *x, cst_case_rows *rows, int first);
/* Writes the columns of these cases. */
cst_error cst_conclude_write(cst_conclusion *x, cst_output *o, int first, int n);
/* Finally sets the columns that compare all cases, where all others are set. */
cst_error cst_conclude_across(cst_conclusion *x);
/* The same on one rank, where the others are read from the file; and writes them. */
cst_error cst_conclude_table(cst_conclusion *x, cst_output *o);
/* Adds how the trajectories of a case ended. Opens the case. */
cst_error cst_conclude_count(cst_case_rows *rows, int icase, cst_failures *failures);
#endif
