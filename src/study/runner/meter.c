/* meter.c: measures the observables of a running batch, and lets the collectors look at it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/plan/clock.h"
#include "study/runner/runner-internal.h"

/* Set once for all groups: per group, lanes would be read as a vector just after being written one by one. */
static void set_time(const cst_runner *r) {
  const double t = cst_clock_at(r->class, (double)r->b->step);
  if (r->own->meter.time[0] == t)
    return;
  for (int l = 0; l < r->width; l++)
    r->own->meter.time[l] = t;
}

void cst_runner_find_blocks(cst_runner *r) {
  for (int k = 0; k < r->plan->nobservation; k++) {
    const char *name = r->plan->observation[k].row->state;
    r->own->meter.block[k] = name ? cst_stepper_state(r->st, name) : -1;
  }
}

/* The view of a group, without what depends on its state. */
static cst_view view_of(const cst_runner *r, int group, cst_keep keep) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->system;
  const int         nq = s->nq;
  const double     *record = cst_runner_record(r, group);
  const int         W = r->width;
  double           *v = r->own->meter.scratch;
  double           *lambda = v + nq * W;
  double           *more = lambda + (s->ng + 1) * W;
  return (cst_view){.context = cst_stepper_context(r->st),
                    .record = record,
                    .q0 = r->q0 + (size_t)group * (size_t)nq * (size_t)W,
                    .v = v,
                    .lambda = lambda,
                    .time = r->own->meter.time,
                    .scratch = more + W,
                    .isa = p->isa,
                    .alive = r->b->alive[group],
                    .keep = keep,
                    .freedom = p->freedom[r->class->method]};
}

/* The numbers that observation k keeps of a group, [cst_observer_kept][W]; NULL: none. */
static double *kept_of(const cst_runner *r, int k, int group) {
  if (r->own->meter.kept[k])
    return r->own->meter.kept[k] + (size_t)group * r->own->meter.keeps[k];
  return NULL;
}

cst_view cst_runner_see(const cst_runner *r, int group, bool v, bool lambda) {
  cst_view view = view_of(r, group, CST_KEEP_NOT);
  view.lambda = r->own->lambda;
  set_time(r);
  if (v)
    r->fold->velocities(view.context, view.record, r->own->meter.scratch);
  if (lambda)
    cst_runner_lambda(r, r->st, view.record, r->b->step, r->own->lambda);
  return view;
}

cst_view cst_runner_measure(const cst_runner *r, int group, cst_keep keep) {
  const cst_meter *m = &r->own->meter;
  const int        W = r->width;
  cst_view         view = view_of(r, group, keep);
  r->fold->velocities(view.context, view.record, m->scratch);
  if (r->plan->needs_lambda)
    cst_runner_lambda(r, r->st, view.record, r->b->step,
                      m->scratch + r->plan->study->system->nq * W);
  set_time(r);
  for (int i = 0; i < m->nwanted; i++) {
    const int              k = m->wanted[i];
    const cst_observation *look = &r->plan->observation[k];
    view.state = m->block[k] < 0 ? NULL : view.record + m->block[k] * W;
    m->measure[k](look, &view, kept_of(r, k, group), r->value + look->first * W,
                  m->scale + look->first * W);
  }
  return view;
}

/* The times of states, which neighbours have in common. */
static void set_times(cst_runner *r, const cst_trail *way) {
  const int W = r->width;
  for (int i = 0; i < way->n; i++) {
    const double t = cst_clock_at(r->class, (double)way->step[i]);
    if (r->own->meter.times[i * W] == t)
      continue;
    for (int l = 0; l < W; l++)
      r->own->meter.times[i * W + l] = t;
  }
}

/* A group at a state whose values are of use in themselves: at its first state, or to some collector. */
static void look_here(cst_runner *r, int group) {
  const cst_view view = cst_runner_measure(r, group, r->b->step == 0 ? CST_KEEP_FIRST : CST_KEEP);
  for (int i = 0; i < r->own->ncollection; i++) {
    cst_collection *x = &r->own->collection[i];
    if (x->row->run.look)
      x->row->run.look(x, group, &view);
  }
}

static void look_along(cst_runner *r, int group, const cst_trail *way) {
  const cst_view   view = view_of(r, group, CST_KEEP);
  const cst_states states = {way->n, way->stride,         way->q,
                             way->p, r->own->meter.speed, r->own->meter.times};
  r->fold->speeds(view.context, view.record, &states, r->own->meter.speed);
  set_times(r, way);
  for (int i = 0; i < r->own->ncollection; i++) {
    cst_collection *x = &r->own->collection[i];
    if (x->row->run.along)
      x->row->run.along(x, group, &view, &states);
  }
}

static void fold_group(cst_runner *r, int group, const cst_trail *way) {
  if (r->own->meter.one_by_one || way->step[0] == 0)
    look_here(r, group);
  else
    look_along(r, group, way);
}

void cst_runner_fold(cst_runner *r) {
  for (int g = 0; g < r->b->groups; g++) {
    const cst_trail way = cst_stepper_trail(r->st, r->b, g);
    fold_group(r, g, &way);
  }
}

/* ---- what collectors do with what is measured ------------------------------------------------ */

/* Unwanted quantities are set to NaN at the start and stay so. */
void cst_runner_accumulate(const cst_runner *r, int group) {
  const cst_meter *m = &r->own->meter;
  const int        W = r->width, alive = r->b->alive[group];
  double          *acc = cst_runner_accumulators(r, group);
  if (r->b->step == 0) {
    r->fold->fold(r->plan->nquantity, r->value, m->scale, alive, true, acc);
    return;
  }
  for (int i = 0; i < m->nspan; i++) {
    const int first = m->span[i].first;
    r->fold->fold(m->span[i].count, r->value + first * W, m->scale + first * W, alive, false,
                  acc + (long)first * CST_SLOTS * W);
  }
}

void cst_runner_accumulate_along(const cst_runner *r, int group, const cst_view *view,
                                 const cst_states *states) {
  const cst_meter *m = &r->own->meter;
  double          *accumulators = cst_runner_accumulators(r, group);
  for (int i = 0; i < m->nwanted; i++) {
    const int              k = m->wanted[i];
    const cst_observation *look = &r->plan->observation[k];
    double                *acc = accumulators + (long)look->first * CST_SLOTS * r->width;
    if (m->follow[k]) {
      m->follow[k](look, view, states, kept_of(r, k, group), acc);
    } else {
      const cst_traced values = look->row->along(look, view, states, m->traced);
      r->fold->trace(states->n, values.at, values.stride, view->alive, acc);
    }
  }
}

void cst_runner_clear_kept(const cst_runner *r) {
  const cst_meter *m = &r->own->meter;
  for (int k = 0; k < r->plan->nobservation; k++)
    if (m->kept[k])
      memset(m->kept[k], 0, sizeof(double) * (size_t)r->b->groups * m->keeps[k]);
}

/* ---- every step ------------------------------------------------------------------------------ */

/* The states for those who look at every step. */
static cst_states states_of(cst_runner *r, const cst_view *view, const cst_trail *way) {
  const cst_watch *w = &r->own->watch;
  const int        W = r->width;
  const cst_states x = {way->n, way->stride, way->q, way->p, w->speed, w->times};
  if (w->speeds)
    r->fold->speeds(view->context, view->record, &x, w->speed);
  for (int i = 0; w->clock && i < way->n; i++) {
    const double t = cst_clock_at(r->class, (double)way->step[i]);
    const bool   there = w->times[i * W] == t;
    for (int l = 0; l < W && !there; l++)
      w->times[i * W + l] = t;
  }
  return x;
}

static void watch(cst_runner *r, int group, const cst_trail *way, const cst_states *states, int i) {
  cst_view view = view_of(r, group, CST_KEEP_NOT);
  view.time = states->time + i * r->width;
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watch)
      x->row->run.watch(x, group, &view, states, way->step, i);
  }
}

/* Whether nobody has to look at these states one by one. */
static bool all_quiet(cst_runner *r, int group, const cst_view *view, const cst_states *states,
                      const long *step) {
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watch &&
        !(x->row->run.quiet && x->row->run.quiet(x, group, view, states, step)))
      return false;
  }
  return true;
}

static void end_watch(cst_runner *r, int group, long step) {
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watched)
      x->row->run.watched(x, group, step);
  }
}

/* Folds the states from..to-1 of lanes that were alive in them. */
static void fold_some(cst_runner *r, int group, const cst_trail *way, int from, int to, int alive) {
  const int       now = r->b->alive[group];
  const size_t    at = (size_t)from * way->stride;
  const cst_trail some = {to - from, way->stride, way->step + from, way->q + at, way->p + at};
  if (from == to)
    return;
  r->b->alive[group] = alive;
  fold_group(r, group, &some);
  r->b->alive[group] = now;
}

long cst_runner_next_fold(const cst_runner *r, cst_next_fold *known, long step) {
  if (step == known->fold)
    *known = (cst_next_fold){step, cst_plan_class_fold_next(r->class, step)};
  else if (step < known->from || step > known->fold)
    *known = (cst_next_fold){step, cst_plan_class_fold_after(r->class, step)};
  return known->fold;
}

/* The same behind the step before a trail: groups side by side ask for the same one after another, and then for
 * the one that follows. */
static long first_fold(cst_runner *r, long step) {
  cst_watch *w = &r->own->watch;
  if (step < w->met.from || step >= w->met.fold)
    w->met = (cst_next_fold){step, cst_runner_next_fold(r, &w->passed, step)};
  return w->met.fold;
}

/* Folds those of the states that are observed, all that are evenly spaced at once. */
static void fold_observed(cst_runner *r, int group, const cst_trail *way) {
  const long first = way->step[0], last = way->step[way->n - 1];
  long       step[CST_TRAIL];
  long       next = first_fold(r, first - 1);
  while (next <= last) {
    const long from = next;
    long       gap = 0;
    int        n = 0;
    for (; next <= last && (n < 2 || next - step[n - 1] == gap); n++) {
      step[n] = next;
      gap = n ? step[1] - from : 0;
      next = cst_plan_class_fold_next(r->class, next);
    }
    const size_t at = (size_t)(from - first) * way->stride;
    fold_group(r, group,
               &(cst_trail){n, (size_t)gap * way->stride, step, way->q + at, way->p + at});
  }
  r->own->watch.passed = (cst_next_fold){last, next};
}

/* Lets all look at the states one by one. Observed neighbours are folded together, unless a lane has ended
 * between them. */
static void watch_each(cst_runner *r, int group, const cst_trail *way, const cst_states *states) {
  long fold = first_fold(r, way->step[0] - 1);
  int  from = 0; /* not folded yet */
  for (int i = 0; i < way->n; i++) {
    const int alive = r->b->alive[group];
    watch(r, group, way, states, i);
    const bool observed = way->step[i] == fold;
    if (!observed || alive != r->b->alive[group]) {
      fold_some(r, group, way, from, i, alive);
      from = i + !observed;
    }
    if (observed)
      fold = cst_plan_class_fold_next(r->class, fold);
  }
  fold_some(r, group, way, from, way->n, r->b->alive[group]);
}

/* States on the way of a group, one after each step, of which some are observed. */
static void watch_along(cst_runner *r, int group, const cst_trail *way) {
  const cst_view   view = view_of(r, group, CST_KEEP_NOT);
  const cst_states states = states_of(r, &view, way);
  if (all_quiet(r, group, &view, &states, way->step))
    fold_observed(r, group, way);
  else
    watch_each(r, group, way, &states);
  end_watch(r, group, way->step[way->n - 1]);
}

void cst_runner_fold_group(cst_runner *r, int group, const cst_trail *way) {
  if (r->own->watch.on)
    watch_along(r, group, way);
  else
    fold_group(r, group, way);
}

void cst_runner_watch_all(cst_runner *r) {
  for (int g = 0; g < r->b->groups; g++) {
    const cst_trail  way = cst_stepper_trail(r->st, r->b, g);
    const cst_view   view = view_of(r, g, CST_KEEP_NOT);
    const cst_states states = states_of(r, &view, &way);
    watch(r, g, &way, &states, 0);
    end_watch(r, g, r->b->step);
  }
  if (r->own->watch.ended)
    cst_batch_ready(r->st, r->b);
  r->own->watch.ended = false;
}
