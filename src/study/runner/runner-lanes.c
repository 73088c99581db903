/* runner-lanes.c: maps lanes of the batch to trajectories and to their numbers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "study/runner/runner-internal.h"

const cst_case *cst_runner_case(const cst_runner *r, long lane) {
  const cst_class *k = r->class;
  const long       first = r->work->first;
  const long       of_class = r->replayed ? first : first + lane;
  const int        icase = k->cases[of_class / r->plan->study->members];
  return &r->plan->cases[icase];
}

long cst_runner_member(const cst_runner *r, long lane) {
  if (r->replayed)
    return r->replayed[lane];
  return (r->work->first + lane) % r->plan->study->members;
}

double *cst_runner_record(const cst_runner *r, int group) {
  return r->b->record + (size_t)group * cst_stepper_record_size(r->st);
}

/* Whether a lane has the same numbers as the one before it, as those have that no trajectory uses. */
static bool is_copy(const double *x, int n, int W, int lane) {
  bool same = lane > 0;
  for (int i = 0; i < n && same; i++)
    same = !memcmp(&x[i * W + lane], &x[i * W + lane - 1], sizeof *x); /* 0 is not -0 */
  return same;
}

/* With redundant constraints only the force G'lambda is determined; takes the least-norm multipliers. */
static void make_least(const cst_runner *r, const cst_stepper *st, const double *record,
                       double *lambda) {
  const cst_system *s = r->plan->study->system;
  const int         nq = s->nq;
  const int         ng = s->ng;
  const cst_layout *at = cst_stepper_layout(st);
  const int         W = r->width;
  /* small: only dense systems have redundant constraints */
  double c[CST_MAX_PAR], q[nq + 1], l[ng + 1];
  bool   copy[W];
  for (int lane = 0; lane < W; lane++)
    copy[lane] = is_copy(record + at->c * W, s->npar, W, lane) &&
                 is_copy(record + at->q * W, nq, W, lane) && is_copy(lambda, ng, W, lane);
  for (int lane = 0; lane < W; lane++) {
    for (int k = 0; k < s->npar; k++)
      c[k] = record[(at->c + k) * W + lane];
    for (int i = 0; i < nq; i++)
      q[i] = record[(at->q + i) * W + lane];
    for (int a = 0; a < ng && !copy[lane]; a++)
      l[a] = lambda[a * W + lane];
    if (!copy[lane])
      cst_system_least_norm(s, c, q, l);
    for (int a = 0; a < ng; a++)
      lambda[a * W + lane] = l[a];
  }
}

/* The multipliers of a group, [ng][W], as the method's row defines them: its own of the last step, or from
 * the state. */
void cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step,
                       double *lambda) {
  const cst_plan *p = r->plan;
  if (p->method[r->class->method]->properties.own_lambda && step > 0)
    cst_stepper_lambda(st, record, step, lambda);
  else
    r->meter.fold->multipliers(cst_stepper_context(st), record, lambda);
  if (p->study->system->dropped)
    make_least(r, st, record, lambda);
}

void cst_runner_state_lambda(const cst_runner *r, const cst_stepper *st, const double *record,
                             double *lambda) {
  r->meter.fold->multipliers(cst_stepper_context(st), record, lambda);
  if (r->plan->study->system->dropped)
    make_least(r, st, record, lambda);
}

void cst_runner_end_lane(cst_runner *r, int group, int lane, cst_reason reason, long step,
                         const double *column) {
  cst_batch   *b = r->b;
  const size_t W = (size_t)r->width;
  const size_t n = cst_stepper_record_size(r->st);
  double      *last = b->last + (size_t)group * n + lane;
  for (size_t k = 0; k < n; k += W)
    last[k] = column[k];
  b->alive[group] &= ~(1 << lane);
  b->status[(size_t)group * W + (size_t)lane] = (cst_lane_status){reason, step};
  r->watch.ended = true;
}

double *cst_runner_accumulators(const cst_runner *r, int group) {
  const size_t numbers = (size_t)r->plan->nquantity * CST_SLOTS * (size_t)r->width;
  return r->meter.accumulators + (size_t)group * numbers;
}

double *cst_runner_observer(const cst_runner *r, int look, int group) {
  if (r->meter.kept[look])
    return r->meter.kept[look] + (size_t)group * r->meter.keeps[look];
  return NULL;
}

cst_cell *cst_runner_cells(const cst_collection *x, long lane) {
  const cst_runner *r = x->run;
  if (r->replayed || lane >= r->work->count)
    return NULL;
  return cst_tallies_at(r->tallies, x->number, (int)(cst_runner_case(r, lane) - r->plan->cases));
}

bool cst_runner_lives(const cst_runner *r, const cst_batch *b, long lane) {
  const int W = r->width;
  return b->alive[lane / W] >> lane % W & 1;
}

bool cst_runner_group_lives(const cst_runner *r, int group, int lane) {
  return r->b->alive[group] >> lane & 1;
}
