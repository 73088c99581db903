/* growth-lanes.c: the loops in which verdicts spend their time, with lanes; compiled once per instruction set (see
 * lanes.h). In each lane they are the operations of one series in their order, so bits do not depend on the width.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "statistics/growth.h"

enum { N = CST_WINDOWS, BLOCK = 8 }; /* BLOCK: vectors that stay in registers */

/* One round of the fit in every lane; *on: lanes that go on. */
CST_INLINE void improve(const vd *r2, const vd *weight, const double *l, vd *c, vd *alpha, vl *on) {
  vd a = {0};
  vd b = {0};
  vd d = {0};
  vd f = {0};
  vd g = {0};
  for (int w = 1; w < N; w++) {
    const vl used = (vl)(weight[w] > 0) & (vl)(r2[w] == r2[w]);
    if (!vany(used & *on))
      continue;
    const double x = 2 * l[w];
    const vd     line = *c + *alpha * x;
    const vd     ratio = r2[w] * vexp(-line);
    const vd     v = weight[w] * (ratio + 1) / 2;
    const vd     u = weight[w] * (ratio - 1);
    a = vselect(used, a + v, a);
    b = vselect(used, b + v * x, b);
    d = vselect(used, d + v * x * x, d);
    f = vselect(used, f + u, f);
    g = vselect(used, g + u * x, g);
  }
  const vd determinant = a * d - b * b;
  *on &= (vl)(determinant > 1e-9 * a * d);
  const vd more_alpha = (a * g - b * f) / determinant;
  const vd more_c = (d * f - b * g) / determinant;
  *alpha = vselect(*on, *alpha + vmax(vmin(more_alpha, vset(1)), vset(-1)), *alpha);
  *c = vselect(*on, *c + vmax(vmin(more_c, vset(4)), vset(-4)), *c);
}

static void fit(const double *r2, const double *weight, const double *l, double c, double alpha,
                int rounds, double *exponent) {
  vd all_c = vset(c);
  vd all_alpha = vset(alpha);
  vl on = vmask(1);
  while (rounds-- > 0 && vany(on))
    improve((const vd *)r2, (const vd *)weight, l, &all_c, &all_alpha, &on);
  *(vd *)exponent = all_alpha;
}

static void exponentials(double *x) {
  for (int at = 0; at < N; at += CST_W)
    *(vd *)(x + at) = vexp(*(vd *)(x + at));
}

static void project(const double *products, const double *phi, const double *weight, int n,
                    double *sum) {
  for (int at = 0; at < N; at += BLOCK * CST_W) {
    vd cw[BLOCK] = {{0}};
    for (int k = 1; k < n; k++) {
      const vd *row = (const vd *)(products + k * N + at);
      CST_UNROLL
      for (int j = 0; j < BLOCK; j++)
        cw[j] += row[j] * weight[k] * phi[k];
    }
    CST_UNROLL
    for (int j = 0; j < BLOCK; j++)
      ((vd *)(sum + at))[j] = cw[j];
  }
}

extern const cst_growth_loops CST_NAME(cst_growth_lanes);
const cst_growth_loops        CST_NAME(cst_growth_lanes) = {CST_W, fit, exponentials, project};
