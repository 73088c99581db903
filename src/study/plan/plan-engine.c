/* plan-engine.c: which engine solves the equations of each method of a plan, and why.
 *
 * Lanes unless the study asks for PETSc's solvers, because they take fewer operations: an iteration of theirs is one
 * elimination, and one of PETSc forms a full Jacobian, by as many corrections or pairs of residuals as it has columns,
 * and eliminates it. Where constraints couple neither few nor as a band, a step of the lanes takes about two
 * eliminations without symmetry and one with it; one of PETSc takes one, whose factors serve several corrections, but
 * for a single trajectory. Factors that are too large for lanes are left to PETSc. Sparse Jacobians of all unknowns are
 * formed by differences: what that takes beside the iterations of the lanes is not counted, and lanes go on.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include "method/stepper-sparse.h"
#include "study/plan/plan-solves.h"

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
  for (int i = 0; i < m->program->n && p->study->engine == CST_ENGINE_PETSC; i++)
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
  const cst_gram *g = &s->gram;
  const double    factors = s->ng + 2.0 * (g->row ? g->row[s->ng] : 0);
  const bool several = cst_plan_most_lanes(p) > 1; /* every set of instructions has two lanes */
  return (counts){.lanes = 2.5 * g->work / (several ? 2 : 1),
                  .petsc = g->work + 2 * CORRECTIONS * factors};
}

static bool chooses_petsc(const cst_plan *p, const cst_prepared *m) {
  const cst_gram *g = &m->stepped->gram;
  if (!takes_gram(m) || g->form == CST_FORM_BAND)
    return false;
  const counts x = count(p, m->stepped);
  return g->form == CST_FORM_PAIRS || x.petsc < x.lanes;
}

bool cst_plan_is_petsc(const cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  if (!cst_method_iterates(m) || p->study->engine == CST_ENGINE_LANES)
    return false;
  return p->study->engine == CST_ENGINE_PETSC || chooses_petsc(p, m);
}

double cst_plan_multiplications(const cst_plan *p, int method) {
  const cst_prepared *m = p->method[method];
  if (!takes_gram(m) || !m->stepped->gram.row)
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
  return p->method[method]->stepped->gram.form != CST_FORM_PAIRS;
}

/* Multiplications of an elimination of the lanes: in the order of a band or of sparse factors, or of a full matrix. */
static double elimination(const cst_system *s, double n) {
  const double band = s->gram.band + 1.0;
  if (s->gram.form == CST_FORM_SPARSE)
    return s->gram.work;
  return s->gram.banded ? n * band * band : n * n * n / 3 + n * n;
}

static void say_sparse(const cst_plan *p, int method, char *text, size_t n) {
  const cst_prepared *m = p->method[method];
  const cst_gram     *g = &m->stepped->gram;
  const counts        x = count(p, m->stepped);
  const bool          petsc = cst_plan_is_petsc(p, method);
  const char         *engine = petsc ? "petsc" : "lanes";
  if (p->study->engine == CST_ENGINE_PETSC)
    snprintf(text, n,
             "petsc: the study asks for it; sparse matrices of %d unknowns with %d entries",
             m->stepped->ng, g->n);
  else if (p->study->engine == CST_ENGINE_LANES)
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
  const bool          asks = p->study->engine == CST_ENGINE_PETSC;
  if (unknowns <= 0)
    snprintf(text, n, "lanes: it solves no equations");
  else if (takes_gram(m) && (asks || m->stepped->gram.form != CST_FORM_BAND))
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
  else if (p->study->engine == CST_ENGINE_LANES)
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
  if (p->study->team > 1 && end < n)
    snprintf(text + end, n - end, ", which %d ranks solve together", p->study->team);
}

/* Reports a method that lanes would have to step, whole or beside PETSc, though the factors are too large for them. */
static void check_pairs(const cst_plan *p, int method, cst_diag *d) {
  const cst_study    *s = p->study;
  const cst_prepared *m = p->method[method];
  const cst_system   *stepped = m->stepped;
  const char         *why = NULL;
  if (stepped->gram.form != CST_FORM_PAIRS)
    return;
  if (!takes_gram(m))
    why = "euler-a, euler-b, shake, rattle and their compositions are";
  else if (s->engine == CST_ENGINE_LANES)
    why = "leave out 'engine'";
  else if (s->reference != CST_REFERENCE_NONE)
    why = "references are stepped by lanes; a conservation study takes none";
  if (!why)
    return;
  const cst_study_word at = cst_study_place(s, "methods");
  cst_diag_add(
      d, s->file, at.line, at.column,
      "'%s' on %s is not possible: the sparse factors of its %d constraints are too large for "
      "lanes, and what PETSc's solvers take is left; %s",
      cst_method_label(s->method[method]), stepped->name, stepped->ng, why);
}

static void check(const cst_plan *p, int method, cst_diag *d) {
  const cst_study     *s = p->study;
  const cst_study_word at = cst_study_place(s, "solver.engine");
  const cst_prepared  *m = p->method[method];
  const char          *label = cst_method_label(s->method[method]);
  int                  unknowns;
  (void)largest(m, &unknowns);
  for (int i = 0; i < m->program->n; i++)
    if (cst_substep_jacobian(&m->program->step[i], m->stepped) == CST_JACOBIAN_NONE) {
      cst_diag_add(d, s->file, at.line, at.column,
                   "'%s' on %s is solved by lanes only: its elimination satisfies equations that "
                   "its residual lacks; leave out 'engine'",
                   label, m->stepped->name);
      return;
    }
  if (unknowns > MOST_UNKNOWNS && !takes_sparse(m))
    cst_diag_add(d, s->file, at.line, at.column,
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
  if (s->team <= 1)
    return;
  if (s->engine != CST_ENGINE_PETSC)
    why = "`solver: {engine: petsc}` is needed";
  else if (!cst_plan_is_petsc(p, method))
    why = "it solves no equations";
  else if (!takes_sparse(m))
    why = "its matrix is not sparse there, as those of long systems are";
  if (why)
    cst_diag_add(
        d, s->file, at.line, at.column,
        "'ranks-per-trajectory' is %d, which is not possible for '%s' on %s: %s; allowed: 1",
        s->team, cst_method_label(s->method[method]), m->stepped->name, why);
}

void cst_plan_check_engines(const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < p->study->nmethod; i++) {
    check_pairs(p, i, d);
    if (cst_plan_is_petsc(p, i))
      check(p, i, d);
    check_team(p, i, d);
  }
}
