/* tangent-scale.h: in what tangent vectors are measured, and directions in which they start.
 *
 * q is divided by L and p by m L/T, where L is the length of the system, m its mean mass, and T a time of its
 * motion, all taken at the start of the trajectory.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TANGENT_SCALE_H
#define CST_TANGENT_SCALE_H
#include "study/runner/runner-internal.h"

/* scale[2]: what q and p of a lane of the batch that has just started are divided by. */
void cst_tangent_scale(const cst_runner *r, long lane, double *scale);
/* A number between -1 and 1 for each component of a vector: a function of its address alone. */
double cst_tangent_draw(const cst_runner *r, long lane, long turn, int component);
#endif
