/* record-prepare.c: makes an empty file for a result, on a disk that has room for all of it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* fallocate */
#include "record/record-internal.h"
#include <dirent.h>
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

/* Follows no link, and replaces nothing. */
bool cst_record_prepare(const char *path, double bytes, char *why, int n) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) {
    snprintf(why, (size_t)n, "cannot create the file: %s", strerror(errno));
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

/* Whether a name is that of a file under way: BASE, a token of 32 hexadecimal digits, "new". */
static bool is_under_way(const char *name, const char *base) {
  const size_t length = strlen(base);
  if (strncmp(name, base, length) || name[length] != '.')
    return false;
  const char *token = name + length + 1;
  return strspn(token, "0123456789abcdef") == 32 && !strcmp(token + 32, ".new");
}

void cst_record_tidy(const char *path) {
  char           folder[PATH_MAX], name[2 * PATH_MAX];
  const char    *cut = strrchr(path, '/'), *base = cut ? cut + 1 : path;
  struct dirent *e;
  struct stat    s;
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - path + 1) : 2, cut ? path : "./");
  DIR *d = opendir(folder);
  while (d && (e = readdir(d))) {
    if (!is_under_way(e->d_name, base))
      continue;
    snprintf(name, sizeof name, "%s%s", folder, e->d_name);
    if (!lstat(name, &s) && S_ISREG(s.st_mode))
      unlink(name);
  }
  if (d)
    closedir(d);
}
