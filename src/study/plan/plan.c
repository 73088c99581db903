/* plan.c: turns a study into its cases, the classes of cases that are advanced together, and their quantities. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/plan.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "constella/statistics.h"
#include "study/rows/study.h"
#include "core/boundary.h"
#include "core/need.h"
#include "method/method.h"
#include "study/rows/collector.h"
#include "study/plan/clock.h"
#include "study/plan/division.h"
#include "study/plan/plan-stages.h"

/* ---- cases: parameter sets x tolerances x methods x steps ------------------------------------ */

/* The nearest number with 20 significant bits: n h is then exact for n below 2^33, and the time has no
 * round-off. */
static double dyadic(double h) {
  int    exponent;
  double mantissa = frexp(h, &exponent);
  return ldexp(round(ldexp(mantissa, 20)), exponent - 20);
}

static cst_case make(const cst_study *s, int variant, int tolerance, int method, int step) {
  double h = s->steps.h[variant * s->steps.n + step];
  return (cst_case){variant,
                    tolerance,
                    method,
                    step,
                    s->steps.dyadic ? dyadic(h) : h,
                    h,
                    lround(s->steps.end[variant] / h)};
}

cst_case *cst_study_cases(const cst_study *s, int *count) {
  CST_REQUIRE(s && count, NULL);
  int       n = s->problem.nvariant * s->solver.ntolerance * s->methods.n * s->steps.n;
  cst_case *list = cst_need(malloc(sizeof *list * (size_t)(n ? n : 1)));
  cst_case *next = list;
  for (int v = 0; v < s->problem.nvariant; v++)
    for (int t = 0; t < s->solver.ntolerance; t++)
      for (int m = 0; m < s->methods.n; m++)
        for (int k = 0; k < s->steps.n; k++)
          *next++ = make(s, v, t, m, k);
  *count = n;
  return list;
}

/* ---- steps at which quantities are observed, averaged, sampled or read ----------------------- */

/* Quantities are observed at the steps k j + r, 0 <= r < k, where a new r is drawn for every 32 of them. With
 * a constant r an oscillation over a whole number of steps stands still or creeps, and looks like drift. A
 * new r for each step would turn every oscillation into noise, with five times the effect on a mean over 32.
 */
enum { FOLDS_PER_DRAW = 32 };
static long fold_of(long j, long every) {
  if (j == 0 || every == 1)
    return j * every;
  return j * every +
         (long)(cst_random_uniform(0, (uint64_t)(j / FOLDS_PER_DRAW), CST_PURPOSE_FOLD, 0, 0) *
                (double)every);
}

static long no_later(const cst_class *k, long step) {
  if (step < k->n)
    return step;
  return k->n;
}

long cst_plan_class_fold_next(const cst_class *k, long fold) {
  const long j = fold / k->observe;
  const bool alike = j > 0 && (j + 1) % FOLDS_PER_DRAW != 0;
  return no_later(k, alike ? fold + k->observe : fold_of(j + 1, k->observe));
}

long cst_plan_class_fold_after(const cst_class *k, long step) {
  const long j = step / k->observe;
  const long here = fold_of(j, k->observe);
  return no_later(k, here > step ? here : fold_of(j + 1, k->observe));
}

int cst_plan_class_part(const cst_class *k, long step, int parts) {
  return (int)((__int128)(step - k->after) * parts / (k->n - k->after + 1));
}

void cst_plan_class_part_folds(const cst_class *k, int parts, double *count) {
  for (int i = 0; i < parts; i++)
    count[i] = 0;
  for (long step = k->after ? cst_plan_class_fold_after(k, k->after - 1) : 0;;
       step = cst_plan_class_fold_next(k, step)) {
    count[cst_plan_class_part(k, step, parts)]++;
    if (step == k->n)
      return;
  }
}

/* Number of observations at steps up to `step`; the last one is at n. */
static long folds_until(const cst_class *k, long step) {
  const long before = step < k->n ? step : k->n - 1;
  const long j = before / k->observe;
  if (step < 0)
    return 0;
  return j + (fold_of(j, k->observe) <= before) + (step >= k->n);
}

int cst_plan_class_window(const cst_class *k, long step) {
  const long window = (long)((__int128)step * CST_WINDOWS / k->n);
  return window < CST_WINDOWS ? (int)window : CST_WINDOWS - 1;
}

/* The first step of a window. */
static long first_of(const cst_class *k, long window) {
  return (long)(((__int128)window * k->n + CST_WINDOWS - 1) / CST_WINDOWS);
}

long cst_plan_class_window_end(const cst_class *k, long window) {
  return cst_plan_class_fold_after(k, first_of(k, window + 1) - 1);
}

long cst_plan_window_folds(const cst_class *k, long window) {
  const long last = window + 1 < CST_WINDOWS ? first_of(k, window + 1) - 1 : k->n;
  return folds_until(k, last) - folds_until(k, first_of(k, window) - 1);
}

cst_position cst_plan_position(const cst_plan *p, const cst_class *k, long step) {
  cst_position at = {.step = step, .folds = folds_until(k, step)};
  const long   j = step / k->observe;
  const long   here = no_later(k, fold_of(j, k->observe));
  at.window = cst_plan_class_window(k, step >= k->n   ? k->n
                                       : here <= step ? here
                                                      : fold_of(j - 1, k->observe));
  at.in_window = at.folds - (cst_study_needs(p->study, CST_NEEDS_WINDOWS)
                                 ? folds_until(k, first_of(k, at.window) - 1)
                                 : 0);
  while (at.next_sample < k->nsample && k->sample[at.next_sample] <= step)
    at.next_sample++;
  return at;
}

bool cst_plan_class_reads_states(const cst_class *k, long step) {
  return k->read > 0 && step % k->read == 0;
}
bool cst_plan_class_reads_lambda(const cst_class *k, long step) {
  return k->read > 0 && (step - k->lead) % k->read == 0;
}

int cst_plan_class_sample_after(const cst_class *k, long step) {
  int low = 0, high = k->nsample;
  while (low < high) {
    const int half = (low + high) / 2;
    if (k->sample[half] > step)
      high = half;
    else
      low = half + 1;
  }
  return low;
}

long cst_plan_class_shown_after(const cst_class *k, long step) {
  const int at = k->shown_samples ? cst_plan_class_sample_after(k, step) : k->nsample;
  long      next = at < k->nsample ? k->sample[at] : LONG_MAX;
  if (k->shown_every) {
    const long multiple = (step / k->shown_every + 1) * k->shown_every;
    if (multiple <= k->n && multiple < next)
      next = multiple;
  }
  return next;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Cases that are advanced together: those of one method with the same steps, which are read and sampled at the same
 * steps. */

enum { OBSERVE_MOST = 15, OBSERVE_TIMES = 1024 };

/* Observe every k-th step, k the largest odd number not above min(15, n / 1024), at least 1. */
static long observe_every(const cst_study *s, long n) {
  long k = n / OBSERVE_TIMES < OBSERVE_MOST ? n / OBSERVE_TIMES : OBSERVE_MOST;
  if (s->observe.every || k < 1)
    return 1;
  return k % 2 ? k : k - 1;
}

/* Steps between reads of the error: 1 on the mesh, the spacing of the coarse mesh, or the whole run. */
static long read_every(const cst_study *s, const cst_case *c) {
  const cst_case *coarsest = c - c->step; /* the steps of a method decrease */
  if (s->reference.kind == CST_REFERENCE_NONE)
    return 0;
  if (s->error.over == CST_OVER_MESH)
    return 1;
  if (s->error.over == CST_OVER_COARSE)
    return c->n / coarsest->n;
  return c->n;
}

/* On the coarse mesh the multipliers are compared at its points t_0 .. t_(N-1) if a step's multipliers belong
 * to its left end: those of the step that begins there. */
static long read_lead(const cst_plan *p, const cst_case *c) {
  return p->study->error.over == CST_OVER_COARSE && p->study->problem.system->ng > 0 &&
         p->method[c->method]->properties.lambda_time == 0;
}

/* Hash table of classes with open addressing: a power of two slots, at most half of them in use; -1: empty.
 */
typedef struct {
  int     *slot;
  unsigned mask;
} class_table;

static class_table table_of(int n) {
  unsigned slots = 16;
  while (slots < 2 * (unsigned)n)
    slots *= 2;
  class_table t = {cst_need(malloc(slots * sizeof *t.slot)), slots - 1};
  memset(t.slot, 0xff, slots * sizeof *t.slot);
  return t;
}

static unsigned hash(const cst_case *c) {
  uint64_t x;
  memcpy(&x, &c->h, sizeof x);
  x ^= (uint64_t)c->n * 0x9e3779b97f4a7c15u + (uint64_t)c->method;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return (unsigned)(x ^ (x >> 31));
}

static bool is_class(const cst_class *k, const cst_case *c, long read) {
  return k->method == c->method && k->h == c->h && k->n == c->n && k->read == read;
}

static int find_class(cst_plan *p, const class_table *t, const cst_case *c) {
  const cst_study *s = p->study;
  const long       read = read_every(s, c);
  unsigned         at = hash(c) & t->mask;
  while (t->slot[at] >= 0) {
    const int i = t->slot[at];
    if (is_class(&p->classes[i], c, read))
      return i;
    at = (at + 1) & t->mask;
  }
  t->slot[at] = p->nclass;
  cst_class *k = &p->classes[p->nclass];
  k->method = c->method;
  k->h = c->h;
  k->n = c->n;
  k->observe = observe_every(s, c->n);
  k->read = read;
  k->lead = read_lead(p, c);
  for (int x = 0; x < cst_collector_count; x++)
    if (cst_collectors[x]->plan.schedule)
      cst_collectors[x]->plan.schedule(p, k);
  if (k->nsample > p->most_samples)
    p->most_samples = k->nsample;
  return p->nclass++;
}

/* Finds the classes of the cases. */
static void make_classes(cst_plan *p) {
  p->classes = cst_zeros(p->ncase, sizeof *p->classes);
  p->class_of = cst_zeros(p->ncase, sizeof *p->class_of);
  const class_table t = table_of(p->ncase);
  for (int i = 0; i < p->ncase; i++) {
    const int  at = find_class(p, &t, &p->cases[i]);
    cst_class *k = &p->classes[at];
    const bool full = !(k->ncase & (k->ncase - 1)); /* the room is a power of two */
    p->class_of[i] = at;
    if (full) {
      const size_t room = 2 * ((size_t)k->ncase + 1);
      k->cases = cst_need(realloc(k->cases, room * sizeof *k->cases));
    }
    k->cases[k->ncase++] = i;
    k->lanes = k->ncase * p->study->ensemble.members;
  }
  free(t.slot);
}

enum { FEW_MEMBERS = 16, BLOCKS_OF_FEW = 16 };

/* ---- quantities ------------------------------------------------------------------------------ */

static bool is_wanted(const cst_study *s, const cst_observer *row) {
  bool wanted = row->always;
  for (int i = 0; i < s->observe.n; i++)
    wanted |= s->observe.observable[i].observer == row;
  return wanted;
}

/* o: the entry in the study file; NULL: there is none. */
static void add_look(cst_plan *p, const cst_observer *row, const cst_observable *o) {
  const cst_study *s = p->study;
  cst_observation *x = &p->observation[p->nobservation++];
  *x = (cst_observation){.row = row,
                         .system = s->problem.system,
                         .wanted = o || is_wanted(s, row),
                         .hidden_norm = (int)s->error.hidden,
                         .first = p->nquantity};
  if (row->count)
    x->count = row->count(s->problem.system);
  else
    x->count = 1;
  if (o) {
    x->name = o->name;
    x->expression = o->expression;
    x->tape = cst_tape_create(s->problem.system->model->graph, &o->node, 1);
    p->needs_lambda |= cst_graph_depends(s->problem.system->model->graph, o->node, 'l');
  }
  p->quantity =
      cst_need(realloc(p->quantity, (size_t)(p->nquantity + x->count + 1) * sizeof *p->quantity));
  for (int k = 0; k < x->count; k++) {
    cst_quantity *q = &p->quantity[p->nquantity++];
    row->describe(x, k, q);
    x->moves |= q->moves;
  }
}

/* With stages no verdict is given on what changes where one ends. */
static void judge_stages(cst_plan *p) {
  const cst_study *s = p->study;
  for (int i = 0; i < p->nobservation; i++) {
    const cst_observation *x = &p->observation[i];
    bool                   changes = false;
    if (!strcmp(x->row->name, "energy") || !strcmp(x->row->name, "balance"))
      changes = cst_stages_change_energy(p);
    else if (!strcmp(x->row->name, "momentum"))
      changes = cst_stages_change_momentum(p);
    for (int k = 0; k < s->observe.n && x->expression; k++)
      if (x->expression == s->observe.observable[k].expression)
        changes |= cst_stages_change(p, s->observe.observable[k].node);
    for (int k = x->first; k < x->first + x->count && changes; k++)
      p->quantity[k].judged = false;
  }
}

/* Every study has every observer, so that all results look alike. Those that are not wanted measure nothing.
 */
static void make_looks(cst_plan *p) {
  const cst_study *s = p->study;
  p->observation = cst_zeros(cst_observer_count + s->observe.n, sizeof *p->observation);
  for (int k = 0; k < cst_observer_count; k++) {
    const cst_observer *row = cst_observers[k];
    if (row->expression)
      continue;
    if (!row->optional || is_wanted(s, row))
      add_look(p, row, NULL);
  }
  p->nbuiltin = p->nquantity;
  for (int i = 0; i < s->observe.n; i++) {
    const cst_observable *o = &s->observe.observable[i];
    if (o->observer->expression)
      add_look(p, o->observer, o);
  }
  judge_stages(p);
}

static bool carries(const cst_prepared *m, const char *block) {
  int              n;
  cst_state_place *state = cst_program_state(m->program, m->stepped, 0, &n);
  bool             found = false;
  for (int i = 0; i < n; i++)
    found |= !strcmp(state[i].name, block);
  free(state);
  return found;
}

/* Reports observers that would read a block of numbers that no method of the study carries. */
static void check_blocks(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "observables");
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observer *row = p->observation[k].row;
    bool                found = !row->state || !p->observation[k].wanted;
    for (int m = 0; m < p->study->methods.n; m++)
      found = found || carries(p->method[m], row->state);
    if (!found)
      cst_diag_add(d, p->study->source.file, at.line, at.column,
                   "'%s' is kept by none of the methods of this study", row->name);
  }
}

static void ask_collectors(cst_plan *p) {
  const int blocks = p->study->ensemble.members < FEW_MEMBERS ? BLOCKS_OF_FEW : 1;
  for (int k = 0; k < cst_collector_count; k++)
    p->averages |= cst_collectors[k]->plan.averages && cst_collectors[k]->plan.averages(p->study);
  for (int k = 0; k < cst_collector_count; k++) {
    if (!cst_collectors[k]->plan.demand)
      continue;
    const cst_demand d = cst_collectors[k]->plan.demand(p);
    p->needs_lambda |= d.lambda;
    p->collect_cost += d.nanoseconds;
    p->collect_ends += d.ends;
    p->collect_concludes += d.concludes;
    p->collect_bins += d.bins;
    p->chosen = CST_LARGER(p->chosen, d.chosen);
    if (d.blocks)
      p->blocks = blocks;
  }
}

/* Momenta that the motion conserves: those of all symmetries, unless something exchanges momentum with the
 * system. */
static int kept_momenta(const cst_plan *p, int method) {
  const cst_system *s = p->study->problem.system;
  if (s->model->traits & (CST_NONHOLONOMIC | CST_TIMED))
    return 0;
  if (cst_method_has_noise(p->study->methods.method[method]))
    return 0;
  return s->nsym;
}

/* Number of independent constraints of the system that a method steps; zero if springs replace them. */
static int enforced(const cst_system *s) { return cst_system_enforced(s, s->ng); }

static bool wants_temperature(const cst_plan *p) {
  bool wants = false;
  for (int k = 0; k < p->nobservation; k++)
    wants |= p->observation[k].row == CST_OBSERVER(temperature);
  return wants;
}

static void count_freedom(cst_plan *p, cst_diag *d) {
  const cst_system    *s = p->study->problem.system;
  const cst_study_word at = cst_study_place(p->study, "observables");
  p->freedom = cst_zeros(p->study->methods.n, sizeof *p->freedom);
  for (int i = 0; i < p->study->methods.n; i++) {
    const int momenta = kept_momenta(p, i);
    const int rank = enforced(p->method[i]->stepped);
    p->freedom[i] = s->nq - rank - momenta;
    if (p->freedom[i] < 1 && wants_temperature(p))
      cst_diag_add(d, p->study->source.file, at.line, at.column,
                   "'temperature': '%s' by '%s' has no degrees of freedom: %d coordinates less %d "
                   "independent constraints and %d conserved momenta",
                   s->name, cst_method_label(p->study->methods.method[i]), s->nq, rank, momenta);
  }
}

static bool are_all_so(const cst_plan *p, bool (*test)(const cst_program *)) {
  bool all = true;
  for (int i = 0; i < p->study->methods.n; i++)
    all &= test(p->method[i]->program);
  return all;
}

/* Why no method has a compensated form on a system that is general. */
static const char *why_general(const cst_system *s) {
  if (!cst_has(s, CST_MASS_DIAGONAL))
    return "its mass is not a constant diagonal or it has gyroscopic terms";
  return s->model->nforce ? "it has nonconservative forces"
                          : "its potential or a constraint depends on t";
}

/* Reports methods and systems without a compensated form if the study asks for one. */
static void check_compensated(const cst_plan *p, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(p->study, "roundoff.compensated");
  if (!s->steps.compensated)
    return;
  if (!cst_has(s->problem.system, CST_SEPARABLE) &&
      !are_all_so(p, cst_program_always_compensates)) {
    cst_diag_add(d, s->source.file, at.line, at.column,
                 "%s has no compensated form: %s; leave out roundoff: {compensated: true}",
                 s->problem.system->name, why_general(s->problem.system));
    return;
  }
  for (int i = 0; i < s->methods.n; i++)
    if (!cst_program_compensates(p->method[i]->program))
      cst_diag_add(
          d, s->source.file, at.line, at.column,
          "'%s' has no compensated form; with roundoff: {compensated: true} only euler-a, euler-b, "
          "shake, rattle, hbvm(...) and their compositions run",
          cst_method_label(s->methods.method[i]));
}

/* The iterations that some method implements, as bits 1 << cst_iteration. */
static unsigned known_iterations(const cst_plan *p) {
  unsigned known = 0;
  for (int i = 0; i < p->study->methods.n; i++)
    known |= cst_program_iterations(p->method[i]->program);
  return known;
}

/* Reports solver: {iteration:} if no method uses it, or if the system is too large for it. */
static void check_iteration(const cst_plan *p, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(p->study, "solver.iteration");
  const unsigned       known = known_iterations(p);
  if (s->solver.iteration != CST_ITERATION_AUTO && !(known & 1u << s->solver.iteration))
    cst_diag_add(
        d, s->source.file, at.line, at.column,
        "'iteration' is for convert(...), simplified and newton also for hbvm(...), and no method "
        "of this study uses it");
  if (known & 1u << CST_ITERATION_KRYLOV &&
      !cst_stepper_iteration_possible(s->solver.iteration, s->problem.system))
    cst_diag_add(
        d, s->source.file, at.line, at.column,
        "this 'iteration' of convert(...) needs dense matrices of at most %d coordinates, and %s "
        "has %d%s; leave it out or use krylov",
        CST_MAX_Q, s->problem.system->name, s->problem.system->nq,
        s->problem.system->model->gram.banded ? " that couple as a band" : "");
}

/* Reports errors that are read at more times than a reference can hold. */
enum { MOST_READS = 20000000 };

static void check_reads(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "reference");
  double               reads = 0;
  if (p->study->reference.kind != CST_REFERENCE_METHOD)
    return;
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *class = &p->classes[p->class_of[i]];
    const long every = class->read;
    if (every > 0)
      reads += (double)(p->cases[i].n / every);
    if (class->shown_every > 0)
      reads += (double)(p->cases[i].n / class->shown_every);
    reads += class->shown_samples ? class->nsample : 0;
  }
  if (reads > MOST_READS)
    cst_diag_add(
        d, p->study->source.file, at.line, at.column,
        "the reference would be read at %.0f times; at most %d are allowed: errors over the end or "
        "the coarse mesh take fewer",
        reads, MOST_READS);
}

enum { MOST_KEPT = 1 << 20 };

/* Reports averages of multipliers for which a trajectory would keep too many numbers. */
static void check_means(const cst_plan *p, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(s, "methods");
  for (int k = 0; k < p->nclass; k++) {
    const cst_class *c = &p->classes[k];
    const double     numbers = cst_plan_class_mean_numbers(p, c);
    if (numbers <= MOST_KEPT)
      continue;
    cst_diag_add(d, s->source.file, at.line, at.column,
                 "the average of '%s' takes %g%s, in steps of %g, and a trajectory would keep %.0f "
                 "numbers for it, the multipliers of all its steps; at most %d are allowed",
                 cst_method_label(s->methods.method[c->method]),
                 p->method[c->method]->properties.mean, cst_system_unit(s->problem.system, "time"),
                 c->h, numbers, MOST_KEPT);
    return;
  }
}

/* ---- equal steps ----------------------------------------------------------------------------- */

/* What relies on them, where this method of the study has others. */
typedef struct {
  const cst_plan *p;
  cst_diag       *d;
  int             method;
} unequal;

static void refuse(const unequal *x, const char *what, const char *name) {
  const cst_study     *s = x->p->study;
  const cst_study_word at = cst_study_place(s, "methods");
  cst_diag_add(x->d, s->source.file, at.line, at.column,
               "%s%s relies on steps of equal length, and '%s' changes the lengths of its steps",
               what, name, cst_method_label(s->methods.method[x->method]));
}

static void check_reliant_substeps(const unequal *x) {
  const cst_prepared *m = x->p->method[x->method];
  for (int i = 0; i < m->program->n; i++)
    if (m->program->step[i].row->features & CST_NEEDS_EQUAL_STEPS)
      refuse(x, "its substep ", m->program->step[i].row->name);
  if (m->properties.mean > 0)
    refuse(x, "the mean of multipliers", "");
}

static void check_reliant(const unequal *x) {
  const cst_plan  *p = x->p;
  const cst_study *s = p->study;
  if (cst_study_needs(s, CST_NEEDS_EQUAL_STEPS))
    refuse(x, "study: ", s->kind->name);
  if (s->reference.kind != CST_REFERENCE_NONE && s->reference.kind != CST_REFERENCE_EXACT)
    refuse(x, "a reference other than 'exact'", "");
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_collector *c = cst_collectors[k];
    if (c->needs & CST_NEEDS_EQUAL_STEPS && (!c->plan.wanted || c->plan.wanted(p)))
      refuse(x, "what is kept of the run, ", c->doc);
  }
  for (int k = 0; k < p->nobservation; k++)
    if (p->observation[k].wanted && p->observation[k].row->needs & CST_NEEDS_EQUAL_STEPS)
      refuse(x, "the observable ", p->observation[k].row->name);
  check_reliant_substeps(x);
}

void cst_plan_check_steps(const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < p->study->methods.n; i++)
    if (cst_program_has(p->method[i]->program, CST_VARIES))
      check_reliant(&(unequal){p, d, i});
}

/* ---- the whole plan -------------------------------------------------------------------------- */

static cst_prepared *prepare(const cst_study *s, const cst_method *m) {
  cst_prepared *p = cst_method_prepare(m, s->problem.system);
  p->flat = s->problem.flat;
  return p;
}

static void prepare_methods(cst_plan *p) {
  const cst_study *s = p->study;
  p->method = cst_zeros(s->methods.n, sizeof *p->method);
  for (int i = 0; i < s->methods.n; i++) {
    p->method[i] = prepare(s, s->methods.method[i]);
    cst_plan_make_sparse(p, i);
  }
  if (s->reference.method)
    p->reference = prepare(s, s->reference.method);
}

static void cost_classes(cst_plan *p) {
  for (int k = 0; k < p->nclass; k++) {
    cst_class *c = &p->classes[k];
    c->cost = cst_plan_step_cost(p, c);
    p->cost += (double)c->lanes * (double)c->n * c->cost;
  }
}

static void check_built(const cst_plan *p, int isa, cst_diag *d) {
  for (int i = 0; i < p->study->methods.n; i++)
    if (!cst_program_is_built(p->method[i]->program, isa))
      cst_diag_add(d, p->study->source.file, 0, 0, "%s is not built for the instruction set %s",
                   cst_method_label(p->study->methods.method[i]), cst_isas[isa].name);
}

static bool check_isa(int isa, cst_diag *d) {
  if (cst_isa_available(isa))
    return true;
  cst_diag_add(d, NULL, 0, 0, "this CPU cannot run lane code of the instruction set %s",
               isa >= 0 && isa < cst_isa_count ? cst_isas[isa].name : "that was asked for");
  return false;
}

cst_plan *cst_plan_create(const cst_study *s, int isa, cst_diag *d) {
  const int before = cst_diag_count(d);
  if (!check_isa(isa, d))
    return NULL;
  cst_plan *p = cst_need(calloc(1, sizeof *p));
  p->study = s;
  p->settled = cst_zeros(cst_collector_count, sizeof *p->settled);
  prepare_methods(p);
  check_compensated(p, d);
  check_iteration(p, d);
  cst_plan_check_engines(p, d);
  check_built(p, isa, d);
  p->cases = cst_study_cases(s, &p->ncase);
  make_classes(p);
  check_means(p, d);
  p->isa = cst_plan_fitting_isa(p, isa);
  make_looks(p);
  check_blocks(p, d);
  ask_collectors(p);
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->plan.settle)
      p->settled[k] = cst_collectors[k]->plan.settle(p, d);
  count_freedom(p, d);
  cost_classes(p);
  check_reads(p, d);
  cst_plan_check_steps(p, d);
  if (cst_diag_count(d) == before)
    cst_plan_check_names(p, d);
  if (cst_diag_count(d) == before)
    return p;
  cst_plan_destroy(p);
  return NULL;
}

void cst_plan_destroy(cst_plan *p) {
  if (!p)
    return;
  for (int k = 0; k < p->nclass; k++) {
    free(p->classes[k].cases);
    free(p->classes[k].sample);
  }
  for (int i = 0; i < p->nobservation; i++)
    cst_tape_destroy(p->observation[i].tape);
  free(p->freedom);
  for (int k = 0; k < cst_collector_count; k++)
    free(p->settled[k]);
  free(p->settled);
  free(p->observation);
  free(p->classes);
  free(p->class_of);
  free(p->cases);
  free(p->quantity);
  for (int i = 0; i < p->study->methods.n; i++)
    cst_program_prepared_destroy(p->method[i]);
  free(p->method);
  cst_program_prepared_destroy(p->reference);
  cst_division_destroy(p->division);
  free(p);
}

/* Averages exist for wanted quantities that drift: constraints are near zero, and distances from the start
 * have no average. */
bool cst_plan_averages(const cst_plan *p, int quantity) {
  bool wanted = false;
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observation *x = &p->observation[k];
    wanted |= x->wanted && quantity >= x->first && quantity < x->first + x->count;
  }
  return wanted && p->averages && p->quantity[quantity].drifts;
}

const double *cst_plan_parameters(const cst_plan *p, int variant) {
  return p->study->problem.parameter + (size_t)variant * (size_t)p->study->problem.system->npar;
}

long cst_plan_lane(const cst_plan *p, long icase, long member) {
  const cst_class *k = &p->classes[p->class_of[icase]];
  int              at = 0;
  for (int end = k->ncase; end - at > 1;) { /* the cases ascend */
    const int half = at + (end - at) / 2;
    *(k->cases[half] <= icase ? &at : &end) = half;
  }
  return at * p->study->ensemble.members + member;
}

void cst_plan_trajectory(const cst_plan *p, int class, long lane, long *icase, long *member) {
  *icase = p->classes[class].cases[lane / p->study->ensemble.members];
  *member = lane % p->study->ensemble.members;
}
