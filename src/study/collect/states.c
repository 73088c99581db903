/* states.c: the collector `states`: states along chosen trajectories, buffered in memory and written in large blocks.
 *
 * The buffer is bounded (cst_states_bytes). It is written when it is full, at the end of a batch, and
 * before every checkpoint: a resumed run finds everything up to the checkpoint in the file, and writes later
 * states again.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/states.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/errors.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"
#include "study/result/output.h"
#include "study/runner/runner.h"

typedef struct {
  long lane, icase;
  int  chosen;
  long held; /* states in memory; fewer than `held` of all tracks if it has failed */
} track;

/* A part of a state: a channel, and the offset of its numbers. */
typedef struct {
  const cst_channel_row *row;
  int                    which, count; /* which: a stored quantity */
  long                   at;
} track_part;

typedef struct {
  const cst_plan *plan;
  cst_output     *output;
  int             nparts;
  track_part     *part;
  int             n, room;
  track          *track; /* of the current batch, in the order of its lanes */
  const cst_class *class;
  long numbers; /* per state */
  /* maximal states per track; index of the first one in memory, and their number */
  long    depth, first, held;
  size_t  size;
  double *x; /* [track][part][depth][count] */
  double *t; /* [depth] */
} tracks;

/* clang-format off */
static const cst_channel_row channel_state_time = {"/trajectories/%d/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_q = {"/trajectories/%d/q", "1", "coordinates", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_p = {"/trajectories/%d/p", "1", "momenta", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_lambda = {"/trajectories/%d/lambda", "1", "multipliers of the step that ends here", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_MULTIPLIER, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_v = {"/trajectories/%d/v", "1", "velocities", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_error = {"/trajectories/%d/error", "1", "error of q and p against the reference", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_quantity = {"/trajectories/%d/%s", NULL, NULL, CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_state_member = {"/trajectories/%d/member", "1", "member; -1: none", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_LAST | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* ---- the worst members of a case ------------------------------------------------------------- */

/* Those with the largest change of a quantity, or the largest error. */

static bool has_worst(const cst_plan *p) { return cst_states_request_of(p->study)->worst_by.text; }

/* The largest change of a quantity, or the error, of every member; NaN: excluded. */
static cst_error sizes_of(cst_case_rows *rows, double *size) {
  const cst_plan *p = rows->plan;
  const int       by = cst_states_found_of(p)->worst_by;
  const double   *x;
  if (by < 0) {
    CST_TRY(cst_case_rows_get(rows, &cst_channel_error, CST_ERROR_ALL, &x));
    for (long m = 0; m < p->study->ensemble.members; m++)
      size[m] = rows->good[m] ? x[m] : NAN;
    return 0;
  }
  CST_TRY(cst_case_rows_summary(rows, by, &x));
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, p->quantity[by].drifts ? -1 : CST_SUMMARY_START,
                     size);
  return 0;
}

/* Writes the members of a case whose states are stored. */
static cst_error write_chosen(cst_output *o, int icase, const long *member) {
  CST_TRY(cst_output_all(o, &channel_state_member, icase, member));
  return 0;
}

static cst_error read_chosen(cst_output *o, int icase, long *member) {
  const cst_channel *c = cst_channels_find(o->channels, &channel_state_member, icase);
  const long         start[1] = {0};
  const long         count[1] = {o->plan->chosen};
  if (o->file)
    CST_CHECK(cst_result_read_block(o->file, c->field.path, CST_TYPE_I64, start, count, member),
              MPI_COMM_SELF, CST_ERR_FILE_READ,
              "%s of the file cannot be read, or has another shape", c->field.path);
  else
    CST_CHECK(cst_record_read(o->record, c->place, start, count, member), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s", cst_record_error(o->record));
  return 0;
}

static const cst_choice choice = {has_worst, sizes_of, read_chosen, write_chosen};

/* ---- tracks ---------------------------------------------------------------------------------- */

static void part(tracks *t, bool there, const cst_channel_row *row, int which, int count) {
  if (!there || !count)
    return;
  t->part[t->nparts++] = (track_part){row, which, count, t->numbers};
  t->numbers += count;
}

static void create_tracks(tracks *t, const cst_plan *p, cst_output *o) {
  const cst_states_request *s = cst_states_request_of(p->study);
  const cst_system         *sys = p->study->problem.system;
  const int                 nstored = cst_states_found_of(p)->n;
  const int                 nq = sys->nq;
  *t = (tracks){
      .plan = p, .output = o, .part = cst_need(calloc((size_t)nstored + 5, sizeof *t->part))};
  part(t, s->q, &channel_state_q, 0, nq);
  part(t, s->p, &channel_state_p, 0, nq);
  part(t, s->lambda, &channel_state_lambda, 0, sys->ng);
  part(t, s->v, &channel_state_v, 0, nq);
  part(t, cst_states_found_of(t->plan)->error, &channel_state_error, 0, 1);
  for (int i = 0; i < nstored; i++)
    part(t, true, &channel_state_quantity, i, 1);
}

static void destroy_tracks(tracks *t) {
  free(t->part);
  free(t->track);
  free(t->x);
  free(t->t);
}

/* Removes all tracks. */
static void clear(tracks *t) {
  t->n = 0;
  t->held = 0;
}

/* Adds a track; lanes must ascend. */
static void add_track(tracks *t, long lane, long icase, int chosen) {
  if (t->n == t->room) {
    if (t->room)
      t->room = 2 * t->room;
    else
      t->room = 16;
    t->track = cst_need(realloc(t->track, (size_t)t->room * sizeof *t->track));
  }
  t->track[t->n++] = (track){lane, icase, chosen, 0};
}

/* Ends the additions; the next state has the index `first`. */
static void open_tracks(tracks *t, const cst_class *k, long first) {
  if (!t->n)
    return;
  t->class = k;
  t->first = first;
  t->depth = cst_states_depth(t->plan, k, t->n);
  const size_t depth = (size_t)t->depth;
  const size_t size = (size_t)t->n * depth * (size_t)t->numbers;
  t->t = cst_need(realloc(t->t, (depth + 1) * sizeof *t->t));
  if (size <= t->size)
    return;
  free(t->x);
  t->x = cst_zeros((long)size, sizeof *t->x);
  t->size = size;
}

/* Where to write part i of the next state of a track. */
static double *place(const tracks *t, int track, int which) {
  const track_part *x = &t->part[which];
  const long        row = (long)track * t->numbers + x->at;
  return t->x + row * t->depth + t->track[track].held * x->count;
}

/* Writes n stored states of a chosen member, beginning with the at-th: times, or one part of each state,
 * x[n][numbers]. */
static cst_error write_part(cst_output *o, const cst_channel_row *row, int which, int chosen,
                            long at, long n, const double *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  const bool         time = c->field.ndim == 1;
  long               start[CST_FIELD_DIMS] = {time ? at : chosen, at};
  long               count[CST_FIELD_DIMS] = {time ? n : 1, n};
  if (c->field.ndim > 2)
    count[2] = o->channels->dim[c->field.dim[2]].size;
  CST_TRY(cst_output_block(o, c, start, count, x));
  return 0;
}

static cst_error write(tracks *t, int at) {
  const track *x = &t->track[at];
  const int    icase = (int)x->icase;
  CST_TRY(write_part(t->output, &channel_state_time, icase, x->chosen, t->first, x->held, t->t));
  for (int i = 0; i < t->nparts; i++) {
    const track_part *y = &t->part[i];
    const bool        of_quantity = y->row == &channel_state_quantity;
    const int     which = of_quantity ? icase * cst_states_found_of(t->plan)->n + y->which : icase;
    const long    row = (long)at * t->numbers + y->at;
    const double *from = t->x + row * t->depth;
    CST_TRY(write_part(t->output, y->row, which, x->chosen, t->first, x->held, from));
  }
  return 0;
}

static cst_error flush_tracks(tracks *t) {
  for (long i = 0; i < t->held; i++) {
    const long step = (t->first + i) * cst_states_request_of(t->plan->study)->every;
    t->t[i] = cst_clock_of(&t->plan->cases[t->class->cases[0]], (double)step);
  }
  for (int i = 0; i < t->n; i++) {
    if (t->track[i].held && t->output)
      CST_TRY(write(t, i));
    t->track[i].held = 0;
  }
  t->first += t->held;
  t->held = 0;
  return 0;
}

/* The next state of all tracks is complete. */
static cst_error end_state(tracks *t) {
  if (++t->held == t->depth)
    CST_TRY(flush_tracks(t));
  return 0;
}

/* ---- channels -------------------------------------------------------------------------------- */

const cst_states_request *cst_states_request_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(states)];
}

static bool wanted(const cst_plan *p) { return cst_states_request_of(p->study)->n > 0; }

static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.chosen = cst_states_request_of(p->study)->n};
}

static void schedule(const cst_plan *p, cst_class *k) {
  const cst_states_request *w = cst_states_request_of(p->study);
  for (int i = 0; i < w->nstored; i++)
    if (cst_states_is_error(p->study, &w->stored[i]))
      k->shown_every = w->every;
}

/* The number of stored states differs between cases, so each case has its own axis of time. */
static int axis_of(cst_channels *c, int icase) {
  const cst_plan *p = c->plan;
  return cst_channels_axis(c, "time of a stored state",
                           p->cases[icase].n / cst_states_request_of(p->study)->every + 1, "time%d",
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
  cst_channels_add(c, &channel_state_quantity, icase * cst_states_found_of(p)->n + k,
                   (cst_channel_use){.name = x->name,
                                     .icase = icase,
                                     .unit = x->unit,
                                     .doc = x->doc,
                                     .axis = axis_of(c, icase)});
}

static void declare(const cst_plan *p, cst_channels *c) {
  const cst_states_request *s = cst_states_request_of(p->study);
  if (!s->n)
    return;
  add(c, &channel_state_time, true);
  add(c, &channel_state_q, s->q);
  add(c, &channel_state_p, s->p);
  add(c, &channel_state_lambda, s->lambda);
  add(c, &channel_state_v, s->v);
  add(c, &channel_state_error, cst_states_found_of(p)->error);
  for (int i = 0; i < p->ncase; i++)
    for (int k = 0; k < cst_states_found_of(p)->n; k++)
      add_quantity(c, i, k);
  add(c, &channel_state_member, true);
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* Pointers to the state of a group, [components][W]; NULL: not stored. */
typedef struct {
  const double *q, *p, *lambda, *v, *error;
} group_state;

static group_state state_of(const cst_runner *r, int group) {
  const int                 W = r->width;
  const cst_states_request *s = cst_states_request_of(r->plan->study);
  const cst_layout         *at = cst_stepper_layout(r->st);
  const bool                quantities = cst_states_found_of(r->plan)->n > 0;
  if (quantities)
    cst_runner_measure(r, group, CST_KEEP_NOT);
  const cst_view view = cst_runner_see(r, group, s->v && !quantities, s->lambda);
  const double  *error = cst_errors_now(r);
  return (group_state){view.record + at->q * W, view.record + at->p * W, view.lambda, view.v,
                       error ? error + group * W : NULL};
}

/* The numbers of the group that a part of a track stores, by lane. */
static const double *source_of(const tracks *t, const cst_runner *r, const group_state *x,
                               int which) {
  const cst_channel_row *row = t->part[which].row;
  if (row == &channel_state_q)
    return x->q;
  if (row == &channel_state_p)
    return x->p;
  if (row == &channel_state_lambda)
    return x->lambda;
  if (row == &channel_state_v)
    return x->v;
  if (row == &channel_state_error)
    return x->error;
  const int quantity = cst_states_found_of(r->plan)->quantity[t->part[which].which];
  return r->value + quantity * r->width;
}

static void keep_part(const tracks *t, const cst_runner *r, const group_state *x, int track,
                      int which, int lane) {
  double       *to = place(t, track, which);
  const double *from = source_of(t, r, x, which);
  for (int i = 0; i < t->part[which].count; i++)
    to[i] = from[i * r->width + lane];
}

static cst_error keep_states(tracks *t, const cst_runner *r) {
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
  CST_TRY(end_state(t));
  return 0;
}

/* `done`: this step has already been stored. */
static void locate(cst_collection *x, long step, bool done) {
  const cst_runner *r = x->run;
  tracks           *t = x->own;
  const cst_plan   *p = r->plan;
  const long        every = cst_states_request_of(p->study)->every;
  clear(t);
  for (long lane = 0; lane < r->work->count; lane++) {
    const long icase = cst_runner_case(r, lane) - p->cases;
    const int  chosen = cst_states_find(p, &r->chosen, icase, cst_runner_member(r, lane));
    if (chosen >= 0)
      add_track(t, lane, icase, chosen);
  }
  open_tracks(t, r->class, done ? step / every + 1 : (step + every - 1) / every);
}

static void create(cst_collection *x) { create_tracks(x->own, x->run->plan, x->run->output); }

static void destroy(cst_collection *x) { destroy_tracks(x->own); }

static long next(const cst_collection *x, long step) {
  const tracks *t = x->own;
  if (!t->n)
    return LONG_MAX;
  return cst_runner_next_multiple(step, cst_states_request_of(x->run->plan->study)->every, 0);
}

static cst_error stop(cst_collection *x) {
  tracks *t = x->own;
  if (t->n && x->run->b->step % cst_states_request_of(x->run->plan->study)->every == 0)
    CST_TRY(keep_states(t, x->run));
  return 0;
}

static cst_error flush(cst_collection *x) {
  CST_TRY(flush_tracks(x->own));
  return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < p->ncase && cst_states_request_of(p->study)->member; i++)
    CST_TRY(write_chosen(o, i, cst_states_request_of(p->study)->member));
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
  const cst_states_request *now = cst_states_request_of(o->plan->study);
  char                      path[96];
  if (!now->member) /* the worst members are chosen at the end of the run */
    return 0;
  for (int at = 0; at < o->channels->n; at++) {
    const cst_channel *c = &o->channels->channel[at];
    const bool         time = c->field.ndim == 1;
    const int          along = time ? 0 : 1; /* the dimension of the stored steps */
    const int          ntrack = time ? 1 : now->n;
    if (!cst_channel_is_of_track(c, to) || c->row->is & CST_IS_LAST)
      continue;
    cst_channel_path_of(c, from, path, sizeof path);
    for (int i = 0; i < ntrack; i++) {
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

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_states = {
    .name = "states",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "states along trajectories",
    .keys = {.table = cst_states_keys,
             .request = sizeof(cst_states_request),
             .read = cst_states_read,
             .forget = cst_states_forget},
    .plan = {.schedule = schedule,
             .demand = demand,
             .settle = cst_states_settle,
             .bytes = cst_states_bytes,
             .tell = cst_states_tell,
             .wanted = wanted},
    .run = {.own = sizeof(tracks),
            .create = create,
            .destroy = destroy,
            .locate = locate,
            .next = next,
            .stop = stop,
            .flush = flush},
    .file = {.declare = declare, .open = open},
    .reuse = &reuse,
    .choice = &choice,
};
