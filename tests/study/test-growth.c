/* test-growth.c: verdicts on synthetic long-time behaviour: they are often right and hardly ever wrong
 * ("undecided" is not wrong).
 *
 * Window means are generated directly: the noise of the windows has deviation 1, and oscillations are
 * averaged over each window. An argument sets the number of series per kind (default 30): `test-growth 1000`
 * gives accurate rates (two minutes).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = CST_WINDOWS, SEED = 13, STEPS = 1000000 };
#define END 1000.0

static uint64_t draws;
static double   uniform(void) { return cst_random_uniform(SEED, draws++, CST_PURPOSE_TEST, 0, 0); }
static double   normal(void) { return cst_random_normal(SEED, draws++, CST_PURPOSE_TEST, 1, 0); }

/* Two random numbers in (0, 1) that all members of an ensemble share. */
typedef struct {
  double a, b;
} shared;

typedef void maker(double *x, const shared *s);

static void noise(double *x, const shared *s) {
  (void)s;
  for (int w = 0; w < N; w++)
    x[w] = normal();
}

/* omega in radians per window. The amplitude of a window varies by 20% about that of the member. */
static void oscillate(double *x, double omega) {
  const double phase = 6.283185307179586 * uniform(), size = 1 + 0.3 * normal();
  for (int w = 0; w < N; w++)
    x[w] = size * (1 + 0.2 * normal()) * (sin(omega * (w + 1) + phase) - sin(omega * w + phase)) /
           omega;
}
/* 1 to 41 periods per window */
static void fast(double *x, const shared *s) { oscillate(x, 6.283185307179586 * (1 + 40 * s->a)); }
/* 1 to 12 windows per period */
static void slow(double *x, const shared *s) { oscillate(x, 6.283185307179586 / (1 + 11 * s->a)); }

static void walk(double *x, const shared *s) {
  double at = 0;
  (void)s;
  for (int w = 0; w < N; w++) {
    x[w] = 0;
    for (int i = 0; i < 16; i++) {
      at += normal() / 4;
      x[w] += at / 16;
    }
  }
}

/* 20 to 1000 deviations of the noise per run */
static double drift(const shared *s) { return 20 * pow(50, s->b); }

static void linear(double *x, const shared *s) {
  for (int w = 0; w < N; w++)
    x[w] = drift(s) * w / (N - 1) + normal();
}
static void linear_oscillating(double *x, const shared *s) {
  const double omega = 6.283185307179586 * (1 + 40 * s->a);
  oscillate(x, omega);
  for (int w = 0; w < N; w++)
    x[w] += drift(s) * w / (N - 1) / omega;
}
static void linear_hidden(double *x, const shared *s) {
  for (int w = 0; w < N; w++)
    x[w] = 0.5 * pow(10, s->b) * w / (N - 1) + normal();
}
static void own_slopes(double *x, const shared *s) {
  const double slope = drift(s) * (0.5 + uniform()) * (uniform() < 0.5 ? -1 : 1);
  for (int w = 0; w < N; w++)
    x[w] = slope * w / (N - 1) + normal();
}
/* sets in at 0.7 to 0.85 of the run, and goes up to 10 to 300 deviations */
static void late(double *x, const shared *s) {
  const double from = 0.7 + 0.15 * s->a;
  for (int w = 0; w < N; w++)
    x[w] = fmax(0, (w + 0.5) / N - from) / (1 - from) * 10 * pow(30, s->b) + normal();
}
static void quadratic(double *x, const shared *s) {
  for (int w = 0; w < N; w++)
    x[w] = 5 * drift(s) * (w + 0.5) * (w + 0.5) / (N * N) + normal();
}
static void exponential(double *x, const shared *s) {
  const double rate = (6 + 34 * s->a) / N, level = 0.01 * exp(-7 * s->b);
  for (int w = 0; w < N; w++)
    x[w] = exp(rate * (w - N)) + level * normal();
}

static double steady_drift; /* drift of `steady` per run */
static void   steady(double *x, const shared *s) {
    (void)s;
    for (int w = 0; w < N; w++)
    x[w] = steady_drift * w / (N - 1) + normal();
}
static void remembers(double *x, const shared *s) {
  const double phi = exp(-1 / (10 + 20 * s->a)); /* 10 to 30 windows */
  double       at = normal();
  for (int w = 0; w < N; w++) {
    x[w] = at;
    at = phi * at + sqrt(1 - phi * phi) * normal();
  }
}
static void relaxation(double *x, const shared *s) { /* with a time of three runs */
  (void)s;
  for (int w = 0; w < N; w++)
    x[w] = 100 * (1 - exp(-(w + 0.5) / (3 * N))) / (1 - exp(-1.0 / 3)) + normal();
}
static void saturated(double *x, const shared *s) {
  const double rate = 25 + 25 * s->a;
  for (int w = 0; w < N; w++)
    x[w] = 1000 / (1 + exp(-rate * ((w + 0.5) / N - 0.8))) + normal();
}
static void late_jump(double *x, const shared *s) { /* after the middle of the run */
  for (int w = 0; w < N; w++)
    x[w] = 30 * ((w + 0.5) / N > 0.55 + 0.35 * s->a) + normal();
}
static void late_change(double *x, const shared *s) {
  for (int w = 0; w < N; w++)
    x[w] = 30 / (1 + exp(-50 * ((w + 0.5) / N - 0.6 - 0.1 * s->a))) + normal();
}
/* All is lost in waves, by half the run. */
static void waves(double *x, const shared *s) {
  for (int w = 0; w < N; w++) {
    const double t = (w + 0.5) / N;
    x[w] = -1 + exp(-2 * t) * (0.8 + 0.2 * cos((40 + 40 * s->a) * t)) + 0.01 * normal();
  }
}
/* Of which 1/8 to 1/4 of a period is in the run, or less than half: no law. */
static void slow_tone(double *x, const shared *s) {
  for (int w = 0; w < N; w++)
    x[w] = 5 * sin(6.283185307179586 * ((w + 0.5) / N / (4 + 4 * s->a) + s->b)) + normal();
}
static void walk_and_line(double *x, const shared *s) {
  walk(x, s);
  for (int w = 0; w < N; w++)
    x[w] += 8 * (w + 0.5) / N;
}

/* m: max |x - x(0)|; moved: displacement over |q(0)|; scale: the scale of all members. */
static cst_growth judge(const double *x, const double *m, const double *moved, long members,
                        double scale) {
  double *scales = malloc((size_t)(2 * members + 1) * sizeof *scales), *zero = scales + members;
  cst_long_run run = {.members = members,
                      .steps = STEPS,
                      .end = END,
                      .means = x,
                      .largest = m,
                      .scale = scales,
                      .start = zero,
                      .last = zero,
                      .moved = moved};
  for (long i = 0; i < members; i++) {
    scales[i] = scale;
    zero[i] = 0;
  }
  cst_growth g = cst_growth_estimate(&run);
  cst_growth_conclude(&g, NULL, NULL, 1);
  free(scales);
  return g;
}

/* The largest change of each member is that of its windows. */
static cst_growth estimate(const double *x, long members) {
  double *m = calloc((size_t)members, sizeof *m);
  for (long k = 0; k < members * N; k++)
    m[k / N] = fmax(m[k / N], fabs(x[k] - x[k / N * N]));
  const cst_growth g = judge(x, m, m, members, 1);
  free(m);
  return g;
}

/* Every second series gets an offset and a factor, which must not matter. */
static void make(double *x, int members, maker *path, int series) {
  const shared s = {uniform(), uniform()};
  for (int i = 0; i < members; i++)
    path(x + i * N, &s);
  for (int k = 0; series % 2 && k < members * N; k++)
    x[k] = -7e-5 + 1e-6 * x[k];
}

static void check_rates(const char *name, maker *path, int members, int series, cst_verdict right,
                        cst_verdict also, double least) {
  double *x = malloc(sizeof *x * N * (size_t)members);
  int     counts[CST_VERDICTS] = {0};
  for (int k = 0; k < series; k++) {
    make(x, members, path, k);
    counts[estimate(x, members).verdict]++;
  }
  free(x);
  int wrong = series - counts[CST_UNDECIDED] - counts[right];
  if (also != right && also != CST_UNDECIDED)
    wrong -= counts[also];
  if (right == CST_DRIFTS)
    wrong -= counts[CST_LINEAR];
  NOTE("%s, %d members: %s %.1f%%, undecided %.1f%%, wrong %.1f%%", name, members,
       cst_growth_verdict_names[right], 100.0 * counts[right] / series,
       100.0 * counts[CST_UNDECIDED] / series, 100.0 * wrong / series);
  OK(wrong <= 0.02 * series, "%s, %d members: wrong in %d of %d", name, members, wrong, series);
  OK(counts[right] >= least * series, "%s, %d members: right in %d of %d", name, members,
     counts[right], series);
}

static void check_all_rates(int series) {
  static const struct {
    const char *name;
    maker      *path;
    cst_verdict right, also;
    double      least[3]; /* least rate of right verdicts for 1, 8, 64 members */
  } kinds[] = {
      {"bounded noise", noise, CST_BOUNDED_VERDICT, CST_UNDECIDED, {0.4, 0.9, 0.95}},
      {"fast oscillation", fast, CST_BOUNDED_VERDICT, CST_UNDECIDED, {0.4, 0.6, 0.7}},
      {"slow oscillation", slow, CST_BOUNDED_VERDICT, CST_UNDECIDED, {0.3, 0.75, 0.85}},
      {"random walk", walk, CST_RANDOM_WALK, CST_UNDECIDED, {0, 0, 0.85}},
      {"linear + noise", linear, CST_LINEAR, CST_DRIFTS, {0.6, 0.9, 0.95}},
      {"linear + oscillation", linear_oscillating, CST_LINEAR, CST_DRIFTS, {0.6, 0.85, 0.9}},
      {"slopes of either sign", own_slopes, CST_LINEAR, CST_DRIFTS, {0.6, 0.9, 0.95}},
      {"linear under noise", linear_hidden, CST_DRIFTS, CST_BOUNDED_VERDICT, {0, 0.3, 0.2}},
      {"quadratic + noise", quadratic, CST_QUADRATIC, CST_DRIFTS, {0.5, 0.85, 0.9}},
      {"exponential + noise", exponential, CST_EXPONENTIAL, CST_DRIFTS, {0.6, 0.6, 0.6}},
  };
  static const int members[3] = {1, 8, 64};
  for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int j = 0; j < 3; j++)
      check_rates(kinds[k].name, kinds[k].path, members[j],
                  kinds[k].path == walk ? 6 * series : series, kinds[k].right, kinds[k].also,
                  kinds[k].least[j]); /* more series: the rate is near its bound */
}

/* Kinds without a law must be undecided or drift, except in 2% of the series (3% and one more for few series).
 * drifts: the least part that must drift; 0: none may; -1: any may. */
static void check_none(const char *name, maker *path, int members, int series, double drifts) {
  double *x = malloc(sizeof *x * N * (size_t)members);
  int     given = 0, told = 0, drifting = 0;
  for (int k = 0; k < series; k++) {
    make(x, members, path, k);
    const cst_growth g = estimate(x, members);
    drifting += g.verdict == CST_DRIFTS;
    given += g.verdict != CST_UNDECIDED && (g.verdict != CST_DRIFTS || drifts == 0.0);
    told += g.verdict != CST_UNDECIDED || g.why != CST_WHY_NONE;
  }
  free(x);
  OK(told == series, "%s, %d members: undecided has a reason", name, members);
  OK(drifting >= drifts * series, "%s, %d members: drifts in %d of %d", name, members, drifting,
     series);
  OK(given <= 1 + 0.03 * series, "%s, %d members: a verdict in %d of %d", name, members, given,
     series);
}

static void check_no_verdict(int series) {
  static const struct {
    const char *name;
    maker      *path;
    double      drifts[3]; /* for 1, 8 and 64 members */
  } kinds[] = {{"memory of 10 to 30 windows", remembers, {0, 0, 0}},
               {"a relaxation of three runs", relaxation, {1, 1, 1}},
               {"a logistic that has saturated", saturated, {0.9, 1, 1}},
               {"a jump after the middle", late_jump, {0.9, 0.9, 0.9}},
               {"a change that is over after the middle", late_change, {0.8, 0.8, 0.8}},
               {"walk and line", walk_and_line, {-1, -1, 0.95}}};
  for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int j = 0; j < 3; j++)
      check_none(kinds[k].name, kinds[k].path,
                 j == 0   ? 1
                 : j == 1 ? 8
                          : 64,
                 series, kinds[k].drifts[j]);
}

/* Drifts of a few deviations of a window: the rates of "bounded" and "linear", and how often the limit is
 * below the drift. */
static void check_small_drift(double drift, int members, int series, double most_bounded,
                              double least_linear) {
  double *x = malloc(sizeof *x * N * (size_t)members);
  int     bounded = 0, linear_ones = 0, below = 0;
  steady_drift = drift;
  for (int k = 0; k < series; k++) {
    for (int i = 0; i < members; i++)
      steady(x + i * N, NULL);
    const cst_growth g = estimate(x, members);
    bounded += g.verdict == CST_BOUNDED_VERDICT;
    linear_ones += g.verdict == CST_LINEAR || g.verdict == CST_DRIFTS;
    below += g.limit * END * (N - 1) / N < drift;
  }
  free(x);
  OK(bounded <= most_bounded * series, "drift of %g, %d members: bounded in %d of %d", drift,
     members, bounded, series);
  OK(linear_ones >= least_linear * series, "drift of %g, %d members: linear or drifts in %d of %d",
     drift, members, linear_ones, series);
  OK(below <= 1 + 0.1 * series, "drift of %g, %d members: the limit is below it in %d of %d", drift,
     members, below, series);
}

static void check_drifts(int series) {
  check_small_drift(0, 1, 4 * series, 1, 0);
  check_small_drift(1, 1, 4 * series, 0.45, 0);
  check_small_drift(10, 1, series, 0, 0.8);
  check_small_drift(1, 8, 4 * series, 0.05, 0);
  check_small_drift(3, 8, series, 0, 0.8);
  check_small_drift(10, 8, series, 0, 0.85);
  check_small_drift(0.3, 64, series, 0.1, 0);
  check_small_drift(2, 64, series, 0, 0.85);
}

/* One series of check_power: noise with a memory, and a line. */
static cst_growth remembering(double phi, int members, double size) {
  static double x[16 * N];
  for (int i = 0; i < members; i++) {
    double at = normal();
    for (int w = 0; w < N; w++) {
      x[i * N + w] = at + size * (w + 0.5) / N;
      at = phi * at + sqrt(1 - phi * phi) * normal();
    }
  }
  return estimate(x, members);
}

/* The power of the test for a drift: a slope of six standard errors, in noise with a memory of up to four
 * windows, where the run shows 16 effective windows. And noise alone. In a table of one. */
static void check_power(void) {
  static const double all[] = {1, 2.2, 3.9}; /* memory, in windows */
  static const double least[3][3] = {{0.85, 0.3, 0}, {0.93, 0.93, 0.8}, {0.93, 0.93, 0.93}};
  const int           series = 60;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) {
      const int    members = j == 0 ? 1 : j == 1 ? 4 : 16;
      const double phi = (all[k] - 1) / (all[k] + 1);
      const double size = 6 * sqrt(12 * all[k] / N / members);
      int          told = 0, few = 0, wrong = 0;
      for (int i = 0; i < series; i++) {
        const cst_verdict none = remembering(phi, members, 0).verdict;
        const cst_growth  g = remembering(phi, members, size);
        wrong += none != CST_BOUNDED_VERDICT && none != CST_UNDECIDED;
        told += g.verdict == CST_DRIFTS || g.verdict == CST_LINEAR;
        few += g.verdict == CST_UNDECIDED && g.why == CST_WHY_FEW_WINDOWS;
      }
      OK(wrong <= 1 + 0.02 * series, "noise with a memory of %.1f, %d members: wrong in %d of %d",
         all[k], members, wrong, series);
      OK(told >= least[j][k] * (series - few),
         "six errors, memory %.1f, %d members: told in %d of %d, few windows in %d", all[k],
         members, told, series, few);
    }
}

/* Growth at the level of round-off is round-off only where a smaller step does not make it smaller; a line
 * needs a narrow interval. */
static void check_table(void) {
  cst_growth big = {.verdict = CST_LINEAR_ROUND_OFF,
                    .law = CST_LINEAR,
                    .slope = 1,
                    .by_round_off = CST_ROUND_OFF_PERHAPS};
  cst_growth fine = {.verdict = CST_EXACT, .law = CST_UNDECIDED, .slope = 1.6};
  cst_growth_conclude(&big, &fine, NULL, 2);
  OK(big.verdict == CST_LINEAR_ROUND_OFF, "half the step, 1.6 times the growth: round-off");
  fine.slope = 0.06;
  cst_growth_conclude(&big, &fine, NULL, 2);
  OK(big.verdict == CST_LINEAR, "half the step, a sixteenth of the growth: linear");
  big.verdict = CST_LINEAR_ROUND_OFF;
  cst_growth_conclude(&big, NULL, NULL, 2);
  OK(big.verdict == CST_LINEAR, "no other step: linear");
  big.verdict = CST_LINEAR_ROUND_OFF;
  fine.slope = 0.6;
  cst_growth_conclude(&big, NULL, &fine, 2);
  OK(big.verdict == CST_LINEAR_ROUND_OFF, "the smallest step, 1.7 times the growth: round-off");
  big.verdict = CST_LINEAR_ROUND_OFF;
  fine.slope = 8;
  cst_growth_conclude(&big, NULL, &fine, 2);
  OK(big.verdict == CST_LINEAR, "the smallest step, an eighth of the growth: linear");
  big = (cst_growth){.verdict = CST_UNDECIDED, .law = CST_UNDECIDED, .drift = 3};
  cst_growth_conclude(&big, NULL, NULL, 100);
  OK(big.verdict == CST_UNDECIDED,
     "three deviations do not drift in a table of a hundred verdicts");
  cst_growth_conclude(&big, NULL, NULL, 1);
  OK(big.verdict == CST_DRIFTS && big.why == CST_WHY_WEAK, "but in one of a single verdict");
  OK(fabs(cst_growth_threshold(1) - 2.326348) < 1e-3 &&
         fabs(cst_growth_threshold(1000) - 4.264891) < 1e-3,
     "thresholds: %.4f, %.4f", cst_growth_threshold(1), cst_growth_threshold(1000));
}

/* One of 64 members drifts; or members drift in either direction. The mean shows neither. */
static void check_members(int series) {
  static double x[64 * N];
  int           bounded = 0;
  for (int k = 0; k < series; k++) {
    for (int i = 0; i < 64; i++)
      noise(x + i * N, NULL);
    for (int w = 0; w < N; w++)
      x[w] += 10.0 * w / N;
    bounded += estimate(x, 64).verdict == CST_BOUNDED_VERDICT;
  }
  OK(bounded <= 0.05 * series, "one of 64 drifts by ten deviations: bounded in %d of %d", bounded,
     series);
  for (int i = 0; i < 64; i++) {
    noise(x + i * N, NULL);
    for (int w = 0; w < N; w++)
      x[i * N + w] += (i % 2 ? 20.0 : -20.0) * w / N;
  }
  const cst_growth g = estimate(x, 64);
  OK(fabs(g.slope_rms * END - 20) < 1 && fabs(g.slope * END) < 0.5 && g.limit * END > 20,
     "slopes of either sign: rms %.1f, limit %.1f, mean %.2g", g.slope_rms * END, g.limit * END,
     g.slope * END);
  OK(g.verdict == CST_LINEAR, "and linear");
}

/* Round-off that drifts, and members that escape. */
static void check_round_off_and_escape(void) {
  static double x[8 * N], away[8 * N];
  double        m[8], scale[8], start[8], last[8], moved[8];
  for (int i = 0; i < 8; i++) {
    m[i] = scale[i] = moved[i] = 1;
    start[i] = 1e6;
    last[i] = 2e-10;
    for (int w = 0; w < N; w++) {
      x[i * N + w] = 1e-9 * (w + 0.1 * normal()) / N;
      away[i * N + w] = w + 0.5;
    }
    m[i] = 1.1e-9;
  }
  cst_long_run r = {.members = 8,
                    .steps = STEPS,
                    .end = END,
                    .means = x,
                    .largest = m,
                    .scale = scale,
                    .start = start,
                    .last = last,
                    .moved = moved};
  cst_growth   drifting = cst_growth_estimate(&r);
  OK(drifting.verdict == CST_LINEAR_ROUND_OFF && drifting.by_round_off == CST_ROUND_OFF_SURE &&
         drifting.law == CST_LINEAR,
     "round-off that drifts");
  for (int i = 0; i < 8; i++) {
    start[i] = 0;
    scale[i] = 1e6;
    m[i] = 2.2e-9;
  }
  drifting = cst_growth_estimate(&r);
  OK(drifting.by_round_off == CST_ROUND_OFF_PERHAPS,
     "ten units in the last place may be truncation");
  for (int i = 0; i < 8; i++) {
    start[i] = 1e6;
    scale[i] = 1;
    m[i] = 1.1e-9;
  }
  for (int k = 0; k < 8 * N; k++)
    x[k] = 1e-9 * normal() / 4;
  OK(cst_growth_estimate(&r).verdict == CST_EXACT, "round-off of x(0) alone is exact");
  for (int i = 0; i < 8; i++) {
    start[i] = 0;
    scale[i] = 1e-6;
  }
  OK(cst_growth_estimate(&r).verdict == CST_BOUNDED_VERDICT, "which it is not where x(0) is small");
  for (int i = 0; i < 8; i++)
    for (int w = 0; w < N; w++)
      x[i * N + w] = 2e-10 * (1 + exp(-w));
  r.away = away;
  OK(cst_growth_estimate(&r).verdict == CST_ESCAPED,
     "x comes to rest while the members leave: escaped");
  for (int k = 0; k < 8 * N; k++)
    away[k] = 2 + sin(k);
  OK(cst_growth_estimate(&r).verdict != CST_ESCAPED, "which they do not where they stay near");
}

static void check_exact_and_frozen(void) {
  static double x[64 * N], still[64 * N];
  double        m[64], moved[64];
  const double  limit = 20 * 0x1p-52 * 3 * 1000; /* scale 3, 10^6 steps */
  for (int i = 0; i < 64; i++) {
    walk(x + i * N, NULL);
    m[i] = limit / (1 + i % 5);
    moved[i] = 0.5;
  }
  for (int k = 0; k < 64 * N; k++)
    x[k] *= 1e-16;
  cst_growth g = judge(x, m, moved, 64, 3);
  OK(g.verdict == CST_EXACT && isfinite(g.slope), "round-off below 20 eps S sqrt(n) is exact");
  OK(g.low < 0.5 && 0.5 < g.high && g.high - g.low < 0.75,
     "and its exponent is that of a walk: %.3f, from %.3f to %.3f", g.exponent, g.low, g.high);
  memset(still, 0, sizeof still);
  g = judge(still, m, moved, 64, 3);
  OK(g.verdict == CST_EXACT && isnan(g.exponent) && isnan(g.low), "what never moves has none");
  m[17] = moved[17] = NAN;
  OK(judge(x, m, moved, 64, 3).verdict == CST_EXACT, "a failed member does not change that");
  const double largest = m[18];
  const double bad[] = {NAN, INFINITY};
  for (int i = 0; i < 2; i++) {
    m[18] = bad[i];
    g = judge(x, m, moved, 64, 3);
    OK(g.verdict == CST_UNDECIDED && g.why == CST_WHY_NOT_FINITE,
       "one that is %g is neither exact nor bounded", bad[i]);
  }
  m[18] = largest;
  g = judge(x, m, moved, 64, NAN);
  OK(g.verdict == CST_UNDECIDED && g.why == CST_WHY_NOT_FINITE, "nor is one without a scale");
  m[63] = 1.01 * limit;
  g = judge(x, m, moved, 64, 3);
  OK(g.verdict == CST_BOUNDED_VERDICT, "one member beyond, but no mean moved by as much: bounded");
  for (int i = 0; i < 64; i++)
    moved[i] = i == 5 || i == 17 ? NAN : 1e-11;
  OK(judge(x, m, moved, 64, 3).verdict == CST_FROZEN, "no member moves: frozen");
  m[63] = 0;
  OK(judge(x, m, moved, 64, 3).verdict == CST_FROZEN, "frozen goes before exact");
  moved[9] = 1e-9;
  OK(judge(x, m, moved, 64, 3).verdict == CST_EXACT, "one member moves: not frozen");
  memset(x, 0, sizeof x);
  m[0] = 1;
  OK(judge(x, m, moved, 64, 3).verdict == CST_BOUNDED_VERDICT, "all means equal: bounded");
  OK(judge(x, m, moved, 0, 3).verdict == CST_UNDECIDED, "no member: undecided");
}

static void check_holes(void) {
  double x[3 * N], y[8 * N];
  for (int w = 0; w < N; w++)
    x[w] = w < 7 ? w : NAN;
  cst_growth g = estimate(x, 1);
  OK(g.verdict == CST_UNDECIDED && isnan(g.exponent) && isnan(g.slope) && isnan(g.slope_error),
     "seven windows: undecided, NaN");
  for (int w = 0; w < N; w++)
    x[w] = w % 3 ? NAN : w + 0.01 * normal();
  g = estimate(x, 1);
  OK(fabs(g.exponent - 1) < 0.1 && fabs(g.slope - N / END) < 1e-3 * N / END,
     "two of three windows empty: exponent %.3f, slope", g.exponent);
  for (int w = 0; w < N; w++) {
    x[w] = w + 0.01 * normal();
    x[N + w] = NAN;
    x[2 * N + w] = w < 9 ? 2 * w : NAN;
  }
  g = estimate(x, 3);
  OK(isfinite(g.exponent), "members that failed are left out: %s, %.3f",
     cst_growth_verdict_names[g.verdict], g.exponent);
  for (int i = 0; i < 8; i++)
    linear(y + i * N, &(shared){0, 0.5});
  const cst_growth all = estimate(y, 7);
  for (int w = 0; w < N; w++)
    y[7 * N + w] = NAN;
  g = estimate(y, 8);
  OK(!memcmp(&all, &g, sizeof g), "a failed member more: the same bits");
}

/* Compares the error of the slope with the spread of slopes. */
static void check_slope(const char *name, maker *path, int members, int series) {
  double *x = malloc(sizeof *x * N * (size_t)members), square = 0, claimed = 0;
  for (int k = 0; k < series; k++) {
    for (int i = 0; i < members; i++)
      path(x + i * N, &(shared){0.37, 0});
    const cst_growth g = estimate(x, members);
    const double     off = g.slope - (path == linear ? 20.0 / (N - 1) * N / END : 0);
    square += off * off;
    claimed += g.slope_error * g.slope_error;
  }
  free(x);
  OK(claimed > 0.5 * square && claimed < 2.5 * square,
     "%s, %d members: slope's error %.2g claimed, %.2g found", name, members,
     sqrt(claimed / series), sqrt(square / series));
}

static void check_statistics(void) {
  const double x[6] = {3, NAN, -1, 4, 2, NAN}, p[5] = {0, 0.5, 1, 1.0 / 6, NAN},
               inf[3] = {1, INFINITY, -INFINITY};
  double q[5];
  OK(cst_ensemble_mean(x, 6) == 2 && isnan(cst_ensemble_mean(x, 0)) &&
         isnan(cst_ensemble_mean(x + 1, 1)),
     "mean, NaN left out");
  OK(fabs(cst_ensemble_rms(x, 6) - sqrt(7.5)) < 1e-15 && isnan(cst_ensemble_rms(x + 1, 1)) &&
         cst_ensemble_rms((double[]){3e200, -4e200}, 2) > 3.5e200,
     "rms");
  cst_ensemble_quantiles(x, 6, p, 5, q);
  OK(q[0] == -1 && q[1] == 2.5 && q[2] == 4 && fabs(q[3] - 0.5) < 1e-15 && isnan(q[4]),
     "quantiles, NaN left out");
  cst_ensemble_quantiles(x + 1, 1, p, 5, q);
  OK(isnan(q[0]) && isnan(q[1]), "quantiles of nothing");
  cst_ensemble_quantiles(inf, 3, p, 3, q);
  OK(q[0] == -INFINITY && q[1] == 1 && q[2] == INFINITY, "quantiles with infinities");
  double error;
  OK(cst_ensemble_slope((double[]){0, 1, 2, 4}, (double[]){1, 3, NAN, 9}, 4, &error) == 2 &&
         error < 1e-15,
     "slope of a line with a hole");
  OK(isnan(cst_ensemble_slope((double[]){0, 1}, (double[]){1, NAN}, 2, &error)) && isnan(error),
     "slope of one point");
}

static void check_cost(long members) {
  double *x = malloc(sizeof *x * N * (size_t)members);
  for (long i = 0; i < members; i++)
    linear(x + i * N, &(shared){0, 0});
  const clock_t    start = clock();
  const cst_growth g = estimate(x, members), h = estimate(x, members);
  NOTE("%ld members: %.1f ms, %s %.3f [%.3f, %.3f]", members,
       500.0 * (double)(clock() - start) / CLOCKS_PER_SEC, cst_growth_verdict_names[g.verdict],
       g.exponent, g.low, g.high);
  OK(g.verdict == CST_LINEAR && !memcmp(&g, &h, sizeof g),
     "%ld members: linear, the same bits again", members);
  free(x);
}

/* Changes that are over; range: of x in the last half, terms: of a conserved x (0: unknown). */
static cst_growth after(const double *x, long members, double range, double terms) {
  double       one[8], ranges[8], sums[8], most[8];
  cst_long_run run = {.members = members,
                      .steps = STEPS,
                      .end = END,
                      .means = x,
                      .largest = most,
                      .scale = one,
                      .start = one,
                      .last = one,
                      .moved = one,
                      .range = range >= 0 ? ranges : NULL,
                      .terms = terms > 0 ? sums : NULL};
  for (long i = 0; i < members; i++) {
    one[i] = 1;
    most[i] = 1000;
    ranges[i] = range;
    sums[i] = terms;
  }
  cst_growth g = cst_growth_estimate(&run);
  cst_growth_conclude(&g, NULL, NULL, 1);
  return g;
}

static void check_settled(void) {
  static double x[8 * N];
  for (int k = 0; k < 8 * N; k++)
    x[k] = -0.5 + 1e-9 * normal();
  cst_growth g = after(x, 8, 1e-8, 0);
  OK(g.verdict == CST_SETTLED && fabs(g.change - 0.5) < 1e-6 && g.at == 0,
     "what is lost before the first window ends has settled: %s, %g at %g",
     cst_growth_verdict_names[g.verdict], g.change, g.at);
  OK(isnan(after(x, 8, 0.2, 0).change) && after(x, 8, 0.2, 0).verdict == CST_BOUNDED_VERDICT,
     "which is bounded where x goes on to move by as much within windows");
  OK(after(x, 8, -1, 0).verdict == CST_BOUNDED_VERDICT, "or where that is not known");
  OK(after(x, 8, 0.2, 1.6).verdict == CST_DRIFTS,
     "but a conserved x that lost more than a quarter of its terms is not bounded");
  OK(after(x, 8, 0.2, 4).verdict == CST_BOUNDED_VERDICT, "if it lost less, it is");
  for (int k = 0; k < 8 * N; k++)
    x[k] = 30 * (1 - exp(-(k % N) / 3.0)) + normal();
  g = after(x, 8, 5, 0);
  OK(g.verdict == CST_SETTLED && 2 * END / N < g.at && g.at < 10 * END / N,
     "a relaxation over some windows has settled at %g", g.at);
  for (int k = 0; k < 8 * N; k++)
    x[k] = 30 * pow((k % N + 0.5) / N, 0.15) + 0.1 * normal();
  g = after(x, 8, 4, 0);
  OK(g.verdict == CST_DRIFTS, "what grows more and more slowly has not: %s",
     cst_growth_verdict_names[g.verdict]);
}

/* What is conserved and has lost its terms drifts, whatever the path, and the change is reported over these terms. */
static void check_lost(int series) {
  int drifting = 0, told = 0;
  for (int k = 0; k < series; k++) {
    double       x[N], one = 1, zero = 0, last = -0.86;
    const shared s = {uniform(), uniform()};
    waves(x, &s);
    cst_long_run run = {.members = 1,
                        .steps = STEPS,
                        .end = END,
                        .means = x,
                        .largest = &one,
                        .scale = &one,
                        .start = &zero,
                        .last = &last,
                        .moved = &one,
                        .terms = &one};
    cst_growth   g = cst_growth_estimate(&run);
    told += fabs(g.end_change - 0.86) < 1e-12;
    cst_growth_conclude(&g, NULL, NULL, 100);
    drifting += g.verdict == CST_DRIFTS;
  }
  OK(drifting >= 0.95 * series, "all terms lost in waves: drifts in %d of %d", drifting, series);
  OK(told == series, "and the change at the end is over the terms");
}

/* Series of 1 and 8 members with hardly ever such a verdict. */
static void check_never(const char *name, maker *path, cst_verdict verdict, int series,
                        double most) {
  static double x[8 * N];
  for (int members = 1; members <= 8; members *= 8) {
    int given = 0;
    for (int k = 0; k < series; k++) {
      make(x, members, path, k);
      given += estimate(x, members).verdict == verdict;
    }
    OK(given <= most * series, "%s, %d members: %s in %d of %d", name, members,
       cst_growth_verdict_names[verdict], given, series);
  }
}

/* Noise, and a jump in the last window. */
static void last_jump(double *x, const shared *s) {
  noise(x, s);
  x[N - 1] += 30;
}

int main(int argc, char **argv) {
  const int series = argc > 1 ? atoi(argv[1]) : 30;
  check_statistics();
  check_exact_and_frozen();
  check_holes();
  check_all_rates(series);
  check_no_verdict(series);
  check_drifts(series);
  check_members(series);
  check_power();
  check_table();
  check_round_off_and_escape();
  check_settled();
  check_lost(series);
  check_never("a jump in the last window", last_jump, CST_BOUNDED_VERDICT, 2 * series, 0.02);
  check_never("less than a quarter of a tone", slow_tone, CST_LINEAR, 2 * series, 0.1);
  check_rates("line that sets in late", late, 1, series, CST_DRIFTS, CST_UNDECIDED, 0.6);
  check_rates("line that sets in late", late, 16, series, CST_DRIFTS, CST_UNDECIDED, 0.6);
  check_slope("noise", noise, 1, 8 * series);
  check_slope("linear + noise", linear, 1, 8 * series);
  check_slope("linear + noise", linear, 16, 8 * series);
  check_slope("random walk", walk, 16, 8 * series);
  check_cost(64);
  check_cost(10000);
  return tap_done();
}
