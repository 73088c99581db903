/* events.c: the collector `events`: where an expression changes its sign along a trajectory, or a time comes
 * back, and what is taken there; an event may end its trajectory.
 *
 * Every step is looked at, s(x_n) being kept from one to the next: up: s_n < 0 <= s_(n+1), down: s_n > 0 >=
 * s_(n+1); a start with s = 0 is none, two changes within a step are missed, and one at a pole or a cut is counted apart. Only where there is one is the
 * lane copied and located (events-locate.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/events.h"
#include "study/plan/clock.h"

enum { HITS = 4 * CST_EVENTS_MOST };

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_values when, take;
} values;

typedef struct {
  values       each[CST_EVENTS_MOST];
  cst_locator *locator;
  double      *last;                  /* before the step: into the rows, [group][event][W] */
  double      *now;                   /* behind it, [event][W] */
  double      *course;                /* at several states of a group, [event][CST_TRAIL][W] */
  bool         known;                 /* they are those of the states that are looked at */
  double      *next;                  /* [group][event] the earliest time at which it comes back */
  double      *lambda;                /* [ng][W] */
  int          bits[CST_EVENTS_MOST]; /* lanes with an event in the step */
  cst_error    error;
} own;

static void create(cst_collection *x) {
  own              *o = x->own;
  cst_runner       *r = x->run;
  const cst_events *w = cst_events_of(r->plan);
  for (int k = 0; k < w->n; k++) {
    if (!w->each[k].every)
      o->each[k].when = cst_values_create(r, &w->each[k].when);
    if (w->each[k].take.n)
      o->each[k].take = cst_values_create(r, &w->each[k].take);
    r->watch.speeds |= o->each[k].when.v;
    r->watch.momenta |= o->each[k].when.v;
    r->watch.clock |= o->each[k].when.t || w->each[k].every;
  }
  o->locator = cst_locator_create(r);
  o->last = cst_rows_numbers(r->rows, &cst_channel_event_last, 0, 0);
  const long groups = (r->batch + r->width - 1) / r->width;
  o->next = cst_zeros(groups * w->n, sizeof *o->next);
  o->now = cst_aligned((size_t)w->n * (size_t)r->width);
  o->course = cst_aligned((size_t)w->n * CST_TRAIL * (size_t)r->width);
  o->lambda = cst_aligned(((size_t)r->plan->study->system->ng + 1) * (size_t)r->width);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  for (int k = 0; k < cst_events_of(x->run->plan)->n; k++) {
    if (o->each[k].when.tape)
      cst_values_destroy(&o->each[k].when);
    if (o->each[k].take.tape)
      cst_values_destroy(&o->each[k].take);
  }
  cst_locator_destroy(o->locator);
  free(o->next);
  free(o->now);
  free(o->course);
  free(o->lambda);
}

static void begin(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const cst_events *w = cst_events_of(r->plan);
  const long        lanes = (long)r->b->groups * r->width;
  for (long i = 0; i < lanes * w->n; i++)
    o->last[i] = NAN;
  for (int k = 0; k < w->n; k++) {
    double    *count = cst_rows_numbers(r->rows, &cst_channel_event_count, k, 0);
    double    *t = cst_rows_numbers(r->rows, &cst_channel_event_time, k, 0);
    double    *take = cst_rows_numbers(r->rows, &cst_channel_event_take, k, 0);
    double    *jumps = cst_rows_numbers(r->rows, &cst_channel_event_jumps, k, 0);
    const long keep = w->each[k].keep, n = w->each[k].take.n;
    for (long l = 0; l < r->work->count; l++)
      count[l] = 0;
    for (long l = 0; l < r->work->count && jumps; l++)
      jumps[l] = 0;
    for (long i = 0; i < r->work->count * keep; i++)
      t[i] = NAN;
    for (long i = 0; i < r->work->count * keep * n; i++)
      take[i] = NAN;
  }
}

static void locate(cst_collection *x, long step, bool done) {
  own *o = x->own;
  (void)done;
  cst_locator_begin(o->locator, step);
  memset(o->next, 0,
         (size_t)(x->run->b->groups * cst_events_of(x->run->plan)->n) * sizeof *o->next);
}

static void changed(cst_collection *x) {
  const own *o = x->own;
  cst_locator_changed(o->locator);
}

/* ---- an event -------------------------------------------------------------------------------- */

typedef struct {
  int    event, group, lane;
  double due; /* of one that comes back */
} hit;

/* A change of sign that is no root is counted apart. */
static void note_jump(cst_runner *r, const hit *x) {
  const long lane = (long)x->group * r->width + x->lane;
  *cst_rows_numbers(r->rows, &cst_channel_event_jumps, x->event, lane) += 1;
}

/* Notes the event at the located state. */
static void note(const own *o, cst_runner *r, const hit *x, double time) {
  const cst_event *e = &cst_events_of(r->plan)->each[x->event];
  const long       lane = (long)x->group * r->width + x->lane;
  double          *count = cst_rows_numbers(r->rows, &cst_channel_event_count, x->event, lane);
  const long       at = (long)*count;
  *count += 1;
  if (at >= e->keep)
    return;
  cst_rows_numbers(r->rows, &cst_channel_event_time, x->event, lane)[at] = time;
  if (e->take.n)
    cst_locator_take(o->locator, &o->each[x->event].take,
                     cst_rows_numbers(r->rows, &cst_channel_event_take, x->event, lane) +
                         at * e->take.n);
}

/* The time after which an event comes back in the case of a lane. */
static double period_of(const cst_runner *r, const cst_event *e, long lane) {
  return e->every[cst_runner_case(r, lane)->variant];
}

/* Goes to the state of an event in the open step, or of a jump of its expression. */
static cst_error go(own *o, const cst_runner *r, const hit *x, double *time, bool *jumps) {
  const cst_event *e = &cst_events_of(r->plan)->each[x->event];
  const size_t     at =
      ((size_t)x->group * (size_t)cst_events_of(r->plan)->n + (size_t)x->event) * (size_t)r->width +
      (size_t)x->lane;
  *time = x->due;
  *jumps = false;
  if (e->every)
    CST_TRY(cst_locator_go(o->locator, x->due));
  else
    CST_TRY(cst_locator_find(o->locator, &o->each[x->event].when, o->last[at],
                             o->now[x->event * r->width + x->lane], time, jumps));
  *jumps &= !e->steps;
  return 0;
}

/* The first of those that end the trajectory, of all that a lane has in the open step; event -1: none. */
static cst_error find_stop(own *o, const cst_runner *r, const hit *x, int n, hit *stop,
                           double *end) {
  double time;
  bool   jumps;
  stop->event = -1;
  *end = INFINITY;
  for (int i = 0; i < n; i++) {
    if (!cst_events_of(r->plan)->each[x[i].event].stop)
      continue;
    CST_TRY(go(o, r, &x[i], &time, &jumps));
    if (time < *end && !jumps) {
      *end = time;
      *stop = x[i];
    }
  }
  return 0;
}

/* All events that a lane has in the step that ends as number `step`. */
static cst_error handle(own *o, cst_runner *r, const hit *x, int n, long step) {
  hit    stop;
  double end, time;
  bool   jumps;
  CST_TRY(cst_locator_open(o->locator, x->group, x->lane, step - 1));
  CST_TRY(find_stop(o, r, x, n, &stop, &end));
  for (int i = 0; i < n; i++) {
    const bool stops = cst_events_of(r->plan)->each[x[i].event].stop;
    CST_TRY(go(o, r, &x[i], &time, &jumps));
    if (jumps && time <= end)
      note_jump(r, &x[i]);
    else if (!stops && time <= end)
      note(o, r, &x[i], time);
  }
  if (stop.event < 0)
    return 0;
  CST_TRY(go(o, r, &stop, &time, &jumps));
  note(o, r, &stop, time);
  cst_runner_end_lane(r, x->group, x->lane, CST_EVENT, step - 1, cst_locator_before(o->locator));
  return 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Lanes whose value changes its sign in one of these directions. */
static int changes(const double *before, const double *after, int W, unsigned direction) {
  bool same = true;
  int  bits = 0;
  for (int l = 0; l < W; l++)
    same &= before[l] * after[l] > 0;
  for (int l = 0; l < W && !same; l++) {
    const bool up = before[l] < 0 && after[l] >= 0, down = before[l] > 0 && after[l] <= 0;
    bits |= ((up && direction & CST_EVENT_UP) || (down && direction & CST_EVENT_DOWN)) << l;
  }
  return bits;
}

/* Lanes for which event k, which comes back after a time, is due at time t; keeps when it is next. */
static int comes_back(own *o, const cst_runner *r, int k, int group, double t) {
  const cst_events *w = cst_events_of(r->plan);
  double           *next = &o->next[group * w->n + k];
  const double      now = t * (1 + 4 * DBL_EPSILON);
  int               bits = 0;
  if (now < *next)
    return 0;
  *next = INFINITY;
  for (int l = 0; l < r->width; l++) {
    const long lane = (long)group * r->width + l;
    if (!cst_runner_group_lives(r, group, l) || lane >= r->work->count)
      continue;
    const double had = *cst_rows_numbers(r->rows, &cst_channel_event_count, k, lane);
    const double due = (had + 1) * period_of(r, &w->each[k], lane);
    bits |= (due <= now) << l;
    *next = fmin(*next, due);
  }
  if (bits)
    *next = 0;
  return bits;
}

/* The events of a lane at this step, those of one kind in the order of time. */
static int list(const own *o, const cst_runner *r, int group, int lane, double t, hit *x) {
  const cst_events *w = cst_events_of(r->plan);
  const long        row = (long)group * r->width + lane;
  int               n = 0;
  for (int k = 0; k < w->n; k++) {
    const cst_event *e = &w->each[k];
    if (!(o->bits[k] >> lane & 1))
      continue;
    double had = *cst_rows_numbers(r->rows, &cst_channel_event_count, k, row);
    do
      x[n++] = (hit){k, group, lane, e->every ? ++had * period_of(r, e, row) : 0};
    while (e->every && !e->stop && n < HITS &&
           (had + 1) * period_of(r, e, row) <= t * (1 + 4 * DBL_EPSILON));
  }
  return n;
}

/* The value of event k at the i-th of these states, in `now`. */
static const double *value_at(own *o, cst_runner *r, int k, const cst_view *view,
                              const cst_states *states, int i) {
  const int     W = r->width;
  cst_values   *when = &o->each[k].when;
  double       *now = o->now + k * W;
  const double *value = o->course + (k * CST_TRAIL + i) * W;
  if (when->lambda || !o->known) {
    if (when->lambda)
      cst_runner_state_lambda(r, r->st, view->record, o->lambda);
    cst_values_along(when, view, states, i);
    value = when->value;
  }
  memcpy(now, value, (size_t)W * sizeof *now);
  return now;
}

/* The values of a group at a state, and the lanes with events; true if there are any. */
static bool measure(own *o, cst_runner *r, int group, const cst_view *view,
                    const cst_states *states, int i) {
  const cst_events *w = cst_events_of(r->plan);
  const int         W = r->width;
  int               any = 0;
  for (int k = 0; k < w->n; k++) {
    if (w->each[k].every)
      o->bits[k] = comes_back(o, r, k, group, view->time[0]);
    else
      o->bits[k] = changes(o->last + (group * w->n + k) * W, value_at(o, r, k, view, states, i), W,
                           w->each[k].direction);
    o->bits[k] &= r->b->alive[group];
    any |= o->bits[k];
  }
  return any;
}

/* What is before the next step; of lanes that have ended, nothing changes. */
static void pass(own *o, const cst_runner *r, int group, int alive) {
  const int n = cst_events_of(r->plan)->n, W = r->width;
  double   *last = o->last + group * n * W;
  if (alive == (1 << W) - 1) {
    memcpy(last, o->now, (size_t)(n * W) * sizeof *last);
    return;
  }
  for (int k = 0; k < n; k++)
    for (int l = 0; l < W; l++)
      last[k * W + l] = alive >> l & 1 ? o->now[k * W + l] : last[k * W + l];
}

/* Whether event k is in none of these states; fills `course`, and `now` with the values at the last of them. */
static bool is_quiet(own *o, const cst_runner *r, int k, int group, const cst_view *view,
                     const cst_states *states) {
  const cst_events *w = cst_events_of(r->plan);
  const int         W = r->width;
  double           *course = o->course + k * CST_TRAIL * W;
  if (w->each[k].every)
    return states->time[(states->n - 1) * W] * (1 + 4 * DBL_EPSILON) < o->next[group * w->n + k];
  if (o->each[k].when.lambda)
    return false;
  const int others =
      cst_values_signs(&o->each[k].when, view, states, o->last + (group * w->n + k) * W, course);
  memcpy(o->now + k * W, course + (states->n - 1) * W, (size_t)W * sizeof *course);
  return !(others & r->b->alive[group]);
}

static bool quiet(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step) {
  own *o = x->own;
  bool all = true;
  (void)step;
  for (int k = 0; k < cst_events_of(x->run->plan)->n; k++)
    all &= is_quiet(o, x->run, k, group, view, states);
  if (all)
    pass(o, x->run, group, x->run->b->alive[group]);
  o->known = !all;
  return all;
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  own        *o = x->own;
  cst_runner *r = x->run;
  const int   alive = r->b->alive[group], W = r->width;
  hit         hits[HITS + CST_EVENTS_MOST];
  cst_view    seen = *view;
  if (o->error || !alive)
    return;
  seen.lambda = o->lambda;
  if (measure(o, r, group, &seen, states, i))
    for (int l = 0; l < W && !o->error; l++) {
      const int n = list(o, r, group, l, view->time[0], hits);
      if (n)
        o->error = handle(o, r, hits, n, step[i]);
    }
  pass(o, r, group, alive);
}

static void watched(cst_collection *x, int group, long step) {
  own *o = x->own;
  o->known = false;
  cst_locator_passed(o->locator, group, step);
}

/* The marches that look return no error: it is told at the next stop. */
static cst_error before(cst_collection *x) {
  const own *o = x->own;
  return o->error;
}

const cst_collector cst_collector_events = {
    .name = "events",
    .doc = "where expressions change their sign",
    .keys = cst_events_keys,
    .wish = sizeof(cst_events),
    .read = cst_events_read,
    .forget = cst_events_forget,
    .as_in = cst_events_as_in,
    .demand = cst_events_demand,
    .steps = cst_events_steps,
    .tell = cst_events_tell,
    .declare = cst_events_declare,
    .own = sizeof(own),
    .wanted = cst_events_wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .locate = locate,
    .changed = changed,
    .before = before,
    .quiet = quiet,
    .watch = watch,
    .watched = watched,
    .columns = cst_events_columns,
    .conclude = cst_events_conclude,
};
