/* stationary-band.h: Newton's equations for the nearest point on the constraints, [1 - D2(theta.g), -G'; G,
 * 0], for systems that couple as a band. The unknowns are in the order of the constraints; elimination by
 * rows pivots within the band. Time and memory are linear in the size.
 *
 * A colouring of the coordinates evaluates second derivatives for several coordinates at once if no equation
 * contains two of them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STATIONARY_BAND_H
#define CST_STATIONARY_BAND_H
#include "system/point/linear.h"

typedef struct cst_stationary_band cst_stationary_band;
/* kept[n]: the enforced constraints, borrowed. Returns NULL if the band would be nearly as wide as the
 * matrix. */
cst_stationary_band *cst_stationary_band_create(const cst_system *s, const int *kept, int n);
void                 cst_stationary_band_destroy(cst_stationary_band *b);
/* r[nq + ng] becomes (dx, dtheta), which is 0 for constraints not in `kept`. G: entries at x. Returns false
 * if the matrix is singular. */
bool cst_stationary_band_solve(cst_stationary_band *b, const double *c, const double *x,
                               const double *theta, const double *G, double *r);
/* True if 1 - D2(theta.g) is positive definite beyond round-off. */
bool cst_stationary_band_is_positive(cst_stationary_band *b, const double *c, const double *x,
                                     const double *theta);
#endif
