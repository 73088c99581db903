/* footprint.h: estimates of a study's memory and of its result's size, for `constella check`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FOOTPRINT_H
#define CST_FOOTPRINT_H
#include "study/plan/plan.h"

/* Bytes per rank with batches of the given number of lanes, without PETSc. */
double cst_footprint_memory(const cst_plan *p, long batch);
/* Bytes of the result file. */
double cst_footprint_file(const cst_plan *p);
#endif
