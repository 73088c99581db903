/* stationary.h: stationary points of the distance |x - q| on the constraints:
 *
 *   x = q + G(x)' theta,   g(x) = level g(q)
 *
 * Level 0 is the constraints themselves; a start far from them is led through decreasing levels. The point is
 * a local minimum where K = 1 - D2(theta.g) is positive definite on ker G. It is the nearest point if K is
 * positive definite everywhere and g is quadratic: x then minimises |x - q|^2/2 - theta.g, which equals the
 * distance on g = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STATIONARY_H
#define CST_STATIONARY_H
#include "system/point/linear.h"

typedef struct cst_stationary_band cst_stationary_band;
/* kept[n]: the enforced constraints, borrowed. Returns NULL if the band would be nearly as wide as the
 * matrix. */
void cst_stationary_band_destroy(cst_stationary_band *b);

typedef struct {
  const cst_system    *s;
  const double        *c, *q;
  int                  n, *kept;   /* enforced constraints */
  double              *x, *theta;  /* the iterate; theta[ng] */
  double              *g0;         /* g(q) */
  double              *length;     /* lengths of the constraints at q */
  double              *g, *G, *r;  /* at x: [ng], entries, [nq + ng] */
  double              *J;          /* [(nq + n)^2]; NULL for large systems */
  double              *w, *column; /* [nq], workspace of the curvature */
  cst_stationary_band *band;       /* for large systems that couple as a band; else NULL */
  int                 *row;
  double              *numbers; /* memory of these arrays */
} cst_stationary;

/* c and q are borrowed. */
cst_stationary cst_stationary_begin(const cst_system *s, const double *c, const double *q);
void           cst_stationary_end(cst_stationary *p);
/* Newton's method at this level, from x and theta, which it overwrites; false: it does not converge. */
bool cst_stationary_reach(cst_stationary *p, double level);
/* stationary.c: whether K is positive definite at x, on ker G or everywhere. G is that at x. */
bool cst_stationary_is_minimum(const cst_stationary *p, bool everywhere);

void cst_stationary_gradient(const cst_system *s, const double *c, const double *q, double *G);
void cst_stationary_constraint(const cst_system *s, const double *c, const double *q, double *g);
#endif
