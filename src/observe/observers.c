/* observers.c: the rows of observers.h, in their order, and the compiled fold of a system: its own, or the generic
 * one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "core/lane-form.h"
#include "observe/observe.h"
#include "observe/observer.h"

#define OBSERVER(name)       extern const cst_observer cst_observer_##name;
#define PLAIN_OBSERVER(name) extern const cst_observer cst_observer_##name;
#include "observe/observers.h"
#undef OBSERVER
#undef PLAIN_OBSERVER

#define OBSERVER(name)       &cst_observer_##name,
#define PLAIN_OBSERVER(name) &cst_observer_##name,
const cst_observer *const cst_observers[] = {
#include "observe/observers.h"
};
enum { COUNT = sizeof cst_observers / sizeof *cst_observers };
_Static_assert((int)COUNT <= (int)CST_MOST_OBSERVERS, "raise CST_MOST_OBSERVERS");
const int cst_observer_count = COUNT;

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
