/* planar-pendulum.c: the motion of the planar pendulum from any start, by Jacobi's elliptic functions in
 * quadruple precision.
 *
 * x = L sin(theta), y = -L cos(theta), theta'' = -w^2 sin(theta), w^2 = g/L. With S = sin(theta/2), C =
 * cos(theta/2) the number
 *   k^2 = S^2 + theta'^2 / (4 w^2)
 * is constant, and
 *   k < 1:  S = k sn(wt + a, k),    C = dn,   theta' = 2 w k cn       (libration)
 *   k > 1:  S = sn(+-wkt + a, 1/k), C = cn,   theta' = +-2 w k dn     (rotation)
 *   k = 1:  both, with tanh and sech                                  (separatrix)
 * (Whittaker, Analytical Dynamics, section 44). The start gives sn, cn, dn of a. The addition theorem gives
 * the functions at later times, so no elliptic integral has to be inverted. lambda = m (|v|^2 - g y) / (2
 * L^2) follows from m q'' = -(0, m g) - 2 q lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "system/internal.h"

typedef __float128 quad;

typedef struct {
  quad sn, cn, dn;
} jacobi;

/* The half-angle and the angular velocity at a point of the motion. */
typedef struct {
  quad S, C, rate;
} phase;

enum { MAX_MEANS = 60 };

/* sn, cn, dn of u. Both m = k^2 and mc = 1 - k^2 are arguments so that neither suffers from cancellation.
 * Descending Landen transformation by the arithmetic-geometric mean (Abramowitz and Stegun 16.4). */
static jacobi elliptic(quad u, quad m, quad mc) {
  if (mc == 0)
    return (jacobi){tanhq(u), 1 / coshq(u), 1 / coshq(u)};
  quad ratio[MAX_MEANS + 1], a = 1;
  quad b = sqrtq(mc);
  quad c = 1;
  int  n = 0;
  while (n < MAX_MEANS && fabsq(c) > FLT128_EPSILON * a) {
    quad mean = (a + b) / 2;
    c = (a - b) / 2;
    b = sqrtq(a * b);
    a = mean;
    ratio[++n] = c / a;
  }
  quad angle = ldexpq(a * u, n);
  for (; n > 0; n--)
    angle = (angle + asinq(ratio[n] * sinq(angle))) / 2;
  quad cn = cosq(angle);
  return (jacobi){sinq(angle), cn, sqrtq(mc + m * cn * cn)};
}

/* The functions at the sum of two arguments. The denominator 1 - m sn^2 sn^2 is written as a sum of squares,
 * without cancellation. */
static jacobi add(jacobi u, jacobi a, quad m) {
  quad D = u.cn * u.cn + u.sn * u.sn * a.dn * a.dn;
  return (jacobi){(u.sn * a.cn * a.dn + a.sn * u.cn * u.dn) / D,
                  (u.cn * a.cn - u.sn * u.dn * a.sn * a.dn) / D,
                  (u.dn * a.dn - m * u.sn * u.cn * a.sn * a.cn) / D};
}

static phase librate(phase o, quad w, quad m, quad mc, quad t) {
  quad   k = sqrtq(m);
  jacobi a = {o.S / k, o.rate / (2 * w * k), o.C};
  jacobi f = add(elliptic(w * t, m, mc), a, m);
  return (phase){k * f.sn, f.dn, 2 * w * k * f.cn};
}

static phase rotate(phase o, quad w, quad m, quad mc, quad t) {
  quad   k = sqrtq(m);
  quad   speed = copysignq(2 * w * k, o.rate);
  jacobi a = {o.S, o.C, o.rate / speed};
  jacobi f = add(elliptic(speed / 2 * t, 1 / m, -mc / m), a, 1 / m);
  return (phase){f.sn, f.cn, speed * f.dn};
}

static phase turn_freely(phase o, quad t) {
  quad s = sinq(o.rate * t / 2);
  quad c = cosq(o.rate * t / 2);
  return (phase){o.S * c + o.C * s, o.C * c - o.S * s, o.rate};
}

/* The phase at time t of the motion with frequency w that starts at o. */
static phase move(phase o, quad w, quad t) {
  if (w == 0)
    return turn_freely(o, t);
  quad r = o.rate / (2 * w);
  quad m = o.S * o.S + r * r;
  quad mc = o.C * o.C - r * r;
  if (r == 0 && (o.S == 0 || o.C == 0))
    return o; /* at rest, hanging or upright */
  return mc >= 0 ? librate(o, w, m, mc, t) : rotate(o, w, m, mc, t);
}

/* sin(theta/2) and cos(theta/2) >= 0 for the direction (x, y), without cancellation. */
static phase phase_of(quad x, quad y, quad vx, quad vy, quad L) {
  quad r = sqrtq(x * x + y * y);
  quad far = sqrtq((r + fabsq(y)) / (2 * r));
  quad near = x / (2 * r * far);
  quad rate = (x * vy - y * vx) / (r * L);
  return y > 0 ? (phase){copysignq(far, x), fabsq(near), rate} : (phase){near, far, rate};
}

void cst_planar_pendulum_exact(const double *c, const double *q0, const double *v0, double t,
                               double *q, double *p, double *lambda) {
  /* a negative g is the mirror image */
  quad  m = c[0];
  quad  g = c[1];
  quad  L = fabsq((quad)c[2]);
  quad  up = g < 0 ? -1 : 1;
  phase o = phase_of(q0[0], up * q0[1], v0[0], up * v0[1], L);
  phase f = move(o, sqrtq(fabsq(g) / L), t);
  quad  sine = 2 * f.S * f.C;
  quad  cosine = f.C * f.C - f.S * f.S;
  quad  y = -up * L * cosine;
  q[0] = (double)(L * sine);
  q[1] = (double)y;
  p[0] = (double)(m * L * f.rate * cosine);
  p[1] = (double)(up * m * L * f.rate * sine);
  lambda[0] = (double)(m * (L * L * f.rate * f.rate - g * y) / (2 * L * L));
}
