/* mass.h: whether the mass of a system is that of a mechanical system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MASS_H
#define CST_MASS_H
#include "system/system.h"

/* The first plain coordinate whose mass at (c, q) is not positive and finite, or, of a matrix, with which it
 * ceases to be positive definite, with the reason in why[n]; -1: there is none. (The masses of bodies:
 * cst_system_check_bodies.) */
int cst_mass_wrong(const cst_system *s, const double *c, const double *q, char *why, int n);
/* The parameters on which the mass of coordinate i depends: their indices, ascending, in *index (owned;
 * NULL: none). Returns their number. */
int cst_mass_parameters(const cst_system *s, int i, int **index);
#endif
