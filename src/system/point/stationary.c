/* stationary.c: Newton's method for a stationary point of the distance to the constraints (stationary.h).
 *
 * Its matrix is [K, -G'; G, 0] with K = 1 - D2(theta.g). Small systems factor it. Large systems whose
 * constraints couple as a band factor it within the band (stationary-band.c). Other large systems factor G G'
 * and find the tangential part of the step by conjugate gradients (Gould, Hribar, Nocedal, SIAM J. Sci.
 * Comput. 23 (2001), 1376), in linear time and memory.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/stationary.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_ITERATIONS = 12, LARGE_ITERATIONS = 30, DENSE = 100 };
const double cst_stationary_tolerance = 1e-8;

void cst_stationary_gradient(const cst_system *s, const double *c, const double *q, double *G) {
  cst_system_eval_at(s, CST_K_G, c, q, G);
}
void cst_stationary_constraint(const cst_system *s, const double *c, const double *q, double *g) {
  cst_system_eval_at(s, CST_K_g, c, q, g);
}

/* The next n numbers. */
static double *take(double **from, size_t n) {
  *from += n;
  return *from - n;
}

cst_stationary cst_stationary_begin(const cst_system *s, const double *c, const double *q) {
  cst_stationary p = {.s = s, .c = c, .q = q};
  const size_t   nq = (size_t)s->nq;
  const size_t   ng = (size_t)s->ng;
  const size_t   entries = (size_t)s->pattern[CST_K_G].n;
  p.kept = cst_zeros((long)(nq + 2 * ng), sizeof *p.kept);
  p.row = p.kept + ng;
  for (int a = 0; a < s->ng - s->nvel; a++)
    if (!s->dropped || !s->dropped[a])
      p.kept[p.n++] = a;
  if (s->gram.form == CST_FORM_BAND)
    p.band = cst_stationary_band_create(s, p.kept, p.n);
  const bool   small = !s->gram.banded || s->nq + p.n <= DENSE;
  const bool   dense = !p.band && small && s->nq <= CST_MAX_Q;
  const size_t n = dense ? nq + (size_t)p.n : 0;
  p.numbers = cst_linear_numbers(4 * nq + 5 * ng + entries + n * n);
  double *at = p.numbers;
  p.x = take(&at, nq);
  p.theta = take(&at, ng);
  p.g = take(&at, ng);
  p.G = take(&at, entries);
  p.r = take(&at, nq + ng);
  p.g0 = take(&at, ng);
  p.length = take(&at, ng);
  p.w = take(&at, nq);
  p.column = take(&at, nq);
  if (dense)
    p.J = take(&at, n * n);
  cst_stationary_constraint(s, c, q, p.g0);
  cst_system_lengths(s, c, q, p.length);
  return p;
}

void cst_stationary_end(cst_stationary *p) {
  cst_stationary_band_destroy(p->band);
  free(p->numbers);
  free(p->kept);
}

/* r := the residual of the equations with g(x) = level g(q). */
static void residual(cst_stationary *p, double level) {
  const int          nq = p->s->nq;
  const cst_system  *s = p->s;
  const cst_pattern *P = &s->pattern[CST_K_G];
  cst_stationary_constraint(s, p->c, p->x, p->g);
  cst_stationary_gradient(s, p->c, p->x, p->G);
  for (int i = 0; i < nq; i++)
    p->r[i] = p->q[i] - p->x[i];
  cst_linear_pattern_add_transposed(P, p->G, p->theta, p->r);
  for (int a = 0; a < p->s->ng; a++)
    p->r[nq + a] = level * p->g0[a] - p->g[a];
}

/* K = 1 - D2(theta.g)(x), in rows of length n. */
void cst_stationary_curvature(const cst_stationary *p, double *K, int n) {
  const cst_system *s = p->s;
  const int         nq = s->nq;
  for (int j = 0; j < nq; j++) {
    p->w[j] = 1;
    cst_system_eval(s, CST_K_D2glw, p->c, p->x, NULL, p->w, NULL, p->theta, p->column);
    p->w[j] = 0;
    for (int i = 0; i < nq; i++)
      K[i * n + j] = (i == j) - p->column[i];
  }
}

/* Newton's matrix for (x, theta): [K, -G'; G, 0]. */
static void full_matrix(cst_stationary *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq;
  const int          n = nq + p->n;
  cst_linear_clear(p->J, (long)n * n);
  cst_stationary_curvature(p, p->J, n);
  for (int k = 0; k < p->n; k++)
    CST_EACH_ENTRY(P, p->kept[k], e) {
      const int i = P->column[e];
      const int j = nq + k;
      p->J[i * n + j] = -p->G[e];
      p->J[j * n + i] = p->G[e];
    }
}

/* r := (dx, dtheta) of a Newton step; dtheta of constraint a is r[nq + a]. */
static bool full_step(cst_stationary *p) {
  const cst_system *s = p->s;
  const int         nq = s->nq;
  double           *theta = p->r + nq;
  full_matrix(p);
  const int n = nq + p->n;
  if (!cst_dense_factor(p->J, p->row, n))
    return false;
  for (int k = 0; k < p->n; k++)
    theta[k] = theta[p->kept[k]]; /* kept[k] >= k */
  cst_dense_solve(p->J, p->row, n, p->r);
  int k = p->n - 1; /* the last constraint that is kept, up to a */
  for (int a = s->ng - 1; a >= 0; a--) {
    const bool is_kept = k >= 0 && p->kept[k] == a;
    theta[a] = is_kept ? theta[k] : 0;
    if (is_kept)
      k--;
  }
  return true;
}

/* y := K x, K = 1 - D2(theta.g). */
void cst_stationary_curve(const cst_stationary *p, const double *x, double *y) {
  const cst_system *s = p->s;
  cst_system_eval(s, CST_K_D2glw, p->c, p->x, NULL, x, NULL, p->theta, y);
  for (int i = 0; i < s->nq; i++)
    y[i] = x[i] - y[i];
}

/* dx += z with G z = 0 and P (r - K z) nearly 0, by conjugate gradients in the tangent space; r := r - K z.
 * Where K is not positive there, the iteration stops early and keeps its result; at the nearest point K is
 * positive. */
static void minimise(const cst_stationary *p, const cst_schur *S, double *r, double *dx) {
  const int n = p->s->nq;
  double   *g = cst_linear_numbers(n);
  double   *d = cst_linear_numbers(n);
  double   *Kd = cst_linear_numbers(n);
  double    first = 0, last = 0;
  /* smaller values are round-off */
  const double square = cst_linear_dot(p->x, p->x, n);
  const double least = DBL_EPSILON * DBL_EPSILON * square;
  for (int k = 0; k < CST_STATIONARY_GRADIENTS; k++) {
    cst_linear_copy(g, r, n);
    cst_linear_project_tangent(p->s, p->G, S, g);
    const double size = cst_linear_dot(g, g, n);
    if (k == 0)
      first = size;
    const double enough = cst_stationary_tolerance * cst_stationary_tolerance * first;
    const double ratio = k ? size / last : 0;
    if (!(size > enough && size > least))
      break;
    for (int i = 0; i < n; i++)
      d[i] = g[i] + ratio * d[i];
    cst_stationary_curve(p, d, Kd);
    const double curvature = cst_linear_dot(d, Kd, n);
    const double t = cst_linear_dot(r, d, n) / curvature;
    if (!(curvature > 0))
      break;
    for (int i = 0; i < n; i++) {
      dx[i] += t * d[i];
      r[i] -= t * Kd[i];
    }
    last = size;
  }
  free(g);
  free(d);
  free(Kd);
}

/* The same in linear time: dx = G'(G G')^-1 r_g + z, dtheta = (G G')^-1 G (K dx - r_x). */
static bool large_step(cst_stationary *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq;
  const int          ng = p->s->ng;
  double            *dx = cst_linear_numbers(nq);
  double            *rest = cst_linear_numbers(nq);
  cst_schur          S;
  const bool         good = cst_linear_schur_create(&S, p->s, p->G, NULL);
  if (good) {
    cst_linear_schur_solve(&S, p->r + nq);
    cst_linear_pattern_add_transposed(P, p->G, p->r + nq, dx);
    cst_stationary_curve(p, dx, rest);
    for (int i = 0; i < nq; i++)
      rest[i] = p->r[i] - rest[i];
    minimise(p, &S, rest, dx);
    cst_linear_pattern_times(P, p->G, rest, p->r + nq); /* rest = r_x - K dx */
    cst_linear_schur_solve(&S, p->r + nq);
    for (int a = 0; a < ng; a++)
      p->r[nq + a] = -p->r[nq + a];
    cst_linear_copy(p->r, dx, nq);
  }
  cst_linear_schur_destroy(&S);
  free(dx);
  free(rest);
  return good;
}

static bool step_of(cst_stationary *p) {
  if (p->band)
    return cst_stationary_band_solve(p->band, p->c, p->x, p->theta, p->G, p->r);
  return p->J ? full_step(p) : large_step(p);
}

/* Newton's method for g(x) = level g(q); it starts at x, theta and overwrites them. */
bool cst_stationary_reach(cst_stationary *p, double level) {
  const int nq = p->s->nq;
  const int most = p->J ? NEWTON_ITERATIONS : LARGE_ITERATIONS;
  for (int k = 0; k < most; k++) {
    double size = 0, step = 0;
    residual(p, level);
    if (!step_of(p))
      return false;
    for (int i = 0; i < nq; i++) {
      p->x[i] += p->r[i];
      step = fmax(step, fabs(p->r[i]));
      size = fmax(size, fabs(p->x[i]));
    }
    for (int a = 0; a < p->s->ng; a++)
      p->theta[a] += p->r[nq + a];
    if (!isfinite(size))
      return false;
    if (step <= 4 * DBL_EPSILON * size)
      return true;
  }
  return false;
}
