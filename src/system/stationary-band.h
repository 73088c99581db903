/* stationary-band.h: Newton's equations for the nearest point on the constraints, [1 - D2(theta.g), -G'; G,
 * 0], in systems that couple as a band: unknowns in the order of the constraints, elimination by rows with
 * pivots inside the band. Linear in the size.
 *
 * The second derivatives are taken for several coordinates at once where no equation has two of them (a
 * colouring).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STATIONARY_BAND_H
#define CST_STATIONARY_BAND_H
#include "system/linear.h"

typedef struct cst_stationary_band cst_stationary_band;
/* kept[n]: the constraints that are enforced, borrowed. NULL: the band would be as wide as the matrix, or
 * nearly. */
cst_stationary_band *cst_stationary_band_create(const cst_system *s, const int *kept, int n);
void                 cst_stationary_band_destroy(cst_stationary_band *b);
/* r[nq + ng] becomes (dx, dtheta), 0 of constraints that are not kept. G: entries at x. false: the matrix is
 * singular. */
bool cst_stationary_band_solve(cst_stationary_band *b, const double *c, const double *x, const double *theta,
                               const double *G, double *r);
/* Whether 1 - D2(theta.g) is positive definite by more than round-off. */
bool cst_stationary_band_is_positive(cst_stationary_band *b, const double *c, const double *x,
                                     const double *theta);
#endif
