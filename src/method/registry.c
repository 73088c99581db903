/* registry.c: the table of methods, generated from list.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "method/method.h"

#define METHOD(name) extern const cst_method_row cst_method_row_##name;
#include "method/list.h"
#undef METHOD

static const cst_method_row *const rows[] = {
#define METHOD(name) &cst_method_row_##name,
#include "method/list.h"
#undef METHOD
};

int cst_method_count(void) { return sizeof rows / sizeof *rows; }

const cst_method_row *cst_method_row_at(int i) {
  return i >= 0 && i < cst_method_count() ? rows[i] : NULL;
}

const cst_method_info *cst_method_info_at(int i) {
  return cst_method_row_at(i) ? &rows[i]->info : NULL;
}

const cst_method_row *cst_method_row_find(const char *name) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(rows[i]->info.name, name))
      return rows[i];
  return NULL;
}
