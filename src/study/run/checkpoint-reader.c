/* past.c: reads the checkpoint that an earlier run of a study left (see past.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/division.h"
#include "study/run/past.h"

/* All lanes of the plan are open, those of other parts are not. */
static void open_lanes(const cst_plan *p, cst_past *past) {
  long first, count;
  for (int k = 0; k < p->nclass; k++) {
    cst_plan_own_lanes(p, k, &first, &count);
    memset(past->lane[k], CST_LANE_ELSEWHERE, (size_t)p->classes[k].lanes);
    memset(past->lane[k] + first, CST_LANE_OPEN, (size_t)count);
  }
}

cst_past *cst_past_create(const cst_plan *p) {
  cst_past *past = cst_need(calloc(1, sizeof *past));
  past->lane = cst_zeros(p->nclass, sizeof *past->lane);
  for (int k = 0; k < p->nclass; k++)
    past->lane[k] = cst_need(calloc((size_t)p->classes[k].lanes + 1, 1));
  open_lanes(p, past);
  past->concluded = cst_zeros(cst_plan_conclusion_pieces(p), 1);
  past->loaded = -1;
  return past;
}

static void forget(cst_past *past) {
  cst_snapshot_close(past->snapshot);
  past->snapshot = NULL;
  free(past->piece);
  free(past->stretch);
  free(past->section);
  free(past->item);
  free(past->item_section);
  past->piece = NULL;
  past->stretch = NULL;
  past->section = past->item_section = NULL;
  past->item = NULL;
  past->npiece = past->nitem = 0;
}

void cst_past_release_lanes(const cst_plan *p, cst_past *past) {
  for (int k = 0; past->lane && k < p->nclass; k++)
    free(past->lane[k]);
  free(past->lane);
  past->lane = NULL;
}

void cst_past_destroy(const cst_plan *p, cst_past *past) {
  if (!past)
    return;
  forget(past);
  cst_past_release_lanes(p, past);
  free(past->concluded);
  cst_bundle_destroy(&past->buffer);
  cst_bundle_destroy(&past->origin);
  free(past);
}

double cst_past_concluded(const cst_plan *p, const cst_past *past) {
  const int pieces = cst_plan_conclusion_pieces(p);
  int       n = 0;
  for (int i = 0; i < pieces; i++)
    n += past->concluded[i];
  return (double)n / pieces;
}

int cst_past_find(const cst_past *past, const char *name, int from) {
  char found[CST_SECTION_NAME];
  for (int i = from; past->snapshot && i < cst_snapshot_count(past->snapshot); i++) {
    cst_snapshot_section(past->snapshot, i, found);
    if (!strncmp(found, name, CST_SECTION_NAME))
      return i;
  }
  return -1;
}

const void *cst_past_read(cst_past *past, int section, size_t *size) {
  char name[CST_SECTION_NAME];
  past->loaded = -1;
  if (section < 0)
    return NULL;
  *size = cst_snapshot_section(past->snapshot, section, name);
  cst_bundle_resize(&past->buffer, *size + 1);
  past->buffer.bytes[*size] = 0; /* terminates a text */
  return cst_snapshot_read(past->snapshot, section, past->buffer.bytes) ? past->buffer.bytes : NULL;
}

const double *cst_past_rows(cst_past *past, int piece) {
  size_t size;
  if (past->loaded != piece && !cst_past_read(past, past->section[piece], &size))
    return NULL;
  past->loaded = piece;
  return (const double *)(const void *)(past->buffer.bytes + sizeof(cst_piece));
}

static const void *keep(cst_past *past, const void *bytes, size_t size) {
  cst_bundle_resize(&past->origin, size);
  return size ? memcpy(past->origin.bytes, bytes, size) : NULL;
}

bool cst_past_midway(cst_past *past, long item, const void **bytes, size_t *size) {
  int i = 0;
  *bytes = NULL;
  while (i < past->nitem && past->item[i] != item)
    i++;
  if (i == past->nitem)
    return true;
  const long *x = cst_past_read(past, past->item_section[i], size);
  if (!x || *size < sizeof *x || *x != item)
    return false;
  *bytes = keep(past, x, *size);
  return true;
}

bool cst_past_origin(cst_past *past, const cst_work *w, cst_origin *from) {
  const cst_piece *piece = &past->piece[w->piece];
  const double    *rows = cst_past_rows(past, w->piece);
  if (!rows)
    return false;
  const double *own = keep(past, rows + w->skip * piece->numbers,
                           sizeof *rows * (size_t)(w->count * piece->numbers));
  *from = (cst_origin){piece->at, piece->numbers, own, piece->opens};
  return true;
}

/* Marks a range of lanes. False if there are no such lanes, or they are marked already. */
static bool mark(const cst_plan *p, cst_past *past, long icase, long member, long count, int as,
                 cst_stretch *s) {
  if (icase < 0 || icase >= p->ncase || member < 0 || member >= p->study->members || count < 1)
    return false;
  const int  cohort = p->class_of[icase];
  const long first = cst_plan_lane(p, icase, member);
  if (count > p->classes[cohort].lanes - first)
    return false;
  for (long l = first; l < first + count; l++) {
    if (past->lane[cohort][l] != CST_LANE_OPEN)
      return false;
    past->lane[cohort][l] = (unsigned char)as;
  }
  *s = (cst_stretch){cohort, first, count, 0};
  return true;
}

static bool read_done(const cst_plan *p, cst_past *past) {
  size_t      size = 0;
  cst_stretch s;
  /* case, member and count of each range of lanes */
  const long *x = cst_past_read(past, cst_past_find(past, "done", 0), &size);
  bool        ok = x && size % (3 * sizeof *x) == 0;
  for (size_t i = 0; ok && i < size / sizeof *x; i += 3)
    ok = mark(p, past, x[i], x[i + 1], x[i + 2], CST_LANE_DONE, &s);
  return ok;
}

static bool read_concluded(const cst_plan *p, cst_past *past) {
  const int pieces = cst_plan_conclusion_pieces(p);
  size_t    size = 0;
  const int section = cst_past_find(past, "concluded", 0);
  memset(past->concluded, 0, (size_t)pieces);
  if (section < 0)
    return true; /* trajectories were under way */
  const long *x = cst_past_read(past, section, &size);
  bool        ok = x && size % sizeof *x == 0;
  for (size_t i = 0; ok && i < size / sizeof *x; i++) {
    ok = x[i] >= 0 && x[i] < pieces;
    if (ok)
      past->concluded[x[i]] = 1;
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

/* True if a section of this size holds the head of a piece and its rows. */
static bool holds(const cst_piece *c, size_t size) {
  if (size < sizeof *c || c->numbers < 1)
    return false;
  const size_t numbers = (size - sizeof *c) / sizeof(double);
  const size_t count = (size_t)c->count;
  return (size - sizeof *c) % sizeof(double) == 0 && numbers % count == 0 &&
         numbers / count == (size_t)c->numbers;
}

/* Reads piece i; its lanes are the next section after number `at`. */
static bool read_piece(const cst_plan *p, cst_past *past, int i, int at) {
  const cst_piece *c = &past->piece[i];
  cst_stretch     *stretch = &past->stretch[i];
  char             name[CST_SECTION_NAME];
  const int        section = cst_past_find(past, "lanes", at + 1);
  past->section[i] = section;
  if (section < 0)
    return false;
  if (!mark(p, past, c->icase, c->member, c->count, CST_LANE_MIDWAY, stretch))
    return false;
  if (!holds(c, cst_snapshot_section(past->snapshot, section, name)))
    return false;
  if (!stands(p, &p->classes[stretch->cohort], &c->at, c->opens))
    return false;
  stretch->step = c->at.step;
  return true;
}

/* Reads the heads of the pieces from the section "pieces"; their order is that of the sections "lanes". */
static bool read_pieces(const cst_plan *p, cst_past *past) {
  size_t       size = 0;
  const void  *x = cst_past_read(past, cst_past_find(past, "pieces", 0), &size);
  const size_t pieces = size / sizeof *past->piece;
  if (!x || size % sizeof *past->piece)
    return false;
  if (pieces > (size_t)cst_snapshot_count(past->snapshot))
    return false;
  const int n = (int)pieces;
  past->piece = cst_need(malloc(size + 1));
  past->stretch = cst_zeros(n, sizeof *past->stretch);
  past->section = cst_zeros(n, sizeof *past->section);
  memcpy(past->piece, x, size);
  past->npiece = n;
  for (int i = 0; i < n; i++)
    if (!read_piece(p, past, i, i ? past->section[i - 1] : -1))
      return false;
  return true;
}

/* Reads which items of the reference are unfinished; their order is that of the sections "midway". */
static bool read_items(cst_past *past) {
  size_t      size = 0;
  const void *x = cst_past_read(past, cst_past_find(past, "items", 0), &size);
  if (!x || size % sizeof *past->item ||
      size / sizeof *past->item > (size_t)cst_snapshot_count(past->snapshot))
    return false;
  past->nitem = (int)(size / sizeof *past->item);
  past->item = cst_need(malloc(size + 1));
  past->item_section = cst_zeros(past->nitem, sizeof *past->item_section);
  memcpy(past->item, x, size);
  for (int i = 0, at = -1; i < past->nitem; i++) {
    past->item_section[i] = at = cst_past_find(past, "midway", at + 1);
    if (at < 0 || past->item[i] < 0)
      return false;
  }
  return true;
}

bool cst_past_open(const cst_plan *p, cst_past *past, const char *path, long number, char *why,
                   int n) {
  forget(past);
  open_lanes(p, past);
  past->number = number;
  past->snapshot = cst_snapshot_open(path, number, why, n);
  if (!past->snapshot)
    return false;
  if (read_done(p, past) && read_pieces(p, past) && read_items(past) && read_concluded(p, past))
    return true;
  snprintf(why, (size_t)n, "it does not fit the trajectories of this study, or is damaged");
  return false;
}
