/* keys.h: a table of the keys that the maps of a file may have: the reader takes the allowed keys from it,
 * and a page on them is printed from it. study/file/study-keys.h and system/read/system-keys.h have the tables.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_KEYS_H
#define CST_CORE_KEYS_H
#include <string.h>
#include "core/need.h"

typedef struct {
  /* in: path of the map that contains the key: "" the file itself, "states.NAME", where NAME is a name of the
   * user's */
  const char *in, *key;
  /* bits of the forms of that map that have the key; CST_KEYS_ALL: every form; 0: allowed elsewhere */
  int         forms;
  const char *type;
  const char *standard; /* default value; NULL: the key is required */
  const char *unit;     /* "": none */
  const char *example;  /* a line of a file with this key */
  const char *doc;
} cst_key;

enum { CST_KEYS_ALL = -1, CST_MOST_KEYS = 64 /* in one map */ };

/* The keys of map `in` in the given forms, names[CST_MOST_KEYS]; returns their number. The table ends with a
 * row whose key is NULL. */
static inline int cst_keys_of(const cst_key *table, const char *in, int forms, const char **names) {
  int n = 0;
  for (const cst_key *k = table; k->key; k++) {
    if (strcmp(k->in, in) || !(k->forms == CST_KEYS_ALL || k->forms & forms))
      continue;
    if (n == CST_MOST_KEYS)
      cst_need_fail();
    names[n++] = k->key;
  }
  return n;
}
#endif
