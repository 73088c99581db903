/* document-fetch.c: reads the text of a file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "core/document.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 20 };

static const char irregular[] = "this is not a regular file";

/* Opens a regular file. A pipe or a device may never end, and opening it may have effects. Some files of
 * /proc pass as regular and wait for news: reading them does not wait. NULL with the reason, or with
 * errno. */
static FILE *open_regular(const char *path, char reason[64]) {
  struct stat s;
  *reason = 0;
  if (stat(path, &s))
    return NULL;
  if (S_ISREG(s.st_mode)) {
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "rb");
  }
  snprintf(reason, 64, "%s", S_ISDIR(s.st_mode) ? strerror(EISDIR) : irregular);
  return NULL;
}

const char *cst_document_fetch(const char *path, char **text, size_t *length) {
  CST_REQUIRE(path && text && length, "no path, or nowhere to put the text");
  static char reason[64];
  FILE       *f = open_regular(path, reason);
  if (!f)
    return *reason ? reason : strerror(errno);
  size_t room = 1 << 16, n = 0, k;
  char  *b = cst_need(malloc(room + 1));
  errno = 0;
  while (n <= FILE_MAX && (k = fread(b + n, 1, room - n, f)) > 0) {
    n += k;
    if (n == room)
      b = cst_need(realloc(b, (room *= 2) + 1));
  }
  bool failed = ferror(f);
  bool large = n > FILE_MAX;
  snprintf(reason, sizeof reason, "%.60s",
           !failed           ? ""
           : errno == EAGAIN ? irregular
                             : strerror(errno ? errno : EIO));
  if (large)
    snprintf(reason, sizeof reason, "the file is larger than %d MiB", FILE_MAX >> 20);
  fclose(f);
  b[n] = 0;
  if (failed || large) {
    free(b);
    return reason;
  }
  *text = b;
  *length = n;
  return NULL;
}

bool cst_document_read_file(const char *path, char **text, size_t *length, cst_diag *d) {
  CST_REQUIRE(path && text && length && d, false);
  const char *reason = cst_document_fetch(path, text, length);
  if (reason)
    cst_diag_add(d, path, 0, 0, "%s", reason);
  return !reason;
}
