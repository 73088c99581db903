/* hand-springs.c: Zhang and Skeel's full method written by hand for the double pendulum with springs for
 * rods, as the limit of penalty(zhang-skeel(beta=), omega=).
 *
 * What a person may use who writes for this system only is used: masses and gravity are 1, lengths are
 * constants, the Hessian's entries are few numbers (of the rod u = q1: 1 + 2 u u', of the rod w = q2 - q1),
 * and the matrix of four rows is eliminated in place. Compiled as plain C for one trajectory (CST_W 1) and
 * once a width for lanes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#if CST_W == 1
typedef double real;
#else
#include "constella/lanes.h"
typedef vd real;
#endif

/* F = a - 1/2 b^2 V'''[a, a] at q. */
static inline __attribute__((always_inline)) void force(const real *q, double b, double omega2,
                                                        real *f) {
  const real   x = q[0], y = q[1], u = q[2] - q[0], v = q[3] - q[1];
  const real   g = x * x + y * y - 1.0, k = u * u + v * v - 2.0;
  const real   gs = omega2 * g, ks = omega2 * k;
  const double B = b * omega2;
  /* grad V = (2 gs (x, y) - 2 ks (u, v), 2 ks (u, v)) + (0, 1, 0, 1); its Hessian's blocks 2 gs + 4 w^2 xx'
   * and 2 ks + 4 w^2 uu'. */
  const real   tx = 2.0 * ks * u, ty = 2.0 * ks * v;
  const real   g0 = 2.0 * gs * x - tx, g1 = 2.0 * gs * y - ty + 1.0, g2 = tx, g3 = ty + 1.0;
  const double s = 4.0 * B;
  const real   p = 2.0 * B * g, r = 2.0 * B * k;
  const real   w00 = r + s * u * u, w01 = s * u * v, w11 = r + s * v * v;
  const real   a00 = 1.0 + p + s * x * x + w00, a01 = s * x * y + w01,
             a11 = 1.0 + p + s * y * y + w11;
  const real a02 = -w00, a03 = -w01, a12 = -w01, a13 = -w11;
  real       a22 = 1.0 + w00, a23 = w01, a33 = 1.0 + w11;
  /* Elimination. */
  const real i0 = 1.0 / a00, f1 = a01 * i0, f2 = a02 * i0, f3 = a03 * i0;
  const real b11 = a11 - f1 * a01, b12 = a12 - f1 * a02, b13 = a13 - f1 * a03;
  const real i1 = 1.0 / b11, h2 = b12 * i1, h3 = b13 * i1;
  a22 -= f2 * a02 + h2 * b12, a23 -= f2 * a03 + h2 * b13, a33 -= f3 * a03 + h3 * b13;
  const real i2 = 1.0 / a22, k3 = a23 * i2, i3 = 1.0 / (a33 - k3 * a23);
  const real c0 = -g0, c1 = -g1 - f1 * c0, c2 = -g2 - f2 * c0 - h2 * c1,
             c3 = -g3 - f3 * c0 - h3 * c1 - k3 * c2;
  const real d3 = c3 * i3, d2 = c2 * i2 - k3 * d3, d1 = c1 * i1 - h2 * d2 - h3 * d3,
             d0 = c0 * i0 - f1 * d1 - f2 * d2 - f3 * d3;
  /* V'''[a, a] = w^2 sum 4 (grad g.a) A a + 2 (a'A a) grad g. */
  const double c = 4.0 * b * b * omega2;
  const real   e0 = d2 - d0, e1 = d3 - d1;
  const real   m = c * (x * d0 + y * d1), n = 0.5 * c * (d0 * d0 + d1 * d1),
             o = c * (u * e0 + v * e1), z = 0.5 * c * (e0 * e0 + e1 * e1);
  const real s0 = o * e0 + z * u, s1 = o * e1 + z * v;
  f[0] = d0 - (m * d0 + n * x - s0);
  f[1] = d1 - (m * d1 + n * y - s1);
  f[2] = d2 - s0;
  f[3] = d3 - s1;
}

void HAND_SYMBOL(double *state, int groups, double omega, double beta, double h, long n) {
  for (int k = 0; k < groups; k++) {
    real        *x = (real *)state + 8 * k, q[4], p[4], f[4];
    const double b = beta * h * h;
    for (int i = 0; i < 4; i++)
      q[i] = x[i], p[i] = x[4 + i];
    force(q, b, omega * omega, f);
    for (long step = 0; step < n; step++) {
      for (int i = 0; i < 4; i++)
        p[i] += 0.5 * h * f[i], q[i] += h * p[i];
      force(q, b, omega * omega, f);
      for (int i = 0; i < 4; i++)
        p[i] += 0.5 * h * f[i];
    }
    for (int i = 0; i < 4; i++)
      x[i] = q[i], x[4 + i] = p[i];
  }
}
