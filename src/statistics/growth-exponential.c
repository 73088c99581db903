/* growth-exponential.c: whether the root mean square over the members grows exponentially, R_w = C (e^(kappa w) -
 * 1), rather than as a power, also one that sets in later (see growth-rms.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "statistics/growth.h"
#include <math.h>

enum { N = CST_WINDOWS };

/* Sum of squared residuals of the fit y = factor * x + constant, y = log R^2, with the factor limited to
 * [least, most]. */
static double squares_left(const double log_r2[N], const double weight[N], const double x[N],
                           double least, double most) {
  double n = 0;
  double mx = 0;
  double my = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (int w = 1; w < N; w++) {
    if (!(weight[w] > 0))
      continue;
    const double y = log_r2[w];
    n++;
    mx += x[w];
    my += y;
    xx += x[w] * x[w];
    xy += x[w] * y;
    yy += y * y;
  }
  xx -= mx * mx / n;
  xy -= mx * my / n;
  yy -= my * my / n;
  const double factor = fmin(fmax(xy / xx, least), most);
  return yy - 2 * factor * xy + factor * factor * xx;
}

/* True if all windows left out are in the noise, so that R rises out of it for the first time. */
static int quiet_before(const double r2[N], const double weight[N], double noise) {
  for (int w = 1; w < N && !(weight[w] > 0); w++)
    if (r2[w] > 2 * CST_GROWTH_ABOVE * noise)
      return 0;
  return 1;
}

/* True if R grows at half the rate or more over the last quarter of the windows above noise: no saturation.
 */
static int goes_on(const double r2[N], const double weight[N], double rate) {
  int n = 0;
  int w = N - 1;
  int last = N - 1;
  for (int k = 0; k < N; k++)
    n += weight[k] > 0;
  while (last > 0 && !(weight[last] > 0))
    last--;
  for (w = last; w > 0 && last - w < n / 4; w--) {
  }
  const double grown = cst_elementary_log(r2[last] / r2[w]);
  return weight[w] > 0 && grown > rate * (last - w);
}

/* The rates that are tried, and log (e^(kappa w) - 1) of each; made once. */
enum { RATES = 109 };
typedef struct {
  double kappa, x[N];
} rise;

static const rise *rises(void) {
  static rise all[RATES];
  double      kappa = 0.02;
  for (int i = 0; i < RATES && all[RATES - 1].kappa == 0; i++, kappa *= 1.05) {
    all[i].kappa = kappa;
    for (int w = 1; w < N; w++) {
      const double decayed = cst_elementary_exp(-kappa * w);
      all[i].x[w] = kappa * w + cst_elementary_log(1 - decayed);
    }
  }
  return all;
}

/* Of the best power, up to the square, that sets in at some time before the first window that is used. */
static double squares_of_late_powers(const double log_r2[N], const double weight[N]) {
  double x[N] = {0}, least = INFINITY;
  int    first = 1;
  while (first < N - 1 && !(weight[first] > 0))
    first++;
  for (double from = 0.5; from < first; from += 0.5) {
    for (int w = first; w < N; w++)
      x[w] = cst_elementary_log(w - from);
    least = fmin(least, squares_left(log_r2, weight, x, 0, 4));
  }
  return least;
}

int cst_growth_is_exponential(const double r2[N], const double weight[N], const double l[N],
                              double noise) {
  const rise *all = rises();
  double      log_r2[N], best = INFINITY, rate = 0;
  for (int w = 1; w < N; w++)
    log_r2[w] = cst_elementary_log(r2[w]);
  for (int i = 0; i < RATES; i++) {
    const double left = squares_left(log_r2, weight, all[i].x, 2, 2);
    if (left < best) {
      best = left;
      rate = all[i].kappa;
    }
  }
  return rate * N > 4 && quiet_before(r2, weight, noise) && goes_on(r2, weight, rate) &&
         best < 0.25 * squares_left(log_r2, weight, l, 0, 8) &&
         best < 0.5 * squares_of_late_powers(log_r2, weight);
}
