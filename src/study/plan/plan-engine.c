/* plan-engine.c: which engine solves the equations of each method of a plan, and why.
 *
 * Lanes unless the study asks for PETSc's solvers, because they take fewer operations: an iteration of theirs is one
 * elimination, and one of PETSc's forms a full Jacobian, by as many corrections or pairs of residuals as it has
 * columns, and eliminates it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include "study/plan/plan.h"

enum { MOST_UNKNOWNS = 300 }; /* of a full Jacobian */

bool cst_plan_is_petsc(const cst_plan *p, int method) {
  return p->study->engine == CST_ENGINE_PETSC && cst_method_iterates(p->method[method]);
}

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

/* Multiplications of an elimination of the lanes: of a band, or of a full matrix. */
static double elimination(const cst_system *s, double n) {
  const double band = s->gram.band + 1.0;
  return s->gram.banded ? n * band * band : n * n * n / 3 + n * n;
}

void cst_plan_engine(const cst_plan *p, int method, char *text, size_t n) {
  const cst_prepared *m = p->method[method];
  int                 unknowns;
  const cst_substep  *x = largest(m, &unknowns);
  const bool          exact = cst_substep_jacobian(x, m->stepped) == CST_JACOBIAN_CORRECTIONS;
  const double        lanes = elimination(m->stepped, unknowns), full = unknowns;
  const double        petsc = full * lanes + full * full * full;
  if (unknowns <= 0)
    snprintf(text, n, "lanes: it solves no equations");
  else if (cst_plan_is_petsc(p, method))
    snprintf(text, n, "petsc: the study asks for it; Jacobians of up to %d unknowns, from %s",
             unknowns, exact ? "the corrections of Newton's method" : "differences of residuals");
  else if (p->study->engine == CST_ENGINE_LANES)
    snprintf(text, n, "lanes: the study asks for them");
  else
    snprintf(text, n, "lanes: about %.3g multiplications an iteration to solve, petsc %.3g", lanes,
             petsc);
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
  if (unknowns > MOST_UNKNOWNS)
    cst_diag_add(d, s->file, at.line, at.column,
                 "'%s' has %d unknowns on %s, and `engine: petsc` forms full Jacobians of at most "
                 "%d; leave out 'engine'",
                 label, unknowns, m->stepped->name, MOST_UNKNOWNS);
}

void cst_plan_check_engines(const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < p->study->nmethod; i++)
    if (cst_plan_is_petsc(p, i))
      check(p, i, d);
}
