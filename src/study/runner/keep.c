/* keep.c: stores the states of chosen members, at the chosen steps, in the memory of tracks.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/runner/runner-internal.h"

/* `done`: this step has already been stored. */
void cst_keep_follow(cst_runner *r, long step, bool done) {
  const cst_plan  *p = r->plan;
  const cst_study *s = p->study;
  const long       every = s->trajectory_every;
  cst_tracks_clear(&r->tracks);
  for (long lane = 0; s->ntrajectory && lane < r->work->count; lane++) {
    const long icase = cst_runner_case(r, lane) - p->cases;
    const int  chosen = cst_tracks_find(p, &r->chosen, icase, cst_runner_member(r, lane));
    if (chosen >= 0)
      cst_tracks_add(&r->tracks, lane, icase, chosen);
  }
  cst_tracks_open(&r->tracks, r->cohort, done ? step / every + 1 : (step + every - 1) / every);
}

/* Pointers to the state of a group, [components][W]; NULL: not stored. */
typedef struct {
  const double *q, *p, *lambda, *v;
} group_state;

static group_state state_of(cst_runner *r, int group) {
  const int         W = r->width;
  const cst_study  *s = r->plan->study;
  const cst_layout *at = cst_stepper_layout(r->st);
  const double     *record = cst_runner_record(r, group);
  const bool        quantities = r->plan->nstored > 0;
  if (quantities)
    cst_runner_measure(r, group, CST_KEEP_NOT);
  if (s->store_v && !quantities)
    r->fold->velocities(cst_stepper_context(r->st), record, r->scratch);
  if (s->store_lambda)
    cst_runner_lambda(r, r->st, record, r->b->step, r->lambda);
  return (group_state){record + at->q * W, record + at->p * W, r->lambda, r->scratch};
}

/* The numbers of the group that a part of a track stores, by lane. */
static const double *source_of(const cst_runner *r, const group_state *x, int which) {
  const cst_channel_row *row = r->tracks.part[which].row;
  if (row == &cst_channel_state_q)
    return x->q;
  if (row == &cst_channel_state_p)
    return x->p;
  if (row == &cst_channel_state_lambda)
    return x->lambda;
  if (row == &cst_channel_state_v)
    return x->v;
  const int quantity = r->plan->stored[r->tracks.part[which].which];
  return r->value + quantity * r->width;
}

static void keep_part(const cst_runner *r, const group_state *x, int track, int which, int lane) {
  double       *to = cst_tracks_place(&r->tracks, track, which);
  const double *from = source_of(r, x, which);
  for (int i = 0; i < r->tracks.part[which].count; i++)
    to[i] = from[i * r->width + lane];
}

PetscErrorCode cst_keep_states(cst_runner *r) {
  cst_tracks *t = &r->tracks;
  const int   W = r->width;
  group_state x = {0};
  int         seen = -1;
  PetscFunctionBegin;
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
      keep_part(r, &x, i, k, (int)(lane % W));
    t->track[i].held++;
  }
  PetscCall(cst_tracks_next(t));
  PetscFunctionReturn(0);
}
