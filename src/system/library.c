/* library.c: systems that are found by their names: those of the catalogue, and files (see library.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include "system/library.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/document.h"
#include "core/boundary.h"
#include "core/home.h"
#include "core/lane-form.h"
#include "core/need.h"
#include "core/text.h"
#include "system/internal.h"

/* ---- the catalogue --------------------------------------------------------------------------- */

/* The systems that are part of the program: their texts are embedded, read like any other, and
 * have compiled kernels. */

/* Systems whose motion is known from every start. */
static const struct {
  const char *name;
  cst_exact  *motion;
} exact[] = {
    {"planar-pendulum", cst_planar_pendulum_exact},
};

int         cst_catalogue_size(void) { return cst_catalogue_count; }
const char *cst_catalogue_name(int i) {
  return i < 0 || i >= cst_catalogue_count ? NULL : cst_catalogue_entries[i].name;
}

const char *const *cst_catalogue_names(void) {
  static const char **names;
  if (names)
    return names;
  names = cst_need(malloc(sizeof *names * (size_t)(cst_catalogue_count + 1)));
  for (int i = 0; i < cst_catalogue_count; i++)
    names[i] = cst_catalogue_entries[i].name;
  return names;
}

static const cst_catalogue_entry *find(const char *name) {
  for (int i = 0; i < cst_catalogue_count; i++)
    if (!strcmp(cst_catalogue_entries[i].name, name))
      return &cst_catalogue_entries[i];
  return NULL;
}

const char *cst_catalogue_text(const char *name) {
  CST_REQUIRE(name, NULL);
  const cst_catalogue_entry *e = find(name);
  return e ? e->text : NULL;
}

/* The build has already read the text: an error here is a bug. */
static cst_system *read_entry(const cst_catalogue_entry *e) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read(e->name, e->text, strlen(e->text), NULL, 0, d);
  if (!s) {
    cst_diag_print(d, stderr);
    abort();
  }
  cst_diag_destroy(d);
  return s;
}

cst_system *cst_catalogue_create(const char *name) {
  CST_REQUIRE(name, NULL);
  const cst_catalogue_entry *e = find(name);
  if (!e)
    return NULL;
  cst_system *s = read_entry(e);
  for (int i = 0; i < cst_isa_count; i++)
    cst_system_attach(s, i, cst_lane_kernels(i, name));
  cst_system_owned *owned = s->owned;
  memset(owned->looks, true, sizeof owned->looks);
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (!strcmp(exact[i].name, name))
      s->code->exact = exact[i].motion;
  return s;
}

/* ---- files ----------------------------------------------------------------------------------- */

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
