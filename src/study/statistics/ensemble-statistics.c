/* ensemble-statistics.c: mean, root mean square and quantiles over the members of an ensemble; slope of a
 * series.
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
#include "constella/statistics.h"
#include <math.h>
#include <stdlib.h>

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
  if (!count) return NAN;
  if (largest == 0 || isinf(largest)) return largest;
  for (long i = 0; i < n; i++) {
    const double r = x[i] / largest;
    if (!isnan(r)) sum += r * r;
  }
  return largest * sqrt(sum / count);
}

/* Ascending, -0 before 0, so that equal sets are sorted into equal bits. */
static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  if (x != y) return x < y ? -1 : 1;
  return !!signbit(y) - !!signbit(x);
}

static double quantile(const double *sorted, long n, double p) {
  if (n == 0 || isnan(p)) return NAN;
  const double at = fmin(fmax(p, 0), 1) * (double)(n - 1);
  const long   i = (long)at;
  const double f = at - (double)i;
  if (f == 0 || sorted[i] == sorted[i + 1]) return sorted[i];
  return sorted[i] + f * (sorted[i + 1] - sorted[i]);
}

/* The value of a rank, counted from 1; NaN if there is none. */
static double at_rank(const double *sorted, long n, long rank) {
  return rank >= 1 && rank <= n ? sorted[rank - 1] : NAN;
}

void cst_ensemble_quantile_intervals(const double *x, long n, const double *p, int np, double level,
                                     double *out, double *low, double *high) {
  double *sorted = malloc((n > 0 ? (size_t)n : 1) * sizeof *sorted);
  long    count = 0;
  for (long i = 0; sorted && i < n; i++)
    if (!isnan(x[i])) sorted[count++] = x[i];
  if (count) qsort(sorted, (size_t)count, sizeof *sorted, compare);
  for (int k = 0; k < np; k++) {
    long l, u;
    out[k] = quantile(sorted, count, p[k]);
    if (!low) continue;
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
  for (int i = 0; i < n; i++)
    if (!isnan(y[i])) {
      c.t += t[i];
      c.y += y[i];
      c.n++;
    }
  c.t /= c.n;
  c.y /= c.n;
  for (int i = 0; i < n; i++)
    if (!isnan(y[i])) c.square += (t[i] - c.t) * (t[i] - c.t);
  return c;
}

/* Contribution of sample i to the slope, where y is the residual of a line with the given slope. */
static double part(const centre *c, const double *t, const double *y, int i, double slope) {
  return isnan(y[i]) ? 0 : (t[i] - c->t) / c->square * (y[i] - c->y - slope * (t[i] - c->t));
}

double cst_ensemble_slope(const double *t, const double *y, int n, double *error) {
  const centre c = centre_of(t, y, n);
  const int    lags = n / 8 > 1 ? n / 8 : 1;
  double       slope = 0, variance = 0;
  for (int i = 0; i < n; i++) slope += part(&c, t, y, i, 0);
  if (!(c.square > 0)) slope = NAN;
  if (!error) return slope;
  for (int lag = 0; lag < lags; lag++)
    for (int i = 0; i + lag < n; i++)
      variance += (lag ? 2 : 1) * (1 - (double)lag / lags) * part(&c, t, y, i, slope) *
                  part(&c, t, y, i + lag, slope);
  *error = c.n > 2 ? sqrt(fmax(variance, 0) * c.n / (c.n - 2)) : NAN;
  return slope;
}
