/* folds.c: finds the compiled form of the fold for a system. folds.list.h (written by the build) holds GENERIC(fold, isa) and HOT(fold,
 * "system", ident, isa). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "observe/observe.h"

#define GENERIC(core, isa)            extern const cst_fold cst_fold_generic_##isa;
#define HOT(core, system, ident, isa) extern const cst_fold cst_fold_##ident##_##isa;
#include "folds.list.h"
#undef GENERIC
#undef HOT

static const struct {
  const char     *system, *isa;
  const cst_fold *fold;
} table[] = {
#define GENERIC(core, isa)            {NULL, #isa, &cst_fold_generic_##isa},
#define HOT(core, system, ident, isa) {system, #isa, &cst_fold_##ident##_##isa},
#include "folds.list.h"
#undef GENERIC
#undef HOT
};

static const cst_fold *find(const char *system, int isa) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].isa, cst_isas[isa].name) && (system ? table[i].system && !strcmp(table[i].system, system) : !table[i].system))
      return table[i].fold;
  return NULL;
}

const cst_fold *cst_fold_for(const cst_system *s, int isa) {
  const cst_fold *hot = find(s->name, isa);
  return hot ? hot : find(NULL, isa);
}
