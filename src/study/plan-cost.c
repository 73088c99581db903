/* plan-cost.c: what a plan costs: time of its steps, memory, the size of the result. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/method.h"
#include "constella/statistics.h"
#include "study/reference.h"
#include "study/rows.h"
#include "system/group.h"

enum { GROUP_BYTES = 1 << 20 };

/* The largest matrices of a solver, in numbers a lane, and the most that a method keeps from step to step beside its state. */
static void solver_numbers(const cst_study *s, double *matrix, double *kept) {
  *matrix = *kept = 0;
  for (int i = 0; i < s->nmethod; i++) {
    cst_program     *p = cst_program_create_on(s->method[i], s->system);
    double           own = 0;
    int              n;
    cst_state_place *state = cst_program_state(p, s->system, 0, &n);
    for (int k = 0; k < n; k++) own += state[k].n;
    for (int k = 0; k < p->n; k++) {
      const cst_substep_size size = p->step[k].row->size(p->step[k].data, s->system);
      *matrix = fmax(*matrix, size.matrix);
      own += size.kept;
    }
    free(state);
    *kept = fmax(*kept, own);
    cst_program_destroy(p);
  }
}

double cst_plan_lane_bytes(const cst_study *study) {
  const cst_system *s = study->system;
  double            matrix, kept;
  solver_numbers(study, &matrix, &kept);
  return 8.0 * (kept + cst_layout_of(s->npar, s->nmass, s->nq, s->ng).own + (s->nsym + 6.0) * CST_SLOTS);
}

/* What the arithmetic of one group needs besides, a lane: matrices of Newton's method. */
static double work_bytes(const cst_study *study) {
  const cst_system *s = study->system;
  double            matrix, kept;
  solver_numbers(study, &matrix, &kept);
  return 8.0 * matrix + 8.0 * (s->gram.size + 2.0 * s->pattern[CST_K_G].n + s->pattern[CST_K_d2V].n + s->pattern[CST_K_M].n +
                               s->pattern[CST_K_Lvq].n + s->pattern[CST_K_Lqq].n);
}

long cst_plan_most_lanes(const cst_plan *p) {
  long most = 0;
  for (int k = 0; k < p->nclass; k++) most = p->classes[k].lanes > most ? p->classes[k].lanes : most;
  return most;
}

/* Few trajectories would leave most lanes of a wide set idle, and large groups fall out of the caches: both take a narrower set, whose bits
 * are the same. CONSTELLA_ISA is obeyed. */
int cst_plan_fitting_isa(const cst_plan *p, int isa) {
  const char  *forced = getenv("CONSTELLA_ISA");
  const double bytes = cst_plan_lane_bytes(p->study) + work_bytes(p->study);
  for (int i = 0; i < isa && (!forced || !*forced); i++) {
    const bool last = cst_isas[i].width >= cst_plan_most_lanes(p), next_falls_out = 2 * cst_isas[i].width * bytes > GROUP_BYTES;
    if (cst_isa_available(i) && (last || next_falls_out)) return i;
  }
  return isa;
}

static double program_cost(const cst_method *m, const cst_system *s) {
  cst_program *p = cst_program_create(m);
  double       sum = 0;
  for (int i = 0; i < p->n; i++) sum += cst_substep_size_on(&p->step[i], s).cost;
  cst_program_destroy(p);
  return sum;
}

/* The same of one fold of all quantities. */
static double look_cost(const cst_plan *p) {
  const cst_system *s = p->study->system;
  return 0.8 * p->nquantity + 0.5 * (s->nq + s->pattern[CST_K_G].n + s->pattern[CST_K_xi].n);
}

double cst_plan_step_cost(const cst_plan *p, const cst_class *k) {
  return program_cost(p->study->method[k->method], p->study->system) + look_cost(p) / (double)k->observe;
}

double cst_plan_steps(const cst_plan *p) {
  double sum = 0;
  for (int i = 0; i < p->ncase; i++) sum += (double)p->cases[i].n * (double)p->study->members;
  return sum;
}

static double series_cells(const cst_plan *p) { return (double)p->ncase * p->most_samples * p->nquantity; }

static int windowed(const cst_plan *p) {
  int n = 0;
  for (int i = 0; i < p->nquantity; i++) n += p->quantity[i].windows;
  return n;
}

/* Rows of the table of reference states, where times of different cases are not taken together. */
static double reference_rows(const cst_plan *p) {
  double rows = 0;
  if (p->study->reference != CST_REFERENCE_METHOD) return 0;
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    const double     times = k->lead > 0 || p->properties[p->cases[i].method].lambda_time == 1 || !p->study->system->ng ? 1 : 2;
    rows += times * (double)(k->read > 0 ? k->n / k->read : 0);
  }
  return rows * (double)(p->study->members + cst_reference_twice(p->study));
}

/* A method keeps its batch: records, their last good columns, saved ones and the solver's vectors; with reference: self its partner's, too.
 * A checkpoint takes a copy of the batch at work, and rank 0 has room for one of another rank; and a mark for every trajectory, twice. */
double cst_plan_memory(const cst_plan *p, long batch) {
  const cst_system *s = p->study->system;
  const double      batches = 4.0 * p->study->nmethod * (p->study->reference == CST_REFERENCE_SELF ? 2 : 1);
  const double      group = cst_isas[p->isa].width * work_bytes(p->study) + 8 * reference_rows(p) * (2.0 * s->nq + s->ng);
  const double      state = cst_plan_lane_bytes(p->study);
  const double      row = 8.0 * (windowed(p) * CST_WINDOWS + p->nquantity * CST_FIGURES + 4.0 * s->nq + 2.0 * s->ng);
  const double      column =
      8.0 * (double)p->study->members * (cst_study_needs(p->study, CST_NEEDS_WINDOWS) ? windowed(p) * CST_WINDOWS : 4.0 + s->nq + s->ng);
  const double series = p->study->members > 1 ? 2 * series_cells(p) * (sizeof(cst_sum) + 16) : 0;
  return 60e6 + group + (batches * state + row + 2 * (state + row)) * (double)batch + series + column +
         2.0 * (double)p->study->members * p->ncase;
}

double cst_plan_file_size(const cst_plan *p) {
  const cst_system *s = p->study->system;
  double            row = 8.0 * (2.0 * s->nq + s->ng + p->nquantity * CST_FIGURES + 8) + 1;
  if (cst_study_needs(p->study, CST_NEEDS_WINDOWS)) row += 8.0 * windowed(p) * CST_WINDOWS;
  return 2e5 + row * p->ncase * (double)p->study->members + (p->study->members > 1 ? 24 + sizeof(cst_sum) : 16) * series_cells(p);
}
