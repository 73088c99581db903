/* tracks.c: states along chosen trajectories, buffered in memory and written in large blocks (see tracks.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tracks.h"
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/states.h"
#include "study/plan/clock.h"
#include "study/result/output-internal.h"

/* ---- parts of a state ------------------------------------------------------------------------ */

static void part(cst_tracks *t, bool there, const cst_channel_row *row, int which, int count) {
  if (!there || !count)
    return;
  t->part[t->nparts++] = (cst_track_part){row, which, count, t->numbers};
  t->numbers += count;
}

void cst_tracks_create(cst_tracks *t, const cst_plan *p, cst_output *o) {
  const cst_states_wish *s = cst_states_wish_of(p->study);
  const cst_system      *sys = p->study->system;
  const int              nstored = cst_states_found_of(p)->n;
  const int              nq = sys->nq;
  *t = (cst_tracks){
      .plan = p, .output = o, .part = cst_need(calloc((size_t)nstored + 5, sizeof *t->part))};
  part(t, s->q, &cst_channel_state_q, 0, nq);
  part(t, s->p, &cst_channel_state_p, 0, nq);
  part(t, s->lambda, &cst_channel_state_lambda, 0, sys->ng);
  part(t, s->v, &cst_channel_state_v, 0, nq);
  part(t, cst_states_found_of(t->plan)->error, &cst_channel_state_error, 0, 1);
  for (int i = 0; i < nstored; i++)
    part(t, true, &cst_channel_state_quantity, i, 1);
}

void cst_tracks_destroy(cst_tracks *t) {
  free(t->part);
  free(t->track);
  free(t->x);
  free(t->t);
}

/* ---- a batch --------------------------------------------------------------------------------- */

void cst_tracks_clear(cst_tracks *t) {
  t->n = 0;
  t->held = 0;
}

void cst_tracks_add(cst_tracks *t, long lane, long icase, int chosen) {
  if (t->n == t->room) {
    if (t->room)
      t->room = 2 * t->room;
    else
      t->room = 16;
    t->track = cst_need(realloc(t->track, (size_t)t->room * sizeof *t->track));
  }
  t->track[t->n++] = (cst_track){lane, icase, chosen, 0};
}

void cst_tracks_open(cst_tracks *t, const cst_class *k, long first) {
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

double *cst_tracks_place(const cst_tracks *t, int track, int which) {
  const cst_track_part *x = &t->part[which];
  const long            row = (long)track * t->numbers + x->at;
  return t->x + row * t->depth + t->track[track].held * x->count;
}

cst_error cst_tracks_next(cst_tracks *t) {
  if (++t->held == t->depth)
    CST_TRY(cst_tracks_flush(t));
  return 0;
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

static cst_error write(cst_tracks *t, int at) {
  const cst_track *x = &t->track[at];
  const int        icase = (int)x->icase;
  CST_TRY(
      write_part(t->output, &cst_channel_state_time, icase, x->chosen, t->first, x->held, t->t));
  for (int i = 0; i < t->nparts; i++) {
    const cst_track_part *y = &t->part[i];
    const bool            of_quantity = y->row == &cst_channel_state_quantity;
    const int     which = of_quantity ? icase * cst_states_found_of(t->plan)->n + y->which : icase;
    const long    row = (long)at * t->numbers + y->at;
    const double *from = t->x + row * t->depth;
    CST_TRY(write_part(t->output, y->row, which, x->chosen, t->first, x->held, from));
  }
  return 0;
}

cst_error cst_tracks_flush(cst_tracks *t) {
  for (long i = 0; i < t->held; i++) {
    const long step = (t->first + i) * cst_states_wish_of(t->plan->study)->every;
    t->t[i] = cst_clock_at(t->class, (double)step);
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
