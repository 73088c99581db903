/* dependent.h: coordinates that constraints on velocities determine along a curve of the others. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DEPENDENT_H
#define CST_DEPENDENT_H
#include "constella/system.h"

/* Finds the m enforced constraints on velocities of s, row[m], and as many coordinates, column[m], ascending,
 * on which phi and phi0 do not depend and whose block of phi is invertible: along any curve of the other
 * coordinates phi v + phi0 = r gives their rates, which can be integrated. Of all such sets takes the last
 * one whose block has a determinant of one sign at the first start and over a range of points, with the
 * default parameters: a motion that reaches a zero of the determinant would silently lose its order. Returns
 * m, or -1 if there is no set. */
int cst_dependent(const cst_system *s, int *row, int *column);
#endif
