/* events.c: the collector `events`: where an expression changes its sign along a trajectory, or a time comes
 * back, and what is taken there; an event may end its trajectory.
 *
 * Every step is looked at, s(x_n) being kept from one to the next: up: s_n < 0 <= s_(n+1), down: s_n > 0 >=
 * s_(n+1); a start with s = 0 is none, two changes within a step are missed, and one at a pole or a cut is counted apart. Only where there is one is the
 * lane copied and located (events-locate.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/events.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/stepper/stepper.h"
#include "statistics/ensemble-statistics.h"
#include "study/channels/channels.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"

/* Whether a change of its sign may be no event. */
static bool may_jump(const cst_event *e) { return !e->every && !e->steps; }

/* ---- channels -------------------------------------------------------------------------------- */

/* clang-format off */
static const cst_channel_row channel_event_last = {"events", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_event_count = {"/events/%s/count", "1", "events of the trajectory, also those that are not kept", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, true, false, NULL}};
static const cst_channel_row channel_event_jumps = {"/events/%s/jumps", "1", "changes of its sign without a root, as at a pole or a cut; they are no events", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, true, false, NULL}};
static const cst_channel_row channel_event_time = {"/events/%s/t", "1", "time of each event; column events_located tells how it is found", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row channel_event_take = {"/events/%s/take", "1", "values of the expressions at each event", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* To the events of a study a change of sign is what it was to the program that wrote the result: one that counts no jumps
 * took them for events. */
static void as_in(void *request, cst_result *file) {
  const cst_named_list *w = request;
  cst_event            *x = w->each;
  for (int k = 0; k < w->n; k++, x++) {
    char group[80];
    snprintf(group, sizeof group, "/events/%s", x->named.name);
    if (may_jump(x))
      x->steps = !cst_result_finds(file, group, "jumps");
  }
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const cst_named_list *request_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(events)];
}

static const cst_event *event_of(const cst_plan *p, int k) {
  return (const cst_event *)request_of(p)->each + k;
}

static bool wanted(const cst_plan *p) { return request_of(p)->n > 0; }

/* Of an event, measured: nanoseconds, and steps of a group of lanes in which it is located. How often an expression changes
 * its sign is not known before the run. */
static const double of_event = 1600, located = 5, usual_rate = 1.0 / 200;

/* Events in a step. */
static double rate(const cst_event *x, const cst_class *k) {
  return x->stop ? 0 : x->every ? fmin(1, k->h / x->every[0]) : usual_rate;
}

static double steps(const cst_plan *p, const cst_class *k) {
  const cst_named_list *w = request_of(p);
  const cst_event      *all = w->each;
  double                sum = 0;
  for (int i = 0; i < w->n; i++)
    sum += rate(&all[i], k) * located * cst_isas[p->isa].width;
  return sum;
}

static cst_demand demand(const cst_plan *p) {
  const cst_named_list *w = request_of(p);
  const cst_event      *all = w->each;
  cst_demand            d = {0};
  for (int k = 0; k < w->n; k++) {
    cst_values_demand(p, &all[k].named.expressions, &d);
    if (p->nclass)
      d.nanoseconds += of_event * rate(&all[k], p->classes) * (double)p->classes->observe;
  }
  return d;
}

static void tell(const cst_plan *p, FILE *out) {
  const cst_named_list *w = request_of(p);
  const cst_event      *all = w->each;
  for (int k = 0; k < w->n; k++) {
    const cst_event *x = &all[k];
    fprintf(out, "%-14s %s: ", k ? "" : "events", x->named.name);
    if (x->every)
      fprintf(out, "after every %.6g%s", x->every[0],
              cst_system_unit(p->study->problem.system, "time"));
    else
      fprintf(out, "%s = 0%s", x->named.expressions.text,
              x->direction == CST_EVENT_UP     ? ", upwards"
              : x->direction == CST_EVENT_DOWN ? ", downwards"
                                               : "");
    fprintf(out, x->stop ? "; ends the trajectory\n" : "\n");
  }
}

static void declare_one(cst_channels *c, const cst_event *x, int k) {
  const char *name = x->named.name;
  const int   event =
      cst_channels_axis(c, "event that is kept, in the order of time", x->keep, "%s_event", name);
  cst_channels_add(c, &channel_event_time, k, (cst_channel_use){.name = name, .axis = event});
}

static void declare(const cst_plan *p, cst_channels *c) {
  const cst_named_list *w = request_of(p);
  const cst_event      *all = w->each;
  if (!w->n)
    return;
  cst_channels_add(c, &channel_event_last, 0, (cst_channel_use){.count = (size_t)w->n});
  cst_named_channels(c, w, &channel_event_count, 0);
  for (int k = 0; k < w->n; k++)
    if (may_jump(&all[k]))
      cst_channels_add(c, &channel_event_jumps, k, (cst_channel_use){.name = all[k].named.name});
  for (int k = 0; k < w->n; k++)
    declare_one(c, &all[k], k);
  for (int k = 0; k < w->n; k++) {
    const cst_event *x = &all[k];
    if (!x->take.n)
      continue;
    const int axis =
        cst_channels_axis(c, "expression that is taken", x->take.n, "%s_take", x->named.name);
    cst_channels_label(c, axis, (const char *const *)x->text);
    const int event = cst_channels_axis(c, "", x->keep, "%s_event", x->named.name);
    cst_channels_add(c, &channel_event_take, k,
                     (cst_channel_use){.name = x->named.name, .axis = event, .also = axis});
  }
}

enum { HITS = 4 * CST_EVENTS_MOST };

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_values  *when, take[CST_EVENTS_MOST]; /* when: [event] */
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
  own                  *o = x->own;
  const cst_runner     *r = x->run;
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  o->when = cst_named_values(r, w);
  for (int k = 0; k < w->n; k++) {
    if (all[k].take.n)
      o->take[k] = cst_values_create(r, &all[k].take);
    cst_runner_watches(r, o->when[k].v, o->when[k].v, o->when[k].t || all[k].every);
  }
  o->locator = cst_locator_create(r);
  o->last = cst_rows_numbers(r->rows, &channel_event_last, 0, 0);
  const long groups = (r->batch + r->width - 1) / r->width;
  o->next = cst_zeros(groups * w->n, sizeof *o->next);
  o->now = cst_aligned((size_t)w->n * (size_t)r->width);
  o->course = cst_aligned((size_t)w->n * CST_TRAIL * (size_t)r->width);
  o->lambda = cst_aligned(((size_t)r->plan->study->problem.system->ng + 1) * (size_t)r->width);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  cst_named_values_destroy(o->when, request_of(x->run->plan));
  for (int k = 0; k < CST_EVENTS_MOST; k++)
    if (o->take[k].n)
      cst_values_destroy(&o->take[k]);
  cst_locator_destroy(o->locator);
  free(o->next);
  free(o->now);
  free(o->course);
  free(o->lambda);
}

static void begin(cst_collection *x) {
  const own            *o = x->own;
  const cst_runner     *r = x->run;
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  const long            lanes = (long)r->b->groups * r->width;
  for (long i = 0; i < lanes * w->n; i++)
    o->last[i] = NAN;
  for (int k = 0; k < w->n; k++) {
    double    *count = cst_rows_numbers(r->rows, &channel_event_count, k, 0);
    double    *t = cst_rows_numbers(r->rows, &channel_event_time, k, 0);
    double    *take = cst_rows_numbers(r->rows, &channel_event_take, k, 0);
    double    *jumps = cst_rows_numbers(r->rows, &channel_event_jumps, k, 0);
    const long keep = all[k].keep, n = all[k].take.n;
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
  memset(o->next, 0, (size_t)(x->run->b->groups * request_of(x->run->plan)->n) * sizeof *o->next);
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
static void note_jump(const cst_runner *r, const hit *x) {
  const long lane = (long)x->group * r->width + x->lane;
  *cst_rows_numbers(r->rows, &channel_event_jumps, x->event, lane) += 1;
}

/* Notes the event at the located state. */
static void note(const own *o, const cst_runner *r, const hit *x, double time) {
  const cst_event *e = event_of(r->plan, x->event);
  const long       lane = (long)x->group * r->width + x->lane;
  double          *count = cst_rows_numbers(r->rows, &channel_event_count, x->event, lane);
  const long       at = (long)*count;
  *count += 1;
  if (at >= e->keep)
    return;
  cst_rows_numbers(r->rows, &channel_event_time, x->event, lane)[at] = time;
  if (e->take.n)
    cst_locator_take(o->locator, &o->take[x->event],
                     cst_rows_numbers(r->rows, &channel_event_take, x->event, lane) +
                         at * e->take.n);
}

/* The time after which an event comes back in the case of a lane. */
static double period_of(const cst_runner *r, const cst_event *e, long lane) {
  return e->every[cst_runner_case(r, lane)->variant];
}

/* Goes to the state of an event in the open step, or of a jump of its expression. */
static cst_error go(own *o, const cst_runner *r, const hit *x, double *time, bool *jumps) {
  const cst_event *e = event_of(r->plan, x->event);
  const size_t     at =
      ((size_t)x->group * (size_t)request_of(r->plan)->n + (size_t)x->event) * (size_t)r->width +
      (size_t)x->lane;
  *time = x->due;
  *jumps = false;
  if (e->every)
    CST_TRY(cst_locator_go(o->locator, x->due));
  else
    CST_TRY(cst_locator_find(o->locator, &o->when[x->event], o->last[at],
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
    if (!event_of(r->plan, x[i].event)->stop)
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
static cst_error handle(own *o, const cst_runner *r, const hit *x, int n, long step) {
  hit    stop;
  double end, time;
  bool   jumps;
  CST_TRY(cst_locator_open(o->locator, x->group, x->lane, step - 1));
  CST_TRY(find_stop(o, r, x, n, &stop, &end));
  for (int i = 0; i < n; i++) {
    const bool stops = event_of(r->plan, x[i].event)->stop;
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
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  double               *next = &o->next[group * w->n + k];
  const double          now = t * (1 + 4 * DBL_EPSILON);
  int                   bits = 0;
  if (now < *next)
    return 0;
  *next = INFINITY;
  for (int l = 0; l < r->width; l++) {
    const long lane = (long)group * r->width + l;
    if (!cst_runner_group_lives(r, group, l) || lane >= r->work->count)
      continue;
    const double had = *cst_rows_numbers(r->rows, &channel_event_count, k, lane);
    const double due = (had + 1) * period_of(r, &all[k], lane);
    bits |= (due <= now) << l;
    *next = fmin(*next, due);
  }
  if (bits)
    *next = 0;
  return bits;
}

/* The events of a lane at this step, those of one kind in the order of time. */
static int list(const own *o, const cst_runner *r, int group, int lane, double t, hit *x) {
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  const long            row = (long)group * r->width + lane;
  int                   n = 0;
  for (int k = 0; k < w->n; k++) {
    const cst_event *e = &all[k];
    if (!(o->bits[k] >> lane & 1))
      continue;
    double had = *cst_rows_numbers(r->rows, &channel_event_count, k, row);
    do
      x[n++] = (hit){k, group, lane, e->every ? ++had * period_of(r, e, row) : 0};
    while (e->every && !e->stop && n < HITS &&
           (had + 1) * period_of(r, e, row) <= t * (1 + 4 * DBL_EPSILON));
  }
  return n;
}

/* The value of event k at the i-th of these states, in `now`. */
static const double *value_at(own *o, const cst_runner *r, int k, const cst_view *view,
                              const cst_states *states, int i) {
  const int     W = r->width;
  cst_values   *when = &o->when[k];
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
static bool measure(own *o, const cst_runner *r, int group, const cst_view *view,
                    const cst_states *states, int i) {
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  const int             W = r->width;
  int                   any = 0;
  for (int k = 0; k < w->n; k++) {
    if (all[k].every)
      o->bits[k] = comes_back(o, r, k, group, view->time[0]);
    else
      o->bits[k] = changes(o->last + (group * w->n + k) * W, value_at(o, r, k, view, states, i), W,
                           all[k].direction);
    o->bits[k] &= r->b->alive[group];
    any |= o->bits[k];
  }
  return any;
}

/* What is before the next step; of lanes that have ended, nothing changes. */
static void pass(own *o, const cst_runner *r, int group, int alive) {
  const int n = request_of(r->plan)->n, W = r->width;
  double   *last = o->last + group * n * W;
  if (alive == (1 << W) - 1) {
    memcpy(last, o->now, (size_t)(n * W) * sizeof *last);
    return;
  }
  for (int k = 0; k < n; k++)
    for (int l = 0; l < W; l++)
      last[k * W + l] = alive >> l & 1 ? o->now[k * W + l] : last[k * W + l];
}

/* A single expression at all of the states, value[n][W]; the lanes, as bits, in which one of them is 0, not a
 * number, or of another sign than `before` [W]. It reads no multipliers. */
static int signs(const cst_values *x, const cst_view *view, const cst_states *states,
                 const double *before, double *value) {
  const cst_context *C = view->context;
  const size_t       W = (size_t)cst_isas[view->isa].width;
  const double      *in[128]; /* a tape reads only the inputs that it uses */
  size_t             step[128];
  in['c'] = view->record + (size_t)C->at.c * W, step['c'] = 0;
  in['q'] = states->q, step['q'] = states->stride;
  in['v'] = states->v, step['v'] = (size_t)C->nq * W;
  in['t'] = states->time, step['t'] = W;
  return cst_tape_lanes_of(view->isa)->signs(x->tape, states->n, in, step, before, value,
                                             x->scratch);
}

/* Whether event k is in none of these states; fills `course`, and `now` with the values at the last of them. */
static bool is_quiet(own *o, const cst_runner *r, int k, int group, const cst_view *view,
                     const cst_states *states) {
  const cst_named_list *w = request_of(r->plan);
  const cst_event      *all = w->each;
  const int             W = r->width;
  double               *course = o->course + k * CST_TRAIL * W;
  if (all[k].every)
    return states->time[(states->n - 1) * W] * (1 + 4 * DBL_EPSILON) < o->next[group * w->n + k];
  if (o->when[k].lambda)
    return false;
  const int others = signs(&o->when[k], view, states, o->last + (group * w->n + k) * W, course);
  memcpy(o->now + k * W, course + (states->n - 1) * W, (size_t)W * sizeof *course);
  return !(others & r->b->alive[group]);
}

static bool quiet(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step) {
  own *o = x->own;
  bool all = true;
  (void)step;
  for (int k = 0; k < request_of(x->run->plan)->n; k++)
    all &= is_quiet(o, x->run, k, group, view, states);
  if (all)
    pass(o, x->run, group, x->run->b->alive[group]);
  o->known = !all;
  return all;
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const int         alive = r->b->alive[group], W = r->width;
  hit               hits[HITS + CST_EVENTS_MOST];
  cst_view          seen = *view;
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

/* ---- columns --------------------------------------------------------------------------------- */

/* Their number, and of those that end trajectories the share of the
 * members and the quantiles of their times. */

enum { QUANTILES = 3 };
static const double      shares[QUANTILES] = {0.1, 0.5, 0.9};
static const char *const endings[QUANTILES] = {"q10", "q50", "q90"};

typedef struct {
  cst_number_column count, jumps, share, time[QUANTILES];
} event_columns;

typedef struct {
  cst_text_column   located;
  cst_number_column stopped;
  event_columns     each[CST_EVENTS_MOST];
} columns_of;

static void declare_columns(cst_columns *c, const cst_event *e, event_columns *x) {
  x->count = cst_columns_number(c, cst_columns_shown(!e->stop, "events", e->named.name),
                                "events of the members that did not fail, in all", "%s_count",
                                e->named.name);
  if (may_jump(e))
    x->jumps =
        cst_columns_number(c, cst_columns_use("event-jumps", e->named.name),
                           "changes of its sign without a root, as at a pole or a cut, which "
                           "are no events",
                           "%s_jumps", e->named.name);
  if (!e->stop)
    return;
  x->share = cst_columns_number(c, cst_columns_shown(true, "event-share", e->named.name),
                                "share of the members that it ended", "%s_share", e->named.name);
  for (int k = 0; k < QUANTILES; k++)
    x->time[k] = cst_columns_number(
        c, cst_columns_shown(true, "event-time", e->named.name),
        "quantile of its time, Kaplan-Meier: other members are known until their own end",
        "%s_time_%s", e->named.name, endings[k]);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  const cst_named_list *w = request_of(p);
  const cst_event      *all = w->each;
  bool                  stop = false;
  if (!w->n)
    return NULL;
  columns_of *x = cst_zeros(1, sizeof *x);
  for (int k = 0; k < w->n; k++)
    stop |= all[k].stop;
  if (stop)
    x->stopped =
        cst_columns_number(c, cst_columns_shown(true, "stopped", NULL),
                           "trajectories that an event ended; they have not failed, and enter no "
                           "means, errors and verdicts",
                           "stopped");
  for (int k = 0; k < w->n; k++)
    declare_columns(c, &all[k], &x->each[k]);
  x->located = cst_columns_text(
      c, cst_columns_use("events-located", NULL),
      "how events are located: step, by the method's own shortened step; cubic, by Hermite "
      "interpolation, projected onto the constraints",
      "events_located");
  for (int i = 0; i < p->ncase; i++)
    cst_column_say(x->located, i,
                   cst_scratch_shortens(p->method[p->cases[i].method]) ? "step" : "cubic");
  return x;
}

/* How long each member is known: until the event, its failure, or its end. */
static cst_error read_times(cst_case_rows *rows, int k, double *time, bool *happened) {
  const cst_plan  *p = rows->plan;
  const cst_case  *c = &p->cases[rows->icase];
  const cst_event *e = event_of(p, k);
  const double    *x;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_steps, 0, &x));
  for (long m = 0; m < p->study->ensemble.members; m++)
    time[m] = cst_clock_of(c, x[m]);
  CST_TRY(cst_case_rows_get(rows, &channel_event_time, k, &x));
  for (long m = 0; m < p->study->ensemble.members; m++) {
    happened[m] = rows->stopped[m] && !isnan(x[m * e->keep]);
    if (happened[m])
      time[m] = x[m * e->keep];
  }
  return 0;
}

static cst_error conclude_stop(cst_case_rows *rows, int k, const event_columns *c) {
  const long n = rows->plan->study->ensemble.members;
  double    *time = cst_zeros(n, sizeof *time), quantile[QUANTILES];
  bool      *happened = cst_zeros(n, sizeof *happened);
  long       ended = 0;
  CST_TRY(read_times(rows, k, time, happened));
  for (long m = 0; m < n; m++)
    ended += happened[m];
  cst_column_set(c->share, rows->icase, (double)ended / (double)n);
  cst_survival_quantiles(time, happened, n, shares, QUANTILES, quantile);
  for (int q = 0; q < QUANTILES; q++)
    cst_column_set(c->time[q], rows->icase, quantile[q]);
  free(time);
  free(happened);
  return 0;
}

static cst_error conclude_jumps(cst_case_rows *rows, int k, const event_columns *c) {
  const double *x;
  double        sum = 0;
  CST_TRY(cst_case_rows_get(rows, &channel_event_jumps, k, &x));
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    sum += rows->good[m] || rows->stopped[m] ? x[m] : 0;
  cst_column_set(c->jumps, rows->icase, sum);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns_of     *c = handles;
  const cst_named_list *w = request_of(rows->plan);
  const cst_event      *all = w->each;
  const long            n = rows->plan->study->ensemble.members;
  long                  stopped = 0;
  const double         *x;
  for (int k = 0; k < w->n; k++) {
    double sum = 0;
    CST_TRY(cst_case_rows_get(rows, &channel_event_count, k, &x));
    for (long m = 0; m < n; m++)
      sum += rows->good[m] || rows->stopped[m] ? x[m] : 0;
    cst_column_set(c->each[k].count, rows->icase, sum);
    if (may_jump(&all[k]))
      CST_TRY(conclude_jumps(rows, k, &c->each[k]));
    if (all[k].stop)
      CST_TRY(conclude_stop(rows, k, &c->each[k]));
  }
  for (long m = 0; m < n; m++)
    stopped += rows->stopped[m];
  if (c->stopped.value)
    cst_column_set(c->stopped, rows->icase, (double)stopped);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_events = {
    .name = "events",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "where expressions change their sign",
    .keys = {.table = cst_events_keys,
             .request = sizeof(cst_named_list),
             .read = cst_events_read,
             .forget = cst_named_forget,
             .as_in = as_in},
    .plan = {.demand = demand, .steps = steps, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .locate = locate,
            .changed = changed,
            .before = before,
            .quiet = quiet,
            .watch = watch,
            .watched = watched},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};
