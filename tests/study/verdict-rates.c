/* verdict-rates.c: measures how often each verdict is given if the truth is known. The window means are
 * generated directly and judged by cst_growth_estimate. `make verdict-rates` and jobs/verdict-rates print the
 * table of docs/verdicts.md. Usage: verdict-rates [series [word]], with the number of series per kind
 * (default 200) and a word that selects kinds by their names.
 *
 * The cells are right / undecided / wrong in per cent. With a word the last column also has the reasons of
 * undecided series. The noise of windows is independent with deviation 1 unless said otherwise; D is the
 * drift over the run in these deviations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = CST_WINDOWS, SEED = 29, MEMBERS = 64, FINE = 16 };
#define TURN 6.283185307179586

static uint64_t draws;
static double   uniform(void) { return cst_random_uniform(SEED, draws++, CST_PURPOSE_TEST, 0, 0); }
static double   normal(void) { return cst_random_normal(SEED, draws++, CST_PURPOSE_TEST, 1, 0); }

/* What the members of an ensemble share: a number of the kind and two in (0, 1); and the member's index. */
typedef struct {
  double p, a, b;
  int    member;
} shared;
typedef void maker(double *x, const shared *s);

/* A function of the fraction of the run that has passed, 0 to 1; it is averaged over windows. */
typedef double course(double t, const shared *s);
static void    follow(double *x, course *f, const shared *s, double size) {
     for (int w = 0; w < N; w++) {
       x[w] = 0;
       for (int i = 0; i < FINE; i++)
      x[w] += size * f((w + (i + 0.5) / FINE) / N, s) / FINE;
  }
}

static void add_noise(double *x, double size) {
  for (int w = 0; w < N; w++)
    x[w] += size * normal();
}

static void over_noise(double *x, course *f, const shared *s, double size) {
  follow(x, f, s, size);
  add_noise(x, 1);
}

static void white(double *x, const shared *s) {
  (void)s;
  memset(x, 0, N * sizeof *x);
  add_noise(x, 1);
}

static double power(double t, const shared *s) { return pow(t, s->p); }
static double line(double t, const shared *s) { return s->p * t; }
static double logarithm(double t, const shared *s) { return log(1 + s->p * t); }
static double relaxation(double t, const shared *s) {
  return (1 - exp(-t / s->p)) / (1 - exp(-1 / s->p));
}
static double logistic(double t, const shared *s) {
  return 1 / (1 + exp(-(25 + 25 * s->a) * (t - s->p)));
}
static double growth(double t, const shared *s) { return exp((6 + 34 * s->a) * (t - 1)); }
static double tone(double t, const shared *s) { return sin(TURN * (t / s->p + s->b)); }

static void linear(double *x, const shared *s) { over_noise(x, line, s, 1); }
static void either_sign(double *x, const shared *s) {
  over_noise(x, line, s, (0.5 + uniform()) * (uniform() < 0.5 ? -1 : 1));
}
static void one_drifts(double *x, const shared *s) {
  memset(x, 0, N * sizeof *x);
  if (s->member == 0)
    follow(x, line, s, 1);
  add_noise(x, 1);
}

static void walk_of(double *x, double size, double *end) {
  double at = 0;
  for (int w = 0; w < N; w++) {
    double sum = 0;
    for (int i = 0; i < FINE; i++) {
      at += size * normal() / sqrt(FINE * N);
      sum += at / FINE;
    }
    x[w] += sum;
  }
  if (end)
    *end = at;
}
static void walk(double *x, const shared *s) {
  memset(x, 0, N * sizeof *x);
  walk_of(x, s->p, NULL);
}
static void walk_noise(double *x, const shared *s) {
  walk(x, s);
  add_noise(x, 1);
}
static void walk_linear(double *x, const shared *s) {
  follow(x, line, s, 1);
  walk_of(x, s->p, NULL);
}

static void memory(double *x, const shared *s) {
  const double phi = exp(-1 / s->p);
  double       at = normal();
  for (int w = 0; w < N; w++) {
    x[w] = at;
    at = phi * at + sqrt(1 - phi * phi) * normal();
  }
}
static void memory_drift(double *x, const shared *s) {
  double y[N];
  memory(x, &(shared){3, 0, 0, 0});
  follow(y, line, s, 1);
  for (int w = 0; w < N; w++)
    x[w] += y[w];
}

/* Processes of equal power with correlation times from half a window to 256 windows, one per octave. */
static void flicker(double *x, const shared *s) {
  double y[N];
  (void)s;
  memset(x, 0, N * sizeof *x);
  for (double m = 0.5; m < 300; m *= 2) {
    memory(y, &(shared){m, 0, 0, 0});
    for (int w = 0; w < N; w++)
      x[w] += y[w];
  }
}

/* p: period in runs. Every member has its own phase, or all have that of the first. */
static void tone_own(double *x, const shared *s) {
  follow(x, tone, &(shared){s->p, s->a, uniform(), s->member}, 1 + 0.3 * uniform());
}
static void tone_one(double *x, const shared *s) { follow(x, tone, s, 1 + 0.01 * normal()); }
static void tone_noise(double *x, const shared *s) {
  follow(x, tone, s, 5);
  add_noise(x, 1);
}
static void tones(double *x, const shared *s) {
  double y[N];
  tone_own(x, &(shared){(8 + 24 * s->a) / N, 0, 0, 0});
  tone_own(y, &(shared){(2 + 6 * s->b) / N, 0, 0, 0});
  for (int w = 0; w < N; w++)
    x[w] += y[w];
}

static void bend(double *x, const shared *s) { over_noise(x, relaxation, s, 100); }
static void faint_bend(double *x, const shared *s) { over_noise(x, relaxation, s, 10); }
static void saturated(double *x, const shared *s) {
  over_noise(x, logistic, s, 1000 * (0.8 + 0.4 * uniform()));
}
/* p: when. */
static double ramp(double t, const shared *s) { return t > s->p ? (t - s->p) / (1 - s->p) : 0; }
static void   later(double *x, const shared *s) {
    follow(x, ramp, s, 10);
    add_noise(x, 1);
}
static void   latest(double *x, const shared *s) { over_noise(x, ramp, s, 100); }
static double jump(double t, const shared *s) { return t > s->p; }
static void   jumps(double *x, const shared *s) {
    follow(x, jump, s, 30);
    add_noise(x, 1);
}
static void settles(double *x, const shared *s) { over_noise(x, relaxation, s, 30); }
static void settles_late(double *x, const shared *s) { over_noise(x, logistic, s, 30); }
/* A momentum that turns about in a slow oscillation while it is lost: 1 at the start, of amplitude a fifth. */
static double lost(double t, const shared *s) {
  return 1 - exp(-t / s->p) * (0.8 + 0.2 * cos(TURN * (6 + 6 * s->a) * t));
}
static void loses(double *x, const shared *s) {
  follow(x, lost, s, 100);
  add_noise(x, 1);
}
/* Eccentric orbits jump when they come near, from once to nine times in the run, by the same amount. */
static double stairs(double t, const shared *s) {
  return floor((t - 0.01) * (1 + s->p * s->a) + 1);
}
static void staircase(double *x, const shared *s) {
  follow(x, stairs, s, 30);
  add_noise(x, 1);
}
static void jumps_far(double *x, const shared *s) { over_noise(x, jump, s, 1000); }
static void small_powers(double *x, const shared *s) { over_noise(x, power, s, 30); }
static void powers(double *x, const shared *s) {
  over_noise(x, power, s, 100 * (0.8 + 0.4 * uniform()));
}
static void logs(double *x, const shared *s) { over_noise(x, logarithm, s, 30); }
static void exploding(double *x, const shared *s) {
  follow(x, growth, s, 1);
  add_noise(x, 0.01 * exp(-7 * s->b));
}
static void burst(double *x, const shared *s) {
  white(x, s);
  for (int i = 0; i < 3; i++)
    x[(int)(N * uniform())] += 20 * normal();
}
static void swelling(double *x, const shared *s) {
  (void)s;
  for (int w = 0; w < N; w++)
    x[w] = (w + 0.5) * normal();
}

#define BIT(v) (1u << (v))
static const struct {
  const char *name;
  maker      *path;
  double      p;
  unsigned    right;    /* right verdicts; "undecided" is never wrong, and right if no other is */
  const char *not_seen; /* numbers of members with which the run cannot show the truth */
} kinds[] = {
    {"white noise", white, 0, BIT(CST_BOUNDED_VERDICT), ""},
    {"linear, D = 0.3", linear, 0.3, BIT(CST_LINEAR) | BIT(CST_DRIFTS), "1, 8"},
    {"linear, D = 1", linear, 1, BIT(CST_LINEAR) | BIT(CST_DRIFTS), "1"},
    {"linear, D = 2", linear, 2, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 3", linear, 3, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 5", linear, 5, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 10", linear, 10, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 20", linear, 20, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 30", linear, 30, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"linear, D = 200", linear, 200, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"slopes of either sign, D = 1", either_sign, 1, BIT(CST_LINEAR) | BIT(CST_DRIFTS), "1, 8"},
    {"slopes of either sign, D = 3", either_sign, 3, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"slopes of either sign, D = 10", either_sign, 10, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"one member drifts, D = 10", one_drifts, 10, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"one member drifts, D = 30", one_drifts, 30, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"memory of 3 windows, D = 10", memory_drift, 10, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"memory of 3 windows, D = 50", memory_drift, 50, BIT(CST_LINEAR) | BIT(CST_DRIFTS), ""},
    {"random walk", walk, 1, BIT(CST_RANDOM_WALK), ""},
    {"random walk of size 5, noise", walk_noise, 5, BIT(CST_RANDOM_WALK), ""},
    {"random walk of size 20, noise", walk_noise, 20, BIT(CST_RANDOM_WALK), ""},
    {"walk and line of equal size", walk_linear, 1, BIT(CST_DRIFTS), ""},
    {"memory of 1 window", memory, 1, BIT(CST_BOUNDED_VERDICT), ""},
    {"memory of 3 windows", memory, 3, BIT(CST_BOUNDED_VERDICT), ""},
    {"memory of 10 windows", memory, 10, BIT(CST_BOUNDED_VERDICT), ""},
    {"memory of 30 windows", memory, 30, BIT(CST_BOUNDED_VERDICT), ""},
    {"1/f noise", flicker, 0, BIT(CST_BOUNDED_VERDICT), ""},
    {"bursts", burst, 0, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 4 runs, own phases", tone_own, 4, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 4 runs, one phase", tone_one, 4, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 2.5 runs, one phase", tone_one, 2.5, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 8 runs, one phase", tone_one, 8, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 2.5 runs, size 5, noise", tone_noise, 2.5, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 8 runs, size 5, noise", tone_noise, 8, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 2 runs, own phases", tone_own, 2, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 2 runs, one phase", tone_one, 2, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 1 run, own phases", tone_own, 1, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 0.7 runs, own phases", tone_own, 0.7, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 32 windows", tone_own, 0.5, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 16 windows", tone_own, 0.25, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 8 windows", tone_own, 0.125, BIT(CST_BOUNDED_VERDICT), ""},
    {"tone, period 3.1 windows", tone_own, 3.1 / N, BIT(CST_BOUNDED_VERDICT), ""},
    {"two tones, 2 to 32 windows", tones, 0, BIT(CST_BOUNDED_VERDICT), ""},
    {"relaxation, tau = 3 runs, D = 100", bend, 3, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 3 runs, D = 10", faint_bend, 3, BIT(CST_DRIFTS), "1, 8"},
    {"relaxation, tau = 1 run, D = 100", bend, 1, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 0.3 runs, D = 100", bend, 0.3, BIT(CST_DRIFTS), ""},
    {"logistic, saturated (middle 0.8)", saturated, 0.8, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 0.05 runs, D = 100", bend, 0.05, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"relaxation, tau = 0.002 runs, D = 100", bend, 0.002, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"jump at 0.3, D = 30", jumps, 0.3, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"jump at 0.01, D = 30", jumps, 0.01, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"jump at 0, D = 1000", jumps_far, 0, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"jump at 0.6, D = 30", jumps, 0.6, BIT(CST_DRIFTS), ""},
    {"jump at 0.7, D = 30", jumps, 0.7, BIT(CST_DRIFTS), ""},
    {"jump at 0.9, D = 30", jumps, 0.9, BIT(CST_DRIFTS), ""},
    {"logistic, middle 0.6, D = 30", settles_late, 0.6, BIT(CST_DRIFTS), ""},
    {"logistic, middle 0.7, D = 30", settles_late, 0.7, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 0.5 runs, D = 10", faint_bend, 0.5, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 0.5 runs, D = 30", settles, 0.5, BIT(CST_DRIFTS), ""},
    {"relaxation, tau = 0.2 runs, D = 30", settles, 0.2, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"lost in waves, tau = 0.5 runs", loses, 0.5, BIT(CST_DRIFTS), ""},
    {"lost in waves, tau = 0.2 runs", loses, 0.2, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"staircase, up to 2 steps", staircase, 1, BIT(CST_DRIFTS) | BIT(CST_LINEAR) | BIT(CST_SETTLED),
     ""},
    {"staircase, up to 9 steps", staircase, 8, BIT(CST_DRIFTS) | BIT(CST_LINEAR), ""},
    {"logistic, saturated (middle 0.5)", saturated, 0.5, BIT(CST_DRIFTS) | BIT(CST_SETTLED), ""},
    {"t^0.15, D = 30", small_powers, 0.15, BIT(CST_DRIFTS), ""},
    {"t^0.15, D = 100", powers, 0.15, BIT(CST_DRIFTS), ""},
    {"t^0.25, D = 100", powers, 0.25, BIT(CST_DRIFTS), ""},
    {"t^0.33, D = 100", powers, 0.33, BIT(CST_DRIFTS), ""},
    {"t^0.7, D = 100", powers, 0.7, BIT(CST_DRIFTS), ""},
    {"t^1.5, D = 100", powers, 1.5, BIT(CST_DRIFTS), ""},
    {"t^2, D = 100", powers, 2, BIT(CST_QUADRATIC) | BIT(CST_DRIFTS), ""},
    {"t^3, D = 100", powers, 3, BIT(CST_DRIFTS), ""},
    {"line from 0.75 of the run on, D = 10", later, 0.75, BIT(CST_DRIFTS), ""},
    {"line from 0.8 of the run on, D = 10", later, 0.8, BIT(CST_DRIFTS), ""},
    {"line from 0.8 of the run on, D = 100", latest, 0.8, BIT(CST_DRIFTS), ""},
    {"log(1 + 30 t), D = 100", logs, 30, BIT(CST_DRIFTS), ""},
    {"exponential", exploding, 0, BIT(CST_EXPONENTIAL) | BIT(CST_DRIFTS), ""},
    {"noise that swells like t", swelling, 0, 0, ""},
};

/* Of the window means of the last half; real runs move within windows. */
static double range_of(const double *x) {
  double low = INFINITY, high = -INFINITY;
  for (int w = N / 2; w < N; w++) {
    low = fmin(low, x[w]);
    high = fmax(high, x[w]);
  }
  return high - low;
}

static cst_growth judge(const double *x, long members) {
  double       one[MEMBERS], most[MEMBERS], range[MEMBERS];
  cst_long_run r = {.members = members,
                    .steps = 1000000,
                    .end = 1000,
                    .means = x,
                    .largest = most,
                    .scale = one,
                    .start = one,
                    .last = one,
                    .moved = one,
                    .range = range};
  for (long i = 0; i < members; i++)
    one[i] = 1;
  for (long i = 0; i < members; i++)
    range[i] = range_of(x + i * N);
  for (long k = 0; k < members * N; k++)
    most[k / N] = fmax(k % N ? most[k / N] : 0, fabs(x[k]));
  cst_growth g = cst_growth_estimate(&r);
  cst_growth_conclude(&g, NULL, NULL, 1);
  return g;
}

static void measure(int kind, int members, int series, double rate[3], int given[CST_VERDICTS],
                    int why[CST_WHYS]) {
  static double x[MEMBERS * N];
  int           right = 0, wrong = 0;
  memset(given, 0, CST_VERDICTS * sizeof *given);
  memset(why, 0, CST_WHYS * sizeof *why);
  for (int k = 0; k < series; k++) {
    const double a = uniform(), b = uniform();
    for (int i = 0; i < members; i++)
      kinds[kind].path(x + i * N, &(shared){kinds[kind].p, a, b, i});
    const cst_growth g = judge(x, members);
    given[g.verdict]++;
    why[g.why]++;
    right += kinds[kind].right >> g.verdict & 1;
    wrong += g.verdict != CST_UNDECIDED && !(kinds[kind].right >> g.verdict & 1);
  }
  rate[0] = 100.0 * right / series;
  rate[2] = 100.0 * wrong / series;
  rate[1] = 100 - rate[0] - rate[2];
}

int main(int argc, char **argv) {
  static const int members[3] = {1, 8, 64};
  const int        series = argc > 1 ? atoi(argv[1]) : 200;
  printf("| truth | 1 member | 8 members | 64 members | wrong ones |\n|---|---|---|---|---|\n");
  for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (argc > 2 && !strstr(kinds[k].name, argv[2]))
      continue;
    char said[400] = "";
    printf("| %s ", kinds[k].name);
    for (int j = 0; j < 3; j++) {
      double rate[3];
      int    given[CST_VERDICTS], why[CST_WHYS];
      measure((int)k, members[j], series, rate, given, why);
      printf("| %.0f / %.0f / %.1f ", rate[0], rate[1], rate[2]);
      size_t at = strlen(said);
      for (int v = 0; v < CST_VERDICTS; v++)
        if (v != CST_UNDECIDED && given[v] && !(kinds[k].right >> v & 1))
          at +=
              (size_t)snprintf(said + at, sizeof said - at, "%s%d: %s %.0f", at ? "; " : "",
                               members[j], cst_growth_verdict_names[v], 100.0 * given[v] / series);
      for (int v = 1; v < CST_WHYS && argc > 2; v++)
        if (why[v])
          at += (size_t)snprintf(said + at, sizeof said - at, "%s%d: (%s %.0f)", at ? "; " : "",
                                 members[j], cst_growth_why_names[v], 100.0 * why[v] / series);
    }
    if (*kinds[k].not_seen)
      snprintf(said + strlen(said), sizeof said - strlen(said), "%snot to be seen: %s",
               *said ? "; " : "", kinds[k].not_seen);
    printf("| %s |\n", said);
    fflush(stdout);
  }
  return 0;
}
