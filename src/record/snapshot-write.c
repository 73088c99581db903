/* snapshot-write.c: writes sections of a checkpoint that another process makes (see snapshot.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/snapshot-form.h"
#include "constella/random.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cst_snapshot_digest(const void *bytes, size_t size, unsigned char digest[32]) {
  cst_sha256_context s;
  cst_sha256_init(&s);
  cst_sha256_update(&s, bytes, size);
  cst_sha256_final(&s, digest);
}

static bool put(int file, const char *bytes, size_t size, size_t offset) {
  while (size) {
    const ssize_t n = pwrite(file, bytes, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
    offset += (size_t)n;
  }
  return true;
}

bool cst_snapshot_write(const cst_snapshot_owner *o, long number, size_t offset,
                        const void *const *bytes, cst_snapshot_place *place, int n, char *why,
                        int size) {
  char      name[CST_SNAPSHOT_PATH];
  const int file = open(cst_snapshot_new_name(o, number, name), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  bool      ok = file >= 0;
  for (int i = 0; ok && i < n; i++) {
    place[i].offset = offset;
    cst_snapshot_digest(bytes[i], place[i].size, place[i].digest);
    ok = put(file, bytes[i], place[i].size, offset);
    offset += place[i].size;
  }
  ok = ok && !fsync(file);
  if (!ok)
    snprintf(why, (size_t)size, "%.400s cannot be written: %s", name, strerror(errno));
  if (file >= 0 && close(file) && ok) {
    snprintf(why, (size_t)size, "%.400s cannot be written: %s", name, strerror(errno));
    ok = false;
  }
  return ok;
}
