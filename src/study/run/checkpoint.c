/* checkpoint.c: reads the checkpoint that an earlier run of a study left, and assembles new ones (see checkpoint.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/checkpoint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/division.h"

/* ---- the current batch as a section ---------------------------------------------------------- */

/* Lanes from..to of the batch. */
static void pack(const cst_runner *r, long from, long to, bool ahead, cst_bundle *b) {
  const cst_work *w = cst_runner_work(r);
  cst_lane_rows   p = {.count = to - from,
                       .numbers = cst_runner_numbers(r),
                       .at = cst_runner_position(r),
                       .opens = ahead};
  p.at.step += ahead;
  cst_plan_trajectory(r->plan, w->class, w->first + from, &p.icase, &p.member);
  cst_lane_rows *head =
      cst_bundle_add(b, "lanes", sizeof p + sizeof(double) * (size_t)(p.count * p.numbers));
  double *row = (double *)(head + 1);
  *head = p;
  for (long l = from; l < to; l++)
    cst_runner_save(r, l, row + (l - from) * p.numbers);
}

void cst_lane_rows_pack(const cst_runner *r, cst_bundle *b) {
  const cst_work *w = cst_runner_work(r);
  if (!w)
    return;
  const long ahead = cst_runner_ahead(r);
  if (ahead > 0)
    pack(r, 0, ahead, true, b);
  if (ahead < w->count)
    pack(r, ahead, w->count, false, b);
}

/* ---- reading --------------------------------------------------------------------------------- */

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
  checkpoint->concluded = cst_zeros(cst_plan_conclusion_shares(p), 1);
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
  const int shares = cst_plan_conclusion_shares(p);
  int       n = 0;
  for (int i = 0; i < shares; i++)
    n += checkpoint->concluded[i];
  return (double)n / shares;
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
  if (icase < 0 || icase >= p->ncase || member < 0 || member >= p->study->ensemble.members ||
      count < 1)
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
  const int shares = cst_plan_conclusion_shares(p);
  size_t    size = 0;
  const int section = cst_checkpoint_find(checkpoint, "concluded", 0);
  memset(checkpoint->concluded, 0, (size_t)shares);
  if (section < 0)
    return true; /* trajectories were under way */
  const long *x = cst_checkpoint_read(checkpoint, section, &size);
  bool        ok = x && size % sizeof *x == 0;
  for (size_t i = 0; ok && i < size / sizeof *x; i++) {
    ok = x[i] >= 0 && x[i] < shares;
    if (ok)
      checkpoint->concluded[x[i]] = 1;
  }
  return ok;
}

/* True if a batch of the class can be at this position: everything but the partner's step follows from its
 * own step. */
static bool stands(const cst_plan *p, const cst_class *k, const cst_position *at, long opens) {
  const bool self = p->study->reference.kind == CST_REFERENCE_SELF;
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

/* ---- assembly -------------------------------------------------------------------------------- */

/* Checkpoints are assembled from the parts of the ranks.
 *
 * A part holds what a rank has done since its last part, and where it wrote its current batch. Parts are made
 * at different times, so no rank waits for another. Each part is consistent in itself: the contribution of a
 * lane to sums over members is in the same part as the state from which the lane continues, and a lane that is
 * in no part yet has contributed nothing.
 */

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
  unsigned char       *concluded; /* [shares] as in cst_checkpoint */
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
  k->concluded = cst_zeros(cst_plan_conclusion_shares(p), 1);
  memcpy(k->concluded, checkpoint->concluded, (size_t)cst_plan_conclusion_shares(p));
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

static void mark_lanes(cst_assembly *k, long icase, long member, long count, int as) {
  const long first = cst_plan_lane(k->plan, icase, member);
  memset(k->lane[k->plan->class_of[icase]] + first, as, (size_t)count);
}

static void list_piece(cst_assembly *k, const cst_lane_rows *p) {
  if (k->nsaved == k->room) {
    k->room = k->room ? 2 * k->room : 64;
    k->saved = cst_need(realloc(k->saved, (size_t)k->room * sizeof *k->saved));
  }
  k->saved[k->nsaved++] = *p;
  mark_lanes(k, p->icase, p->member, p->count, CST_LANE_MIDWAY);
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
    mark_lanes(k, x[i], x[i + 1], x[i + 2], CST_LANE_DONE);
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
  const int  shares = cst_plan_conclusion_shares(k->plan);
  cst_bundle b = {0};
  for (long i = 0; i < shares; i++) {
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
