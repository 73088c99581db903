/* symmetry-motions.c: whether the symmetries of a system move its bodies by motions of space and turns in
 * their own axes, with which the exponential of SE(3) commutes; or by turns of space alone, with which every
 * retraction of rotations does. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "method/symmetry.h"

enum { POINTS = 3 };

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
  for (int b = 0; b < s->nbodies; b++) {
    double *R = q + s->bodies[b].rotation;
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
  for (int point = 0; point < POINTS; point++) {
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
  for (int b = 0; b < s->nbodies; b++)
    if (s->bodies[b].centre >= 0)
      all &= moves_body(s, c, &s->bodies[b]);
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
    for (int b = 0; b < s->nbodies; b++)
      all &= turns(&s->bodies[b], at + k * s->nq, q, xi + k * s->nq);
  free(q);
  free(at);
  free(xi);
  return all;
}
