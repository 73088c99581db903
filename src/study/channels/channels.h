/* channels.h: all numbers that a study keeps of its cases and trajectories: what they are, where they stand in
 * the result file, and which of them checkpoints hold.
 *
 * A channel is declared by its owner, as a row, and exists if its owner added it (collector.h). The layout of
 * the file, the rows of a batch, what is written, compared, taken over and put into checkpoints, and the
 * estimates of memory and file size are loops over all channels. A channel is identified by its row and by
 * an index `which` within the row: a quantity, a part of the error, a case or a column.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHANNELS_H
#define CST_CHANNELS_H
#include "constella/record.h"
#include "constella/statistics.h"
#include "study/channels/columns.h"
#include "study/plan/plan.h"

/* Figures of an observable: its values at the start and at the end, the largest |x - x(0)|, the largest and
 * the mean scale. Of one that moves also the values at its extremes. */
enum {
  CST_SUMMARY_START,
  CST_SUMMARY_END,
  CST_SUMMARY_DRIFT,
  CST_SUMMARY_SCALE,
  CST_SUMMARY_SIZE,
  CST_SUMMARY_NUMBERS
};
enum { CST_VALUE_LEAST, CST_VALUE_LARGEST, CST_VALUES };
/* Parts of an error, and their names: total, q, p, lambda. */
enum { CST_ERROR_ALL, CST_ERROR_Q, CST_ERROR_P, CST_ERROR_LAMBDA, CST_ERRORS };
extern const char *const cst_channels_error_names[CST_ERRORS];

/* Counts that follow the bins of a histogram: samples below and above all bins, and not a number. */
enum { CST_BELOW, CST_ABOVE, CST_NO_NUMBER, CST_OUTSIDE };
/* Sums that follow the weights of the bins: of the weights of all samples that are numbers, and of their
 * squares. */
enum { CST_WEIGHT, CST_WEIGHT_SQUARE, CST_WEIGHED };

/* Axes that channels share. CST_AXIS_OWN, CST_AXIS_ALSO: those that the owner adds (cst_channels_axis). */
enum {
  CST_AXIS_NONE,
  CST_AXIS_CASE,
  CST_AXIS_MEMBER,
  CST_AXIS_COORDINATE,
  CST_AXIS_MULTIPLIER,
  CST_AXIS_SUMMARY,
  CST_AXIS_SAMPLE,
  CST_AXIS_WINDOW,
  CST_AXIS_PARAMETER,
  CST_AXIS_WORD,
  CST_AXIS_CHOSEN,
  CST_AXIS_BLOCK,
  CST_AXIS_OUTSIDE,
  CST_AXES,
  CST_AXIS_OWN = CST_AXES,
  CST_AXIS_ALSO
};

/* What a channel is, as bits. Rows, of a trajectory, have the axes case and member first. */
enum {
  CST_IS_WRITTEN = 1,  /* a dataset of the result */
  CST_IS_KEPT = 2,     /* checkpoints hold it of unfinished trajectories */
  CST_IS_IN_LANES = 4, /* the lanes of a group are interleaved */
  CST_IS_OF_TRAJECTORY = 8,
  CST_IS_OF_STATES = 16, /* of the stored states of a case */
  CST_IS_LAST = 32,      /* written after all else that tells whether it is complete */
  CST_IS_JOINED = 64,    /* a trajectory that was continued from an earlier end has other bits */
  CST_IS_OF_ONE = 128, /* samples of a case; if it has one member, a larger study takes them over */
  CST_IS_SUMMED = 256, /* samples of a case that a larger study adds to */
  CST_IS_WIDER = 512,  /* rows of a longer run have another width */
  CST_IS_ROW = CST_IS_WRITTEN | CST_IS_OF_TRAJECTORY
};

/* The largest number that a channel may hold: any of its type; the last reason of a failure; the steps of the
 * case; the members; as its owner's function says. */
typedef enum {
  CST_MOST_OF_TYPE,
  CST_MOST_REASONS,
  CST_MOST_STEPS,
  CST_MOST_MEMBERS,
  CST_MOST_OF_OWNER
} cst_channel_most;

typedef struct {
  bool             checked; /* else it may hold any numbers */
  double           least;
  cst_channel_most most;
  bool             whole;
  bool             gaps; /* NaN stands for a number that there is not */
  double (*largest)(const cst_plan *p, int icase, int which); /* with CST_MOST_OF_OWNER */
} cst_channel_range;

/* path: in the result file, or a name if it is not written; %s and %d stand for the name or the case. unit,
 * doc: NULL takes those of the declaration. */
typedef struct cst_channel_row {
  const char       *path, *unit, *doc;
  cst_type          type;
  unsigned          is;
  int               axis[CST_FIELD_DIMS + 1]; /* up to CST_AXIS_NONE */
  cst_channel_range range;
} cst_channel_row;

/* What a declaration adds to the row. */
typedef struct {
  const char *path; /* instead of that of the row */
  const char *name;
  int         icase;
  const char *unit, *doc;
  size_t      count;      /* numbers per trajectory; 0: as the axes say */
  int         axis, also; /* its own, by cst_channels_axis */
  unsigned    is;         /* more bits than those of the row */
  bool        text;       /* texts instead of numbers */
} cst_channel_use;

typedef struct {
  const cst_channel_row      *row;
  const struct cst_collector *owner; /* NULL: every study has it */
  int                         which;
  int                         icase; /* of stored states */
  cst_field                   field; /* description in the file */
  int                         place; /* index of the field among those written; -1: not written */
  bool                        kept;  /* stored in checkpoints of unfinished trajectories */
  bool                        in_lanes; /* the lanes of a group are interleaved */
  size_t                      count; /* numbers per trajectory; 0: not a channel of trajectories */
} cst_channel;

/* The channels of one row, which follow one another. */
typedef struct {
  const cst_channel_row *row;
  int                    first, n;
} cst_channel_block;

typedef struct cst_channels {
  const cst_plan             *plan;
  const cst_columns          *columns; /* NULL: without the statistics */
  const struct cst_collector *owner;   /* who is declaring */
  int                         ndim, n, nfield, nblock, most_dims, room;
  cst_dimension              *dim;
  int                         shared[CST_AXES]; /* index of the shared axes */
  cst_channel                *channel;
  cst_field                  *field; /* [nfield] of the channels that are written */
  cst_channel_block          *block;
  cst_record_rows             own; /* the trajectories of the plan's part */
} cst_channels;

/* Makes the channels of a plan. columns == NULL: without the statistics. Borrows both. */
cst_channels *cst_channels_create(const cst_plan *p, const cst_columns *columns);
void          cst_channels_destroy(cst_channels *c);

/* For owners: adds a channel. Those of a row are added one after the other, `which` ascending. */
void cst_channels_add(cst_channels *c, const cst_channel_row *row, int which, cst_channel_use use);
/* Adds an axis; the one of that name if there is one. */
int cst_channels_axis(cst_channels *c, const char *doc, long size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Names the entries of an axis, label[size], borrowed. */
void cst_channels_label(cst_channels *c, int axis, const char *const *label);

/* NULL: the study has no such channel. */
const cst_channel *cst_channels_find(const cst_channels *c, const cst_channel_row *row, int which);
/* The path that a channel of a case has for case icase. */
void   cst_channel_path_of(const cst_channel *c, int icase, char *path, size_t n);
size_t cst_channel_bytes(const cst_channel *c); /* per trajectory */
/* True if the channel holds stored states of this case. */
bool cst_channel_is_of_track(const cst_channel *c, int icase);

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
/* cst_rows_at of a channel of doubles, by its row and index. */
double *cst_rows_numbers(const cst_rows *r, const cst_channel_row *row, int which, long lane);
/* Doubles per lane that checkpoints hold: their number; copied to a row, and back. */
size_t cst_rows_kept(const cst_rows *r);
void   cst_rows_save(const cst_rows *r, long lane, double *row);
void   cst_rows_restore(const cst_rows *r, long lane, const double *row);

/* The rows that are read by others than their owners. Of every study (channels.c): */
extern const cst_channel_row cst_channel_rows_until, cst_channel_step, cst_channel_steps_taken,
    cst_channel_tolerance, cst_channel_representative, cst_channel_parameters, cst_channel_q,
    cst_channel_p, cst_channel_lambda, cst_channel_status, cst_channel_steps,
    cst_channel_iterations, cst_channel_evaluations, cst_channel_statistic, cst_channel_rate,
    cst_channel_cpu, cst_channel_cpu_most, cst_channel_checkpoint, cst_channel_work_done;
/* ... of collectors (src/study/collect): */
extern const cst_channel_row cst_channel_error, cst_channel_summary, cst_channel_windows,
    cst_channel_window_range, cst_channel_terms, cst_channel_accumulators, cst_channel_observer,
    cst_channel_continue, cst_channel_passed_singular, cst_channel_values;
#endif
