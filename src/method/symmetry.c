/* symmetry.c: properties of a system's symmetries, tested at points (q, v) in general position. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/symmetry.h"
#include <math.h>
#include <stdlib.h>
#include "core/need.h"

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
  const cst_pattern *P = &s->model->pattern[CST_K_xi];
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
  double *at[2] = {numbers(s->model->pattern[CST_K_xi].n), numbers(s->model->pattern[CST_K_xi].n)};
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
  const int degree = cst_graph_degree(s->model->graph, n, 'q');
  return degree >= 0 && degree <= most;
}

static bool are_polynomials(const cst_system *s) {
  bool all = true;
  for (int k = 0; k < s->nsym; k++) {
    all &= is_of_degree(s, s->model->gauge[k], 2);
    for (int i = 0; i < s->nq; i++)
      all &= is_of_degree(s, s->model->xi[k * s->nq + i], 1);
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
  const cst_kernel_id slope = cst_has(s, CST_SEPARABLE) ? CST_K_dV : CST_K_Lq;
  cst_system_eval(s, slope, c, x.q, x.v, NULL, NULL, NULL, x.Lq);
  for (int i = 0; i < s->nq && slope == CST_K_dV; i++)
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
    if (cst_graph_depends(s->model->graph, s->model->xi[k], 'q'))
      return false;
  return true;
}

/* ---- motions --------------------------------------------------------------------------------- */

/* Whether the symmetries of a system move its bodies by motions of space and turns in
 * their own axes, with which the exponential of SE(3) commutes; or by turns of space alone, with which every
 * retraction of rotations does. */

enum { BODY_POINTS = 3 };

/* Numbers between -1 and 1. */
static double scattered(int point, int i) {
  const double x = 0.6180339887498949 * (i + 1) + 0.4142135623730951 * (point + 1);
  return 2 * (x - floor(x)) - 1;
}

static void turn_of(int point, int b, double *R) {
  double e[4], sum = 0;
  for (int i = 0; i < 4; i++) {
    e[i] = scattered(point, 4 * b + i + 100);
    sum += e[i] * e[i];
  }
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(sum);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = 1 - 2 * (e[j] * e[j] + e[k] * e[k]);
    R[3 * i + j] = 2 * (e[i] * e[j] - e[3] * e[k]);
    R[3 * j + i] = 2 * (e[i] * e[j] + e[3] * e[k]);
  }
}

/* q: the bodies turned (point >= 0) or not, other coordinates scattered or 0. */
static void place(const cst_system *s, int point, double *q) {
  for (int i = 0; i < s->nq; i++)
    q[i] = point < 0 ? 0 : scattered(point, i);
  for (int b = 0; b < s->model->nbodies; b++) {
    double *R = q + s->model->bodies[b].rotation;
    for (int e = 0; e < 9; e++)
      R[e] = e % 4 == 0;
    if (point >= 0)
      turn_of(point, b, R);
  }
}

static void cross(const double *x, const double *y, double *z) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    z[i] = x[j] * y[k] - x[k] * y[j];
  }
}

/* The changes of a body along one symmetry: its centre by shift + turn x c, R by turn^ R + R own^. */
typedef struct {
  double shift[3], turn[3], own[3];
} motion;

/* From the generators at the untouched place and with the centre at e1, e2, e3. */
static motion motion_of(const cst_body *b, const double *at, const double *const along[3]) {
  const double *A = at + b->rotation;
  motion        m;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m.shift[i] = at[b->centre + i];
    m.turn[i] = along[j][b->centre + k] - at[b->centre + k];
    m.own[i] = (A[3 * k + j] - A[3 * j + k]) / 2 - m.turn[i];
  }
  return m;
}

/* Whether the generator xi at q is that motion. */
static bool is_motion(const cst_body *b, const motion *m, const double *q, const double *xi) {
  const double *R = q + b->rotation, *c = q + b->centre;
  double        way[3], row[3], off = 0;
  cross(m->turn, c, way);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    off = fmax(off, fabs(xi[b->centre + i] - m->shift[i] - way[i]));
    cross(R + 3 * i, m->own, row); /* row i of R own^ */
    for (int l = 0; l < 3; l++)
      off = fmax(off, fabs(xi[b->rotation + 3 * i + l] - row[l] -
                           (m->turn[j] * R[3 * k + l] - m->turn[k] * R[3 * j + l])));
  }
  return off < 1e-10;
}

/* Generators [nsym][nq] at the untouched place, with the centre of body b moved along axis (-1: not). */
static double *generators(const cst_system *s, const double *c, const cst_body *b, int axis) {
  double *q = cst_zeros(s->nq + 1, sizeof *q), *xi = cst_zeros(s->nsym * s->nq + 1, sizeof *xi);
  place(s, -1, q);
  if (axis >= 0)
    q[b->centre + axis] = 1;
  cst_system_matrix(s, CST_K_xi, c, q, NULL, xi);
  free(q);
  return xi;
}

static bool moves_body(const cst_system *s, const double *c, const cst_body *b) {
  double *at = generators(s, c, b, -1), *along[3], *q = cst_zeros(s->nq + 1, sizeof *q),
         *xi = cst_zeros(s->nsym * s->nq + 1, sizeof *xi);
  bool good = true;
  for (int a = 0; a < 3; a++)
    along[a] = generators(s, c, b, a);
  for (int point = 0; point < BODY_POINTS; point++) {
    place(s, point, q);
    cst_system_matrix(s, CST_K_xi, c, q, NULL, xi);
    for (int k = 0; k < s->nsym; k++) {
      const double *const from[3] = {along[0] + k * s->nq, along[1] + k * s->nq,
                                     along[2] + k * s->nq};
      const motion        m = motion_of(b, at + k * s->nq, from);
      good &= is_motion(b, &m, q, xi + k * s->nq);
    }
  }
  for (int a = 0; a < 3; a++)
    free(along[a]);
  free(at);
  free(q);
  free(xi);
  return good;
}

bool cst_symmetry_moves_bodies(const cst_system *s) {
  double c[CST_MAX_PAR];
  bool   all = true;
  cst_system_defaults(s, NULL, c);
  for (int b = 0; b < s->model->nbodies; b++)
    if (s->model->bodies[b].centre >= 0)
      all &= moves_body(s, c, &s->model->bodies[b]);
  return all;
}

/* Whether the generator xi at q turns R by turn^ R, with the turn of the generator `at` at R = 1. */
static bool turns(const cst_body *b, const double *at, const double *q, const double *xi) {
  const double *A = at + b->rotation, *R = q + b->rotation;
  double        turn[3], off = 0;
  for (int i = 0; i < 3; i++)
    turn[i] = A[3 * ((i + 2) % 3) + (i + 1) % 3];
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 3; l++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      off = fmax(off, fabs(xi[b->rotation + 3 * i + l] -
                           (turn[j] * R[3 * k + l] - turn[k] * R[3 * j + l])));
    }
  return off < 1e-10;
}

bool cst_symmetry_turns_space(const cst_system *s) {
  double  c[CST_MAX_PAR];
  double *q = cst_zeros(s->nq + 1, sizeof *q), *at = cst_zeros(s->nsym * s->nq + 1, sizeof *at),
         *xi = cst_zeros(s->nsym * s->nq + 1, sizeof *xi);
  bool all = true;
  cst_system_defaults(s, NULL, c);
  place(s, -1, q);
  cst_system_matrix(s, CST_K_xi, c, q, NULL, at);
  place(s, 0, q);
  cst_system_matrix(s, CST_K_xi, c, q, NULL, xi);
  for (int k = 0; k < s->nsym; k++)
    for (int b = 0; b < s->model->nbodies; b++)
      all &= turns(&s->model->bodies[b], at + k * s->nq, q, xi + k * s->nq);
  free(q);
  free(at);
  free(xi);
  return all;
}
