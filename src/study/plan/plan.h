/* plan.h: the plan of a study: classes of cases that step together, the quantities that are observed, and the
 * cost. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PLAN_H
#define CST_PLAN_H
#include "study/rows/study.h"
#include "method/method.h"
#include "method/stepper/stepper-sparse.h"
#include "method/stepper/stepper.h"
#include "observe/observe.h"
#include "study/rows/kind.h"

/* Cases that step together: one method, one step, one number of steps. They differ only in parameters,
 * tolerance and start. */
typedef struct cst_class {
  int    method;
  double h;
  long   n;
  int    ncase, *cases; /* indices of cases */
  long   lanes;         /* ncase * members; lane = position in cases * members + member */
  double cost;          /* per step and lane */
  /* steps between observations (cst_plan_class_fold_after); 0 and n are observed too */
  long observe;
  long read; /* errors are read at the multiples of this and at n; 0: never */
  /* Offset, in steps after a multiple of `read`, at which lambda is read: 1 if lambda belongs to the left end
   * of a step and the mesh is the coarse one; else 0, and q, p and lambda are read together. */
  long lead;
  long after; /* averages and histograms use observations from this step on */
  /* errors are also shown, and enter nothing else, at the multiples of this, 0: of none; and at the samples */
  long  shown_every;
  bool  shown_samples;
  int   nsample;
  long *sample; /* steps at which the series are recorded, ascending, first 0, last n */
} cst_class;

typedef struct cst_division cst_division;

typedef struct cst_plan {
  const cst_study *study;
  int              ncase;
  cst_case        *cases;
  int              nclass;
  cst_class       *classes;
  int             *class_of; /* [ncase] */
  double           cost;     /* of all steps of the study, or of its part */
  /* the part of the study that is computed (division.h), from 1 on; 0, without a division: all of it */
  long             part;
  cst_division    *division;
  int              isa;
  int              nobservation;
  cst_observation *observation;      /* in the order of the observers, then of the study file */
  int           nquantity, nbuiltin; /* nbuiltin: number of those before the user's expressions */
  cst_quantity *quantity;
  /* parts of the run in which samples are counted, for error estimates; 0: none are counted */
  int blocks;
  /* [nmethod] degrees of freedom that share the kinetic energy: n - rank G, less the conserved momenta */
  double        *freedom;
  bool           needs_lambda;      /* a user's expression reads multipliers */
  double         collect_cost;      /* of collectors, in nanoseconds per observation and lane */
  double         collect_ends;      /* of them, those at the end of a trajectory, in all */
  double         collect_concludes; /* of collectors: numbers per member that they conclude with */
  double         collect_bins; /* of collectors: bins of each block of a member that they sum */
  bool           averages;     /* time averages of the observables are taken */
  int            most_samples;
  void         **settled;   /* [cst_collector_count] what each has found (collector.h) */
  int            chosen;    /* members of each case that a collector follows, at most */
  cst_prepared **method;    /* [nmethod] */
  cst_prepared  *reference; /* NULL: the reference is not a method */
} cst_plan;

/* plan-cost.c. Whether PETSc's own solvers solve the equations of a method (docs/solver.md); which engine does, and
 * why; reports methods that PETSc's cannot solve where the study asks for them. */
bool cst_plan_is_petsc(const cst_plan *p, int method);
void cst_plan_engine(const cst_plan *p, int method, char *text, size_t n);
/* Gives a method whose equations PETSc's solvers solve substeps with sparse ones, where there are such. */
void cst_plan_make_sparse(cst_plan *p, int method);
void cst_plan_check_engines(const cst_plan *p, cst_diag *d);
/* Multiplications of a step of one trajectory with the sparse factors of its constraints, by the engine that the plan
 * takes; 0: the method has no such step. */
double cst_plan_multiplications(const cst_plan *p, int method);
/* What the sparse matrices take by which PETSc's solvers make a step of the method, all unknowns in them: entries and
 * numbers of factors at a time, and multiplications of eliminations, solutions and differences. 0: it has none. */
cst_colours_size cst_plan_matrices(const cst_plan *p, int method);
/* Whether lanes can make a step of the method. */
bool cst_plan_fits_lanes(const cst_plan *p, int method);

/* Whether the errors of q and p, or of the multipliers, are read after `step` > 0 steps. */
bool cst_plan_class_reads_states(const cst_class *k, long step);
bool cst_plan_class_reads_lambda(const cst_class *k, long step);
/* The index of the first sample after a step; nsample: there is none. */
int cst_plan_class_sample_after(const cst_class *k, long step);
/* The first step after `step` >= 0 at which errors are shown; LONG_MAX: there is none. */
long cst_plan_class_shown_after(const cst_class *k, long step);
/* The next step that is observed, at most n: after an observed step, and after any step. The first is 0. */
long cst_plan_class_fold_next(const cst_class *k, long fold);
long cst_plan_class_fold_after(const cst_class *k, long step);
/* The window of the drift that contains a step; the first observed step behind a window. */
int  cst_plan_class_window(const cst_class *k, long step);
long cst_plan_class_window_end(const cst_class *k, long window);

/* Number of observations in one of the CST_WINDOWS windows of a run. */
long cst_plan_window_folds(const cst_class *k, long window);

/* The run after the burn-in is cut into `parts` equal parts: the part that contains a step, and the number of
 * observations in each, count[parts]. */
int  cst_plan_class_part(const cst_class *k, long step, int parts);
void cst_plan_class_part_folds(const cst_class *k, int parts, double *count);
/* Whether time averages of a quantity are taken. */
bool cst_plan_averages(const cst_plan *p, int quantity);

/* Position of a batch, as far as it is the same for all of its lanes. */
typedef struct {
  long step, half_step; /* of the batch, and of the partner with half the step */
  long window, in_window, folds, next_sample;
} cst_position;
/* The position of a batch at a step, when everything due there has been observed; half_step remains 0. */
cst_position cst_plan_position(const cst_plan *p, const cst_class *k, long step);

/* isa: a row of cst_isas with all lanes; the plan may take one of the same set with fewer. NULL with a message in d if the
 * study is invalid, or this CPU cannot run the set. */
cst_plan     *cst_plan_create(const cst_study *s, int isa, cst_diag *d);
void          cst_plan_destroy(cst_plan *p);
const double *cst_plan_parameters(const cst_plan *p, int variant);
/* Converts a trajectory to the lane of its class, and back. */
long cst_plan_lane(const cst_plan *p, long icase, long member);
void cst_plan_trajectory(const cst_plan *p, int class, long lane, long *icase, long *member);

/* conclude.c. Reports datasets and columns of the result that would have the same name. */
void cst_plan_check_names(const cst_plan *p, cst_diag *d);

/* The members of each case that a collector follows, [ncase][chosen], -1: none. NULL: those that the study file
 * names. */
typedef struct {
  long *member;
} cst_chosen;

/* plan-cost.c. Bytes that a lane keeps from step to step, and bytes of its workspace. */
double cst_plan_lane_bytes(const cst_plan *p);
double cst_plan_work_bytes(const cst_plan *p);
/* numbers that a trajectory of a class keeps for the means of its multipliers, at most; 0: they are no means */
double cst_plan_class_mean_numbers(const cst_plan *p, const cst_class *k);
/* numbers per lane in a checkpoint, at most, without accumulated quantities */
long   cst_plan_state_numbers(const cst_plan *p);
double cst_plan_step_cost(const cst_plan *p, const cst_class *k);
long   cst_plan_most_lanes(const cst_plan *p);
int    cst_plan_fitting_isa(const cst_plan *p, int isa);
/* plan.c. Reports what relies on steps of equal length (CST_NEEDS_EQUAL_STEPS) where a method changes the lengths of its
 * steps: the one place that asks. */
void cst_plan_check_steps(const cst_plan *p, cst_diag *d);
/* nanoseconds of all steps of the study on one core, including idle lanes */
double cst_plan_time(const cst_plan *p);
double cst_plan_steps(const cst_plan *p); /* trajectory-steps of the whole study */
/* footprint.c. Nanoseconds to conclude a case on one core. Conclusions are divided into shares of whole
 * groups of cases that differ only in the step: cases per share (the last may have fewer), and shares. */
double cst_plan_conclusion_cost(const cst_plan *p);
int    cst_plan_conclusion_cases(const cst_plan *p);
int    cst_plan_conclusion_shares(const cst_plan *p);
#endif
