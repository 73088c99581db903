/* snapshot.c: writes checkpoints: sections, an index, a trailer; renames them into place when they are on the
 * disk, and removes old ones. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/snapshot-form.h"
#include "core/need.h"
#include "constella/random.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 2 };

const char cst_snapshot_mark[8] = {'c',
                                   's',
                                   't',
                                   '-',
                                   'c',
                                   'k',
                                   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'b',
                                   (char)('0' + sizeof(long))};

struct cst_snapshot_writer {
  char                path[PATH_MAX], file_name[CST_SNAPSHOT_PATH];
  long                number;
  FILE               *file;
  cst_snapshot_entry *index;
  uint64_t            at;
  uint32_t            count, room;
  int                 error; /* of the first write that failed */
};

char *cst_snapshot_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld", path, number);
  return name;
}

char *cst_snapshot_new_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld.new", path, number);
  return name;
}

static char *folder_of(const char *path, char folder[CST_SNAPSHOT_PATH]) {
  const char *cut = strrchr(path, '/');
  snprintf(folder, CST_SNAPSHOT_PATH, "%.*s", cut ? (int)(cut - path + 1) : 1, cut ? path : ".");
  return folder;
}

/* The number in a snapshot's name, which ends with `ending`; 0 for other names. */
static long number_in(const char *name, const char *start, size_t length, const char *ending) {
  static const char word[] = ".checkpoint.";
  if (strncmp(name, start, length) || strncmp(name + length, word, sizeof word - 1))
    return 0;
  const char *digits = name + length + sizeof word - 1;
  size_t      n = strspn(digits, "0123456789");
  return *digits == '0' || n > 18 || strcmp(digits + n, ending) ? 0 : strtol(digits, NULL, 10);
}

static int may_be_one(const struct dirent *e) { return strstr(e->d_name, ".checkpoint.") != NULL; }

static int newest_first(const void *a, const void *b) {
  long x = *(const long *)a;
  long y = *(const long *)b;
  return (x < y) - (x > y);
}

/* The numbers of all names with this ending, newest first; owned. */
static long *numbers_of(const char *path, const char *ending, int *n) {
  char            folder[CST_SNAPSHOT_PATH];
  const char     *cut = strrchr(path, '/');
  const char     *start = cut ? cut + 1 : path;
  struct dirent **file;
  int             files = scandir(folder_of(path, folder), &file, may_be_one, alphasort);
  long           *list = cst_need(calloc(files > 0 ? (size_t)files : 1, sizeof *list));
  *n = 0;
  for (int i = 0; i < files; i++) {
    long number = number_in(file[i]->d_name, start, strlen(start), ending);
    if (number)
      list[(*n)++] = number;
    free(file[i]);
  }
  if (files >= 0)
    free(file);
  qsort(list, (size_t)*n, sizeof *list, newest_first);
  return list;
}

long *cst_snapshot_numbers(const char *path, int *n) { return numbers_of(path, "", n); }

int cst_snapshot_list(const char *path, long *numbers, int most) {
  int   n;
  long *all = numbers_of(path, "", &n);
  if (n > most)
    n = most;
  if (n)
    memcpy(numbers, all, sizeof *numbers * (size_t)n);
  free(all);
  return n;
}

void cst_snapshot_remove_newer(const char *path, long number) {
  char  name[CST_SNAPSHOT_PATH];
  int   n;
  long *all = numbers_of(path, "", &n);
  for (int i = 0; i < n && all[i] > number; i++)
    unlink(cst_snapshot_name(path, all[i], name));
  free(all);
  all = numbers_of(path, ".new", &n);
  for (int i = 0; i < n; i++)
    unlink(cst_snapshot_new_name(path, all[i], name));
  free(all);
}

static void remove_old(const char *path, long number, long keep) {
  char  name[CST_SNAPSHOT_PATH];
  int   n;
  long *all = numbers_of(path, "", &n);
  for (int i = KEPT; i < n; i++)
    if (all[i] != keep && all[i] != number)
      unlink(cst_snapshot_name(path, all[i], name));
  free(all);
}

cst_snapshot_writer *cst_snapshot_begin(const char *path, long number, char *why, int n) {
  cst_snapshot_writer *w = cst_need(calloc(1, sizeof *w));
  snprintf(w->path, sizeof w->path, "%s", path);
  w->number = number;
  unlink(cst_snapshot_new_name(path, number, w->file_name));
  int file = open(w->file_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0 && (w->file = fdopen(file, "wb")))
    return w;
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
  int  file = open(folder_of(path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
  if (!w->error && rename(w->file_name, name))
    w->error = errno;
  if (w->error)
    return w->error;
  int error = sync_folder(w->path);
  if (error)
    unlink(name);
  return error;
}

bool cst_snapshot_commit(cst_snapshot_writer *w, long keep, char *why, int n) {
  char name[CST_SNAPSHOT_PATH];
  put_index(w);
  int error = settle(w, cst_snapshot_name(w->path, w->number, name));
  if (error)
    snprintf(why, (size_t)n, "%.400s cannot be written: %s", name, strerror(error));
  else
    remove_old(w->path, w->number, keep);
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
