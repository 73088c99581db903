/* footprint.h: how much memory a study takes, and how large its result becomes: estimates, for `constella
 * check`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FOOTPRINT_H
#define CST_FOOTPRINT_H
#include "study/plan.h"

/* Bytes of one rank with batches of the given number of lanes. */
double cst_footprint_memory(const cst_plan *p, long batch);
/* Bytes of the result file. */
double cst_footprint_file(const cst_plan *p);
#endif
