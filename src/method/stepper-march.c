/* stepper-march.c: advances batches under one SNES: from stop to stop, group by group or several groups side
 * by side, observed on their way; under other solvers than our own in parts of a step. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/stepper-internal.h"
#include "core/need.h"

static double *record_of(cst_stepper *st, int group) {
  return st->batch->record + (size_t)group * st->size;
}

/* Whether whole marches of a group follow its core alone. */
static bool marches_whole(const cst_stepper *st, int group) {
  return st->nsegment == 1 && !st->segment[0].solo && !st->guard && st->batch->alive[group];
}

/* How many groups from this one on can march side by side, at most `most`. */
static int beside(const cst_stepper *st, int group, int most) {
  const cst_batch *b = st->batch;
  int              n = 1;
  if (st->apart || !marches_whole(st, group))
    return 1;
  most = CST_SMALLER(most, st->segment[0].core->beside);
  while (n < most && group + n < b->groups && b->alive[group + n])
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
  cst_stepper_give_steps(st, st->batch->alive[group]);
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
      cst_stepper_advance_group(st, g, to - b->step);
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
      cst_stepper_advance_group(st, g, n);
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
  cst_stepper_give_steps(st, st->batch->alive[group]);
  return cst_stepper_inner(st, record_of(st, group));
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

static cst_error step_in_parts(cst_stepper *st, long step) {
  cst_batch *b = st->batch;
  bool      *failed;
  failed = cst_zeros(b->groups, sizeof *failed);
  memcpy(st->saved, b->record, st->size * (size_t)b->groups * sizeof *st->saved);
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
      cst_stepper_repeat(st, g, step, 0);
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
