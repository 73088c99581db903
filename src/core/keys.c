/* keys.c: the keys of one map, from a table of keys (keys.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/keys.h"
#include <string.h>
#include "core/need.h"

int cst_keys_of(const cst_key *table, const char *in, int forms, const char **names) {
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
