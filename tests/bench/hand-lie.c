/* hand-lie.c: lie-rattle with the Cayley map written by hand for the heavy top, as the limit that the product
 * is measured against; compiled once a width.
 *
 * The scheme of src/method/core/lie.h for one body about the origin: x of each half of the drift by Newton's
 * method, every lane frozen by its own test, R repaired after the drift. What a person may use who writes for
 * one system only is used: inertia and force are constants, the halves are solved one after the other, a
 * matrix of order 3 is inverted by its cofactors, kicks of neighbouring steps are one, nothing is counted,
 * nothing can fail.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include "constella/lanes.h"
#include "core/dense.h"
#undef UNROLL
#define UNROLL CST_UNROLL

static const double I[3] = HAND_TOP_INERTIA, WEIGHT = HAND_TOP_WEIGHT;

CST_INLINE void cross(const vd *x, const vd *y, vd *z) {
  z[0] = x[1] * y[2] - x[2] * y[1];
  z[1] = x[2] * y[0] - x[0] * y[2];
  z[2] = x[0] * y[1] - x[1] * y[0];
}

/* y := cay(x)' y; k = 1/(1 + |x|^2/4). */
CST_INLINE void turn(vd k, const vd *x, vd *y) {
  vd z[3], w[3];
  cross(x, y, z);
  UNROLL
  for (int i = 0; i < 3; i++)
    w[i] = y[i] - 0.5 * z[i];
  cross(x, w, z);
  UNROLL
  for (int i = 0; i < 3; i++)
    y[i] -= k * z[i];
}

/* x with I x + x cross I x / 2 + x (x.I x) / 4 = h a. */
CST_INLINE void solve(double h, const vd *a, vd *x) {
  vd w[3], r[3], Ix[3], c[3], J[3][3], K[3][3];
  UNROLL
  for (int i = 0; i < 3; i++)
    w[i] = a[i] * (1 / I[i]);
  cross(w, a, c);
  UNROLL
  for (int i = 0; i < 3; i++)
    x[i] = (h / I[i]) * (a[i] - 0.5 * h * c[i]);
  for (int it = 0; it < 25; it++) {
    UNROLL
    for (int i = 0; i < 3; i++)
      Ix[i] = I[i] * x[i];
    const vd d = 0.25 * (x[0] * Ix[0] + x[1] * Ix[1] + x[2] * Ix[2]);
    vd       off = vset(0), size = vset(0);
    cross(x, Ix, c);
    UNROLL
    for (int i = 0; i < 3; i++) {
      r[i] = (Ix[i] + 0.5 * c[i] + d * x[i]) - h * a[i];
      off = vmax(vabs(r[i]), off);
      size = vmax(vabs(h * a[i]), size);
    }
    const vl active = ~(vl)(off <= (8 * EPS) * size);
    if (!vany(active))
      return;
    UNROLL
    for (int k = 0; k < 3; k++) {
      const int m = (k + 1) % 3, n = (k + 2) % 3;
      J[k][k] = (I[k] + d) + 0.5 * (x[k] * Ix[k]);
      J[m][k] = 0.5 * (x[m] * Ix[k] + x[n] * I[k] - Ix[n]);
      J[n][k] = 0.5 * (x[n] * Ix[k] - x[m] * I[k] + Ix[m]);
    }
    UNROLL
    for (int i = 0; i < 3; i++) {
      UNROLL
      for (int k = 0; k < 3; k++) {
        const int m = (i + 1) % 3, n = (i + 2) % 3, p = (k + 1) % 3, q = (k + 2) % 3;
        K[k][i] = J[m][p] * J[n][q] - J[m][q] * J[n][p];
      }
    }
    const vd inverse = 1.0 / (J[0][0] * K[0][0] + J[0][1] * K[1][0] + J[0][2] * K[2][0]);
    UNROLL
    for (int i = 0; i < 3; i++)
      x[i] -= vkeep(active, inverse * (K[i][0] * r[0] + K[i][1] * r[1] + K[i][2] * r[2]));
  }
}

CST_INLINE void repair(vd *R) {
  vd E[3][3];
  UNROLL
  for (int i = 0; i < 3; i++) {
    UNROLL
    for (int j = i; j < 3; j++)
      E[i][j] = E[j][i] =
          0.5 * ((R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]) - (i == j ? 1.0 : 0.0));
  }
  UNROLL
  for (int k = 0; k < 3; k++) {
    const vd a = R[3 * k], b = R[3 * k + 1], c = R[3 * k + 2];
    UNROLL
    for (int j = 0; j < 3; j++)
      R[3 * k + j] -= a * E[0][j] + b * E[1][j] + c * E[2][j];
  }
}

/* V = WEIGHT R33: its force by the body's turns is (-R32, R31, 0). */
CST_INLINE void kick(double h, const vd *R, vd *a) {
  a[0] += (h * WEIGHT) * R[7];
  a[1] -= (h * WEIGHT) * R[6];
}

/* n steps of h of one group; state is R[9], alpha[3]. */
static void group(vd *state, double h, long n) {
  vd R[9], a[3], x[3];
  UNROLL
  for (int e = 0; e < 9; e++)
    R[e] = state[e];
  UNROLL
  for (int i = 0; i < 3; i++)
    a[i] = state[9 + i];
  kick(0.5 * h, R, a);
  for (long k = 0; k < n; k++) {
    UNROLL
    for (int half = 0; half < 2; half++) {
      solve(0.5 * h, a, x);
      const vd k1 = 1.0 / (1.0 + 0.25 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
      UNROLL
      for (int i = 0; i < 3; i++)
        turn(k1, x, R + 3 * i);
      turn(k1, x, a);
    }
    repair(R);
    kick(k + 1 < n ? h : 0.5 * h, R, a);
  }
  UNROLL
  for (int e = 0; e < 9; e++)
    state[e] = R[e];
  UNROLL
  for (int i = 0; i < 3; i++)
    state[9 + i] = a[i];
}

void HAND_SYMBOL(double *state, int groups, double h, long n) {
  for (int k = 0; k < groups; k++)
    group((vd *)state + (size_t)k * 12, h, n);
}
