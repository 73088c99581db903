/* library.c: system files that are found by the names of their systems (see library.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include "system/library.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "constella/document.h"
#include "core/home.h"
#include "core/need.h"
#include "core/text.h"

static const char ending[] = ".system.yaml";

static const char *folder(void) {
  static char path[4200];
  const char *set = getenv("CONSTELLA_SYSTEMS");
  if (set)
    return set;
  return *path || cst_home_find("jobs/benchmarks", path, sizeof path) ? path : NULL;
}

/* A name cannot lead out of the folder. */
static bool is_name(const char *s) {
  const size_t n = strlen(s);
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)s[i]) && !strchr("_-", s[i]))
      return false;
  return n > 0 && n <= 60;
}

const char *cst_library_path(const char *name) {
  static char path[4400];
  if (!folder() || !is_name(name))
    return NULL;
  snprintf(path, sizeof path, "%s/%s%s", folder(), name, ending);
  return access(path, R_OK) ? NULL : path;
}

const char *cst_library_fetch(const char *name, char **text, size_t *length) {
  const char *path = cst_library_path(name);
  return path ? cst_description_fetch(path, text, length) : "there is no system of this name";
}

static int is_system(const struct dirent *e) {
  return cst_text_ends(e->d_name, ending) && *e->d_name != '.';
}

static int order(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

const char *const *cst_library_names(int *count) {
  static const char **names;
  static int          n;
  struct dirent     **found = NULL;
  if (!names) {
    n = folder() ? scandir(folder(), &found, is_system, order) : 0;
    n = n < 0 ? 0 : n;
    names = cst_need(calloc((size_t)n + 1, sizeof *names));
    for (int i = 0; i < n; i++) {
      names[i] = cst_need(strndup(found[i]->d_name, strlen(found[i]->d_name) - strlen(ending)));
      free(found[i]);
    }
    free(found);
  }
  *count = n;
  return names;
}
