/* found.h: trajectories of which something is said once: how many there are, and the one that stands for them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FOUND_H
#define CST_FOUND_H
#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "study/result/case-rows.h"

/* What every description of such trajectories begins with. Starts as zeros. */
typedef struct {
  long count, member; /* found; and the member and case that stand for them */
  int  icase;
} cst_found;

/* ---- where the constraints of failed trajectories lost rank, or others passed such a state ---- */

enum { CST_RANK_LOSS_TEXT = 768 };

/* The trajectories found, and the first of them in time. */
typedef struct {
  cst_found at;
  double    time, condition; /* of the last good state; the largest on the way of the failed step */
} cst_rank_losses;

/* Adds those of case i, whose rows are finished. */
cst_error cst_rank_loss_look(cst_case_rows *rows, int i, cst_rank_losses *l);
/* Collective: puts together what all ranks found. On rank 0 it fills text, "" where there was none. */
cst_error cst_rank_loss_tell(const cst_plan *p, const cst_rank_losses *l,
                             char text[CST_RANK_LOSS_TEXT]);
/* The same for trajectories that did not fail and passed such a state; they have no condition number. */
cst_error cst_rank_loss_passed(cst_case_rows *rows, int i, cst_rank_losses *l);
cst_error cst_rank_loss_tell_passed(const cst_plan *p, const cst_rank_losses *l,
                                    char text[CST_RANK_LOSS_TEXT]);

/* ---- where a trajectory that did not fail has an energy error as large as its energy --------- */

/* The trajectories found, and the worst of them. */
typedef struct {
  cst_found at;
  double    share, error; /* share: the error over the largest sum of the parts */
  double    time;         /* when it had happened */
} cst_energy_leaps;

/* Adds those of case i, whose rows are finished. */
cst_error cst_energy_leap_look(cst_case_rows *rows, int i, cst_energy_leaps *l);
/* Collective: puts together what all ranks found. On rank 0 it fills text, "" where there was none. */
cst_error cst_energy_leap_tell(const cst_plan *p, const cst_energy_leaps *l, char *text, size_t n);
#endif
