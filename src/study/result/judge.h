/* judge.h: verdicts on the long-time behaviour of the observables of one case, from its rows. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_JUDGE_H
#define CST_JUDGE_H
#include "study/result/case-rows.h"

/* Arrays over members as in cst_long_run, NaN for failed members: of the motion, then of the observable being
 * judged. */
typedef struct {
  double *moved, *away;
  double *means, *largest, *scale, *start, *last;
  double *terms, *range;
  double *inert; /* kinetic energy of the coordinates that move uniformly over the whole run */
  double *step, *value; /* `stepped` and `evaluated` of cst_long_run */
  /* [quantity][members], owned: what rounds in a step and in a value, by the bounds of expressions; NaN: not known */
  double *stepped, *evaluated;
} cst_journey;

cst_error cst_judge_journey_create(long members, cst_journey *j);
cst_error cst_judge_journey_destroy(cst_journey *j);
/* Reads the motion of the open case. */
cst_error cst_judge_journey_begin(cst_case_rows *rows, cst_journey *j);
/* The verdict on a quantity whose windows are kept. *looked: false if the study did not observe it; *g is
 * then unchanged. */
cst_error cst_judge_journey(cst_case_rows *rows, cst_journey *j, int quantity, bool *looked,
                            cst_growth *g);
/* most[members] := what round-off may change a quantity of the open case by; a larger change is not `exact`. */
cst_error cst_judge_round_off(cst_case_rows *rows, int quantity, double *most);
#endif
