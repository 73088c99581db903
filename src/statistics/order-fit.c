/* order-fit.c: fits an order of convergence with an interval to errors at several steps, over a window that
 * is found automatically.
 *
 * Model. In a window with coarsest step H the error is C h^p (1 + b1 u + b2 u^2), u = h/H, b small, so that
 *     log e = a + p log(h/H) + b1 u + b2 u^2 + noise,
 *     b1 ~ N(0, 0.2),  b2 ~ N(0, 0.15),  noise ~ N(0, 1% + floor/e).
 * The leading corrections have these priors (two more rows of the least squares problem), since few steps
 * do not determine them freely. The fine steps then have the most influence, because the corrections absorb
 * the deviations of the coarse ones. The size of the noise is re-estimated from the misfit chi^2, with the
 * 1% counted as four earlier observations. The interval is Student's 95%, combined in quadrature with the
 * change of p when the window loses its coarsest step.
 *
 * Window. It ends at the finest step above the floors. Its beginning is chosen for the
 * narrowest interval among the windows of at least three steps that are asymptotic: the misfit is no larger
 * than expected by chance, the local slopes agree within 0.35 (beyond their noise), the finest slope is
 * within 0.2 of p (the rest is the correction), the interval is at most +-0.25 and contains an integer, and
 * the slopes of the five finest steps do not diverge. If there is none, the window with the narrowest
 * interval is reported as pre-asymptotic.
 *
 * If the error changes its sign, two slopes can agree by accident (|1 - u| at u = 3.28, 1.64, 0.82: twice
 * order + 1.83). A window of three steps must therefore meet a fifth of these tolerances, and its order
 * must be within 0.1 of an integer. An order below 0.25 does not count.
 *
 * docs/orders.md reports how often the result is right and wrong; jobs/order-rates measures it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/expr.h"
#include "constella/statistics.h"
#include "core/boundary.h"

enum { POINTS = 64 };
#define LEAST 0.25 /* a lower order means no convergence */
#define AGREE 0.35 /* largest difference of slopes of one order */

/* A step, and its error. */
typedef struct {
  int    index;
  double h, e, floor;
  double x, y, noise; /* x = log h, y = log e, noise of y */
  int    near;        /* near its floor */
} point;

/* The slope from one step to the next finer one. */
static double slope_at(const point *a) { return (a[1].y - a[0].y) / (a[1].x - a[0].x); }

/* y at x of the line with slope p through step a. */
static double line_at(const point *a, double p, double x) { return a->y + p * (x - a->x); }

/* ---- the floors of the errors ---------------------------------------------------------------- */

/* Errors of at most ten floors are not used. The caller gives one floor. The errors may show another: the
 * level of their flat tail, the longest sequence of finest steps whose overall slope is below 0.5 and which
 * leaves the line of the preceding steps upwards (an error that changes its sign first falls below that
 * line). Steps below 1000 floors are dropped if the slope has fallen below half its value at
 * larger errors. The window may therefore end before the finest step.
 */

#define NOISE 0.01
#define ABOVE 10   /* only errors above this many floors are used */
#define FAR   1000 /* errors below this many floors are near the floor */
/* a tail with a smaller slope does not converge; the lowest order of a method is 1 */
#define FLAT 0.5
/* factor by which the last error of a flat tail exceeds the extrapolation of the preceding steps */
#define OFF 4

static int usable(double h, double e, double floor) {
  if (!isfinite(h) || !(h > 0))
    return 0;
  return isfinite(e) && e > 0 && e > ABOVE * floor;
}

static point make_point(int index, double h, double e, double floor) {
  const double ratio = floor / e;
  return (point){
      .index = index,
      .h = h,
      .e = e,
      .floor = floor,
      .x = cst_elementary_log(h),
      .y = cst_elementary_log(e),
      .noise = sqrt(NOISE * NOISE + ratio * ratio),
      .near = e < FAR * floor,
  };
}

/* Collects the usable steps, at most the POINTS finest, each h once. Returns their number. */
static int collect(const double *h, const double *error, const double *floor, int n,
                   point *points) {
  int count = 0;
  for (int i = n - 1; i >= 0 && count < POINTS; i--) {
    const double f = floor && floor[i] > 0 ? floor[i] : 0;
    const bool   again = count && points[count - 1].h >= h[i];
    if (again || !usable(h[i], error[i], f))
      continue;
    points[count++] = make_point(i, h[i], error[i], f);
  }
  for (int i = 0; i < count / 2; i++) {
    const point swap = points[i];
    points[i] = points[count - 1 - i];
    points[count - 1 - i] = swap;
  }
  return count;
}

static double median(double *x, int n) {
  double middle = 0.5;
  cst_ensemble_quantiles(x, n, &middle, 1, &middle);
  return middle;
}

static double overall_slope(const point *w, int count) {
  double x[POINTS], y[POINTS];
  for (int i = 0; i < count; i++) {
    x[i] = w[i].x;
    y[i] = w[i].y;
  }
  return cst_ensemble_slope(x, y, count, NULL);
}

/* True if the steps from `at` on leave the line of the preceding ones: none lies below it (as after a change
 * of sign), and the last one lies far above. */
static int leaves_line(const point *points, int count, int at) {
  double slopes[POINTS];
  if (at < 2)
    return at == 1 && count > 3;
  for (int i = 0; i + 1 < at; i++)
    slopes[i] = slope_at(&points[i]);
  const double p = median(slopes, at - 1);
  const point *from = &points[at - 1];
  const point *last = &points[count - 1];
  for (int i = at; i < count; i++) {
    const double line = line_at(from, p, points[i].x);
    if (points[i].y < line - 0.6931471805599453)
      return 0;
  }
  const double line = line_at(from, p, last->x);
  return last->y > line + cst_elementary_log(OFF);
}

/* True if the slopes of the three finest steps agree: after a change of sign, the long return to the order
 * looks flat. */
static int converges_again(const point *points, int count) {
  if (count < 3)
    return 0;
  const double a = slope_at(&points[count - 3]);
  const double b = slope_at(&points[count - 2]);
  return a >= FLAT && b >= FLAT && fabs(a - b) <= AGREE;
}

/* Level of the longest tail of steps that does not converge; 0 if there is none. */
static double level_of(const point *points, int count) {
  if (converges_again(points, count))
    return 0;
  for (int at = 0; at + 2 <= count; at++) {
    double       e[POINTS];
    const int    n = count - at;
    const double least = at ? FLAT : LEAST;
    if (overall_slope(points + at, n) >= least)
      continue;
    if (at && !leaves_line(points, count, at))
      continue;
    for (int i = 0; i < n; i++)
      e[i] = points[at + i].e;
    return median(e, n);
  }
  return 0;
}

/* Drops the steps at or below ten times a level, which becomes a floor of the remaining ones. Returns their
 * number. */
static int drop_below(point *points, int count, double level) {
  for (int i = 0; i < count; i++) {
    const point *a = &points[i];
    const double floor = fmax(a->floor, level);
    points[i] = make_point(a->index, a->h, a->e, floor);
  }
  while (count && points[count - 1].e <= ABOVE * level)
    count--;
  return count;
}

/* Median of the slopes between steps far from round-off; NaN if there are none. */
static double distant_slope(const point *points, int count) {
  double slopes[POINTS];
  int    n = 0;
  for (int i = 0; i + 1 < count; i++)
    if (!points[i].near && !points[i + 1].near)
      slopes[n++] = slope_at(&points[i]);
  return median(slopes, n);
}

/* The number of steps that remain without the finest ones near their floors whose slope has fallen. */
static int clear(const point *points, int count) {
  const double distant = distant_slope(points, count);
  while (count > 2 && points[count - 1].near && slope_at(&points[count - 2]) < distant / 2)
    count--;
  return count;
}

/* ---- the fit --------------------------------------------------------------------------------- */

enum { UNKNOWNS = 4, SLOPE = 1, PRIOR_COUNT = 4 };
/* minimal half-width of an interval: a correction linear in log h cannot be detected */
#define FINEST 0.02
#define THREE  0.2 /* factor on the tolerances for a window of three steps */
/* half-width given to two steps: a correction of 30% changes the slope of a halving by up to 0.3 */
#define TWO_STEPS 0.5
/* growth of the change of slopes from halving to halving if they move to another order (2 or 4) */
#define GROWS    1.5
#define NOT_MORE 5    /* larger growth is noise */
#define SEEN     5e-3 /* smaller last changes are noise */
/* in log e: no later step lies farther below the line of a window */
#define BELOW 0.3

const char *const cst_order_flag_names[CST_FLAGS] = {
    "ok", "pre-asymptotic", "plateau", "too-few", "returns", "contradicts", "no-reference"};

typedef struct {
  double p, half, misfit; /* misfit: chi^2 per degree of freedom */
} fit;

static void add_row(double a[UNKNOWNS][UNKNOWNS], double r[UNKNOWNS], const double row[UNKNOWNS],
                    double y, double noise) {
  const double variance = noise * noise;
  for (int i = 0; i < UNKNOWNS; i++) {
    for (int j = 0; j < UNKNOWNS; j++)
      a[i][j] += row[i] * row[j] / variance;
    r[i] += row[i] * y / variance;
  }
}

/* Symmetric positive definite; needs no pivoting. */
static void solve(double a[UNKNOWNS][UNKNOWNS], const double r[UNKNOWNS], double x[UNKNOWNS]) {
  double l[UNKNOWNS][UNKNOWNS], z[UNKNOWNS];
  for (int i = 0; i < UNKNOWNS; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j)
        l[i][j] = sqrt(sum);
      else
        l[i][j] = sum / l[j][j];
    }
  for (int i = 0; i < UNKNOWNS; i++) {
    z[i] = r[i];
    for (int k = 0; k < i; k++)
      z[i] -= l[i][k] * z[k];
    z[i] /= l[i][i];
  }
  for (int i = UNKNOWNS - 1; i >= 0; i--) {
    x[i] = z[i];
    for (int k = i + 1; k < UNKNOWNS; k++)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
}

/* Student's 97.5% quantile, n >= 5 (Cornish-Fisher). */
static double student(int n) {
  const double v = 1.0 / n;
  return 1.959964 + v * (2.37227 + v * (2.82250 + v * 2.5556));
}

static fit fit_window(const point *w, int count) {
  static const double prior[UNKNOWNS] = {0, 0, 0.2, 0.15};
  static const double unit[UNKNOWNS] = {0, 1, 0, 0};
  double              a[UNKNOWNS][UNKNOWNS] = {{0}};
  double              r[UNKNOWNS] = {0};
  double              theta[UNKNOWNS], column[UNKNOWNS];
  double              chi = 0;
  for (int i = 0; i < count; i++) {
    const double u = w[i].h / w[0].h;
    const double x = w[i].x - w[0].x;
    const double y = w[i].y - w[0].y;
    const double row[UNKNOWNS] = {1, x, u, u * u};
    add_row(a, r, row, y, w[i].noise);
  }
  for (int k = 2; k < UNKNOWNS; k++) {
    const double variance = prior[k] * prior[k];
    a[k][k] += 1 / variance;
  }
  solve(a, r, theta);
  solve(a, unit, column);
  for (int i = 0; i < count; i++) {
    const double u = w[i].h / w[0].h;
    const double x = w[i].x - w[0].x;
    const double y = w[i].y - w[0].y;
    const double line = y - theta[0] - theta[SLOPE] * x;
    const double residual = line - theta[2] * u - theta[3] * u * u;
    const double e = residual / w[i].noise;
    chi += e * e;
  }
  for (int k = 2; k < UNKNOWNS; k++) {
    const double variance = prior[k] * prior[k];
    chi += theta[k] * theta[k] / variance;
  }
  const int    freedom = count - 2;
  const int    all = freedom + PRIOR_COUNT;
  const double variance = column[SLOPE] * (PRIOR_COUNT + chi) / all;
  const double half = student(all) * sqrt(variance);
  return (fit){theta[SLOPE], half, chi / freedom};
}

/* The fit of a window, whose half-width includes the change of p without its coarsest step. */
static fit fit_with_spread(const point *w, int count) {
  fit    f = fit_window(w, count);
  double spread = 0;
  if (count > 3)
    spread = f.p - fit_window(w + 1, count - 1).p;
  const double half = f.half;
  f.half = sqrt(half * half + FINEST * FINEST + spread * spread);
  return f;
}

static double slope_noise(const point *a) {
  const double before = a[0].noise;
  const double after = a[1].noise;
  const double noise = sqrt(before * before + after * after);
  return noise / fabs(a[1].x - a[0].x);
}

/* True if all local slopes agree within the tolerance plus three standard deviations of their noise. */
static int slopes_agree(const point *w, int count, double tolerance) {
  for (int i = 0; i + 1 < count; i++) {
    const double slope = slope_at(&w[i]);
    const double noise = slope_noise(&w[i]);
    for (int j = 0; j < i; j++) {
      const double apart = fabs(slope - slope_at(&w[j]));
      const double both = hypot(noise, slope_noise(&w[j]));
      if (apart > tolerance + 3 * both)
        return 0;
    }
  }
  return 1;
}

static int grows(double a, double b) { return b / a > GROWS && b / a < NOT_MORE; }

/* True if the slopes of the five finest steps change by increasing amounts in one direction: they move to
 * another order. If a correction dies out, the changes decrease. */
static int departs(const point *points, int count) {
  double change[3];
  if (count < 5)
    return 0;
  for (int i = 0; i < 3; i++) {
    const point *a = &points[count - 5 + i];
    if (a[0].near || a[1].near || a[2].near)
      return 0;
    const double turn = slope_at(&a[1]) - slope_at(&a[0]);
    change[i] = turn / (a[2].x - a[0].x);
  }
  if (!grows(change[0], change[1]))
    return 0;
  if (!grows(change[1], change[2]))
    return 0;
  const double last = slope_at(&points[count - 2]);
  const double before = slope_at(&points[count - 3]);
  return fabs(last - before) > SEEN;
}

static int has_integer(const fit *f) { return ceil(f->p - f->half) <= f->p + f->half; }

static int asymptotic(const point *w, int count, const fit *f) {
  const bool   three = count == 3;
  const double part = three ? THREE : 1;
  if (f->p < LEAST || !has_integer(f))
    return 0;
  if (three && fabs(f->p - rint(f->p)) > 0.1)
    return 0;
  if (f->half > 0.25 || f->misfit > 4 * part)
    return 0;
  if (!slopes_agree(w, count, AGREE * part))
    return 0;
  const point *last = &w[count - 2];
  const double apart = fabs(slope_at(last) - f->p);
  return apart < 0.2 * part + 2 * slope_noise(last);
}

static cst_order_fit best_window(const point *points, int count) {
  cst_order_fit best = {NAN, NAN, NAN, CST_FLAG_PRE_ASYMPTOTIC, 0, 0};
  double        half = INFINITY;
  const int     leaves = departs(points, count);
  const int     last = points[count - 1].index;
  for (int i = count - 3; i >= 0; i--) {
    const point         *w = points + i;
    const fit            f = fit_with_spread(w, count - i);
    const int            good = !leaves && asymptotic(w, count - i, &f);
    const cst_order_flag flag = good ? CST_FLAG_OK : CST_FLAG_PRE_ASYMPTOTIC;
    if (flag > best.flag)
      continue;
    if (flag == best.flag && f.half >= half)
      continue;
    half = f.half;
    best = (cst_order_fit){f.p, f.p - f.half, f.p + f.half, flag, w->index, last};
  }
  return best;
}

/* True if a step after the first n lies below their line of slope p: an error that changes its sign falls
 * before it rises, whereas a floor only raises errors. */
static int falls_below(const point *points, int n, int all, double p) {
  for (int i = n; i < all; i++) {
    const double line = line_at(&points[n - 1], p, points[i].x);
    if (points[i].y < line - BELOW)
      return 1;
  }
  return 0;
}

/* best_window of the longest sequence with an asymptotic window; finest steps near their floor may be left
 * out. */
static cst_order_fit best_end(const point *points, int count, int all) {
  cst_order_fit best = best_window(points, count);
  for (int n = count; n >= 3 && (n == count || points[n].near); n--) {
    const cst_order_fit fit = best_window(points, n);
    if (fit.flag == CST_FLAG_OK && !falls_below(points, n, all, fit.order))
      return fit;
  }
  if (best.flag == CST_FLAG_OK)
    best.flag = CST_FLAG_PRE_ASYMPTOTIC;
  return best;
}

static cst_order_fit two_steps(const point *w) {
  const double p = slope_at(w);
  const double half = TWO_STEPS * 0.6931471805599453 / fabs(w[1].x - w[0].x);
  const int    first = w[0].index;
  const int    last = w[1].index;
  return (cst_order_fit){p, p - half, p + half, CST_FLAG_TOO_FEW, first, last};
}

static int finite_errors(const double *error, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    count += isfinite(error[i]) && error[i] >= 0;
  return count;
}

static cst_order_fit none(cst_order_flag flag, int at) {
  return (cst_order_fit){NAN, NAN, NAN, flag, at, at};
}

cst_order_fit cst_order_estimate(const double *h, const double *error, const double *floor, int n) {
  point         points[POINTS];
  const int     above = collect(h, error, floor, n, points);
  const double  level = level_of(points, above);
  cst_order_fit fit;
  const bool    few = finite_errors(error, n) < 3;
  const int     first = above ? points[0].index : 0;
  int           count = above;
  if (above < 2)
    return none(few ? CST_FLAG_TOO_FEW : CST_FLAG_PLATEAU, first);
  if (level > 0)
    count = drop_below(points, above, level);
  count = clear(points, count);
  if (count < 2)
    return none(CST_FLAG_PLATEAU, first);
  if (count == 2)
    fit = two_steps(points);
  else
    fit = best_end(points, count, above);
  if (count == 2 && !few)
    fit.flag = CST_FLAG_PLATEAU;
  if (fit.order >= LEAST)
    return fit;
  return none(level > 0 ? CST_FLAG_PLATEAU : fit.flag, fit.first);
}

cst_order_flag cst_order_judge(const cst_order_fit *fit, int claimed, int returns) {
  const bool agrees = claimed && fit->low <= claimed && claimed <= fit->high;
  if (fit->flag != CST_FLAG_OK || agrees)
    return fit->flag;
  if (returns)
    return CST_FLAG_RETURNS;
  return claimed ? CST_FLAG_CONTRADICTS : CST_FLAG_OK;
}

/* ---- work against precision ------------------------------------------------------------------ */

/* The work that a method needs for an accuracy, between the steps that were run. */

/* log work is linear in log error. */
static double between(double coarse, double fine, double part) {
  if (!(coarse > 0 && fine > 0))
    return fine;
  return fine * cst_elementary_exp(part * cst_elementary_log(coarse / fine));
}

double cst_work_at(const double *error, const double *work, int n, double accuracy) {
  CST_REQUIRE((error && work) || n == 0, NAN);
  for (int i = n - 1; i > 0; i--) {
    const double coarse = error[i - 1], fine = error[i];
    if (!(fine <= accuracy && coarse > accuracy))
      continue;
    if (!(fine > 0 && isfinite(coarse)))
      return work[i];
    const double whole = cst_elementary_log(coarse / fine);
    return between(work[i - 1], work[i], cst_elementary_log(accuracy / fine) / whole);
  }
  for (int i = 0; i < n; i++) /* no step is above it: that of the coarsest one which did not fail */
    if (error[i] <= accuracy)
      return work[i];
  return NAN;
}
