/* order-floor.c: the steps of an order fit (order-fit.c) that lie above the floors of their errors.
 *
 * Errors of at most ten floors are not used. The caller gives one floor. The errors may show another: the
 * level of their flat tail, the longest sequence of finest steps whose overall slope is below 0.5 and which
 * leaves the line of the preceding steps upwards (an error that changes its sign first falls below that
 * line). Steps below 1000 floors are dropped if the slope has fallen below half its value at
 * larger errors. The window may therefore end before the finest step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/order-floor.h"

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

static cst_order_point make_point(int index, double h, double e, double floor) {
  const double ratio = floor / e;
  return (cst_order_point){
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

int cst_order_floor_collect(const double *h, const double *error, const double *floor, int n,
                            cst_order_point *points) {
  int count = 0;
  for (int i = n - 1; i >= 0 && count < CST_ORDER_POINTS; i--) {
    const double f = floor && floor[i] > 0 ? floor[i] : 0;
    const bool   again = count && points[count - 1].h >= h[i];
    if (again || !usable(h[i], error[i], f))
      continue;
    points[count++] = make_point(i, h[i], error[i], f);
  }
  for (int i = 0; i < count / 2; i++) {
    const cst_order_point swap = points[i];
    points[i] = points[count - 1 - i];
    points[count - 1 - i] = swap;
  }
  return count;
}

/* ---- the floor shown by the errors -------------------------------------------------------- */

static double median(double *x, int n) {
  double middle = 0.5;
  cst_ensemble_quantiles(x, n, &middle, 1, &middle);
  return middle;
}

static double overall_slope(const cst_order_point *w, int count) {
  double x[CST_ORDER_POINTS], y[CST_ORDER_POINTS];
  for (int i = 0; i < count; i++) {
    x[i] = w[i].x;
    y[i] = w[i].y;
  }
  return cst_ensemble_slope(x, y, count, NULL);
}

/* True if the steps from `at` on leave the line of the preceding ones: none lies below it (as after a change
 * of sign), and the last one lies far above. */
static int leaves_line(const cst_order_point *points, int count, int at) {
  double slopes[CST_ORDER_POINTS];
  if (at < 2)
    return at == 1 && count > 3;
  for (int i = 0; i + 1 < at; i++)
    slopes[i] = cst_order_floor_slope(&points[i]);
  const double           p = median(slopes, at - 1);
  const cst_order_point *from = &points[at - 1];
  const cst_order_point *last = &points[count - 1];
  for (int i = at; i < count; i++) {
    const double line = cst_order_floor_line(from, p, points[i].x);
    if (points[i].y < line - 0.6931471805599453)
      return 0;
  }
  const double line = cst_order_floor_line(from, p, last->x);
  return last->y > line + cst_elementary_log(OFF);
}

/* True if the slopes of the three finest steps agree: after a change of sign, the long return to the order
 * looks flat. */
static int converges_again(const cst_order_point *points, int count) {
  if (count < 3)
    return 0;
  const double a = cst_order_floor_slope(&points[count - 3]);
  const double b = cst_order_floor_slope(&points[count - 2]);
  return a >= FLAT && b >= FLAT && fabs(a - b) <= CST_ORDER_AGREE;
}

double cst_order_floor_level(const cst_order_point *points, int count) {
  if (converges_again(points, count))
    return 0;
  for (int at = 0; at + 2 <= count; at++) {
    double       e[CST_ORDER_POINTS];
    const int    n = count - at;
    const double least = at ? FLAT : CST_ORDER_LEAST;
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

int cst_order_floor_above(cst_order_point *points, int count, double level) {
  for (int i = 0; i < count; i++) {
    const cst_order_point *a = &points[i];
    const double           floor = fmax(a->floor, level);
    points[i] = make_point(a->index, a->h, a->e, floor);
  }
  while (count && points[count - 1].e <= ABOVE * level)
    count--;
  return count;
}

/* Median of the slopes between steps far from round-off; NaN if there are none. */
static double distant_slope(const cst_order_point *points, int count) {
  double slopes[CST_ORDER_POINTS];
  int    n = 0;
  for (int i = 0; i + 1 < count; i++)
    if (!points[i].near && !points[i + 1].near)
      slopes[n++] = cst_order_floor_slope(&points[i]);
  return median(slopes, n);
}

int cst_order_floor_clear(const cst_order_point *points, int count) {
  const double distant = distant_slope(points, count);
  while (count > 2 && points[count - 1].near &&
         cst_order_floor_slope(&points[count - 2]) < distant / 2)
    count--;
  return count;
}
