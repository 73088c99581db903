/* lanes.c: which trajectory a lane of the batch is, and where its numbers lie. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/runner.h"

const cst_case *cst_runner_case(const cst_runner *r, long lane) {
  const cst_class *k = r->klass;
  return &r->plan->cases[k->cases[(r->work->first + lane) / r->plan->study->members]];
}

long cst_runner_member(const cst_runner *r, long lane) { return (r->work->first + lane) % r->plan->study->members; }

double *cst_runner_record(const cst_runner *r, int group) { return r->b->record + (size_t)group * cst_stepper_record_size(r->st); }

/* The multipliers of a group as the method's row defines them: its own of the last step, or from the state. [ng][W]. */
void cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step, double *lambda) {
  if (r->plan->properties[r->klass->method].own_lambda && step > 0)
    cst_stepper_lambda(st, record, step, lambda);
  else
    r->fold->multipliers(cst_stepper_context(st), record, lambda);
}

double *cst_runner_accumulators(const cst_runner *r, int group) {
  return r->acc + (size_t)group * (size_t)r->plan->nquantity * CST_SLOTS * (size_t)r->width;
}
