/* plan.c: turns a study into classes of cases and their quantities. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/plan/plan.h"
#include "study/reference/reference.h"

enum { OBSERVE_MOST = 15, OBSERVE_TIMES = 1024, FEW_MEMBERS = 16, BLOCKS_OF_FEW = 16 };

/* Observe every k-th step, k the largest odd number not above min(15, n / 1024), at least 1. */
static long observe_every(const cst_study *s, long n) {
  long k = n / OBSERVE_TIMES < OBSERVE_MOST ? n / OBSERVE_TIMES : OBSERVE_MOST;
  if (s->observe_every || k < 1)
    return 1;
  return k % 2 ? k : k - 1;
}

/* At most `count` of the steps 0..n, equidistant, or equidistant in the logarithm after 0; they include 0 and
 * n. */
static int sample_steps(const cst_study *s, long n, long **steps) {
  int  k = 0;
  long last = -1;
  *steps = NULL;
  if (s->samples <= 0)
    return 0;
  const int count = s->samples < 2 ? 2 : s->samples;
  *steps = cst_zeros(count, sizeof **steps);
  for (int i = 0; i < count; i++) {
    double part;
    if (s->samples_log)
      part = (i - 1.0) / (count - 2);
    else
      part = i / (count - 1.0);
    double at = i == 0           ? 0
                : s->samples_log ? cst_elementary_exp(cst_elementary_log((double)n) * part)
                                 : (double)n * part;
    long   step = i == count - 1 ? n : lround(at);
    if (step > last && step <= n)
      (*steps)[k++] = last = step;
  }
  return k;
}

/* Steps between reads of the error: 1 on the mesh, the spacing of the coarse mesh, or the whole run. */
static long read_every(const cst_study *s, const cst_case *c) {
  const cst_case *coarsest = c - c->step; /* the steps of a method decrease */
  if (s->reference == CST_REFERENCE_NONE)
    return 0;
  if (s->over == CST_OVER_MESH)
    return 1;
  if (s->over == CST_OVER_COARSE)
    return c->n / coarsest->n;
  return c->n;
}

/* On the coarse mesh the multipliers are compared at its points t_0 .. t_(N-1) if a step's multipliers belong
 * to its left end: those of the step that begins there. */
static long read_lead(const cst_plan *p, const cst_case *c) {
  return p->study->over == CST_OVER_COARSE && p->study->system->ng > 0 &&
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
  k->after = (long)ceil(s->burn_in * (double)c->n - 1e-9);
  k->nsample = sample_steps(s, c->n, &k->sample);
  if (k->nsample > p->most_samples)
    p->most_samples = k->nsample;
  return p->nclass++;
}

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
    k->lanes = k->ncase * p->study->members;
  }
  free(t.slot);
}

/* ---- quantities ------------------------------------------------------------------------------ */

static bool is_wanted(const cst_study *s, const cst_observer *row) {
  bool wanted = row->always;
  for (int i = 0; i < s->nobservable; i++)
    wanted |= s->observable[i].observer == row;
  return wanted;
}

/* o: the entry in the study file; NULL: there is none. */
static void add_look(cst_plan *p, const cst_observer *row, const cst_observable *o) {
  const cst_study *s = p->study;
  cst_observation *x = &p->look[p->nlook++];
  *x = (cst_observation){.row = row,
                         .system = s->system,
                         .wanted = o || is_wanted(s, row),
                         .hidden_norm = (int)s->hidden,
                         .first = p->nquantity};
  if (row->count)
    x->count = row->count(s->system);
  else
    x->count = 1;
  if (o) {
    x->name = o->name;
    x->expression = o->expression;
    x->tape = cst_tape_create(s->system->graph, &o->node, 1);
    p->needs_lambda |= cst_graph_depends(s->system->graph, o->node, 'l');
  }
  p->quantity =
      cst_need(realloc(p->quantity, (size_t)(p->nquantity + x->count + 1) * sizeof *p->quantity));
  for (int k = 0; k < x->count; k++)
    row->describe(x, k, &p->quantity[p->nquantity++]);
}

/* Every study has every observer, so that all results look alike. Those that are not wanted measure nothing.
 */
static void make_looks(cst_plan *p) {
  const cst_study *s = p->study;
  p->look = cst_zeros(CST_OBSERVERS + s->nobservable, sizeof *p->look);
  for (int k = 0; k < CST_OBSERVERS; k++) {
    const cst_observer *row = cst_observers[k];
    if (row->expression)
      continue;
    if (!row->optional || is_wanted(s, row))
      add_look(p, row, NULL);
  }
  p->nbuiltin = p->nquantity;
  for (int i = 0; i < s->nobservable; i++) {
    const cst_observable *o = &s->observable[i];
    if (o->observer->expression)
      add_look(p, o->observer, o);
  }
}

static void make_histograms(cst_plan *p) {
  const cst_study *s = p->study;
  p->histogram = cst_zeros(s->nhistogram, sizeof *p->histogram);
  p->blocks = s->members < FEW_MEMBERS ? BLOCKS_OF_FEW : 1;
  for (int i = 0; i < s->nhistogram; i++) {
    const cst_histogram *h = &s->histogram[i];
    p->histogram[i] = cst_tape_create(s->system->graph, h->node, h->n);
    for (int k = 0; k < h->n; k++)
      p->needs_lambda |= cst_graph_depends(s->system->graph, h->node[k], 'l');
  }
}

/* Momenta that the motion conserves: those of all symmetries, unless something exchanges momentum with the
 * system. */
static int kept_momenta(const cst_plan *p, int method) {
  const cst_system *s = p->study->system;
  if (s->nvel || s->timed)
    return 0;
  if (cst_method_has_noise(p->study->method[method]))
    return 0;
  return s->nsym;
}

/* Number of independent constraints of the system that a method steps; zero if springs replace them. */
static int enforced(const cst_system *s) {
  int n = s->ng;
  for (int a = 0; a < s->ng && s->dropped; a++)
    n -= s->dropped[a] != 0;
  return n;
}

static bool wants_temperature(const cst_plan *p) {
  bool wants = false;
  for (int k = 0; k < p->nlook; k++)
    wants |= p->look[k].row == cst_observers[CST_OBSERVER_temperature];
  return wants;
}

static void count_freedom(cst_plan *p, cst_diag *d) {
  const cst_system *s = p->study->system;
  p->freedom = cst_zeros(p->study->nmethod, sizeof *p->freedom);
  for (int i = 0; i < p->study->nmethod; i++) {
    const int momenta = kept_momenta(p, i);
    const int rank = enforced(p->method[i]->stepped);
    p->freedom[i] = s->nq - rank - momenta;
    if (p->freedom[i] < 1 && wants_temperature(p))
      cst_diag_add(d, p->study->file, 1, 1,
                   "'temperature': '%s' by '%s' has no degrees of freedom: %d coordinates less %d "
                   "independent constraints and %d conserved momenta",
                   s->name, cst_method_label(p->study->method[i]), s->nq, rank, momenta);
  }
}

static bool are_all_so(const cst_plan *p, bool (*test)(const cst_program *)) {
  bool all = true;
  for (int i = 0; i < p->study->nmethod; i++)
    all &= test(p->method[i]->program);
  return all;
}

/* Reports methods and systems without a compensated form if the study asks for one. */
static void check_compensated(const cst_plan *p, cst_diag *d) {
  const cst_study *s = p->study;
  if (!s->compensated)
    return;
  if (s->system->general && !are_all_so(p, cst_program_always_compensates)) {
    cst_diag_add(
        d, s->file, 1, 1,
        "%s has no compensated form: its mass is not a constant diagonal or it has gyroscopic "
        "terms; leave out roundoff: {compensated: true}",
        s->system->name);
    return;
  }
  for (int i = 0; i < s->nmethod; i++)
    if (!cst_program_compensates(p->method[i]->program))
      cst_diag_add(
          d, s->file, 1, 1,
          "'%s' has no compensated form; with roundoff: {compensated: true} only euler-a, euler-b, "
          "shake, rattle, hbvm(...) and their compositions run",
          cst_method_label(s->method[i]));
}

/* The iterations that some method implements, as bits 1 << cst_iteration. */
static unsigned known_iterations(const cst_plan *p) {
  unsigned known = 0;
  for (int i = 0; i < p->study->nmethod; i++)
    known |= cst_program_iterations(p->method[i]->program);
  return known;
}

/* Reports solver: {iteration:} if no method uses it, or if the system is too large for it. */
static void check_iteration(const cst_plan *p, cst_diag *d) {
  const cst_study *s = p->study;
  const unsigned   known = known_iterations(p);
  if (s->iteration != CST_ITERATION_AUTO && !(known & 1u << s->iteration))
    cst_diag_add(
        d, s->file, 1, 1,
        "'iteration' is for convert(...), simplified and newton also for hbvm(...), and no method "
        "of this study uses it");
  if (known & 1u << CST_ITERATION_KRYLOV &&
      !cst_stepper_iteration_possible(s->iteration, s->system))
    cst_diag_add(
        d, s->file, 1, 1,
        "this 'iteration' of convert(...) needs dense matrices of at most %d coordinates, and %s "
        "has %d%s; leave it out or use krylov",
        CST_MAX_Q, s->system->name, s->system->nq,
        s->system->gram.banded ? " that couple as a band" : "");
}

/* Reports averages of multipliers that are longer than twice the spacing at which errors are read. */
static void check_means(const cst_plan *p, cst_diag *d) {
  for (int k = 0; k < p->nclass; k++) {
    const cst_class *c = &p->classes[k];
    const double     mean = p->method[c->method]->properties.mean;
    if (mean == 0 || c->read == 0)
      continue;
    if (2 * cst_properties_back(&p->method[c->method]->properties, c->h) <= (double)c->read)
      continue;
    cst_diag_add(
        d, p->study->file, 1, 1,
        "the average of '%s' takes %g, and errors are read every %g; use a coarser mesh for "
        "'error', or 'over: end'",
        cst_method_label(p->study->method[c->method]), mean, (double)c->read * c->h);
    return;
  }
}

static void prepare_methods(cst_plan *p) {
  const cst_study *s = p->study;
  p->method = cst_zeros(s->nmethod, sizeof *p->method);
  for (int i = 0; i < s->nmethod; i++)
    p->method[i] = cst_method_prepare(s->method[i], s->system);
  if (s->reference_method)
    p->reference = cst_method_prepare(s->reference_method, s->system);
}

static void cost_classes(cst_plan *p) {
  for (int k = 0; k < p->nclass; k++) {
    cst_class *c = &p->classes[k];
    c->cost = cst_plan_step_cost(p, c);
    p->cost += (double)c->lanes * (double)c->n * c->cost;
  }
}

cst_plan *cst_plan_create(const cst_study *s, int isa, cst_diag *d) {
  const int before = cst_diag_count(d);
  cst_plan *p = cst_need(calloc(1, sizeof *p));
  p->study = s;
  prepare_methods(p);
  check_compensated(p, d);
  check_iteration(p, d);
  p->cases = cst_study_cases(s, &p->ncase);
  make_classes(p);
  check_means(p, d);
  p->isa = cst_plan_fitting_isa(p, isa);
  make_looks(p);
  make_histograms(p);
  cst_plan_find_stored(p, d);
  count_freedom(p, d);
  cost_classes(p);
  cst_reference_check(p, d);
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
  for (int i = 0; i < p->nlook; i++)
    cst_tape_destroy(p->look[i].tape);
  for (int i = 0; i < p->study->nhistogram; i++)
    cst_tape_destroy(p->histogram[i]);
  free(p->histogram);
  free(p->freedom);
  free(p->stored);
  free(p->look);
  free(p->classes);
  free(p->class_of);
  free(p->cases);
  free(p->quantity);
  for (int i = 0; i < p->study->nmethod; i++)
    cst_program_prepared_destroy(p->method[i]);
  free(p->method);
  cst_program_prepared_destroy(p->reference);
  free(p);
}

/* Averages exist for wanted quantities that drift: constraints are near zero, and distances from the start
 * have no average. */
bool cst_plan_averages(const cst_plan *p, int quantity) {
  bool wanted = false;
  for (int k = 0; k < p->nlook; k++) {
    const cst_observation *x = &p->look[k];
    wanted |= x->wanted && quantity >= x->first && quantity < x->first + x->count;
  }
  return wanted && p->study->averages && p->quantity[quantity].drifts;
}

const double *cst_plan_parameters(const cst_plan *p, int variant) {
  return p->study->parameter + (size_t)variant * (size_t)p->study->system->npar;
}

long cst_plan_lane(const cst_plan *p, long icase, long member) {
  const cst_class *k = &p->classes[p->class_of[icase]];
  int              at = 0;
  for (int end = k->ncase; end - at > 1;) { /* the cases ascend */
    const int half = at + (end - at) / 2;
    *(k->cases[half] <= icase ? &at : &end) = half;
  }
  return at * p->study->members + member;
}

void cst_plan_trajectory(const cst_plan *p, int cohort, long lane, long *icase, long *member) {
  *icase = p->classes[cohort].cases[lane / p->study->members];
  *member = lane % p->study->members;
}
