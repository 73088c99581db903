/* momenta.h: what a step of a variational method does to momenta: its discrete momenta at both ends, and the
 * impulses between them; and points of a quadrature over a step of any method.
 *
 *   p- = -D1 L_d,  p+ = D2 L_d,   p0 = p- + G0'L,  p1 = p+ - G1'm
 *   p+ xi(q1) - p- xi(q0) = sum_j N_j xi(x_j)   for symmetries xi of L
 *
 * N_j are the impulses of forces, and of constraints on velocities between the ends. All of it is computed
 * from both states alone, of one trajectory. Source: C. Cuell, thesis, (3.34) and (4.44). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MOMENTA_H
#define CST_MOMENTA_H
#include <stdbool.h>
#include "method/method.h"

typedef struct {
  double *left, *right;    /* [nq] p-, p+ */
  int     n;               /* impulses: */
  double *impulse, *place; /* [n][nq] N_j, x_j */
} cst_momenta;

/* A quadrature over a step: weights, times and states, with the multipliers of the equations of motion. */
typedef struct {
  int     n;
  double *weight, *t, *q, *v, *lambda; /* [n], [n], [n][nq], [n][nq], [n][ng] */
} cst_momenta_points;

/* Both ends of a step of length h from the time t. */
typedef struct {
  double        t, h;
  const double *q0, *p0, *q1, *p1; /* [nq] */
} cst_momenta_step;

typedef struct cst_momenta_of cst_momenta_of;

/* Why the step of a method has no discrete momenta that are known; NULL: it has. */
const char *cst_momenta_refusal(const cst_method *m, const cst_system *s, bool flat);
/* Of steps of p, which is borrowed. Owned. */
cst_momenta_of *cst_momenta_create(const cst_prepared *p);
void            cst_momenta_destroy(cst_momenta_of *x);
/* Fills what create has made room for, with the parameters c[npar]; false: the step was not solved again. */
bool cst_momenta_find(cst_momenta_of *x, const double *c, const cst_momenta_step *k,
                      const cst_momenta **found);
/* By the method's own points where it has a layer, else by the trapezoidal rule. */
bool cst_momenta_sample(cst_momenta_of *x, const double *c, const cst_momenta_step *k,
                        const cst_momenta_points **found);
#endif
