/* growth-drift.c: significance of a drift whatever its law.
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
