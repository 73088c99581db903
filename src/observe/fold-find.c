/* fold-find.c: finds the compiled form of the fold for a system: its own, or the generic one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "core/lane-form.h"
#include "observe/observe.h"

const cst_fold *cst_fold_for(const cst_system *s, int isa) {
  const cst_fold *sized = cst_system_form(s, isa, "fold");
  return sized ? sized : cst_lane_form(isa, "fold");
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
