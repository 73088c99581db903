/* states.c: the collector `states`: states along chosen trajectories. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/errors.h"
#include "study/collect/states.h"
#include "study/collect/tracks.h"
#include "study/result/output-internal.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_state_time = {"/trajectories/%d/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_q = {"/trajectories/%d/q", "1", "coordinates", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_p = {"/trajectories/%d/p", "1", "momenta", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_lambda = {"/trajectories/%d/lambda", "1", "multipliers of the step that ends here", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_MULTIPLIER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_v = {"/trajectories/%d/v", "1", "velocities", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_error = {"/trajectories/%d/error", "1", "error of q and p against the reference", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_quantity = {"/trajectories/%d/%s", NULL, NULL, CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_member = {"/trajectories/%d/member", "1", "member; -1: none", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_LAST | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_NONE}, {0}};
/* clang-format on */

const cst_states_wish *cst_states_wish_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(states)];
}

static bool wanted(const cst_plan *p) { return cst_states_wish_of(p->study)->n > 0; }

static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.chosen = cst_states_wish_of(p->study)->n};
}

static void schedule(const cst_plan *p, cst_class *k) {
  const cst_states_wish *w = cst_states_wish_of(p->study);
  for (int i = 0; i < w->nstored; i++)
    if (cst_states_is_error(p->study, &w->stored[i]))
      k->shown_every = w->every;
}

/* The number of stored states differs between cases, so each case has its own axis of time. */
static int axis_of(cst_channels *c, int icase) {
  const cst_plan *p = c->plan;
  return cst_channels_axis(c, "time of a stored state",
                           p->cases[icase].n / cst_states_wish_of(p->study)->every + 1, "time%d",
                           icase);
}

/* One channel of each case. */
static void add(cst_channels *c, const cst_channel_row *row, bool there) {
  for (int i = 0; there && i < c->plan->ncase; i++)
    cst_channels_add(c, row, i, (cst_channel_use){.icase = i, .axis = axis_of(c, i)});
}

static void add_quantity(cst_channels *c, int icase, int k) {
  const cst_plan     *p = c->plan;
  const cst_quantity *x = &p->quantity[cst_states_found_of(p)->quantity[k]];
  cst_channels_add(c, &cst_channel_state_quantity, icase * cst_states_found_of(p)->n + k,
                   (cst_channel_use){.name = x->name,
                                     .icase = icase,
                                     .unit = x->unit,
                                     .doc = x->doc,
                                     .axis = axis_of(c, icase)});
}

static void declare(const cst_plan *p, cst_channels *c) {
  const cst_states_wish *s = cst_states_wish_of(p->study);
  if (!s->n)
    return;
  add(c, &cst_channel_state_time, true);
  add(c, &cst_channel_state_q, s->q);
  add(c, &cst_channel_state_p, s->p);
  add(c, &cst_channel_state_lambda, s->lambda);
  add(c, &cst_channel_state_v, s->v);
  add(c, &cst_channel_state_error, cst_states_found_of(p)->error);
  for (int i = 0; i < p->ncase; i++)
    for (int k = 0; k < cst_states_found_of(p)->n; k++)
      add_quantity(c, i, k);
  add(c, &cst_channel_state_member, true);
}

/* Pointers to the state of a group, [components][W]; NULL: not stored. */
typedef struct {
  const double *q, *p, *lambda, *v, *error;
} group_state;

static group_state state_of(cst_runner *r, int group) {
  const int              W = r->width;
  const cst_states_wish *s = cst_states_wish_of(r->plan->study);
  const cst_layout      *at = cst_stepper_layout(r->st);
  const double          *record = cst_runner_record(r, group);
  const bool             quantities = cst_states_found_of(r->plan)->n > 0;
  cst_stepper_read_for(r->st, CST_READS_SOME);
  if (quantities)
    cst_runner_measure(r, group, CST_KEEP_NOT);
  if (s->v && !quantities)
    r->meter.fold->velocities(cst_stepper_context(r->st), record, r->meter.scratch);
  if (s->lambda)
    cst_runner_lambda(r, r->st, record, r->b->step, r->lambda);
  cst_stepper_read_for(r->st, CST_READS_ALL);
  const double *error = cst_errors_now(r);
  return (group_state){record + at->q * W, record + at->p * W, r->lambda, r->meter.scratch,
                       error ? error + group * W : NULL};
}

/* The numbers of the group that a part of a track stores, by lane. */
static const double *source_of(const cst_tracks *t, const cst_runner *r, const group_state *x,
                               int which) {
  const cst_channel_row *row = t->part[which].row;
  if (row == &cst_channel_state_q)
    return x->q;
  if (row == &cst_channel_state_p)
    return x->p;
  if (row == &cst_channel_state_lambda)
    return x->lambda;
  if (row == &cst_channel_state_v)
    return x->v;
  if (row == &cst_channel_state_error)
    return x->error;
  const int quantity = cst_states_found_of(r->plan)->quantity[t->part[which].which];
  return r->meter.value + quantity * r->width;
}

static void keep_part(const cst_tracks *t, const cst_runner *r, const group_state *x, int track,
                      int which, int lane) {
  double       *to = cst_tracks_place(t, track, which);
  const double *from = source_of(t, r, x, which);
  for (int i = 0; i < t->part[which].count; i++)
    to[i] = from[i * r->width + lane];
}

static cst_error keep_states(cst_tracks *t, cst_runner *r) {
  const int   W = r->width;
  group_state x = {0};
  int         seen = -1;
  for (int i = 0; i < t->n; i++) {
    const long lane = t->track[i].lane;
    const int  group = (int)(lane / W);
    if (!cst_runner_lives(r, r->b, lane))
      continue;
    if (group != seen) {
      x = state_of(r, group);
      seen = group;
    }
    for (int k = 0; k < t->nparts; k++)
      keep_part(t, r, &x, i, k, (int)(lane % W));
    t->track[i].held++;
  }
  CST_TRY(cst_tracks_next(t));
  return 0;
}

/* `done`: this step has already been stored. */
static void locate(cst_collection *x, long step, bool done) {
  cst_runner     *r = x->run;
  cst_tracks     *t = x->own;
  const cst_plan *p = r->plan;
  const long      every = cst_states_wish_of(p->study)->every;
  cst_tracks_clear(t);
  for (long lane = 0; lane < r->work->count; lane++) {
    const long icase = cst_runner_case(r, lane) - p->cases;
    const int  chosen = cst_states_find(p, &r->chosen, icase, cst_runner_member(r, lane));
    if (chosen >= 0)
      cst_tracks_add(t, lane, icase, chosen);
  }
  cst_tracks_open(t, r->class, done ? step / every + 1 : (step + every - 1) / every);
}

static void create(cst_collection *x) { cst_tracks_create(x->own, x->run->plan, x->run->output); }

static void destroy(cst_collection *x) { cst_tracks_destroy(x->own); }

static long next(const cst_collection *x, long step) {
  const cst_tracks *t = x->own;
  if (!t->n)
    return LONG_MAX;
  return cst_runner_next_multiple(step, cst_states_wish_of(x->run->plan->study)->every, 0);
}

static cst_error stop(cst_collection *x) {
  cst_tracks *t = x->own;
  if (t->n && x->run->b->step % cst_states_wish_of(x->run->plan->study)->every == 0)
    CST_TRY(keep_states(t, x->run));
  return 0;
}

static cst_error flush(cst_collection *x) {
  CST_TRY(cst_tracks_flush(x->own));
  return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < p->ncase && cst_states_wish_of(p->study)->member; i++)
    CST_TRY(cst_states_write_chosen(o, i, cst_states_wish_of(p->study)->member));
  return 0;
}

/* Index among the stored members of the old file, if it is one of n from `first` on; else -1. */
static int stored_as(const cst_plan *old, int icase, long member, long first, long n) {
  if (member < first || member >= first + n)
    return -1;
  return cst_states_find(old, &(cst_chosen){NULL}, icase, member);
}

/* Copies stored states of a case; their paths contain its number. A member that both studies chose is in the
 * old file. */
static cst_error copy(cst_output *o, cst_result *file, const cst_plan *old, int from, int to,
                      long first, long n) {
  const cst_states_wish *now = cst_states_wish_of(o->plan->study);
  char                   path[96];
  if (!now->member) /* the worst members are chosen at the end of the run */
    return 0;
  for (int at = 0; at < o->channels->n; at++) {
    const cst_channel *c = &o->channels->channel[at];
    const bool         time = c->field.ndim == 1;
    const int          along = time ? 0 : 1; /* the dimension of the stored steps */
    const int          tracks = time ? 1 : now->n;
    if (!cst_channel_is_of_track(c, to) || c->row->is & CST_IS_LAST)
      continue;
    cst_channel_path_of(c, from, path, sizeof path);
    for (int i = 0; i < tracks; i++) {
      const int was = time ? 0 : stored_as(old, from, now->member[i], first, n);
      long there[CST_FIELD_DIMS] = {was}, here[CST_FIELD_DIMS] = {i}, count[CST_FIELD_DIMS] = {1};
      cst_output_extent(o, c, along, count);
      count[along] = old->cases[from].n / now->every + 1;
      if (was >= 0)
        CST_TRY(cst_output_copy(o, file, old, from, c, path, there, here, count, along));
    }
  }
  return 0;
}

static const cst_reuse reuse = {.copy = copy};

const cst_collector cst_collector_states = {
    .name = "states",
    .doc = "states along trajectories",
    .keys = cst_states_keys,
    .wish = sizeof(cst_states_wish),
    .read = cst_states_read,
    .forget = cst_states_forget,
    .schedule = schedule,
    .demand = demand,
    .settle = cst_states_settle,
    .bytes = cst_states_bytes,
    .tell = cst_states_tell,
    .declare = declare,
    .open = open,
    .reuse = &reuse,
    .choice = &cst_states_choice,
    .own = sizeof(cst_tracks),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .locate = locate,
    .next = next,
    .reads_some = next,
    .stop = stop,
    .flush = flush,
};
