/* test-length.c: the length over which each constraint bends, from its formula, for any origin; and residuals
 * relative to it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/system.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cst_system *make(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("text", text, strlen(text), NULL, 0, d);
  if (!OK(s && !cst_diag_count(d), "a description is read")) {
    cst_diag_print(d, stderr);
    exit(1);
  }
  cst_diag_destroy(d);
  return s;
}

static int near(double x, double y) { return fabs(x - y) <= 1e-12 * fabs(y); }

/* A rod of length 5 and a rail, with positions relative to a. */
static void test_cart(double a) {
  cst_system  *s = make("system: cart\ncoordinates: [X, Y, x, y]\nparameters: {a: 0}\nmass: [1, 1, "
                         "1, 1]\npotential: y\n"
                         "constraints: {rail: Y - a, rod: (x - X)^2 + (y - Y)^2 - 25}\nstates: "
                         "{default: {q: [a, a, a + 3, "
                         "a - 4], v: [0, 0, 0, 0]}}\n");
  const double c[1] = {a};
  double       q[4], v[4], length[2], raw, scaled;
  cst_system_state(s, 0, c, q, v);
  const double all = cst_system_lengths(s, c, q, length);
  OK(near(length[1], 5) && near(length[0], 5) && near(all, 5),
     "origin %g: the rod's length is its own, and the rail takes it (%g, %g, %g)", a, length[1],
     length[0], all);
  q[1] += 1e-3;
  cst_system_residuals(s, c, q, v, &raw, &scaled, NULL, NULL);
  OK(fabs(raw - 8e-3) < 1e-5 && fabs(scaled / 2e-4 - 1) < 1e-2,
     "origin %g: a point off the rail by 1e-3, a five-thousandth of the length (%g)", a, scaled);
  cst_system_destroy(s);
}

static void test_kinds(void) {
  static const struct {
    const char  *what, *constraint, *potential;
    const double length;
  } kinds[] = {
      {"a sphere: its radius", "(x - 3)^2 + (y + 1)^2 + z^2 - 4", "z", 2},
      {"a half axis that is scaled: the distance in the unit of the coordinate",
       "(2*(x - 3))^2 + (y + 1)^2 + z^2 - 4", "z", 2},
      {"the argument of a cosine: one radian, over its factor", "z - cos(4*x)", "z", 0.25},
      {"products and quotients", "x*y + 1/(z - 3) - 4", "z", -1},
      {"a linear constraint: the length of the potential", "y + 2*z", "(x - 1)^2/2 + y", 2},
      {"nothing that bends: 1", "y", "z", 1},
  };
  const double q[3] = {3, -1, 2};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char text[500];
    snprintf(
        text, sizeof text,
        "system: kind\ncoordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: %s\nconstraints: {g: "
        "%s}\nstates: {default: {q: [3, -1, 2], v: [0, 0, 0]}}\n",
        kinds[k].potential, kinds[k].constraint);
    cst_system  *s = make(text);
    double       length[1];
    const double wanted =
        kinds[k].length > 0 ? kinds[k].length : sqrt(9 + 1 + 1); /* x, y and z - 3 */
    cst_system_lengths(s, NULL, q, length);
    OK(near(length[0], wanted), "%s (%g, not %g)", kinds[k].what, length[0], wanted);
    cst_system_destroy(s);
  }
}

/* Residuals from the round-off of large coordinates are scaled by the coordinates, those from a drift by the
 * length. */
static void test_scaled(void) {
  cst_system *s =
      make("system: far\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y\nconstraints: {circle: "
           "(x - 1e6)^2 + y^2 - 1}\n"
           "states: {default: {q: [1e6 + 1, 0], v: [0, 1]}}\n");
  double q[2] = {1e6 + 1, 0}, v[2] = {0, 1}, raw, scaled;
  q[0] += 2e-10;
  cst_system_residuals(s, NULL, q, v, &raw, &scaled, NULL, NULL);
  OK(raw > 1e-10 && scaled < 1e-15, "round-off of a coordinate of 1e6 (%g, %g)", raw, scaled);
  q[0] = 1e6 + 1.001;
  cst_system_residuals(s, NULL, q, v, &raw, &scaled, NULL, NULL);
  OK(fabs(scaled / 1e-3 - 1) < 0.01, "a drift by a thousandth of the radius (%g)", scaled);
  q[0] = 1e6 + 0.6;
  q[1] = 0.8;
  v[0] = -0.8;
  v[1] = 0.6 * (1 + 2e-10);
  double gv;
  cst_system_residuals(s, NULL, q, v, NULL, NULL, NULL, &gv);
  OK(gv < 1e-10, "a velocity that is tangent to what is left of the digits (%g)", gv);
  v[1] = 0.601;
  cst_system_residuals(s, NULL, q, v, NULL, NULL, NULL, &gv);
  OK(gv > 1e-4, "one that is not (%g)", gv);
  cst_system_destroy(s);
}

int main(void) {
  test_cart(0);
  test_cart(1e6);
  test_kinds();
  test_scaled();
  return tap_done();
}
