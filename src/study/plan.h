/* plan.h: what a study comes to: classes of cases that step together, the quantities that are followed, and
 * what it costs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PLAN_H
#define CST_PLAN_H
#include "constella/study.h"
#include "method/method.h"
#include "method/stepper.h"
#include "observe/observe.h"
#include "study/kind.h"

/* Cases that step together: one method, one step, one number of steps; they differ in parameters, tolerance
 * and start only. */
typedef struct {
  int    method;
  double h;
  long   n;
  int    ncase, *cases; /* indices of cases */
  long   lanes;         /* ncase * members; lane = position in cases * members + member */
  double cost;          /* of one step of one lane */
  long   observe; /* fold once in every so many steps (cst_plan_class_fold_after), at 0 and at n among them */
  long   read;    /* errors are taken at every multiple of this, n among them; 0: none */
  long lead; /* those of the multipliers so many steps after a multiple: 1 where they belong to a step's left
              * end, and the mesh is the coarse one; else 0, and q, p and lambda are read together */
  long  after; /* averages and histograms take what is folded from this step on */
  int   nsample;
  long *sample; /* steps at which the series are recorded, ascending, first 0, last n */
} cst_class;

typedef struct cst_plan {
  const cst_study *study;
  int              ncase;
  cst_case        *cases;
  int              nclass;
  cst_class       *classes;
  int             *class_of; /* [ncase] */
  double           cost;     /* of all steps of the study */
  int              isa;
  int              nlook;
  cst_observation *look;                /* in the order of the observers, then of the study file */
  int              nquantity, nbuiltin; /* nbuiltin: those before the user's expressions */
  cst_quantity    *quantity;
  cst_tape       **histogram; /* [nhistogram] the programs of their expressions */
  int              blocks;    /* parts of the run that histograms are counted in, for their errors */
  double *freedom; /* [nmethod] degrees of freedom that share the kinetic energy: n - rank G, less the momenta
                      kept */
  bool needs_lambda; /* a user's expression reads multipliers */
  int  most_samples;
  int  nstored, *stored; /* quantities that are stored along trajectories */
  int  worst_by;         /* the quantity that the worst are the worst in; -1: the error, or there are none */
  cst_prepared **method; /* [nmethod] */
  cst_prepared  *reference; /* NULL where the reference is no method */
} cst_plan;

/* Whether the errors of q and p, and those of the multipliers, are taken after `step` > 0 steps. */
bool cst_plan_class_reads_states(const cst_class *k, long step);
bool cst_plan_class_reads_lambda(const cst_class *k, long step);
/* The next step at which everything is folded, n at the latest, after such a step, and after any; the first
 * one is 0. */
long cst_plan_class_fold_next(const cst_class *k, long fold);
long cst_plan_class_fold_after(const cst_class *k, long step);

/* Folds in one of the CST_WINDOWS windows of a run. */
long cst_plan_window_folds(const cst_class *k, long window);

/* The part of the run behind the burn-in, cut into `parts` equal ones, that a step is in; and the number of
 * folds in each, count[parts]. */
int  cst_plan_class_part(const cst_class *k, long step, int parts);
void cst_plan_class_part_folds(const cst_class *k, int parts, double *count);
/* Whether time averages are taken of a quantity of the plan. */
bool cst_plan_averages(const cst_plan *p, int quantity);

/* Where a batch stands, as far as it is the same for all of its lanes. */
typedef struct {
  long step, half_step; /* of the batch, and of the one of half the step */
  long window, in_window, folds, next_sample;
} cst_position;
/* What follows of it from its step, when all has been looked at that was due; half_step is left 0. */
cst_position cst_plan_position(const cst_plan *p, const cst_class *k, long step);

/* isa: the widest instruction set that may be used. Fails with a message in d. */
cst_plan     *cst_plan_create(const cst_study *s, int isa, cst_diag *d);
void          cst_plan_destroy(cst_plan *p);
const double *cst_plan_parameters(const cst_plan *p, int variant);
/* The lane of its class that a trajectory is, and back. */
long cst_plan_lane(const cst_plan *p, long icase, long member);
void cst_plan_trajectory(const cst_plan *p, int cohort, long lane, long *icase, long *member);

/* plan-names.c. Datasets and columns of the result that would have one name are mistakes of the study. */
void cst_plan_check_names(const cst_plan *p, cst_diag *d);

/* plan-tracks.c. Finds what is stored along trajectories, with messages in d; numbers of a state; states of a
 * trajectory that are held in memory, where a batch follows so many; and the bytes that they take in batches
 * of so many lanes. */
void   cst_plan_find_stored(cst_plan *p, cst_diag *d);
long   cst_plan_track_numbers(const cst_plan *p);
long   cst_plan_track_depth(const cst_plan *p, const cst_class *k, long tracks);
double cst_plan_track_bytes(const cst_plan *p, long batch);

/* plan-cost.c. Bytes that a lane keeps from step to step, and that its arithmetic needs besides; nanoseconds
 * of a step of a lane; the instruction set for lanes as few, or as large, as these: none wider than isa. */
double cst_plan_lane_bytes(const cst_plan *p);
double cst_plan_work_bytes(const cst_plan *p);
long   cst_plan_state_numbers(
      const cst_plan *p); /* of a lane in a checkpoint, at most, without what is folded */
double cst_plan_step_cost(const cst_plan *p, const cst_class *k);
double cst_plan_look_cost(const cst_plan  *p,
                          const cst_class *k); /* the part of it that is looking at what is observed */
long   cst_plan_most_lanes(const cst_plan *p);
int    cst_plan_fitting_isa(const cst_plan *p, int isa);
double cst_plan_time(
    const cst_plan *p); /* nanoseconds of all steps of the study on one core, idle lanes of groups too */
double cst_plan_steps(const cst_plan *p); /* trajectory-steps of the whole study */
/* Steps of the worst members, which are computed twice, and their nanoseconds. */
double cst_plan_replay_steps(const cst_plan *p);
double cst_plan_replay_time(const cst_plan *p);
#endif
