/* dependent.h: coordinates that constraints on velocities determine along a curve of the others. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DEPENDENT_H
#define CST_DEPENDENT_H
#include "constella/system.h"

/* The m enforced constraints on velocities of s, in row[m], and as many coordinates in column[m], ascending,
 * on which phi and phi0 do not depend and whose block of phi can be inverted: along any curve of the others
 * phi v + phi0 = r are rates of these that can be integrated. Of all such sets the last one is taken whose
 * block has a determinant of one sign at the first start and over a range of points, with the default
 * parameters: a motion that came to where it vanishes would lose its order unseen. Returns m, or -1 where
 * there is no set. */
int cst_dependent(const cst_system *s, int *row, int *column);
#endif
