/* turn.c: numeric rotations of bodies: angular velocities, and the update of a rotation by a rotation
 * vector.
 *
 *   omega = vee(R'R'),   R <- R exp(hat(x)),   exp(hat(x)) = 1 + sin(t)/t hat(x) + (1 - cos(t))/t^2 hat(x)^2
 *
 * with t = |x|.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"

enum { AXES = 3 };

/* Entry (i, j) of R'V. */
static double across(const double *R, const double *V, int i, int j) {
  return R[i] * V[j] + R[3 + i] * V[3 + j] + R[6 + i] * V[6 + j];
}

void cst_system_body_omega(const cst_body *b, const double *q, const double *v, double omega[3]) {
  CST_REQUIRE(b && q && v && omega);
  const double *R = q + b->rotation;
  const double *V = v + b->rotation;
  for (int a = 0; a < AXES; a++) {
    const int    i = (a + 1) % AXES;
    const int    j = (a + 2) % AXES;
    const double given = across(R, V, j, i);
    const double taken = across(R, V, i, j);
    omega[a] = 0.5 * (given - taken);
  }
}

/* E := exp(hat(x)), with 2 sin^2(t/2) for 1 - cos t to avoid cancellation. */
static void exponential(const double x[3], double E[9]) {
  double length = 0;
  for (int a = 0; a < AXES; a++)
    length += x[a] * x[a];
  const double t = sqrt(length);
  const double half = cst_elementary_sin(0.5 * t);
  const double s = t > 0 ? cst_elementary_sin(t) / t : 1;
  const double c = t > 0 ? 2 * half * half / (t * t) : 0.5;
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      const double product = x[a] * x[b];
      if (a == b) {
        E[4 * a] = 1 + c * (product - length);
        continue;
      }
      const bool   follows = (a + 1) % AXES == b;
      const double other = x[3 - a - b];
      const double turn = follows ? -other : other;
      E[3 * a + b] = s * turn + c * product;
    }
}

/* y := x E, for rows x and y of matrices. */
static void row_times(const double *x, const double E[9], double *y) {
  for (int j = 0; j < AXES; j++)
    y[j] = x[0] * E[j] + x[1] * E[3 + j] + x[2] * E[6 + j];
}

/* y := omega x x, for a row x of R. */
static void row_cross(const double *x, const double omega[3], double *y) {
  for (int j = 0; j < AXES; j++) {
    const int next = (j + 1) % AXES;
    const int last = (j + 2) % AXES;
    y[j] = omega[last] * x[next] - omega[next] * x[last];
  }
}

void cst_system_body_turn(const cst_body *b, const double x[3], const double omega[3], double *q,
                          double *v) {
  CST_REQUIRE(b && x && omega && q && v);
  double *R = q + b->rotation;
  double *V = v + b->rotation;
  double  E[9], turned[9];
  exponential(x, E);
  for (int a = 0; a < AXES; a++)
    row_times(R + 3 * a, E, turned + 3 * a);
  memcpy(R, turned, sizeof turned);
  for (int a = 0; a < AXES; a++)
    row_cross(R + 3 * a, omega, V + 3 * a);
}

/* The minor of rows 1 and 2 of R and the columns i and j. */
static double minor_of(const double *R, int i, int j) {
  return R[3 + i] * R[6 + j] - R[3 + j] * R[6 + i];
}

bool cst_system_body_is_reflected(const cst_body *b, const double *q) {
  CST_REQUIRE(b && q, false);
  const double *R = q + b->rotation;
  const double  one = R[0] * minor_of(R, 1, 2);
  const double  two = R[1] * minor_of(R, 0, 2);
  const double  three = R[2] * minor_of(R, 0, 1);
  return one - two + three < 0;
}
