/* runner.h: steps batches of trajectories, from their start or from saved rows, and observes them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_H
#define CST_RUNNER_H
#include "study/result/output.h"
#include "study/reference/reference.h"
#include "study/result/tallies.h"

/* The state from which a batch continues: its position, and a row for each of its lanes. */
typedef struct {
  cst_position  at;
  long          numbers; /* per row */
  const double *row;     /* [count of the work][numbers] */
  bool          opens;   /* nothing has been observed at this step yet */
} cst_origin;

typedef struct cst_runner cst_runner;

/* batch: maximal lanes per batch. r and o NULL: it only rehearses. */
cst_error cst_runner_create(const cst_plan *p, long batch, cst_reference *r, cst_output *o,
                            cst_tallies *s, cst_poll *poll, void *context, cst_runner **runner);
/* `halt` and `pause` are called with the context of poll. halt: while the lanes of a batch start; if it
 * returns true, the batch has not begun, and stops. pause: inside slices that may take long; if it returns
 * true, the batch goes back to the beginning of its slice, if possible without the lanes that have completed
 * its only step (cst_runner_ahead), and polls. */
void      cst_runner_halt_by(cst_runner *runner, cst_halt *halt, cst_halt *pause);
cst_error cst_runner_destroy(cst_runner **runner);
/* Steps a batch to its end and writes its rows; *stop: the run stops inside it. from NULL: its start. */
cst_error cst_runner_batch(cst_runner *runner, const cst_work *w, const cst_origin *from,
                           bool *stop);
/* Steps a batch to an intermediate step, where it can be saved. */
cst_error cst_runner_batch_to(cst_runner *runner, const cst_work *w, const cst_origin *from,
                              long step, bool *stop);
/* Steps members of a case once more from their start and writes only their states. They are the chosen
 * members of the case. */
cst_error cst_runner_replay(cst_runner *runner, int icase, const long *member, int n, bool *stop);
/* Times the steps of the first batch of a class, `repeats` times, in seconds of CPU time; nothing is
 * observed. *lanes: number of trajectories. */
cst_error cst_runner_time(cst_runner *runner, int class, int repeats, double *least, double *most,
                          long *lanes, bool *stop);
/* What a batch took, in seconds of CPU time: to start a trajectory, and for these last steps of all of its groups. */
typedef struct {
  double start, steps, seconds;
} cst_rehearsal;
/* Steps a batch from its start for about `budget` seconds and observes it, where the runner was created without an
 * output and without a reference: nothing is written, and errors are taken against the state itself. */
cst_error cst_runner_rehearse(cst_runner *runner, const cst_work *w, double budget,
                              cst_rehearsal *x);
/* Sets the members whose states are stored, if the study does not: member[ncase][chosen], borrowed, -1:
 * none. */
void cst_runner_choose(cst_runner *runner, long *member);
/* Writes buffered states. */
cst_error cst_runner_flush(cst_runner *runner);
double    cst_runner_seconds(const cst_runner *runner, int class); /* spent on a class */

const cst_plan *cst_runner_plan(const cst_runner *r);
/* The current batch; NULL: none, or it is a replay. */
const cst_work *cst_runner_work(const cst_runner *r);
cst_position    cst_runner_position(const cst_runner *r);
/* The first lanes that are one step ahead and were not observed there yet. */
long cst_runner_ahead(const cst_runner *r);
/* Numbers per row; the first of them, cst_runner_state_numbers, are the state in the batch. */
long cst_runner_numbers(const cst_runner *r);
long cst_runner_state_numbers(const cst_runner *r);
/* Saves the row of a lane: its state in the batch (and in that of half the step), accumulators, errors,
 * windows and samples. */
void cst_runner_save(const cst_runner *r, long lane, double *row);
#endif
