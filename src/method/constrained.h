/* constrained.h: shared by the methods that impose the constraints at their stages (core/constrained.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONSTRAINED_H
#define CST_CONSTRAINED_H
#include "method/method.h"
#include "method/substep.h"

/* Whether they can step s, with `stages` stages at which both constraints or one are imposed. */
bool cst_constrained_fits(const cst_term *t, const cst_system *s, int stages, bool both, char *why,
                          int n);

/* A[nq] := the accelerations of the index-1 equations. */
void cst_constrained_accelerations(const cst_system *s, const double *c, const double *q,
                                   const double *v, double *A);

/* Orders, and the constraints that are imposed. */
cst_properties cst_constrained_properties(int q, int p, int lambda, bool positions,
                                          bool velocities);
#endif
