/* order-rates.c: measures how often an order verdict "ok" is right or wrong, on errors of known order. Prints
 * the table of docs/orders.md; jobs/order-rates runs it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST = 3, MOST = 8, ORDERS = 6, SEED = 23 };
#define ROUND_OFF 1e-16

static uint64_t draws;
static double   uniform(void) { return cst_random_uniform(SEED, draws++, CST_PURPOSE_TEST, 0, 0); }
static double   normal(void) { return cst_random_normal(SEED, draws++, CST_PURPOSE_TEST, 1, 0); }
static double   log_uniform(double from, double to) { return from * pow(to / from, uniform()); }
static double   sign(void) { return uniform() < 0.5 ? -1 : 1; }

/* A series: steps halved from h = 1, their errors, and the known sizes of round-off and of the reference's
 * error (from its result at twice its step). */
typedef struct {
  int    n, p; /* p: the true order */
  double h[MOST], e[MOST], round_off, reference;
} series;

/* C h^p (1 + x h^k + y h^2), noise, round-off. */
static void power_with(series *s, double x, int k, double y, double noise) {
  const double size = exp(2 * normal());
  s->round_off = ROUND_OFF * size;
  for (int i = 0; i < s->n; i++) {
    const double h = s->h[i];
    s->e[i] = fabs(size * pow(h, s->p) * (1 + x * pow(h, k) + y * h * h) * (1 + noise * normal()) +
                   s->round_off * normal());
  }
}

static void power(series *s, double x, int k, double y) { power_with(s, x, k, y, 0.01); }

static void clean(series *s) { power(s, 0.6 * uniform() - 0.3, 1, 0); }
static void departing(series *s) { power(s, log_uniform(0.1, 1000), 1, 0); }
static void departing_smoothly(series *s) { power_with(s, log_uniform(0.1, 1000), 1, 0, 0); }
static void departing_by_two(series *s) { power(s, log_uniform(0.1, 1000), 2, 0); }

/* Adds `part` of the finest error as the error of the reference, with a random sign. The known error, at
 * twice the reference's step, is 2^r - 1 times as large for order r. */
static void off_by(series *s, double part) {
  clean(s);
  const double r = 1 + floor(8 * uniform()), off = sign() * part * s->e[s->n - 1];
  s->reference = fabs(off) * (pow(2, r) - 1);
  for (int i = 0; i < s->n; i++)
    s->e[i] = fabs(s->e[i] + off);
}

static void reference_off(series *s) { off_by(s, log_uniform(1e-3, 1e3)); }
static void reference_off_a_tenth(series *s) { off_by(s, 0.1); }

/* The reference is the same method with a quarter of the finest step. */
static void reference_itself(series *s) {
  const double x = 0.6 * uniform() - 0.3, h = s->h[s->n - 1] / 4, own = pow(h, s->p) * (1 + x * h);
  s->round_off = ROUND_OFF;
  s->reference = pow(2 * h, s->p) * (1 + 2 * x * h) - own;
  for (int i = 0; i < s->n; i++)
    s->e[i] = fabs(pow(s->h[i], s->p) * (1 + x * s->h[i]) - own);
}

/* Round-off that the study estimates as eps sqrt(n) is up to 1e7 times larger. */
static void amplified(series *s) {
  const double noise = ROUND_OFF * log_uniform(1, 1e7);
  clean(s);
  for (int i = 0; i < s->n; i++)
    s->e[i] = fabs(s->e[i] + noise * normal());
}

/* The maximum over members with errors proportional to h^p and h^(p+2). */
static void members(series *s) {
  const double x = log_uniform(0.1, 1000);
  s->round_off = ROUND_OFF;
  for (int i = 0; i < s->n; i++)
    s->e[i] = pow(s->h[i], s->p) * fmax(1, x * s->h[i] * s->h[i]) * (1 + 0.01 * normal());
}

/* The error changes its sign at a random step. */
static void sign_change(series *s) { power(s, -exp2(uniform() * (s->n - 1)), 1, 0.3 * normal()); }

static const struct {
  const char *name;
  void (*make)(series *);
} truths[] = {{"h^p with corrections up to 30 %", clean},
              {"h^p (1 + x h), x to 1000", departing},
              {"the same without noise", departing_smoothly},
              {"h^p (1 + x h^2), x to 1000", departing_by_two},
              {"h^p (1 - x h), the sign changes", sign_change},
              {"reference off by 1e-3 to 1e3 of the finest error", reference_off},
              {"reference off by 10 % of the finest error", reference_off_a_tenth},
              {"the method itself as reference, h/4", reference_itself},
              {"round-off 1 to 1e7 times as large", amplified},
              {"largest of h^p and x h^(p+2), x to 1000", members}};
enum { TRUTHS = sizeof truths / sizeof *truths };

typedef struct {
  long right, wrong, other;
} rate;

static void count(const series *s, bool knows, rate *of) {
  double floor[MOST];
  for (int i = 0; i < s->n; i++)
    floor[i] = fmax(s->round_off, knows ? 0.3 * s->reference : 0);
  const cst_order_fit f = cst_order_estimate(s->h, s->e, floor, s->n);
  if (f.flag != CST_FLAG_OK)
    of->other++;
  else if (f.low <= s->p && s->p <= f.high)
    of->right++;
  else
    of->wrong++;
}

int main(int argc, char **argv) {
  const long trials = argc > 1 ? atol(argv[1]) : 2000;
  printf("%-50s", "ok and right / ok and wrong, %, steps:");
  for (int n = LEAST; n <= MOST; n++)
    printf("%10d", n);
  puts("");
  for (int t = 0; t < TRUTHS; t++) {
    printf("%-50s", truths[t].name);
    for (int n = LEAST; n <= MOST; n++) {
      rate of = {0};
      for (long i = 0; i < trials; i++) {
        series s = {.n = n, .p = 1 + (int)(i % ORDERS)};
        for (int k = 0; k < n; k++)
          s.h[k] = ldexp(1, -k);
        truths[t].make(&s);
        count(&s, true, &of);
      }
      char text[32];
      snprintf(text, sizeof text, "%.0f/%.1f", 100.0 * (double)of.right / (double)trials,
               100.0 * (double)of.wrong / (double)trials);
      printf("%10s", text);
    }
    puts("");
  }
  return 0;
}
