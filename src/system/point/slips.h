/* slips.h: multipliers where forces depend on them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_SLIPS_H
#define CST_SYSTEM_SLIPS_H
#include "constella/system.h"

/* lambda[ng] at (q, v) of a system whose forces depend on multipliers, with 0 for redundant constraints; false
 * where they do not tell a motion. */
bool cst_slips_solve(const cst_system *s, const double *c, const double *q, const double *v,
                     double *lambda);
#endif
