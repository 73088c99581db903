/* near-root.c: the continuation of a root from the step 0, of near-root.h, compiled once per instruction set. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/core/near-root.h"

/* Whether the quotient of two determinants is positive and between 1/most and most. */
static bool is_near(const cst_determinant *x, const cst_determinant *y, double most) {
  const long apart = x->exponent - y->exponent;
  if (!(apart > -64 && apart < 64))
    return false;
  const double quotient = ldexp(x->mantissa / y->mantissa, (int)apart);
  return quotient >= 1 / most && quotient <= most;
}

/* Where the continuation is in the step, from 0 to 1; the determinant there. */
typedef struct {
  double          at;
  cst_determinant matrix;
} place;

enum { MOST_CORRECTIONS = 12 };
static const double first_part = 0.125, least_part = 0x1p-34;

/* The size of the lane's unknowns x. */
static double size_of(int n, const vd *x, int lane) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i][lane]) <= most))
      most = fabs(x[i][lane]); /* keeps a NaN */
  return most;
}

/* Newton's method from x with the step of C. False unless every correction is at most half the one before and
 * the first one at most `most`. Leaves the fields of L at x. */
static bool contracts(const cst_context *C, struct local *L, int j, const cst_branch *b, int lane,
                      double most, vd *x, vd *f, vd *d) {
  const int n = b->unknowns;
  double    last = 2 * most;
  for (int it = 0; it < MOST_CORRECTIONS; it++) {
    const vl met = b->evaluate(C, L, j, x, f);
    if (met[lane] && it > 0)
      return true;
    b->direction(C, L, j, x, f, d);
    (*b->iterations)[lane] += 1;
    const double size = size_of(n, d, lane);
    const double of = size_of(n, x, lane);
    const bool   is_small = size <= 1e-10 * of;
    if (!(size <= 0.5 * last || is_small))
      return false;
    for (int i = 0; i < n; i++)
      x[i] += d[i];
    if (is_small && it > 0) {
      b->evaluate(C, L, j, x, f);
      return true;
    }
    last = size;
  }
  return false;
}

/* The substep has `part` of the length h. */
static void shorten(cst_lane_substep *sub, double part, vd h) { *(vd *)sub->h = part * h; }

/* Continues a lane's root from the step 0 to that of C, in parts that are halved where an iteration does not
 * contract or the determinant changes more than twofold, and doubled behind a success. was: the root. Returns
 * CST_STEP_TOO_LARGE where the determinant vanishes, or the least part is too large. */
static cst_reason seek_lane(const cst_context *C, struct local *L, int j, const cst_branch *b,
                            int lane, vd *x, vd *was, vd *before, vd *f, vd *d) {
  const int        n = b->unknowns;
  cst_march        part = *MARCH;
  cst_lane_substep sub = MARCH->sub[j];
  place            here = {least_part, {1, 0}}, last = {0, {1, 0}};
  double           by = first_part, scale = 0;
  bool             far = false;
  part.sub = &sub; /* substep 0 of this march */
  part.opens = 0;
  shorten(&sub, here.at, H(j));
  b->restart(&part.group, L, 0, was);
  b->evaluate(&part.group, L, 0, was, f);
  for (int i = 0; i < NQ; i++)
    far |= !(fabs(b->q1[i][lane] - b->q[i][lane]) <= 1e-6 * (1 + fabs(b->q[i][lane])));
  b->multiply(&part.group, L, 0, was, lane, &here.matrix);
  const cst_determinant first = here.matrix;
  while (here.at < 1) {
    place to = {fmin(1, here.at + by), {1, 0}};
    shorten(&sub, to.at, H(j));
    b->restart(&part.group, L, 0, x);
    double most = INFINITY;
    if (last.at > 0) {
      const double forth = (to.at - here.at) / (here.at - last.at);
      for (int i = 0; i < n; i++) {
        f[i] = forth * (was[i] - before[i]);
        x[i] = was[i] + f[i];
      }
      most = 0.5 * size_of(n, f, lane) + 0.05 * scale;
    }
    bool good = contracts(&part.group, L, 0, b, lane, most, x, f, d);
    if (good)
      b->multiply(&part.group, L, 0, x, lane, &to.matrix);
    good = good && is_near(&to.matrix, &here.matrix, last.at > 0 ? 2 : 1.25);
    if (good) {
      scale = fmax(scale, size_of(n, x, lane));
      for (int i = 0; i < n; i++) {
        before[i] = was[i];
        was[i] = x[i];
      }
      last = here;
      here = to;
      by *= 2;
    } else {
      by /= 2;
      if (by < least_part)
        return far || !is_near(&here.matrix, &first, 64) ? CST_STEP_TOO_LARGE : CST_NOT_CONVERGED;
    }
  }
  return CST_DONE;
}

/* The earlier lane that this one is a copy of, as those of a record that is padded are, or itself. */
static int original(const cst_context *C, int j, const cst_branch *b, int lane) {
  for (int l = 0; l < lane && NG > 0; l++) {
    bool same = H(j)[l] == H(j)[lane] && ORIGIN[l] == ORIGIN[lane] && SINCE[l] == SINCE[lane];
    for (int i = 0; i < NQ && same; i++)
      same = b->q[i][l] == b->q[i][lane];
    for (int i = 0; i < b->momenta && same; i++)
      same = b->p[i][l] == b->p[i][lane];
    for (int i = 0; i < NPAR && same; i++)
      same = b->c[i][l] == b->c[i][lane];
    for (int a = 0; a < NG && same; a++)
      same = b->slack[a][l] == b->slack[a][lane];
    if (same)
      return l;
  }
  return lane;
}

/* As near-root.h has it. */
static vl seek(const cst_context *C, struct local *L, int j, const cst_branch *b, vd *x, vd *space,
               vl *ended) {
  const int n = b->unknowns;
  vd *const y = space, *const was = y + n, *const before = was + n, *const f = before + n,
            *const d = f + n;
  vl               lost = vmask(0);
  const vd         so_far = *b->iterations;
  *ended = vmask(0);
  for (int l = 0; l < CST_W; l++) {
    const int as = original(C, j, b, l);
    if (as == l) {
      const cst_reason how = seek_lane(C, L, j, b, l, y, was, before, f, d);
      lost[l] = -(long)(how != CST_DONE);
      (*ended)[l] = -(long)(how == CST_STEP_TOO_LARGE);
      for (int i = 0; i < n; i++)
        x[i][l] = was[i][l];
    } else {
      (*b->iterations)[l] += (*b->iterations)[as] - so_far[as];
      lost[l] = lost[as];
      (*ended)[l] = (*ended)[as];
      for (int i = 0; i < n; i++)
        x[i][l] = x[i][as];
    }
  }
  b->restart(C, L, j, y);
  return lost;
}

cst_seek *const SEEK_NEAR_ROOT = seek;
