/* hand-chain.c: RATTLE written by hand for a chain of equal beads (pendulum-chain), as the limit that long
 * systems are measured against.
 *
 * The same scheme as src/method/core/kick.c: unknown impulses, only h multiplies, Newton with warm start,
 * frozen by its own test. What a person may use who writes for chains only is used: a row of G is one
 * difference of neighbours, Newton's matrix is tridiagonal and is made while it is eliminated, masses, force
 * and scales are constant, nothing can fail. Compiled as plain C for one trajectory (CST_W 1) and once a
 * width for lanes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#if CST_W == 1
typedef double real;
typedef int    mask;
#define LESS(a, b)  ((a) <= (b))
#define KEEP(m, a)  (a)
#define ANY(m)      (m)
#define ABS(a)      fabs(a)
#define ALL_DONE    1
#define NOT_DONE(m) (!(m))
#else
#include "constella/lanes.h"
typedef vd real;
typedef vl mask;
#define LESS(a, b)  (vl)((a) <= (b))
#define KEEP(m, a)  vkeep(m, a)
#define ANY(m)      vany(m)
#define ABS(a)      vabs(a)
#define ALL_DONE    vmask(1)
#define NOT_DONE(m) (~(m))
#endif

static const double mass = 1, gravity = 1, tolerance = 1e-14;

/* Of one group: q, p and impulses are in the state; u, w: half a row of G at the left and right end of the
 * step, the link's vector. */
typedef struct {
  int   n;
  real *x, *y, *px, *py, *l; /* [n] */
  real *ux, *uy, *wx, *wy, *x1, *y1, *qx, *qy, *f, *factor, *inverse, *scale;
} chain;

static void links(const real *x, const real *y, real *ux, real *uy, int n) {
  ux[0] = x[0], uy[0] = y[0];
  for (int i = 1; i < n; i++)
    ux[i] = x[i] - x[i - 1], uy[i] = y[i] - y[i - 1];
}

/* Ends of the drift under the impulses l, links and residuals there; which lanes are done. */
static mask drift(const chain *c, double h) {
  const real *restrict x = c->x, *restrict y = c->y, *restrict px = c->px, *restrict py = c->py,
                       *restrict l = c->l, *restrict ux = c->ux, *restrict uy = c->uy,
                       *restrict scale = c->scale;
  real *restrict x1 = c->x1, *restrict y1 = c->y1, *restrict qx = c->qx, *restrict qy = c->qy,
                 *restrict wx = c->wx, *restrict wy = c->wy, *restrict f = c->f;
  const double hm = h / mass, kick = 0.5 * h * mass * gravity;
  const real   zero = l[0] - l[0];
  real         tx = 2 * (ux[0] * l[0]), ty = 2 * (uy[0] * l[0]), lastx = zero, lasty = zero;
  mask         done = ALL_DONE;
  for (int i = 0; i < c->n; i++) {
    real nextx = zero, nexty = zero;
    if (i + 1 < c->n)
      nextx = 2 * (ux[i + 1] * l[i + 1]), nexty = 2 * (uy[i + 1] * l[i + 1]);
    const real rx = px[i] - tx + nextx, ry = py[i] - kick - ty + nexty;
    const real ax = x[i] + hm * rx, ay = y[i] + hm * ry, dx = ax - lastx, dy = ay - lasty,
               r = dx * dx + dy * dy - HAND_CHAIN_LENGTH2;
    qx[i] = rx, qy[i] = ry, x1[i] = ax, y1[i] = ay, wx[i] = dx, wy[i] = dy, f[i] = r;
    done &= LESS(ABS(r), tolerance * scale[i]);
    tx = nextx, ty = nexty, lastx = ax, lasty = ay;
  }
  return done;
}

/* f := S^-1 f with S = (h/m) 4 times the Gram matrix of the links (wx, wy) with (ux, uy), made row by row as
 * it is eliminated. */
static void solve(const chain *c, double h, const real *wx, const real *wy, const real *ux,
                  const real *uy) {
  real *restrict f = c->f, *restrict factor = c->factor, *restrict inverse = c->inverse;
  const double k = 4 * h / mass;
  const int    n = c->n;
  real         r = 1 / (k * (wx[0] * ux[0] + wy[0] * uy[0])), above, last = f[0];
  inverse[0] = r;
  for (int a = 1; a < n; a++) {
    above = -k * (wx[a - 1] * ux[a] + wy[a - 1] * uy[a]);
    const real below = -k * (wx[a] * ux[a - 1] + wy[a] * uy[a - 1]), m = below * r;
    r = 1 / (2 * k * (wx[a] * ux[a] + wy[a] * uy[a]) - m * above);
    inverse[a] = r, factor[a] = above;
    f[a] = last = f[a] - m * last;
  }
  f[n - 1] = last = last * inverse[n - 1];
  for (int a = n - 2; a >= 0; a--)
    f[a] = last = (f[a] - factor[a + 1] * last) * inverse[a];
}

/* The half kick at the right end and the part of p along the chain's freedom. */
static void finish(const chain *c, double h) {
  const double kick = 0.5 * h * mass * gravity, hm = h / mass;
  real *restrict px = c->px, *restrict py = c->py, *restrict f = c->f;
  const real *restrict wx = c->wx, *restrict wy = c->wy;
  const int n = c->n;
  for (int i = 0; i < n; i++)
    px[i] = c->qx[i], py[i] = c->qy[i] - kick;
  f[0] = 2 * hm * (wx[0] * px[0] + wy[0] * py[0]);
  for (int a = 1; a < n; a++)
    f[a] = 2 * hm * (wx[a] * (px[a] - px[a - 1]) + wy[a] * (py[a] - py[a - 1]));
  solve(c, h, wx, wy, wx, wy);
  for (int a = 0; a + 1 < n; a++) {
    px[a] -= 2 * (wx[a] * f[a]) - 2 * (wx[a + 1] * f[a + 1]);
    py[a] -= 2 * (wy[a] * f[a]) - 2 * (wy[a + 1] * f[a + 1]);
  }
  px[n - 1] -= 2 * (wx[n - 1] * f[n - 1]);
  py[n - 1] -= 2 * (wy[n - 1] * f[n - 1]);
  memcpy(c->x, c->x1, (size_t)n * sizeof(real));
  memcpy(c->y, c->y1, (size_t)n * sizeof(real));
}

/* The scales |G| |q| of the start. */
static void scales(const chain *c) {
  for (int a = 0; a < c->n; a++) {
    c->scale[a] = 2 * (ABS(c->ux[a]) * ABS(c->x[a]) + ABS(c->uy[a]) * ABS(c->y[a]));
    if (a > 0)
      c->scale[a] += 2 * (ABS(c->ux[a]) * ABS(c->x[a - 1]) + ABS(c->uy[a]) * ABS(c->y[a - 1]));
  }
}

static long group(chain *c, double h, long steps) {
  long iterations = 0;
  links(c->x, c->y, c->ux, c->uy, c->n);
  scales(c);
  for (long k = 0; k < steps; k++) {
    for (int it = 0; it < 25; it++) {
      mask active = NOT_DONE(drift(c, h));
      if (!ANY(active))
        break;
      solve(c, h, c->wx, c->wy, c->ux, c->uy);
      for (int a = 0; a < c->n; a++)
        c->l[a] += KEEP(active, c->f[a]);
      iterations++;
    }
    finish(c, h);
    real *x = c->ux, *y = c->uy;
    c->ux = c->wx, c->uy = c->wy, c->wx = x, c->wy = y;
  }
  return iterations;
}

long HAND_SYMBOL(double *state, int groups, int n, double h, long steps) {
  enum { FIELDS = 12 };
  chain  c = {.n = n};
  real **field[FIELDS] = {&c.ux, &c.uy, &c.wx, &c.wy,     &c.x1,      &c.y1,
                          &c.qx, &c.qy, &c.f,  &c.factor, &c.inverse, &c.scale};
  real  *room;
  long   iterations = 0;
  if (posix_memalign((void **)&room, 64, sizeof(real) * FIELDS * (size_t)n))
    abort();
  for (int k = 0; k < groups; k++) {
    real *s = (real *)state + (size_t)k * 5 * (size_t)n;
    for (int i = 0; i < FIELDS; i++)
      *field[i] = room + (size_t)i * (size_t)n;
    c.x = s, c.y = s + n, c.px = s + 2 * n, c.py = s + 3 * n, c.l = s + 4 * n;
    iterations += group(&c, h, steps);
  }
  free(room);
  return iterations;
}
