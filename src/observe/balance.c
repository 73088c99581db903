/* balance.c: the observer `balance`: compares the energy with the work of forces and of a potential that
 * depends on the time.
 *
 * work_NAME is the integral of F.v along the trajectory for each force, pumped that of dV/dt, both by the
 * method's own quadrature at every step; balance = T + V minus their sum, which the exact motion conserves.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observer.h"
#ifdef CST_OBSERVE
/* kept: that of the energy, which observers.h has before it. */
CST_OBSERVE(balance, (NACCOUNT + 1)) {
  const cst_context *C = view->context;
  vd                *x = (vd *)value;
  vd                *s = (vd *)scale;
  vd                 energy, size;
  (void)C;
  at_energy(look, view, now, kept, (double *)&energy, (double *)&size);
  for (int k = 0; k < NACCOUNT; k++) {
    x[k] = cst_block(view->record, LAYOUT(C).c)[ACCOUNT + k];
    s[k] = vabs(x[k]);
    energy -= x[k];
    size += s[k];
  }
  x[NACCOUNT] = energy;
  s[NACCOUNT] = size;
}
#else
#include <stdio.h>

static const char *refuse(const cst_system *s) {
  return s->model->naccount ? NULL : "has no forces, and its potential does not depend on the time";
}

static int count(const cst_system *s) { return s->model->naccount ? s->model->naccount + 1 : 0; }

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  const cst_system *s = look->system;
  const bool        all = k == s->model->naccount;
  *q = (cst_quantity){.unit = "1", .drifts = true, .judged = all, .windows = all, .moves = !all};
  q->doc = all ? "T + V less the work of all forces and the integral of dV/dt"
               : s->description->account_doc[k];
  snprintf(q->name, sizeof q->name, "%.47s", all ? "balance" : s->description->account_name[k]);
}

const cst_observer cst_observer_balance = {
    .name = "balance",
    .doc = "T + V less the work of the forces and the integral of dV/dt, and these themselves",
    .kept = {.one = 1},
    .refuse = refuse,
    .count = count,
    .describe = describe,
};
#endif
