/* cache.c: compiled systems, stored by the fingerprint of their sources.
 *
 * An entry KEY.so is the shared object followed by the sha256 of its bytes, so that a damaged entry is never
 * loaded. It is written to a temporary file and renamed: concurrent runs find either nothing or a complete
 * entry. Because entries are executed, the folder and the entry must be owned by the user and writable by no
 * one else.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/random.h"
#include "system/compile/compile.h"
#include "system/internal.h"

enum { SEAL = 64, PATH = 4096, LARGEST = 256 << 20 };

static bool ours(const struct stat *x) {
  return x->st_uid == geteuid() && !(x->st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_folder(const char *path) {
  struct stat x;
  if (mkdir(path, 0700) && errno != EEXIST)
    return false;
  return !stat(path, &x) && S_ISDIR(x.st_mode) && ours(&x);
}

/* Paths that do not begin with / are ignored, as the XDG Base Directory Specification requires. */
const char *cst_cache_folder(void) {
  static char path[PATH];
  const char *base = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  const bool  xdg = base && *base == '/';
  if (!xdg && !(home && *home == '/'))
    return NULL;
  const char *parent = xdg ? base : home;
  const char *folder = xdg ? "" : "/.cache";
  if (snprintf(path, sizeof path, "%s%s", parent, folder) > PATH - 200)
    return NULL;
  mkdir(path, 0700); /* if this fails, so does the next one */
  strcat(path, "/constella");
  return make_folder(path) ? path : NULL;
}

static bool entry(const char *key, char path[PATH]) {
  const char *folder = cst_cache_folder();
  return folder && snprintf(path, PATH, "%s/%s.so", folder, key) < PATH;
}

/* The whole file, if the user owns it. */
static char *read_own(const char *path, size_t *size) {
  struct stat x;
  int         fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  char       *bytes = NULL;
  size_t      n = 0;
  if (fd < 0)
    return NULL;
  if (!fstat(fd, &x) && S_ISREG(x.st_mode) && ours(&x) && x.st_size <= LARGEST) {
    const size_t all = (size_t)x.st_size;
    bytes = cst_need(malloc(all + 1));
    while (n < all) {
      const ssize_t some = read(fd, bytes + n, all - n);
      if (some <= 0)
        break;
      n += (size_t)some;
    }
  }
  close(fd);
  *size = n;
  return bytes;
}

bool cst_cache_has(const char *key) {
  const char    *folder = cst_cache_folder();
  DIR           *d = folder ? opendir(folder) : NULL;
  struct dirent *x;
  bool           has = false;
  while (d && !has && (x = readdir(d)))
    has = !strncmp(x->d_name, key, CST_KEY_START);
  if (d)
    closedir(d);
  return has;
}

bool cst_cache_read(cst_code *code) {
  char   path[PATH], seal[SEAL + 1];
  size_t n;
  char  *bytes = entry(code->key, path) ? read_own(path, &n) : NULL;
  if (!bytes)
    return false;
  if (n > SEAL)
    cst_sha256(bytes, n - SEAL, seal);
  if (n <= SEAL || memcmp(bytes + n - SEAL, seal, SEAL)) {
    free(bytes);
    return false;
  }
  code->bytes = bytes;
  code->size = n - SEAL;
  return true;
}

static bool write_all(int fd, const char *bytes, size_t n) {
  for (ssize_t k; n; bytes += k, n -= (size_t)k)
    if ((k = write(fd, bytes, n)) <= 0)
      return false;
  return true;
}

void cst_cache_write(const cst_code *code) {
  char path[PATH], aside[PATH + 8], seal[SEAL + 1];
  if (!entry(code->key, path))
    return;
  snprintf(aside, sizeof aside, "%s.XXXXXX", path);
  int fd = mkostemp(aside, O_CLOEXEC); /* mode 0600 */
  if (fd < 0)
    return;
  cst_sha256(code->bytes, code->size, seal);
  bool good = write_all(fd, code->bytes, code->size) && write_all(fd, seal, SEAL);
  if (close(fd) || !good || rename(aside, path))
    unlink(aside);
}
