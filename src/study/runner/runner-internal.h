/* runner-internal.h: the object that steps batches, shared by the files of the runner. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_INTERNAL_H
#define CST_RUNNER_INTERNAL_H
#include <limits.h>
#include "study/collector.h"
#include "study/runner/runner.h"

typedef struct {
  int first, count;
} cst_span;

/* Measures the observables of the lanes. */
typedef struct {
  const cst_fold *fold;
  cst_measure   **measure;    /* [nobservation] */
  cst_follow    **follow;     /* [nobservation]; NULL: by the observer's own along() */
  bool            one_by_one; /* states on the way are looked at one after another, in records */
  /* of states on the way: velocities [CST_TRAIL][nq][W]; times, values of an expression [CST_TRAIL][W] */
  double *speed, *times, *traced;
  int    *wanted, nwanted; /* observations that are measured */
  /* [nobservation] the component of the record where the block begins that an observer reads; -1: there is none */
  int      *block;
  cst_span *span; /* their quantities: sequences without a gap */
  int       nspan;
  double   *value, *scale; /* [quantity][W] */
  double   *scratch;       /* workspace of expressions */
  double   *time;          /* [W] */
  /* into the rows, from lane 0 on; kept[nobservation], NULL: the observer keeps nothing; else its numbers of a group */
  double *accumulators, **kept;
  size_t *keeps;
} cst_meter;

/* fold: the next step after `from` that is observed; -2: not known. */
typedef struct {
  long from, fold;
} cst_next_fold;

/* Collectors that look at every step. */
typedef struct {
  bool          on;
  bool          speeds, momenta, clock; /* they read velocities; momenta; times */
  bool          ended;                  /* lanes have ended since the last stop */
  double       *speed, *times;          /* as in the meter */
  cst_next_fold planned;                /* where the march of a group is planned */
  cst_next_fold met, passed;            /* before and behind the trail that is looked at */
} cst_watch;

/* The time that a rank steps without entering MPI. */
typedef struct {
  cst_poll *poll;
  void     *poll_context;
  cst_halt *halt, *pause; /* called with poll_context; NULL: none */
  double   *seconds;      /* [nclass] */
  long      slice_end;    /* next step at which MPI is entered */
  long      slice;        /* steps of the last slice, in a batch of this class: */
  int       slice_class;
  /* state of the batch when its slice began, so that the slice may be halted inside: */
  bool         watched;
  double      *kept_rows; /* [count][numbers] */
  size_t       kept_room;
  cst_position kept_at;
} cst_slices;

struct cst_runner {
  const cst_plan *plan;
  long            batch; /* maximal number of lanes */
  cst_reference  *reference;
  cst_output     *output;   /* NULL: in a rehearsal */
  cst_channels   *channels; /* of a rehearsal; else NULL: those of the output */
  cst_tallies    *tallies;
  int             width;
  cst_stepper   **stepper, **partner; /* [nmethod]; partner: half the step, for reference: self */
  cst_batch      *full, *half;        /* [nmethod] */
  double         *q0, *v0;            /* [group][nq][W] */
  double         *start;              /* one start */
  double         *lambda;             /* [ng][W]: of the group being read */
  cst_rows       *rows;
  cst_meter       meter;
  cst_slices      slices;
  cst_watch       watch;
  int             ncollection;
  cst_collection *collection; /* [ncollection] */
  cst_chosen      chosen;
  /* the current batch */
  const cst_work *work; /* NULL: none */
  const cst_class *class;
  cst_stepper *st, *hst;
  cst_batch   *b, *hb;
  long         next_fold; /* next step that is observed */
  bool         timed;     /* the batch is being timed; nothing is observed */
  /* [count of the work] members of its case that are replayed to store their states; NULL: not a replay */
  const long *replayed;
};

const cst_case *cst_runner_case(const cst_runner *r, long lane);
long            cst_runner_member(const cst_runner *r, long lane);
double         *cst_runner_record(const cst_runner *r, int group);
void cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step,
                       double *lambda);
/* Those that follow from the state, of every method. */
void cst_runner_state_lambda(const cst_runner *r, const cst_stepper *st, const double *record,
                             double *lambda);

/* Data of a group: accumulators [quantity][slot][W], and numbers that an observer keeps, [cst_observer_kept][W]
 * (NULL: none). */
double *cst_runner_accumulators(const cst_runner *r, int group);
double *cst_runner_observer(const cst_runner *r, int look, int group);

/* Updates the accumulators of all quantities at the current step. */
void cst_runner_fold(cst_runner *r);
/* The next step after this one that is observed; quick where the steps that are asked for follow one another. */
long cst_runner_next_fold(const cst_runner *r, cst_next_fold *known, long step);
/* The same for one group at states on its way, without the counts that all groups share. */
void cst_runner_fold_group(cst_runner *r, int group, const cst_trail *way);
/* At a stop: all groups at the current step, for those who look at every step. */
void cst_runner_watch_all(cst_runner *r);
/* Ends a lane behind `step` steps: column k * width is its state there. */
void cst_runner_end_lane(cst_runner *r, int group, int lane, cst_reason reason, long step,
                         const double *column);
/* The next step after `now` that is `lead` after a multiple of `every`; 0 <= lead <= every. */
long cst_runner_next_multiple(long now, long every, long lead);
/* Values of all quantities of a group at the current step, written to r->value. Returns the view that
 * observers had. */
cst_view cst_runner_measure(cst_runner *r, int group, cst_keep keep);
/* The exact sums of the collector (its row's tally) for the case of a lane; NULL for one that pads the batch, and
 * in a replay, where all has been added. What a lane added before it failed stays. */
cst_cell *cst_runner_cells(const cst_collection *x, long lane);
/* When a batch begins: finds the blocks that observers read. */
void cst_runner_find_blocks(cst_runner *r);
bool cst_runner_lives(const cst_runner *r, const cst_batch *b, long lane);
bool cst_runner_group_lives(const cst_runner *r, int group, int lane);
bool cst_runner_halted(const cst_runner *r); /* the current or the last advance was halted */
/* runner.c: restores the batch, which has been started, from saved rows. */
cst_error cst_runner_resume(cst_runner *r, const cst_origin *from);
/* runner-advance.c: advances the batch to step `to`, in slices between which it polls; *stop: the run
 * stops. */
cst_error cst_runner_advance(cst_runner *r, long to, bool *stop);
/* Does everything that is due at the current step; context: the runner. */
cst_error cst_runner_observe(void *context);
/* Prepares the slice that begins here to be halted inside (watched), or not to be. */
void cst_runner_watch(cst_runner *r, bool watched);
/* Makes the steppers of the batch compute multipliers at the steps at which they are read. */
void cst_runner_read_at_stops(cst_runner *r);
/* Restores a lane from a row of cst_runner_save. */
void cst_runner_restore(cst_runner *r, long lane, const double *row);
#endif
