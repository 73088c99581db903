/* agenda.c: cuts the lanes of a study, or those that an earlier run left unfinished, into batches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "study/plan/agenda.h"
#include "study/plan/division.h"

enum {
  BATCH_BYTES = 512 * 1024,
  LARGE_BATCH_BYTES = 32 << 20,
  BATCH_LEAST = CST_W_MAX,
  BATCH_MOST = 4096,
  BATCHES_PER_RANK = 16,
  SMALL_BATCHES_PER_RANK = 4
};

/* Groups of a batch below which it is not cut for the sake of more batches: groups march in pairs. */
enum { FEW_GROUPS = 4, PAIR = 2 };

/* Growing list of the ranges of lanes that remain. */
typedef struct {
  int             n, room;
  cst_lane_range *range;
  int *saved; /* index of each range among the checkpointed ones (as in cst_work), or -1 */
} ranges;

static void put(ranges *a, cst_lane_range s, int saved) {
  if (a->n == a->room) {
    if (a->room)
      a->room = 2 * a->room;
    else
      a->room = 64;
    a->range = cst_need(realloc(a->range, (size_t)a->room * sizeof *a->range));
    a->saved = cst_need(realloc(a->saved, (size_t)a->room * sizeof *a->saved));
  }
  a->saved[a->n] = saved;
  a->range[a->n++] = s;
}

static void discard(ranges *a) {
  free(a->range);
  free(a->saved);
}

static long batches(const ranges *a, long size) {
  long n = 0;
  for (int i = 0; i < a->n; i++)
    n += (a->range[i].count + size - 1) / size;
  return n;
}

/* Halves `size`, not below `least` nor BATCH_LEAST, until there are `enough` batches. */
static long cut(const ranges *a, long size, long least, long enough) {
  while (size / 2 >= least && size > BATCH_LEAST && batches(a, size) < enough)
    size /= 2;
  return size;
}

/* Default number of lanes per batch: small enough that a batch fits the second-level cache, or a batch of a
 * large system stays within LARGE_BATCH_BYTES; small enough to give every rank several batches, but not so
 * small that groups march one by one, unless a rank would have none; at least one group; at most the lanes of
 * the largest class. */
static long default_batch(const cst_plan *p, const ranges *a, int ranks) {
  const double bytes = cst_plan_lane_bytes(p);
  const long   width = cst_isas[p->isa].width;
  const long   lanes = (cst_plan_most_lanes(p) + width - 1) / width * width;
  long         size = BATCH_MOST;
  while (size > 256 && (double)size * bytes > BATCH_BYTES)
    size /= 2;
  while (size > BATCH_LEAST && (double)size * bytes > LARGE_BATCH_BYTES)
    size /= 2;
  size = cut(a, size, FEW_GROUPS * width, (long)BATCHES_PER_RANK * ranks);
  size = cut(a, size, PAIR * width, (long)SMALL_BATCHES_PER_RANK * ranks);
  if (batches(a, width) <= ranks)
    size = cut(a, size, width, ranks);
  return lanes > 0 && size > lanes ? lanes : size;
}

static int costlier(const void *a, const void *b) {
  const cst_work *x = a;
  const cst_work *y = b;
  if (x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  if (x->class != y->class)
    return x->class - y->class;
  return (x->first > y->first) - (x->first < y->first);
}

/* Checkpointed ranges come first, so that the earlier run's checkpoints become superfluous soon. */
static int sooner(const void *a, const void *b) {
  const cst_work *x = a;
  const cst_work *y = b;
  if ((x->saved < 0) != (y->saved < 0))
    return x->saved < 0 ? 1 : -1;
  return costlier(a, b);
}

static void make_work(const cst_plan *p, const ranges *a, cst_agenda *agenda) {
  agenda->work = cst_zeros(batches(a, agenda->batch), sizeof *agenda->work);
  for (int i = 0; i < a->n; i++) {
    const cst_lane_range *s = &a->range[i];
    const cst_class      *k = &p->classes[s->class];
    for (long at = 0; at < s->count; at += agenda->batch) {
      const long   left = s->count - at;
      const long   count = left < agenda->batch ? left : agenda->batch;
      const double cost = (double)count * (double)k->n * k->cost;
      agenda->work[agenda->n++] = (cst_work){s->class, s->first + at, count, cost, a->saved[i], at};
    }
    agenda->left += (double)s->count * (double)(k->n - s->step) * k->cost;
  }
  qsort(agenda->work, (size_t)agenda->n, sizeof *agenda->work, sooner);
}

static void put_own(ranges *a, const cst_plan *p, int class) {
  cst_lane_range s = {.class = class};
  cst_plan_own_lanes(p, class, &s.first, &s.count);
  if (s.count > 0)
    put(a, s, -1);
}

static void put_open(ranges *a, int class, const unsigned char *lane, long lanes) {
  for (long from = 0, to; from < lanes; from = to) {
    for (to = from + 1; to < lanes && lane[to] == lane[from];)
      to++;
    if (lane[from] == CST_LANE_OPEN)
      put(a, (cst_lane_range){class, from, to - from, 0}, -1);
  }
}

cst_agenda *cst_agenda_create(const cst_plan *p, int ranks, long batch, unsigned char *const *lane,
                              const cst_lane_range *saved, int n) {
  cst_agenda *agenda = cst_need(calloc(1, sizeof *agenda));
  ranges      a = {0};
  for (int i = 0; i < n; i++)
    put(&a, saved[i], i);
  for (int k = 0; k < p->nclass; k++)
    if (lane)
      put_open(&a, k, lane[k], p->classes[k].lanes);
    else
      put_own(&a, p, k);
  if (batch > 0)
    agenda->batch = (batch + BATCH_LEAST - 1) / BATCH_LEAST * BATCH_LEAST;
  else
    agenda->batch = default_batch(p, &a, ranks);
  make_work(p, &a, agenda);
  discard(&a);
  return agenda;
}

void cst_agenda_destroy(cst_agenda *a) {
  if (a)
    free(a->work);
  free(a);
}
