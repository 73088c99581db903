/* ensemble-errors.c: standard errors and confidence intervals of means, root mean squares and quantiles over
 * the members of an ensemble.
 *
 * Members are independent draws. The standard error of a mean is s / sqrt(n), with s^2 = sum (x - mean)^2 /
 * (n - 1); that of the rms r is the standard error of the mean of x^2, divided by 2 r. The interval of a
 * quantile lies between order statistics: the number B of draws below the p-quantile of a continuous
 * distribution is binomial (n, p), so the quantile lies between those of the ranks l and u with the
 * probability P(l <= B < u). l and u are the closest ranks with P(B < l) <= a and P(B >= u) <= a, a = (1 -
 * level) / 2 (Conover, Practical Nonparametric Statistics, 3.2).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/statistics.h"

/* Mean and standard deviation of f(x) / scale, f the identity or the square, and the number of values. */
typedef struct {
  double mean, deviation, n;
} moments;

static double largest(const double *x, long n) {
  double most = 0;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i]))
      most = fmax(most, fabs(x[i]));
  return most;
}

static double power(double x, double scale, int squared) {
  if (squared)
    return x / scale * (x / scale);
  return x / scale;
}

static moments moments_of(const double *x, long n, double scale, int squared) {
  moments m = {0, NAN, 0};
  double  sum = 0;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i])) {
      m.mean += power(x[i], scale, squared);
      m.n++;
    }
  m.mean /= m.n;
  for (long i = 0; i < n; i++) {
    const double d = power(x[i], scale, squared) - m.mean;
    if (!isnan(d))
      sum += d * d;
  }
  if (m.n > 1)
    m.deviation = sqrt(sum / (m.n - 1));
  return m;
}

double cst_ensemble_deviation(const double *x, long n) {
  const double most = largest(x, n);
  if (isinf(most))
    return NAN;
  const double scale = most > 0 ? most : 1;
  return moments_of(x, n, scale, 0).deviation * scale;
}

double cst_ensemble_mean_error(const double *x, long n) {
  const double scale = largest(x, n);
  if (isinf(scale))
    return NAN;
  const double  unit = scale > 0 ? scale : 1;
  const moments m = moments_of(x, n, unit, 0);
  return m.deviation / sqrt(m.n) * unit;
}

double cst_ensemble_rms_error(const double *x, long n) {
  const double scale = largest(x, n);
  if (isinf(scale))
    return NAN;
  const double  unit = scale > 0 ? scale : 1;
  const moments m = moments_of(x, n, unit, 1);
  if (scale == 0)
    return m.deviation; /* 0, or NaN for a single value */
  const double error = m.deviation / sqrt(m.n);
  return error / (2 * sqrt(m.mean)) * scale;
}

/* ---- quantiles ------------------------------------------------------------------------------- */

/* Binomial probabilities relative to that of the mode, by ratios of neighbours to avoid overflow. */
static double up(long n, double p, long k, double w) {
  const double steps = (double)(n - k) / (double)(k + 1);
  return w * steps * (p / (1 - p));
}
static double down(long n, double p, long k, double w) {
  const double steps = (double)k / (double)(n - k + 1);
  return w * steps * ((1 - p) / p);
}

static const double nothing = 1e-25; /* weights below this are neglected */

void cst_ensemble_quantile_ranks(long n, double p, double level, long *low, long *high) {
  const double a = (1 - level) / 2;
  long         mode = (long)((double)(n + 1) * p);
  long         first, last;
  double       w = 1;
  double       total = 1;
  double       sum = 0;
  *low = 0;
  *high = n + 1;
  if (n < 1)
    return;
  if (!(p > 0 && p < 1))
    return;
  if (!(level > 0 && level < 1))
    return;
  if (mode > n)
    mode = n;
  for (first = mode; first > 0 && w > nothing; first--)
    total += w = down(n, p, first, w);
  const double w_first = w;
  w = 1;
  for (last = mode; last < n && w > nothing; last++)
    total += w = up(n, p, last, w);
  w = w_first;
  for (long k = first; k <= last; w = up(n, p, k, w), k++) { /* sum: P(B < k) */
    if (sum <= a * total)
      *low = k;
    if (sum >= (1 - a) * total) {
      *high = k;
      return;
    }
    sum += w;
  }
}
