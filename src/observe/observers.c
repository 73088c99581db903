/* observers.c: the rows of observers.h, in their order. */
/* SPDX-License-Identifier: BSD-2-Clause */
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
