/* runner.h: steps batches of trajectories from their start, or from where they were left, and folds their
 * observables. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_H
#define CST_RUNNER_H
#include "study/output.h"
#include "study/reference.h"
#include "study/series.h"

/* Where a batch goes on from: its position, and the row of numbers of each of its lanes. */
typedef struct {
  cst_position  at;
  long          numbers; /* of a row */
  const double *row;     /* [count of the work][numbers] */
  bool          opens;   /* nothing has been looked at there yet */
} cst_origin;

typedef struct cst_runner cst_runner;

/* batch: lanes of a batch, at most. */
PetscErrorCode cst_runner_create(const cst_plan *p, long batch, cst_reference *r, cst_output *o,
                                 cst_series *s, cst_poll *poll, void *context, cst_runner **runner);
/* What is asked, with the context of poll, while the lanes of a batch start, and in the middle of slices that
 * may take long. A batch that is halted while it starts has not begun, and stops. One that is paused in a
 * slice goes back to where that began, where possible without the lanes that have made its only step
 * (cst_runner_ahead), and polls. */
void           cst_runner_halt_by(cst_runner *runner, cst_halt *halt, cst_halt *pause);
PetscErrorCode cst_runner_destroy(cst_runner **runner);
/* Step a batch to its end and write its rows; where *stop is set it is left in the middle of its way. from:
 * NULL, its start. */
PetscErrorCode cst_runner_batch(cst_runner *runner, const cst_work *w, const cst_origin *from, bool *stop);
/* Step a batch to a step of its way, to be saved, and leave it there. */
PetscErrorCode cst_runner_batch_to(cst_runner *runner, const cst_work *w, const cst_origin *from, long step,
                                   bool *stop);
/* Members of a case once more from their start, with nothing but their states written: they are the chosen
 * ones of the case. */
PetscErrorCode cst_runner_replay(cst_runner *runner, int icase, const long *member, int n, bool *stop);
/* The processor's seconds of the steps of so many trajectories of a class, the first of them that are one
 * batch, `repeats` times; nothing is looked at. *lanes: how many they are. */
PetscErrorCode cst_runner_time(cst_runner *runner, int cohort, int repeats, double *least, double *most,
                               long *lanes, bool *stop);
/* The members whose states are stored, where not the study says so: member[ncase][ntrajectory], borrowed, -1:
 * none. */
void           cst_runner_choose(cst_runner *runner, long *member);
PetscErrorCode cst_runner_flush(cst_runner *runner); /* what is gathered of states is written */
double         cst_runner_seconds(const cst_runner *runner, int cohort); /* spent on a class */

const cst_plan *cst_runner_plan(const cst_runner *r);
/* The batch at work; NULL: there is none, or it is a replay. */
const cst_work *cst_runner_work(const cst_runner *r);
cst_position    cst_runner_position(const cst_runner *r);
/* Lanes of it, the first ones, that are a step further, where nothing has been looked at yet. */
long cst_runner_ahead(const cst_runner *r);
/* Numbers of a lane's row; those of them that are its state in the batch come first. */
long cst_runner_numbers(const cst_runner *r);
long cst_runner_state_numbers(const cst_runner *r);
/* Row of a lane: its state in the batch (and in that of half the step), accumulators, errors, windows and
 * samples. */
void cst_runner_save(const cst_runner *r, long lane, double *row);
#endif
