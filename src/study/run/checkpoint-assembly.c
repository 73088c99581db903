/* checkpoint-assembly.c: assembles checkpoints from the parts of the ranks (see checkpoint-assembly.h).
 *
 * A part holds what a rank has done since its last part, and where it wrote its current batch. Parts are made
 * at different times, so no rank waits for another. Each part is consistent in itself: the contribution of a
 * lane to sums over members is in the same part as the state from which the lane continues, and a lane that is
 * in no part yet has contributed nothing.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/run/checkpoint-assembly.h"

struct cst_assembly {
  const cst_plan *plan;
  cst_checkpoint *checkpoint;
  cst_reference  *reference;
  /* [nclass][lanes]: done, or midway: in a saved range of the checkpoint being written */
  unsigned char **lane;
  cst_tallies    *tallies;
  double         *seconds; /* [nclass] */
  /* [items] of the reference that are unfinished in the checkpoint being written */
  unsigned char       *midway;
  unsigned char       *concluded; /* [portions] as in cst_checkpoint */
  int                  nsaved, room;
  cst_lane_rows       *saved; /* of that checkpoint, in the order of its sections */
  cst_bundle           items; /* the same items, in the order of their sections */
  const char          *identity;
  cst_snapshot_writer *writer;
};

cst_assembly *cst_assembly_create(const cst_plan *p, cst_checkpoint *checkpoint,
                                  cst_reference *reference) {
  cst_assembly *k = cst_need(calloc(1, sizeof *k));
  k->plan = p;
  k->checkpoint = checkpoint;
  k->reference = reference;
  k->lane = cst_zeros(p->nclass, sizeof *k->lane);
  for (int i = 0; i < p->nclass; i++) {
    k->lane[i] = cst_need(calloc((size_t)p->classes[i].lanes + 1, 1));
    for (long l = 0; l < p->classes[i].lanes; l++)
      k->lane[i][l] = checkpoint->lane[i][l] == CST_LANE_DONE ? CST_LANE_DONE : CST_LANE_OPEN;
  }
  k->tallies = cst_tallies_create(p);
  k->midway = cst_need(calloc((size_t)cst_reference_items(reference) + 1, 1));
  k->seconds = cst_zeros(p->nclass, sizeof *k->seconds);
  k->concluded = cst_zeros(cst_plan_conclusion_portions(p), 1);
  memcpy(k->concluded, checkpoint->concluded, (size_t)cst_plan_conclusion_portions(p));
  return k;
}

void cst_assembly_destroy(cst_assembly *k) {
  if (!k)
    return;
  cst_assembly_abandon(k);
  for (int i = 0; i < k->plan->nclass; i++)
    free(k->lane[i]);
  free(k->lane);
  free(k->seconds);
  free(k->midway);
  free(k->concluded);
  free(k->saved);
  cst_bundle_destroy(&k->items);
  cst_tallies_destroy(k->tallies);
  free(k);
}

static bool add_seconds(cst_assembly *k, const void *bytes, size_t size) {
  const double *x = bytes;
  if (size != sizeof *x * (size_t)k->plan->nclass)
    return false;
  for (int i = 0; i < k->plan->nclass; i++)
    k->seconds[i] += x[i];
  return true;
}

bool cst_assembly_take_over(cst_assembly *k, char *why, int n) {
  size_t size;
  bool   ok = true;
  for (int i = -1; ok && (i = cst_checkpoint_find(k->checkpoint, CST_TALLY, i + 1)) >= 0;) {
    const void *x = cst_checkpoint_read(k->checkpoint, i, &size);
    ok = x && cst_tallies_take(k->tallies, x, size);
  }
  for (int i = -1; ok && (i = cst_checkpoint_find(k->checkpoint, "reference", i + 1)) >= 0;) {
    const void *x = cst_checkpoint_read(k->checkpoint, i, &size);
    ok = x && cst_reference_take(k->reference, x, size);
  }
  if (ok && k->checkpoint->snapshot) {
    const void *x =
        cst_checkpoint_read(k->checkpoint, cst_checkpoint_find(k->checkpoint, "seconds", 0), &size);
    ok = x && add_seconds(k, x, size);
  }
  if (!ok)
    snprintf(why, (size_t)n, "checkpoint %ld does not fit this study, or is damaged",
             k->checkpoint->number);
  return ok;
}

/* ---- the parts of the ranks ------------------------------------------------------------------ */

static void mark(cst_assembly *k, long icase, long member, long count, int as) {
  const long first = cst_plan_lane(k->plan, icase, member);
  memset(k->lane[k->plan->class_of[icase]] + first, as, (size_t)count);
}

static void list_piece(cst_assembly *k, const cst_lane_rows *p) {
  if (k->nsaved == k->room) {
    k->room = k->room ? 2 * k->room : 64;
    k->saved = cst_need(realloc(k->saved, (size_t)k->room * sizeof *k->saved));
  }
  k->saved[k->nsaved++] = *p;
  mark(k, p->icase, p->member, p->count, CST_LANE_MIDWAY);
}

static void list_item(cst_assembly *k, long item) {
  const size_t at = k->items.size;
  k->midway[item] = true;
  cst_bundle_resize(&k->items, at + sizeof item);
  memcpy(k->items.bytes + at, &item, sizeof item);
}

/* Write errors are reported by cst_snapshot_commit. */
static void add(cst_assembly *k, const char *name, const void *bytes, size_t size) {
  (void)cst_snapshot_add(k->writer, name, bytes, size);
}

/* Sections that the rank has written itself: their places, then how they begin. */
static void take_lanes(cst_assembly *k, const cst_section *s) {
  const cst_snapshot_place *place = s->bytes;
  list_piece(k, (const cst_lane_rows *)(place + 1));
  cst_snapshot_enter(k->writer, "lanes", place);
}

static void take_midway(cst_assembly *k, const cst_section *s) {
  const cst_snapshot_place *place = s->bytes;
  list_item(k, *(const long *)(place + 1));
  cst_snapshot_enter(k->writer, "midway", place);
}

static void take_gap(cst_assembly *k, const cst_section *s) {
  cst_snapshot_enter(k->writer, "gap", s->bytes);
}

static void take_done(cst_assembly *k, const cst_section *s) {
  const long *x = s->bytes;
  for (size_t i = 0; i < s->head->size / sizeof *x; i += 3)
    mark(k, x[i], x[i + 1], x[i + 2], CST_LANE_DONE);
}

static void take_concluded(cst_assembly *k, const cst_section *s) {
  const long *x = s->bytes;
  for (size_t i = 0; i < s->head->size / sizeof *x; i++)
    k->concluded[x[i]] = 1;
}

static void take_tally(cst_assembly *k, const cst_section *s) {
  cst_tallies_take(k->tallies, s->bytes, s->head->size);
}
static void take_reference(cst_assembly *k, const cst_section *s) {
  cst_reference_take(k->reference, s->bytes, s->head->size);
}
static void take_seconds(cst_assembly *k, const cst_section *s) {
  add_seconds(k, s->bytes, s->head->size);
}

/* The sections of a part, and the functions that process them. */
static const struct {
  const char *name;
  void (*take)(cst_assembly *, const cst_section *);
} sections[] = {{"lanes", take_lanes},     {"midway", take_midway},
                {"gap", take_gap},         {"done", take_done},
                {CST_TALLY, take_tally},   {"reference", take_reference},
                {"seconds", take_seconds}, {"concluded", take_concluded}};

bool cst_assembly_take(cst_assembly *k, const cst_bundle *part, char *why, int n) {
  cst_section s;
  for (size_t at = 0; cst_bundle_next(part, &at, &s);) {
    if (cst_bundle_section_is(&s, "failed")) {
      snprintf(why, (size_t)n, "%s", (const char *)s.bytes);
      return false;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
      if (cst_bundle_section_is(&s, sections[i].name))
        sections[i].take(k, &s);
  }
  return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

bool cst_assembly_begin(cst_assembly *k, const cst_snapshot_owner *owner, long number,
                        const char *identity, char *why, int n) {
  k->nsaved = 0;
  cst_bundle_resize(&k->items, 0);
  k->identity = identity;
  k->writer = cst_snapshot_begin(owner, number, why, n);
  return k->writer != NULL;
}

/* Copies lanes from..to of an unfinished range that no rank has resumed yet into the new checkpoint. */
static bool pass_on(cst_assembly *k, int saved, long from, long to) {
  const cst_lane_rows  *old = &k->checkpoint->saved[saved];
  const cst_lane_range *s = &k->checkpoint->range[saved];
  const double         *rows = cst_checkpoint_rows(k->checkpoint, saved);
  cst_bundle            b = {0};
  cst_lane_rows         p = *old;
  if (!rows)
    return false;
  p.count = to - from;
  cst_plan_trajectory(k->plan, s->class, s->first + from, &p.icase, &p.member);
  const size_t   row = sizeof *rows * (size_t)p.numbers;
  const size_t   size = sizeof p + row * (size_t)p.count;
  cst_lane_rows *head = cst_bundle_add(&b, "lanes", size);
  *head = p;
  memcpy(head + 1, rows + p.numbers * from, row * (size_t)p.count);
  add(k, "lanes", head, size);
  list_piece(k, &p);
  cst_bundle_destroy(&b);
  return true;
}

/* Copies all such lanes; *left: there were any. */
static bool pass_on_pending(cst_assembly *k, bool *left) {
  for (int i = 0; i < k->checkpoint->nsaved; i++) {
    const cst_lane_range *s = &k->checkpoint->range[i];
    const unsigned char  *lane = k->lane[s->class] + s->first;
    for (long from = 0, to; from < s->count; from = to) {
      const bool open = lane[from] == CST_LANE_OPEN;
      for (to = from + 1; to < s->count && (lane[to] == CST_LANE_OPEN) == open;)
        to++;
      if (open && !pass_on(k, i, from, to))
        return false;
      *left |= open;
    }
  }
  return true;
}

/* Copies the unfinished items of the reference likewise. */
static bool pass_on_items(cst_assembly *k, bool *left) {
  for (int i = 0; i < k->checkpoint->nitem; i++) {
    const long  item = k->checkpoint->item[i];
    const void *bytes;
    size_t      size;
    if (item >= cst_reference_items(k->reference))
      return false;
    if (k->reference->item[item] != CST_ITEM_OPEN || k->midway[item])
      continue;
    if (!cst_checkpoint_midway(k->checkpoint, item, &bytes, &size))
      return false;
    list_item(k, item);
    add(k, "midway", bytes, size);
    *left = true;
  }
  return true;
}

static void write_done(cst_assembly *k) {
  cst_bundle b = {0};
  for (int c = 0; c < k->plan->nclass; c++) {
    const long           lanes = k->plan->classes[c].lanes;
    const unsigned char *lane = k->lane[c];
    long                 to;
    for (long from = 0; from < lanes; from = to) {
      to = from + 1;
      while (to < lanes && lane[to] == lane[from])
        to++;
      if (lane[from] != CST_LANE_DONE)
        continue;
      cst_bundle_resize(&b, b.size + 3 * sizeof(long));
      long *x = (long *)(void *)(b.bytes + b.size) - 3;
      cst_plan_trajectory(k->plan, c, from, &x[0], &x[1]);
      x[2] = to - from;
    }
  }
  add(k, "done", b.bytes, b.size);
  cst_bundle_destroy(&b);
}

static void write_concluded(cst_assembly *k) {
  const int  portions = cst_plan_conclusion_portions(k->plan);
  cst_bundle b = {0};
  for (long i = 0; i < portions; i++) {
    if (!k->concluded[i])
      continue;
    cst_bundle_resize(&b, b.size + sizeof i);
    memcpy(b.bytes + b.size - sizeof i, &i, sizeof i);
  }
  if (b.size)
    add(k, "concluded", b.bytes, b.size);
  cst_bundle_destroy(&b);
}

static void write_gathered(cst_assembly *k) {
  cst_bundle  b = {0};
  cst_section s;
  cst_tallies_pack(k->tallies, &b);
  cst_reference_pack(k->reference, true, &b);
  for (size_t at = 0; cst_bundle_next(&b, &at, &s);)
    add(k, s.head->name, s.bytes, s.head->size);
  add(k, "seconds", k->seconds, sizeof *k->seconds * (size_t)k->plan->nclass);
  cst_bundle_destroy(&b);
}

static void close_pieces(cst_assembly *k) {
  memset(k->midway, 0, (size_t)cst_reference_items(k->reference));
  for (int c = 0; c < k->plan->nclass; c++) {
    unsigned char *lane = k->lane[c];
    for (long l = 0; l < k->plan->classes[c].lanes; l++)
      if (lane[l] == CST_LANE_MIDWAY)
        lane[l] = CST_LANE_OPEN;
  }
}

void cst_assembly_abandon(cst_assembly *k) {
  if (k->writer)
    cst_snapshot_abandon(k->writer);
  k->writer = NULL;
}

bool cst_assembly_commit(cst_assembly *k, char *why, int n) {
  cst_snapshot_writer *writer = k->writer;
  bool                 left = false;
  const bool           whole = pass_on_pending(k, &left) && pass_on_items(k, &left);
  if (whole) {
    add(k, "identity", k->identity, strlen(k->identity) + 1);
    add(k, "saved", k->saved, sizeof *k->saved * (size_t)k->nsaved);
    add(k, "items", k->items.bytes, k->items.size);
    write_done(k);
    write_concluded(k);
    write_gathered(k);
  }
  close_pieces(k);
  if (!whole)
    snprintf(
        why, (size_t)n,
        "checkpoint %ld, from which trajectories have yet to be resumed, was damaged or removed",
        k->checkpoint->number);
  if (!whole)
    cst_assembly_abandon(k);
  k->writer = NULL;
  return whole && cst_snapshot_commit(writer, left ? k->checkpoint->number : 0, why, n);
}

void cst_assembly_add_tallies(cst_assembly *k, cst_tallies *t) {
  cst_bundle  b = {0};
  cst_section section;
  cst_tallies_pack(k->tallies, &b);
  for (size_t at = 0; cst_bundle_next(&b, &at, &section);)
    cst_tallies_take(t, section.bytes, section.head->size);
  cst_bundle_destroy(&b);
}

void cst_assembly_add_seconds(const cst_assembly *k, double *seconds) {
  for (int i = 0; i < k->plan->nclass; i++)
    seconds[i] += k->seconds[i];
}
