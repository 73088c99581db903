/* rk-row.h: what the program knows without lanes of the cores that step a tableau, with or without Baumgarte's
 * stabilisation: their parameters, and how they are bound. Part of rk.c and saddle.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/core/row.h"

struct parameters {
  cst_layer layer;
  double    alpha, beta;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->alpha == y->alpha && x->beta == y->beta && cst_program_same_layer(&x->layer, &y->layer);
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  CST_TRY(cst_stepper_bind_layer(with, &x->layer, false, &to->layer));
  to->alpha = x->alpha;
  to->beta = x->beta;
  return 0;
}
