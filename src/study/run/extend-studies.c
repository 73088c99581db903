/* extend-studies.c: compares the canonical texts of two studies key by key (see extend-studies.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "constella/document.h"
#include "study/run/extend-studies.h"

/* Removes a key of a map, and the map itself if it is then empty. */
static void drop(cst_yaml *root, const char *map, const char *key) {
  cst_yaml *inner = cst_yaml_get(root, map);
  if (cst_yaml_is_map(inner))
    cst_yaml_remove(inner, key);
  if (cst_yaml_is_map(inner) && !cst_yaml_size(inner))
    cst_yaml_remove(root, map);
}

static void drop_new_layers(cst_yaml *root, cst_yaml *old) {
  cst_yaml *layers = cst_yaml_get(root, "layers");
  cst_yaml *known = cst_yaml_get(old, "layers");
  for (int i = cst_yaml_size(layers) - 1; cst_yaml_is_map(layers) && i >= 0; i--) {
    char *name = strdup(cst_yaml_text(cst_yaml_key(layers, i)));
    if (!cst_yaml_get(known, name))
      drop(root, "layers", name);
    layers = cst_yaml_get(root, "layers");
    free(name);
  }
}

/* The canonical text without the keys that may differ. Systems are compared by content, not by name. */
static char *rest(const cst_study *s, const cst_study *old, cst_diag *d) {
  static const char *const free_keys[] = {"title", "system", "steps", "methods", "end"};
  cst_document            *doc = cst_document_parse(s->file, s->canonical, strlen(s->canonical), d);
  cst_document *before = cst_document_parse(old->file, old->canonical, strlen(old->canonical), d);
  cst_yaml     *root = cst_document_root(doc);
  for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys; i++)
    cst_yaml_remove(root, free_keys[i]);
  drop(root, "initial", "members");
  drop(root, "solver", "tolerance");
  drop_new_layers(root, cst_document_root(before));
  char *text = cst_document_canonical(doc);
  cst_document_destroy(before);
  cst_document_destroy(doc);
  return text;
}

/* A top-level key with its lines. */
typedef struct {
  const char *text;
  int         name, length;
} block;

static block block_at(const char *text) {
  block b = {text, (int)strcspn(text, ":\n"), 0};
  do
    b.length += (int)strcspn(text + b.length, "\n") +
                (text[b.length + (int)strcspn(text + b.length, "\n")] == '\n');
  while (text[b.length] == ' ');
  return b;
}

/* Order of the names; an empty block comes last. */
static int order(block a, block b) {
  if (!a.length || !b.length)
    return !a.length - !b.length;
  const int shorter = a.name < b.name ? a.name : b.name;
  const int difference = strncmp(a.text, b.text, (size_t)shorter);
  return difference ? difference : a.name - b.name;
}

/* The first line in which two blocks differ, without leading blanks. */
static const char *first_other(const char *a, const char *b, int *length) {
  const char *line = a;
  for (; *a && *a == *b; a++, b++)
    if (*a == '\n')
      line = a + 1;
  line += strspn(line, " ");
  *length = (int)strcspn(line, "\n");
  return line;
}

static void report(block a, block b, const cst_study *now, const char *path, cst_diag *d) {
  static const char allowed[] =
      "only members, steps, methods, parameters and tolerances may be more";
  int         m, n;
  const char *x = first_other(a.text, b.text, &m);
  const char *y = first_other(b.text, a.text, &n);
  cst_diag_add(d, now->file, 0, 0,
               "'%.*s' differs from %s, which has \"%.*s\" where this study has \"%.*s\"; %s",
               a.name, a.text, path, m, x, n, y, allowed);
}

static void report_missing(block b, const char *who, const char *lacks, const cst_study *now,
                           cst_diag *d) {
  cst_diag_add(d, now->file, 0, 0,
               "'%.*s' is in %s and not in %s; only members, steps, methods, parameters and "
               "tolerances may be more",
               b.name, b.text, who, lacks);
}

static void compare_texts(const char *x, const char *y, const cst_study *now, const char *path,
                          cst_diag *d) {
  while (*x || *y) {
    const block a = block_at(x);
    const block b = block_at(y);
    const int   which = order(a, b);
    const bool  same = a.length == b.length && !strncmp(a.text, b.text, (size_t)a.length);
    if (which < 0)
      report_missing(a, path, now->file, now, d);
    if (which > 0)
      report_missing(b, now->file, path, now, d);
    if (which == 0 && !same)
      report(a, b, now, path, d);
    if (which <= 0)
      x += a.length;
    if (which >= 0)
      y += b.length;
  }
}

/* True if the end differs. It may be later if the result holds the states from which to continue. */
static bool compare_ends(const cst_study *old, const cst_study *now, const char *path,
                         cst_diag *d) {
  bool        other = false, earlier = false;
  const char *unit = cst_system_unit(now->system, "time");
  for (int v = 0; v < old->nvariant && v < now->nvariant; v++) {
    other |= now->end[v] != old->end[v];
    earlier |= now->end[v] < old->end[v];
  }
  if (!other)
    return false;
  if (earlier)
    cst_diag_add(
        d, now->file, 0, 0,
        "'end' is %g%s, which is before that of %s, %g%s; a study that extends it must keep all it "
        "has",
        now->end[0], unit, path, old->end[0], unit);
  else if (!old->extensible)
    cst_diag_add(d, now->file, 0, 0,
                 "'end' is %g%s, and %s, which ends at %g%s, does not hold the states that a later "
                 "end needs; "
                 "run it again with `extensible: true`, or with this end",
                 now->end[0], unit, path, old->end[0], unit);
  else if (old->members != now->members || old->nvariant != now->nvariant ||
           old->nstep != now->nstep || old->nmethod != now->nmethod ||
           old->ntolerance != now->ntolerance)
    cst_diag_add(
        d, now->file, 0, 0,
        "'end' is later than that of %s, and there are more members, steps, methods, parameters or "
        "tolerances; extend it in two steps, the end first",
        path);
  else
    return true;
  return false;
}

static void compare_systems(const cst_system *old, const cst_system *now, const char *file,
                            const char *path, cst_diag *d) {
  const bool same_name = !strcmp(old->name, now->name);
  if (same_name && !strcmp(old->text, now->text))
    return;
  const char *change = same_name ? ", whose description has changed" : "";
  cst_diag_add(d, file, 0, 0, "its system is not that of %s: %s%s", path, old->name, change);
}

bool cst_extend_compare(const cst_study *old, const cst_study *now, const char *path, cst_diag *d) {
  compare_systems(old->system, now->system, now->file, path, d);
  if (old->members > now->members)
    cst_diag_add(d, now->file, 0, 0,
                 "it has %ld members, %s has %ld; a study that extends it must keep all it has",
                 now->members, path, old->members);
  char      *x = rest(old, old, d);
  char      *y = rest(now, old, d);
  const int  before = cst_diag_count(d);
  const bool longer = compare_ends(old, now, path, d);
  if (cst_diag_count(d) == before)
    compare_texts(x, y, now, path, d);
  free(x);
  free(y);
  return longer;
}
