/* rk.h: what the cores that step a tableau, with or without Baumgarte's stabilisation, have in common: the end of a step
 * from the stages V and A, and their parameters and how they are bound. Part of rk.c and saddle.c, whose struct data has
 * the layer. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef CST_W
/* q += h sum b_i V_i,   v += h sum b_i A_i */
CST_INLINE void add_stages(const cst_context *C, struct local *L, int j, const vd *A) {
  const cst_lane_layer *s = &OWN(j)->layer;
  const vd              h = H(j);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd dq = vset(0), dv = vset(0);
    for (int i = 0; i < s->stages; i++) {
      dq += s->b[i] * L->V[i * NQ + k];
      dv += s->b[i] * A[i * NQ + k];
    }
    L->q[k] += h * dq;
    L->v[k] += h * dv;
  }
}
#else
#include "method/substep.h"

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
#endif
