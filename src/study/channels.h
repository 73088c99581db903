/* channels.h: all numbers that a study keeps of its cases and trajectories, in one table: what they are,
 * where they stand in the result file, which of them checkpoints hold.
 *
 * The layout of the file, the rows of a batch, what is written, compared, taken over and put into
 * checkpoints, and the estimates of memory and file size all go through this table. A channel is named by its
 * kind and, where there are several of a kind, by which of them it is: a quantity, a part of the error, a
 * case, a column.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHANNELS_H
#define CST_CHANNELS_H
#include "constella/record.h"
#include "constella/statistics.h"
#include "study/columns.h"
#include "study/plan.h"

/* Of an observable: its values at the start and at the end, the largest |x - x(0)|, the largest and the mean
 * scale. */
enum { CST_FIGURE_START, CST_FIGURE_END, CST_FIGURE_DRIFT, CST_FIGURE_SCALE, CST_FIGURE_SIZE, CST_FIGURES };
/* Parts of an error, and their names: total, q, p, lambda. */
enum { CST_ERROR_ALL, CST_ERROR_Q, CST_ERROR_P, CST_ERROR_LAMBDA, CST_ERRORS };
extern const char *const cst_channels_error_names[CST_ERRORS];

/* What stands behind the bins of a histogram: samples below and above them, and those that are no number. */
enum { CST_BELOW, CST_ABOVE, CST_NO_NUMBER, CST_OUTSIDE };
/* What stands behind the weights in the bins: of all samples that are numbers the sum of the weights, and of
 * their squares. */
enum { CST_WEIGHT, CST_WEIGHT_SQUARE, CST_WEIGHED };

typedef enum {
  /* of a case */
  CST_CHANNEL_STEP,
  CST_CHANNEL_STEPS_TAKEN,
  CST_CHANNEL_TOLERANCE,
  CST_CHANNEL_REPRESENTATIVE,
  CST_CHANNEL_PARAMETERS,
  /* of a trajectory */
  CST_CHANNEL_Q,
  CST_CHANNEL_P,
  CST_CHANNEL_LAMBDA,
  CST_CHANNEL_STATUS, /* written last: a row with a status is whole */
  CST_CHANNEL_STEPS,
  CST_CHANNEL_ITERATIONS,
  CST_CHANNEL_EVALUATIONS,
  CST_CHANNEL_ERROR,        /* of CST_ERROR_... */
  CST_CHANNEL_FIGURES,      /* of a quantity */
  CST_CHANNEL_WINDOWS,      /* of a quantity whose windows are kept */
  CST_CHANNEL_ACCUMULATORS, /* [nquantity][CST_SLOTS] */
  CST_CHANNEL_OBSERVER,     /* of a look: what its observer keeps */
  CST_CHANNEL_SAMPLES,      /* [nquantity][most_samples], where there is one member */
  CST_CHANNEL_AVERAGES, /* of a quantity that is averaged: means of x - x(0) over the parts of the run behind
                           the burn-in */
  CST_CHANNEL_SQUARES,  /* the same of (x - x(0))^2 over all of it */
  CST_CHANNEL_AVERAGE_WEIGHTS, /* where samples of averages have weights: their means over these parts, and of
                                * their squares over all of it
                                */
  CST_CHANNEL_AVERAGE_SQUARES,
  CST_CHANNEL_COUNTS,   /* of a histogram: [blocks][bins + CST_OUTSIDE] */
  CST_CHANNEL_WEIGHTS,  /* of a histogram whose samples have weights: [blocks][bins + CST_WEIGHED] */
  CST_CHANNEL_CONTINUE, /* of an extensible study: the row that a longer run goes on from (longer.h) */
  /* of the histograms of a case */
  CST_CHANNEL_HISTOGRAM, /* of a histogram, as those that follow */
  CST_CHANNEL_EDGES,
  CST_CHANNEL_OUTSIDE,
  CST_CHANNEL_DENSITY,
  CST_CHANNEL_DENSITY_ERROR,
  /* of the samples of a case */
  CST_CHANNEL_SAMPLE_TIME,
  CST_CHANNEL_SERIES_MAX, /* of a quantity, as those that follow */
  CST_CHANNEL_SERIES_RMS,
  CST_CHANNEL_SERIES_SUM, /* where there are several members */
  CST_CHANNEL_SERIES_COUNT,
  /* of the stored states of a case */
  CST_CHANNEL_STATE_TIME,
  CST_CHANNEL_STATE_Q,
  CST_CHANNEL_STATE_P,
  CST_CHANNEL_STATE_LAMBDA,
  CST_CHANNEL_STATE_V,
  CST_CHANNEL_STATE_QUANTITY, /* of a case, and of what is stored besides: case * nstored + it */
  CST_CHANNEL_STATE_MEMBER, /* written last: states with a member are whole where members are chosen when all
                               has run */
  /* of the study */
  CST_CHANNEL_STATISTIC, /* a column */
  CST_CHANNEL_RATE,
  CST_CHANNEL_CPU, /* where cases are timed: the least of the repeats, and the largest */
  CST_CHANNEL_CPU_MOST,
  CST_CHANNEL_WORK_DONE,
  CST_CHANNELS
} cst_channel_kind;

typedef struct {
  cst_channel_kind kind;
  int              which;
  cst_field        field;    /* where it stands in the file */
  int              place;    /* of the field among those that are written; -1: it is not */
  bool             kept;     /* of an unfinished trajectory: stored in checkpoints */
  bool             in_lanes; /* the lanes of a group lie side by side */
  size_t           count;    /* numbers of a trajectory; 0: it is of something else */
} cst_channel;

typedef struct {
  const cst_plan *plan;
  int             ndim, n, nfield;
  cst_dimension  *dim;
  cst_channel    *channel;
  cst_field      *field;   /* [nfield] those of the channels that are written */
  int first[CST_CHANNELS]; /* the first channel of a kind; those of one kind stand in the order of `which` */
} cst_channels;

/* columns NULL: without the statistics. Borrows both. */
cst_channels *cst_channels_create(const cst_plan *p, const cst_columns *columns);
void          cst_channels_destroy(cst_channels *c);
/* NULL: the study has no such channel. */
const cst_channel *cst_channels_find(const cst_channels *c, cst_channel_kind kind, int which);
/* The path of a kind that a study has one of. */
const char *cst_channel_path(cst_channel_kind kind);
/* The path that a channel of a case has for another case. */
void   cst_channel_path_of(const cst_channel *c, int icase, char *path, size_t n);
size_t cst_channel_bytes(const cst_channel *c); /* of a trajectory */
/* Whether it is of the stored states of this case. */
bool cst_channel_is_of_track(const cst_plan *p, const cst_channel *c, int icase);

/* Rows of a batch of trajectories: for each channel of trajectories an array. */
typedef struct {
  const cst_channels *channels;
  int                 width;
  void              **data; /* [channels->n] NULL: of something else than trajectories */
} cst_rows;

/* batch: lanes at most; width: lanes of a group. */
cst_rows *cst_rows_create(const cst_channels *c, long batch, int width);
void      cst_rows_destroy(cst_rows *r);
/* The numbers of a lane, [count], which lie cst_rows_stride apart; NULL: the study has no such channel. */
void *cst_rows_at(const cst_rows *r, const cst_channel *c, long lane);
/* The numbers of n lanes, [n][count], side by side. */
void cst_rows_gather(const cst_rows *r, const cst_channel *c, long lane, long n, double *x);
/* cst_rows_at of a channel of doubles, by its name. */
double *cst_rows_numbers(const cst_rows *r, cst_channel_kind kind, int which, long lane);
/* Doubles of a lane that checkpoints hold, one behind the other: how many; out to a row, and in from one. */
size_t cst_rows_kept(const cst_rows *r);
void   cst_rows_save(const cst_rows *r, long lane, double *row);
void   cst_rows_restore(const cst_rows *r, long lane, const double *row);
#endif
