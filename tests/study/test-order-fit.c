/* test-order-fit.c: the estimated order and its interval, for errors whose true order is known. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include "tap.h"
#include <math.h>
#include <string.h>

enum { MOST = 9, TRIALS = 500, SEED = 11 };

static uint64_t draws;
static double   uniform(void) { return cst_random_uniform(SEED, draws++, CST_PURPOSE_TEST, 0, 0); }
static double   normal(void) { return cst_random_normal(SEED, draws++, CST_PURPOSE_TEST, 1, 0); }

typedef struct {
  double h[MOST], e[MOST], floor[MOST];
  int    n;
} data;

static cst_order_fit estimate(const data *d) {
  return cst_order_estimate(d->h, d->e, d->floor, d->n);
}

/* e = C h^p (1 + c u^k) with noise, u = h / h[0]; round-off 1e-15. */
static data synthetic(int p, int n, double ratio, double c, int k, double noise) {
  data         d = {.n = n};
  const double size = exp(2 * normal());
  for (int i = 0; i < n; i++) {
    const double u = pow(ratio, i);
    d.h[i] = 0.1 * u;
    d.floor[i] = 1e-15 * size;
    d.e[i] = fabs(size * pow(u, p) * (1 + c * pow(u, k)) * (1 + noise * normal()) +
                  d.floor[i] * normal());
  }
  return d;
}

/* About 500 series for every order from 1 to 8: how many are ok, how many contain the true order, how many
 * are ok but wrong. */
static void check_rates(const char *name, int n, double ratio, int k, double least_ok) {
  int ok = 0, held = 0, off = 0, trials = 0;
  for (int p = 1; p <= 8; p++)
    for (int i = 0; i < TRIALS / 4; i++) {
      const data          d = synthetic(p, n, ratio, 0.6 * uniform() - 0.3, k, 0.01);
      const cst_order_fit f = estimate(&d);
      ok += f.flag == CST_FLAG_OK;
      held += f.low <= p && p <= f.high;
      off += f.flag == CST_FLAG_OK && fabs(f.order - p) > (p <= 4 ? 0.1 : 0.3);
      trials++;
    }
  NOTE("%s, %d steps: ok %.1f%%, interval holds the order %.2f%%, ok but off %d of %d", name, n,
       100.0 * ok / trials, 100.0 * held / trials, off, trials);
  OK(held >= 0.985 * trials, "%s, %d steps: the interval holds the true order", name, n);
  OK(ok >= least_ok * trials, "%s, %d steps: flagged ok", name, n);
  OK(off <= 0.002 * trials, "%s, %d steps: what is ok is right", name, n);
}

/* The error |1 - x u| h^p changes its sign. Verdicts "ok" must still be right. */
static void check_dips(int n) {
  int wrong = 0, ok = 0;
  for (int i = 0; i < 8 * TRIALS; i++) {
    const int    p = 1 + i % 6;
    const double x = pow(2, uniform() * (n - 1)), c = i & 1 ? 0.3 * normal() : 0;
    data         d = {.n = n};
    for (int j = 0; j < n; j++) {
      const double u = ldexp(1, -j);
      d.h[j] = u;
      d.e[j] = pow(u, p) * fabs(1 - x * u + c * u * u) * (1 + 0.01 * normal());
    }
    const cst_order_fit f = estimate(&d);
    ok += f.flag == CST_FLAG_OK;
    wrong += f.flag == CST_FLAG_OK && fabs(f.order - p) > 0.3;
  }
  NOTE("sign change, %d steps: ok %.2f%%, ok and wrong %.2f%%", n, 100.0 * ok / (8 * TRIALS),
       100.0 * wrong / (8 * TRIALS));
  OK(wrong <= 0.01 * 8 * TRIALS, "a sign change over %d steps is not taken for an order", n);
}

static void check_one_dip(void) {
  for (int at = 0; at < 7; at++) {
    data d = synthetic(2, 7, 0.5, 0.1, 1, 0);
    d.e[at] *= 0.02;
    const cst_order_fit f = estimate(&d);
    OK(f.flag != CST_FLAG_OK || fabs(f.order - 2) < 0.1,
       "one error 50 times too small, step %d: %s, %.2f [%.2f, %.2f]", at,
       cst_order_flag_names[f.flag], f.order, f.low, f.high);
  }
}

static void check_round_off(void) {
  /* a factor of 4^-4 per step: round-off after six steps */
  data          d = synthetic(4, 9, 0.25, 0.1, 1, 0);
  cst_order_fit f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 4) < 0.1 && f.last < 6,
     "the window ends above round-off (%d), order %.3f", f.last, f.order);
  for (int i = 0; i < 9; i++)
    d.floor[i] /= 50; /* as if round-off were underestimated */
  f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 4) < 0.1,
     "a tail that bends near round-off is dropped: order %.3f, last %d", f.order, f.last);
  for (int i = 0; i < 9; i++) {
    d.e[i] = 1e-15;
    d.floor[i] = 1e-15;
  }
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order) && isnan(f.low),
     "all at round-off: plateau, no order");
  d.e[0] = 1;
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order), "one above round-off: plateau, no order");
  d.e[1] = 1 / 16.0;
  d.h[1] = d.h[0] / 2;
  f = estimate(&d);
  OK(fabs(f.order - 4) < 1e-12 && f.low < 4 && f.high > 4,
     "two above round-off: the order is printed (%s)", cst_order_flag_names[f.flag]);
  memset(d.e, 0, sizeof d.e);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order), "errors of exactly 0: plateau");
}

static void check_too_few(void) {
  data          d = synthetic(3, 2, 0.5, 0, 1, 0);
  cst_order_fit f = estimate(&d);
  OK(f.flag == CST_FLAG_TOO_FEW && fabs(f.order - 3) < 1e-6 && f.first == 0 && f.last == 1,
     "two steps: too-few, the order is printed");
  d.n = 1;
  f = estimate(&d);
  OK(f.flag == CST_FLAG_TOO_FEW && isnan(f.order), "one step: too-few");
  d.n = 0;
  f = estimate(&d);
  OK(f.flag == CST_FLAG_TOO_FEW && isnan(f.order), "no step: too-few");
  d = synthetic(3, 5, 0.5, 0, 1, 0);
  d.e[0] = d.e[2] = d.e[4] = NAN;
  f = estimate(&d);
  OK(f.flag == CST_FLAG_TOO_FEW && fabs(f.order - 3) < 1e-6,
     "three of five failed: too-few, the order is printed");
  d.e[2] = 1e300;
  d.e[0] = INFINITY;
  f = estimate(&d);
  OK(isfinite(f.order) && f.flag != CST_FLAG_OK, "a blow-up among them is not ok");
}

static void check_failures(void) {
  data d = synthetic(2, 8, 0.5, 0.2, 1, 0.005);
  d.e[3] = NAN;
  d.e[0] = INFINITY;
  const cst_order_fit f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 2) < 0.1, "failed steps are left out: %.3f", f.order);
  const cst_order_fit g = cst_order_estimate(d.h, d.e, NULL, d.n);
  OK(g.flag == CST_FLAG_OK && fabs(g.order - 2) < 0.1, "no floor: none assumed");
}

static void check_not_asymptotic(void) {
  data d = {.n = 6};
  for (int i = 0; i < 6; i++) {
    d.h[i] = ldexp(1, -i);
    d.e[i] = exp(-0.3 * i * i);
  }
  cst_order_fit f = estimate(&d);
  OK(f.flag == CST_FLAG_PRE_ASYMPTOTIC && isfinite(f.order),
     "slopes that never settle: pre-asymptotic, %.2f", f.order);
  for (int i = 0; i < 6; i++)
    d.e[i] = 0.5 + 0.001 * (i % 2);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order) && isnan(f.low) && isnan(f.high),
     "an error that does not shrink has no order: %s, %.3f", cst_order_flag_names[f.flag], f.order);
  for (int i = 0; i < 6; i++)
    d.e[i] = pow(d.h[i], 2) + 30 * pow(d.h[i], 4);
  f = estimate(&d);
  OK(f.flag != CST_FLAG_OK || fabs(f.order - 2) < 0.1, "order 4 turning into 2: %s, %.3f",
     cst_order_flag_names[f.flag], f.order);
  for (int i = 0; i < 6; i++) {
    d.h[i] = 1 - 0.01 * i;
    d.e[i] = pow(d.h[i], 2) * (1 + 0.01 * normal());
  }
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PRE_ASYMPTOTIC && f.high - f.low > 0.5,
     "steps too close together to tell: [%.2f, %.2f]", f.low, f.high);
}

static data given(const double *h, const double *e, int n, double floor) {
  data d = {.n = n};
  for (int i = 0; i < n; i++) {
    d.h[i] = h[i];
    d.e[i] = e[i];
    d.floor[i] = floor;
  }
  return d;
}

/* The errors of the last steps no longer decrease: the order is that of the earlier steps if there are at
 * least three. */
static void check_flat_tails(void) {
  static const double h[] = {0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.001953125};
  static const double chaos[] = {3.14e-4, 4.91e-6, 7.66e-8, 1.17e-9, 7e-11, 1e-10, 2e-10};
  static const double common[] = {1.6e-3, 1.0e-4, 6.25e-6, 7.61e-7, 7.61e-7, 7.61e-7, 7.61e-7};
  data                d = given(h, chaos, 7, 1e-15);
  cst_order_fit       f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 6) < 0.1 && f.last == 3,
     "round-off that chaos amplifies: %s, %.2f [%.2f, %.2f], last %d", cst_order_flag_names[f.flag],
     f.order, f.low, f.high, f.last);
  d = given(h + 2, chaos + 2, 5, 1e-15);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU, "two good steps before a flat tail are too few: %s, %.2f",
     cst_order_flag_names[f.flag], f.order);
  d = given(h + 4, chaos + 4, 3, 1e-15);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order) && isnan(f.low) && isnan(f.high),
     "nothing but a tail: no order, not a negative one");
  d = given(h, common, 7, 0);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU || (f.flag != CST_FLAG_OK && f.order > 1),
     "one common value, where the reference ends: %s, %.2f", cst_order_flag_names[f.flag], f.order);
  d = given(h + 3, common + 3, 4, 0);
  f = estimate(&d);
  OK(f.flag == CST_FLAG_PLATEAU && isnan(f.order), "a common value has no order");
  for (int i = 0; i < 9; i++) {
    d.h[i] = ldexp(1, -i);
    d.e[i] = fabs(d.h[i] - 0.15) * d.h[i];
  }
  d.n = 9;
  f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 1) < 0.1,
     "nor is what follows a change of sign: %s, %.2f", cst_order_flag_names[f.flag], f.order);
  for (int i = 0; i < 7; i++) {
    d.h[i] = h[i];
    d.e[i] = pow(h[i], 4) + 1e-3 * h[i];
  }
  d.n = 7;
  f = estimate(&d);
  OK(f.flag != CST_FLAG_OK || fabs(f.order - 1) < 0.1,
     "order 4 that turns into 1 is no flat tail: %s, %.2f", cst_order_flag_names[f.flag], f.order);
}

/* An interval without an integer is not ok, even if narrow: order 3 with a small constant, 4 before it. */
static void check_whole(void) {
  for (int n = 5; n <= 8; n++)
    for (double x = 0.02; x < 2; x *= 1.2) {
      data d = {.n = n};
      for (int i = 0; i < n; i++) {
        d.h[i] = ldexp(0.125, -i);
        d.e[i] = pow(d.h[i], 4) * (1 + 1e-4 * normal()) + 0.01 * x * pow(d.h[i], 3);
      }
      const cst_order_fit f = estimate(&d);
      if (f.flag == CST_FLAG_OK && ceil(f.low) > f.high)
        OK(0, "ok, and no whole order: x %.3g, %.3f [%.3f, %.3f]", x, f.order, f.low, f.high);
      if (f.flag == CST_FLAG_OK && f.low > 3.02 && f.high < 4)
        OK(0, "between 3 and 4: x %.3g", x);
    }
  OK(1, "what is ok holds a whole number");
}

/* The reference is the same method at a quarter of the finest step. Its error, known at twice its step, is a
 * floor. */
static void check_poor_reference(void) {
  for (int p = 1; p <= 4; p++)
    for (int n = 4; n <= 7; n++) {
      data         d = {.n = n};
      const double own = pow(ldexp(0.1, -n - 1), p), twice = pow(ldexp(0.1, -n), p) - own;
      for (int i = 0; i < n; i++) {
        d.h[i] = ldexp(0.1, -i);
        d.e[i] = pow(d.h[i], p) - own;
        d.floor[i] = 0.3 * twice;
      }
      const cst_order_fit f = estimate(&d);
      OK(f.flag != CST_FLAG_OK || (f.low <= p && p <= f.high),
         "order %d, %d steps, against itself: %s, %.3f [%.3f, %.3f]", p, n,
         cst_order_flag_names[f.flag], f.order, f.low, f.high);
    }
}

/* Verdicts for a claimed order, and for a return to the start. */
static void check_claims(void) {
  static const struct {
    cst_order_flag flag;
    int            claimed, returns;
    cst_order_flag wanted;
  } cases[] = {
      {CST_FLAG_OK, 2, 0, CST_FLAG_OK},          {CST_FLAG_OK, 2, 1, CST_FLAG_OK},
      {CST_FLAG_OK, 1, 0, CST_FLAG_CONTRADICTS}, {CST_FLAG_OK, 3, 0, CST_FLAG_CONTRADICTS},
      {CST_FLAG_OK, 1, 1, CST_FLAG_RETURNS},     {CST_FLAG_OK, 0, 0, CST_FLAG_OK},
      {CST_FLAG_OK, 0, 1, CST_FLAG_RETURNS},     {CST_FLAG_PLATEAU, 1, 1, CST_FLAG_PLATEAU},
      {CST_FLAG_TOO_FEW, 1, 0, CST_FLAG_TOO_FEW}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cst_order_fit f = {2.01, 1.96, 2.06, cases[i].flag, 0, 4};
    OK(cst_order_judge(&f, cases[i].claimed, cases[i].returns) == cases[i].wanted,
       "%s, claimed %d%s: %s", cst_order_flag_names[f.flag], cases[i].claimed,
       cases[i].returns ? ", at a return" : "", cst_order_flag_names[cases[i].wanted]);
  }
}

static void check_irregular(void) {
  static const double counts[] = {10, 14, 25, 33, 60, 71, 110, 200};
  data                d = {.n = 8};
  for (int i = 0; i < 8; i++) {
    d.h[i] = 1 / counts[i];
    d.e[i] = pow(d.h[i], 3) * (1 + 2 * d.h[i]) * (1 + 0.01 * normal());
  }
  cst_order_fit f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 3) < 0.1 && f.low <= 3 && 3 <= f.high,
     "irregular steps: %.3f [%.3f, %.3f]", f.order, f.low, f.high);
  for (int i = 1; i < 8; i += 2) {
    d.h[i] = d.h[i - 1];
    d.e[i] = d.e[i - 1];
  }
  f = estimate(&d);
  OK(f.flag == CST_FLAG_OK && fabs(f.order - 3) < 0.1, "steps given twice: %.3f", f.order);
}

int main(void) {
  for (int n = 4; n <= 9; n++)
    check_rates("halvings, c h", n, 0.5, 1, 0.98);
  check_rates("halvings, c h", 3, 0.5, 1, 0.7);
  check_rates("halvings, c h^2", 5, 0.5, 2, 0.98);
  check_rates("steps by 0.6, c h", 6, 0.6, 1, 0.98);
  check_rates("steps by 0.3, c h", 4, 0.3, 1, 0.9);
  for (int n = 3; n <= 8; n++)
    check_dips(n);
  check_one_dip();
  check_round_off();
  check_too_few();
  check_failures();
  check_not_asymptotic();
  check_flat_tails();
  check_whole();
  check_poor_reference();
  check_claims();
  check_irregular();
  return tap_done();
}
