/* stepper-march.c: advances batches under one SNES: from stop to stop, group by group or several groups side
 * by side, observed on their way; under other solvers than our own in parts of a step. Steps in
 * which lanes fail are made again, lane by lane, with pivoting. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper-internal.h"

/* ---- one group ------------------------------------------------------------------------------- */

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
  if (st->guard)
    cst_guard_before(st->guard, record);
  cst_outcome o = cst_stepper_open_step(st, record);
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
  cst_stepper_take_steps(st, own);
  if (st->nsegment == 1 && !st->guard && !st->nopening) {
    const cst_outcome o = march_segment(st, &st->segment[0], own, n);
    if (o.reason == CST_DONE)
      cst_stepper_bring(st, record);
    return o;
  }
  memcpy(trial, record, st->moving * sizeof *trial);
  for (long k = 0; k < n; k++) {
    const cst_outcome o = march_step(st, trial);
    if (o.reason != CST_DONE)
      return (cst_outcome){k, o.lanes, o.reason};
  }
  cst_stepper_bring(st, trial);
  memcpy(record, trial, st->moving * sizeof *trial);
  return (cst_outcome){n, 0, CST_DONE};
}

/* Makes one step of a record with identical lanes, with pivoting and more iterations; the second attempt also
 * starts the iteration closer to the solution. */
static cst_outcome march_alone(cst_stepper *st, double *record, int attempt) {
  if (st->guard)
    cst_guard_before(st->guard, record);
  cst_stepper_take_steps(st, cst_stepper_inner(st, record));
  cst_outcome o = cst_stepper_open_step(st, record);
  for (int i = 0; i < st->nsegment && o.reason == CST_DONE; i++) {
    cst_march m = st->segment[i].march;
    m.attempt = attempt;
    m.max_iterations = st->more_iterations;
    o = st->segment[i].alone->march(&m, cst_stepper_inner(st, record), 1);
  }
  if (o.reason != CST_DONE)
    return o;
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
  const double       h = record[st->layout.h * st->width + lane];
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
      ahead[npar + i] = q[i] + REACH * h * v[i];
    if (st->guard && cst_guard_jumps(st->guard, x, ahead))
      reason = CST_CONSTRAINT_JUMPED;
    else if (cst_system_no_solution_ahead(s, x, q, v, h))
      reason = CST_NO_SOLUTION;
    else if (cst_system_rank_ahead(s, x, q, v, h) > 0)
      reason = CST_RANK_LOST;
    else if (cst_has(s, CST_SLIPS) && cst_system_slip_ahead(s, x, q, v, h))
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
  if (left)
    cst_stepper_keep_last(st, record, left);
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
}

/* One step of a group in which lanes fail; the lanes `failing` are known to fail. First steps the others,
 * then makes further attempts with the rest. Lanes that still fail keep their last state and the reason. */
static void repeat(cst_stepper *st, int group, long step, int failing) {
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
         o.reason == CST_CONSTRAINT_DROPPED || o.reason == CST_NO_EFFECT;
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

/* Advances a group by n steps, fewer if it halts or all of its lanes fail. */
static void advance_group(cst_stepper *st, int group, long n) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  for (long done = 0; done < n && b->alive[group] && !cst_stepper_halts(st);) {
    cst_outcome o = march_segments(st, record, n - done);
    if (__builtin_expect(o.reason == CST_DONE, 1))
      return;
    const bool known = is_known(o);
    done += march_while_good(st, record, known ? o.steps : n - done - 1);
    repeat(st, group, b->step + done, known ? o.lanes : 0);
    done++;
  }
}

/* ---- batches --------------------------------------------------------------------------------- */

static double *record_of(cst_stepper *st, int group) {
  return st->batch->record + (size_t)group * st->size;
}

/* Whether whole marches of a group follow its core alone. */
static bool marches_whole(const cst_stepper *st, int group) {
  return st->nsegment == 1 && !st->segment[0].solo && !st->guard && !st->nopening &&
         st->batch->alive[group];
}

/* Whether the lanes of two groups have the same steps and times. */
static bool same_steps(const cst_stepper *st, int group, int other) {
  const size_t  at = (size_t)(st->shift + st->inner.since) * (size_t)st->width;
  const size_t  n = (size_t)(st->inner.q - st->inner.since) * (size_t)st->width;
  const double *x = st->batch->record + (size_t)group * st->size + at;
  const double *y = st->batch->record + (size_t)other * st->size + at;
  return !memcmp(x, y, n * sizeof *x);
}

/* How many groups from this one on can march side by side, at most `most`. */
static int beside(const cst_stepper *st, int group, int most) {
  const cst_batch *b = st->batch;
  int              n = 1;
  if (!marches_whole(st, group))
    return 1;
  most = CST_SMALLER(most, st->segment[0].core->beside);
  while (n < most && group + n < b->groups && b->alive[group + n] &&
         same_steps(st, group, group + n))
    n++;
  return n == most ? n : CST_SMALLER(n, 2);
}

static void bring(cst_stepper *st, int group, int count) {
  for (int g = group; g < group + count; g++)
    cst_stepper_bring(st, record_of(st, g));
}

/* Advances `count` neighbours; true if no lane fails. */
static bool march_neighbours(cst_stepper *st, int group, int count, long n,
                             const cst_march_observer *observer) {
  const cst_core *core = st->segment[0].core;
  double         *record[CST_BESIDE];
  cst_stepper_take_steps(st, cst_stepper_inner(st, record_of(st, group)));
  cst_march m = st->segment[0].march;
  for (int k = 0; k < count; k++)
    record[k] = cst_stepper_inner(st, record_of(st, group + k));
  m.observer = observer;
  const cst_outcome o =
      count > 1 ? core->march_beside(&m, count, record, n) : core->march(&m, record[0], n);
  if (o.reason == CST_DONE)
    bring(st, group, count);
  return o.reason == CST_DONE;
}

/* Advances from stop to stop with calls of `stretch`. */
static cst_error follow(cst_stepper *st, cst_error (*stretch)(cst_stepper *, long)) {
  for (long to; (to = st->schedule->next(st->schedule->context)) > st->batch->step;) {
    CST_TRY(cst_stepper_toward(st, to, stretch));
    if (st->halted)
      break;
    CST_TRY(st->schedule->look(st->schedule->context));
  }
  return 0;
}

/* ---- observation of a march ------------------------------------------------------------------ */

typedef struct {
  cst_stepper       *st;
  int                group, count;
  long               from, end; /* steps of the batch at which the march has begun, and ends */
  long               at[CST_TRAIL + 1]; /* what is looked at next, counted from the beginning */
  bool               momenta[CST_TRAIL + 1];
  cst_march_observer observer;
} observed_march;

static int plan_observations(void *context, long done) {
  observed_march     *x = context;
  const cst_schedule *s = x->st->schedule;
  const int           most = x->observer.trail[0] ? CST_TRAIL : 1;
  long                step = x->from + done;
  int                 n = 0;
  while (n < most && (step = s->observe_after(s->context, step, &x->momenta[n])) < x->end)
    x->at[n++] = step - x->from;
  x->at[n] = -1;
  return n;
}

cst_trail cst_stepper_trail(const cst_stepper *st, const cst_batch *b, int group) {
  const double *record = b->record + (size_t)group * st->size;
  return (cst_trail){.n = 1,
                     .step = &b->step,
                     .q = record + st->layout.q * st->width,
                     .p = record + st->layout.p * st->width};
}

static void observe_here(const observed_march *x) {
  const cst_schedule *s = x->st->schedule;
  for (int g = x->group; g < x->group + x->count; g++) {
    const cst_trail way = cst_stepper_trail(x->st, x->st->batch, g);
    s->observe_group(s->context, g, &way);
  }
}

static void observe_several(void *context, int n) {
  observed_march     *x = context;
  const cst_stepper  *st = x->st;
  const cst_schedule *s = st->schedule;
  bring(x->st, x->group, x->count);
  st->batch->step = x->from + x->at[n - 1];
  if (!x->observer.trail[0]) {
    observe_here(x);
    return;
  }
  for (int i = 0; i < n; i++)
    x->at[i] += x->from;
  const size_t half = (size_t)(st->inner.p - st->inner.q) * (size_t)st->width;
  for (int k = 0; k < x->count; k++) {
    const double *q = x->observer.trail[k];
    s->observe_group(s->context, x->group + k, &(cst_trail){n, 2 * half, x->at, q, q + half});
  }
}

/* Advances neighbours and observes them on the way. Where a lane fails, goes on to the next observation group
 * by group. */
static void advance_observed(cst_stepper *st, int group, int count, long n) {
  cst_batch          *b = st->batch;
  const cst_schedule *s = st->schedule;
  const long          from = b->step, end = from + n;
  observed_march      x = {.st = st, .group = group, .count = count, .end = end};
  x.observer =
      (cst_march_observer){&x, plan_observations, observe_several, x.at, x.momenta, {NULL}};
  for (int k = 0; k < CST_BESIDE && st->trail && !s->one_by_one; k++)
    x.observer.trail[k] = st->trail + k * CST_TRAIL * 2 * (st->inner.p - st->inner.q) * st->width;
  while (b->step < end) {
    const bool whole = marches_whole(st, group) && beside(st, group, count) == count;
    x.from = b->step;
    if (whole && march_neighbours(st, group, count, end - b->step, &x.observer))
      break;
    const long to = CST_SMALLER(end, s->observe_after(s->context, b->step, x.momenta));
    for (int g = group; g < group + count; g++)
      advance_group(st, g, to - b->step);
    b->step = to;
    if (to < end)
      observe_here(&x);
  }
  b->step = from;
}

static cst_error march_stretch(cst_stepper *st, long n) {
  cst_batch *b = st->batch;
  int        g = b->ahead;
  while (g < b->groups && !st->halted) {
    const int count = beside(st, g, CST_BESIDE);
    if (st->schedule->observe_group) {
      advance_observed(st, g, count, n);
      g += count;
    } else if (count > 1 && !cst_stepper_halts(st) && march_neighbours(st, g, count, n, NULL)) {
      g += count;
    } else {
      advance_group(st, g, n);
      g += !st->halted;
    }
  }
  b->ahead = st->halted ? g : 0;
  return 0;
}

static cst_error march_all(void *context) {
  CST_TRY(follow(context, march_stretch));
  return 0;
}

/* The same in parts, for PETSc's own SNES types and for monitors. */

/* The part of a group's record that is stepped, by the steps of its lanes. */
static double *open_group(cst_stepper *st, int group) {
  double *own = cst_stepper_inner(st, record_of(st, group));
  if (st->mixed)
    cst_stepper_take_steps(st, own);
  return own;
}

static const cst_core *pieces_of(const cst_segment *g) {
  return g->core->begin ? g->core : g->alone;
}

static int piece_residual(void *context, int group, const double *x, double *f) {
  cst_stepper *st = context;
  return pieces_of(st->now)->residual(&st->now->march, open_group(st, group), st->sub, x, f,
                                      &st->scratch[group]);
}

static void piece_direction(void *context, int group, const double *x, const double *f, double *d) {
  cst_stepper *st = context;
  pieces_of(st->now)->direction(&st->now->march, open_group(st, group), st->sub, x, f, d,
                                &st->scratch[group]);
}

static void piece_correct(void *context, int group, double *x, const double *d) {
  cst_stepper *st = context;
  pieces_of(st->now)->correct(&st->now->march, open_group(st, group), st->sub, x, d,
                              &st->scratch[group]);
}

/* Lanes of the group that the last solve left unconverged, or not at the near root. */
static int undone(const cst_stepper *st, int group) {
  int bits = 0;
  for (int l = 0; l < st->width; l++)
    bits |= (st->scratch[group].done[l] == 0 || st->scratch[group].sure[l] == 0) << l;
  return bits;
}

/* One substep of all groups; sets failed[group] if a lane fails. */
static cst_error substep_in_parts(cst_stepper *st, bool *failed) {
  const cst_march *m = &st->now->march;
  for (int g = 0; g < st->batch->groups && m->unknowns > 0; g++)
    pieces_of(st->now)->begin(m, open_group(st, g), st->sub, cst_solver_unknowns(st->solver, g),
                              &st->scratch[g]);
  if (m->unknowns > 0)
    CST_TRY(cst_solver_solve(st->solver, st->batch->groups));
  for (int g = 0; g < st->batch->groups; g++) {
    if (failed[g])
      continue;
    failed[g] = m->unknowns > 0 && undone(st, g);
    if (!failed[g])
      failed[g] = pieces_of(st->now)
                      ->finish(m, open_group(st, g), st->sub, cst_solver_unknowns(st->solver, g))
                      .reason != CST_DONE;
  }
  return 0;
}

/* Opens the step of all groups; failed: those that cannot make it. */
static void open_groups(cst_stepper *st, bool *failed) {
  st->mixed = false;
  for (int g = st->batch->groups - 1; g >= 0; g--) {
    cst_stepper_take_steps(st, cst_stepper_inner(st, record_of(st, g)));
    failed[g] = cst_stepper_open_step(st, record_of(st, g)).reason != CST_DONE;
    st->mixed |= g + 1 < st->batch->groups && !same_steps(st, g, g + 1);
  }
}

static cst_error step_in_parts(cst_stepper *st, long step) {
  cst_batch *b = st->batch;
  bool      *failed;
  failed = cst_zeros(b->groups, sizeof *failed);
  memcpy(st->saved, b->record, st->size * (size_t)b->groups * sizeof *st->saved);
  open_groups(st, failed);
  for (int i = 0; i < st->nsegment; i++)
    for (int j = 0; j < st->segment[i].march.nsub; j++) {
      st->now = &st->segment[i];
      st->sub = j;
      CST_TRY(substep_in_parts(st, failed));
    }
  for (int g = 0; g < b->groups; g++)
    cst_stepper_bring(st, record_of(st, g));
  for (int g = 0; g < b->groups && st->guard; g++) {
    cst_guard_before(st->guard, st->saved + (size_t)g * st->size);
    failed[g] |= cst_guard_behind(st->guard, record_of(st, g), b->alive[g]).lanes != 0;
  }
  for (int g = 0; g < b->groups; g++)
    if (failed[g]) {
      memcpy(record_of(st, g), st->saved + (size_t)g * st->size, st->size * sizeof *st->saved);
      repeat(st, g, step, 0);
    }
  free(failed);
  return 0;
}

static cst_error stretch_in_parts(cst_stepper *st, long n) {
  for (long k = 0; k < n && !cst_stepper_halts(st); k++)
    CST_TRY(step_in_parts(st, st->batch->step + k));
  return 0;
}

cst_equations cst_stepper_equations(cst_stepper *st) {
  return (cst_equations){st, march_all, piece_residual, piece_direction, piece_correct};
}

bool cst_stepper_goes_by_groups(const cst_stepper *st) {
  return !st->single && (!st->solver || cst_solver_marches(st->solver)) && !(st->mean > 0);
}

cst_error cst_stepper_follow(cst_stepper *st, cst_batch *b, const cst_schedule *schedule) {
  st->batch = b;
  st->schedule = schedule;
  st->halted = false;
  if (st->single)
    CST_TRY(follow(st, cst_stepper_single_stretch));
  else if (!st->solver)
    CST_TRY(follow(st, march_stretch));
  else if (cst_solver_marches(st->solver))
    CST_TRY(cst_solver_solve(st->solver, b->groups));
  else
    CST_TRY(follow(st, stretch_in_parts));
  return 0;
}

/* The schedule of a single advance: its context is its last step. */
static long stretch_end(void *context) { return *(long *)context; }

static cst_error observe_nothing(void *context) {
  (void)context;
  return 0;
}

cst_error cst_stepper_advance(cst_stepper *st, cst_batch *b, long n) {
  long to = b->step + n;
  CST_TRY(cst_stepper_follow(
      st, b, &(cst_schedule){.context = &to, .next = stretch_end, .look = observe_nothing}));
  return 0;
}
