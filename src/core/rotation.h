/* rotation.h: rotations over lanes: the Cayley map and the exponential, and the action of their derivatives
 * on momenta.
 *
 *   tau(x) = 1 + k1 x^ + k2 x^^2
 *   (dR tau_x^-1)' y = y + x cross y / 2 + c1 x (x.y) - c2 y |x|^2
 *   dL tau_x = t0 - t1 x^ + t2 x^^2
 *
 * with x^ y = x cross y and numbers that depend on s = |x|^2.
 *
 *   Cayley, (1 - x^/2)^-1 (1 + x^/2): k1 = 1/(1 + s/4) = 2 k2, c1 = 1/4, c2 = 0
 *   the exponential, t = sqrt s:      k1 = sin t / t, k2 = (1 - cos t)/s, t2 = (t - sin t)/t^3,
 *                                     c1 = c2 = (1 - (t/2) cot(t/2))/s, below s = 1 by power series in s
 *
 * Source: Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, Acta Numerica 9 (2000).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ROTATION_H
#define CST_ROTATION_H
#include "constella/lanes.h"

CST_INLINE vd cst_dot(const vd *x, const vd *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

CST_INLINE void cst_cross(const vd *x, const vd *y, vd *z) {
  z[0] = x[1] * y[2] - x[2] * y[1];
  z[1] = x[2] * y[0] - x[0] * y[2];
  z[2] = x[0] * y[1] - x[1] * y[0];
}

/* sum += x cross y. */
CST_INLINE void cst_add_cross(const vd *x, const vd *y, vd *sum) {
  sum[0] += x[1] * y[2] - x[2] * y[1];
  sum[1] += x[2] * y[0] - x[0] * y[2];
  sum[2] += x[0] * y[1] - x[1] * y[0];
}

/* The coefficients of tau at one x, and the derivative of c1 = c2 with respect to s. */
typedef struct {
  vd s, k1, k2, c1, c2, dc, t0, t1, t2;
  vd off, fall; /* c2 s, and its derivative with respect to s */
} cst_retraction;

CST_INLINE cst_retraction cst_cayley(vd s) {
  const vd k1 = 1.0 / (1.0 + 0.25 * s), k2 = 0.5 * k1;
  return (cst_retraction){s,  k1, k2,      vset(0.25), vset(0), vset(0),
                          k1, k2, vset(0), vset(0),    vset(0)};
}

/* sum a[i] s^i. */
CST_INLINE vd cst_series(const double *a, int n, vd s) {
  vd sum = vset(a[n - 1]);
  CST_UNROLL
  for (int i = n - 2; i >= 0; i--)
    sum = sum * s + a[i];
  return sum;
}

static __attribute__((noinline, unused)) cst_retraction cst_exponential(vd s) {
  enum { N = 10, M = 11 };
  /* 1/(2i + 1)!, 1/(2i + 2)! and 1/(2i + 3)! with alternating signs; |B_2i|/(2i)! from i = 1 on */
  /* clang-format off */
  static const double first[N] = {
      1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
      -1.0 / 1307674368000, 1.0 / 355687428096000, -1.0 / 121645100408832000};
  static const double second[N] = {
      1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600,
      1.0 / 87178291200, -1.0 / 20922789888000, 1.0 / 6402373705728000,
      -1.0 / 2432902008176640000};
  static const double third[N - 1] = {
      1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800,
      1.0 / 1307674368000, -1.0 / 355687428096000, 1.0 / 121645100408832000};
  static const double c[M] = {
      1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160, 691 / 1307674368000.0,
      1.0 / 74724249600, 3617 / 10670622842880000.0, 43867 / 5109094217170944000.0,
      174611 / 802857662698291200000.0, 77683 / 14101100039391805440000.0};
  static const double dc[M - 1] = {
      1.0 / 720, 2.0 / 30240, 3.0 / 1209600, 4.0 / 47900160, 5 * 691 / 1307674368000.0,
      6.0 / 74724249600, 7 * 3617 / 10670622842880000.0, 8 * 43867 / 5109094217170944000.0,
      9 * 174611 / 802857662698291200000.0, 10 * 77683 / 14101100039391805440000.0};
  /* clang-format on */
  cst_retraction r = {s,
                      cst_series(first, N, s),
                      cst_series(second, N, s),
                      cst_series(c, M, s),
                      vset(0),
                      cst_series(dc, M - 1, s),
                      vset(1),
                      vset(0),
                      cst_series(third, N - 1, s),
                      vset(0),
                      vset(0)};
  const vl       far = (vl)(s > 1);
  if (vany(far)) {
    const vd t = vsqrt(s), k1 = vsin(t) / t, half = vsin(0.5 * t), k2 = 2 * (half * half) / s,
             cot = k1 / (2 * k2), d = (1 - cot) / s;
    const vd dk1 = ((1 - s * k2) - k1) / (2 * s), dk2 = (0.5 * k1 - k2) / s;
    r.k1 = vselect(far, k1, r.k1);
    r.k2 = vselect(far, k2, r.k2);
    r.t2 = vselect(far, (1 - k1) / s, r.t2);
    r.c1 = vselect(far, d, r.c1);
    r.dc = vselect(far, -((dk1 * k2 - k1 * dk2) / (2 * k2 * k2) + d) / s, r.dc);
  }
  r.t1 = r.k2;
  r.c2 = r.c1;
  r.off = r.c2 * r.s;
  r.fall = r.c2 + r.dc * r.s;
  return r;
}

/* The turn about x with tan(angle / 2) = f |x| / 2, for f and its derivatives at s: the Cayley map of f x.
 * With e = f + 2 s f' and a = 1/f, (dR tau_x^-1)' = a + x^/2 + c1 x x', c1 = f/4 - 2 f' (1 + s f^2/4) / (f
 * e), since a change dx moves f x by f dx + 2 f' x (x.dx). dL tau_x is the inverse of the same. */
static __attribute__((noinline, unused)) cst_retraction cst_retraction_of(vd s, vd f, vd df,
                                                                          vd ddf) {
  const vd whole = 1.0 + 0.25 * (f * f) * s, k1 = f / whole;
  const vd e = f + 2 * (s * df), fe = f * e, a = 1.0 / f;
  const vd N = 2 * (df * whole), D = df * (s * f) + 0.5 * (f * f);
  const vd dN = 2 * (ddf * whole) + df * D, dfe = df * e + f * (3 * df + 2 * (s * ddf));
  const vd c1 = 0.25 * f - N / fe, dc = 0.25 * df - (dN * fe - N * dfe) / (fe * fe);
  const vd flat = a * a + 0.25 * s, t0 = 1.0 / (a + c1 * s);
  return (cst_retraction){.s = s,
                          .k1 = k1,
                          .k2 = 0.5 * (f * k1),
                          .c1 = c1,
                          .dc = dc,
                          .t0 = t0,
                          .t1 = 0.5 / flat,
                          .t2 = (0.25 - a * c1) * t0 / flat,
                          .off = 1.0 - a,
                          .fall = df * (a * a)};
}

/* y := tau(x)' y; with y a row of R also y := y tau(x). */
CST_INLINE void cst_turn(const cst_retraction *r, const vd *x, vd *y) {
  vd z[3], w[3];
  cst_cross(x, y, z);
  cst_cross(x, z, w);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    y[i] = (y[i] - r->k1 * z[i]) + r->k2 * w[i];
}

/* y := dL tau_x y; of the Cayley map t2 = 0. */
CST_INLINE void cst_tangent(const cst_retraction *r, int exponential, const vd *x, vd *y) {
  vd z[3], w[3];
  cst_cross(x, y, z);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    y[i] = r->t0 * y[i] - r->t1 * z[i];
  if (!exponential)
    return;
  cst_cross(x, z, w);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    y[i] += r->t2 * w[i];
}

/* z := (dR tau_x^-1)' y; of the Cayley map c2 = 0. */
CST_INLINE void cst_lift(const cst_retraction *r, int exponential, const vd *x, const vd *y,
                         vd *z) {
  const vd along = r->c1 * cst_dot(x, y), off = r->off;
  vd       w[3];
  cst_cross(x, y, w);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    z[i] = (y[i] + 0.5 * w[i]) + along * x[i];
  if (!exponential)
    return;
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    z[i] -= off * y[i];
}

/* R := R - R (R'R - 1)/2 for R[3][3] near SO(3): the distance from SO(3) is squared. */
CST_INLINE void cst_orthogonalize(vd *R) {
  vd E[3][3];
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    CST_UNROLL
    for (int j = i; j < 3; j++)
      E[i][j] = E[j][i] =
          0.5 * ((R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]) - (i == j ? 1.0 : 0.0));
  }
  CST_UNROLL
  for (int k = 0; k < 3; k++) {
    const vd a = R[3 * k], b = R[3 * k + 1], c = R[3 * k + 2];
    CST_UNROLL
    for (int j = 0; j < 3; j++)
      R[3 * k + j] -= a * E[0][j] + b * E[1][j] + c * E[2][j];
  }
}
#endif
