/* judge.h: how an observable of one case behaves over a long time: what its verdict is made of, from the rows
 * of the case. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_JUDGE_H
#define CST_JUDGE_H
#include "study/case-rows.h"

/* Arrays over members, NaN for those that failed, as cst_long_run has them: of the motion, then of the
 * observable that is judged. */
typedef struct {
  double *moved, *away;
  double *means, *largest, *scale, *start, *last;
} cst_journey;

PetscErrorCode cst_judge_journey_create(long members, cst_journey *j);
PetscErrorCode cst_judge_journey_destroy(cst_journey *j);
/* The motion of the case that is open. */
PetscErrorCode cst_judge_journey_begin(cst_case_rows *rows, cst_journey *j);
/* The verdict on a quantity of it whose windows are kept; *looked: false, and nothing else, where the study
 * did not look at it. */
PetscErrorCode cst_journey_judge(cst_case_rows *rows, cst_journey *j, int quantity, bool *looked,
                                 cst_growth *g);
#endif
