/* piece.h: trajectories in the middle of their way, as numbers that any batch of any width can go on from.
 *
 * A piece is a run of lanes of a class that have come to the same step. It is named by the case and the
 * member of its first lane; the others follow in the order of the class: member by member, case by case. Each
 * lane has a row of numbers: its state in the batch (and in the one of half the step, where that is the
 * reference), its accumulators, errors, windows and samples.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PIECE_H
#define CST_PIECE_H
#include "study/bundle.h"
#include "study/runner.h"

typedef struct {
  long         icase, member, count; /* first lane, and how many */
  long         numbers;              /* of a lane's row */
  cst_position at;
  long opens; /* 1: nothing has been looked at at this step, `at` is else what it was one step before; 0 */
} cst_piece;

/* Add the batch at work, if there is one, as a section "lanes": its cst_piece, then its rows; as two of them
 * where a part of it is ahead.
 */
void cst_piece_pack(const cst_runner *r, cst_bundle *b);
#endif
