/* piece.h: trajectories in the middle of their way, as numbers that any batch of any width can go on from.
 *
 * A piece is a run of lanes of a class that have come to the same step. It is named by the case and the member of its first lane; the
 * others follow in the order of the class: member by member, case by case. Each lane has a row of numbers: its state in the batch (and in
 * the one of half the step, where that is the reference), its accumulators, errors, windows and samples.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PIECE_H
#define CST_PIECE_H
#include "study/bundle.h"
#include "study/run.h"

typedef struct {
  long icase, member, count; /* first lane, and how many */
  long numbers;              /* of a lane's row */
  long step, half_step;      /* of the batch, and of the one of half the step */
  long window, in_window, folds, next_sample;
} cst_piece;

/* The class and the lane of a trajectory, and back. */
long cst_plan_lane(const cst_plan *p, long icase, long member);
void cst_plan_trajectory(const cst_plan *p, int klass, long lane, long *icase, long *member);

/* Add the batch at work, if there is one, as a section "lanes": its cst_piece, then its rows. */
void cst_runner_pack(const cst_runner *r, cst_bundle *b);
/* Rows of the lanes of the batch that was started come from a piece at its step. */
void cst_runner_unpack(cst_runner *r, const cst_piece *p, const double *rows);
/* Numbers of a lane's row in the batch at work. */
long cst_runner_numbers(const cst_runner *r);
#endif
