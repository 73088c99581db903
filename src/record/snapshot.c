/* snapshot.c: writes checkpoints: a head, sections, an index, a trailer; renames them into place when they are
 * on the disk. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* renameat2 */
#include "record/snapshot-form.h"
#include "core/need.h"
#include "constella/random.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char cst_snapshot_mark[8] = {'c',
                                   's',
                                   't',
                                   '-',
                                   'c',
                                   'k',
                                   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'b',
                                   (char)('0' + sizeof(long))};

struct cst_snapshot_writer {
  cst_snapshot_owner  owner;
  char                file_name[CST_SNAPSHOT_PATH];
  long                number;
  FILE               *file;
  cst_snapshot_entry *index;
  uint64_t            at;
  uint32_t            count, room;
  int                 error; /* of the first write that failed */
};

/* ---- writing ------------------------------------------------------------------------------------- */

static void enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place);
static void put(cst_snapshot_writer *w, const void *bytes, size_t size);

/* The first page: mark and token. It is a section, so that a digest covers it. */
static void put_head(cst_snapshot_writer *w) {
  char              page[CST_SNAPSHOT_PAGE] = {0};
  cst_snapshot_head head;
  memcpy(head.mark, cst_snapshot_mark, sizeof head.mark);
  memcpy(head.token, w->owner.token, sizeof head.token);
  memcpy(page, &head, sizeof head);
  cst_snapshot_add(w, "head", page, sizeof page);
}

cst_snapshot_writer *cst_snapshot_begin(const cst_snapshot_owner *o, long number, char *why,
                                        int n) {
  cst_snapshot_writer *w = cst_need(calloc(1, sizeof *w));
  w->owner = *o;
  w->number = number;
  unlink(cst_snapshot_new_name(o, number, w->file_name));
  int file = open(w->file_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file >= 0 && (w->file = fdopen(file, "wb"))) {
    put_head(w);
    return w;
  }
  snprintf(why, (size_t)n, "%.400s cannot be created: %s", w->file_name, strerror(errno));
  if (file >= 0)
    close(file);
  free(w);
  return NULL;
}

static void put(cst_snapshot_writer *w, const void *bytes, size_t size) {
  errno = 0;
  if (!w->error && size && fwrite(bytes, 1, size, w->file) != size)
    w->error = errno ? errno : EIO;
}

static void enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place) {
  if (w->count == w->room) {
    w->room = 2 * w->room + 16;
    w->index = cst_need(realloc(w->index, sizeof *w->index * w->room));
  }
  cst_snapshot_entry *e = &w->index[w->count++];
  *e = (cst_snapshot_entry){.offset = place->offset, .size = place->size};
  memcpy(e->name, name, strnlen(name, sizeof e->name));
  memcpy(e->digest, place->digest, sizeof e->digest);
  if (w->at < place->offset + place->size)
    w->at = place->offset + place->size;
}

bool cst_snapshot_add(cst_snapshot_writer *w, const char *name, const void *bytes, size_t size) {
  cst_snapshot_place place = {.offset = w->at, .size = size};
  cst_snapshot_digest(bytes, size, place.digest);
  put(w, bytes, size);
  enter(w, name, &place);
  return !w->error;
}

void cst_snapshot_enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place) {
  enter(w, name, place);
  if (fseeko(w->file, (off_t)w->at, SEEK_SET) && !w->error)
    w->error = errno;
}

void cst_snapshot_seal(const cst_snapshot_entry *index, const cst_snapshot_trailer *t,
                       unsigned char digest[32]) {
  cst_sha256_context s;
  cst_sha256_init(&s);
  cst_sha256_update(&s, index, sizeof *index * t->count);
  cst_sha256_update(&s, t, offsetof(cst_snapshot_trailer, digest));
  cst_sha256_final(&s, digest);
}

static void put_index(cst_snapshot_writer *w) {
  cst_snapshot_trailer t = {.version = CST_SNAPSHOT_VERSION, .count = w->count, .index = w->at};
  memcpy(t.mark, cst_snapshot_mark, sizeof cst_snapshot_mark);
  cst_snapshot_seal(w->index, &t, t.digest);
  put(w, w->index, sizeof *w->index * w->count);
  put(w, &t, sizeof t);
}

/* A name is on the disk when its folder is. File systems that cannot sync a folder do so themselves. */
static int sync_folder(const char *path) {
  char folder[CST_SNAPSHOT_PATH];
  int  file = open(cst_snapshot_folder(path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return errno;
  int error = fsync(file) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  close(file);
  return error;
}

/* Brings the file and its name to the disk; returns the error of the step that failed, else 0. */
static int settle(cst_snapshot_writer *w, const char *name) {
  if (!w->error && (fflush(w->file) || fsync(fileno(w->file))))
    w->error = errno;
  if (fclose(w->file) && !w->error)
    w->error = errno;
  w->file = NULL;
  if (!w->error && renameat2(AT_FDCWD, w->file_name, AT_FDCWD, name, RENAME_NOREPLACE) &&
      (errno != EINVAL || rename(w->file_name, name)))
    w->error = errno;
  if (w->error)
    return w->error;
  int error = sync_folder(w->owner.path);
  if (error)
    unlink(name);
  return error;
}

bool cst_snapshot_commit(cst_snapshot_writer *w, long keep, char *why, int n) {
  char name[CST_SNAPSHOT_PATH];
  put_index(w);
  int error = settle(w, cst_snapshot_name(w->owner.path, w->number, name));
  if (error)
    snprintf(why, (size_t)n, "%.400s cannot be written: %s", name, strerror(error));
  else
    cst_snapshot_remove_old(&w->owner, w->number, keep);
  cst_snapshot_abandon(w);
  return !error;
}

void cst_snapshot_abandon(cst_snapshot_writer *w) {
  if (!w)
    return;
  if (w->file)
    fclose(w->file);
  unlink(w->file_name);
  free(w->index);
  free(w);
}
