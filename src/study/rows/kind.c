/* kind.c: the table of kinds of study, generated from kinds.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "study/rows/kind.h"
#include <string.h>

#define KIND(name) extern const cst_kind cst_kind_##name;
#include "study/rows/kinds.h"
#undef KIND

static const cst_kind *const rows[] = {
#define KIND(name) &cst_kind_##name,
#include "study/rows/kinds.h"
#undef KIND
};

int         cst_kind_count(void) { return sizeof rows / sizeof *rows; }
const char *cst_kind_name(const cst_kind *k) {
  CST_REQUIRE(k, NULL);
  return k->name;
}
const char *cst_kind_doc(const cst_kind *k) {
  CST_REQUIRE(k, NULL);
  return k->doc;
}

const cst_kind *cst_kind_at(int i) {
  if (i >= 0 && i < cst_kind_count())
    return rows[i];
  return NULL;
}

const cst_kind *cst_kind_find(const char *name) {
  CST_REQUIRE(name, NULL);
  for (int i = 0; i < cst_kind_count(); i++)
    if (!strcmp(rows[i]->name, name))
      return rows[i];
  return NULL;
}
