/* stationary-minimum.c: whether a stationary point of the distance is a minimum: whether K = 1 - D2(theta.g)
 * is positive definite, on ker G or everywhere (stationary.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "system/point/stationary.h"

/* True if the symmetric A[n][n] is positive definite beyond round-off. Cholesky's method; overwrites A. */
static bool is_positive(double *A, int n) {
  double top = 0;
  for (int i = 0; i < n * n; i++)
    top = fmax(top, fabs(A[i]));
  for (int j = 0; j < n; j++) {
    double *const row = A + j * n;
    double        pivot = row[j];
    for (int k = 0; k < j; k++)
      pivot -= row[k] * row[k];
    if (!(pivot > n * DBL_EPSILON * top))
      return false;
    row[j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      double *const below = A + i * n;
      const double  known = cst_linear_dot(below, row, j);
      below[j] = (below[j] - known) / row[j];
    }
  }
  return true;
}

/* An orthonormal basis of the enforced rows of G, [n][nq]. Owned. */
static double *normals(const cst_stationary *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq;
  double            *N = cst_linear_numbers((long)p->n * nq);
  for (int k = 0; k < p->n; k++) {
    double *x = N + k * nq;
    CST_EACH_ENTRY(P, p->kept[k], e)
      x[P->column[e]] = p->G[e];
    for (int j = 0; j < 2 * k; j++) { /* twice, against round-off */
      const double *y = N + j % k * nq;
      const double  t = cst_linear_dot(x, y, nq);
      for (int i = 0; i < nq; i++)
        x[i] -= t * y[i];
    }
    const double size = sqrt(cst_linear_dot(x, x, nq));
    for (int i = 0; i < nq; i++)
      x[i] /= size;
  }
  return N;
}

/* K := (1 - NN') K (1 - NN') + NN', which is positive definite if K is so on ker G. */
static void restrict_curvature(const cst_stationary *p, double *K) {
  const int nq = p->s->nq;
  double   *N = normals(p);
  for (int k = 0; k < p->n; k++) {
    const double *x = N + k * nq;
    for (int i = 0; i < nq; i++) {
      const double t = cst_linear_dot(K + i * nq, x, nq);
      for (int j = 0; j < nq; j++)
        K[i * nq + j] -= t * x[j];
    }
    for (int j = 0; j < nq; j++) {
      double t = 0;
      for (int i = 0; i < nq; i++)
        t += x[i] * K[i * nq + j];
      for (int i = 0; i < nq; i++)
        K[i * nq + j] += (x[j] - t) * x[i];
    }
  }
  free(N);
}

/* For large systems: true if conjugate gradients meet only positive curvature. They start from a vector with
 * a component in every direction. */
static bool is_curved_up(const cst_stationary *p, const cst_schur *S) {
  const int n = p->s->nq;
  double   *r = cst_linear_numbers(n);
  double   *d = cst_linear_numbers(n);
  double   *Kd = cst_linear_numbers(n);
  double    first = 0, last = 0;
  bool      good = true;
  for (int i = 0; i < n; i++)
    r[i] = 0.5 + fmod(0.6180339887498949 * (i + 1), 1);
  for (int k = 0; k < CST_STATIONARY_GRADIENTS; k++) {
    if (S)
      cst_linear_project_tangent(p->s, p->G, S, r);
    const double size = cst_linear_dot(r, r, n);
    if (k == 0)
      first = size;
    const double enough = cst_stationary_tolerance * cst_stationary_tolerance * first;
    const double ratio = k ? size / last : 0;
    if (!(size > enough))
      break;
    for (int i = 0; i < n; i++)
      d[i] = r[i] + ratio * d[i];
    cst_stationary_curve(p, d, Kd);
    const double curvature = cst_linear_dot(d, Kd, n);
    good = curvature > 0;
    if (!good)
      break;
    for (int i = 0; i < n; i++)
      r[i] -= size / curvature * Kd[i];
    last = size;
  }
  free(r);
  free(d);
  free(Kd);
  return good;
}

/* True if K is positive definite at x, on ker G or everywhere. */
bool cst_stationary_is_minimum(const cst_stationary *p, bool everywhere) {
  const cst_system *s = p->s;
  bool              good;
  if (p->band && cst_stationary_band_is_positive(p->band, p->c, p->x, p->theta))
    return true;
  if (p->J) {
    double *K = p->J; /* of use only within a step */
    cst_stationary_curvature(p, K, s->nq);
    if (!everywhere)
      restrict_curvature(p, K);
    good = is_positive(K, s->nq);
  } else {
    cst_schur S = {0};
    good = everywhere || cst_linear_schur_create(&S, s, p->G, NULL);
    good = good && is_curved_up(p, everywhere ? NULL : &S);
    cst_linear_schur_destroy(&S);
  }
  return good;
}
