/* growth-motion.c: whether a run moved at all, changed beyond round-off, or left for good (see growth.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth.h"
#include <float.h>
#include <math.h>

enum { N = CST_WINDOWS };
#define STILL 1e-14 /* displacement / (|q(0)| sqrt(steps)) below this is round-off */
#define ULPS  8     /* a change below so many units in the last place of the terms is round-off */

/* Rounding x once costs eps |x|; rounding sums of n steps about eps S sqrt(n), S the scale. */
static double round_off(const cst_long_run *r, long i) {
  const double of_steps = 20 * DBL_EPSILON * fabs(r->scale[i]) * sqrt((double)r->steps);
  const double of_start = 8 * DBL_EPSILON * fabs(r->start[i]);
  return of_steps + of_start;
}

/* False if x was infinite or not a number at some time in a member that did not fail. */
int cst_growth_is_finite(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++) {
    const int failed = isnan(r->moved[i]);
    if (!failed && !(isfinite(r->largest[i]) && isfinite(r->scale[i])))
      return 0;
  }
  return 1;
}

int cst_growth_is_exact(const cst_long_run *r) {
  int some = 0;
  for (long i = 0; i < r->members; i++) {
    if (r->largest[i] > round_off(r, i))
      return 0;
    some |= !isnan(r->largest[i]);
  }
  return some;
}

int cst_growth_is_frozen(const cst_long_run *r) {
  int some = 0;
  for (long i = 0; i < r->members; i++) {
    if (r->moved[i] > STILL * sqrt((double)r->steps))
      return 0;
    some |= !isnan(r->moved[i]);
  }
  return some;
}

/* True if a mean of member i differs by more than `room` from that of the first window. */
static int departs(const cst_long_run *r, long i, double room) {
  const double *mean = r->means + i * N;
  for (int w = 1; w < N; w++)
    if (fabs(mean[w] - mean[0]) > room)
      return 1;
  return 0;
}

/* True if no window mean differs from the first by more than round-off. */
int cst_growth_is_level(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++)
    if (departs(r, i, round_off(r, i)))
      return 0;
  return 1;
}

/* True if some window mean differs from the first by more than rounding x and its terms once: a change of the
 * last digit is not growth. */
int cst_growth_is_visible(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++) {
    const double size = fabs(r->scale[i]) + fabs(r->start[i]);
    if (departs(r, i, 2 * DBL_EPSILON * size))
      return 1;
  }
  return 0;
}

/* A member has escaped if over the last half of the run its distance from the start grows evenly, at a rate
 * consistent with the whole run, while x has come to rest, also within the last window. */
static int has_left(const cst_long_run *r, long i) {
  const double *away = r->away + i * N;
  const double *x = r->means + i * N;
  const double  half = away[N / 2];
  const double  pace = (away[N - 1] - half) / (N - 1 - N / 2);
  double        most = 0;
  double        change = fabs(r->last[i] - x[N - 1]);
  if (!(pace > 0))
    return 0;
  if (!(away[N - 1] < 2.5 * half))
    return 0;
  if (!(away[N - 1] > 1.6 * half))
    return 0;
  for (int w = N / 2; w < N - 1; w++) {
    const double off = fabs(away[w + 1] - away[w] - pace);
    if (!(off < 0.1 * pace))
      return 0;
  }
  for (int w = 0; w < N; w++)
    most = fmax(most, fabs(x[w]));
  for (int w = N / 2; w < N; w++)
    change = fmax(change, fabs(x[w] - x[N - 1]));
  return change <= 1e-3 * most;
}

/* Copies the windows of members that have not escaped; returns the number that have. */
long cst_growth_without_escaped(const cst_long_run *r, double *means) {
  long left = 0;
  for (long i = 0; i < r->members; i++) {
    const int gone = r->away && has_left(r, i);
    left += gone;
    for (int w = 0; w < N; w++)
      means[i * N + w] = gone ? NAN : r->means[i * N + w];
  }
  return left;
}

/* True if a change is below a few units in the last place of x and of its terms. */
int cst_growth_is_below_ulps(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++) {
    const double size = fabs(r->scale[i]) + fabs(r->start[i]);
    if (r->largest[i] > ULPS * DBL_EPSILON * size)
      return 0;
  }
  return 1;
}
