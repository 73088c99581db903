/* temperature.c: the observer `temperature`: the kinetic temperature 2 T / f in units of energy, kT, with f
 * degrees of freedom.
 *
 * f = n - rank G minus the number of momenta that a method without a thermostat conserves from the start
 * (plan.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
CST_OBSERVE(temperature, 1) {
  const cst_context *C = view->context;
  const vd          *c = cst_block(view->record, LAYOUT(C).c), *q = now.q, *p = now.p, *v = now.v;
  vd                 twice = vset(0), a[ROOM(NQ)];
  (void)C, (void)look, (void)kept, (void)c, (void)q;
  if (GYROSCOPIC)
    K_a(c, q, a);
  UNROLL
  for (int i = 0; i < NQ; i++)
    twice += vpick(GYROSCOPIC, p[i] - a[i], p[i]) * v[i];
  *(vd *)value = twice / view->freedom;
  *(vd *)scale = vabs(*(vd *)value);
}
#else
static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)look, (void)k;
  *q = (cst_quantity){.name = "temperature",
                      .unit = "1",
                      .doc = "kinetic temperature 2 T / f, f degrees of freedom",
                      .drifts = true,
                      .moves = true};
}

const cst_observer cst_observer_temperature = {
    .name = "temperature",
    .doc = "2 T / f in units of energy, f = n - rank G less the momenta that are kept",
    .optional = true,
    .averages = true,
    .describe = describe,
};
#endif
