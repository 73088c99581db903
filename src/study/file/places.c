/* places.c: the places of the keys of a study file, for mistakes that only its plan shows. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "study/file/reader.h"

static void note(cst_study *s, const char *of, cst_yaml *map, int k) {
  const char     *name = cst_yaml_text(cst_yaml_key(map, k));
  const size_t    room = strlen(of) + strlen(name) + 2;
  cst_study_word *x = &s->key[s->nkey++];
  x->text = cst_reader_memory(room, 1);
  snprintf(x->text, room, "%s%s%s", of, *of ? "." : "", name);
  cst_yaml_place(cst_yaml_value(map, k), &x->line, &x->column);
}

void cst_places_read(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *root = r->root;
  const int  n = cst_yaml_size(root);
  int        all = n;
  for (int i = 0; i < n; i++)
    all += cst_yaml_is_map(cst_yaml_value(root, i)) ? cst_yaml_size(cst_yaml_value(root, i)) : 0;
  s->key = cst_reader_memory((size_t)all, sizeof *s->key);
  for (int i = 0; i < n; i++) {
    cst_yaml *value = cst_yaml_value(root, i);
    note(s, "", root, i);
    for (int k = 0; cst_yaml_is_map(value) && k < cst_yaml_size(value); k++)
      note(s, cst_yaml_text(cst_yaml_key(root, i)), value, k);
  }
}

cst_study_word cst_study_place(const cst_study *s, const char *key) {
  CST_REQUIRE(s && key, (cst_study_word){0});
  cst_study_word found = {NULL, 1, 1};
  size_t         longest = 0;
  for (int i = 0; i < s->nkey; i++) {
    const size_t n = strlen(s->key[i].text);
    if (n < longest || strncmp(s->key[i].text, key, n) || (key[n] && key[n] != '.'))
      continue;
    longest = n;
    found = s->key[i];
  }
  return found;
}
