/* rank-part.c: writes one rank's part of a checkpoint (see rank-part.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/rank-part.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

struct cst_rank_part {
  const cst_snapshot_owner *owner;
  cst_output               *output;
  cst_bundle                states, report;
  const void              **bytes; /* [n] of each section of states */
  cst_snapshot_place       *place; /* [n] */
  int                       n;
  long                      number;
  size_t                    offset;
  pthread_t                 thread;
  bool                      begun, threaded, ended; /* ended: set by the thread */
  char                      why[512];               /* empty: no failure */
};

cst_rank_part *cst_rank_part_create(const cst_snapshot_owner *owner, cst_output *o) {
  cst_rank_part *w = cst_need(calloc(1, sizeof *w));
  w->owner = owner;
  w->output = o;
  return w;
}

static void join(cst_rank_part *w) {
  if (w->begun && w->threaded)
    pthread_join(w->thread, NULL);
  w->begun = false;
}

void cst_rank_part_destroy(cst_rank_part *w) {
  if (!w)
    return;
  join(w);
  cst_bundle_destroy(&w->states);
  cst_bundle_destroy(&w->report);
  free(w->bytes);
  free(w->place);
  free(w);
}

void cst_rank_part_clear(cst_rank_part *w) {
  cst_bundle_resize(&w->states, 0);
  cst_bundle_resize(&w->report, 0);
}
cst_bundle *cst_rank_part_states(cst_rank_part *w) { return &w->states; }
cst_bundle *cst_rank_part_report(cst_rank_part *w) { return &w->report; }

/* Bytes of all sections, and how many there are. */
static size_t count(const cst_rank_part *w, int *n) {
  size_t      size = 0;
  cst_section s;
  *n = 0;
  for (size_t at = 0; cst_bundle_next(&w->states, &at, &s); ++*n)
    size += s.head->size;
  return size;
}

/* A section of zeros fills the last page. */
size_t cst_rank_part_close(cst_rank_part *w) {
  const size_t over = count(w, &w->n) % CST_SNAPSHOT_PAGE;
  cst_section  s;
  if (over)
    cst_bundle_add(&w->states, "gap", CST_SNAPSHOT_PAGE - over);
  const size_t size = count(w, &w->n);
  w->bytes = cst_need(realloc(w->bytes, ((size_t)w->n + 1) * sizeof *w->bytes));
  w->place = cst_need(realloc(w->place, ((size_t)w->n + 1) * sizeof *w->place));
  for (size_t at = 0, i = 0; cst_bundle_next(&w->states, &at, &s); i++) {
    w->bytes[i] = s.bytes;
    w->place[i].size = s.head->size;
  }
  return size;
}

static void *write_states(void *context) {
  cst_rank_part *w = context;
  const bool     rows_written = cst_output_sync(w->output, w->why, sizeof w->why);
  if (rows_written && w->n)
    cst_snapshot_write(w->owner, w->number, w->offset, w->bytes, w->place, w->n, w->why,
                       sizeof w->why);
  __atomic_store_n(&w->ended, true, __ATOMIC_RELEASE);
  return NULL;
}

/* Signals are for the thread that polls. Where there may be no further thread, the rank waits. */
void cst_rank_part_begin(cst_rank_part *w, long number, size_t offset) {
  sigset_t all, before;
  w->number = number;
  w->offset = offset;
  w->begun = true;
  w->why[0] = 0;
  __atomic_store_n(&w->ended, false, __ATOMIC_RELEASE);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  w->threaded = !pthread_create(&w->thread, NULL, write_states, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!w->threaded)
    write_states(w);
}

static void report_places(cst_rank_part *w) {
  cst_section s;
  for (size_t at = 0, i = 0; cst_bundle_next(&w->states, &at, &s); i++) {
    const size_t head = s.head->size < CST_RANK_PART_HEAD ? s.head->size : CST_RANK_PART_HEAD;
    cst_snapshot_place *to = cst_bundle_add(&w->report, s.head->name, sizeof *to + head);
    *to = w->place[i];
    memcpy(to + 1, s.bytes, head);
  }
}

bool cst_rank_part_done(cst_rank_part *w) {
  if (!w->begun || !__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE))
    return false;
  join(w);
  if (*w->why)
    strcpy(cst_bundle_add(&w->report, "failed", strlen(w->why) + 1), w->why);
  else
    report_places(w);
  return true;
}
