/* lane-layer.h: one-step layers, and fibres and retractions from text (map.h), as lane code reads them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_LAYER_H
#define CST_LANE_LAYER_H
#include "system/system.h"

struct cst_tape;

/* A tableau a[stages][stages], b[stages], or kernels of formulas (method/texts/flow.h), called with `self`. */
typedef struct {
  int                stages, implicit;
  const double      *a, *b;
  cst_kernel *const *flow; /* NULL: use the tableau */
  const void        *self;
} cst_lane_layer;

/* The time of stage i as a fraction of the step: the sum of row i. */
static inline double cst_stage_time(const cst_lane_layer *x, int i) {
  double c = 0;
  for (int l = 0; l < x->stages; l++)
    c += x->a[i * x->stages + l];
  return c;
}

/* A projection along fibres, for n coordinates and m constraints: at q, l = theta, w = mu[n], u = (dq, dtheta):
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

/* A retraction of the rotation group: f = 2 t and its first two derivatives, out[3] at q[0] = s; of axes phi = 2 t, D phi and D2 phi at q = x,
 * out[3], [3][3], [3][3][3]. */
typedef struct {
  void (*run)(const struct cst_tape *t, const double *const in[128], double *out, double *scratch);
  const struct cst_tape *tape;
  double                *scratch;
} cst_lane_tau;
#endif
