/* test-batch-means.c: the error interval of a time average contains the true value in about 95 % of all
 * cases, like two deviations of a normal distribution. The processes have short or long correlation times, a
 * known spread between members, one member or many. Where one run does not suffice, the error is reported as
 * unknown.
 *
 * The process is x' = -x/tau + noise (Ornstein and Uhlenbeck), sampled eight times in each of 64 windows. An
 * argument sets the number of series per kind (default 200): `test-batch-means 20000` measures the rates of
 * docs/averages.md.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "constella/random.h"
#include "constella/statistics.h"
#include "statistics/growth.h"
#include "tap.h"

enum { N = CST_WINDOWS, PER_WINDOW = 8, SEED = 29, MOST = 64 };

static uint64_t draws;
static double   normal(void) { return cst_random_normal(SEED, draws++, CST_PURPOSE_TEST, 2, 0); }

typedef struct {
  long   members;
  double times; /* correlation times per run */
  /* spread of the members' own means, in units of a window's deviation; the process is then uncorrelated */
  double spread;
  double low, high;
  double least_known; /* least fraction of the series with a known error */
} kind;

/* The correlation time is a tenth of the first range, a fifth of a window, and so on. */
static const kind kinds[] = {
    {1, 10000, 0, 0.90, 0.985, 0.85}, {1, 1000, 0, 0.90, 0.985, 0.85},
    {1, 300, 0, 0.90, 0.985, 0.75},   {2, 1000, 0, 0.90, 0.99, 1},
    {3, 100, 0, 0.90, 0.99, 1},       {8, 10, 0, 0.90, 0.99, 1},
    {8, 100, 0, 0.90, 0.99, 1},       {8, 10000, 0, 0.90, 0.99, 1},
    {16, 10, 0, 0.90, 0.985, 1},      {64, 100, 0, 0.90, 0.985, 1},
    {4, 0, 0.15, 0.90, 0.99, 1},      {8, 0, 0.15, 0.90, 0.99, 1},
    {8, 0, 1, 0.90, 0.985, 1},        {32, 0, 0.15, 0.90, 0.985, 1},
};

static void make(const kind *k, double *x) {
  const double phi = k->times > 0 ? exp(-k->times / (N * PER_WINDOW)) : 0,
               kick = sqrt(1 - phi * phi);
  for (long m = 0; m < k->members; m++) {
    const double own = k->spread > 0 ? k->spread / sqrt(PER_WINDOW) * normal() : 0;
    double       y = normal();
    for (int w = 0; w < N; w++) {
      double sum = 0;
      for (int i = 0; i < PER_WINDOW; i++) {
        y = phi * y + kick * normal();
        sum += y;
      }
      x[m * N + w] = own + sum / PER_WINDOW;
    }
  }
}

static void test_coverage(const kind *k, int series) {
  double x[MOST * N], covered = 0, known = 0, expected = sqrt(0.05 * 0.95 / series);
  for (int s = 0; s < series; s++) {
    make(k, x);
    const cst_average a = cst_batch_means_estimate(x, k->members, N);
    known += !isnan(a.error);
    covered += !isnan(a.error) && fabs(a.mean) < 2 * a.error;
  }
  const double rate = covered / known;
  OK(rate > k->low - 2 * expected && rate < k->high + 2 * expected &&
         known >= (k->least_known - 2 * expected) * series,
     "%2ld members, %5g correlation times each, own means %g: %.3f covered, %.3f known", k->members,
     k->times, k->spread, rate, known / series);
}

static void test_alone_and_slow(int series) {
  const kind k = {1, 8, 0, 0, 0, 0};
  double     x[N], known = 0;
  for (int s = 0; s < series; s++) {
    make(&k, x);
    known += !isnan(cst_batch_means_estimate(x, 1, N).error);
  }
  OK(known < 0.05 * series, "one member over eight correlation times: unknown but for %g of %d",
     known, series);
}

static void test_autocorrelation(void) {
  enum { SERIES = 40, MEMBERS = 8 };
  static double x[MEMBERS * N];
  const kind    k = {MEMBERS, 300, 0, 0, 0, 0};
  double        sum = 0, n = 0;
  for (int s = 0; s < SERIES; s++) {
    make(&k, x);
    const cst_average a = cst_batch_means_estimate(x, MEMBERS, N);
    if (!isnan(a.of_windows)) {
      sum += MEMBERS * 300 * a.of_windows / 2;
      n++;
    } /* times in units of tau; the process has deviation 1 */
  }
  OK(n > SERIES / 2 && fabs(sum / n - 1) < 0.15,
     "the autocorrelation time is found: %.3f of what it is, %g of %d runs", sum / n, n, SERIES);
}

static void test_members_without_numbers(void) {
  double x[4 * N], y[3 * N];
  for (int i = 0; i < 3 * N; i++)
    y[i] = x[i < N ? i : i + N] = normal();
  for (int w = 0; w < N; w++)
    x[N + w] = NAN;
  const cst_average a = cst_batch_means_estimate(x, 4, N), b = cst_batch_means_estimate(y, 3, N);
  OK(a.mean == b.mean && a.error == b.error, "a member that failed is left out");
}

static void test_empty_windows(void) {
  double x[3 * N];
  for (int i = 0; i < 3 * N; i++)
    x[i] = i % 2 ? NAN : normal();
  OK(isnan(cst_batch_means_estimate(x, 1, N).error), "one member with empty windows: unknown");
  OK(cst_batch_means_estimate(x, 3, N).source == CST_FROM_MEMBERS,
     "three of them: from the members");
}

/* The same windows, of members whose means are apart more and more: from where the F ratio of their scatter is above its median, the
 * error is theirs. */
static void test_median(void) {
  enum { MEMBERS = 8 };
  double      x[MEMBERS * N], y[MEMBERS * N], low = 0, high = 4;
  cst_average within = {0}, among = {0};
  for (int m = 0; m < MEMBERS; m++) {
    double sum = 0;
    for (int w = 0; w < N; w++)
      sum += x[m * N + w] = normal();
    for (int w = 0; w < N; w++)
      x[m * N + w] -= sum / N;
  }
  for (int i = 0; i < 60; i++) {
    const double apart = (low + high) / 2;
    for (int k = 0; k < MEMBERS * N; k++)
      y[k] = x[k] + apart * (k / N % 2 ? 1 : -1);
    const cst_average a = cst_batch_means_estimate(y, MEMBERS, N);
    *(a.source == CST_FROM_WINDOWS ? &within : &among) = a;
    *(a.source == CST_FROM_WINDOWS ? &low : &high) = apart;
  }
  const double z =
      cst_significance_of_f(among.variance / within.variance, among.freedom, within.freedom);
  OK(fabs(z) < 1e-6, "eight members: windows give the error up to %g deviations above the median",
     z);
}

static void test_constant(void) {
  double x[2 * N];
  for (int i = 0; i < 2 * N; i++)
    x[i] = 3;
  OK(cst_batch_means_estimate(x, 1, N).error == 0 && cst_batch_means_estimate(x, 2, N).error == 0,
     "what is constant has no error");
}

int main(int argc, char **argv) {
  const int series = argc > 1 ? atoi(argv[1]) : 200;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    test_coverage(&kinds[i], series);
  test_alone_and_slow(series);
  test_autocorrelation();
  test_members_without_numbers();
  test_empty_windows();
  test_median();
  test_constant();
  return tap_done();
}
