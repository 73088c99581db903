/* energy-leap.h: says where a trajectory that did not fail has an energy error as large as its energy. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ENERGY_LEAP_H
#define CST_ENERGY_LEAP_H
#include "study/result/case-rows.h"
#include "study/result/found.h"

/* The trajectories found, and the worst of them. */
typedef struct {
  cst_found at;
  double    share, error; /* share: the error over the largest sum of the parts */
  double    time;         /* when it had happened */
} cst_energy_leaps;

/* Adds those of case i, whose rows are finished. */
cst_error cst_energy_leap_look(cst_case_rows *rows, int i, cst_energy_leaps *l);
/* Collective: puts together what all ranks found. On rank 0 it fills text, "" where there was none. */
cst_error cst_energy_leap_tell(const cst_plan *p, const cst_energy_leaps *l, char *text, size_t n);
#endif
