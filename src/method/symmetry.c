/* symmetry.c: properties of a system's symmetries, tested at points (q, v) in general position. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "method/symmetry.h"

enum { POINTS = 2 };

static double *numbers(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  cst_need(x);
  return x;
}

/* Entries t * (1, 2, ..) mod 1. */
static void scatter(double t, int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = t * (i + 1) - floor(t * (i + 1));
}

static double place_of(int point) { return 0.6180339887 * (point + 1); }

static bool vanishes(double sum, double size) { return fabs(sum) <= 1e-12 * size; }

/* ---- rigid ----------------------------------------------------------------------------------- */

/* Whether symmetry k, with generators at[0] at q = 0 and at[1] at q, satisfies q.(xi(q) - xi(0)) = 0. */
static bool is_rigid(const cst_system *s, int k, const double *q, double *const at[2]) {
  const cst_pattern *P = &s->pattern[CST_K_xi];
  double             sum = 0, size = 0;
  CST_EACH_ENTRY(P, k, e) {
    const double term = q[P->column[e]] * (at[1][e] - at[0][e]);
    sum += term;
    size += fabs(term);
  }
  return vanishes(sum, size);
}

bool cst_symmetry_is_rigid(const cst_system *s) {
  double  c[CST_MAX_PAR];
  double *q = numbers(s->nq);
  double *at[2] = {numbers(s->pattern[CST_K_xi].n), numbers(s->pattern[CST_K_xi].n)};
  bool    rigid = true;
  cst_system_defaults(s, NULL, c);
  cst_system_eval_at(s, CST_K_xi, c, q, at[0]);
  for (int point = 0; point < POINTS; point++) {
    scatter(place_of(point), s->nq, q);
    cst_system_eval_at(s, CST_K_xi, c, q, at[1]);
    for (int k = 0; k < s->nsym; k++)
      rigid &= is_rigid(s, k, q, at);
  }
  free(q);
  free(at[0]);
  free(at[1]);
  return rigid;
}

/* ---- quadratic ------------------------------------------------------------------------------- */

static bool is_of_degree(const cst_system *s, cst_node n, int most) {
  const int degree = cst_graph_degree(s->graph, n, 'q');
  return degree >= 0 && degree <= most;
}

static bool are_polynomials(const cst_system *s) {
  bool all = true;
  for (int k = 0; k < s->nsym; k++) {
    all &= is_of_degree(s, s->gauge[k], 2);
    for (int i = 0; i < s->nq; i++)
      all &= is_of_degree(s, s->xi[k * s->nq + i], 1);
  }
  return all;
}

/* A point with xi[k], D xi[k] v, L_q, L_v, and the rate of the gauge along v. */
typedef struct {
  double *q, *v, *xi, *turned, *Lq, *Lv, *G, *gauge;
} point;

static point point_of(const cst_system *s, const double *c, int index) {
  const int n = s->nsym * s->nq;
  point   x = {numbers(s->nq), numbers(s->nq),         numbers(n),      numbers(n), numbers(s->nq),
               numbers(s->nq), numbers(s->ng * s->nq), numbers(s->nsym)};
  double *at = numbers(s->nq);
  double *shift = numbers(n);
  double *back = numbers(s->nsym);
  scatter(place_of(index), s->nq, x.q);
  scatter(0.4142135624 * (index + 1), s->nq, x.v);
  cst_system_matrix(s, CST_K_xi, c, at, NULL, shift);
  cst_system_matrix(s, CST_K_xi, c, x.q, NULL, x.xi);
  cst_system_matrix(s, CST_K_xi, c, x.v, NULL, x.turned); /* xi is affine */
  for (int i = 0; i < n; i++)
    x.turned[i] -= shift[i];
  cst_system_momentum(s, c, x.q, x.v, x.Lv);
  cst_system_eval(s, s->general ? CST_K_Lq : CST_K_dV, c, x.q, x.v, NULL, NULL, NULL, x.Lq);
  for (int i = 0; i < s->nq && !s->general; i++)
    x.Lq[i] = -x.Lq[i];
  cst_system_matrix(s, CST_K_G, c, x.q, NULL, x.G);
  for (int i = 0; i < s->nq; i++)
    at[i] = x.q[i] + x.v[i];
  cst_system_eval_at(s, CST_K_gauge, c, at, x.gauge);
  for (int i = 0; i < s->nq; i++)
    at[i] = x.q[i] - x.v[i];
  cst_system_eval_at(s, CST_K_gauge, c, at, back);
  for (int k = 0; k < s->nsym; k++)
    x.gauge[k] = (x.gauge[k] - back[k]) / 2; /* the gauge is quadratic */
  free(at);
  free(shift);
  free(back);
  return x;
}

static void point_destroy(point *x) {
  free(x->q);
  free(x->v);
  free(x->xi);
  free(x->turned);
  free(x->Lq);
  free(x->Lv);
  free(x->G);
  free(x->gauge);
}

/* Whether L changes by the rate of the gauge along symmetry k, and no g changes. */
static bool is_symmetry(const cst_system *s, const point *x, int k) {
  const double *xi = x->xi + k * s->nq;
  const double *turned = x->turned + k * s->nq;
  double        sum = -x->gauge[k];
  double        size = fabs(x->gauge[k]);
  for (int i = 0; i < s->nq; i++) {
    sum += x->Lq[i] * xi[i] + x->Lv[i] * turned[i];
    size += fabs(x->Lq[i] * xi[i]) + fabs(x->Lv[i] * turned[i]);
  }
  bool all = vanishes(sum, size);
  for (int a = 0; a < s->ng; a++) {
    sum = size = 0;
    for (int i = 0; i < s->nq; i++) {
      sum += x->G[a * s->nq + i] * xi[i];
      size += fabs(x->G[a * s->nq + i] * xi[i]);
    }
    all &= vanishes(sum, size);
  }
  return all;
}

bool cst_symmetry_momenta_are_quadratic(const cst_system *s) {
  double c[CST_MAX_PAR];
  bool   all = are_polynomials(s);
  cst_system_defaults(s, NULL, c);
  for (int i = 0; i < POINTS && all; i++) {
    point x = point_of(s, c, i);
    for (int k = 0; k < s->nsym; k++)
      all &= is_symmetry(s, &x, k);
    point_destroy(&x);
  }
  return all;
}

/* ---- translations ---------------------------------------------------------------------------- */

bool cst_symmetry_is_translation(const cst_system *s) {
  for (int k = 0; k < s->nsym * s->nq; k++)
    if (cst_graph_depends(s->graph, s->xi[k], 'q'))
      return false;
  return true;
}
