/* home.c: finds the program's data files (see home.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include "core/home.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program; NULL where it cannot be found. */
static const char *home(void) {
  static char self[4096];
  if (*self)
    return self;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  char   *slash = n > 0 ? strrchr(self, '/') : NULL;
  if (!slash)
    return NULL;
  *slash = 0;
  return self;
}

static int find(const char *const *place, const char *name, char *path, size_t n) {
  for (; *place && home(); place++) {
    snprintf(path, n, "%s/%s%s", home(), *place, name);
    if (!access(path, R_OK))
      return 1;
  }
  *path = 0;
  return 0;
}

int cst_home_find(const char *name, char *path, size_t n) {
  static const char *const places[] = {"../share/constella/", "../", "../../",
                                       NULL}; /* build/, build/scalar/ */
  return find(places, name, path, n);
}

int cst_home_find_built(const char *name, char *path, size_t n) {
  static const char *const places[] = {"", "../lib/constella/", "../../",
                                       NULL}; /* build/tests/ROOM/ */
  return find(places, name, path, n);
}
