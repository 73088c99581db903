/* checkpoint-reader.c: reads the checkpoint that an earlier run of a study left (see checkpoint-reader.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/division.h"
#include "study/run/checkpoint-reader.h"

/* All lanes of the plan are open, those of other parts are not. */
static void open_lanes(const cst_plan *p, cst_checkpoint *checkpoint) {
  long first, count;
  for (int k = 0; k < p->nclass; k++) {
    cst_plan_own_lanes(p, k, &first, &count);
    memset(checkpoint->lane[k], CST_LANE_ELSEWHERE, (size_t)p->classes[k].lanes);
    memset(checkpoint->lane[k] + first, CST_LANE_OPEN, (size_t)count);
  }
}

cst_checkpoint *cst_checkpoint_create(const cst_plan *p) {
  cst_checkpoint *checkpoint = cst_need(calloc(1, sizeof *checkpoint));
  checkpoint->lane = cst_zeros(p->nclass, sizeof *checkpoint->lane);
  for (int k = 0; k < p->nclass; k++)
    checkpoint->lane[k] = cst_need(calloc((size_t)p->classes[k].lanes + 1, 1));
  open_lanes(p, checkpoint);
  checkpoint->concluded = cst_zeros(cst_plan_conclusion_portions(p), 1);
  checkpoint->loaded = -1;
  return checkpoint;
}

static void forget(cst_checkpoint *checkpoint) {
  cst_snapshot_close(checkpoint->snapshot);
  checkpoint->snapshot = NULL;
  free(checkpoint->saved);
  free(checkpoint->range);
  free(checkpoint->section);
  free(checkpoint->item);
  free(checkpoint->item_section);
  checkpoint->saved = NULL;
  checkpoint->range = NULL;
  checkpoint->section = checkpoint->item_section = NULL;
  checkpoint->item = NULL;
  checkpoint->nsaved = checkpoint->nitem = 0;
}

void cst_checkpoint_release_lanes(const cst_plan *p, cst_checkpoint *checkpoint) {
  for (int k = 0; checkpoint->lane && k < p->nclass; k++)
    free(checkpoint->lane[k]);
  free(checkpoint->lane);
  checkpoint->lane = NULL;
}

void cst_checkpoint_destroy(const cst_plan *p, cst_checkpoint *checkpoint) {
  if (!checkpoint)
    return;
  forget(checkpoint);
  cst_checkpoint_release_lanes(p, checkpoint);
  free(checkpoint->concluded);
  cst_bundle_destroy(&checkpoint->buffer);
  cst_bundle_destroy(&checkpoint->origin);
  free(checkpoint);
}

double cst_checkpoint_concluded(const cst_plan *p, const cst_checkpoint *checkpoint) {
  const int portions = cst_plan_conclusion_portions(p);
  int       n = 0;
  for (int i = 0; i < portions; i++)
    n += checkpoint->concluded[i];
  return (double)n / portions;
}

int cst_checkpoint_find(const cst_checkpoint *checkpoint, const char *name, int from) {
  char found[CST_SECTION_NAME];
  for (int i = from; checkpoint->snapshot && i < cst_snapshot_count(checkpoint->snapshot); i++) {
    cst_snapshot_section(checkpoint->snapshot, i, found);
    if (!strncmp(found, name, CST_SECTION_NAME))
      return i;
  }
  return -1;
}

const void *cst_checkpoint_read(cst_checkpoint *checkpoint, int section, size_t *size) {
  char name[CST_SECTION_NAME];
  checkpoint->loaded = -1;
  if (section < 0)
    return NULL;
  *size = cst_snapshot_section(checkpoint->snapshot, section, name);
  cst_bundle_resize(&checkpoint->buffer, *size + 1);
  checkpoint->buffer.bytes[*size] = 0; /* terminates a text */
  return cst_snapshot_read(checkpoint->snapshot, section, checkpoint->buffer.bytes)
             ? checkpoint->buffer.bytes
             : NULL;
}

const double *cst_checkpoint_rows(cst_checkpoint *checkpoint, int saved) {
  size_t size;
  if (checkpoint->loaded != saved &&
      !cst_checkpoint_read(checkpoint, checkpoint->section[saved], &size))
    return NULL;
  checkpoint->loaded = saved;
  return (const double *)(const void *)(checkpoint->buffer.bytes + sizeof(cst_lane_rows));
}

static const void *keep(cst_checkpoint *checkpoint, const void *bytes, size_t size) {
  cst_bundle_resize(&checkpoint->origin, size);
  return size ? memcpy(checkpoint->origin.bytes, bytes, size) : NULL;
}

bool cst_checkpoint_midway(cst_checkpoint *checkpoint, long item, const void **bytes,
                           size_t *size) {
  int i = 0;
  *bytes = NULL;
  while (i < checkpoint->nitem && checkpoint->item[i] != item)
    i++;
  if (i == checkpoint->nitem)
    return true;
  const long *x = cst_checkpoint_read(checkpoint, checkpoint->item_section[i], size);
  if (!x || *size < sizeof *x || *x != item)
    return false;
  *bytes = keep(checkpoint, x, *size);
  return true;
}

bool cst_checkpoint_origin(cst_checkpoint *checkpoint, const cst_work *w, cst_origin *from) {
  const cst_lane_rows *saved = &checkpoint->saved[w->saved];
  const double        *rows = cst_checkpoint_rows(checkpoint, w->saved);
  if (!rows)
    return false;
  const double *own = keep(checkpoint, rows + w->skip * saved->numbers,
                           sizeof *rows * (size_t)(w->count * saved->numbers));
  *from = (cst_origin){saved->at, saved->numbers, own, saved->opens};
  return true;
}

/* Marks a range of lanes. False if there are no such lanes, or they are marked already. */
static bool mark(const cst_plan *p, cst_checkpoint *checkpoint, long icase, long member, long count,
                 int as, cst_lane_range *s) {
  if (icase < 0 || icase >= p->ncase || member < 0 || member >= p->study->members || count < 1)
    return false;
  const int class = p->class_of[icase];
  const long first = cst_plan_lane(p, icase, member);
  if (count > p->classes[class].lanes - first)
    return false;
  for (long l = first; l < first + count; l++) {
    if (checkpoint->lane[class][l] != CST_LANE_OPEN)
      return false;
    checkpoint->lane[class][l] = (unsigned char)as;
  }
  *s = (cst_lane_range){class, first, count, 0};
  return true;
}

static bool read_done(const cst_plan *p, cst_checkpoint *checkpoint) {
  size_t         size = 0;
  cst_lane_range s;
  /* case, member and count of each range of lanes */
  const long *x =
      cst_checkpoint_read(checkpoint, cst_checkpoint_find(checkpoint, "done", 0), &size);
  bool ok = x && size % (3 * sizeof *x) == 0;
  for (size_t i = 0; ok && i < size / sizeof *x; i += 3)
    ok = mark(p, checkpoint, x[i], x[i + 1], x[i + 2], CST_LANE_DONE, &s);
  return ok;
}

static bool read_concluded(const cst_plan *p, cst_checkpoint *checkpoint) {
  const int portions = cst_plan_conclusion_portions(p);
  size_t    size = 0;
  const int section = cst_checkpoint_find(checkpoint, "concluded", 0);
  memset(checkpoint->concluded, 0, (size_t)portions);
  if (section < 0)
    return true; /* trajectories were under way */
  const long *x = cst_checkpoint_read(checkpoint, section, &size);
  bool        ok = x && size % sizeof *x == 0;
  for (size_t i = 0; ok && i < size / sizeof *x; i++) {
    ok = x[i] >= 0 && x[i] < portions;
    if (ok)
      checkpoint->concluded[x[i]] = 1;
  }
  return ok;
}

/* True if a batch of the class can be at this position: everything but the partner's step follows from its
 * own step. */
static bool stands(const cst_plan *p, const cst_class *k, const cst_position *at, long opens) {
  const bool self = p->study->reference == CST_REFERENCE_SELF;
  if (opens < 0 || opens > 1 || at->step < opens)
    return false;
  if (at->step < 0 || at->step > k->n || at->half_step < 0 ||
      at->half_step > (self ? 2 * at->step : 0))
    return false;
  const cst_position there = cst_plan_position(p, k, at->step - opens);
  return at->window == there.window && at->in_window == there.in_window &&
         at->folds == there.folds && at->next_sample == there.next_sample;
}

/* True if a section of this size holds the head of a saved range and its rows. */
static bool holds(const cst_lane_rows *c, size_t size) {
  if (size < sizeof *c || c->numbers < 1)
    return false;
  const size_t numbers = (size - sizeof *c) / sizeof(double);
  const size_t count = (size_t)c->count;
  return (size - sizeof *c) % sizeof(double) == 0 && numbers % count == 0 &&
         numbers / count == (size_t)c->numbers;
}

/* Reads saved range i; its lanes are the next section after number `at`. */
static bool read_piece(const cst_plan *p, cst_checkpoint *checkpoint, int i, int at) {
  const cst_lane_rows *c = &checkpoint->saved[i];
  cst_lane_range      *range = &checkpoint->range[i];
  char                 name[CST_SECTION_NAME];
  const int            section = cst_checkpoint_find(checkpoint, "lanes", at + 1);
  checkpoint->section[i] = section;
  if (section < 0)
    return false;
  if (!mark(p, checkpoint, c->icase, c->member, c->count, CST_LANE_MIDWAY, range))
    return false;
  if (!holds(c, cst_snapshot_section(checkpoint->snapshot, section, name)))
    return false;
  if (!stands(p, &p->classes[range->class], &c->at, c->opens))
    return false;
  range->step = c->at.step;
  return true;
}

/* Reads the heads of the saved ranges from the section "saved"; their order is that of the sections "lanes". */
static bool read_pieces(const cst_plan *p, cst_checkpoint *checkpoint) {
  size_t      size = 0;
  const void *x =
      cst_checkpoint_read(checkpoint, cst_checkpoint_find(checkpoint, "saved", 0), &size);
  const size_t saved = size / sizeof *checkpoint->saved;
  if (!x || size % sizeof *checkpoint->saved)
    return false;
  if (saved > (size_t)cst_snapshot_count(checkpoint->snapshot))
    return false;
  const int n = (int)saved;
  checkpoint->saved = cst_need(malloc(size + 1));
  checkpoint->range = cst_zeros(n, sizeof *checkpoint->range);
  checkpoint->section = cst_zeros(n, sizeof *checkpoint->section);
  memcpy(checkpoint->saved, x, size);
  checkpoint->nsaved = n;
  for (int i = 0; i < n; i++)
    if (!read_piece(p, checkpoint, i, i ? checkpoint->section[i - 1] : -1))
      return false;
  return true;
}

/* Reads which items of the reference are unfinished; their order is that of the sections "midway". */
static bool read_items(cst_checkpoint *checkpoint) {
  size_t      size = 0;
  const void *x =
      cst_checkpoint_read(checkpoint, cst_checkpoint_find(checkpoint, "items", 0), &size);
  if (!x || size % sizeof *checkpoint->item ||
      size / sizeof *checkpoint->item > (size_t)cst_snapshot_count(checkpoint->snapshot))
    return false;
  checkpoint->nitem = (int)(size / sizeof *checkpoint->item);
  checkpoint->item = cst_need(malloc(size + 1));
  checkpoint->item_section = cst_zeros(checkpoint->nitem, sizeof *checkpoint->item_section);
  memcpy(checkpoint->item, x, size);
  for (int i = 0, at = -1; i < checkpoint->nitem; i++) {
    checkpoint->item_section[i] = at = cst_checkpoint_find(checkpoint, "midway", at + 1);
    if (at < 0 || checkpoint->item[i] < 0)
      return false;
  }
  return true;
}

bool cst_checkpoint_open(const cst_plan *p, cst_checkpoint *checkpoint, const char *path,
                         long number, char *why, int n) {
  forget(checkpoint);
  open_lanes(p, checkpoint);
  checkpoint->number = number;
  checkpoint->snapshot = cst_snapshot_open(path, number, why, n);
  if (!checkpoint->snapshot)
    return false;
  if (read_done(p, checkpoint) && read_pieces(p, checkpoint) && read_items(checkpoint) &&
      read_concluded(p, checkpoint))
    return true;
  snprintf(why, (size_t)n, "it does not fit the trajectories of this study, or is damaged");
  return false;
}
