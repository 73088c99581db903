/* rank-loss.h: says where the constraints of failed trajectories lost rank, and where others passed a state at which they
 * do: the first in time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RANK_LOSS_H
#define CST_RANK_LOSS_H
#include "study/result/case-rows.h"
#include "study/result/found.h"

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
#endif
