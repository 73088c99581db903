/* growth-drift.c: significance of a drift whatever its law, and changes that are over.
 *
 * A path that never goes back has no memory that could be measured, since all of it is trend. Noise with
 * independent increments of either sign goes up k times in succession with the probability 2^(1-k). A path
 * counts as monotone if no window lies below an earlier one by more than 3 % of the whole change (up and down
 * exchanged for a fall). k is the number of increments in its direction less those against it, so that a path
 * which changes once and then fluctuates has a small k. Of several members, most must be monotone; k is their
 * mean.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "statistics/growth.h"
#include <math.h>

enum { N = CST_WINDOWS };
#define BACK 0.03 /* part of the whole change by which a monotone path may go back */

double cst_growth_one_sided(double normal) {
  const double square = normal * normal - 2 * 0.6931471805599453;
  return square > 0 ? sqrt(square) : 0;
}

double cst_growth_best_of(double normal, double n) {
  const double square = normal * fabs(normal) - 2 * cst_elementary_log(n);
  return square > 0 ? sqrt(square) : 0;
}

/* Increments in the direction of the change less those against it; 0: the path is not monotone. */
static int ups(const double *x) {
  const double change = x[N - 1] - x[0];
  double       top = x[0];
  int          k = 0;
  if (!(fabs(change) > 0))
    return 0;
  for (int w = 1; w < N; w++) {
    const double step = (x[w] - x[w - 1]) / change;
    const double back = (top - x[w]) / change;
    if (!(back <= BACK))
      return 0;
    if (back < 0)
      top = x[w];
    k += (step > 0) - (step < 0);
  }
  return k;
}

double cst_growth_monotone(const double *means, long members) {
  double sum = 0;
  long   n = 0, all = 0;
  for (long i = 0; i < members; i++) {
    const double *x = means + i * N;
    if (!isfinite(x[0]))
      continue;
    const int k = ups(x);
    all++;
    n += k > 0;
    sum += k > 0 ? k : 0;
  }
  if (!(2 * n > all) || sum < 2 * (double)n)
    return 0;
  return sqrt(2 * 0.6931471805599453 * (sum / (double)n - 1)); /* Q(z) is about exp(-z^2/2) */
}

/* ---- changes that are over ---------------------------------------------------------------------- */

enum { HALF = N / 2, QUARTER = 3 * N / 4 };
#define AT_99 2.6 /* deviations of a normal distribution, two-sided */

static double mean_from(const double *x, int first, double *count) {
  double sum = 0;
  *count = 0;
  for (int w = first; w < N; w++)
    if (isfinite(x[w])) {
      sum += x[w];
      ++*count;
    }
  return sum / *count;
}

/* The squared error of the mean over the last quarter; neighbouring windows of the last half show how much their noise
 * has of memory. */
static double error_of(const double *x, double windows) {
  double       n, squares = 0, products = 0;
  const double mean = mean_from(x, HALF, &n);
  double       last = NAN;
  for (int w = HALF; w < N; w++) {
    const double d = x[w] - mean;
    if (!isfinite(d))
      continue;
    squares += d * d;
    if (isfinite(last))
      products += d * last;
    last = d;
  }
  const double alike = squares > 0 ? fmin(fmax(products / squares, 0), 0.88) : 0;
  return n > 1 ? squares / (n - 1) / windows * (1 + alike) / (1 - alike) : NAN;
}

/* The end of the last window whose mean is off by a quarter of the change or more, as rms over members. */
static double time_of(const double *means, long members, double end, double change) {
  int after = 0;
  for (int w = 0; w < N; w++) {
    double sum = 0, n, count = 0;
    for (long i = 0; i < members; i++) {
      const double off = means[i * N + w] - mean_from(means + i * N, QUARTER, &n);
      if (!isfinite(off))
        continue;
      sum += off * off;
      count++;
    }
    if (count > 0 && !(sum <= 0.0625 * change * change * count))
      after = w + 1;
  }
  return end * after / N;
}

cst_move cst_growth_move(const double *means, long members, double end) {
  double squares = 0, errors = 0, count = 0;
  for (long i = 0; i < members; i++) {
    double       n;
    const double mean = mean_from(means + i * N, QUARTER, &n);
    if (!(n > 0))
      continue;
    squares += mean * mean;
    errors += error_of(means + i * N, n);
    count++;
  }
  const double change = count > 0 ? sqrt(squares / count) : NAN;
  return (cst_move){change, sqrt(errors / count), time_of(means, members, end, change)};
}

int cst_growth_exceeds(const cst_move *m, double most) {
  return m->change - AT_99 * m->error > most;
}
