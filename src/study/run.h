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

/* ---- the plan ---------------------------------------------------------------------------------------------------------- */

/* Cases that step together: one method, one step, one number of steps; they differ in parameters, tolerance and start only. */
typedef struct {
  int    method;
  double h;
  long   n;
  int    ncase, *cases; /* indices of cases */
  long   lanes;         /* ncase * members; lane = position in cases * members + member */
  double cost;          /* of one step of one lane */
  long   observe;       /* fold at 0, at every multiple of this, and at n */
  long   read;          /* errors are taken at every multiple of this, n among them; 0: none */
  long   lead;          /* those of the multipliers so many steps after a multiple: 1 where they belong to a step's left end, and the mesh
                         * is the coarse one; else 0, and q, p and lambda are read together */
  int   nsample;
  long *sample; /* steps at which the series are recorded, ascending, first 0, last n */
} cst_class;

typedef struct {
  int    klass;
  long   first, count; /* lanes of the class */
  double cost;
} cst_work;

/* A named quantity per trajectory and time: built-in ones first, in the order of observe.h, then the user's. */
typedef struct {
  char        name[48];
  const char *unit, *doc;
  bool        drifts; /* x - x(0) is judged: energy, momenta, the user's */
  cst_tape   *tape;   /* NULL: built in */
} cst_quantity;

typedef struct {
  const cst_study *study;
  int              ncase;
  cst_case        *cases;
  int              nclass;
  cst_class       *classes;
  int             *class_of; /* [ncase] */
  int              nwork;
  cst_work        *work;  /* dear ones first */
  long             batch; /* lanes a batch */
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

/* batch: lanes a batch, 0 for the default. Fails with a message in d. */
cst_plan *cst_plan_create(const cst_study *s, int isa, int ranks, long batch, cst_diag *d);
void      cst_plan_destroy(cst_plan *p);
/* Bytes of memory of one rank, and of the result file; estimates for `check`. */
double cst_plan_memory(const cst_plan *p);
double cst_plan_file_size(const cst_plan *p);
double cst_plan_steps(const cst_plan *p); /* trajectory-steps of the whole study */

/* ---- reference ----------------------------------------------------------------------------------------------------------- */

/* Reference states by variant, time and member: computed once for a method, evaluated on the spot for an exact motion. Momenta are kinetic,
 * M v + a, whatever the method that computes them carries. */
typedef struct {
  const cst_plan *plan;
  int            *ntime;  /* [nvariant] */
  double        **time;   /* [nvariant][ntime] ascending */
  double        **value;  /* [nvariant][ntime][members][2 nq + ng] */
  double         *unused; /* [2 nq + ng] */
} cst_reference;

cst_reference *cst_reference_create(const cst_plan *p);
void           cst_reference_destroy(cst_reference *r);
int            cst_reference_items(const cst_reference *r); /* pieces of work; 0 unless a method is the reference */
PetscErrorCode cst_reference_compute(cst_reference *r, int item);
PetscErrorCode cst_reference_share(cst_reference *r, MPI_Comm comm); /* collective */
/* Steps of the reference's method over a span > 0 between two times that are read: equal ones, not longer than its own. */
long cst_reference_steps(const cst_study *s, double span);
/* The rows {q, p, lambda} of the motion of one member from q0, v0 at n ascending times, in quadruple precision, rounded; row i at to + i *
 * stride. NaN from where it is lost. */
void cst_reference_quad(const cst_study *s, int variant, const double *q0, const double *v0, const double *time, int n, double *to,
                        size_t stride);
/* q[nq], p[nq] (kinetic) at time t and lambda[ng] at time tl; q, p NULL, or lambda NULL: not wanted. */
void cst_reference_get(const cst_reference *r, int variant, long member, const double *q0, const double *v0, double t, double tl, double *q,
                       double *p, double *lambda);

/* ---- the record ------------------------------------------------------------------------------------------------------------ */

enum { CST_FIGURE_START, CST_FIGURE_END, CST_FIGURE_DRIFT, CST_FIGURE_SCALE, CST_FIGURES };
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

typedef struct {
  int         n, capacity;
  cst_column *column;
} cst_columns;

/* The columns of the study's kind, in their order, values NaN or empty. */
cst_columns *cst_columns_create(const cst_plan *p);
void         cst_columns_destroy(cst_columns *c);
double      *cst_columns_value(cst_columns *c, const char *name); /* NULL when there is none */
void         cst_columns_label(cst_columns *c, const char *name, int i, const char *text);

typedef struct cst_output cst_output;
PetscErrorCode cst_output_create(const cst_plan *p, const char *path, cst_columns *columns, cst_output **output); /* collective */
PetscErrorCode cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r);
/* A row of the series of a case: x[most_samples] for quantity k; which: 0 max, 1 rms. */
PetscErrorCode cst_output_series(cst_output *o, int icase, int quantity, int which, const double *x);
PetscErrorCode cst_output_times(cst_output *o, int icase, const double *t);
/* States of a chosen member: `count` rows from row `first` on, t[count], q[count][nq], p, lambda. */
PetscErrorCode cst_output_states(cst_output *o, int icase, int chosen, long first, long count, const double *t, const double *q,
                                 const double *p, const double *lambda);
PetscErrorCode cst_output_read(cst_output *o, const char *path, int icase, long components, double *x); /* a case's rows, all members */
PetscErrorCode cst_output_columns(cst_output *o, const cst_columns *c);
PetscErrorCode cst_output_rates(cst_output *o, const double *steps_per_second);
void           cst_output_note(cst_output *o, const char *group, const char *name, const char *text); /* collective */
void           cst_output_number(cst_output *o, const char *group, const char *name, double value);   /* collective */
void           cst_output_flush(cst_output *o);                                                       /* collective */
PetscErrorCode cst_output_close(cst_output **o, const char *state);                                   /* collective */

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
void           cst_series_add(cst_series *s, int icase, int sample, int width, const double *bins, const double *top, const double *count);
PetscErrorCode cst_series_finish(cst_series *s, MPI_Comm comm, cst_output *o); /* collective: reduce and write */

/* ---- running -------------------------------------------------------------------------------------------------------------------- */

typedef struct cst_coordinator cst_coordinator;
PetscErrorCode cst_coordinator_create(MPI_Comm comm, const char *progress, double total, cst_coordinator **c); /* collective */
PetscErrorCode cst_coordinator_destroy(cst_coordinator **c);                                                   /* collective */
long           cst_coordinator_next(cst_coordinator *c);              /* the next number of the shared counter, from 0 */
void           cst_coordinator_rewind(cst_coordinator *c);            /* collective: the counter starts from 0 again */
void           cst_coordinator_done(cst_coordinator *c, double work); /* between slices: report work, let MPI progress, print */

typedef struct cst_runner cst_runner;
PetscErrorCode            cst_runner_create(const cst_plan *p, cst_reference *r, cst_output *o, cst_series *s, cst_coordinator *c,
                                            cst_runner **runner);
PetscErrorCode            cst_runner_destroy(cst_runner **runner);
PetscErrorCode            cst_runner_batch(cst_runner *runner, const cst_work *w);
double                    cst_runner_seconds(const cst_runner *runner, int klass); /* spent on a class */

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

typedef struct {
  const char  *output; /* NULL: the study's name with .h5 in the current folder */
  bool         overwrite;
  long         batch;    /* 0: default */
  const char  *progress; /* auto, line, log, none */
  const char  *command;  /* the command line, for /run */
  cst_back_end back_end;
} cst_run_options;

/* The whole study; collective over PETSC_COMM_WORLD. *failed: trajectories that failed. */
PetscErrorCode cst_run(const cst_study *s, const cst_plan *p, const cst_run_options *options, long *failed);
#endif
