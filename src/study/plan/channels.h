/* channels.h: all numbers that a study keeps of its cases and trajectories, in one table: what they are,
 * where they stand in the result file, and which of them checkpoints hold.
 *
 * The layout of the file, the rows of a batch, what is written, compared, taken over and put into
 * checkpoints, and the estimates of memory and file size all use this table. A channel is identified by its
 * kind and by an index `which` within the kind: a quantity, a part of the error, a case or a column.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHANNELS_H
#define CST_CHANNELS_H
#include "constella/record.h"
#include "constella/statistics.h"
#include "study/result/columns.h"
#include "study/plan/plan.h"

/* Figures of an observable: its values at the start and at the end, the largest |x - x(0)|, the largest and
 * the mean scale. */
enum {
  CST_FIGURE_START,
  CST_FIGURE_END,
  CST_FIGURE_DRIFT,
  CST_FIGURE_SCALE,
  CST_FIGURE_SIZE,
  CST_FIGURES
};
/* Parts of an error, and their names: total, q, p, lambda. */
enum { CST_ERROR_ALL, CST_ERROR_Q, CST_ERROR_P, CST_ERROR_LAMBDA, CST_ERRORS };
extern const char *const cst_channels_error_names[CST_ERRORS];

/* Counts that follow the bins of a histogram: samples below and above all bins, and not a number. */
enum { CST_BELOW, CST_ABOVE, CST_NO_NUMBER, CST_OUTSIDE };
/* Sums that follow the weights of the bins: of the weights of all samples that are numbers, and of their
 * squares. */
enum { CST_WEIGHT, CST_WEIGHT_SQUARE, CST_WEIGHED };

typedef enum {
  CST_CHANNEL_ROWS_UNTIL, /* before all rows in the file: who copies it meanwhile reads it before them */
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
  CST_CHANNEL_STATUS, /* written last: a row with a status is complete */
  CST_CHANNEL_STEPS,
  CST_CHANNEL_ITERATIONS,
  CST_CHANNEL_EVALUATIONS,
  CST_CHANNEL_ERROR,        /* of CST_ERROR_... */
  CST_CHANNEL_FIGURES,      /* of a quantity */
  CST_CHANNEL_WINDOWS,      /* of a quantity whose windows are kept */
  CST_CHANNEL_ACCUMULATORS, /* [nquantity][CST_SLOTS] */
  CST_CHANNEL_OBSERVER,     /* what an observer keeps */
  CST_CHANNEL_SAMPLES,      /* [nquantity][most_samples], in studies of one member */
  /* of an averaged quantity: means of x - x(0) over equal parts of the run after the burn-in */
  CST_CHANNEL_AVERAGES,
  CST_CHANNEL_SQUARES, /* mean of (x - x(0))^2 over the run after the burn-in */
  /* if samples are weighted: their mean weight over each part, and mean squared weight over the run */
  CST_CHANNEL_AVERAGE_WEIGHTS,
  CST_CHANNEL_AVERAGE_SQUARES,
  CST_CHANNEL_COUNTS,  /* of a histogram: [blocks][bins + CST_OUTSIDE] */
  CST_CHANNEL_WEIGHTS, /* of a weighted histogram: [blocks][bins + CST_WEIGHED] */
  CST_CHANNEL_CONTINUE, /* of an extensible study: the state from which a longer run continues (longer.h) */
  CST_CHANNEL_JOINED, /* of a case of an extensible study: so many members were continued from an earlier end */
  /* of the histograms of a case */
  CST_CHANNEL_HISTOGRAM, /* of a histogram, as are the next four */
  CST_CHANNEL_EDGES,
  CST_CHANNEL_OUTSIDE,
  CST_CHANNEL_DENSITY,
  CST_CHANNEL_DENSITY_ERROR,
  /* of the samples of a case */
  CST_CHANNEL_SAMPLE_TIME,
  CST_CHANNEL_SERIES_MAX, /* of a quantity, as are the next three */
  CST_CHANNEL_SERIES_RMS,
  CST_CHANNEL_SERIES_SUM, /* if there are several members */
  CST_CHANNEL_SERIES_COUNT,
  /* of the stored states of a case */
  CST_CHANNEL_STATE_TIME,
  CST_CHANNEL_STATE_Q,
  CST_CHANNEL_STATE_P,
  CST_CHANNEL_STATE_LAMBDA,
  CST_CHANNEL_STATE_V,
  CST_CHANNEL_STATE_QUANTITY, /* which = case * nstored + index of the stored quantity */
  /* written last: if members are chosen at the end of the run, states with a member are complete */
  CST_CHANNEL_STATE_MEMBER,
  /* of the study */
  CST_CHANNEL_STATISTIC, /* a column */
  CST_CHANNEL_RATE,
  CST_CHANNEL_CPU, /* if cases are timed: smallest and largest of the repeats */
  CST_CHANNEL_CPU_MOST,
  CST_CHANNEL_WORK_DONE,
  CST_CHANNEL_CHECKPOINT,
  CST_CHANNELS
} cst_channel_kind;

typedef struct {
  cst_channel_kind kind;
  int              which;
  cst_field        field;    /* description in the file */
  int              place;    /* index of the field among those written; -1: not written */
  bool             kept;     /* stored in checkpoints of unfinished trajectories */
  bool             in_lanes; /* the lanes of a group are interleaved */
  size_t           count;    /* numbers per trajectory; 0: not a channel of trajectories */
} cst_channel;

typedef struct {
  const cst_plan *plan;
  int             ndim, n, nfield;
  cst_dimension  *dim;
  cst_channel    *channel;
  cst_field      *field; /* [nfield] of the channels that are written */
  /* index of the first channel of each kind; channels of one kind are ordered by `which` */
  int first[CST_CHANNELS];
} cst_channels;

/* Makes the channels of a plan. columns == NULL: without the statistics. Borrows both. */
cst_channels *cst_channels_create(const cst_plan *p, const cst_columns *columns);
void          cst_channels_destroy(cst_channels *c);
/* NULL: the study has no such channel. */
const cst_channel *cst_channels_find(const cst_channels *c, cst_channel_kind kind, int which);
/* The path of a kind that has a single channel. */
const char *cst_channel_path(cst_channel_kind kind);
/* The path that a channel of a case has for case icase. */
void   cst_channel_path_of(const cst_channel *c, int icase, char *path, size_t n);
size_t cst_channel_bytes(const cst_channel *c); /* per trajectory */
/* True if the channel holds stored states of this case. */
bool cst_channel_is_of_track(const cst_plan *p, const cst_channel *c, int icase);

/* Rows of a batch of trajectories: one array per channel. */
typedef struct {
  const cst_channels *channels;
  int                 width;
  void              **data; /* [channels->n] NULL: not a channel of trajectories */
} cst_rows;

/* batch: maximal number of lanes; width: lanes per group. */
cst_rows *cst_rows_create(const cst_channels *c, long batch, int width);
void      cst_rows_destroy(cst_rows *r);
/* The numbers of a lane, [count], with stride cst_rows_stride; NULL: the study has no such channel. */
void *cst_rows_at(const cst_rows *r, const cst_channel *c, long lane);
/* Copies the numbers of n lanes into x[n][count]. */
void cst_rows_gather(const cst_rows *r, const cst_channel *c, long lane, long n, double *x);
/* cst_rows_at of a channel of doubles, by its kind and index. */
double *cst_rows_numbers(const cst_rows *r, cst_channel_kind kind, int which, long lane);
/* Doubles per lane that checkpoints hold: their number; copied to a row, and back. */
size_t cst_rows_kept(const cst_rows *r);
void   cst_rows_save(const cst_rows *r, long lane, double *row);
void   cst_rows_restore(const cst_rows *r, long lane, const double *row);
#endif
