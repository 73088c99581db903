/* trial.c: a few steps of the first trajectory of each class, and rehearsals of its first batch (see trial.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/estimate/trial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/need.h"
#include "study/plan/plan.h"
#include "study/reference/motion.h"
#include "study/reference/reference.h"
#include "study/runner/runner.h"

/* FEW steps are counted, of which the second half tells what further ones take. */
enum { FEW = 32 };
/* Of all classes, in nanoseconds by the plan's estimate and by the clock; of one; and for how long a class is
 * timed. */
static const double budget = 5e8;
static const double most_of_one = 5e7;
static const double timed = 1e5;

/* Groups of a batch that is rehearsed, at most: they march in pairs. */
enum { GROUPS = 4 };
/* The share of a class that is rehearsed, and the nanoseconds that this may take. */
static const double share_of_class = 0.05, least_of_class = 2e5, most_of_class = 4e7;

/* Nanoseconds of a multiplication with sparse factors; measured, on nets and cubes by both engines. */
static const double multiplication = 0.5;
/* The same of a matrix of all unknowns, with PETSc's LU factors. */
static const double elimination = 1;
/* Nanoseconds that PETSc's solvers take at least for a step of one trajectory; measured on a double pendulum. */
static const double petsc_step = 3e4;

struct cst_trier {
  const cst_plan *plan;
  cst_stepper   **stepper; /* [nmethod], and the reference's; NULL before it is needed */
  double          until;   /* the clock at which it must have ended */
};

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

cst_trier *cst_trial_create(const cst_plan *p) {
  cst_trier *t = cst_need(calloc(1, sizeof *t));
  t->plan = p;
  t->stepper = cst_zeros(p->study->methods.n, sizeof *t->stepper);
  t->until = clock_now() + 4 * budget;
  return t;
}

void cst_trial_destroy(cst_trier *t) {
  for (int i = 0; i <= t->plan->study->methods.n; i++)
    (void)cst_stepper_destroy(&t->stepper[i]);
  free(t->stepper);
  free(t);
}

/* Steps that fail may take very long. */
static bool takes_too_long(void *context) {
  const cst_trier *t = context;
  return clock_now() > t->until;
}

static cst_error set_up(cst_trier *t, const cst_class *k, cst_stepper **st) {
  const cst_study          *s = t->plan->study;
  const cst_stepper_options o = {
      t->plan->isa, 1,   s->solver.max_iterations, s->steps.compensated, s->solver.iteration, true,
      false,        k->h};
  const int m = k->method;
  if (t->stepper[m] && !cst_stepper_takes(t->stepper[m], k->h))
    CST_TRY(cst_stepper_destroy(&t->stepper[m]));
  if (!t->stepper[m]) {
    const cst_prepared *method;
    if (m < s->methods.n)
      method = t->plan->method[m];
    else
      method = t->plan->reference;
    CST_TRY(cst_stepper_create(method, &o, &t->stepper[m]));
  }
  *st = t->stepper[m];
  cst_stepper_set_resolution(*st, s->steps.resolution);
  cst_stepper_set_step(*st, k->h);
  cst_stepper_halt_by(*st, takes_too_long, t);
  return 0;
}

static bool start(const cst_trier *t, const cst_class *k, cst_stepper *st, cst_batch *b) {
  const cst_study *s = t->plan->study;
  const cst_case  *c = &t->plan->cases[k->cases[0]];
  double          *q = cst_need(malloc(2 * sizeof *q * (size_t)(s->problem.system->nq + 1)));
  double          *v = q + s->problem.system->nq;
  const bool       good = cst_study_member(s, c->variant, 0, q, v);
  cst_batch_reset(st, b, 1);
  if (good) {
    cst_batch_start(st, b, 0, cst_plan_parameters(t->plan, c->variant), q, v,
                    s->solver.tolerance[c->tolerance]);
    cst_batch_address(st, b, 0, s->ensemble.seed, 0);
    cst_batch_ready(st, b);
  }
  free(q);
  return good;
}

static double iterations(cst_stepper *st, const cst_batch *b) {
  return cst_batch_lane(st, b, 0)[cst_stepper_layout(st)->iterations * cst_stepper_width(st)];
}

/* Further steps, for a while. */
static cst_error measure(cst_stepper *st, cst_batch *b, long n, double *nanoseconds) {
  const double before = clock_now();
  const long   from = b->step;
  long         some = 1;
  while (b->step < n && b->alive[0]) {
    if (clock_now() - before >= timed || cst_stepper_halted(st))
      break;
    CST_TRY(cst_stepper_advance(st, b, CST_SMALLER(some, n - b->step)));
    some *= 2;
  }
  if (b->step > from && b->alive[0])
    *nanoseconds = (clock_now() - before) / (double)(b->step - from);
  return 0;
}

static bool goes_on(cst_stepper *st, const cst_batch *b) {
  return b->alive[0] && !cst_stepper_halted(st);
}

/* Steps up to *to, which becomes less where they last beyond a time of the clock. */
static cst_error advance(cst_stepper *st, cst_batch *b, double end, long *to) {
  long some = 1;
  while (b->step < *to && goes_on(st, b)) {
    CST_TRY(cst_stepper_advance(st, b, CST_SMALLER(some, *to - b->step)));
    some *= 2;
    if (clock_now() > end && goes_on(st, b))
      *to = b->step;
  }
  return 0;
}

/* The plan can take steps for far cheaper than they are, so that a few would last beyond all trials: they get a quarter
 * of the time that is left. */
static cst_error step(const cst_trier *t, cst_stepper *st, cst_batch *b, const cst_class *k, long n,
                      double *evaluations, double *nanoseconds) {
  const double begun = clock_now(), end = begun + (t->until - begun) / 4;
  long         few = CST_LARGER(1, CST_SMALLER(CST_SMALLER(n, FEW), (long)(most_of_one / k->cost)));
  long         half = few / 2;
  double       per_step, per_iteration, first = 0;
  cst_stepper_evaluations(st, &per_step, &per_iteration);
  CST_TRY(advance(st, b, end, &half));
  first = iterations(st, b);
  const double before = clock_now();
  CST_TRY(advance(st, b, end, &few));
  *nanoseconds = (clock_now() - before) / (double)(few - half);
  const bool   on = goes_on(st, b);
  const double all = iterations(st, b);
  const double steps = on ? (double)n : (double)(b->status[0].reason ? b->status[0].step : few);
  const double further = on ? (all - first) / (double)(few - half) * (steps - (double)few) : 0;
  *evaluations = per_step * steps + per_iteration * (all + further);
  if (on)
    CST_TRY(measure(st, b, k->n, nanoseconds));
  return 0;
}

static cst_error try_class(cst_trier *t, const cst_class *k, long n, double *evaluations,
                           double *nanoseconds, bool *good) {
  cst_stepper *st = NULL;
  cst_batch    b;
  CST_TRY(set_up(t, k, &st));
  CST_TRY(cst_batch_create(st, &b));
  *good = start(t, k, st, &b);
  if (*good)
    CST_TRY(step(t, st, &b, k, n, evaluations, nanoseconds));
  *good = *good && !cst_stepper_halted(st); /* steps that were not taken tell nothing */
  CST_TRY(cst_batch_destroy(&b));
  return 0;
}

bool cst_trial_class(cst_trier *t, const cst_class *k, long n, double *evaluations,
                     double *nanoseconds) {
  bool good = false;
  *evaluations = *nanoseconds = 0;
  return !try_class(t, k, n, evaluations, nanoseconds, &good) && good;
}

/* Of a class that was not tried: a step takes what one of the class before does, of the same method where
 * possible. Nanoseconds: of a step of a group of lanes, with what is observed and without it; of a start. */
typedef struct {
  int    method;
  double evaluations; /* of a step */
  double step, bare, start;
} rates;

static double of_few(const cst_class *k) {
  return fmin(most_of_one, k->cost * (double)CST_SMALLER(k->n, FEW));
}

/* Nanoseconds of a step of a group of lanes of the class, as the plan counts. */
static double counted(const cst_plan *p, const cst_class *k) {
  const double lanes =
      cst_plan_is_petsc(p, k->method) ? fmin((double)k->lanes, cst_isas[p->isa].width) : 1;
  return k->cost * cst_isas[p->isa].width +
         lanes * multiplication * cst_plan_multiplications(p, k->method);
}

/* Nanoseconds of a step of each method under PETSc, by its matrix of all unknowns; 0: lanes make it. Owned. */
static double *count_matrices(const cst_plan *p) {
  double *each = cst_zeros(p->study->methods.n, sizeof *each);
  for (int i = 0; i < p->study->methods.n; i++)
    each[i] =
        fmax(elimination * cst_plan_matrices(p, i).work, cst_plan_is_petsc(p, i) ? petsc_step : 0);
  return each;
}

/* The same of a group of lanes of the class, one after another. */
static double of_matrices(const cst_plan *p, const cst_class *k, const double *each) {
  return each[k->method] * fmin((double)k->lanes, cst_isas[p->isa].width);
}

/* Whether steps of the class can be tried, and one of them takes no longer than all trials may. */
static bool can_be_tried(const cst_plan *p, const cst_class *k) {
  return cst_plan_fits_lanes(p, k->method) && counted(p, k) <= budget;
}

static double groups_of(const cst_plan *p, long lanes) {
  return ceil((double)lanes / cst_isas[p->isa].width);
}

/* Nanoseconds of a step of the first trajectory in quadruple precision; NAN: it cannot start. */
static double try_quad(const cst_trier *t) {
  const cst_plan *p = t->plan;
  cst_motion     *m = cst_reference_motion(p, 0, 0);
  const double    before = clock_now();
  double          n = 0;
  while (m && cst_motion_advance(m, p->study->reference.step, 1) &&
         clock_now() - before < most_of_class)
    n++;
  const double spent = clock_now() - before;
  const bool   good = m && cst_motion_lives(m);
  cst_motion_destroy(m);
  return good ? spent / (n + 1) : NAN;
}

/* The same of a group in double precision. */
static double try_double(cst_trier *t, double planned, double steps) {
  const cst_study *s = t->plan->study;
  double           evaluations, nanoseconds;
  cst_class        k = t->plan->classes[0];
  k.method = s->methods.n;
  k.h = s->reference.step;
  k.n = lround(fmax(1, steps / (double)s->ensemble.members));
  k.cost = planned / steps;
  return cst_trial_class(t, &k, k.n, &evaluations, &nanoseconds) ? nanoseconds : NAN;
}

/* Seconds of the reference, from steps of its first trajectory. */
static double try_reference(cst_trier *t) {
  const cst_plan *p = t->plan;
  const double    members = (double)p->study->ensemble.members;
  double          planned;
  const double    steps = cst_reference_work(p, &planned);
  if (steps <= 0 || p->nclass == 0)
    return NAN;
  if (p->study->reference.quad)
    return 1e-9 * steps * try_quad(t);
  return 1e-9 * steps * try_double(t, planned, steps) * groups_of(p, p->study->ensemble.members) /
         members;
}

/* Steps of the method itself and of its partner at half the step, for one of the study's. */
static double steps_each(const cst_study *s) {
  return s->reference.kind == CST_REFERENCE_SELF ? 3 : 1;
}

/* ---- rehearsals ------------------------------------------------------------------------------- */

/* Where classes are rehearsed, with what is observed. */
typedef struct {
  cst_trier   *trier;
  cst_plan     plan; /* the same as the trier's, but for its classes */
  cst_tallies *tallies;
  cst_runner  *runner;
} stage;

static cst_error go_on(void *context, double work, bool *stop) {
  (void)work;
  *stop = takes_too_long(context);
  return 0;
}

static bool set_stage(stage *g, cst_trier *t) {
  const cst_plan *p = t->plan;
  const size_t    bytes = (size_t)p->nclass * sizeof *p->classes;
  *g = (stage){.trier = t, .plan = *p};
  g->plan.classes = memcpy(cst_need(malloc(bytes + 1)), p->classes, bytes);
  /* samples lie close together where a run begins, and hardly count in a long one */
  for (int i = 0; i < p->nclass; i++) {
    cst_class *k = &g->plan.classes[i];
    if (k->nsample && k->n > 4L * k->nsample) {
      k->sample += k->nsample - 1;
      k->nsample = 1;
    }
  }
  g->tallies = cst_tallies_create(&g->plan);
  if (cst_runner_create(&g->plan, (long)GROUPS * cst_isas[p->isa].width, NULL, NULL, g->tallies,
                        go_on, t, &g->runner))
    return false;
  cst_runner_halt_by(g->runner, takes_too_long, takes_too_long);
  return true;
}

static void clear_stage(stage *g) {
  (void)cst_runner_destroy(&g->runner);
  cst_tallies_destroy(g->tallies);
  free(g->plan.classes);
}

static bool rehearse(stage *g, int class, rates *x) {
  const cst_plan  *p = g->trier->plan;
  const cst_class *k = &p->classes[class];
  const double     whole = x->bare * (double)k->n * groups_of(p, k->lanes);
  const long       groups = x->bare * FEW > most_of_class ? 1 : GROUPS;
  const long       count = CST_SMALLER(k->lanes, groups * cst_isas[p->isa].width);
  const cst_work   w = {.class = class, .count = count, .saved = -1};
  const double     budget = fmin(fmax(share_of_class * whole, least_of_class), most_of_class);
  cst_rehearsal    r;
  if (cst_runner_rehearse(g->runner, &w, 1e-9 * budget, &r) || r.steps < 1)
    return false;
  x->step = 1e9 * r.seconds / r.steps / groups_of(p, count);
  x->start = 1e9 * r.start;
  return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What is observed on the way is not counted where the machine leaves no time to see it. */
static bool try_rates(stage *g, int class, rates *x) {
  const cst_class *k = &g->trier->plan->classes[class];
  x->method = k->method;
  if (!cst_trial_class(g->trier, k, k->n, &x->evaluations, &x->bare))
    return false;
  x->evaluations /= (double)k->n;
  if (!rehearse(g, class, x)) {
    x->step = x->bare;
    x->start = 0;
  }
  return true;
}

/* A class whose steps cannot be tried, in seconds. */
static double uncounted(const cst_plan *p, const cst_class *k, double least) {
  return 1e-9 * groups_of(p, k->lanes) * (double)k->n * steps_each(p->study) *
         (counted(p, k) + least);
}

static void add_class(cst_trial *all, const cst_plan *p, const cst_class *k, long batch,
                      double least, const rates *x) {
  const double n = (double)k->n;
  const double groups = groups_of(p, k->lanes);
  const double timed_groups =
      groups_of(p, CST_SMALLER(batch, k->lanes)) * p->study->run.timing_repeats;
  all->evaluations += x->evaluations * n * (double)k->lanes;
  all->seconds +=
      1e-9 * (groups * n * fmax(least, x->step) + (double)k->lanes * (x->start + p->collect_ends));
  all->timing += 1e-9 * timed_groups * n * fmax(least, fmin(x->bare, x->step));
}

cst_trial cst_trial_make(const cst_plan *p, long batch) {
  cst_trier    *t = cst_trial_create(p);
  cst_trial     all = {0};
  rates         last = {.method = -1}, next;
  double        spent = 0;
  stage         g;
  const double  begun = clock_now();
  double *const matrices = count_matrices(p);
  const bool    set = set_stage(&g, t);
  for (int i = 0; i < p->nclass && set; i++) {
    const cst_class *k = &p->classes[i];
    const double     least = of_matrices(p, k, matrices);
    if (!can_be_tried(p, k) || least > budget) {
      all.counted += uncounted(p, k, least);
      continue;
    }
    spent += of_few(k);
    const bool time_left = spent < budget && clock_now() - begun < budget;
    if (k->method != last.method || time_left) {
      if (!try_rates(&g, i, &next)) {
        if (takes_too_long(t)) /* and not for want of a start */
          all.counted += uncounted(p, k, least);
        continue;
      }
      last = next;
    }
    add_class(&all, p, k, batch, least, &last);
  }
  free(matrices);
  clear_stage(&g);
  all.reference = all.counted > 0 ? NAN : try_reference(t);
  cst_trial_destroy(t);
  return all;
}
