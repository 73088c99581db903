/* test-motion.c: motions in quadruple precision: order, invariants, comparison with exact motions, and the
 * rows of a reference. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>
#include "study/reference/motion.h"
#include "tap.h"

typedef __float128 quad;

static cst_system *make(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  if (!s)
    exit(1);
  return s;
}

/* q, v, p, lambda, each [CST_MAX_Q], of the motion from state 0 with its default parameters after n steps to
 * `end`. */
typedef struct {
  quad q[CST_MAX_Q], v[CST_MAX_Q], p[CST_MAX_Q], lambda[CST_MAX_G];
} point;

static bool solve(const cst_system *s, int stages, double end, long n, point *x) {
  double c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q];
  for (int i = 0; i < s->npar; i++)
    c[i] = s->parameter[i].value;
  cst_system_state(s, 0, c, q, v);
  cst_motion *m = cst_motion_create(s, stages, c, q, v);
  const bool  good = cst_motion_advance(m, (quad)end / n, n);
  cst_motion_state(m, x->q, x->v, x->p, x->lambda);
  cst_motion_destroy(m);
  return good;
}

static double apart(const quad *a, const quad *b, int n) {
  quad most = 0;
  for (int i = 0; i < n; i++)
    most = isnanq(a[i] - b[i]) ? (quad)INFINITY : fmaxq(most, fabsq(a[i] - b[i]));
  return (double)most;
}

/* The errors, against a run with twice as many stages, decrease by 2^order per halving, far below the
 * precision of doubles. */
static void test_order(const cst_system *s, double end) {
  point  exact, x;
  double error[4];
  bool   good = solve(s, 8, end, 64, &exact);
  for (int k = 0; k < 4; k++) {
    good &= solve(s, 4, end, 8L << k, &x);
    error[k] = apart(x.q, exact.q, s->nq);
  }
  const double order = log2(error[2] / error[3]);
  OK(good && error[3] < 1e-18 && fabs(order - 8) < 0.2,
     "%s: gauss(4) in quadruple precision has order 8 (%.3f), error %.1e", s->name, order,
     error[3]);
  good = solve(s, 8, end, 128, &x);
  OK(good && apart(x.q, exact.q, s->nq) < 1e-24 && apart(x.lambda, exact.lambda, s->ng) < 1e-22,
     "%s: gauss(8) with two steps agrees with itself to %.1e in q, %.1e in lambda", s->name,
     apart(x.q, exact.q, s->nq), apart(x.lambda, exact.lambda, s->ng));
}

/* A point on a sphere with gravity. */
static const char pendulum[] =
    "system: pendulum\ncoordinates: [x, y, z]\nparameters: {m: 1.5, g: 1}\nmass: "
    "[m, m, m]\npotential: m*g*z\n"
    "constraints: {sphere: x^2 + y^2 + z^2 - 1}\nstates:\n  default: {q: [0.6, 0, "
    "-0.8], v: [0.4, 0.5, 0.3]}\n";

/* With a mass that depends on q, and a magnetic field. */
static const char general[] =
    "system: general\ncoordinates: [a, b]\nmass: [[2, cos(a - b)], [cos(a - b), 1]]\ngyroscopic: "
    "[b/2, "
    "sin(a)]\n"
    "potential: -2*cos(a) - cos(b)\nstates:\n  default: {q: [0.3, 1.1], v: [0.5, -0.2]}\n";

static void test_orders(void) {
  cst_system *s = make(pendulum);
  test_order(s, 1);
  cst_system_destroy(s);
  s = make(general);
  test_order(s, 1);
  cst_system_destroy(s);
}

/* The start consists of doubles, so |q|^2 = 1 + 1e-16. This value, and the energy, are kept to all digits. */
static void test_invariants(void) {
  cst_system *s = make(pendulum);
  point       x;
  OK(solve(s, 8, 10, 400, &x), "pendulum: ten units of time");
  quad r0 = (quad)0.6 * (quad)0.6 + (quad)0.8 * (quad)0.8, r = 0, E = 0, E0 = 0;
  quad v0[3] = {0.4, 0.5, 0.3}, m = 1.5;
  for (int i = 0; i < 3; i++) {
    r += x.q[i] * x.q[i];
    E += m * x.v[i] * x.v[i] / 2;
    E0 += m * v0[i] * v0[i] / 2;
  }
  E += m * x.q[2];
  E0 += m * (quad)-0.8;
  /* the rate of |q|^2, nonzero in the last digits of doubles */
  quad rate = 2 * ((quad)0.6 * v0[0] - (quad)0.8 * v0[2]);
  OK(fabsq(r - r0 - 10 * rate) < 1e-24Q,
     "pendulum: |q|^2 is what the index-reduced equations make of the start (%.1e)",
     (double)(r - r0 - 10 * rate));
  OK(fabsq(E - E0) < 1e-15Q, "pendulum: energy (%.1e)", (double)(E - E0));
  OK(apart(x.p, x.v, 3) > 0 && fabsq(x.p[0] - m * x.v[0]) < 1e-32Q, "pendulum: p = m v");
  cst_system_destroy(s);
}

/* The exact motion of the planar pendulum is known for every start. */
static void test_exact(void) {
  cst_system *s = cst_catalogue_create("planar-pendulum");
  double      c[3], q0[2], v0[2], q[2], p[2], lambda, worst = 0;
  for (int i = 0; i < s->npar; i++)
    c[i] = s->parameter[i].value;
  cst_system_state(s, 0, c, q0, v0);
  cst_motion *m = cst_motion_create(s, 8, c, q0, v0);
  for (int k = 1; k <= 10; k++) {
    point x;
    cst_motion_advance(m, 0.0625Q, 8);
    cst_motion_state(m, x.q, x.v, x.p, x.lambda);
    cst_system_exact(s, 0, c, q0, v0, 0.5 * k, q, p, &lambda);
    for (int i = 0; i < 2; i++)
      worst = fmax(worst, fmax(fabs((double)(x.q[i] - q[i])), fabs((double)(x.p[i] - p[i]))));
    worst = fmax(worst, fabs((double)(x.lambda[0] - lambda)) / 2);
  }
  cst_motion_destroy(m);
  OK(worst < 2.5e-16, "planar-pendulum: the exact motion, rounded, is met to %.1e", worst);
  cst_system_destroy(s);
}

/* A motion that cannot be continued stays failed and reports it. */
static void test_lost(void) {
  cst_system *s = make("system: fall\ncoordinates: [x]\nmass: [1]\npotential: -1/x\nstates:\n  "
                       "default: {q: [1], v: [0]}\n");
  double      q = 1, v = 0;
  cst_motion *m = cst_motion_create(s, 4, NULL, &q, &v);
  OK(!cst_motion_advance(m, 0.25Q, 1000) && !cst_motion_advance(m, 1e-9Q, 1),
     "a fall into the centre is lost");
  cst_motion_destroy(m);
  cst_system_destroy(s);
}

int main(void) {
  test_orders();
  test_invariants();
  test_exact();
  test_lost();
  return tap_done();
}
