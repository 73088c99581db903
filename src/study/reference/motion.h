/* motion.h: motions in quadruple precision, by Gauss collocation on the index-reduced equations; implements
 * the reference with `precision: quad`.
 *
 *   Q_i = q + h sum_j a_ij V_j,      V_i = v + h sum_j a_ij A(Q_j, V_j),
 *   q := q + h sum_i b_i V_i,        v := v + h sum_i b_i A(Q_i, V_i)
 *
 * M A = f - G' lambda, G A = -D2g[v, v]. Stages by functional iteration until round-off stops it, near
 * 1e-32 of their size. Dense systems.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MOTION_H
#define CST_MOTION_H
#include "system/system.h"

typedef struct cst_motion cst_motion;

/* Starts from q0, v0 with parameters c, all taken as exact; order 2 * stages. Owned. */
cst_motion *cst_motion_create(const cst_system *s, int stages, const double *c, const double *q0,
                              const double *v0);
void        cst_motion_destroy(cst_motion *m);
/* n steps of length h. False if the stages do not converge; the motion is then lost for good. */
bool cst_motion_advance(cst_motion *m, __float128 h, long n);
bool cst_motion_lives(const cst_motion *m); /* false: it is lost */
/* The complete state: its size in bytes, saving and restoring it. */
size_t cst_motion_bytes(const cst_motion *m);
void   cst_motion_save(const cst_motion *m, void *bytes);
void   cst_motion_restore(cst_motion *m, const void *bytes);
/* The current q[nq], v[nq], p = M v + a and lambda (0 for redundant constraints). NULL: not wanted. */
void cst_motion_state(cst_motion *m, __float128 *q, __float128 *v, __float128 *p,
                      __float128 *lambda);
#endif
