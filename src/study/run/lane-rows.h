/* lane-rows.h: unfinished trajectories, as numbers from which a batch of any size and width can continue.
 *
 * They are saved by ranges: lanes of a class at the same step. A range is identified by the case and the member of its
 * first lane; the others follow in the order of the class: member by member, case by case. Each lane has a
 * row of numbers: its state in the batch (and in the batch with half the step, if that is the reference), its
 * accumulators, errors, windows and samples.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_ROWS_H
#define CST_LANE_ROWS_H
#include "record/bundle.h"
#include "study/runner/runner.h"

typedef struct {
  long         icase, member, count; /* first lane, and number of lanes */
  long         numbers;              /* per lane */
  cst_position at;
  /* 1: nothing has been looked at at this step, `at` is else what it was one step before; 0 */
  long opens;
} cst_lane_rows;

/* Adds the current batch, if any, as a section "lanes": its cst_lane_rows, then its rows. */
void cst_lane_rows_pack(const cst_runner *r, cst_bundle *b);
#endif
