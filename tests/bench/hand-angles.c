/* hand-angles.c: RATTLE written by hand for the double pendulum in angles, as the limit of a general system.
 *
 * What a person may use who writes for this system only is used: masses, gravity and the upper length are 1,
 * the lower length is sqrt 2; the two velocities of a step are found in turn, each by Newton's method with a
 * matrix of two rows; the sines at the left end are kept. What the iterations start with is extrapolated from
 * the last three steps. Compiled as plain C for one trajectory (CST_W 1) and once a width.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include <math.h>
#if CST_W == 1
typedef double real;
#define SIN(x)      sin(x)
#define COS(x)      cos(x)
#define ABS(x)      fabs(x)
#define MAX(a, b)   ((a) > (b) ? (a) : (b))
#define KEEP(m, a)  ((m) ? (a) : 0.0)
#define ABOVE(a, b) ((a) > (b))
#define ANY(m)      (m)
typedef int mask;
#else
#include "constella/lanes.h"
typedef vd real;
typedef vl mask;
#define SIN         vsin
#define COS         vcos
#define ABS         vabs
#define MAX         vmax
#define KEEP        vkeep
#define ABOVE(a, b) (~(vl)((a) <= (b)))
#define ANY         vany
#endif

enum { MOST = 20 };
static const double ROUND = 2e-15,
                    B = 1.4142135623730951; /* M = (2, B c; B c, 2), V = -2 cos a - B cos b */

/* Half a step's velocity, and what it was in the last three steps: x, x - x', x - 2 x' + x''. */
typedef struct {
  real x, dx, ddx;
} start;

static inline __attribute__((always_inline)) void predict(start *s, real found) {
  const real d = found - s->x, dd = d - s->dx;
  s->x = found, s->dx = d, s->ddx = dd;
}

static inline __attribute__((always_inline)) real expected(const start *s) {
  return s->x + s->dx + s->ddx;
}

/* r0, r1 and their derivatives: one correction of (x, y) where they are too large; whether any was. */
#define CORRECT(x, y, size)                                                                        \
  {                                                                                                \
    const mask on = ABOVE(MAX(ABS(r0), ABS(r1)), ROUND * (size));                                  \
    if (!ANY(on))                                                                                  \
      break;                                                                                       \
    const real d = 1.0 / (j00 * j11 - j01 * j10);                                                  \
    x -= KEEP(on, (j11 * r0 - j01 * r1) * d), y -= KEEP(on, (j00 * r1 - j10 * r0) * d);            \
  }

void HAND_SYMBOL(double *state, int groups, double h, long n) {
  const double half = 0.5 * h;
  for (int g = 0; g < groups; g++) {
    real      *z = (real *)state + 4 * g, a = z[0], b = z[1], p = z[2], r = z[3];
    real       s = SIN(a - b), c = COS(a - b), sa = 2.0 * SIN(a), sb = B * SIN(b);
    const real det = 4.0 - (B * c) * (B * c), zero = p - p;
    start      U0 = {(2.0 * p - B * c * r) / det, zero, zero},
          U1 = {(2.0 * r - B * c * p) / det, zero, zero}, W0 = U0, W1 = U1;
    for (long k = 0; k < n; k++) {
      real       u0 = expected(&U0), u1 = expected(&U1), w0 = expected(&W0), w1 = expected(&W1);
      const real bc = B * c, hs = half * (B * s), size = MAX(MAX(ABS(p), ABS(r)), zero + 1.0);
      for (int it = 0; it < MOST; it++) {
        const real m = hs * (u0 * u1), r0 = 2.0 * u0 + bc * u1 + m + half * sa - p,
                   r1 = bc * u0 + 2.0 * u1 - m + half * sb - r;
        const real j00 = 2.0 + hs * u1, j01 = bc + hs * u0, j10 = bc - hs * u1, j11 = 2.0 - hs * u0;
        CORRECT(u0, u1, size)
      }
      const real P = 2.0 * u0 + bc * u1, R = bc * u0 + 2.0 * u1, q0 = a + half * u0,
                 q1 = b + half * u1;
      for (int it = 0; it < MOST; it++) {
        a = q0 + half * w0, b = q1 + half * w1, s = SIN(a - b), c = COS(a - b);
        const real t = half * (B * s), e = B * c, r0 = 2.0 * w0 + e * w1 - P,
                   r1 = e * w0 + 2.0 * w1 - R;
        const real j00 = 2.0 - t * w1, j01 = e + t * w1, j10 = e - t * w0, j11 = 2.0 + t * w0;
        CORRECT(w0, w1, size)
      }
      sa = 2.0 * SIN(a), sb = B * SIN(b);
      const real m = (B * s) * (w0 * w1);
      p = P - half * (m + sa), r = R + half * (m - sb);
      predict(&U0, u0), predict(&U1, u1), predict(&W0, w0), predict(&W1, w1);
    }
    z[0] = a, z[1] = b, z[2] = p, z[3] = r;
  }
}
