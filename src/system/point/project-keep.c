/* project-keep.c: projection onto the constraints with some coordinates and velocities held (see keep.h).
 *
 *   x = q + F G(x)'theta,  g(x) = 0;     v := v - F (F M F)^-1 F G'mu,  G v + phi0 = 0
 *
 * F has the coordinates that are free, those of q and of v apart. Constraints without a free coordinate are left
 * out: they hold already, or the caller finds that they do not.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "core/boundary.h"
#include "system/point/keep.h"
#include "system/point/linear.h"

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
  if (mass && s->kernel_size[CST_K_M])
    cst_system_matrix(s, CST_K_M, h->c, h->x, NULL, h->N);
  else if (mass) {
    double *m = cst_linear_numbers(nq);
    cst_linear_masses(s, h->c, m);
    for (int i = 0; i < nq; i++)
      h->N[i * nq + i] = m[i];
    free(m);
  }
  if (mass && s->massless)
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
    const bool    out = !(cst_linear_dot(row, row, nq) > 0) || (s->dropped && s->dropped[a]);
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
static bool find_position(held *h, const double *q) {
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
  if (s->affine)
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
  bool good = find_position(&h, q);
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
