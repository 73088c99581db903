/* reader-value.c: maps, lists, words and flags of a study file, with messages that say what is allowed. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/reader.h"

void *cst_reader_memory(size_t n, size_t size) {
  return cst_large(cst_need(calloc(n ? n : 1, size)), n * size);
}

static const char *kind(cst_yaml *n) {
  if (cst_yaml_is_list(n))
    return "a list";
  if (cst_yaml_is_map(n))
    return "a map";
  const char *text = cst_yaml_text(n);
  return text && *text ? "a single value" : "empty";
}

bool cst_reader_map(cst_reader *r, cst_yaml *n, const char *what, const char *const *keys,
                    int count) {
  if (!n)
    return false;
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be a map with keys of: %s", what, kind(n),
                   cst_diag_join(keys, count));
    return false;
  }
  cst_yaml_check_keys(r->doc, n, keys, count, r->d);
  return true;
}

bool cst_reader_keys(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms) {
  const char *keys[CST_MOST_KEYS];
  return cst_reader_map(r, n, what, keys, cst_keys_of(cst_study_keys(), in, forms, keys));
}

bool cst_reader_list(cst_reader *r, cst_yaml *n, const char *what, const char *of,
                     bool may_be_empty) {
  if (!n)
    return false;
  if (!cst_yaml_is_list(n)) {
    cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be a list of %s", what, kind(n), of);
    return false;
  }
  if (cst_yaml_size(n) || may_be_empty)
    return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' is an empty list; it must be a list of %s", what, of);
  return false;
}

const char *cst_reader_text(cst_reader *r, cst_yaml *n, const char *what, const char *of) {
  if (!n)
    return NULL;
  const char *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  if (text && *text)
    return text;
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be %s", what, kind(n), of);
  return NULL;
}

/* Reports a missing key at its parent, or at 1:1 for the whole file. */
cst_yaml *cst_reader_required(cst_reader *r, cst_yaml *map, const char *what, const char *key) {
  cst_yaml *n = cst_yaml_get(map, key);
  if (!n && map == r->root)
    cst_yaml_error(r->doc, NULL, r->d, "missing key '%s'", key);
  else if (!n)
    cst_yaml_error(r->doc, map, r->d, "missing key '%s' in '%s'", key, what);
  return n;
}

void cst_reader_unknown(cst_reader *r, cst_yaml *n, const char *what, const char *word,
                        const char *const *names, int count) {
  cst_yaml_error(r->doc, n, r->d, "unknown %s '%s'; allowed: %s%s", what, word,
                 count ? cst_diag_join(names, count) : "none", cst_diag_guess(word, names, count));
}

bool cst_reader_choice(cst_reader *r, cst_yaml *n, const char *what, const char *const *names,
                       int count, int *out) {
  char of[512];
  snprintf(of, sizeof of, "one of: %s", cst_diag_join(names, count));
  const char *word = cst_reader_text(r, n, what, of);
  if (!word)
    return false;
  for (int i = 0; i < count; i++)
    if (!strcmp(word, names[i])) {
      *out = i;
      return true;
    }
  cst_reader_unknown(r, n, what, word, names, count);
  return false;
}

bool cst_reader_flag(cst_reader *r, cst_yaml *n, const char *what, bool *out) {
  static const char *const names[] = {"false", "true"};
  int                      which;
  if (!cst_reader_choice(r, n, what, names, 2, &which))
    return false;
  *out = which;
  return true;
}
