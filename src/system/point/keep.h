/* keep.h: projects a start onto the constraints without moving some coordinates and velocities. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_KEEP_H
#define CST_SYSTEM_KEEP_H
#include "system/system.h"

enum { CST_MOST_KEPT = 400 }; /* coordinates and constraints: the matrices are full */

/* Moves q[nq] to a point of g = 0 that is as near as its kept coordinates allow, then v, M-orthogonally, onto G
 * v + phi0 = 0. keep[2 nq]: of q, then of v; not 0: is not moved. false: no such point is found, q and v are
 * unchanged. */
bool cst_system_project_kept(const cst_system *s, const double *c, const unsigned char *keep,
                             double *q, double *v);
#endif
