/* tangent-scale.c: scales and directions of tangent vectors (see tangent-scale.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tangent-scale.h"
#include <math.h>
#include <stdlib.h>
#include "constella/random.h"
#include "core/need.h"

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

/* The mean of the rows of M: that of the masses. */
static double mean_mass(const cst_system *s, const double *c, const double *q, double *v,
                        double *p) {
  double sum = 0;
  for (int moving = 1; moving >= 0; moving--) {
    for (int i = 0; i < s->nq; i++)
      v[i] = moving;
    cst_system_momentum(s, c, q, v, p);
    for (int i = 0; i < s->nq; i++)
      sum += moving ? p[i] : -p[i];
  }
  return sum / s->nq;
}

/* 1/T = |v|/L + (|f|/(m L))^(1/2), or 1 at rest without a force. */
void cst_tangent_scale(const cst_runner *r, long lane, double *scale) {
  const cst_system *s = r->plan->study->system;
  const int         nq = s->nq, W = r->width;
  const double     *par = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  const double     *column = cst_batch_lane(r->st, r->b, lane);
  double           *q = cst_zeros(4 * nq + s->ng, sizeof *q), *v = q + nq, *f = v + nq, *p = f + nq;
  for (int i = 0; i < nq; i++) {
    q[i] = r->q0[(lane / W * nq + i) * W + lane % W];
    v[i] = r->v0[(lane / W * nq + i) * W + lane % W];
  }
  if (s->slips)
    cst_system_multipliers(s, par, q, v, p + nq);
  cst_system_eval(s, s->general ? CST_K_f : CST_K_dV, par, q, v, NULL, NULL, p + nq, f);
  const double extent = column[cst_stepper_layout(r->st)->extent * W];
  const double length = extent > 0 ? extent : 1;
  const double speed = norm(v, nq), force = norm(f, nq);
  const double mass = mean_mass(s, par, q, v, p);
  double       rate = speed / length + sqrt(force / (mass * length));
  if (!(rate > 0) || !isfinite(rate))
    rate = 1;
  scale[0] = length;
  scale[1] = mass * length * rate;
  free(q);
}

double cst_tangent_draw(const cst_runner *r, long lane, long turn, int component) {
  return 2 * cst_random_uniform(0, (uint64_t)cst_runner_member(r, lane), CST_PURPOSE_TANGENT,
                                (uint32_t)turn, (uint32_t)component) -
         1;
}
