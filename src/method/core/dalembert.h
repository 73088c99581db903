/* dalembert.h: what the two cores of discrete-lagrange-dalembert have in common: forms, parameters and the block
 * `reaction`; and the masses as they and vakonomic.c read them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_DALEMBERT_H
#define CST_CORE_DALEMBERT_H
enum { MIDPOINT, REVERSIBLE, LEAPFROG };

#ifdef CST_W
#define MASS(i) vpick(MASS_UNIT, vset(1.0), L->m[CLASS(i)])
#define OVER(i) vpick(MASS_UNIT, vset(1.0), L->minv[CLASS(i)])
#else
#include "method/substep.h"

struct parameters {
  int form;
};

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->form == y->form;
}

static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  (void)x;
  cst_system_multipliers(s, c, q, v, state[0]);
}

/* In units of lambda. */
static const cst_state_block state[] = {{"reaction", .g = 1}, {NULL}};
#endif
#endif
