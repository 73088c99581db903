/* verify-choose.c: which trajectories of a result are recomputed (see verify-result.h), and from which checkpoint
 * on. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "study/plan/division.h"
#include "study/run/identity.h"
#include "study/run/verify-internal.h"

/* ---- stages --------------------------------------------------------------------------------- */

/* True if this build made the checkpoint and all its bytes are undamaged. */
static bool is_usable(cst_checkpoint *checkpoint, const char *identity, char *why, int n) {
  char        what[64];
  size_t      size;
  const char *then =
      cst_checkpoint_read(checkpoint, cst_checkpoint_find(checkpoint, "identity", 0), &size);
  snprintf(what, sizeof what, "it");
  if (!then || !cst_snapshot_check(checkpoint->snapshot)) {
    snprintf(why, (size_t)n, "it is damaged");
    return false;
  }
  return cst_identity_same(then, identity, what, why, n);
}

static void open_checkpoints(cst_verification *d, const char *path) {
  char               why[512];
  char              *run = cst_result_text(d->file, "/run", "id");
  char              *identity = cst_identity_text(d->plan, run ? run : "");
  char              *real = realpath(path, NULL);
  int                n;
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, real ? real : path, run ? run : "");
  (void)cst_snapshot_find(&owner);
  long *number = cst_snapshot_numbers(&owner, &n);
  for (int i = 0, found = 0; i < n && found < CST_VERIFY_CHECKPOINTS; i++) {
    cst_checkpoint *checkpoint = cst_checkpoint_create(d->plan);
    if (cst_checkpoint_open(d->plan, checkpoint, owner.path, number[i], why, sizeof why) &&
        is_usable(checkpoint, identity, why, sizeof why)) {
      d->checkpoint[found++] = checkpoint;
      continue;
    }
    fprintf(stderr, "constella: checkpoint %ld of %s is ignored: %s\n", number[i], path, why);
    cst_checkpoint_destroy(d->plan, checkpoint);
  }
  free(number);
  free(identity);
  free(run);
  free(real);
}

/* The saved range of a checkpoint that contains the lane; -1: none. */
int cst_verify_find(const cst_checkpoint *checkpoint, int class, long lane) {
  for (int i = 0; checkpoint && i < checkpoint->nsaved; i++) {
    const cst_lane_range *s = &checkpoint->range[i];
    if (s->class == class && lane >= s->first && lane < s->first + s->count)
      return i;
  }
  return -1;
}

static void read_status(cst_verification *d) {
  const char  *path = cst_channel_status.path;
  const long   start[2] = {0};
  const long   count[2] = {d->plan->ncase, d->plan->study->members};
  const size_t n = (size_t)(count[0] * count[1]);
  d->status = cst_need(malloc(n + 1));
  if (!cst_result_read_block(d->file, path, CST_TYPE_I8, start, count, d->status))
    memset(d->status, -1, n);
}

static void place(const cst_verification *d, cst_verify_trajectory *t) {
  const cst_plan       *p = d->plan;
  const cst_checkpoint *checkpoint = d->checkpoint[0];
  const int class = p->class_of[t->icase];
  const cst_class *k = &p->classes[class];
  const long       lane = cst_plan_lane(p, t->icase, t->member);
  const int        saved = cst_verify_find(checkpoint, class, lane);
  const bool       left_out = d->left_out && d->left_out[p->cases[t->icase].method];
  const bool       has_status = d->status[t->icase * p->study->members + t->member] >= 0;
  const bool done = has_status || (checkpoint && checkpoint->lane[class][lane] == CST_LANE_DONE);
  t->work = (cst_work){.class = class, .first = lane, .count = 1, .saved = -1};
  t->work.cost = (double)k->n * k->cost;
  long first, count;
  cst_plan_own_lanes(p, class, &first, &count);
  if (lane < first || lane >= first + count)
    t->stage = CST_VERIFY_ELSEWHERE;
  else if (left_out)
    t->stage = CST_VERIFY_LEFT_OUT;
  else if (done) {
    t->stage = CST_VERIFY_FINISHED;
    t->until = k->n;
  } else if (saved >= 0) {
    t->stage = CST_VERIFY_MIDWAY;
    t->until = checkpoint->range[saved].step;
  }
}

/* Finds the newest checkpoint that has the trajectory at a step before `until`. */
static void find_origin(const cst_verification *d, cst_verify_trajectory *t) {
  for (int i = 0; i < CST_VERIFY_CHECKPOINTS && !t->from; i++) {
    const int saved = cst_verify_find(d->checkpoint[i], t->work.class, t->work.first);
    if (saved < 0 || d->checkpoint[i]->range[saved].step >= t->until)
      continue;
    t->from = d->checkpoint[i];
    t->begin = d->checkpoint[i]->range[saved].step;
    t->work.saved = saved;
    t->work.skip = t->work.first - d->checkpoint[i]->range[saved].first;
  }
}

void cst_verify_prepare(cst_verification *d, cst_verify_trajectory *t, bool from_start) {
  if (t->stage < CST_VERIFY_MIDWAY)
    return;
  if (!from_start)
    find_origin(d, t);
  d->n++;
  d->total += (double)(t->until - t->begin) * d->plan->classes[t->work.class].cost;
}

void cst_verify_open(cst_verification *d, const char *path) {
  open_checkpoints(d, path);
  read_status(d);
}

/* ---- which trajectories ---------------------------------------------------------------------- */

/* Draws `sample` different entries of those allowed, or takes all of these. */
static void draw(unsigned char *may, long n, long sample, uint64_t seed) {
  long left = 0;
  for (long i = 0; i < n; i++)
    left += may[i];
  if (sample >= left)
    return;
  unsigned char *drawn = cst_need(calloc((size_t)n, 1));
  for (long i = 0, got = 0; got < sample; i++) {
    const long k =
        (long)(cst_random_uniform(seed, (uint64_t)i, CST_PURPOSE_VERIFY, 0, 0) * (double)n);
    if (k >= n || drawn[k] || !may[k])
      continue;
    drawn[k] = 1;
    got++;
  }
  memcpy(may, drawn, (size_t)n);
  free(drawn);
}

/* The chosen cases x members, in this order. Trajectories that have not begun or are left out are never
 * drawn, but reported if asked for. */
cst_verify_trajectory *cst_verify_list(const cst_verification *d, const cst_verify_choice *c,
                                       long *n) {
  const long             members = c->nmember ? c->nmember : d->plan->study->members;
  const long             all = (c->ncase ? c->ncase : d->plan->ncase) * members;
  unsigned char         *may = cst_need(calloc((size_t)all + 1, 1));
  cst_verify_trajectory *list = cst_zeros(all, sizeof *list);
  for (long i = 0; i < all; i++) {
    list[i].icase = c->ncase ? c->icase[i / members] : i / members;
    list[i].member = c->nmember ? c->member[i % members] : i % members;
    place(d, &list[i]);
    may[i] = !c->sample || list[i].stage >= CST_VERIFY_MIDWAY;
  }
  if (c->sample)
    draw(may, all, c->sample, c->seed);
  *n = 0;
  for (long i = 0; i < all; i++)
    if (may[i])
      list[(*n)++] = list[i];
  free(may);
  return list;
}
