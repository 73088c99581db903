/* plan-cost.c: the cost of the steps of a plan, the memory per lane, and the lane width that suits it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/method.h"
#include "study/collector.h"
#include "study/file/relax.h"
#include "study/plan/plan.h"
#include "system/derive/find-molecules.h"
#include "system/lane/record.h"

enum { GROUP_BYTES = 1 << 20 };

/* Numbers that method i keeps per lane between steps, besides the layout of the system. */
static double method_numbers(const cst_plan *plan, int i, double *matrix) {
  const cst_system  *s = plan->study->system;
  const cst_system  *on = plan->method[i]->stepped;
  const cst_program *p = plan->method[i]->program;
  double             own = 0;
  int                n;
  cst_state_place   *state = cst_program_state(p, on, 0, &n);
  if (on != s)
    own += s->ng + 1 + cst_layout_of(on->npar, on->nmass, on->nq, on->ng).own;
  for (int k = 0; k < n; k++)
    own += state[k].n;
  for (int k = 0; k < p->n; k++) {
    const cst_substep_size size = p->step[k].row->size(p->step[k].data, on);
    *matrix = fmax(*matrix, size.matrix);
    own += cst_substep_kept(&size, true);
  }
  free(state);
  return own;
}

/* *matrix: size of the solver's largest matrices, in numbers per lane. *kept: most numbers that a method
 * keeps between steps in addition to its state. */
static void solver_numbers(const cst_plan *plan, double *matrix, double *kept) {
  *matrix = 0;
  *kept = 0;
  for (int i = 0; i < plan->study->nmethod; i++) {
    const double own = method_numbers(plan, i, matrix);
    *kept = fmax(*kept, own);
  }
}

double cst_plan_lane_bytes(const cst_plan *p) {
  const cst_system *s = p->study->system;
  double            matrix, kept;
  solver_numbers(p, &matrix, &kept);
  return 8.0 *
         (kept + cst_layout_of(s->npar, s->nmass, s->nq, s->ng).own + (s->nsym + 6.0) * CST_SLOTS);
}

enum { REASON_AND_STEP = 2 };

long cst_plan_state_numbers(const cst_plan *p) {
  const cst_system *s = p->study->system;
  double            matrix, kept;
  solver_numbers(p, &matrix, &kept);
  const long own =
      REASON_AND_STEP + (long)kept + cst_layout_of(s->npar, s->nmass, s->nq, s->ng).own;
  return own * (p->study->reference == CST_REFERENCE_SELF ? 2 : 1);
}

/* Solver workspace per lane, in bytes: matrices of Newton's method. */
double cst_plan_work_bytes(const cst_plan *p) {
  static const cst_kernel_id once[] = {CST_K_d2V, CST_K_M, CST_K_Lvq, CST_K_Lqq};
  const cst_system          *s = p->study->system;
  double                     matrix, kept;
  solver_numbers(p, &matrix, &kept);
  double numbers = s->gram.size + 2.0 * s->pattern[CST_K_G].n;
  for (int k = 0; k < 4; k++)
    numbers += s->pattern[once[k]].n;
  return 8.0 * matrix + 8.0 * numbers;
}

long cst_plan_most_lanes(const cst_plan *p) {
  long most = 0;
  for (int k = 0; k < p->nclass; k++)
    if (p->classes[k].lanes > most)
      most = p->classes[k].lanes;
  return most;
}

/* If a trajectory is alone, lanes work on its pairs (system/lane/pairs.h): many pairs suit a wide set. Limits
 * were measured on water. */
static int width_for_pairs(const cst_system *s) {
  long pairs = 0;
  for (int k = 0; k < s->npairs; k++)
    pairs += s->pairs[k].sum.pairs;
  if (pairs < 64)
    return 1;
  return pairs < 1000 ? 4 : CST_W_MAX;
}

/* The same for lanes over molecules (core/molecules.c), if they are compiled. */
static int width_for_molecules(const cst_study *s) {
  cst_molecules m;
  const int     n = s->compile != CST_COMPILE_NEVER && cst_molecules_find(s->system, &m) ? m.n : 1;
  if (s->compile != CST_COMPILE_NEVER)
    cst_molecules_destroy(&m);
  if (n < 3)
    return 1;
  return n < 5 ? 4 : CST_W_MAX;
}

/* Whether all methods are built for a row of cst_isas. */
static bool is_built(const cst_plan *p, int isa) {
  bool built = !p->reference || cst_program_is_built(p->reference->program, isa);
  for (int i = 0; i < p->study->nmethod; i++)
    built &= cst_program_is_built(p->method[i]->program, isa);
  return built && cst_study_relaxes_on(p->study, isa);
}

/* Few trajectories leave most lanes of a wide set idle, and large groups exceed the caches: both prefer fewer lanes of
 * the same set, whose bits are the same. If the user names a set, it has all its lanes. */
int cst_plan_fitting_isa(const cst_plan *p, int isa) {
  const cst_study *s = p->study;
  const char      *forced = getenv("CONSTELLA_ISA");
  const double     bytes = cst_plan_lane_bytes(p) + cst_plan_work_bytes(p);
  const int        least = CST_LARGER(width_for_pairs(s->system), width_for_molecules(s));
  for (int i = 0; i < isa && (!forced || !*forced); i++) {
    const bool last = cst_isas[i].width >= cst_plan_most_lanes(p);
    const bool next_falls_out = 2 * cst_isas[i].width * bytes > GROUP_BYTES;
    if (cst_isas[i].full == isa && cst_isas[i].width >= least && (last || next_falls_out) &&
        is_built(p, i))
      return i;
  }
  return isa;
}

/* Nanoseconds per step and lane. */
static double program_cost(const cst_program *p, const cst_system *s) {
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    const cst_substep *substep = &p->step[i];
    sum += substep->row->size(substep->data, s).cost;
  }
  return sum;
}

/* Nanoseconds per lane for one observation of all quantities, and what collectors do then. */
static double look_cost(const cst_plan *p) {
  const cst_system *s = p->study->system;
  return p->collect_cost + 0.8 * p->nquantity +
         0.5 * (s->nq + s->pattern[CST_K_G].n + s->pattern[CST_K_xi].n);
}

double cst_plan_look_cost(const cst_plan *p, const cst_class *k) {
  return look_cost(p) / (double)k->observe;
}

double cst_plan_steps_beside(const cst_plan *p, const cst_class *k) {
  double sum = 0;
  for (int i = 0; i < cst_collector_count; i++)
    if (cst_collectors[i]->steps)
      sum += cst_collectors[i]->steps(p, k);
  return sum;
}

double cst_plan_step_cost(const cst_plan *p, const cst_class *k) {
  const cst_prepared *m = p->method[k->method];
  return (1 + cst_plan_steps_beside(p, k)) * program_cost(m->program, m->stepped) +
         cst_plan_look_cost(p, k);
}

double cst_plan_time(const cst_plan *p) {
  const double width = cst_isas[p->isa].width;
  double       sum = 0;
  for (int k = 0; k < p->nclass; k++) {
    const cst_class *class = &p->classes[k];
    const double lanes = ceil((double)class->lanes / width) * width;
    sum += lanes * (double)class->n * class->cost;
  }
  return sum;
}

double cst_plan_steps(const cst_plan *p) {
  double sum = 0;
  for (int i = 0; i < p->ncase; i++)
    sum += (double)p->cases[i].n * (double)p->study->members;
  return sum;
}
