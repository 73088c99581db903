/* agenda.h: the batches of a study that remain to be computed, and their order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AGENDA_H
#define CST_AGENDA_H
#include "core/error.h"
#include "study/plan/plan.h"

/* Lanes of one class that are computed together. */
typedef struct {
  int class;
  long   first, count; /* lanes of the class */
  double cost;         /* of all its steps, in nanoseconds */
  int    saved;        /* index of the saved range to resume; -1: start from t = 0 */
  long   skip;         /* first lane of the saved range to resume */
} cst_work;

/* The remaining work of a plan. */
typedef struct {
  int       n;
  cst_work *work;  /* [n] resumed ranges first, then the most expensive */
  long      batch; /* maximal lanes per batch */
  double    left;  /* total cost of the items */
} cst_agenda;

/* State of a lane when a run begins: not computed, its row is in the result, or in a checkpoint; of
 * another part. */
enum { CST_LANE_OPEN, CST_LANE_DONE, CST_LANE_MIDWAY, CST_LANE_ELSEWHERE };

/* Consecutive lanes of one class at the same step. */
typedef struct {
  int class;
  long first, count, step;
} cst_lane_range;

/* Batches of the remaining work: first the saved ranges saved[n], then the lanes marked CST_LANE_OPEN
 * in lane[nclass][lanes]; lane == NULL: all of the
 * plan. batch: lanes per batch, 0 for the default. */
cst_agenda *cst_agenda_create(const cst_plan *p, int ranks, long batch, unsigned char *const *lane,
                              const cst_lane_range *saved, int n);
void        cst_agenda_destroy(cst_agenda *a);

/* Called between slices of work. work: the work done since the last call, in units of the plan's cost. Set
 * *stop to stop here. */
typedef cst_error cst_poll(void *context, double work, bool *stop);
#endif
