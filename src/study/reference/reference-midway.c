/* reference-midway.c: the state of an item of the reference that is interrupted: packs it for a checkpoint,
 * and resumes the item from it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <string.h>
#include "study/reference/reference-item.h"

void cst_reference_midway_batch(cst_item *i, const double *from, long step) {
  const size_t n = cst_batch_numbers(i->st);
  for (long m = 0; m < i->x.count; m++)
    cst_batch_restore(i->st, &i->b, m, from + (size_t)m * n);
  i->b.step = step;
  cst_batch_ready(i->st, &i->b);
}

/* Head of a section "midway"; the values at earlier times follow, then the state. */
typedef struct {
  long index, time, done, step;
} head;

static size_t values(const cst_item *i, long time) {
  const cst_system *s = i->r->plan->study->system;
  const size_t      row = (size_t)(2 * s->nq + s->ng);
  return sizeof(double) * (size_t)time * (size_t)i->x.count * row;
}

static size_t state(const cst_item *i) {
  if (i->st)
    return sizeof(double) * cst_batch_numbers(i->st) * (size_t)i->x.count;
  return i->m ? cst_motion_bytes(i->m) : 0;
}

void cst_reference_pack_midway(const cst_reference *r, cst_bundle *b) {
  const cst_item *i = r->at;
  if (!i)
    return;
  const size_t size = sizeof(head) + values(i, i->time) + state(i);
  char        *to = cst_bundle_add(b, "midway", size);
  const long   step = i->st ? i->b.step : 0;
  *(head *)(void *)to = (head){i->index, i->time, i->done, step};
  to += sizeof(head);
  cst_reference_copy(r, i->index, i->time, (double *)(void *)to, false);
  to += values(i, i->time);
  if (i->st) {
    const size_t n = cst_batch_numbers(i->st);
    double      *row = (double *)(void *)to;
    for (long m = 0; m < i->x.count; m++)
      cst_batch_save(i->st, &i->b, m, row + (size_t)m * n);
  }
  if (i->m)
    cst_motion_save(i->m, to);
}

/* True if an item can be at this position: before a time to read, or after the last one. */
static bool stands(const cst_item *i, const head *h) {
  const int last = i->r->ntime[i->x.variant];
  double    from;
  if (h->time < 0)
    return false;
  if (h->time > last)
    return false;
  if (h->done < 0)
    return false;
  if (h->step < 0)
    return false;
  if (h->time == last)
    return h->done == 0;
  const long way = cst_reference_way(i->r, i->x.table, (int)h->time, &from);
  return h->done <= CST_LARGER(0, way);
}

/* True if the saved numbers of each member are a state. (For a motion any numbers are.) */
static bool are_states(const cst_item *i, const char *from) {
  if (!i->st)
    return true;
  const size_t  n = cst_batch_numbers(i->st);
  const double *row = (const double *)(const void *)from;
  for (long m = 0; m < i->x.count; m++)
    if (!cst_batch_is_state(row + (size_t)m * n, LONG_MAX))
      return false;
  return true;
}

bool cst_reference_unpack_midway(cst_item *i, const char *from, size_t size) {
  head h;
  if (size < sizeof h)
    return false;
  memcpy(&h, from, sizeof h);
  if (!stands(i, &h))
    return false;
  if (size != sizeof h + values(i, h.time) + state(i))
    return false;
  from += sizeof h;
  if (!are_states(i, from + values(i, h.time)))
    return false;
  cst_reference_copy(i->r, i->index, (int)h.time, (double *)(uintptr_t)from, true);
  from += values(i, h.time);
  i->time = (int)h.time;
  i->done = h.done;
  if (i->st)
    cst_reference_midway_batch(i, (const double *)(const void *)from, h.step);
  if (i->m)
    cst_motion_restore(i->m, from);
  return true;
}
