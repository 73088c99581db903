/* steppers.c: steppers whose properties are known by construction, for jobs/certify/truths: compiled once for each of them with
 * -DKIND=NAME. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/user-stepper.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };
typedef struct {
  const cst_stepper_system *s;
  int                       begun;
  double                    q[MOST], v[MOST]; /* what a stepper keeps between steps */
} state;
typedef void step_of(state *x, double h, double *q, double *v);

/* The classical Runge-Kutta method with these weights of its stages, and this point of the third one. */
static void runge(const cst_stepper_system *s, double h, double *q, double *v, const double b[4],
                  double third) {
  const double a[4] = {0, 0.5, third, 1};
  double       K[4][2][MOST], x[2][MOST];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < s->nq; j++) {
      x[0][j] = q[j] + (i ? h * a[i] * K[i - 1][0][j] : 0);
      x[1][j] = v[j] + (i ? h * a[i] * K[i - 1][1][j] : 0);
    }
    memcpy(K[i][0], x[1], sizeof x[1]);
    s->acceleration(s, x[0], x[1], K[i][1]);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < s->nq; j++)
      q[j] += h * b[i] * K[i][0][j], v[j] += h * b[i] * K[i][1][j];
}

static void rk4(state *x, double h, double *q, double *v) {
  runge(x->s, h, q, v, (double[]){1. / 6, 1. / 3, 1. / 3, 1. / 6}, 0.5);
}

/* Five digits of the weights. */
static void digits(state *x, double h, double *q, double *v) {
  runge(x->s, h, q, v, (double[]){0.16667, 0.33333, 0.33333, 0.16667}, 0.5);
}

static void third(state *x, double h, double *q, double *v) {
  runge(x->s, h, q, v, (double[]){1. / 6, 1. / 3, 1. / 3, 1. / 6}, 0.4999);
}

/* rk4, then the point alone onto a sphere about the origin. */
static void projected(state *x, double h, double *q, double *v) {
  double g, r = 0;
  rk4(x, h, q, v);
  for (int j = 0; j < x->s->nq; j++)
    r += q[j] * q[j];
  x->s->constraints(x->s, q, &g);
  for (int j = 0; j < x->s->nq; j++)
    q[j] *= sqrt((r - g) / r);
}

static void kick(const cst_stepper_system *s, double h, const double *q, double *v) {
  double A[MOST];
  s->acceleration(s, q, v, A);
  for (int j = 0; j < s->nq; j++)
    v[j] += h * A[j];
}

static void verlet(const cst_stepper_system *s, double h, double *q, double *v, double last) {
  kick(s, h / 2, q, v);
  for (int j = 0; j < s->nq; j++)
    q[j] += h * v[j];
  kick(s, h * last, q, v);
}

/* The second kick is 0.002 % short. */
static void brief(state *x, double h, double *q, double *v) { verlet(x->s, h, q, v, 0.49999); }

/* Leapfrog whose velocities are read half a step later. */
static void staggered(state *x, double h, double *q, double *v) {
  if (!x->begun)
    memcpy(x->v, v, sizeof *v * (size_t)x->s->nq);
  x->begun = 1;
  verlet(x->s, h, q, x->v, 0.5);
  memcpy(v, x->v, sizeof *v * (size_t)x->s->nq);
  kick(x->s, h / 2, q, v);
}

/* The implicit midpoint rule, of which two iterations are made from the start. */
static void twice(state *x, double h, double *q, double *v) {
  double A[MOST], w[MOST], y[MOST], u[MOST];
  int    n = x->s->nq;
  memcpy(w, v, sizeof *v * (size_t)n);
  x->s->acceleration(x->s, q, v, A);
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < n; j++)
      y[j] = q[j] + h / 2 * w[j], u[j] = v[j] + h / 2 * A[j];
    x->s->acceleration(x->s, y, u, A);
    memcpy(w, u, sizeof *u * (size_t)n);
  }
  for (int j = 0; j < n; j++)
    q[j] += h * w[j], v[j] += h * A[j];
}

/* Adams and Bashforth's method of order 2, begun by Euler's. */
static void adams(state *x, double h, double *q, double *v) {
  double A[MOST], w[MOST];
  x->s->acceleration(x->s, q, v, A);
  memcpy(w, v, sizeof *v * (size_t)x->s->nq);
  for (int j = 0; j < x->s->nq; j++) {
    q[j] += x->begun ? h * (1.5 * w[j] - 0.5 * x->q[j]) : h * w[j];
    v[j] += x->begun ? h * (1.5 * A[j] - 0.5 * x->v[j]) : h * A[j];
    x->q[j] = w[j], x->v[j] = A[j];
  }
  x->begun = 1;
}

/* Forest and Ruth's triple jump of leapfrog, whose gammas are off in the fifth digit; their sum is 1. */
static void forest(state *x, double h, double *q, double *v) {
  const double g = 1 / (2 - cbrt(2)) + 1e-5;
  verlet(x->s, g * h, q, v, 0.5);
  verlet(x->s, (1 - 2 * g) * h, q, v, 0.5);
  verlet(x->s, g * h, q, v, 0.5);
}

/* Leapfrog that begins with the drift, which is longer by 1e-7 of it. */
static void longer(state *x, double h, double *q, double *v) {
  for (int j = 0; j < x->s->nq; j++)
    q[j] += h / 2 * v[j];
  kick(x->s, h, q, v);
  for (int j = 0; j < x->s->nq; j++)
    q[j] += (0.5 + 1e-7) * h * v[j];
}

/* rk4 with a drag of h^3. */
static void dragged(state *x, double h, double *q, double *v) {
  rk4(x, h, q, v);
  for (int j = 0; j < x->s->nq; j++)
    v[j] *= 1 - h * h * h * fabs(h);
}

/* Leapfrog whose second kick takes the forces of the step before. */
static void late(state *x, double h, double *q, double *v) {
  if (!x->begun)
    x->s->acceleration(x->s, q, v, x->v);
  x->begun = 1;
  for (int j = 0; j < x->s->nq; j++)
    v[j] += h * x->v[j], q[j] += h * v[j];
  x->s->acceleration(x->s, q, v, x->v);
}

static int begin(const cst_stepper_system *s, const double *c, unsigned long seed, void **own) {
  state *x = calloc(1, sizeof *x);
  (void)c, (void)seed;
  if (!x || s->nq > MOST)
    return free(x), 1;
  x->s = s, *own = x;
  return 0;
}

static int step(void *own, double t, double h, double *q, double *v, double *lambda) {
  step_of *const        all[] = {rk4,   digits, third,  projected, brief,   staggered,
                                 twice, adams,  forest, longer,    dragged, late},
                 *const one = KIND;
  (void)t, (void)lambda, (void)all;
  one(own, h, q, v);
  return 0;
}

static int copy(void *own, void **other) {
  *other = malloc(sizeof(state));
  return *other ? (memcpy(*other, own, sizeof(state)), 0) : 1;
}

const cst_stepper_method cst_user_stepper = {CST_STEPPER_VERSION, begin, step, copy, free};
