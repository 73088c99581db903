/* test-engines.c: steps by PETSc's own solvers agree with those of the lanes, for every method on every system that
 * both take: one step from states along a motion. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/stepper/stepper-internal.h"

enum { STATES = 4, BETWEEN = 7, MOST = 12 }; /* MOST: coordinates */

/* Whether there are equations to solve, and their residuals are whole. */
static bool is_solved(const problem *x, const char *method) {
  cst_method   *m = method_of(method);
  cst_prepared *p = cst_method_prepare(m, x->s);
  bool          yes = cst_method_iterates(p);
  for (int i = 0; i < p->program->n; i++)
    yes &= cst_substep_jacobian(&p->program->step[i], p->stepped) != CST_JACOBIAN_NONE;
  cst_program_prepared_destroy(p);
  cst_method_destroy(m);
  return yes;
}

static void open_with(run *r, const problem *x, const char *method, bool petsc) {
  memset(r, 0, sizeof *r);
  r->x = x;
  r->tolerance = 1e-14;
  r->m = method_of(method);
  r->prepared = cst_method_prepare(r->m, x->s);
  MUST(cst_stepper_create(
      r->prepared,
      &(cst_stepper_options){widest(), 1, 100, false, CST_ITERATION_AUTO, true, petsc, 0}, &r->st));
  MUST(cst_batch_create(r->st, &r->b));
}

/* One step of both from the same record, at some states along the motion of the lanes. */
static void test_pair(const problem *x, const char *method) {
  const double h = 0.02 * pace_of(x->s->name);
  const int    n = x->s->nq;
  run          lanes, petsc;
  double       most = 0;
  int          steps = 0;
  open_with(&lanes, x, method, false);
  open_with(&petsc, x, method, true);
  run_start(&lanes, 1);
  run_start(&petsc, 1);
  for (int i = 0; i < STATES && run_well(&lanes, 1) && run_well(&petsc, 1); i++) {
    double q[2][CST_MAX_Q], p[2][CST_MAX_Q];
    run_go(&lanes, h, BETWEEN);
    memcpy(petsc.b.record, lanes.b.record, cst_stepper_record_size(lanes.st) * sizeof(double));
    petsc.b.step = lanes.b.step;
    run_go(&lanes, h, 1);
    run_go(&petsc, h, 1);
    run_carried(&lanes, 0, q[0], p[0]);
    run_carried(&petsc, 0, q[1], p[1]);
    most = fmax(most, apart(q[0], q[1], n) / (1 + norm(q[0], n)));
    most = fmax(most, apart(p[0], p[1], n) / (1 + norm(p[0], n)));
    steps++;
  }
  if (!OK(run_well(&petsc, 1) == run_well(&lanes, 1) && most <= 1e-11 && steps == STATES,
          "%s on %s: a step by petsc is that of the lanes", method, x->s->name))
    NOTE("apart %.3g after %d; lanes %d, petsc %d", most, steps, lanes.b.status[0].reason,
         petsc.b.status[0].reason);
  run_close(&lanes);
  run_close(&petsc);
}

static void test_all(void) {
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    for (int i = 0; i < cst_method_count(); i++)
      if (fits(x, expression_at(i)) && is_solved(x, expression_at(i)) && x->s->nq <= MOST)
        test_pair(x, expression_at(i));
    problem_close(x);
  }
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, test_all); }
