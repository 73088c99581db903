/* footprint.h: estimates of a study's memory, and of the size of its result and the time to write it, for `constella
 * check`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FOOTPRINT_H
#define CST_FOOTPRINT_H
#include "study/plan/plan.h"

/* Bytes per rank with batches of the given number of lanes, without PETSc. */
double cst_footprint_memory(const cst_plan *p, long batch);
/* Bytes of the result file, and seconds of one core to make and write it, with those of the start of the program. */
typedef struct {
  double bytes, seconds;
} cst_footprint;
cst_footprint cst_footprint_file(const cst_plan *p);
#endif
