/* ensemble-statistics.c: mean, root mean square and quantiles over the members of an ensemble, with standard errors and
 * confidence intervals; slope of a series; quantiles of censored times.
 *
 * Failed members are NaN and are left out; without any other member the result is NaN. The mean is the plain
 * sum in the order of the array. The rms divides by the largest magnitude first, so that squares neither
 * overflow nor underflow. A quantile interpolates linearly between order statistics: with x sorted, x[i] + f
 * (x[i+1] - x[i]), i + f = p (n-1).
 *
 * The slope of y against t is that of least squares, sum_i z_i = sum_i (t_i - mean t) (y_i - mean y) / sum_i
 * (t_i - mean t)^2. Its error allows the residuals to be correlated over up to n/8 samples (Newey and West,
 * Econometrica 55, 1987).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/ensemble-statistics.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "constella/statistics.h"
#include "core/need.h"

double cst_ensemble_mean(const double *x, long n) {
  double sum = 0;
  long   count = 0;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i])) {
      sum += x[i];
      count++;
    }
  return count ? sum / count : NAN;
}

double cst_ensemble_rms(const double *x, long n) {
  double largest = 0, sum = 0;
  long   count = 0;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i])) {
      largest = fmax(largest, fabs(x[i]));
      count++;
    }
  if (!count)
    return NAN;
  if (largest == 0 || isinf(largest))
    return largest;
  for (long i = 0; i < n; i++) {
    const double r = x[i] / largest;
    if (!isnan(r))
      sum += r * r;
  }
  return largest * sqrt(sum / count);
}

/* A number by which doubles are in order, -0 before 0, and the double of such a number. */
static uint64_t key_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (bits >> 63)
    return ~bits;
  return bits | UINT64_C(1) << 63;
}

static double double_of(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
  double         x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Sorts keys by one of their digits of 11 bits, equal ones as they stand. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, long n, int digit) {
  long      at[2048] = {0}, sum = 0;
  const int shift = 11 * digit;
  for (long i = 0; i < n; i++)
    at[from[i] >> shift & 2047]++;
  for (int k = 0; k < 2048; k++) {
    const long count = at[k];
    at[k] = sum;
    sum += count;
  }
  for (long i = 0; i < n; i++)
    to[at[from[i] >> shift & 2047]++] = from[i];
}

/* The numbers among x, ascending, in memory of 2 n; their number. Equal sets are sorted into equal bits. */
static long sort(const double *x, long n, double *sorted) {
  uint64_t *key = (uint64_t *)sorted;
  uint64_t *other = key + n;
  long      count = 0;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i]))
      key[count++] = key_of(x[i]);
  for (int digit = 0; digit < 6; digit += 2) {
    sort_by_digit(key, other, count, digit);
    sort_by_digit(other, key, count, digit + 1);
  }
  for (long i = 0; i < count; i++) {
    const double y = double_of(key[i]);
    memcpy(key + i, &y, sizeof y);
  }
  return count;
}

static double quantile(const double *sorted, long n, double p) {
  if (n == 0 || isnan(p))
    return NAN;
  const double part = fmin(fmax(p, 0), 1);
  const double at = part * (double)(n - 1);
  const long   i = (long)at;
  const double f = at - (double)i;
  if (f == 0)
    return sorted[i];
  if (sorted[i] == sorted[i + 1])
    return sorted[i];
  const double gap = sorted[i + 1] - sorted[i];
  return sorted[i] + f * gap;
}

/* The value of a rank, counted from 1; NaN if there is none. */
static double at_rank(const double *sorted, long n, long rank) {
  if (rank >= 1 && rank <= n)
    return sorted[rank - 1];
  return NAN;
}

void cst_ensemble_quantile_intervals(const double *x, long n, const double *p, int np, double level,
                                     double *out, double *low, double *high) {
  const size_t room = n > 0 ? (size_t)n : 0;
  double      *sorted = malloc((2 * room + 1) * sizeof *sorted);
  const long   count = sorted ? sort(x, n, sorted) : 0;
  for (int k = 0; k < np; k++) {
    long l, u;
    out[k] = quantile(sorted, count, p[k]);
    if (!low)
      continue;
    cst_ensemble_quantile_ranks(count, p[k], level, &l, &u);
    low[k] = at_rank(sorted, count, l);
    high[k] = at_rank(sorted, count, u);
  }
  free(sorted);
}

void cst_ensemble_quantiles(const double *x, long n, const double *p, int np, double *out) {
  cst_ensemble_quantile_intervals(x, n, p, np, 0, out, NULL, NULL);
}

/* Centre of the samples whose y is a number. All other samples contribute 0. */
typedef struct {
  double t, y, n, square; /* means, count, sum of (t - mean)^2 */
} centre;

static centre centre_of(const double *t, const double *y, int n) {
  centre c = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    if (isnan(y[i]))
      continue;
    c.t += t[i];
    c.y += y[i];
    c.n++;
  }
  c.t /= c.n;
  c.y /= c.n;
  for (int i = 0; i < n; i++) {
    if (isnan(y[i]))
      continue;
    const double off = t[i] - c.t;
    c.square += off * off;
  }
  return c;
}

/* Contribution of sample i to the slope, where y is the residual of a line with the given slope. */
static double part(const centre *c, const double *t, const double *y, int i, double slope) {
  if (isnan(y[i]))
    return 0;
  const double off = t[i] - c->t;
  const double residual = y[i] - c->y - slope * off;
  return off / c->square * residual;
}

double cst_ensemble_slope(const double *t, const double *y, int n, double *error) {
  const centre c = centre_of(t, y, n);
  const int    lags = n / 8 > 1 ? n / 8 : 1;
  double       slope = 0, variance = 0;
  for (int i = 0; i < n; i++)
    slope += part(&c, t, y, i, 0);
  if (!(c.square > 0))
    slope = NAN;
  if (!error)
    return slope;
  for (int lag = 0; lag < lags; lag++) {
    const int    pairs = lag ? 2 : 1;
    const double weight = pairs * (1 - (double)lag / lags);
    for (int i = 0; i + lag < n; i++) {
      const double now = part(&c, t, y, i, slope);
      const double later = part(&c, t, y, i + lag, slope);
      variance += weight * now * later;
    }
  }
  if (c.n > 2) {
    const double scaled = fmax(variance, 0) * c.n;
    *error = sqrt(scaled / (c.n - 2));
  } else
    *error = NAN;
  return slope;
}

/* ---- standard errors and confidence intervals ------------------------------------------------ */

/* Members are independent draws. The standard error of a mean is s / sqrt(n), with s^2 = sum (x - mean)^2 /
 * (n - 1); that of the rms r is the standard error of the mean of x^2, divided by 2 r. The interval of a
 * quantile lies between order statistics: the number B of draws below the p-quantile of a continuous
 * distribution is binomial (n, p), so the quantile lies between those of the ranks l and u with the
 * probability P(l <= B < u). l and u are the closest ranks with P(B < l) <= a and P(B >= u) <= a, a = (1 -
 * level) / 2 (Conover, Practical Nonparametric Statistics, 3.2).
 */

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

/* ---- censored times -------------------------------------------------------------------------- */

/* By the product-limit estimator (ensemble-statistics.h). */

typedef struct {
  double time;
  bool   happened;
} entry;

static int earlier(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

void cst_survival_quantiles(const double *time, const bool *happened, long n, const double *share,
                            int m, double *quantile) {
  entry *x = cst_zeros(n + 1, sizeof *x);
  double left = 1;
  for (long i = 0; i < n; i++)
    x[i] = (entry){time[i], happened[i]};
  qsort(x, (size_t)n, sizeof *x, earlier);
  for (int k = 0; k < m; k++)
    quantile[k] = NAN;
  for (long i = 0, next; i < n; i = next) {
    long events = 0;
    for (next = i; next < n && x[next].time == x[i].time; next++)
      events += x[next].happened;
    left *= 1 - (double)events / (double)(n - i);
    for (int k = 0; k < m && events; k++)
      if (isnan(quantile[k]) && left <= (1 - share[k]) * (1 + 1e-12))
        quantile[k] = x[i].time;
  }
  free(x);
}
