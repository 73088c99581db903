/* lane-tau.h: a retraction of the rotation group from text (tau.h) as lane code reads it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_TAU_H
#define CST_LANE_TAU_H

struct cst_tape;

/* f = 2 t and its first two derivatives, out[3] at q[0] = s; of axes phi = 2 t, D phi and D2 phi at q = x,
 * out[3], [3][3], [3][3][3]. */
typedef struct {
  void (*run)(const struct cst_tape *t, const double *const in[128], double *out, double *scratch);
  const struct cst_tape *tape;
  double                *scratch;
} cst_lane_tau;
#endif
