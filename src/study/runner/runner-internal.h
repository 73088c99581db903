/* runner-internal.h: what the files of the runner share, and collectors do not see. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_INTERNAL_H
#define CST_RUNNER_INTERNAL_H
#include "study/runner/runner.h"

typedef struct {
  int first, count;
} cst_span;

/* Measures the observables of the lanes. */
typedef struct {
  cst_measure **measure;    /* [nobservation] */
  cst_follow  **follow;     /* [nobservation]; NULL: by the observer's own along() */
  bool          one_by_one; /* states on the way are looked at one after another, in records */
  /* of states on the way: velocities [CST_TRAIL][nq][W]; times, values of an expression [CST_TRAIL][W] */
  double *speed, *times, *traced;
  int    *wanted, nwanted; /* observations that are measured */
  /* [nobservation] the component of the record where the block begins that an observer reads; -1: there is none */
  int      *block;
  cst_span *span; /* their quantities: sequences without a gap */
  int       nspan;
  double   *scale;   /* [quantity][W] */
  double   *scratch; /* workspace of expressions */
  double   *time;    /* [W] */
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

/* The runner's own. */
typedef struct cst_runner_own {
  cst_channels   *channels; /* of a rehearsal; else NULL: those of the output */
  cst_tallies    *tallies;
  cst_stepper   **stepper, **partner; /* [nmethod]; partner: half the step, for reference: self */
  cst_batch      *full, *half;        /* [nmethod] */
  double         *start;              /* one start */
  double         *lambda;             /* [ng][W]: of the group being read */
  cst_meter       meter;
  cst_slices      slices;
  cst_watch       watch;
  int             ncollection;
  cst_collection *collection; /* [ncollection] */
  long            next_fold;  /* next step that is observed */
  bool            timed;      /* the batch is being timed; nothing is observed */
  bool varies; /* the method changes the lengths of steps: lanes have times of their own */
} cst_runner_own;

/* runner.c: restores the batch, which has been started, from saved rows. */
cst_error cst_runner_resume(cst_runner *r, const cst_origin *from);
/* runner-advance.c: advances the batch to step `to`, in slices between which it polls; *stop: the run
 * stops. */
cst_error cst_runner_advance(cst_runner *r, long to, bool *stop);
/* Does everything that is due at the current step; context: the runner. */
cst_error cst_runner_observe(void *context);
/* Prepares the slice that begins here to be halted inside (watched), or not to be. */
void cst_runner_watch(cst_runner *r, bool watched);
/* Restores a lane from a row of cst_runner_save. */
void cst_runner_restore(cst_runner *r, long lane, const double *row);
#endif
