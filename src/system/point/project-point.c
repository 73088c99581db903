/* project-point.c: projects a point onto the constraints: q in the Euclidean metric, then v in the metric of
 * M(q); a momentum p in the Euclidean metric.
 *
 *   x = q + G(x)' theta,  g(x) = 0,       v := v - M^-1 G' mu,  G v = 0
 *
 * stationary.c finds a stationary point of the distance. For a single quadric only the nearest point is
 * accepted, otherwise a local minimum. If the first result is not accepted, the minimum is followed from x =
 * q, where K = 1, through levels of g, in steps that keep it a minimum. If this fails too, the projection
 * fails. Of two minima the nearer one is taken.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "system/point/keep.h"
#include "system/point/linear.h"
#include "system/point/stationary.h"

enum { MOST_LEVELS = 256 };
static const double LEAST_LEVEL = 1. / 4096;
static const double NEARER = 1e-9;

/* The largest scaled |g_j| at x (cst_system_residuals) over all constraints, redundant ones included, with
 * the lengths at the start. */
static double relative(const cst_stationary *p) {
  const cst_pattern *P = &p->s->model->pattern[CST_K_G];
  double             most = 0;
  for (int j = 0; j < p->s->ng; j++) {
    double row = 0, far = 0;
    CST_EACH_ENTRY(P, j, e) {
      row += fabs(p->G[e]);
      far = fmax(far, fabs(p->x[P->column[e]]));
    }
    const double scale = row * p->length[j];
    const double r = cst_evaluate_scaled(p->g[j], scale, row * far);
    if (!(r <= most))
      most = r; /* keeps a NaN */
  }
  return most;
}

/* True if g = 0 is a single surface of degree two. */
static bool is_quadric(const cst_system *s) {
  if (s->ng != 1)
    return false;
  const int degree = cst_graph_degree(s->model->graph, s->model->g[0], 'q');
  return degree >= 0 && degree <= 2;
}

static void restart(cst_stationary *p) {
  cst_linear_copy(p->x, p->q, p->s->nq);
  cst_linear_clear(p->theta, p->s->ng);
}

/* True if x satisfies the constraints to round-off. Fills g and G at x. */
static bool arrived(cst_stationary *p) {
  const cst_system *s = p->s;
  cst_stationary_constraint(s, p->c, p->x, p->g);
  cst_stationary_gradient(s, p->c, p->x, p->G);
  return relative(p) <= 16 * DBL_EPSILON;
}

/* x := a stationary point. A distant start goes through levels of g, four times as many in each attempt. */
static bool find_stationary(cst_stationary *p) {
  for (int parts = 1; parts <= MOST_LEVELS; parts *= 4) {
    bool good = true;
    restart(p);
    for (int k = 1; k <= parts && good; k++) {
      const double level = (double)(parts - k) / parts;
      good = cst_stationary_reach(p, level);
    }
    if (good && arrived(p))
      return true;
  }
  return false;
}

/* x := the minimum that is reached from x = q as g decreases to 0, in steps that keep it a minimum. */
static bool follow_minimum(cst_stationary *p, bool everywhere) {
  const size_t nq = (size_t)p->s->nq;
  const size_t ng = (size_t)p->s->ng;
  double      *x = cst_linear_numbers(nq);
  double      *theta = cst_linear_numbers(ng);
  double       level = 1, step = 0.25;
  restart(p);
  for (int k = 0; k < MOST_LEVELS && level > 0 && step >= LEAST_LEVEL; k++) {
    const double next = fmax(0, level - step);
    cst_linear_copy(x, p->x, nq);
    cst_linear_copy(theta, p->theta, ng);
    const bool reached = cst_stationary_reach(p, next);
    if (reached)
      arrived(p); /* for G at x */
    if (reached && cst_stationary_is_minimum(p, everywhere)) {
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

static double distance(const cst_stationary *p) {
  double sum = 0;
  for (int i = 0; i < p->s->nq; i++) {
    const double d = p->x[i] - p->q[i];
    sum += d * d;
  }
  return sqrt(sum);
}

/* x := the cst_stationary of q. */
static bool project_position(cst_stationary *p) {
  const cst_system *s = p->s;
  const size_t      bytes = sizeof *p->x * (size_t)s->nq;
  const bool        found = find_stationary(p);
  if (found && cst_stationary_is_minimum(p, true))
    return true;
  const bool   quadric = is_quadric(s);
  const bool   local = found && !quadric && cst_stationary_is_minimum(p, false);
  const double away = local ? distance(p) : INFINITY;
  double      *x = cst_linear_numbers(s->nq);
  memcpy(x, p->x, bytes);
  const bool followed = follow_minimum(p, quadric);
  const bool nearer = followed && distance(p) < away * (1 - NEARER);
  if (!nearer)
    memcpy(p->x, x, bytes);
  free(x);
  return nearer || local;
}

/* Elimination within the band also finds saddle points, of which there are many far from the manifold.
 * Conjugate gradients avoid directions of negative curvature. */
static bool find_position(cst_stationary *p) {
  if (project_position(p))
    return true;
  if (!p->band)
    return false;
  cst_stationary_band_destroy(p->band);
  p->band = NULL;
  return project_position(p);
}

/* v := v - M^-1 G'mu with G v + phi0 = 0; twice, the second time for the round-off of the first. */
static void remove_normal(const cst_system *s, const double *G, const double *phi0,
                          const cst_mass *M, const cst_schur *S, double *v) {
  const int          ng = s->ng;
  const int          nq = s->nq;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *mu = cst_linear_numbers((size_t)(ng + nq));
  double            *d = mu + ng;
  for (int pass = 0; pass < 2; pass++) {
    cst_linear_pattern_times(P, G, v, mu);
    for (int a = 0; a < ng && cst_has(s, CST_AFFINE); a++)
      mu[a] += phi0[a];
    cst_linear_schur_solve(S, mu);
    cst_linear_clear(d, nq);
    cst_linear_pattern_add_transposed(P, G, mu, d);
    cst_linear_mass_solve(M, d);
    for (int i = 0; i < nq; i++)
      v[i] -= d[i];
  }
  free(mu);
}

bool cst_system_project_velocity(const cst_system *s, const double *c, const double *q, double *v) {
  const int ng = s->ng;
  double   *phi0 = cst_linear_numbers(ng + s->model->pattern[CST_K_G].n);
  double   *G = phi0 + ng;
  cst_mass  M;
  cst_schur S = {0};
  bool      good = cst_linear_mass_create(&M, s, c, q);
  cst_stationary_gradient(s, c, q, G);
  cst_system_eval_at(s, CST_K_phi0, c, q, phi0);
  good = good && cst_linear_schur_create(&S, s, G, &M);
  if (good)
    remove_normal(s, G, phi0, &M, &S, v);
  for (int i = 0; i < s->nq && good; i++)
    good = isfinite(v[i]);
  cst_linear_schur_destroy(&S);
  cst_linear_mass_destroy(&M);
  free(phi0);
  return good;
}

bool cst_system_project(const cst_system *s, const double *c, double *q, double *v) {
  CST_REQUIRE(s && (c || !s->npar) && q && v, false);
  const size_t bytes = sizeof(double) * (size_t)s->nq;
  if (!s->ng)
    return true;
  cst_stationary p = cst_stationary_begin(s, c, q);
  double        *u = cst_linear_numbers(s->nq);
  memcpy(u, v, bytes);
  const bool good = find_position(&p) && cst_system_project_velocity(s, c, p.x, u);
  if (good) {
    memcpy(q, p.x, bytes);
    memcpy(v, u, bytes);
  }
  free(u);
  cst_stationary_end(&p);
  return good;
}

void cst_system_tangential(const cst_system *s, const double *c, const double *q, double *p) {
  CST_REQUIRE(s && (c || !s->npar) && q && p);
  if (!s->ng)
    return;
  double   *G = cst_linear_numbers(s->model->pattern[CST_K_G].n);
  cst_schur S;
  cst_stationary_gradient(s, c, q, G);
  const bool good = cst_linear_schur_create(&S, s, G, NULL);
  /* the second pass removes the round-off of the first */
  for (int pass = 0; pass < 2 && good; pass++)
    cst_linear_project_tangent(s, G, &S, p);
  for (int i = 0; i < s->nq && !good; i++)
    p[i] = NAN;
  cst_linear_schur_destroy(&S);
  free(G);
}

/* ---- some coordinates and velocities held ---------------------------------------------------- */

/* The start moves in the others alone.
 *
 *   x = q + F G(x)'theta,  g(x) = 0;     v := v - F (F M F)^-1 F G'mu,  G v + phi0 = 0
 *
 * F has the coordinates that are free, those of q and of v apart. Constraints without a free coordinate are left
 * out: they hold already, or the caller finds that they do not.
 */

enum { MOST_ITERATIONS = 200 };
static const double CONSISTENT = 1e-10; /* scaled: a run refuses larger residuals */

typedef struct {
  const cst_system    *s;
  const double        *c;
  const unsigned char *keep; /* [nq], of q or of v */
  double              *x;    /* [nq] the point */
  double              *G;    /* [ng][nq] at x, 0 in columns that are kept */
  double *N;    /* [nq][nq] and its factors: the metric, with rows of 1 for what is kept */
  double *Y;    /* [ng][nq] N^-1 G' */
  double *S;    /* [ng][ng] G N^-1 G' */
  double *step; /* [ng] */
  int    *row;  /* [nq + ng] */
} held;

/* The rows of G at x, without the columns that are kept. */
static void take_rows(const held *h) {
  const int nq = h->s->nq;
  cst_system_matrix(h->s, CST_K_G, h->c, h->x, NULL, h->G);
  for (int a = 0; a < h->s->ng; a++)
    for (int i = 0; i < nq; i++)
      if (h->keep[i])
        h->G[a * nq + i] = 0;
}

/* N += sigma G'G, for coordinates without mass: what is projected on is the same. */
static void raise_metric(const held *h) {
  const int nq = h->s->nq;
  double    sigma = 0;
  for (int i = 0; i < nq; i++)
    sigma = fmax(sigma, h->N[i * (nq + 1)]);
  for (int a = 0; a < h->s->ng; a++)
    for (int i = 0; i < nq; i++)
      for (int k = 0; k < nq; k++)
        h->N[i * nq + k] += sigma * h->G[a * nq + i] * h->G[a * nq + k];
}

/* N := M at x, or 1; factored. Requires take_rows. */
static bool make_metric(const held *h, bool mass) {
  const cst_system *s = h->s;
  const int         nq = s->nq;
  cst_linear_clear(h->N, (long)nq * nq);
  if (mass && s->model->kernel_size[CST_K_M])
    cst_system_matrix(s, CST_K_M, h->c, h->x, NULL, h->N);
  else if (mass) {
    double *m = cst_linear_numbers(nq);
    cst_linear_masses(s, h->c, m);
    for (int i = 0; i < nq; i++)
      h->N[i * nq + i] = m[i];
    free(m);
  }
  if (mass && cst_has(s, CST_MASSLESS))
    raise_metric(h);
  for (int i = 0; i < nq; i++)
    for (int k = 0; k < nq; k++)
      if (!mass || h->keep[i] || h->keep[k])
        h->N[i * nq + k] = i == k;
  return cst_dense_factor(h->N, h->row, nq);
}

/* step := S^-1 step, for the rows of G that are enforced and not 0. */
static bool solve(const held *h) {
  const cst_system *s = h->s;
  const int         nq = s->nq, ng = s->ng;
  for (int a = 0; a < ng; a++) {
    cst_linear_copy(h->Y + (long)a * nq, h->G + (long)a * nq, nq);
    cst_dense_solve(h->N, h->row, nq, h->Y + (long)a * nq);
  }
  for (int a = 0; a < ng; a++) {
    const double *row = h->G + (long)a * nq;
    const bool    out = !(cst_linear_dot(row, row, nq) > 0) || !cst_system_enforces(s, a);
    for (int b = 0; b < ng; b++)
      h->S[a * ng + b] = out ? a == b : cst_linear_dot(row, h->Y + (long)b * nq, nq);
    if (out)
      h->step[a] = 0;
  }
  if (!cst_dense_factor(h->S, h->row + nq, ng))
    return false;
  cst_dense_solve(h->S, h->row + nq, ng, h->step);
  return true;
}

/* out += factor N^-1 G'step */
static void add_push(const held *h, double factor, double *out) {
  const int nq = h->s->nq;
  for (int a = 0; a < h->s->ng; a++)
    for (int i = 0; i < nq; i++)
      out[i] += factor * h->Y[a * nq + i] * h->step[a];
}

/* x := the projection of q. */
static bool find_position_beside(held *h, const double *q) {
  const cst_system *s = h->s;
  const int         nq = s->nq;
  double           *g = cst_linear_numbers(s->ng), size = 0, moved = INFINITY;
  bool              good = true;
  for (int i = 0; i < nq; i++)
    size = fmax(size, fabs(q[i]));
  for (int it = 0; it < MOST_ITERATIONS && good && moved > 4 * DBL_EPSILON * size; it++) {
    double last = moved;
    cst_system_eval_at(s, CST_K_g, h->c, h->x, g);
    take_rows(h);
    for (int a = 0; a < s->ng; a++) {
      h->step[a] = -g[a];
      for (int i = 0; i < nq; i++)
        h->step[a] -= h->G[a * nq + i] * (q[i] - h->x[i]);
    }
    good = make_metric(h, false) && solve(h);
    moved = 0;
    double *next = cst_linear_numbers(nq);
    cst_linear_copy(next, q, nq);
    if (good)
      add_push(h, 1, next);
    for (int i = 0; i < nq; i++) {
      moved = fmax(moved, fabs(next[i] - h->x[i]));
      good &= isfinite(next[i]);
      h->x[i] = next[i];
    }
    free(next);
    if (moved >= last && moved <= 1e-12 * size)
      break; /* at round-off */
  }
  free(g);
  return good && moved <= 1e-12 * size;
}

/* v := its projection at x; twice, the second time for the round-off of the first. */
static bool find_velocity(const held *h, double *v) {
  const cst_system *s = h->s;
  const int         nq = s->nq;
  double           *G = cst_linear_numbers((long)s->ng * nq), *phi0 = cst_linear_numbers(s->ng);
  cst_system_matrix(s, CST_K_G, h->c, h->x, NULL, G);
  cst_system_eval_at(s, CST_K_phi0, h->c, h->x, phi0);
  take_rows(h);
  bool good = make_metric(h, true);
  for (int pass = 0; pass < 2 && good; pass++) {
    for (int a = 0; a < s->ng; a++)
      h->step[a] = phi0[a] + cst_linear_dot(G + (long)a * nq, v, nq);
    good = solve(h);
    if (good)
      add_push(h, -1, v);
  }
  for (int i = 0; i < nq; i++)
    good &= isfinite(v[i]);
  free(G);
  free(phi0);
  return good;
}

/* Whether the constraints that were left out hold as well. */
static bool is_consistent(const held *h, const double *v) {
  double g, gv;
  cst_system_residuals(h->s, h->c, h->x, v, NULL, &g, NULL, &gv);
  return g <= CONSISTENT && gv <= CONSISTENT;
}

bool cst_system_project_kept(const cst_system *s, const double *c, const unsigned char *keep,
                             double *q, double *v) {
  CST_REQUIRE(s && (c || !s->npar) && keep && q && v, false);
  const long nq = s->nq, ng = s->ng;
  held       h = {.s = s, .c = c, .keep = keep};
  if (!ng || nq > CST_MOST_KEPT || ng > CST_MOST_KEPT)
    return !ng;
  h.x = cst_linear_numbers(2 * nq + 2 * ng * nq + nq * nq + ng * ng + ng);
  h.G = h.x + 2 * nq;
  h.N = h.G + ng * nq;
  h.Y = h.N + nq * nq;
  h.S = h.Y + ng * nq;
  h.step = h.S + ng * ng;
  h.row = cst_zeros((int)(nq + ng), sizeof *h.row);
  double *u = h.x + nq;
  cst_linear_copy(h.x, q, nq);
  cst_linear_copy(u, v, nq);
  bool good = find_position_beside(&h, q);
  h.keep = keep + nq;
  good = good && find_velocity(&h, u) && is_consistent(&h, u);
  if (good) {
    cst_linear_copy(q, h.x, nq);
    cst_linear_copy(v, u, nq);
  }
  free(h.x);
  free(h.row);
  return good;
}
