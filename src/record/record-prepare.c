/* record-prepare.c: makes an empty file for a result, on a disk that has room for all of it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* fallocate */
#include "record/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Tries to reserve the bytes; where the file system cannot do so, compares with the free space. */
static int reserve(int fd, double bytes) {
  struct statvfs s;
  if (bytes > 9e18)
    return ENOSPC;
  if (!fallocate(fd, 0, 0, (off_t)bytes))
    return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    return errno;
  return !fstatvfs(fd, &s) && (double)s.f_bavail * (double)s.f_frsize < bytes ? ENOSPC : 0;
}

/* Unlinks an old file, so that its readers keep it; follows a link. */
bool cst_record_prepare(const char *path, double bytes, char *why, int n) {
  struct stat s;
  if (!lstat(path, &s) && S_ISREG(s.st_mode))
    unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) {
    snprintf(why, (size_t)n, "cannot create the file: %s", strerror(errno));
    return false;
  }
  if (fstat(fd, &s) || !S_ISREG(s.st_mode)) {
    snprintf(why, (size_t)n, "is not a regular file");
    close(fd);
    return false;
  }
  int e = reserve(fd, bytes + (1 << 16));
  if (ftruncate(fd, 0))
    e = e ? e : errno;
  close(fd);
  if (!e)
    return true;
  unlink(path);
  snprintf(why, (size_t)n, "cannot create the file of %.3g MiB: %s", bytes / (1 << 20),
           strerror(e));
  return false;
}
