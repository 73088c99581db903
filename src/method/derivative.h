/* derivative.h: the derivative of a method's step, by differentiating its equations: D Phi(q, p) w for
 * vectors w, of one trajectory at a time. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DERIVATIVE_H
#define CST_DERIVATIVE_H
#include <stdbool.h>
#include "method/method.h"

typedef struct cst_derivative cst_derivative;

/* Why a method has none on s; NULL: it has one. */
const char *cst_derivative_refusal(const cst_method *m, const cst_system *s);
/* Of a step of p, which has one; p is borrowed. Owned. */
cst_derivative *cst_derivative_create(const cst_prepared *p);
void            cst_derivative_destroy(cst_derivative *x);
/* Projects w[k][2 nq] = (dq, dp) at (q, p) onto the tangent space of T*Q: G dq = 0, d(G M^-1 p) = 0. */
void cst_derivative_tangent(cst_derivative *x, const double *c, const double *q, const double *p,
                            int k, double *w);
/* A step of length h from (q, p) and of the vectors w[k][2 nq]; false: its equations were not solved. */
bool cst_derivative_step(cst_derivative *x, const double *c, double h, double *q, double *p, int k,
                         double *w);
#endif
