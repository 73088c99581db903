/* agenda.h: the batches of a study that are still to be computed, and in which order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AGENDA_H
#define CST_AGENDA_H
#include <petscsys.h>
#include "study/plan.h"

/* Lanes of one class that are computed together, from one step on. */
typedef struct {
  int    cohort;
  long   first, count; /* lanes of the class */
  double cost;         /* of all its steps, in nanoseconds */
  int    piece;        /* -1: from the start; else the piece of an earlier run that it goes on from, ... */
  long   skip;         /* first lane of the checkpointed range to resume */
} cst_work;

/* What is left to be computed of a plan. */
typedef struct {
  int       n;
  cst_work *work;  /* [n] items of an earlier run first, then the most expensive */
  long      batch; /* lanes a batch, at most */
  double    left;  /* cost of all that is left */
} cst_agenda;

/* Where a lane stands when a run begins: nothing of it, its row, or its state in a piece. */
enum { CST_LANE_OPEN, CST_LANE_DONE, CST_LANE_MIDWAY };

/* Lanes of one class at the same step, side by side. */
typedef struct {
  int  cohort;
  long first, count, step;
} cst_stretch;

/* The batches of what is left: pieces[n] first, then the lanes that are open in lane[nclass][lanes]; NULL:
 * all of them. batch: lanes a batch, 0 for the default. */
cst_agenda *cst_agenda_create(const cst_plan *p, int ranks, long batch, unsigned char *const *lane,
                              const cst_stretch *pieces, int n);
void        cst_agenda_destroy(cst_agenda *a);

/* Asked between slices of work: work, of the plan's cost, was done since; *stop: stop here. */
typedef PetscErrorCode cst_poll(void *context, double work, bool *stop);
#endif
