/* runner.h: steps batches of trajectories, from their start or from saved rows, and observes them: what collectors see of
 * it and do with it, and what drives it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_H
#define CST_RUNNER_H
#include <limits.h>
#include "study/plan/clock.h"
#include "study/rows/collector.h"
#include "study/reference/reference.h"
#include "study/result/output.h"
#include "study/result/tallies.h"

/* ---- what collectors see --------------------------------------------------------------------- */

/* What collectors read; the rest, `own`, is the runner's. Arrays of a group are [components][W]. */
struct cst_runner {
  const cst_plan *plan;
  long            batch; /* maximal number of lanes */
  int             width; /* W */
  const cst_fold *fold;
  cst_reference  *reference; /* NULL: none */
  cst_output     *output;    /* NULL: in a rehearsal */
  cst_rows       *rows;
  cst_chosen      chosen;
  double         *q0, *v0; /* [group][nq][W] at the start */
  double         *value;   /* [quantity][W]: what cst_runner_measure has measured last */
  /* the current batch */
  const cst_work *work; /* NULL: none */
  const cst_class *class;
  cst_stepper *st, *hst; /* hst: half the step, for reference: self; NULL: none */
  cst_batch   *b, *hb;
  /* [count of the work] members of its case that are replayed to store their states; NULL: not a replay */
  const long            *replayed;
  struct cst_runner_own *own;
};

const cst_case *cst_runner_case(const cst_runner *r, long lane);
long            cst_runner_member(const cst_runner *r, long lane);
double         *cst_runner_record(const cst_runner *r, int group);
/* The time of the current batch after `step` steps, which may be a fraction of a step, and the length of its steps: of
 * methods with equal steps, on which who asks relies (CST_NEEDS_EQUAL_STEPS). */
static inline double cst_clock_at(const cst_runner *r, double step) {
  return cst_clock_of(&r->plan->cases[r->class->cases[0]], step);
}
static inline double cst_clock_step(const cst_runner *r) { return r->class->h; }
/* The time of each lane of a group at the current step, time[W]; and of a lane of the batch after `step` steps, by the
 * length of its step now: of every method. */
void   cst_clock_lanes(const cst_runner *r, int group, double *time);
double cst_clock_lane(const cst_runner *r, long lane, double step);
bool   cst_runner_halted(const cst_runner *r); /* the current or the last advance was halted */
/* Whether the batch is observed at its step, and has not been yet. */
bool cst_runner_observes(const cst_runner *r);
/* Whether a lane has not failed: of a batch as wide as the runner's, and of a group of the current one. */
static inline bool cst_runner_lives(const cst_runner *r, const cst_batch *b, long lane) {
  return b->alive[lane / r->width] >> lane % r->width & 1;
}
static inline bool cst_runner_group_lives(const cst_runner *r, int group, int lane) {
  return r->b->alive[group] >> lane & 1;
}
/* The next step after `now` that is `lead` after a multiple of `every`; 0 <= lead <= every. */
static inline long cst_runner_next_multiple(long now, long every, long lead) {
  return every > 0 ? (now - lead + every) / every * every + lead : LONG_MAX;
}

/* Multipliers of a record, [ng][W]: of the last step, if the method has its own, or those that follow from the state;
 * the second, those of every method. */
void cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step,
                       double *lambda);
void cst_runner_state_lambda(const cst_runner *r, const cst_stepper *st, const double *record,
                             double *lambda);
/* A group at the current step. v, lambda: whether velocities, and multipliers, are there; they last until the
 * next call. */
cst_view cst_runner_see(const cst_runner *r, int group, bool v, bool lambda);
/* Values of all quantities of a group at the current step, written to r->value. Returns the view that
 * observers had. */
cst_view cst_runner_measure(const cst_runner *r, int group, cst_keep keep);

/* The accumulators of a group, [quantity][slot][W]. What has been measured goes into them, at the current step; or
 * several states, which are measured for it. */
double *cst_runner_accumulators(const cst_runner *r, int group);
void    cst_runner_accumulate(const cst_runner *r, int group);
void    cst_runner_accumulate_along(const cst_runner *r, int group, const cst_view *view,
                                    const cst_states *states);
/* What observers keep becomes 0. */
void cst_runner_clear_kept(const cst_runner *r);

/* A collector that looks at every step reads velocities, momenta, times, besides coordinates. */
void cst_runner_watches(const cst_runner *r, bool speeds, bool momenta, bool times);
/* Ends a lane behind `step` steps: column k * width is its state there. */
void cst_runner_end_lane(const cst_runner *r, int group, int lane, cst_reason reason, long step,
                         const double *column);
/* Lanes go on from here with other parameters: tells all collectors. */
void cst_runner_changed(const cst_runner *r);
/* What the collector of this number has as its own; NULL: it is not in this study. */
const void *cst_runner_collected(const cst_runner *r, int collector);
/* The exact sums of the collector (its row's tally) for the case of a lane; NULL for one that pads the batch, and
 * in a replay, where all has been added. What a lane added before it failed stays. */
cst_cell *cst_runner_cells(const cst_collection *x, long lane);

/* Numbers per row; the first of them, cst_runner_state_numbers, are the state in the batch. */
long cst_runner_numbers(const cst_runner *r);
long cst_runner_state_numbers(const cst_runner *r);
/* Saves the row of a lane: its state in the batch (and in that of half the step), accumulators, errors,
 * windows and samples. */
void cst_runner_save(const cst_runner *r, long lane, double *row);

/* ---- what drives it -------------------------------------------------------------------------- */

/* The state from which a batch continues: its position, and a row for each of its lanes. */
typedef struct {
  cst_position  at;
  long          numbers; /* per row */
  const double *row;     /* [count of the work][numbers] */
  bool          opens;   /* nothing has been observed at this step yet */
} cst_origin;

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

/* The current batch; NULL: none, or it is a replay. */
const cst_work *cst_runner_work(const cst_runner *r);
cst_position    cst_runner_position(const cst_runner *r);
/* The first lanes that are one step ahead and were not observed there yet. */
long cst_runner_ahead(const cst_runner *r);
#endif
