/* runner-internal.h: the object that steps batches, shared by the files of the runner. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUNNER_INTERNAL_H
#define CST_RUNNER_INTERNAL_H
#include <limits.h>
#include "study/runner.h"
#include "study/tracks.h"

struct cst_runner {
  const cst_plan *plan;
  long            batch; /* lanes, at most */
  cst_reference  *reference;
  cst_output     *output;
  cst_series     *series;
  cst_poll       *poll;
  void           *poll_context;
  cst_halt       *halt, *pause; /* of the same context; NULL: none */
  const cst_fold *fold;
  int             width;
  cst_stepper   **stepper, **partner; /* [nmethod]; partner: of half the step, for reference: self */
  cst_batch      *full, *half;        /* [nmethod] */
  double         *seconds;            /* [nclass] */
  double         *q0, *v0;            /* [group][nq][W] */
  cst_measure   **measure;            /* [nlook] */
  double         *value, *scale;      /* [quantity][W] */
  double         *bins, *top, *count; /* [quantity][CST_BINS][W], [quantity][W], [quantity][W] */
  double         *scratch;            /* of expressions */
  double         *time;               /* [W] */
  bool            unwanted;           /* values of what is not wanted are told: they never change */
  double         *half_lambda;        /* [group][ng][W]: the partner's multipliers one of its steps ago */
  double         *lambda, *last;      /* [ng][W]: of a group being read; the partner's */
  double         *state; /* room for the states of two lanes being read and one start: see runner-read.c */
  cst_rows       *rows;
  size_t          row; /* numbers of a row that a longer run goes on from; 0: there is none */
  double         *accumulators,
      **kept;                 /* of the rows, from lane 0 on; kept[nlook], NULL: a look that keeps nothing */
  double  *error[CST_ERRORS]; /* [lane] of the rows; NULL without a reference */
  double **average, **square; /* [nquantity] of the rows, from lane 0 on; NULL: it is not averaged */
  double  *average_weight, *weight_square; /* the same; NULL: samples of averages have no weights */
  double **counts, **weights;              /* [nhistogram] the same; NULL: samples have no weights */
  double  *inside;                         /* [values of the largest histogram][W] */
  /* the batch at work */
  const cst_work  *work; /* NULL: there is none */
  const cst_class *cohort;
  cst_stepper     *st, *hst;
  cst_batch       *b, *hb;
  int              window;
  long             in_window, folds; /* in the open window, and in all */
  int              next_sample;
  long             next_fold; /* the step at which everything is folded next */
  long             slice_end; /* the step at which MPI is entered next */
  bool             timed;     /* nothing is looked at */
  cst_chosen       chosen;
  cst_tracks       tracks;
  const long *replayed; /* [count of the work] the members of its case that are stepped once more for their
                           states; NULL: it is no replay */
  bool
      watched; /* what the batch held when its slice began is kept, so that it may be halted in the middle: */
  double      *kept_rows; /* [count][numbers] */
  size_t       kept_room;
  cst_position kept_at;
};

const cst_case *cst_runner_case(const cst_runner *r, long lane);
long            cst_runner_member(const cst_runner *r, long lane);
double         *cst_runner_record(const cst_runner *r, int group);
void            cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step,
                                  double *lambda);

/* Of a group: slots [quantity][slot][W], and what a look keeps, [row->kept][W]; NULL: nothing. */
double *cst_runner_accumulators(const cst_runner *r, int group);
double *cst_runner_observer(const cst_runner *r, int look, int group);

/* Fold every quantity at the current step. */
void cst_runner_fold(cst_runner *r);
/* runner-collect.c: what averages and histograms take of a group that was just measured; at the end sums
 * become means; nothing was seen yet. */
void cst_runner_collect(cst_runner *r, int group, const cst_view *view);
void cst_runner_finish_averages(cst_runner *r);
void cst_runner_clear_collected(cst_runner *r);
void cst_runner_create_collected(cst_runner *r);
void cst_runner_destroy_collected(cst_runner *r);
/* Close the window that ends here: means of the living lanes, sums back to zero. */
void cst_runner_close_window(cst_runner *r);
/* Record the next sample of the series at the current step. */
void cst_runner_sample(cst_runner *r);
/* Errors of all lanes at the current step against the reference, of what the class reads there, into error
 * (the largest so far). */
PetscErrorCode cst_runner_read_errors(cst_runner *r);
/* keep.c: what is kept of the states of chosen members: find them in the batch at work, which has come to
 * this step; keep those of the current step. */
void           cst_keep_follow(cst_runner *r, long step, bool done);
PetscErrorCode cst_keep_states(cst_runner *r);
/* Values of all quantities of a group at the current step, into value, as observers have them at this step;
 * the view is theirs. */
cst_view cst_runner_measure(cst_runner *r, int group, cst_keep keep);
bool     cst_runner_lives(const cst_runner *r, const cst_batch *b, long lane);
/* Whether the row may be one of the class at work: how its trajectory stands, and since when, are numbers
 * that there are. */
bool cst_runner_fits(const cst_runner *r, const double *row);
bool cst_runner_halted(const cst_runner *r); /* the advance that is made, or was the last one */
/* runner-rows.c: all rows of the batch at work, which has ended, into the result. */
PetscErrorCode cst_runner_write_rows(cst_runner *r);
/* The row of a lane that a batch goes on from (cst_runner_save). */
void cst_runner_restore(cst_runner *r, long lane, const double *row);
#endif
