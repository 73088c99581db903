/* plan-names.c: checks that all datasets and columns of a study have different names (see plan.h).
 *
 * Datasets and columns are named after quantities, and users name quantities: symmetries and expressions.
 * Conflicts are found in the lists of datasets and columns themselves, so that no other file has to know
 * their names.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/result/conclude.h"

static const char *last_part(const char *path) { return strrchr(path, '/') + 1; }

/* The user's observable whose name begins the dataset's name, the longest such; NULL: none. */
static const cst_observable *named_by(const cst_study *s, const char *path) {
  const cst_observable *found = NULL;
  for (int i = 0; i < s->nobservable; i++) {
    const cst_observable *x = &s->observable[i];
    const size_t          n = strlen(x->name);
    if (x->expression && !strncmp(last_part(path), x->name, n) &&
        (!found || n > strlen(found->name)))
      found = x;
  }
  return found;
}

/* The symmetry whose name begins the dataset's name, likewise. */
static const char *symmetry_of(const cst_system *s, const char *path) {
  const char *found = NULL;
  const char *part = last_part(path);
  size_t      longest = 0;
  for (int i = 0; i < s->nsym; i++) {
    const size_t n = strlen(s->symmetry[i]);
    if (strncmp(part, s->symmetry[i], n))
      continue;
    if (found && n <= longest)
      continue;
    found = s->symmetry[i];
    longest = n;
  }
  return found;
}

static void report(const cst_study *s, const char *path, const char *what, cst_diag *d) {
  const cst_observable *x = named_by(s, path);
  const char           *symmetry = symmetry_of(s->system, path);
  const cst_study_word  at = cst_study_place(s, "system");
  if (x)
    cst_diag_add(
        d, s->file, x->line, x->column,
        "the observable '%s' cannot be called that: %s in the result %s; choose another name",
        x->name, path, what);
  else if (symmetry)
    cst_diag_add(
        d, s->file, at.line, at.column,
        "the symmetry '%s' of %s cannot be called that: %s in the result %s; choose another name",
        symmetry, s->system->name, path, what);
  else
    cst_diag_add(d, s->file, at.line, at.column, "%s in the result %s; a name of %s is taken", path,
                 what, s->system->name);
}

static int by_path(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reports the first dataset whose path is also a folder of another one. */
static void check_folders(const cst_study *s, const char **path, int n, cst_diag *d) {
  char folder[sizeof((cst_field *)NULL)->path];
  for (int i = 0; i < n; i++)
    for (const char *at = strchr(path[i] + 1, '/'); at; at = strchr(at + 1, '/')) {
      const char *key = folder;
      snprintf(folder, sizeof folder, "%.*s", (int)(at - path[i]), path[i]);
      if (!bsearch(&key, path, (size_t)n, sizeof *path, by_path))
        continue;
      report(s, folder, "would have two meanings", d);
      return;
    }
}

/* Reports the first path that occurs twice. Sorts the paths. */
static void check_paths(const cst_study *s, const char **path, int n, cst_diag *d) {
  qsort(path, (size_t)n, sizeof *path, by_path);
  for (int i = 1; i < n; i++)
    if (!strcmp(path[i - 1], path[i])) {
      report(s, path[i], "would have two meanings", d);
      return;
    }
}

static void check_dimensions(const cst_study *s, const cst_channels *c, cst_diag *d) {
  for (int i = 0; i < c->nfield; i++) {
    const char *path = c->field[i].path;
    for (int k = 0; k < c->ndim; k++)
      if (!strcmp(path + 1, c->dim[k].name))
        report(s, path, "is a dimension", d);
  }
}

void cst_plan_check_names(const cst_plan *p, cst_diag *d) {
  const cst_study *s = p->study;
  cst_conclusion  *x = cst_conclude_create(p);
  cst_channels    *c = cst_channels_create(p, cst_conclude_columns(x));
  const char     **path = cst_zeros(c->nfield, sizeof *path);
  for (int i = 0; i < c->nfield; i++)
    path[i] = c->field[i].path;
  check_paths(s, path, c->nfield, d);
  check_folders(s, path, c->nfield, d);
  check_dimensions(s, c, d);
  free(path);
  cst_channels_destroy(c);
  cst_conclude_destroy(x);
}
