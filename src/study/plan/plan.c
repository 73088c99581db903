/* plan.c: turns a study into classes of cases (plan-classes.c) and their quantities. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/plan/plan-stages.h"
#include "study/collector.h"
#include "study/plan/division.h"
#include "study/plan/plan.h"
#include "study/plan/clock.h"

enum { FEW_MEMBERS = 16, BLOCKS_OF_FEW = 16 };

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
  cst_observation *x = &p->observation[p->nobservation++];
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
    for (int k = 0; k < s->nobservable && x->expression; k++)
      if (x->expression == s->observable[k].expression)
        changes |= cst_stages_change(p, s->observable[k].node);
    for (int k = x->first; k < x->first + x->count && changes; k++)
      p->quantity[k].judged = false;
  }
}

/* Every study has every observer, so that all results look alike. Those that are not wanted measure nothing.
 */
static void make_looks(cst_plan *p) {
  const cst_study *s = p->study;
  p->observation = cst_zeros(cst_observer_count + s->nobservable, sizeof *p->observation);
  for (int k = 0; k < cst_observer_count; k++) {
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
    for (int m = 0; m < p->study->nmethod; m++)
      found = found || carries(p->method[m], row->state);
    if (!found)
      cst_diag_add(d, p->study->file, at.line, at.column,
                   "'%s' is kept by none of the methods of this study", row->name);
  }
}

static void ask_collectors(cst_plan *p) {
  const int blocks = p->study->members < FEW_MEMBERS ? BLOCKS_OF_FEW : 1;
  for (int k = 0; k < cst_collector_count; k++)
    p->averages |= cst_collectors[k]->averages && cst_collectors[k]->averages(p->study);
  for (int k = 0; k < cst_collector_count; k++) {
    if (!cst_collectors[k]->demand)
      continue;
    const cst_demand d = cst_collectors[k]->demand(p);
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
  for (int k = 0; k < p->nobservation; k++)
    wants |= p->observation[k].row == CST_OBSERVER(temperature);
  return wants;
}

static void count_freedom(cst_plan *p, cst_diag *d) {
  const cst_system    *s = p->study->system;
  const cst_study_word at = cst_study_place(p->study, "observables");
  p->freedom = cst_zeros(p->study->nmethod, sizeof *p->freedom);
  for (int i = 0; i < p->study->nmethod; i++) {
    const int momenta = kept_momenta(p, i);
    const int rank = enforced(p->method[i]->stepped);
    p->freedom[i] = s->nq - rank - momenta;
    if (p->freedom[i] < 1 && wants_temperature(p))
      cst_diag_add(d, p->study->file, at.line, at.column,
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

/* Why no method has a compensated form on a system that is general. */
static const char *why_general(const cst_system *s) {
  if (!s->diagonal)
    return "its mass is not a constant diagonal or it has gyroscopic terms";
  return s->nforce ? "it has nonconservative forces" : "its potential or a constraint depends on t";
}

/* Reports methods and systems without a compensated form if the study asks for one. */
static void check_compensated(const cst_plan *p, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(p->study, "roundoff.compensated");
  if (!s->compensated)
    return;
  if (s->system->general && !are_all_so(p, cst_program_always_compensates)) {
    cst_diag_add(d, s->file, at.line, at.column,
                 "%s has no compensated form: %s; leave out roundoff: {compensated: true}",
                 s->system->name, why_general(s->system));
    return;
  }
  for (int i = 0; i < s->nmethod; i++)
    if (!cst_program_compensates(p->method[i]->program))
      cst_diag_add(
          d, s->file, at.line, at.column,
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
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(p->study, "solver.iteration");
  const unsigned       known = known_iterations(p);
  if (s->iteration != CST_ITERATION_AUTO && !(known & 1u << s->iteration))
    cst_diag_add(
        d, s->file, at.line, at.column,
        "'iteration' is for convert(...), simplified and newton also for hbvm(...), and no method "
        "of this study uses it");
  if (known & 1u << CST_ITERATION_KRYLOV &&
      !cst_stepper_iteration_possible(s->iteration, s->system))
    cst_diag_add(
        d, s->file, at.line, at.column,
        "this 'iteration' of convert(...) needs dense matrices of at most %d coordinates, and %s "
        "has %d%s; leave it out or use krylov",
        CST_MAX_Q, s->system->name, s->system->nq,
        s->system->gram.banded ? " that couple as a band" : "");
}

/* Reports errors that are read at more times than a reference can hold. */
enum { MOST_READS = 20000000 };

static void check_reads(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "reference");
  double               reads = 0;
  if (p->study->reference != CST_REFERENCE_METHOD)
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
        d, p->study->file, at.line, at.column,
        "the reference would be read at %.0f times; at most %d are allowed: errors over the end or "
        "the coarse mesh take fewer",
        reads, MOST_READS);
}

/* Reports averages of multipliers that are longer than twice the spacing at which errors are read. */
static void check_means(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "methods");
  const char          *unit = cst_system_unit(p->study->system, "time");
  for (int k = 0; k < p->nclass; k++) {
    const cst_class *c = &p->classes[k];
    const double     mean = p->method[c->method]->properties.mean;
    if (mean == 0 || c->read == 0)
      continue;
    if (2 * cst_properties_back(&p->method[c->method]->properties, c->h) <= (double)c->read)
      continue;
    cst_diag_add(
        d, p->study->file, at.line, at.column,
        "the average of '%s' takes %g%s, and errors are read every %g%s; use a coarser mesh for "
        "'error', or 'over: end'",
        cst_method_label(p->study->method[c->method]), mean, unit, cst_clock_at(c, (double)c->read),
        unit);
    return;
  }
}

static void prepare_methods(cst_plan *p) {
  const cst_study *s = p->study;
  p->method = cst_zeros(s->nmethod, sizeof *p->method);
  for (int i = 0; i < s->nmethod; i++) {
    p->method[i] = cst_method_prepare(s->method[i], s->system);
    cst_plan_make_sparse(p, i);
  }
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

static void check_built(const cst_plan *p, int isa, cst_diag *d) {
  for (int i = 0; i < p->study->nmethod; i++)
    if (!cst_program_is_built(p->method[i]->program, isa))
      cst_diag_add(d, p->study->file, 0, 0, "%s is not built for the instruction set %s",
                   cst_method_label(p->study->method[i]), cst_isas[isa].name);
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
  cst_plan_classes_make(p);
  check_means(p, d);
  p->isa = cst_plan_fitting_isa(p, isa);
  make_looks(p);
  check_blocks(p, d);
  ask_collectors(p);
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->settle)
      p->settled[k] = cst_collectors[k]->settle(p, d);
  count_freedom(p, d);
  cost_classes(p);
  check_reads(p, d);
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
  for (int i = 0; i < p->study->nmethod; i++)
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

void cst_plan_trajectory(const cst_plan *p, int class, long lane, long *icase, long *member) {
  *icase = p->classes[class].cases[lane / p->study->members];
  *member = lane % p->study->members;
}
