/* body.c: rigid bodies: the mass of their coordinates, and the validity of an inertia. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "system/read/system-reader.h"

enum { AXES = 3 };
/* relative to the largest moment: round-off of sums of squares of lengths */
static const double ROUNDING = 1e-12;

/* J = tr(I)/2 1 - I: its diagonal is half of (I2 + I3 - I1), which is exactly 0 if I1 = I2 + I3 is exact. */
void cst_body_block(const cst_system *s, const cst_body *b, cst_node J[9]) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  cst_graph       *g = s->model->graph;
  for (int e = 0; e < 9; e++) {
    const int      a = e / AXES;
    const int      next = (a + 1) % AXES;
    const int      last = (a + 2) % AXES;
    const cst_node own = b->inertia[place[e]];
    if (a != e % AXES)
      J[e] = cst_graph_neg(g, own);
    else {
      const cst_node second = b->inertia[place[4 * next]];
      const cst_node third = b->inertia[place[4 * last]];
      const cst_node sum = cst_graph_add(g, second, third);
      const cst_node twice = cst_graph_sub(g, sum, own);
      const cst_node half = cst_graph_constant(g, 0.5);
      J[e] = cst_graph_mul(g, half, twice);
    }
  }
}

/* Principal moments of a symmetric matrix, ascending, by Jacobi's method. */
static void principal(const double inertia[9], double I[3]) {
  double A[9];
  memcpy(A, inertia, sizeof A);
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < AXES; q++) {
        if (A[3 * p + q] == 0)
          continue;
        const double beside = A[3 * p + q];
        const double theta = (A[4 * q] - A[4 * p]) / (2 * beside);
        const double size = fabs(theta) + sqrt(theta * theta + 1);
        const double t = (theta < 0 ? -1 : 1) / size;
        const double c = 1 / sqrt(t * t + 1);
        const double s = t * c;
        for (int i = 0; i < AXES; i++) {
          const double x = A[3 * i + p];
          const double y = A[3 * i + q];
          A[3 * i + p] = c * x - s * y;
          A[3 * i + q] = s * x + c * y;
        }
        for (int i = 0; i < AXES; i++) {
          const double x = A[3 * p + i];
          const double y = A[3 * q + i];
          A[3 * p + i] = c * x - s * y;
          A[3 * q + i] = s * x + c * y;
        }
        A[3 * p + q] = 0;
        A[3 * q + p] = 0;
      }
  for (int a = 0; a < AXES; a++)
    I[a] = A[4 * a];
  for (int a = 0; a < AXES; a++)
    for (int b = a + 1; b < AXES; b++)
      if (I[b] < I[a]) {
        const double x = I[a];
        I[a] = I[b];
        I[b] = x;
      }
}

bool cst_body_is_wrong(const double inertia[9], char *why, int n) {
  CST_REQUIRE(inertia && (why || n <= 0), true);
  double I[3], size = 0;
  for (int e = 0; e < 9; e++) {
    size = fmax(size, fabs(inertia[e]));
    if (isfinite(inertia[e]))
      continue;
    snprintf(why, (size_t)n, "an entry is %g; all must be finite", inertia[e]);
    return true;
  }
  principal(inertia, I);
  if (!(I[0] > ROUNDING * size))
    snprintf(why, (size_t)n, "the principal moments are %.10g, %.10g, %.10g; all must be positive",
             I[0], I[1], I[2]);
  else if (!(I[2] <= I[0] + I[1] + ROUNDING * I[2]))
    snprintf(why, (size_t)n,
             "the principal moments are %.10g, %.10g, %.10g; none may be larger than the sum of "
             "the other two",
             I[0], I[1], I[2]);
  else
    return false;
  return true;
}

bool cst_body_is_flat(const double inertia[9]) {
  CST_REQUIRE(inertia, false);
  double I[3];
  principal(inertia, I);
  return I[0] + I[1] - I[2] <= ROUNDING * I[2];
}
