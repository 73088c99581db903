/* growth-drift.c: significance of a drift whatever its law, and changes that are over.
 *
 * A path that never goes back has no memory that could be measured, since all of it is trend. Noise with
 * independent increments of either sign goes up k times in succession with the probability 2^(1-k). A path
 * counts as monotone if no window lies below an earlier one by more than 3 % of the whole change (up and down
 * exchanged for a fall). k is the number of increments in its direction less those against it, so that a path
 * which changes once and then fluctuates has a small k. Of several members, most must be monotone; k is their
 * mean. Means over two and over four windows are paths too, in which what swings on the way averages out.
 *
 * A change from one level to another that takes at most an eighth of the run is found by its two levels, if each is at
 * least four windows long, the windows are noise about them whose memory is short, and the change exceeds six
 * deviations of this noise: neither slow noise nor a tone has such levels.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "statistics/growth.h"
#include <math.h>

enum { N = CST_WINDOWS, LARGEST_BLOCK = 4, BLOCKS = 2, LEVEL = 4, LAGS = 4, SPLITS = 64 };
#define BACK 0.03 /* part of the whole change by which a monotone path may go back */
#define COIN                                                                                       \
  0.6931471805599453 /* log 2: of an increment that goes on in the direction of the last one */
/* the same for means over blocks of a random walk, whose increments are correlated by 1/4: -log 0.58, and less for the
 * tolerance */
#define PERSISTENT 0.45
#define APART      6.0 /* deviations of the noise between two levels */
#define BRIEF      2.5 /* largest memory of the noise about two levels, in windows */
#define CERTAINLY  1e6 /* bound of a ratio of variances, where there is no noise */

double cst_growth_one_sided(double normal) {
  const double square = normal * normal - 2 * 0.6931471805599453;
  return square > 0 ? sqrt(square) : 0;
}

double cst_growth_best_of(double normal, double n) {
  const double square = normal * fabs(normal) - 2 * cst_elementary_log(n);
  return square > 0 ? sqrt(square) : 0;
}

/* Increments in the direction of the change less those against it; 0: the path of n points is not monotone. */
static int ups(const double *x, int n) {
  const double change = x[n - 1] - x[0];
  double       top = x[0];
  int          k = 0;
  if (!(fabs(change) > 0))
    return 0;
  for (int w = 1; w < n; w++) {
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

/* The same of means over so many windows each. */
static int ups_of_blocks(const double *x, int block) {
  double mean[N];
  if (block == 1)
    return ups(x, N);
  for (int b = 0; b < N / block; b++) {
    mean[b] = 0;
    for (int w = 0; w < block; w++)
      mean[b] += x[b * block + w] / block;
  }
  return ups(mean, N / block);
}

static double monotone_in_blocks(const double *means, long members, int block) {
  double sum = 0;
  long   n = 0, all = 0;
  for (long i = 0; i < members; i++) {
    const double *x = means + i * N;
    if (!isfinite(x[0]))
      continue;
    const int k = ups_of_blocks(x, block);
    all++;
    n += k > 0;
    sum += k > 0 ? k : 0;
  }
  if (!(2 * n > all) || sum < 2 * (double)n)
    return 0;
  return sqrt(2 * (block == 1 ? COIN : PERSISTENT) *
              (sum / (double)n - 1)); /* Q(z) is about exp(-z^2/2) */
}

double cst_growth_monotone(const double *means, long members) {
  double most = monotone_in_blocks(means, members, 1);
  for (int block = 2; block <= LARGEST_BLOCK; block *= 2)
    most = fmax(most, cst_growth_best_of(monotone_in_blocks(means, members, block), BLOCKS));
  return most;
}

/* ---- two levels --------------------------------------------------------------------------------- */

/* Windows 0 .. first - 1 and last .. N - 1, over all members. */
typedef struct {
  int    first, last;
  double between, within; /* mean square of the difference of the levels; variance about them */
} levels;

/* Sums of x and x^2 over the windows before each one, in units of the largest difference. */
typedef struct {
  double x[N + 1], xx[N + 1];
} sums;

static int add_up(const double *x, double unit, sums *s) {
  s->x[0] = s->xx[0] = 0;
  for (int w = 0; w < N; w++) {
    const double y = (x[w] - x[0]) / unit;
    if (!isfinite(y))
      return 0;
    s->x[w + 1] = s->x[w] + y;
    s->xx[w + 1] = s->xx[w] + y * y;
  }
  return 1;
}

static void add_levels(const sums *s, levels *l) {
  const int    after = N - l->last;
  const double one = s->x[l->first], other = s->x[N] - s->x[l->last];
  const double squares = s->xx[l->first] + s->xx[N] - s->xx[l->last];
  const double d = other / after - one / l->first;
  l->between += d * d;
  l->within += fmax(0, squares - one * one / l->first - other * other / after);
}

static double contrast(const levels *l) {
  const double error = 1.0 / l->first + 1.0 / (N - l->last);
  return l->between > 0 ? fmin(l->between / (l->within * error), CERTAINLY) : 0;
}

/* Memory, in windows, of the noise about the levels: the largest of the sums over so many lags, because a walk about
 * its mean comes back at later ones. */
static double memory_about(const double *means, long members, const levels *l) {
  double sum[LAGS + 1] = {0}, memory = 1, most = 1;
  for (long i = 0; i < members; i++) {
    const double *x = means + i * N;
    for (int part = 0; part < 2; part++) {
      const int from = part ? l->last : 0, until = part ? N : l->first;
      double    mean = 0;
      for (int w = from; w < until; w++)
        mean += x[w] / (until - from);
      for (int k = 0; k <= LAGS; k++)
        for (int w = from; w + k < until && isfinite(mean); w++)
          sum[k] += (x[w] - mean) * (x[w + k] - mean);
    }
  }
  for (int k = 1; k <= LAGS && sum[0] > 0; k++) {
    memory += 2 * sum[k] / sum[0];
    most = fmax(most, memory);
  }
  return most;
}

/* Adds the members to all pairs of levels; returns their number. */
static long sum_levels(const double *means, long members, double unit, levels *all, int n) {
  long used = 0;
  for (long i = 0; i < members; i++) {
    sums s;
    if (!add_up(means + i * N, unit, &s))
      continue;
    used++;
    for (int k = 0; k < n; k++)
      add_levels(&s, &all[k]);
  }
  for (int k = 0; k < n && used; k++) {
    all[k].between /= (double)used;
    all[k].within /= (double)used * (all[k].first + N - all[k].last - 2);
  }
  return used;
}

double cst_growth_levels(const double *means, long members, double unit, double independent) {
  levels all[SPLITS * 5];
  int    n = 0, top = 0;
  for (int gap = 0; gap <= N / 8; gap += 2)
    for (int first = LEVEL; first + gap + LEVEL <= N; first += gap ? 2 : 1)
      all[n++] = (levels){.first = first, .last = first + gap};
  if (!sum_levels(means, members, unit, all, n))
    return 0;
  for (int k = 1; k < n; k++)
    if (contrast(&all[k]) > contrast(&all[top]))
      top = k;
  const levels *l = &all[top];
  const double  memory = memory_about(means, members, l);
  if (!(l->between > APART * APART * l->within) || memory > BRIEF)
    return 0;
  const double freedom = independent * (l->first + N - l->last - 2) / memory;
  const double z = cst_significance_of_f(contrast(l) / memory, independent, freedom);
  return cst_growth_best_of(z, SPLITS);
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
