/* rescue.c: keeps a result whose path no longer leads to it, because somebody removed, replaced or renamed the
 * file, a link or a folder during the run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* copy_file_range */
#include "record/record-internal.h"
#include "core/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20, MOST_COPIES = 100 };

bool cst_record_is_at(int file, const char *path) {
  struct stat mine, there;
  return !fstat(file, &mine) && !stat(path, &there) && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

/* The name that the open file has now, as the kernel knows it; false: none. */
static bool name_of(int file, char *place) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, place, PATH_MAX - 1);
  place[n > 0 ? n : 0] = 0;
  return n > 0 && cst_record_is_at(file, place);
}

static bool copy_bytes(int from, int to) {
  char   *piece = malloc(PIECE);
  ssize_t n = piece ? 1 : -1;
  for (off_t at = 0; n > 0; at += n) {
    n = pread(from, piece, PIECE, at);
    for (ssize_t put = 0, k; put < n; put += k)
      if ((k = pwrite(to, piece + put, (size_t)(n - put), at + put)) <= 0) {
        n = -1;
        break;
      }
  }
  free(piece);
  return n == 0 && !fsync(to);
}

/* A new file beside the path: NAME-kept.h5, NAME-kept-2.h5 ...; -1 with errno. */
static int open_copy(const char *path, char *place) {
  const int stem = (int)strlen(path) - (cst_text_ends(path, ".h5") ? 3 : 0);
  int       file = -1;
  errno = 0;
  for (int i = 1; file < 0 && i <= MOST_COPIES && (!errno || errno == EEXIST); i++) {
    const char *format = i == 1 ? "%.*s-kept.h5" : "%.*s-kept-%d.h5";
    snprintf(place, PATH_MAX, format, stem, path, i);
    file = open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  return file;
}

bool cst_record_rescue(int file, const char *path, char *place, char *why, int n) {
  if (name_of(file, place))
    return true;
  int copy = open_copy(path, place);
  if (copy < 0) { /* the folder is gone */
    const char *cut = strrchr(path, '/');
    copy = open_copy(cut ? cut + 1 : path, place);
  }
  if (copy >= 0 && copy_bytes(file, copy) && !close(copy))
    return true;
  snprintf(why, (size_t)n, "cannot be kept as %.*s: %s", 400, place, strerror(errno));
  return false;
}
