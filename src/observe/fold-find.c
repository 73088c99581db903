/* fold-find.c: finds the compiled form of the fold for a system: its own, or the generic one of folds.list.h
 * (written by the build: lines GENERIC(fold, isa)). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "observe/observe.h"

#define GENERIC(core, isa) extern const cst_fold cst_fold_generic_##isa;
#include "folds.list.h"
#undef GENERIC

static const struct {
  const char     *isa;
  const cst_fold *fold;
} table[] = {
#define GENERIC(core, isa) {#isa, &cst_fold_generic_##isa},
#include "folds.list.h"
#undef GENERIC
};

static const cst_fold *generic(int isa) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].isa, cst_isas[isa].name))
      return table[i].fold;
  return NULL;
}

const cst_fold *cst_fold_for(const cst_system *s, int isa) {
  const cst_fold *sized = cst_system_form(s, isa, "fold");
  return sized ? sized : generic(isa);
}

static int place_of(const cst_observer *row) {
  int k = 0;
  while (cst_observers[k] != row)
    k++;
  return k;
}

cst_measure *cst_fold_measure(const cst_fold *fold, const cst_observer *row) {
  return row->measure ? row->measure : fold->measure[place_of(row)];
}

cst_follow *cst_fold_follow(const cst_fold *fold, const cst_observer *row) {
  return fold->follow[place_of(row)];
}
