/* run.h: inside the room: a study being run: classes of cases, batches, events, what is kept for the result. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_H
#define CST_RUN_H
#include <mpi.h>
#include <petscsys.h>
#include "constella/record.h"
#include "constella/statistics.h"
#include "constella/study.h"
#include "method/stepper.h"
#include "observe/observe.h"
#include "study/bundle.h"
#include "study/compare.h"

/* ---- the plan ---------------------------------------------------------------------------------------------------------- */

/* Cases that step together: one method, one step, one number of steps; they differ in parameters, tolerance and start only. */
typedef struct {
  int    method;
  double h;
  long   n;
  int    ncase, *cases; /* indices of cases */
  long   lanes;         /* ncase * members; lane = position in cases * members + member */
  double cost;          /* of one step of one lane */
  long   observe;       /* fold once in every so many steps (cst_class_fold_after), at 0 and at n among them */
  long   read;          /* errors are taken at every multiple of this, n among them; 0: none */
  long   lead;          /* those of the multipliers so many steps after a multiple: 1 where they belong to a step's left end, and the mesh
                         * is the coarse one; else 0, and q, p and lambda are read together */
  int   nsample;
  long *sample; /* steps at which the series are recorded, ascending, first 0, last n */
} cst_class;

typedef struct {
  int    klass;
  long   first, count; /* lanes of the class */
  double cost;         /* of all its steps */
  int    piece;        /* -1: from the start; else the piece of an earlier run that it goes on from (past.h), ... */
  long   skip;         /* from its so many-th lane on */
} cst_work;

/* A named quantity per trajectory and time: built-in ones first, in the order of observe.h, then the user's. */
typedef struct {
  char        name[48];
  const char *unit, *doc;
  bool        drifts;  /* x - x(0) is what is told of it: energy, momenta, the user's; else x itself */
  bool        judged;  /* it gets a verdict */
  bool        windows; /* its means over windows are kept: of what is judged, and of the displacement */
  cst_tape   *tape;    /* NULL: built in */
} cst_quantity;

typedef struct {
  const cst_study *study;
  int              ncase;
  cst_case        *cases;
  int              nclass;
  cst_class       *classes;
  int             *class_of; /* [ncase] */
  int              nwork;
  cst_work        *work;       /* dear ones first */
  long             batch;      /* lanes a batch */
  double           cost, left; /* of the whole study, and of what is left of it */
  int              isa;
  int              nquantity, nbuiltin;
  cst_quantity    *quantity;
  unsigned         want;
  bool             needs_lambda; /* a user's expression reads multipliers */
  int              most_samples;
  cst_properties  *properties; /* [nmethod] */
} cst_plan;

/* Whether the errors of q and p, and those of the multipliers, are taken after `step` > 0 steps. */
bool cst_class_reads_states(const cst_class *k, long step);
bool cst_class_reads_lambda(const cst_class *k, long step);
/* The next step at which everything is folded, n at the latest, after such a step, and after any; the first one is 0. */
long cst_class_fold_next(const cst_class *k, long fold);
long cst_class_fold_after(const cst_class *k, long step);

/* batch: lanes a batch, 0 for the default. Fails with a message in d. */
cst_plan *cst_plan_create(const cst_study *s, int isa, int ranks, long batch, cst_diag *d);
void      cst_plan_destroy(cst_plan *p);
/* Where a lane stands when a run is taken up: nothing of it, its row, or its state in a piece. */
enum { CST_LANE_OPEN, CST_LANE_DONE, CST_LANE_MIDWAY };
typedef struct {
  int  klass;
  long first, count, step;
} cst_stretch;
/* The batches of what is left: pieces[n] first, then the lanes that are open. lane[nclass][lanes]; batch as above. */
void          cst_plan_take_up(cst_plan *p, int ranks, long batch, unsigned char *const *lane, const cst_stretch *pieces, int n);
const double *cst_plan_parameters(const cst_plan *p, int variant);
/* Bytes of memory of one rank, and of the result file; estimates for `check`. */
double cst_plan_memory(const cst_plan *p);
double cst_plan_file_size(const cst_plan *p);
double cst_plan_steps(const cst_plan *p); /* trajectory-steps of the whole study */

typedef struct cst_past cst_past; /* what an earlier run left (past.h) */

/* Asked between slices of work: work, of the plan's cost, was done since; *stop: stop here. */
typedef PetscErrorCode cst_poll(void *context, double work, bool *stop);

/* ---- reference ----------------------------------------------------------------------------------------------------------- */

/* Reference states by variant, time and member: computed once for a method, evaluated on the spot for an exact motion. Momenta are kinetic,
 * M v + a, whatever the method that computes them carries. */
typedef struct {
  const cst_plan  *plan;
  int             *ntime;  /* [nvariant] */
  double         **time;   /* [nvariant][ntime] ascending */
  long           **twice;  /* [nvariant][ntime]: steps of the method at twice its step since its last stop; -1: it does not stop here */
  double         **value;  /* [tables][ntime][members of the table][2 nq + ng] */
  double          *unused; /* [2 nq + ng] */
  unsigned char   *item;   /* [items] CST_ITEM_... */
  struct cst_item *at;     /* the one at work here; NULL: none */
} cst_reference;

typedef struct cst_item    cst_item;
typedef struct cst_columns cst_columns;
/* Tables: one a variant, of all members; then, in an order study, one a variant of the first members at twice the reference's step, which
 * tell the error of the reference itself. What an item is of: members first.. of a table. */
typedef struct {
  int  variant, table;
  long first, count;
} cst_reference_share;
int                 cst_reference_tables(const cst_reference *r);
long                cst_reference_members(const cst_reference *r, int table);
long                cst_reference_twice(const cst_study *s); /* how many the first members are; 0: there are no such tables */
cst_reference_share cst_reference_share_of(const cst_reference *r, long item);
/* The times at which cases of a variant are read against a method's states, ascending. Owned, free(). */
double *cst_reference_times(const cst_plan *p, int variant, int *count);
/* Row {q, p, lambda} of a member at the time of that index; those of the next members follow. */
double *cst_reference_cell(const cst_reference *r, int table, int time, long member);
/* Steps of an equal length that lead to a time from *from, where the table stopped last; -1: it does not stop there. */
long cst_reference_way(const cst_reference *r, int table, int time, double *from);
/* The stops of the method at twice its step among the n times of its own, as in `twice` above: equal steps, at least twice as long as its
 * own and at most a tenth longer, but for the last ones. false: none is so long. */
bool cst_reference_plan_twice(const cst_study *s, const double *time, int n, long *twice);
/* Fill the columns reference_error: the largest difference of the two, over their members and stops. */
void cst_reference_conclude(const cst_reference *r, cst_columns *c);
/* The values of an item at its first so many times, [times][count][row], out of the table or into it. */
void cst_reference_copy(const cst_reference *r, long item, int times, double *values, bool in);

/* A piece of the reference's work: to be computed, computed here, and told to rank 0, or known from an earlier run. */
enum { CST_ITEM_OPEN, CST_ITEM_DONE, CST_ITEM_TOLD };

cst_reference *cst_reference_create(const cst_plan *p);
void           cst_reference_destroy(cst_reference *r);
int            cst_reference_items(const cst_reference *r); /* pieces of work; 0 unless a method is the reference */
/* Items whose members have nothing left to be computed, lane[nclass][lanes], are done without work. */
void cst_reference_spare(cst_reference *r, unsigned char *const *lane);
/* An item, from its start or from where the past left it; *stop: the run stops in the middle of it. */
PetscErrorCode cst_reference_compute(cst_reference *r, int item, cst_past *past, cst_poll *poll, void *context, bool *stop);
/* A member of a variant alone, from its start: what its item has for it. */
PetscErrorCode cst_reference_compute_member(cst_reference *r, int variant, long member, cst_poll *poll, void *context, bool *stop);
/* Sections "reference": the items that were computed here and not told yet, or all that are known; and one of them taken in. */
void cst_reference_pack(cst_reference *r, bool all, cst_bundle *b);
bool cst_reference_take(cst_reference *r, const void *bytes, size_t size);
/* The item at work, if there is one, as a section "midway", which begins with its number. */
void           cst_reference_pack_midway(const cst_reference *r, cst_bundle *b);
PetscErrorCode cst_reference_gather(cst_reference *r, MPI_Comm comm); /* collective: all have the whole table */
/* Steps of the reference's method over a span > 0 between two times that are read: equal ones, not longer than its own. */
long cst_reference_steps(const cst_study *s, double span);
/* q[nq], p[nq] (kinetic) at time t and lambda[ng] at time tl; q, p NULL, or lambda NULL: not wanted. */
void cst_reference_get(const cst_reference *r, int variant, long member, const double *q0, const double *v0, double t, double tl, double *q,
                       double *p, double *lambda);

/* Before the run: a warning where the reference is hardly better than the finest run is likely to be, from their orders and steps. */
void cst_reference_warn(const cst_plan *p, cst_diag *d);
/* |x - y|, and the norm of two parts together. */
double cst_norm_apart(cst_norm kind, const double *x, const double *y, int n);
double cst_norm_join(cst_norm kind, double a, double b);

/* ---- the record ------------------------------------------------------------------------------------------------------------ */

enum { CST_FIGURE_START, CST_FIGURE_END, CST_FIGURE_DRIFT, CST_FIGURE_SCALE, CST_FIGURE_SIZE, CST_FIGURES };
enum { CST_ERROR_ALL, CST_ERROR_Q, CST_ERROR_P, CST_ERROR_LAMBDA, CST_ERRORS };

/* Rows of `count` trajectories (lanes of a batch), as the record keeps them; each array is [lane][components]. */
typedef struct {
  double      *q, *p, *lambda, *iterations, *evaluations;
  signed char *status;
  long        *steps;             /* good ones */
  double      *error[CST_ERRORS]; /* NULL without a reference */
  double     **figure;            /* [nquantity]: [lane][CST_FIGURES] */
  double     **window;            /* [nquantity]: [lane][CST_WINDOWS], NULL where not kept */
} cst_rows;

PetscErrorCode cst_rows_create(const cst_plan *p, cst_rows *r);
PetscErrorCode cst_rows_destroy(const cst_plan *p, cst_rows *r);

/* One column of the table: a value a case. */
typedef struct {
  char        name[64];
  char        unit[32];
  const char *doc;
  bool        text;
  bool        shown; /* in the default text table */
  double     *value; /* [ncase] */
  char (*label)[CST_TEXT_WIDTH];
} cst_column;

struct cst_columns {
  int         n, capacity;
  cst_column *column;
};

/* The columns of the study's kind, in their order, values NaN or empty. */
cst_columns *cst_columns_create(const cst_plan *p);
void         cst_columns_destroy(cst_columns *c);
double      *cst_columns_value(cst_columns *c, const char *name); /* NULL when there is none */
void         cst_columns_label(cst_columns *c, const char *name, int i, const char *text);

typedef struct cst_output cst_output;
/* Collective. A new file, or (anew false) that of an earlier run, opened again. */
PetscErrorCode cst_output_create(const cst_plan *p, const char *path, bool anew, cst_columns *columns, cst_output **output);
/* What is written is compared with what a result file has in its place; on one rank, and neither is changed. */
PetscErrorCode cst_output_compare(const cst_plan *p, cst_result *file, cst_comparison *comparison, cst_output **output);
PetscErrorCode cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r);
/* A row of the series of a case: x[most_samples] for quantity k; which: 0 max, 1 rms. */
PetscErrorCode cst_output_series(cst_output *o, int icase, int quantity, int which, const double *x);
/* Rows, states and series of single members of case `from` of a result of a smaller study become those of case `to`. */
PetscErrorCode cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from, int to);
/* What a series over members is made of: sum and number of members at each of most_samples samples. */
PetscErrorCode cst_output_sums(cst_output *o, int icase, int quantity, const cst_sum *sum, const long *number);
PetscErrorCode cst_output_times(cst_output *o, int icase, const double *t);
/* States of a chosen member: `count` rows from row `first` on, t[count], q[count][nq], p, lambda. */
PetscErrorCode cst_output_states(cst_output *o, int icase, int chosen, long first, long count, const double *t, const double *q,
                                 const double *p, const double *lambda);
PetscErrorCode cst_output_read(cst_output *o, const char *path, int icase, long components, double *x); /* a case's rows, all members */
PetscErrorCode cst_output_columns(cst_output *o, const cst_columns *c);
PetscErrorCode cst_output_rates(cst_output *o, const double *steps_per_second);
void           cst_output_note(cst_output *o, const char *group, const char *name, const char *text); /* collective; before the flush */
void           cst_output_text(cst_output *o, const char *group, const char *name, const char *text); /* collective; also replaced later */
void           cst_output_number(cst_output *o, const char *group, const char *name, double value);   /* collective; also replaced later */
void           cst_output_flush(cst_output *o);                                                       /* collective */
const char    *cst_output_sync(cst_output *o);                /* what this rank wrote is on disk: NULL, or why it is not */
PetscErrorCode cst_output_share(cst_output *o, double share); /* of the study that is done, for `status`; on one rank */
PetscErrorCode cst_output_close(cst_output **o, const char *state, bool *finished); /* collective */

/* ---- series over members ------------------------------------------------------------------------------------------------------ */

/* What a rank keeps of the sampled series, by case, sample and quantity: only for cases with more than one member. */
typedef struct {
  const cst_plan *plan;
  cst_sum       **sum; /* [ncase]: [sample][quantity] or NULL until the first batch of the case */
  double        **top;
  double        **count; /* [ncase]: [sample][quantity] members that live and have a number */
} cst_series;

cst_series *cst_series_create(const cst_plan *p);
void        cst_series_destroy(cst_series *s);
/* Add the exact bins, maxima and counts of some members of a case at one sample. */
void cst_series_add(cst_series *s, int icase, int sample, int width, const double *bins, const double *top, const double *count);
/* The same of one quantity, where sums are known. */
void cst_series_merge(cst_series *s, int icase, int sample, int quantity, const cst_sum *sum, double top, double count);
/* A section "series" a case that there is something of; the same, added to what there is (false: not of this study); and nothing. */
void           cst_series_pack(const cst_series *s, cst_bundle *b);
bool           cst_series_take(cst_series *s, const void *bytes, size_t size);
void           cst_series_clear(cst_series *s);
PetscErrorCode cst_series_finish(cst_series *s, MPI_Comm comm, cst_output *o); /* collective: reduce and write */

/* ---- running -------------------------------------------------------------------------------------------------------------------- */

/* Words that all ranks read and change: the next piece of work; pieces that are finished; work done, in billionths of the whole; what was
 * ordered of all (keeper.c); how the run ends; the signal that some rank got; the longest slice of any rank, in
 * milliseconds. */
typedef enum {
  CST_NOTICE_NEXT,
  CST_NOTICE_FINISHED,
  CST_NOTICE_WORK,
  CST_NOTICE_ORDER,
  CST_NOTICE_END,
  CST_NOTICE_SIGNAL,
  CST_NOTICE_SLOWEST,
  CST_NOTICES
} cst_notice;

typedef struct cst_coordinator cst_coordinator;
/* Collective. total: cost of the whole study; before: what an earlier run did of it. */
PetscErrorCode cst_coordinator_create(MPI_Comm comm, const char *progress, double total, double before, cst_coordinator **c);
PetscErrorCode cst_coordinator_destroy(cst_coordinator **c);                          /* collective */
long           cst_coordinator_add(cst_coordinator *c, cst_notice which, long value); /* the word as it was before */
void           cst_coordinator_put(cst_coordinator *c, cst_notice which, long value);
void           cst_coordinator_raise(cst_coordinator *c, cst_notice which, long value); /* to this, where it is less */
void           cst_coordinator_get(cst_coordinator *c, long words[CST_NOTICES]);
double         cst_coordinator_share(cst_coordinator *c);                         /* of the study that is done, 0 to 1 */
void           cst_coordinator_done(cst_coordinator *c, double work);             /* count work of this rank */
void           cst_coordinator_tell(cst_coordinator *c, long words[CST_NOTICES]); /* pass it on and look at the words; rank 0 prints */

typedef struct cst_runner cst_runner;
PetscErrorCode cst_runner_create(const cst_plan *p, cst_reference *r, cst_output *o, cst_series *s, cst_past *past, cst_poll *poll,
                                 void *context, cst_runner **runner);
PetscErrorCode cst_runner_destroy(cst_runner **runner);
/* Step a batch to its end and write its rows; where *stop is set it is left in the middle of its way. */
PetscErrorCode cst_runner_batch(cst_runner *runner, const cst_work *w, bool *stop);
/* Step a batch to a step of its way, for cst_runner_pack, and leave it there. */
PetscErrorCode cst_runner_batch_to(cst_runner *runner, const cst_work *w, long step, bool *stop);
double         cst_runner_seconds(const cst_runner *runner, int klass); /* spent on a class */

/* Fill the columns that say what a case is. */
void cst_conclude_cases(const cst_plan *p, cst_columns *c);
/* Fill the others from the finished rows; on one rank. failed: trajectories that failed. */
PetscErrorCode cst_conclude(const cst_plan *p, cst_output *o, cst_columns *c, long *failed);

/* What computes the kernels, for /run. */
typedef struct {
  const char *kernels; /* built-in, compiled, interpreted */
  bool        cached;  /* compiled: nothing had to be compiled now */
  double      seconds; /* that compiling, or finding what was compiled, took */
  char        compiler[256];
  char        why[2000]; /* why a user's system was not compiled */
} cst_back_end;

/* Compile a user's system as the study wishes, or leave it to the interpreter. Collective. An error where it must be compiled and cannot.
 */
PetscErrorCode cst_study_compile(cst_study *s, const cst_plan *p, cst_back_end *b);

/* What a run finds where its result is to be: nothing; an unfinished study with a checkpoint; a finished one. */
typedef enum { CST_START_ANEW, CST_START_RESUMED, CST_START_COMPLETE } cst_start;

typedef struct {
  cst_start start;
  long      number;       /* resumed: the checkpoint to go on from */
  long      attempts;     /* runs that there were before */
  long      failed;       /* complete: trajectories that failed */
  char      run[40];      /* identifier of the result file */
  char      message[768]; /* for the user; empty: nothing to say */
} cst_resume;

typedef struct cst_extension cst_extension; /* what a finished result has of the study (extend.h) */

typedef struct {
  const char          *output; /* NULL: the study's name with .h5 in the current folder */
  bool                 overwrite, resumes;
  long                 batch;              /* 0: default */
  const char          *progress;           /* auto, line, log, none */
  const char          *command;            /* the command line, for /run */
  double               checkpoint_seconds; /* 0: what the study says */
  double               deadline;           /* MPI_Wtime by which all must be written; INFINITY: none */
  cst_resume           resume;
  cst_lock            *lock; /* on rank 0 */
  cst_back_end         back_end;
  const cst_extension *extension; /* what it has is taken over; NULL: none */
} cst_run_options;

/* How a run ends: not yet; all is done; stopped with a checkpoint; stopped because a checkpoint could not be written. */
typedef enum { CST_END_NONE, CST_END_DONE, CST_END_STOPPED, CST_END_FAILED } cst_end;

typedef struct {
  cst_end end;
  long    failed;      /* trajectories that failed */
  double  share;       /* of the work that is done, 0 to 1 */
  long    checkpoints; /* on rank 0: written, and the seconds from order to end of the slowest one */
  double  longest;
  char    reason[512]; /* on rank 0: why it stopped */
} cst_run_end;

/* The whole study, or what is left of it; collective over PETSC_COMM_WORLD. The past is of the checkpoint that options->resume names. */
PetscErrorCode cst_run(const cst_study *s, const cst_plan *p, cst_past *past, const cst_run_options *options, cst_run_end *run);
#endif
