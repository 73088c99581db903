/* quad-precision.h: the expressions of a system, and its index-reduced equations, in quadruple precision. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_QUAD_H
#define CST_SYSTEM_QUAD_H
#include "system/system.h"

/* Like cst_system_eval, for kernels of c, q, v. */
void cst_system_eval_quad(const cst_system *s, cst_kernel_id k, const __float128 *c,
                          const __float128 *q, const __float128 *v, __float128 *out);

/* The equations M A = f - G' lambda, G A = -D2g[v, v] with parameters c[npar]. nq and ng are at most
 * CST_MAX_Q and CST_MAX_G. Owned. */
typedef struct cst_quad cst_quad;
cst_quad               *cst_quad_create(const cst_system *s, const double *c);
void                    cst_quad_destroy(cst_quad *x);
/* Sets the time of a system that depends on it; 0 before the first call. */
void cst_quad_time(cst_quad *x, __float128 t);
/* A[nq] and lambda[ng] at (q, v); lambda is 0 for redundant constraints. Returns false if they are not
 * determined. */
bool cst_quad_accelerate(cst_quad *x, const __float128 *q, const __float128 *v, __float128 *A,
                         __float128 *lambda);
/* p = M(q) v + a(q). */
void cst_quad_momentum(cst_quad *x, const __float128 *q, const __float128 *v, __float128 *p);
#endif
