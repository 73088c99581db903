/* test-trial.c: the number of evaluations that `check` estimates from a few steps agrees with that of many
 * steps within a factor 1.5, for each study of jobs/ but one; and what it foretells of the time of a system of one's own, with 45
 * coordinates and 41 constraints, agrees with the time of its steps here, and is far above that of the same mechanism
 * in four angles.
 *
 * One trajectory of up to a dozen classes of a study is compared, over STEPS steps or as many as a time limit
 * allows; if the case has several members, it is another one than that of the trial.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/document.h"
#include "study/estimate/trial.h"
#include "tap.h"

enum { STEPS = 1000, CLASSES = 12 };
static const double moment = 1e6; /* nanoseconds, by the plan's estimate */

static cst_error walk(const cst_plan *p, const cst_class *k, long member, long n,
                      double *evaluations) {
  const cst_study    *s = p->study;
  const cst_case     *c = &p->cases[k->cases[0]];
  cst_stepper_options o = {
      p->isa, 1,   s->solver.max_iterations, s->steps.compensated, s->solver.iteration, true,
      false,  k->h};
  double *q = malloc(2 * sizeof *q * (size_t)(s->problem.system->nq + 1)),
         *v = q + s->problem.system->nq, per_step, per_iteration;
  cst_stepper *st = NULL;
  cst_batch    b;
  CST_TRY(cst_stepper_create(p->method[k->method], &o, &st));
  cst_stepper_set_resolution(st, s->steps.resolution);
  cst_stepper_set_step(st, k->h);
  CST_TRY(cst_batch_create(st, &b));
  cst_batch_reset(st, &b, 1);
  if (!cst_study_member(s, c->variant, member, q, v))
    return 1;
  cst_batch_start(st, &b, 0, cst_plan_parameters(p, c->variant), q, v,
                  s->solver.tolerance[c->tolerance]);
  cst_batch_address(st, &b, 0, s->ensemble.seed, (uint64_t)member);
  cst_batch_ready(st, &b);
  CST_TRY(cst_stepper_advance(st, &b, n));
  cst_stepper_evaluations(st, &per_step, &per_iteration);
  const bool ends = b.status[0].reason != 0; /* what is told is of those that go on */
  *evaluations =
      per_step * (double)n +
      per_iteration *
          cst_batch_lane(st, &b, 0)[cst_stepper_layout(st)->iterations * cst_stepper_width(st)];
  CST_TRY(cst_batch_destroy(&b));
  CST_TRY(cst_stepper_destroy(&st));
  free(q);
  return ends;
}

/* The ratio of the estimated to the counted evaluations of a study; 0: there is nothing to compare. */
static double factor(const cst_plan *p) {
  cst_trier *t = cst_trial_create(p);
  double     told = 0, counted = 0;
  const int  every = (p->nclass + CLASSES - 1) / CLASSES;
  for (int i = 0; i < p->nclass; i += every) {
    const cst_class *k = &p->classes[i];
    const long       n = (long)fmin((double)k->n, fmin(STEPS, moment / k->cost));
    double           x = 0, y = 0, nanoseconds;
    if (n < 1 || !cst_trial_class(t, k, n, &x, &nanoseconds) ||
        walk(p, k, p->study->ensemble.members - 1, n, &y))
      continue;
    told += x * (double)k->n / (double)n * (double)k->lanes,
        counted += y * (double)k->n / (double)n * (double)k->lanes;
  }
  cst_trial_destroy(t);
  return told > 0 && counted > 0 ? fmax(told / counted, counted / told) : 0;
}

static double of_study(const char *file, double (*measure)(const cst_plan *p)) {
  cst_diag *d = cst_diag_create();
  char     *text = NULL;
  size_t    length = 0;
  double    x = 0;
  if (!cst_document_fetch(file, &text, &length)) {
    cst_study *s = cst_study_read(file, text, length, cst_reader_share_alone, d);
    cst_plan  *p = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
    if (p)
      x = measure(p);
    cst_plan_destroy(p);
    cst_study_destroy(s);
  }
  free(text);
  cst_diag_destroy(d);
  return x;
}

/* Seconds that are told of a step of the first class, and how many times those it takes here. */
static double told_of_step(const cst_plan *p) {
  cst_trier *t = cst_trial_create(p);
  double     evaluations, nanoseconds = 0;
  cst_trial_class(t, &p->classes[0], p->classes[0].n, &evaluations, &nanoseconds);
  cst_trial_destroy(t);
  return 1e-9 * nanoseconds;
}

static double told_over_taken(const cst_plan *p) {
  const cst_class *k = &p->classes[0];
  const double     told = told_of_step(p);
  double           evaluations;
  const clock_t    before = clock();
  if (walk(p, k, 0, k->n, &evaluations))
    return 0;
  return told * (double)k->n * CLOCKS_PER_SEC / (double)(clock() - before);
}

/* What is told of all classes over what is told of their steps one by one. */
static double told_of_all(const cst_plan *p) {
  double told = 0;
  for (int i = 0; i < p->nclass; i++)
    told += (double)p->classes[i].n * told_of_step(p);
  return cst_trial_make(p, 1).seconds / told;
}

/* Its iterations fall long after the steps that are tried: 6.8 a step in 32, 3.5 in 1000, 3.0 in 10 000. */
static const char *const slow_to_settle = "jobs/papers/cuell-disk-10000.yaml";

/* The ratio of up to three that is nearest to 1: a machine with other work delays single ones. The first that is
 * within a factor 3, which is what is asked, ends it. */
static double nearest(const char *file, double (*measure)(const cst_plan *p)) {
  double best = 0;
  for (int i = 0; i < 3 && (!best || fabs(log(best)) >= log(3)); i++) {
    const double x = of_study(file, measure);
    if (x > 0 && (!best || fabs(log(x)) < fabs(log(best))))
      best = x;
  }
  return best;
}

static void test_time(void) {
  const char *bodies = "jobs/benchmarks/governor-bodies.yaml";
  setenv("CONSTELLA_SYSTEMS", "jobs/benchmarks", 1); /* where `governor` is */
  const double of_bodies = of_study(bodies, told_of_step);
  const double of_angles = of_study("jobs/benchmarks/governor.yaml", told_of_step);
  const double of_steps = nearest(bodies, told_over_taken);
  const double of_run = nearest(bodies, told_of_all);
  OK(of_steps > 1. / 3 && of_steps < 3, "what is told of the time of bodies is %.2f of it",
     of_steps);
  OK(of_run > 1. / 3 && of_run < 3, "and what is told of all their steps is %.2f of theirs",
     of_run);
  OK(of_angles > 0 && of_bodies > 20 * of_angles,
     "bodies are told to take %.0f times as long as angles", of_bodies / of_angles);
}

int main(void) {
  glob_t jobs;
  int    compared = 0;
  if (glob("jobs/*.yaml", 0, NULL, &jobs) || glob("jobs/*/*.yaml", GLOB_APPEND, NULL, &jobs) ||
      glob("examples/*.yaml", GLOB_APPEND, NULL, &jobs))
    return 1;
  for (size_t i = 0; i < jobs.gl_pathc; i++) {
    const double x = of_study(jobs.gl_pathv[i], factor);
    if (x > 0)
      OK(x < (strcmp(jobs.gl_pathv[i], slow_to_settle) ? 1.5 : 1.6),
         "%s: what is told of evaluations is within a factor %.2f", jobs.gl_pathv[i], x),
          compared++;
  }
  OK(compared > 60, "%d jobs were compared", compared);
  globfree(&jobs);
  test_time();
  return tap_done();
}
