/* test-project.c: projection onto the constraints finds the nearest point or fails: on an ellipsoid, where
 * the nearest point is the root of one equation in one unknown, on a torus, and on many ellipses at once. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "system/system.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4000, MOST = 200, ELLIPSES = 60 };

static cst_system *make(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("project.yaml", text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  if (!s)
    exit(1);
  return s;
}

static double normal(int point, int i) {
  return cst_random_normal(11, (uint64_t)point, CST_PURPOSE_INITIAL_Q, 0, (uint32_t)i);
}

static double distance(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

/* The distance of q to sum (x_i / a_i)^2 = 1: x_i = q_i / (1 - t/a_i^2) for t below the least a_i^2, where
 * the sum grows with t. */
static double to_ellipsoid(const double *a, const double *q, int n) {
  double least = INFINITY, most = 0, x[3];
  for (int i = 0; i < n; i++) {
    least = fmin(least, a[i] * a[i]);
    most = fmax(most, a[i] * fabs(q[i]));
  }
  double low = -2 * most - least, high = least;
  for (int k = 0; k < 200; k++) {
    double t = (low + high) / 2, sum = 0;
    for (int i = 0; i < n; i++) {
      x[i] = q[i] / (1 - t / (a[i] * a[i]));
      sum += x[i] * x[i] / (a[i] * a[i]);
    }
    if (sum < 1)
      low = t;
    else
      high = t;
  }
  return distance(x, q, n);
}

static void test_ellipsoid(double spread) {
  static const double start[] = {0.9, 0.48, 0.448}, a[] = {1.5, 1, 0.7};
  cst_system *s = make("system: ell\ncoordinates: [x, y, z]\nmass: [1, 3, 0.5]\npotential: z\n"
                       "constraints: {e: x^2/2.25 + y^2 + z^2/0.49 - 1}\n"
                       "states: {default: {q: [0.9, 0.48, 0.448], v: [0, 0, 0]}}\n");
  int         made = 0, farther = 0;
  double      most = 0;
  for (int k = 0; k < POINTS; k++) {
    double q[3], x[3], v[3] = {0};
    for (int i = 0; i < 3; i++)
      x[i] = q[i] = start[i] + spread * normal(k, i);
    if (!cst_system_project(s, NULL, x, v))
      continue;
    const double ratio = distance(x, q, 3) / to_ellipsoid(a, q, 3);
    made++;
    farther += !(ratio < 1 + 1e-9);
    most = fmax(most, ratio);
  }
  OK(made >= POINTS - POINTS / 1000 && !farther,
     "ellipsoid, spread %g: %d of %d points made, %d of them not the nearest ones (%.3g times)",
     spread, made, (int)POINTS, farther, most);
  cst_system_destroy(s);
}

/* If two points are equally near, the projection fails. */
static void test_undecided(void) {
  cst_system *s = make("system: ellipse\ncoordinates: [x, y]\nmass: [1, 1]\npotential: "
                       "y\nconstraints: {e: x^2/4 + y^2 - 1}\n"
                       "states: {default: {q: [2, 0], v: [0, 0]}}\n");
  double      q[] = {0.3, 0}, v[] = {1, 2}, near[] = {0.3, 1e-3}, u[] = {0, 0};
  OK(!cst_system_project(s, NULL, q, v) && q[0] == 0.3 && q[1] == 0 && v[0] == 1 && v[1] == 2,
     "amid an ellipse: refused, and left alone");
  OK(cst_system_project(s, NULL, near, u) && near[1] > 0.9, "a little off it: the nearer side");
  cst_system_destroy(s);
}

/* The distance to a torus is also known. The torus is not a quadric, so the projection may miss the nearest
 * point, but must not find a maximum. */
static void test_torus(double spread) {
  cst_system *s = make("system: torus\ncoordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\n"
                       "constraints: {ring: (x^2 + y^2 + z^2 + 0.75)^2 - 4*(x^2 + y^2)}\n"
                       "states: {default: {q: [1.5, 0, 0], v: [0, 0, 0]}}\n");
  int         made = 0, farther = 0;
  for (int k = 0; k < POINTS; k++) {
    double q[3], x[3], v[3] = {0};
    for (int i = 0; i < 3; i++)
      x[i] = q[i] = (i == 0 ? 1.5 : 0) + spread * normal(k, i);
    if (!cst_system_project(s, NULL, x, v))
      continue;
    made++;
    farther += distance(x, q, 3) > fabs(hypot(hypot(q[0], q[1]) - 1, q[2]) - 0.5) + 1e-9;
  }
  OK(made >= POINTS - POINTS / 100 && !farther,
     "torus, spread %g: %d of %d points made, %d of them not the nearest ones", spread, made,
     (int)POINTS, farther);
  cst_system_destroy(s);
}

/* A large system with independent constraints. */
static void test_many(void) {
  static const double a[] = {2, 1};
  char                text[600];
  snprintf(
      text, sizeof text,
      "system: ellipses\ncoordinates: [\"x[%d]\", \"y[%d]\"]\nmass: [1, 1]\npotential: \"y[1]\"\n"
      "constraints: {e: {for: \"i = 1..%d\", expression: \"x[i]^2/4 + y[i]^2 - 1\"}}\n"
      "states: {default: {q: [2, 0], v: [0, 0]}}\n",
      ELLIPSES, ELLIPSES, ELLIPSES);
  cst_system *s = make(text);
  int         made = 0, farther = 0;
  double      q[MOST], x[MOST], v[MOST];
  for (int k = 0; k < 20; k++) {
    memset(v, 0, sizeof v);
    for (int i = 0; i < s->nq; i++)
      x[i] = q[i] = (i < ELLIPSES ? 1.2 : 0.8) + 0.25 * normal(k, i);
    if (!cst_system_project(s, NULL, x, v))
      continue;
    made++;
    for (int i = 0; i < ELLIPSES; i++) {
      const double from[] = {q[i], q[ELLIPSES + i]}, to[] = {x[i], x[ELLIPSES + i]};
      farther += distance(from, to, 2) > to_ellipsoid(a, from, 2) + 1e-9;
    }
  }
  OK(s->nq == 2 * ELLIPSES && made >= 15 && !farther,
     "%d ellipses: %d of 20 points made, %d not the nearest ones", (int)ELLIPSES, made, farther);
  cst_system_destroy(s);
}

int main(void) {
  test_ellipsoid(0.05);
  test_ellipsoid(0.15);
  test_ellipsoid(0.3);
  test_ellipsoid(0.5);
  test_undecided();
  test_torus(0.1);
  test_torus(0.2);
  test_many();
  return tap_done();
}
