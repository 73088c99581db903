/* snapshot-read.c: reads checkpoints; checks everything against its digest. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/snapshot-form.h"
#include "core/need.h"
#include "constella/random.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

struct cst_snapshot {
  int                 file, count;
  cst_snapshot_entry *index;
};

static bool read_at(int file, void *bytes, size_t size, uint64_t offset) {
  for (char *to = bytes; size;) {
    ssize_t n = pread(file, to, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    size -= (size_t)n;
    offset += (uint64_t)n;
  }
  return true;
}

/* Why the trailer of a file of this size cannot be trusted; NULL if it can. */
static const char *refuse(const cst_snapshot_trailer *t, uint64_t size) {
  if (memcmp(t->mark, cst_snapshot_mark, CST_SNAPSHOT_KIND))
    return "is cut short, or not a checkpoint";
  if (memcmp(t->mark, cst_snapshot_mark, sizeof cst_snapshot_mark))
    return "was written on a machine of another byte order or word size";
  if (t->version != CST_SNAPSHOT_VERSION)
    return "has another format than this program's";
  if (t->index > size || size - t->index != sizeof(cst_snapshot_entry) * t->count + sizeof *t)
    return "is damaged: its parts do not add up to its size";
  return NULL;
}

/* Whether every section lies before the index. */
static bool lie_inside(const cst_snapshot_entry *index, const cst_snapshot_trailer *t) {
  bool inside = true;
  for (uint32_t i = 0; i < t->count; i++)
    inside = inside && index[i].offset <= t->index && index[i].size <= t->index - index[i].offset;
  return inside;
}

/* The index of an open file; NULL with the reason. */
static cst_snapshot_entry *read_index(int file, int *count, const char **reason) {
  struct stat          s;
  cst_snapshot_trailer t;
  if (fstat(file, &s)) {
    *reason = strerror(errno);
    return NULL;
  }
  if (!S_ISREG(s.st_mode)) {
    *reason = "is not a regular file";
    return NULL;
  }
  uint64_t size = (uint64_t)s.st_size;
  if (size < sizeof t || !read_at(file, &t, sizeof t, size - sizeof t)) {
    *reason = "is cut short, or not a checkpoint";
    return NULL;
  }
  if ((*reason = refuse(&t, size)))
    return NULL;
  unsigned char       digest[32];
  cst_snapshot_entry *index = cst_need(malloc(sizeof *index * t.count + 1));
  bool                ok = read_at(file, index, sizeof *index * t.count, t.index);
  cst_snapshot_seal(index, &t, digest);
  *count = (int)t.count;
  ok = ok && !memcmp(digest, t.digest, sizeof digest);
  if (ok && t.count <= INT_MAX && lie_inside(index, &t))
    return index;
  *reason = ok ? "is damaged: some of its parts are outside the file"
               : "is damaged: its index does not have the digest that was written";
  free(index);
  return NULL;
}

cst_snapshot *cst_snapshot_open(const char *path, long number, char *why, int n) {
  char        name[CST_SNAPSHOT_PATH];
  const char *reason = NULL;
  int         count = 0;
  int         file = open(cst_snapshot_name(path, number, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  cst_snapshot_entry *index = file < 0 ? NULL : read_index(file, &count, &reason);
  if (!index) {
    snprintf(why, (size_t)n, "%s", reason ? reason : strerror(errno));
    if (file >= 0)
      close(file);
    return NULL;
  }
  cst_snapshot *s = cst_need(malloc(sizeof *s));
  *s = (cst_snapshot){file, count, index};
  return s;
}

void cst_snapshot_close(cst_snapshot *s) {
  if (!s)
    return;
  close(s->file);
  free(s->index);
  free(s);
}

int cst_snapshot_count(const cst_snapshot *s) { return s->count; }

size_t cst_snapshot_section(const cst_snapshot *s, int i, char name[CST_SNAPSHOT_NAME]) {
  memcpy(name, s->index[i].name, CST_SNAPSHOT_NAME);
  return s->index[i].size;
}

/* Compares section e with its digest, in pieces: these go into bytes one after the other or, where bytes is
 * NULL, into the same buffer. */
static bool read_section(const cst_snapshot *s, const cst_snapshot_entry *e, char *bytes,
                         bool all) {
  cst_sha256_context sum;
  unsigned char      digest[32];
  cst_sha256_init(&sum);
  for (uint64_t at = 0; at < e->size; at += PIECE) {
    size_t n = e->size - at < PIECE ? e->size - at : PIECE;
    char  *to = all ? bytes + at : bytes;
    if (!read_at(s->file, to, n, e->offset + at))
      return false;
    cst_sha256_update(&sum, to, n);
  }
  cst_sha256_final(&sum, digest);
  return !memcmp(digest, e->digest, sizeof digest);
}

bool cst_snapshot_read(const cst_snapshot *s, int i, void *bytes) {
  return read_section(s, &s->index[i], bytes, true);
}

bool cst_snapshot_check_part(const cst_snapshot *s, int part, int parts) {
  char  *piece = malloc(PIECE);
  bool   ok = piece != NULL;
  double all = 0, before = 0;
  for (int i = 0; i < s->count; i++)
    all += (double)s->index[i].size;
  for (int i = 0; ok && i < s->count; i++) {
    const int owner = all > 0 ? (int)(before / all * parts) : 0;
    before += (double)s->index[i].size;
    if (owner == part || (owner >= parts && part == parts - 1))
      ok = read_section(s, &s->index[i], piece, false);
  }
  free(piece);
  return ok;
}

bool cst_snapshot_check(const cst_snapshot *s) { return cst_snapshot_check_part(s, 0, 1); }
