/* average.h: averages over trajectories of thermostats.
 *
 * Means are over independent lanes, each over time after a burn-in; their standard error is that of the
 * lanes' means. Seeds are fixed, so that the result of a test is reproducible.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AVERAGE_H
#define AVERAGE_H
#include "claims.h"

enum { LANES = 64 };

/* A mean and its standard error. */
typedef struct {
  double mean, error;
} estimate;

/* The quantity that is averaged, from a trajectory's q and v. */
typedef double measure(const problem *x, const double *q, const double *v);

typedef struct {
  const char *method;
  double      h;
  long        burn, steps, every; /* steps of the burn-in, steps, steps per sample */
} plan;

static void look(const run *r, measure *const *of, int n, double *sum) {
  double q[CST_MAX_Q], p[CST_MAX_Q], v[CST_MAX_Q];
  for (int l = 0; l < LANES; l++) {
    run_carried(r, l, q, p);
    cst_system_velocity(r->x->s, r->x->c, q, p, v);
    for (int k = 0; k < n; k++)
      sum[k * LANES + l] += of[k](r->x, q, v);
  }
}

/* The means of n quantities over all lanes. */
static UNUSED void sample(const problem *x, plan how, measure *const *of, int n, estimate *to) {
  run    r;
  double sum[8 * LANES] = {0};
  long   looks = 0;
  run_open(&r, x, how.method, LANES);
  run_start(&r, LANES);
  for (int l = 0; l < LANES; l++)
    cst_batch_address(r.st, &r.b, l, 20261122, (uint64_t)l);
  run_go(&r, how.h, how.burn);
  for (; looks * how.every < how.steps; looks++) {
    run_go(&r, how.h, how.every);
    look(&r, of, n, sum);
  }
  if (!run_well(&r, LANES)) {
    fprintf(stderr, "%s: a lane failed\n", how.method);
    abort();
  }
  run_close(&r);
  for (int k = 0; k < n; k++) {
    double mean = 0, square = 0;
    for (int l = 0; l < LANES; l++)
      mean += sum[k * LANES + l] / (double)looks / LANES;
    for (int l = 0; l < LANES; l++)
      square += pow(sum[k * LANES + l] / (double)looks - mean, 2);
    to[k] = (estimate){mean, sqrt(square / (LANES - 1) / LANES)};
  }
}

static UNUSED bool agrees(estimate e, double with) { return fabs(e.mean - with) < 4 * e.error; }

/* The estimate agrees with `right` and not with `wrong`. */
static UNUSED void decide(estimate e, double right, double wrong, const char *what) {
  if (!OK(agrees(e, right) && !agrees(e, wrong), "%s: %.4f, %.5f expected, and not %.4f", what,
          e.mean, right, wrong))
    NOTE("standard error %.2g: off by %.2f and %.2f of them", e.error, (e.mean - right) / e.error,
         (e.mean - wrong) / e.error);
}

/* p.v of a kinetic p: twice the kinetic energy. */
static UNUSED double twice_T(const problem *x, const double *q, const double *v) {
  double p[CST_MAX_Q], a[CST_MAX_Q], zero[CST_MAX_Q] = {0}, T = 0;
  cst_system_momentum(x->s, x->c, q, v, p);
  cst_system_momentum(x->s, x->c, q, zero, a);
  for (int i = 0; i < x->s->nq; i++)
    T += (p[i] - a[i]) * v[i];
  return T;
}
#endif
