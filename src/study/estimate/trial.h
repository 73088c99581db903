/* trial.h: what a study will take, by a few steps of the first trajectory of each class: evaluations and
 * time.
 *
 * Iterations of a solver depend on the system, its motion and the step, and so does the time of a step: rules
 * that do without stepping are wrong by factors of ten.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TRIAL_H
#define CST_TRIAL_H
#include "study/plan/plan.h"

typedef struct {
  double evaluations; /* as the result will count them, /final/evaluations, of all trajectories */
  /* on one core, of those of the study itself, idle lanes of groups too: starts, steps, those of their partners at half
   * the step, and all that is observed on the way; with the code that the systems have here (cst_study_load,
   * cst_study_gain) */
  double seconds;
  /* seconds of the classes of which a step takes longer than all trials may, for which these left no time, or that lanes
   * cannot step, as the plan counts; the two above are of the others */
  double counted;
  double timing;    /* seconds of `timing: {repeats:}`, in batches of so many lanes */
  double reference; /* seconds of a reference that is a method, likewise; NAN: it was not timed */
} cst_trial;

/* A method set up to be tried; one for many classes. */
typedef struct cst_trier cst_trier;
cst_trier               *cst_trial_create(const cst_plan *p);
void                     cst_trial_destroy(cst_trier *t);
/* Evaluations of n steps of a trajectory of the class, and nanoseconds of a step of a group of lanes (0: it
 * was not timed); the counts depend on the study alone, unless its steps are so costly that fewer of them are tried.
 * false: its first trajectory cannot start, or takes too long. */
bool cst_trial_class(cst_trier *t, const cst_class *k, long n, double *evaluations,
                     double *nanoseconds);

/* All classes, or as many as half a second allows: others as those of their method before them. PETSc need
 * not have begun. */
cst_trial cst_trial_make(const cst_plan *p, long batch);
#endif
