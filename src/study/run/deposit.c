/* deposit.c: writes the states of a rank into a checkpoint, beside its work (see deposit.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/deposit.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

struct cst_deposit {
  const char         *path;
  cst_output         *output;
  cst_bundle          states, told;
  const void        **bytes; /* [n] of each section of states */
  cst_snapshot_place *place; /* [n] */
  int                 n;
  long                number;
  size_t              offset;
  pthread_t           thread;
  bool                begun, threaded, ended; /* ended: set by the thread */
  char                why[512];               /* empty: no failure */
};

cst_deposit *cst_deposit_create(const char *path, cst_output *o) {
  cst_deposit *d = cst_need(calloc(1, sizeof *d));
  d->path = path;
  d->output = o;
  return d;
}

static void join(cst_deposit *d) {
  if (d->begun && d->threaded) pthread_join(d->thread, NULL);
  d->begun = false;
}

void cst_deposit_destroy(cst_deposit *d) {
  if (!d) return;
  join(d);
  cst_bundle_destroy(&d->states);
  cst_bundle_destroy(&d->told);
  free(d->bytes);
  free(d->place);
  free(d);
}

void cst_deposit_clear(cst_deposit *d) {
  cst_bundle_resize(&d->states, 0);
  cst_bundle_resize(&d->told, 0);
}
cst_bundle *cst_deposit_states(cst_deposit *d) { return &d->states; }
cst_bundle *cst_deposit_told(cst_deposit *d) { return &d->told; }

/* Bytes of all sections, and how many there are. */
static size_t count(const cst_deposit *d, int *n) {
  size_t      size = 0;
  cst_section s;
  *n = 0;
  for (size_t at = 0; cst_bundle_next(&d->states, &at, &s); ++*n) size += s.head->size;
  return size;
}

/* A section of zeros fills the last page. */
size_t cst_deposit_close(cst_deposit *d) {
  const size_t over = count(d, &d->n) % CST_SNAPSHOT_PAGE;
  cst_section  s;
  if (over) cst_bundle_add(&d->states, "gap", CST_SNAPSHOT_PAGE - over);
  const size_t size = count(d, &d->n);
  d->bytes = cst_need(realloc(d->bytes, ((size_t)d->n + 1) * sizeof *d->bytes));
  d->place = cst_need(realloc(d->place, ((size_t)d->n + 1) * sizeof *d->place));
  for (size_t at = 0, i = 0; cst_bundle_next(&d->states, &at, &s); i++) {
    d->bytes[i] = s.bytes;
    d->place[i].size = s.head->size;
  }
  return size;
}

static void *deposit(void *context) {
  cst_deposit *d = context;
  if (cst_output_sync(d->output, d->why, sizeof d->why) && d->n)
    cst_snapshot_write(d->path, d->number, d->offset, d->bytes, d->place, d->n, d->why, sizeof d->why);
  __atomic_store_n(&d->ended, true, __ATOMIC_RELEASE);
  return NULL;
}

/* Signals are for the thread that polls. Where there may be no further thread, the rank waits. */
void cst_deposit_begin(cst_deposit *d, long number, size_t offset) {
  sigset_t all, before;
  d->number = number;
  d->offset = offset;
  d->begun = true;
  d->why[0] = 0;
  __atomic_store_n(&d->ended, false, __ATOMIC_RELEASE);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  d->threaded = !pthread_create(&d->thread, NULL, deposit, d);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!d->threaded) deposit(d);
}

static void tell_places(cst_deposit *d) {
  cst_section s;
  for (size_t at = 0, i = 0; cst_bundle_next(&d->states, &at, &s); i++) {
    const size_t        head = s.head->size < CST_DEPOSIT_HEAD ? s.head->size : CST_DEPOSIT_HEAD;
    cst_snapshot_place *to = cst_bundle_add(&d->told, s.head->name, sizeof *to + head);
    *to = d->place[i];
    memcpy(to + 1, s.bytes, head);
  }
}

bool cst_deposit_done(cst_deposit *d) {
  if (!d->begun || !__atomic_load_n(&d->ended, __ATOMIC_ACQUIRE)) return false;
  join(d);
  if (*d->why)
    strcpy(cst_bundle_add(&d->told, "failed", strlen(d->why) + 1), d->why);
  else
    tell_places(d);
  return true;
}
