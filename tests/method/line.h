/* line.h: what the tests of line integral methods share: the errors of the energy and of g over a run, and
 * the distance of two runs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LINE_H
#define LINE_H
#include "claims.h"

enum { LANES = 3 };

typedef struct {
  double energy, g; /* largest deviations over a run */
} losses;

UNUSED static losses losses_of(const problem *x, const char *method, double h, int n) {
  run    r;
  losses most = {0, 0};
  double q[CST_MAX_Q], p[CST_MAX_Q], g[CST_MAX_G], start;
  run_open_on(&r, x, method, widest(), 1, 1e-15);
  run_start(&r, 1);
  run_carried(&r, 0, q, p);
  start = energy(x, q, p, NULL);
  for (int k = 0; k < n; k++) {
    run_go(&r, h, 1);
    run_carried(&r, 0, q, p);
    cst_system_eval(x->s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
    most.energy = larger(most.energy, fabs(energy(x, q, p, NULL) - start));
    most.g = larger(most.g, norm(g, x->s->ng));
  }
  if (!run_well(&r, 1))
    most = (losses){INFINITY, INFINITY};
  run_close(&r);
  return most;
}

/* The distance of the end states of two methods. */
UNUSED static double difference(const problem *x, const char *one, const char *other,
                                cst_iteration iteration, double h, int n, double *iterations) {
  double off = 0, q[2][CST_MAX_Q], p[2][CST_MAX_Q], count;
  run    r[2];
  for (int k = 0; k < 2; k++) {
    run_open_with(&r[k], x, k ? other : one, widest(), LANES, 1e-15,
                  k ? iteration : CST_ITERATION_AUTO);
    run_start(&r[k], LANES);
    run_go(&r[k], h, n);
  }
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 2; k++)
      run_carried(&r[k], l, q[k], p[k]);
    off = larger(off, larger(apart(q[0], q[1], x->s->nq) / larger(1, norm(q[0], x->s->nq)),
                             apart(p[0], p[1], x->s->nq) / larger(1, norm(p[0], x->s->nq))));
  }
  for (int k = 0; k < 2 && iterations; k++) {
    run_block(&r[k], 0, cst_stepper_layout(r[k].st)->iterations, 1, &count);
    iterations[k] = count / n;
  }
  if (!run_well(&r[0], LANES) || !run_well(&r[1], LANES))
    off = INFINITY;
  for (int k = 0; k < 2; k++)
    run_close(&r[k]);
  return off;
}

#endif
