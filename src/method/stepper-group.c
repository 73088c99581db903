/* stepper-group.c: advances one group of lanes through the segments of a stepper, and makes steps in which
 * lanes fail again, lane by lane, with pivoting. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-internal.h"

enum { ATTEMPTS = 2 };           /* further attempts at a step in which lanes fail */
static const double REACH = 1.5; /* steps ahead of the last state in which a jump is sought */

static cst_outcome march_segment(const cst_stepper *st, const cst_segment *g, double *record,
                                 long n) {
  if (g->solo) {
    cst_march   m = g->march;
    cst_outcome o;
    m.group.work = st->solo_space;
    if (g->solo->march(&m, record, n, &o))
      return o;
  }
  return g->core->march(&g->march, record, n);
}

/* One step of a record that may change. */
static cst_outcome march_step(cst_stepper *st, double *record) {
  cst_outcome o = {1, 0, CST_DONE};
  if (st->guard)
    cst_guard_before(st->guard, record);
  for (int i = 0; i < st->nsegment && o.reason == CST_DONE; i++)
    o = march_segment(st, &st->segment[i], cst_stepper_inner(st, record), 1);
  if (o.reason != CST_DONE || !st->guard)
    return o;
  cst_stepper_bring(st, record);
  return cst_guard_behind(st->guard, record, (1 << st->width) - 1);
}

/* Makes n steps through all segments; the record changes only if all succeed. */
static cst_outcome march_segments(cst_stepper *st, double *record, long n) {
  double *trial = st->work;
  double *own = cst_stepper_inner(st, record);
  if (st->nsegment == 1 && !st->guard) {
    const cst_outcome o = march_segment(st, &st->segment[0], own, n);
    if (o.reason == CST_DONE)
      cst_stepper_bring(st, record);
    return o;
  }
  memcpy(trial, record, st->size * sizeof *trial);
  for (long k = 0; k < n; k++) {
    const cst_outcome o = march_step(st, trial);
    if (o.reason != CST_DONE)
      return (cst_outcome){k, o.lanes, o.reason};
  }
  cst_stepper_bring(st, trial);
  memcpy(record, trial, st->size * sizeof *trial);
  return (cst_outcome){n, 0, CST_DONE};
}

/* Makes one step of a record with identical lanes, with pivoting and more iterations; the second attempt also
 * starts the iteration closer to the solution. */
static cst_outcome march_alone(cst_stepper *st, double *record, int attempt) {
  if (st->guard)
    cst_guard_before(st->guard, record);
  for (int i = 0; i < st->nsegment; i++) {
    cst_march m = st->segment[i].march;
    m.attempt = attempt;
    m.max_iterations = st->more_iterations;
    cst_outcome o = st->segment[i].alone->march(&m, cst_stepper_inner(st, record), 1);
    if (o.reason != CST_DONE)
      return o;
  }
  cst_stepper_bring(st, record);
  if (st->guard)
    return cst_guard_behind(st->guard, record, (1 << st->width) - 1);
  return (cst_outcome){1, 0, CST_DONE};
}

void cst_stepper_copy_lane(const cst_stepper *st, double *to, int lane, const double *from,
                           int source) {
  for (int k = 0; k < st->components; k++)
    to[(size_t)k * st->width + lane] = from[(size_t)k * st->width + source];
}

void cst_stepper_pad(const cst_stepper *st, double *record, int alive) {
  if (!alive || alive == (1 << st->width) - 1)
    return;
  int source = __builtin_ctz((unsigned)alive);
  for (int l = 0; l < st->width; l++)
    if (!(alive >> l & 1))
      cst_stepper_copy_lane(st, record, l, record, source);
}

/* One attempt at a step, by its number (core.h). */
static cst_outcome try_step(cst_stepper *st, double *record, int number) {
  return number == 0 ? march_segments(st, record, 1) : march_alone(st, record, number);
}

/* Attempts a step of the lanes `set` of a record together, removing those that fail, until the others
 * succeed. Returns these, with their columns in next; reason[] says why the others failed. */
static int step_lanes(cst_stepper *st, const double *record, int set, int attempt, double *next,
                      cst_reason *reason) {
  double *column = st->work + st->size;
  while (set && !cst_stepper_halts(st)) {
    memcpy(column, record, st->size * sizeof *column);
    cst_stepper_pad(st, column, set);
    cst_stepper_give_steps(st, set);
    const cst_outcome o = try_step(st, column, attempt);
    if (o.reason == CST_DONE)
      break;
    const int failed = set & o.lanes ? set & o.lanes : set;
    for (int l = 0; l < st->width; l++)
      if (failed >> l & 1)
        reason[l] = o.reason;
    set &= ~failed;
  }
  for (int l = 0; l < st->width; l++)
    if (set >> l & 1)
      cst_stepper_copy_lane(st, next, l, column, l);
  return set;
}

/* What the asked system does within the step that a lane of the record cannot make; else `reason`. */
static cst_reason reason_of(const cst_stepper *st, const double *record, int lane,
                            cst_reason reason) {
  const cst_context *C = &st->outer;
  const cst_system  *s = C->system;
  const size_t       n = (size_t)s->nq, npar = (size_t)s->npar;
  if (!s->ng || reason == CST_CONSTRAINT_JUMPED || reason == CST_CONSTRAINT_DROPPED)
    return reason;
  double *x = cst_zeros((long)(2 * npar + 4 * n), sizeof *x), *q = x + npar, *p = q + n, *v = p + n,
         *ahead = v + n;
  for (size_t k = 0; k < npar; k++)
    x[k] = record[((size_t)st->layout.c + k) * (size_t)st->width + (size_t)lane];
  for (size_t i = 0; i < n; i++) {
    q[i] = record[((size_t)st->layout.q + i) * (size_t)st->width + (size_t)lane];
    p[i] = record[((size_t)st->layout.p + i) * (size_t)st->width + (size_t)lane];
  }
  if (cst_system_velocity(s, x, q, p, v)) {
    memcpy(ahead, x, npar * sizeof *x);
    for (size_t i = 0; i < n; i++)
      ahead[npar + i] = q[i] + REACH * st->h_of[lane] * v[i];
    if (st->guard && cst_guard_jumps(st->guard, x, ahead))
      reason = CST_CONSTRAINT_JUMPED;
    else if (cst_system_no_solution_ahead(s, x, q, v, st->h_of[lane]))
      reason = CST_NO_SOLUTION;
    else if (cst_system_rank_ahead(s, x, q, v, st->h_of[lane]) > 0)
      reason = CST_RANK_LOST;
    else if (s->slips && cst_system_slip_ahead(s, x, q, v, st->h_of[lane]))
      reason = CST_NO_MULTIPLIER;
  }
  free(x);
  return reason;
}

int cst_stepper_retry(cst_stepper *st, const double *record, int failing, double *next,
                      cst_reason *reason) {
  for (int attempt = 1; attempt <= ATTEMPTS && failing; attempt++)
    failing &= ~step_lanes(st, record, failing, attempt, next, reason);
  return failing;
}

void cst_stepper_end_lanes(cst_stepper *st, int group, long step, int left,
                           const cst_reason *reason, const double *next) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  for (int l = 0; l < st->width; l++) {
    if (!(left >> l & 1))
      continue;
    cst_stepper_copy_lane(st, b->last + (size_t)group * st->size, l, record, l);
    const cst_reason why = reason_of(st, record, l, reason[l]);
    b->status[group * st->width + l] = (cst_lane_status){why, step};
  }
  b->alive[group] &= ~left;
  memcpy(record, next, st->size * sizeof *next);
  cst_stepper_pad(st, record, b->alive[group]);
  cst_stepper_give_steps(st, b->alive[group]);
}

void cst_stepper_repeat(cst_stepper *st, int group, long step, int failing) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  double    *next = st->work + 2 * st->size;
  cst_reason reason[CST_W_MAX] = {CST_DONE};
  int        left = b->alive[group];
  memcpy(next, record, st->size * sizeof *next);
  left &= ~step_lanes(st, record, left & ~failing, 0, next, reason);
  left = cst_stepper_retry(st, record, left, next, reason);
  if (!st->halted)
    cst_stepper_end_lanes(st, group, step, left, reason, next);
}

/* Whether the failing step and its lanes are known. */
static bool is_known(cst_outcome o) {
  return o.reason == CST_NOT_CONVERGED || o.reason == CST_CONSTRAINT_JUMPED ||
         o.reason == CST_CONSTRAINT_DROPPED;
}

/* Advances the record by the largest k <= n for which k steps succeed, found by bisection. */
static long march_while_good(cst_stepper *st, double *record, long n) {
  long good = 0, bad = n + 1, k = n;
  while (bad - good > 1) {
    cst_outcome o = march_segments(st, record, k - good);
    if (o.reason == CST_DONE)
      good = k;
    else
      bad = is_known(o) ? good + o.steps + 1 : k;
    k = good + (bad - good) / 2;
  }
  return good;
}

/* Called between groups and attempts. The contents of a halted batch are invalid. */
bool cst_stepper_halts(cst_stepper *st) {
  if (st->halt && !st->halted)
    st->halted = st->halt(st->halt_context);
  return st->halted;
}

void cst_stepper_advance_group(cst_stepper *st, int group, long n) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  cst_stepper_give_steps(st, b->alive[group]);
  for (long done = 0; done < n && b->alive[group] && !cst_stepper_halts(st);) {
    cst_outcome o = march_segments(st, record, n - done);
    if (__builtin_expect(o.reason == CST_DONE, 1))
      return;
    const bool known = is_known(o);
    done += march_while_good(st, record, known ? o.steps : n - done - 1);
    cst_stepper_repeat(st, group, b->step + done, known ? o.lanes : 0);
    done++;
  }
}
