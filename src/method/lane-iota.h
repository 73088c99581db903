/* lane-iota.h: a projection along fibres from text (iota.h) as lane code reads it, for n coordinates and m
 * constraints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_IOTA_H
#define CST_LANE_IOTA_H

struct cst_tape;

/* At q, l = theta, w = mu[n], u = (dq, dtheta):
 *
 *   point   out iota[n], D_q iota' mu [n], D_theta iota' mu [m]
 *   matrix  out [D_q iota, D_theta iota] by rows, [n][n + m]
 *   bend    out the derivative of (D_q iota' mu, D_theta iota' mu) along u [n + m]
 */
typedef struct {
  void (*run)(const struct cst_tape *t, const double *const in[128], double *out, double *scratch);
  const struct cst_tape *point, *matrix, *bend;
  double                *scratch;
} cst_lane_iota;
#endif
