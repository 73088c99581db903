/* chart.h: a chart of T*N near a start, and the derivative of one step along its axes.
 *
 * (a, b) -> q = P(q0 + B a), v = projection at q of v0 + B b, with B an orthonormal basis of ker G(q0). D is
 * the sixth-order central difference along the chart's axes, and omega(u, w) = u_q.w_p - u_p.w_q.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHART_H
#define CHART_H
#include "claims.h"

enum { MAX_DIM = 2 * CST_MAX_Q, POINTS = 6 };
static const double OFFSET[POINTS] = {-3, -2, -1, 1, 2, 3},
                    WEIGHT[POINTS] = {-1. / 60, 9. / 60, -45. / 60, 45. / 60, -9. / 60, 1. / 60};

/* Orthonormal basis of ker G(q0), B[d][nq], by Gram-Schmidt on the rows of G and then on the unit vectors;
 * returns d. */
UNUSED static int kernel_basis(const problem *x, double *B) {
  const int nq = x->s->nq, ng = x->s->ng;
  double    G[CST_MAX_G * CST_MAX_Q], done[2 * CST_MAX_Q][CST_MAX_Q];
  int       n = 0, d = 0;
  cst_system_matrix(x->s, CST_K_G, x->c, x->q, NULL, G);
  for (int k = 0; k < ng + nq && n < nq; k++) {
    double e[CST_MAX_Q] = {0}, size = 0;
    if (k < ng)
      memcpy(e, G + k * nq, sizeof(double) * (size_t)nq);
    else
      e[k - ng] = 1;
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < n; j++) {
        double dot = 0;
        for (int i = 0; i < nq; i++)
          dot += e[i] * done[j][i];
        for (int i = 0; i < nq; i++)
          e[i] -= dot * done[j][i];
      }
    for (int i = 0; i < nq; i++)
      size += e[i] * e[i];
    if (sqrt(size) < 1e-6)
      continue;
    for (int i = 0; i < nq; i++)
      done[n][i] = e[i] / sqrt(size);
    if (k >= ng)
      memcpy(B + d++ * nq, done[n], sizeof(double) * (size_t)nq);
    n++;
  }
  return d;
}

/* The point of the chart at `distance` along axis k (0..d-1 positions, d..2d-1 velocities). */
static void chart(const problem *x, const double *B, int d, int k, double distance, double *q,
                  double *v) {
  for (int i = 0; i < x->s->nq; i++) {
    q[i] = x->q[i] + (k < d ? distance * B[k * x->s->nq + i] : 0);
    v[i] = x->v[i] + (k >= d ? distance * B[(k - d) * x->s->nq + i] : 0);
  }
  if (!cst_system_project(x->s, x->c, q, v)) {
    fprintf(stderr, "%s: chart\n", x->s->name);
    abort();
  }
}

UNUSED static double omega(const double *u, const double *w, int nq) {
  double sum = 0;
  for (int i = 0; i < nq; i++)
    sum += u[i] * w[nq + i] - u[nq + i] * w[i];
  return sum;
}

/* One step from every point; D before and after the step, [2d][2nq]. */
UNUSED static bool differentiate(const problem *x, const char *method, double h, int d,
                                 const double *B, double *before, double *after) {
  const int nq = x->s->nq, lanes = 2 * d * POINTS;
  double    q[CST_MAX_Q], z[2 * CST_MAX_Q], delta = delta_of(x->s->name);
  run       r;
  memset(before, 0, sizeof(double) * (size_t)(4 * d * nq));
  memset(after, 0, sizeof(double) * (size_t)(4 * d * nq));
  run_open_on(&r, x, method, widest(), lanes, 1e-15);
  cst_batch_reset(r.st, &r.b, lanes);
  for (int k = 0; k < 2 * d; k++)
    for (int j = 0; j < POINTS; j++) {
      chart(x, B, d, k, OFFSET[j] * delta, q, z);
      run_put(&r, k * POINTS + j, q, z);
    }
  cst_batch_ready(r.st, &r.b);
  for (int pass = 0; pass < 2; pass++) {
    if (pass)
      run_go(&r, h, 1);
    for (int k = 0; k < lanes; k++) {
      run_state(&r, k, z, z + nq);
      for (int i = 0; i < 2 * nq; i++)
        (pass ? after : before)[k / POINTS * 2 * nq + i] += WEIGHT[k % POINTS] / delta * z[i];
    }
  }
  bool well = run_well(&r, lanes);
  run_close(&r);
  return well;
}
#endif
