/* project.c: projects a point onto the constraints: q in the Euclidean metric, then v in the metric of
 * M(q); a momentum p in the Euclidean metric.
 *
 *   x = q + G(x)' theta,  g(x) = 0,       v := v - M^-1 G' mu,  G v = 0
 *
 * Newton's matrix is [1 - D2(theta.g), -G'; G, 0]. Small systems factor it. Large systems whose constraints
 * couple as a band factor it within the band (stationary-band.c). Other large systems factor G G' and find
 * the tangential part of the step by conjugate gradients (Gould, Hribar, Nocedal, SIAM J. Sci. Comput. 23
 * (2001), 1376), in linear time and memory. If the start is far from the manifold, Newton's method runs
 * through decreasing levels of g.
 *
 * Newton's method finds a stationary point of the distance. The point is a local minimum where K = 1 -
 * D2(theta.g) is positive definite on ker G. It is the nearest point if K is positive definite everywhere
 * and g is quadratic: x then minimises |x - q|^2/2 - theta.g, which equals the distance on g = 0. For a
 * single quadric only the nearest point is accepted. If the first result is not accepted, the minimum is
 * followed from x = q, where K = 1, through levels of g, in steps that keep it a minimum. If this fails
 * too, the projection fails. Of two minima the nearer one is taken.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "system/point/linear.h"
#include "system/point/stationary-band.h"

enum {
  NEWTON_ITERATIONS = 12,
  LARGE_ITERATIONS = 30,
  GRADIENT_ITERATIONS = 200,
  MOST_LEVELS = 256,
  DENSE = 100
};
static const double GRADIENT_TOLERANCE = 1e-8, LEAST_LEVEL = 1. / 4096, NEARER = 1e-9;

typedef struct {
  const cst_system    *s;
  const double        *c, *q;
  int                  n, *kept;  /* enforced constraints */
  double              *x, *theta; /* the iterate; theta[ng] */
  double              *g0;        /* g(q) */
  double              *length;    /* lengths of the constraints at q */
  double              *g, *G, *r; /* at x: [ng], entries, [nq + ng] */
  double              *J;         /* [(nq + n)^2]; NULL for large systems */
  cst_stationary_band *band;      /* for large systems that couple as a band; else NULL */
  int                 *row;
} projection;

static void gradient(const cst_system *s, const double *c, const double *q, double *G) {
  cst_system_eval(s, CST_K_G, c, q, NULL, NULL, NULL, NULL, G);
}
static void constraint(const cst_system *s, const double *c, const double *q, double *g) {
  cst_system_eval(s, CST_K_g, c, q, NULL, NULL, NULL, NULL, g);
}

static projection begin(const cst_system *s, const double *c, const double *q) {
  projection p = {.s = s, .c = c, .q = q};
  p.kept = cst_need(calloc((size_t)s->ng + 1, sizeof *p.kept));
  for (int a = 0; a < s->ng - s->nvel; a++)
    if (!s->dropped || !s->dropped[a]) p.kept[p.n++] = a;
  p.x = cst_linear_numbers((size_t)s->nq);
  p.theta = cst_linear_numbers((size_t)s->ng);
  p.g = cst_linear_numbers((size_t)s->ng);
  p.G = cst_linear_numbers((size_t)s->pattern[CST_K_G].n);
  p.r = cst_linear_numbers((size_t)(s->nq + s->ng));
  p.g0 = cst_linear_numbers((size_t)s->ng);
  p.length = cst_linear_numbers((size_t)s->ng);
  constraint(s, c, q, p.g0);
  cst_system_lengths(s, c, q, p.length);
  if (s->gram.banded) p.band = cst_stationary_band_create(s, p.kept, p.n);
  if (p.band || (s->gram.banded && s->nq + p.n > DENSE) || s->nq > CST_MAX_Q) return p;
  const size_t n = (size_t)(s->nq + p.n);
  p.J = cst_linear_numbers(n * n);
  p.row = cst_need(calloc(n + 1, sizeof *p.row));
  return p;
}

static void end(projection *p) {
  double *owned[] = {p->g0, p->length, p->x, p->theta, p->g, p->G, p->r, p->J};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
  cst_stationary_band_destroy(p->band);
  free(p->kept);
  free(p->row);
}

/* The largest scaled |g_j| at x (cst_system_residuals) over all constraints, redundant ones included, with
 * the lengths at the start. */
static double relative(const projection *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  double             most = 0;
  for (int j = 0; j < p->s->ng; j++) {
    double row = 0, far = 0;
    for (int e = P->start[j]; e < P->start[j + 1]; e++) {
      row += fabs(p->G[e]);
      far = fmax(far, fabs(p->x[P->column[e]]));
    }
    const double r = cst_evaluate_scaled(p->g[j], row * p->length[j], row * far);
    if (!(r <= most)) most = r; /* keeps a NaN */
  }
  return most;
}

/* r := the residual of the equations with g(x) = level g(q). */
static void residual(projection *p, double level) {
  const int nq = p->s->nq;
  constraint(p->s, p->c, p->x, p->g);
  gradient(p->s, p->c, p->x, p->G);
  for (int i = 0; i < nq; i++) p->r[i] = p->q[i] - p->x[i];
  cst_linear_pattern_add_transposed(&p->s->pattern[CST_K_G], p->G, p->theta, p->r);
  for (int a = 0; a < p->s->ng; a++) p->r[nq + a] = level * p->g0[a] - p->g[a];
}

/* K = 1 - D2(theta.g)(x), in rows of length n. */
static void fill_curvature(const projection *p, double *K, int n) {
  const int nq = p->s->nq;
  double   *w = cst_linear_numbers((size_t)nq), *column = cst_linear_numbers((size_t)nq);
  for (int j = 0; j < nq; j++) {
    w[j] = 1;
    cst_system_eval(p->s, CST_K_D2glw, p->c, p->x, NULL, w, NULL, p->theta, column);
    w[j] = 0;
    for (int i = 0; i < nq; i++) K[i * n + j] = (i == j) - column[i];
  }
  free(w);
  free(column);
}

/* Newton's matrix for (x, theta): [K, -G'; G, 0]. */
static void full_matrix(projection *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq, n = nq + p->n;
  memset(p->J, 0, sizeof *p->J * (size_t)n * (size_t)n);
  fill_curvature(p, p->J, n);
  for (int k = 0; k < p->n; k++)
    for (int e = P->start[p->kept[k]]; e < P->start[p->kept[k] + 1]; e++) {
      p->J[P->column[e] * n + nq + k] = -p->G[e];
      p->J[(nq + k) * n + P->column[e]] = p->G[e];
    }
}

/* r := (dx, dtheta) of a Newton step; dtheta of constraint a is r[nq + a]. */
static bool full_step(projection *p) {
  const int nq = p->s->nq;
  full_matrix(p);
  if (!cst_dense_factor(p->J, p->row, nq + p->n)) return false;
  for (int k = 0; k < p->n; k++) p->r[nq + k] = p->r[nq + p->kept[k]]; /* kept[k] >= k */
  cst_dense_solve(p->J, p->row, nq + p->n, p->r);
  for (int a = p->s->ng - 1, k = p->n - 1; a >= 0; a--)
    p->r[nq + a] = k >= 0 && p->kept[k] == a ? p->r[nq + k--] : 0;
  return true;
}

/* x := P x, P = 1 - G'(G G')^-1 G with S = G G'. */
static void project_tangent(const cst_system *s, const double *G, const cst_schur *S, double *x) {
  const cst_pattern *P = &s->pattern[CST_K_G];
  double            *b = cst_linear_numbers((size_t)s->ng);
  cst_linear_pattern_times(P, G, x, b);
  cst_linear_schur_solve(S, b);
  for (int a = 0; a < s->ng; a++) b[a] = -b[a];
  cst_linear_pattern_add_transposed(P, G, b, x);
  free(b);
}

/* y := K x, K = 1 - D2(theta.g). */
static void curve(const projection *p, const double *x, double *y) {
  cst_system_eval(p->s, CST_K_D2glw, p->c, p->x, NULL, x, NULL, p->theta, y);
  for (int i = 0; i < p->s->nq; i++) y[i] = x[i] - y[i];
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* dx += z with G z = 0 and P (r - K z) nearly 0, by conjugate gradients in the tangent space; r := r - K z.
 * Where K is not positive there, the iteration stops early and keeps its result; at the nearest point K is
 * positive. */
static void minimise(const projection *p, const cst_schur *S, double *r, double *dx) {
  const int n = p->s->nq;
  double   *g = cst_linear_numbers((size_t)n), *d = cst_linear_numbers((size_t)n),
         *Kd = cst_linear_numbers((size_t)n), first = 0, last = 0;
  const double least = DBL_EPSILON * DBL_EPSILON * dot(p->x, p->x, n); /* smaller values are round-off */
  for (int k = 0; k < GRADIENT_ITERATIONS; k++) {
    memcpy(g, r, sizeof *g * (size_t)n);
    project_tangent(p->s, p->G, S, g);
    const double size = dot(g, g, n);
    if (k == 0) first = size;
    if (!(size > GRADIENT_TOLERANCE * GRADIENT_TOLERANCE * first && size > least)) break;
    for (int i = 0; i < n; i++) d[i] = g[i] + (k ? size / last : 0) * d[i];
    curve(p, d, Kd);
    const double curvature = dot(d, Kd, n), t = dot(r, d, n) / curvature;
    if (!(curvature > 0)) break;
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
static bool large_step(projection *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq, ng = p->s->ng;
  double            *dx = cst_linear_numbers((size_t)nq), *rest = cst_linear_numbers((size_t)nq);
  cst_schur          S;
  const bool         good = cst_linear_schur_create(&S, p->s, p->G, NULL);
  if (good) {
    cst_linear_schur_solve(&S, p->r + nq);
    cst_linear_pattern_add_transposed(P, p->G, p->r + nq, dx);
    curve(p, dx, rest);
    for (int i = 0; i < nq; i++) rest[i] = p->r[i] - rest[i];
    minimise(p, &S, rest, dx);
    cst_linear_pattern_times(P, p->G, rest, p->r + nq); /* rest = r_x - K dx */
    cst_linear_schur_solve(&S, p->r + nq);
    for (int a = 0; a < ng; a++) p->r[nq + a] = -p->r[nq + a];
    memcpy(p->r, dx, sizeof *dx * (size_t)nq);
  }
  cst_linear_schur_destroy(&S);
  free(dx);
  free(rest);
  return good;
}

static bool step_of(projection *p) {
  if (p->band) return cst_stationary_band_solve(p->band, p->c, p->x, p->theta, p->G, p->r);
  return p->J ? full_step(p) : large_step(p);
}

/* Newton's method for g(x) = level g(q); it starts at x, theta and overwrites them. */
static bool reach_level(projection *p, double level) {
  const int nq = p->s->nq;
  for (int k = 0; k < (p->J ? NEWTON_ITERATIONS : LARGE_ITERATIONS); k++) {
    double size = 0, step = 0;
    residual(p, level);
    if (!step_of(p)) return false;
    for (int i = 0; i < nq; i++) {
      p->x[i] += p->r[i];
      step = fmax(step, fabs(p->r[i]));
      size = fmax(size, fabs(p->x[i]));
    }
    for (int a = 0; a < p->s->ng; a++) p->theta[a] += p->r[nq + a];
    if (!isfinite(size)) return false;
    if (step <= 4 * DBL_EPSILON * size) return true;
  }
  return false;
}

/* ---- minima ---------------------------------------------------------------------------------- */

/* True if the symmetric A[n][n] is positive definite beyond round-off. Cholesky's method; overwrites A. */
static bool is_positive(double *A, int n) {
  double top = 0;
  for (int i = 0; i < n * n; i++) top = fmax(top, fabs(A[i]));
  for (int j = 0; j < n; j++) {
    double pivot = A[j * n + j];
    for (int k = 0; k < j; k++) pivot -= A[j * n + k] * A[j * n + k];
    if (!(pivot > n * DBL_EPSILON * top)) return false;
    A[j * n + j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++)
      A[i * n + j] = (A[i * n + j] - dot(A + i * n, A + j * n, j)) / A[j * n + j];
  }
  return true;
}

/* An orthonormal basis of the enforced rows of G, [n][nq]. Owned. */
static double *normals(const projection *p) {
  const cst_pattern *P = &p->s->pattern[CST_K_G];
  const int          nq = p->s->nq;
  double            *N = cst_linear_numbers((size_t)p->n * (size_t)nq);
  for (int k = 0; k < p->n; k++) {
    double *x = N + k * nq;
    for (int e = P->start[p->kept[k]]; e < P->start[p->kept[k] + 1]; e++) x[P->column[e]] = p->G[e];
    for (int j = 0; j < 2 * k; j++) { /* twice, against round-off */
      const double *y = N + j % k * nq, t = dot(x, y, nq);
      for (int i = 0; i < nq; i++) x[i] -= t * y[i];
    }
    const double size = sqrt(dot(x, x, nq));
    for (int i = 0; i < nq; i++) x[i] /= size;
  }
  return N;
}

/* K := (1 - NN') K (1 - NN') + NN', which is positive definite if K is so on ker G. */
static void restrict_curvature(const projection *p, double *K) {
  const int nq = p->s->nq;
  double   *N = normals(p);
  for (int k = 0; k < p->n; k++) {
    const double *x = N + k * nq;
    for (int i = 0; i < nq; i++) {
      const double t = dot(K + i * nq, x, nq);
      for (int j = 0; j < nq; j++) K[i * nq + j] -= t * x[j];
    }
    for (int j = 0; j < nq; j++) {
      double t = 0;
      for (int i = 0; i < nq; i++) t += x[i] * K[i * nq + j];
      for (int i = 0; i < nq; i++) K[i * nq + j] += (x[j] - t) * x[i];
    }
  }
  free(N);
}

/* For large systems: true if conjugate gradients meet only positive curvature. They start from a vector with
 * a component in every direction. */
static bool is_curved_up(const projection *p, const cst_schur *S) {
  const int n = p->s->nq;
  double   *r = cst_linear_numbers((size_t)n), *d = cst_linear_numbers((size_t)n),
         *Kd = cst_linear_numbers((size_t)n), first = 0, last = 0;
  bool good = true;
  for (int i = 0; i < n; i++) r[i] = 0.5 + fmod(0.6180339887498949 * (i + 1), 1);
  for (int k = 0; k < GRADIENT_ITERATIONS; k++) {
    if (S) project_tangent(p->s, p->G, S, r);
    const double size = dot(r, r, n);
    if (k == 0) first = size;
    if (!(size > GRADIENT_TOLERANCE * GRADIENT_TOLERANCE * first)) break;
    for (int i = 0; i < n; i++) d[i] = r[i] + (k ? size / last : 0) * d[i];
    curve(p, d, Kd);
    const double curvature = dot(d, Kd, n);
    good = curvature > 0;
    if (!good) break;
    for (int i = 0; i < n; i++) r[i] -= size / curvature * Kd[i];
    last = size;
  }
  free(r);
  free(d);
  free(Kd);
  return good;
}

/* True if K is positive definite at x, on ker G or everywhere. */
static bool is_convex(const projection *p, bool everywhere) {
  bool good;
  if (p->band && cst_stationary_band_is_positive(p->band, p->c, p->x, p->theta)) return true;
  if (p->J) {
    double *K = cst_linear_numbers((size_t)p->s->nq * (size_t)p->s->nq);
    fill_curvature(p, K, p->s->nq);
    if (!everywhere) restrict_curvature(p, K);
    good = is_positive(K, p->s->nq);
    free(K);
  } else {
    cst_schur S = {0};
    good = everywhere || cst_linear_schur_create(&S, p->s, p->G, NULL);
    good = good && is_curved_up(p, everywhere ? NULL : &S);
    cst_linear_schur_destroy(&S);
  }
  return good;
}

/* True if g = 0 is a single surface of degree two. */
static bool is_quadric(const cst_system *s) {
  const int degree = s->ng == 1 ? cst_graph_degree(s->graph, s->g[0], 'q') : -1;
  return degree >= 0 && degree <= 2;
}

/* ---- positions ------------------------------------------------------------------------------- */

static void restart(projection *p) {
  memcpy(p->x, p->q, sizeof *p->x * (size_t)p->s->nq);
  memset(p->theta, 0, sizeof *p->theta * (size_t)p->s->ng);
}

/* True if x satisfies the constraints to round-off. Fills g and G at x. */
static bool arrived(projection *p) {
  constraint(p->s, p->c, p->x, p->g);
  gradient(p->s, p->c, p->x, p->G);
  return relative(p) <= 16 * DBL_EPSILON;
}

/* x := a stationary point. A distant start goes through levels of g, four times as many in each attempt. */
static bool find_stationary(projection *p) {
  for (int parts = 1; parts <= MOST_LEVELS; parts *= 4) {
    bool good = true;
    restart(p);
    for (int k = 1; k <= parts && good; k++) good = reach_level(p, (double)(parts - k) / parts);
    if (good && arrived(p)) return true;
  }
  return false;
}

/* x := the minimum that is reached from x = q as g decreases to 0, in steps that keep it a minimum. */
static bool follow_minimum(projection *p, bool everywhere) {
  const size_t nq = (size_t)p->s->nq, ng = (size_t)p->s->ng;
  double      *x = cst_linear_numbers(nq), *theta = cst_linear_numbers(ng), level = 1, step = 0.25;
  restart(p);
  for (int k = 0; k < MOST_LEVELS && level > 0 && step >= LEAST_LEVEL; k++) {
    const double next = fmax(0, level - step);
    memcpy(x, p->x, sizeof *x * nq);
    memcpy(theta, p->theta, sizeof *theta * ng);
    const bool reached = reach_level(p, next);
    if (reached) arrived(p); /* for G at x */
    if (reached && is_convex(p, everywhere)) {
      level = next;
      step *= 2;
    } else {
      memcpy(p->x, x, sizeof *x * nq);
      memcpy(p->theta, theta, sizeof *theta * ng);
      step /= 2;
    }
  }
  free(x);
  free(theta);
  return level <= 0 && arrived(p);
}

static double distance(const projection *p) {
  double sum = 0;
  for (int i = 0; i < p->s->nq; i++) sum += (p->x[i] - p->q[i]) * (p->x[i] - p->q[i]);
  return sqrt(sum);
}

/* x := the projection of q. */
static bool project_position(projection *p) {
  const size_t bytes = sizeof *p->x * (size_t)p->s->nq;
  const bool   found = find_stationary(p);
  if (found && is_convex(p, true)) return true;
  const bool   quadric = is_quadric(p->s), local = found && !quadric && is_convex(p, false);
  const double away = local ? distance(p) : INFINITY;
  double      *x = cst_linear_numbers((size_t)p->s->nq);
  memcpy(x, p->x, bytes);
  const bool nearer = follow_minimum(p, quadric) && distance(p) < away * (1 - NEARER);
  if (!nearer) memcpy(p->x, x, bytes);
  free(x);
  return nearer || local;
}

/* Elimination within the band also finds saddle points, of which there are many far from the manifold.
 * Conjugate gradients avoid directions of negative curvature. */
static bool find_position(projection *p) {
  if (project_position(p)) return true;
  if (!p->band) return false;
  cst_stationary_band_destroy(p->band);
  p->band = NULL;
  return project_position(p);
}

/* v := v - M^-1 G'mu with G v + phi0 = 0; twice, the second time for the round-off of the first. */
static void remove_normal(const cst_system *s, const double *G, const double *phi0, const cst_mass *M,
                          const cst_schur *S, double *v) {
  const cst_pattern *P = &s->pattern[CST_K_G];
  double            *mu = cst_linear_numbers((size_t)s->ng), *d = cst_linear_numbers((size_t)s->nq);
  for (int pass = 0; pass < 2; pass++) {
    cst_linear_pattern_times(P, G, v, mu);
    for (int a = 0; a < s->ng && s->affine; a++) mu[a] += phi0[a];
    cst_linear_schur_solve(S, mu);
    memset(d, 0, sizeof *d * (size_t)s->nq);
    cst_linear_pattern_add_transposed(P, G, mu, d);
    cst_linear_mass_solve(M, d);
    for (int i = 0; i < s->nq; i++) v[i] -= d[i];
  }
  free(mu);
  free(d);
}

static bool project_velocity(const cst_system *s, const double *c, const double *q, double *v) {
  double   *G = cst_linear_numbers((size_t)s->pattern[CST_K_G].n), *phi0 = cst_linear_numbers((size_t)s->ng);
  cst_mass  M;
  cst_schur S = {0};
  bool      good = cst_linear_mass_create(&M, s, c, q);
  gradient(s, c, q, G);
  cst_system_eval(s, CST_K_phi0, c, q, NULL, NULL, NULL, NULL, phi0);
  good = good && cst_linear_schur_create(&S, s, G, &M);
  if (good) remove_normal(s, G, phi0, &M, &S, v);
  for (int i = 0; i < s->nq && good; i++) good = isfinite(v[i]);
  cst_linear_schur_destroy(&S);
  cst_linear_mass_destroy(&M);
  free(G);
  free(phi0);
  return good;
}

bool cst_system_project(const cst_system *s, const double *c, double *q, double *v) {
  const size_t bytes = sizeof(double) * (size_t)s->nq;
  if (!s->ng) return true;
  projection p = begin(s, c, q);
  double    *u = cst_linear_numbers((size_t)s->nq);
  memcpy(u, v, bytes);
  const bool good = find_position(&p) && project_velocity(s, c, p.x, u);
  if (good) {
    memcpy(q, p.x, bytes);
    memcpy(v, u, bytes);
  }
  free(u);
  end(&p);
  return good;
}

void cst_system_tangential(const cst_system *s, const double *c, const double *q, double *p) {
  if (!s->ng) return;
  double   *G = cst_linear_numbers((size_t)s->pattern[CST_K_G].n);
  cst_schur S;
  gradient(s, c, q, G);
  const bool good = cst_linear_schur_create(&S, s, G, NULL);
  /* the second pass removes the round-off of the first */
  for (int pass = 0; pass < 2 && good; pass++) project_tangent(s, G, &S, p);
  for (int i = 0; i < s->nq && !good; i++) p[i] = NAN;
  cst_linear_schur_destroy(&S);
  free(G);
}
