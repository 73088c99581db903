/* file-maps.c: the key `maps`: discretization maps by name, {mine: {left: ..., right: ...}}, for
 * discretization(map=mine). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/map.h"
#include "method/method.h"
#include "study/file/reader.h"

enum { MOST_MAPS = 1000 };

/* A map and the nodes of its texts. */
typedef struct {
  int            n; /* texts of each side; 0: one for every coordinate */
  int            ndefine;
  const char    *text[2][CST_MAX_Q];
  cst_definition define[CST_MAP_DEFINITIONS];
  cst_yaml      *left, *right, *definitions;
} parts;

/* The number of texts in a side, 0 for a single one; -1 after a mistake. */
static int read_side(cst_reader *r, cst_yaml *n, const char *what, const char **text) {
  if (!cst_yaml_is_list(n)) {
    text[0] = cst_reader_text(r, n, what, "an expression of q and v, or a list of them");
    return text[0] ? 0 : -1;
  }
  const int count = cst_yaml_size(n);
  if (count < 1 || count > CST_MAX_Q) {
    cst_yaml_error(r->doc, n, r->d,
                   "'%s' has %d expressions; it takes one for each coordinate, at "
                   "most %d",
                   what, count, CST_MAX_Q);
    return -1;
  }
  for (int i = 0; i < count; i++)
    if (!(text[i] =
              cst_reader_text(r, cst_yaml_item(n, i), what, "an expression of q[i] and v[i]")))
      return -1;
  return count;
}

static bool read_definitions(cst_reader *r, parts *p) {
  cst_yaml *n = p->definitions;
  if (!n)
    return true;
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > CST_MAP_DEFINITIONS) {
    cst_yaml_error(r->doc, n, r->d,
                   "'define' of a map must be a map of at most %d names to expressions",
                   CST_MAP_DEFINITIONS);
    return false;
  }
  for (int i = 0; i < cst_yaml_size(n); i++) {
    const char *text = cst_reader_text(r, cst_yaml_value(n, i), "define", "an expression");
    if (!text)
      return false;
    p->define[p->ndefine++] =
        (cst_definition){.name = cst_yaml_text(cst_yaml_key(n, i)), .text = text};
  }
  return true;
}

static bool read_parts(cst_reader *r, cst_yaml *n, const char *name, parts *p) {
  static const char *const sides[] = {"left", "right"};
  if (!cst_reader_keys(r, n, name, "maps.NAME", CST_KEYS_ALL))
    return false;
  int count[2];
  p->definitions = cst_yaml_get(n, "define");
  p->left = cst_reader_required(r, n, "maps.NAME", "left");
  p->right = cst_reader_required(r, n, "maps.NAME", "right");
  if (!p->left || !p->right || !read_definitions(r, p))
    return false;
  for (int k = 0; k < 2; k++)
    if ((count[k] = read_side(r, k ? p->right : p->left, sides[k], p->text[k])) < 0)
      return false;
  p->n = count[0];
  if (count[0] == count[1])
    return true;
  char have[2][60];
  for (int k = 0; k < 2; k++)
    snprintf(have[k], sizeof have[k], count[k] ? "%d expressions" : "one for every coordinate",
             count[k]);
  cst_yaml_error(r->doc, p->right, r->d, "left of the map has %s and right has %s", have[0],
                 have[1]);
  return false;
}

static void complain(cst_reader *r, const parts *p, const cst_map_error *e) {
  cst_yaml *at = e->side == CST_MAP_LEFT ? p->left : p->right;
  if (p->n)
    at = cst_yaml_item(at, e->entry);
  cst_yaml_error_at(r->doc, at, e->error.offset, r->d, "%s", e->error.message);
}

static const cst_map *read_map(cst_reader *r, cst_yaml *n, const char *name) {
  parts         p = {0};
  cst_map_error error;
  if (!read_parts(r, n, name, &p))
    return NULL;
  const cst_map_texts texts = {p.n, p.text[0], p.text[1], p.define, p.ndefine};
  const cst_map      *m = cst_map_make(&texts, &error);
  if (!m)
    complain(r, &p, &error);
  return m;
}

/* A name whose map is wrong stands for a line, so that its uses cause no further errors. */
static const cst_map *stand_in(void) {
  static const char *const left[] = {"q"}, *const right[] = {"q + v"};
  const cst_map_texts texts = {.left = left, .right = right};
  cst_map_error       none;
  return cst_map_make(&texts, &none);
}

static void add(cst_reader *r, cst_yaml *key, cst_yaml *n) {
  char        why[200];
  const char *name = cst_yaml_text(key);
  const bool  allowed = cst_layers_allow(r->layers, name, why, sizeof why);
  if (!allowed)
    cst_yaml_error(r->doc, key, r->d, "%s", why);
  const cst_map *m = read_map(r, n, name);
  if (allowed)
    cst_layers_add_map(r->layers, name, m ? m : stand_in());
}

void cst_file_maps(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "maps");
  if (n && !cst_yaml_is_map(n))
    cst_yaml_error(r->doc, n, r->d,
                   "'maps' must be a map of names to maps, {left: ..., right: ...}");
  if (cst_yaml_size(n) > MOST_MAPS)
    cst_yaml_error(r->doc, n, r->d, "there are %d maps; at most %d are allowed", cst_yaml_size(n),
                   MOST_MAPS);
  if (!cst_yaml_is_map(n) || cst_yaml_size(n) > MOST_MAPS)
    return;
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++)
    add(r, cst_yaml_key(n, i), cst_yaml_value(n, i));
}
