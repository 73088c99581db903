/* plan-cost.c: which engine solves the equations of each method of a plan, the cost of its steps, the memory per lane, and
 * the lane width that suits it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "method/method.h"
#include "method/stepper/stepper-sparse.h"
#include "study/rows/collector.h"
#include "study/file/relax.h"
#include "system/derive/find-molecules.h"
#include "system/lane/record.h"

/* ---- engines --------------------------------------------------------------------------------- */

/* Which engine solves the equations of each method of a plan, and why.
 *
 * Lanes unless the study asks for PETSc's solvers, because they take fewer operations: an iteration of theirs is one
 * elimination, and one of PETSc forms a full Jacobian, by as many corrections or pairs of residuals as it has columns,
 * and eliminates it. Where constraints couple neither few nor as a band, a step of the lanes takes about two
 * eliminations without symmetry and one with it; one of PETSc takes one, whose factors serve several corrections, but
 * for a single trajectory. Factors that are too large for lanes are left to PETSc. Sparse Jacobians of all unknowns are
 * formed by differences: what that takes beside the iterations of the lanes is not counted, and lanes go on.
 */

enum { MOST_UNKNOWNS = 300 }; /* of a full Jacobian */

/* The substep of a method with the most unknowns. */
static const cst_substep *largest(const cst_prepared *m, int *unknowns) {
  const cst_substep *found = &m->program->step[0];
  *unknowns = -1;
  for (int i = 0; i < m->program->n; i++) {
    const cst_substep *x = &m->program->step[i];
    const int          n = x->row->size(x->data, m->stepped).unknowns;
    if (n > *unknowns)
      found = x;
    *unknowns = n > *unknowns ? n : *unknowns;
  }
  return found;
}

void cst_plan_make_sparse(cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  for (int i = 0; i < m->program->n && p->study->solver.engine == CST_ENGINE_PETSC; i++)
    m->program->step[i] = cst_colours_sparse(&m->program->step[i], m->stepped);
}

/* Whether PETSc takes every substep with the sparse S of the constraints. */
static bool takes_gram(const cst_prepared *m) {
  bool takes = m->program->n > 0;
  for (int i = 0; i < m->program->n; i++)
    takes &= cst_sparse_takes(&m->program->step[i], m->stepped);
  return takes;
}

/* Whether PETSc takes every substep that has unknowns with a sparse matrix, whose rows are S or all unknowns. */
static bool takes_sparse(const cst_prepared *m) {
  for (int i = 0; i < m->program->n; i++) {
    const cst_substep *x = &m->program->step[i];
    const int          n = x->row->size(x->data, m->stepped).unknowns;
    if (n > 0 && !cst_sparse_takes(x, m->stepped) && !cst_colours_take(x, m->stepped))
      return false;
  }
  return true;
}

/* Multiplications of a step of one of several trajectories, whose matrix has sparse factors. */
typedef struct {
  double lanes, petsc;
} counts;

enum { CORRECTIONS = 6 }; /* with kept factors */

static counts count(const cst_plan *p, const cst_system *s) {
  const cst_gram *g = &s->model->gram;
  const double    factors = s->ng + 2.0 * (g->row ? g->row[s->ng] : 0);
  const bool several = cst_plan_most_lanes(p) > 1; /* every set of instructions has two lanes */
  return (counts){.lanes = 2.5 * g->work / (several ? 2 : 1),
                  .petsc = g->work + 2 * CORRECTIONS * factors};
}

static bool chooses_petsc(const cst_plan *p, const cst_prepared *m) {
  const cst_gram *g = &m->stepped->model->gram;
  if (!takes_gram(m) || g->form == CST_FORM_BAND)
    return false;
  const counts x = count(p, m->stepped);
  return g->form == CST_FORM_PAIRS || x.petsc < x.lanes;
}

bool cst_plan_is_petsc(const cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  if (!cst_method_iterates(m) || p->study->solver.engine == CST_ENGINE_LANES)
    return false;
  return p->study->solver.engine == CST_ENGINE_PETSC || chooses_petsc(p, m);
}

double cst_plan_multiplications(const cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  if (!takes_gram(m) || !m->stepped->model->gram.row)
    return 0;
  const counts x = count(p, m->stepped);
  return cst_plan_is_petsc(p, method) ? x.petsc : x.lanes;
}

enum { DIFFERENCE = 150 }; /* what those of an entry take, in multiplications; measured on nets */

/* Substeps of one kind share a matrix. */
cst_colours_size cst_plan_matrices(const cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  cst_colours_size    all = {0}, size = {0};
  const cst_substep  *last = NULL;
  for (int i = 0; i < m->program->n && cst_plan_is_petsc(p, method); i++) {
    const cst_substep *x = &m->program->step[i];
    if (cst_sparse_takes(x, m->stepped) || !cst_colours_take(x, m->stepped))
      continue;
    if (!last || last->row != x->row) {
      size = cst_colours_measure(x, m->stepped);
      all.entries += size.entries;
      all.factors += size.factors;
    }
    all.work += size.work + 2 * CORRECTIONS * size.factors + DIFFERENCE * size.entries;
    last = x;
  }
  return all;
}

bool cst_plan_fits_lanes(const cst_plan *p, int method) {
  return p->method[method]->stepped->model->gram.form != CST_FORM_PAIRS;
}

/* Multiplications of an elimination of the lanes: in the order of a band or of sparse factors, or of a full matrix. */
static double elimination(const cst_system *s, double n) {
  const double band = s->model->gram.band + 1.0;
  if (s->model->gram.form == CST_FORM_SPARSE)
    return s->model->gram.work;
  return s->model->gram.banded ? n * band * band : n * n * n / 3 + n * n;
}

static void say_sparse(const cst_plan *p, int method, char *text, size_t n) {
  const cst_prepared *m = p->method[method];
  const cst_gram     *g = &m->stepped->model->gram;
  const counts        x = count(p, m->stepped);
  const bool          petsc = cst_plan_is_petsc(p, method);
  const char         *engine = petsc ? "petsc" : "lanes";
  if (p->study->solver.engine == CST_ENGINE_PETSC)
    snprintf(text, n,
             "petsc: the study asks for it; sparse matrices of %d unknowns with %d entries",
             m->stepped->ng, g->n);
  else if (p->study->solver.engine == CST_ENGINE_LANES)
    snprintf(text, n, "lanes: the study asks for them");
  else if (g->form == CST_FORM_PAIRS)
    snprintf(text, n, "petsc: the sparse factors of %d constraints are too large for lanes",
             m->stepped->ng);
  else
    snprintf(text, n, "%s: about %.3g multiplications a step to solve with sparse factors, %s %.3g",
             engine, petsc ? x.petsc : x.lanes, petsc ? "lanes" : "petsc",
             petsc ? x.lanes : x.petsc);
}

void cst_plan_engine(const cst_plan *p, int method, char *text, size_t n) {
  const cst_prepared *m = p->method[method];
  int                 unknowns;
  const cst_substep  *x = largest(m, &unknowns);
  const bool          exact = cst_substep_corrects(x, m->stepped);
  const double        lanes = elimination(m->stepped, unknowns), full = unknowns;
  const double        petsc = full * lanes + full * full * full;
  const bool          asks = p->study->solver.engine == CST_ENGINE_PETSC;
  if (unknowns <= 0)
    snprintf(text, n, "lanes: it solves no equations");
  else if (takes_gram(m) && (asks || m->stepped->model->gram.form != CST_FORM_BAND))
    say_sparse(p, method, text, n);
  else if (asks && cst_colours_take(x, m->stepped))
    snprintf(
        text, n,
        "petsc: the study asks for it; sparse Jacobians of up to %d unknowns, from differences "
        "of residuals",
        unknowns);
  else if (asks)
    snprintf(text, n, "petsc: the study asks for it; Jacobians of up to %d unknowns, from %s",
             unknowns, exact ? "the corrections of Newton's method" : "differences of residuals");
  else if (p->study->solver.engine == CST_ENGINE_LANES)
    snprintf(text, n, "lanes: the study asks for them");
  else if (takes_sparse(m))
    snprintf(
        text, n,
        "lanes: about %.3g multiplications an iteration to solve; petsc forms sparse Jacobians of "
        "up to %d unknowns from differences of residuals",
        lanes, unknowns);
  else
    snprintf(text, n, "lanes: about %.3g multiplications an iteration to solve, petsc %.3g", lanes,
             petsc);
  const size_t end = strlen(text);
  if (p->study->solver.team > 1 && end < n)
    snprintf(text + end, n - end, ", which %d ranks solve together", p->study->solver.team);
}

/* Reports a method that lanes would have to step, whole or beside PETSc, though the factors are too large for them. */
static void check_pairs(const cst_plan *p, int method, cst_diag *d) {
  const cst_study    *s = p->study;
  const cst_prepared *m = p->method[method];
  const cst_system   *stepped = m->stepped;
  const char         *why = NULL;
  if (stepped->model->gram.form != CST_FORM_PAIRS)
    return;
  if (!takes_gram(m))
    why = "euler-a, euler-b, shake, rattle and their compositions are";
  else if (s->solver.engine == CST_ENGINE_LANES)
    why = "leave out 'engine'";
  else if (s->reference.kind != CST_REFERENCE_NONE)
    why = "references are stepped by lanes; a conservation study takes none";
  if (!why)
    return;
  const cst_study_word at = cst_study_place(s, "methods");
  cst_diag_add(
      d, s->source.file, at.line, at.column,
      "'%s' on %s is not possible: the sparse factors of its %d constraints are too large for "
      "lanes, and what PETSc's solvers take is left; %s",
      cst_method_label(s->methods.method[method]), stepped->name, stepped->ng, why);
}

static void check(const cst_plan *p, int method, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(s, "solver.engine");
  const cst_prepared  *m = p->method[method];
  const char          *label = cst_method_label(s->methods.method[method]);
  int                  unknowns;
  (void)largest(m, &unknowns);
  for (int i = 0; i < m->program->n; i++)
    if (cst_substep_jacobian(&m->program->step[i], m->stepped) == CST_JACOBIAN_NONE) {
      cst_diag_add(d, s->source.file, at.line, at.column,
                   "'%s' on %s is solved by lanes only: its elimination satisfies equations that "
                   "its residual lacks; leave out 'engine'",
                   label, m->stepped->name);
      return;
    }
  if (unknowns > MOST_UNKNOWNS && !takes_sparse(m))
    cst_diag_add(d, s->source.file, at.line, at.column,
                 "'%s' has %d unknowns on %s, and `engine: petsc` forms full Jacobians of at most "
                 "%d; leave out 'engine'",
                 label, unknowns, m->stepped->name, MOST_UNKNOWNS);
}

/* Ranks share the linear systems of sparse matrices alone. */
static void check_team(const cst_plan *p, int method, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_prepared  *m = p->method[method];
  const cst_study_word at = cst_study_place(s, "ranks-per-trajectory");
  const char          *why = NULL;
  if (s->solver.team <= 1)
    return;
  if (s->solver.engine != CST_ENGINE_PETSC)
    why = "`solver: {engine: petsc}` is needed";
  else if (!cst_plan_is_petsc(p, method))
    why = "it solves no equations";
  else if (!takes_sparse(m))
    why = "its matrix is not sparse there, as those of long systems are";
  if (why)
    cst_diag_add(
        d, s->source.file, at.line, at.column,
        "'ranks-per-trajectory' is %d, which is not possible for '%s' on %s: %s; allowed: 1",
        s->solver.team, cst_method_label(s->methods.method[method]), m->stepped->name, why);
}

void cst_plan_check_engines(const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < p->study->methods.n; i++) {
    check_pairs(p, i, d);
    if (cst_plan_is_petsc(p, i))
      check(p, i, d);
    check_team(p, i, d);
  }
}

/* ---- costs ----------------------------------------------------------------------------------- */

enum { GROUP_BYTES = 1 << 20 };

double cst_plan_class_mean_numbers(const cst_plan *p, const cst_class *k) {
  const double h = p->study->reference.kind == CST_REFERENCE_SELF ? k->h / 2 : k->h;
  const double steps = cst_properties_window(&p->method[k->method]->properties, h);
  return steps > 0 ? (steps + 1) * p->study->problem.system->ng : 0;
}

/* Numbers that method i keeps per lane between steps, besides the layout of the system. */
static double method_numbers(const cst_plan *plan, int i, double *matrix) {
  const cst_system  *s = plan->study->problem.system;
  const cst_system  *on = plan->method[i]->stepped;
  const cst_program *p = plan->method[i]->program;
  double             own = 0, recent = 0;
  int                n;
  cst_state_place   *state = cst_program_state(p, on, 0, &n);
  if (on != s)
    own += cst_layout_of(on->npar, on->model->nmass, on->nq, on->ng).own;
  for (int k = 0; k < plan->nclass; k++)
    if (plan->classes[k].method == i)
      recent = fmax(recent, cst_plan_class_mean_numbers(plan, &plan->classes[k]));
  for (int k = 0; k < n; k++)
    own += state[k].n;
  for (int k = 0; k < p->n; k++) {
    const cst_substep_size size = p->step[k].row->size(p->step[k].data, on);
    *matrix = fmax(*matrix, size.matrix);
    own += cst_substep_kept(&size, true);
  }
  free(state);
  return own + recent;
}

/* *matrix: size of the solver's largest matrices, in numbers per lane. *kept: most numbers that a method
 * keeps between steps in addition to its state. */
static void solver_numbers(const cst_plan *plan, double *matrix, double *kept) {
  *matrix = 0;
  *kept = 0;
  for (int i = 0; i < plan->study->methods.n; i++) {
    const double own = method_numbers(plan, i, matrix);
    *kept = fmax(*kept, own);
  }
}

double cst_plan_lane_bytes(const cst_plan *p) {
  const cst_system *s = p->study->problem.system;
  double            matrix, kept;
  solver_numbers(p, &matrix, &kept);
  return 8.0 * (kept + cst_layout_of(s->npar, s->model->nmass, s->nq, s->ng).own +
                (s->nsym + 6.0) * CST_SLOTS);
}

enum { REASON_AND_STEP = 2 };

long cst_plan_state_numbers(const cst_plan *p) {
  const cst_system *s = p->study->problem.system;
  double            matrix, kept;
  solver_numbers(p, &matrix, &kept);
  const long own =
      REASON_AND_STEP + (long)kept + cst_layout_of(s->npar, s->model->nmass, s->nq, s->ng).own;
  return own * (p->study->reference.kind == CST_REFERENCE_SELF ? 2 : 1);
}

/* Solver workspace per lane, in bytes: matrices of Newton's method. */
double cst_plan_work_bytes(const cst_plan *p) {
  static const cst_kernel_id once[] = {CST_K_d2V, CST_K_M, CST_K_Lvq, CST_K_Lqq};
  const cst_system          *s = p->study->problem.system;
  double                     matrix, kept;
  solver_numbers(p, &matrix, &kept);
  double numbers = s->model->gram.size + 2.0 * s->model->pattern[CST_K_G].n;
  for (int k = 0; k < 4; k++)
    numbers += s->model->pattern[once[k]].n;
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
  for (int k = 0; k < s->model->npairs; k++)
    pairs += s->model->pairs[k].sum.pairs;
  if (pairs < 64)
    return 1;
  return pairs < 1000 ? 4 : CST_W_MAX;
}

/* The same for lanes over molecules (core/molecules.c), if they are compiled. */
static int width_for_molecules(const cst_study *s) {
  cst_molecules m;
  const int     n =
      s->run.compile != CST_COMPILE_NEVER && cst_molecules_find(s->problem.system, &m) ? m.n : 1;
  if (s->run.compile != CST_COMPILE_NEVER)
    cst_molecules_destroy(&m);
  if (n < 3)
    return 1;
  return n < 5 ? 4 : CST_W_MAX;
}

/* Whether all methods are built for a row of cst_isas. */
static bool is_built(const cst_plan *p, int isa) {
  bool built = !p->reference || cst_program_is_built(p->reference->program, isa);
  for (int i = 0; i < p->study->methods.n; i++)
    built &= cst_program_is_built(p->method[i]->program, isa);
  return built && cst_study_relaxes_on(p->study, isa);
}

/* Few trajectories leave most lanes of a wide set idle, and large groups exceed the caches: both prefer fewer lanes of
 * the same set, whose bits are the same. If the user names a set, it has all its lanes. */
int cst_plan_fitting_isa(const cst_plan *p, int isa) {
  const cst_study *s = p->study;
  const char      *forced = getenv("CONSTELLA_ISA");
  const double     bytes = cst_plan_lane_bytes(p) + cst_plan_work_bytes(p);
  const int        least = CST_LARGER(width_for_pairs(s->problem.system), width_for_molecules(s));
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
  const cst_system *s = p->study->problem.system;
  return p->collect_cost + 0.8 * p->nquantity +
         0.5 * (s->nq + s->model->pattern[CST_K_G].n + s->model->pattern[CST_K_xi].n);
}

static double look_cost_of_step(const cst_plan *p, const cst_class *k) {
  return look_cost(p) / (double)k->observe;
}

/* steps that collectors make beside one of a trajectory */
static double steps_beside(const cst_plan *p, const cst_class *k) {
  double sum = 0;
  for (int i = 0; i < cst_collector_count; i++)
    if (cst_collectors[i]->plan.steps)
      sum += cst_collectors[i]->plan.steps(p, k);
  return sum;
}

double cst_plan_step_cost(const cst_plan *p, const cst_class *k) {
  const cst_prepared *m = p->method[k->method];
  return (1 + steps_beside(p, k)) * program_cost(m->program, m->stepped) + look_cost_of_step(p, k);
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
    sum += (double)p->cases[i].n * (double)p->study->ensemble.members;
  return sum;
}
