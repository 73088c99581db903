/* test-sum.c: an exact sum has the same words for any order and any split of its terms, and the right value.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include "tap.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { TERMS = 2000, SEED = 5 };

static double uniform(int k, int what) {
  return cst_random_uniform(SEED, (uint64_t)k, CST_PURPOSE_TEST, (uint32_t)what, 0);
}

/* Both signs, exponents from -spread to spread around `middle`. */
static void fill(double *x, int n, int middle, int spread) {
  for (int i = 0; i < n; i++)
    x[i] = ldexp(uniform(i, 0) - 0.5, middle + (int)((2 * uniform(i, 1) - 1) * spread));
}

static void shuffle(double *x, int n, int key) {
  for (int i = n - 1; i > 0; i--) {
    const int    j = (int)(uniform(i, key) * (i + 1));
    const double y = x[i];
    x[i] = x[j], x[j] = y;
  }
}

static cst_sum sum_of(const double *x, int n) {
  cst_sum s = {{0}};
  for (int i = 0; i < n; i++)
    cst_sum_add(&s, x[i]);
  return s;
}

/* In `parts` pieces of random lengths, merged as a tree from the right. */
static cst_sum sum_in_parts(const double *x, int n, int parts, int key) {
  if (parts < 2 || n < 2)
    return sum_of(x, n);
  const int     left = (int)(uniform(parts, key) * n);
  const cst_sum a = sum_of(x, left);
  cst_sum       b = sum_in_parts(x + left, n - left, parts - 1, key);
  cst_sum_merge(&b, &a);
  return b;
}

static int same(const cst_sum *a, const cst_sum *b) { return !memcmp(a, b, sizeof *a); }

static void check_orders_and_splits(const char *name, double *x, int n) {
  const cst_sum reference = sum_of(x, n);
  int           orders = 0, splits = 0;
  for (int key = 10; key < 60; key++) {
    shuffle(x, n, key);
    const cst_sum s = sum_of(x, n), t = sum_in_parts(x, n, key % 17 + 2, key);
    orders += same(&s, &reference);
    splits += same(&t, &reference);
  }
  OK(orders == 50, "%s: 50 orders give the same words", name);
  OK(splits == 50, "%s: 50 splits give the same words", name);
}

/* Terms that are multiples of 2^-60 below 2^40: the sum fits in 128 bits. */
static void check_against_integers(void) {
  double   x[TERMS];
  __int128 total = 0;
  int      wrong = 0;
  for (int i = 0; i < TERMS; i++) {
    x[i] = ldexp(rint(ldexp(uniform(i, 2) - 0.5, 53)), -60 + (int)(uniform(i, 3) * 47));
    total += (__int128)ldexp(x[i], 60);
    const cst_sum s = sum_of(x, i + 1);
    wrong += cst_sum_value(&s) != ldexp((double)total, -60);
  }
  OK(!wrong, "correctly rounded, like 128-bit integers, after each of %d terms (%d wrong)", TERMS,
     wrong);
}

static double value_of(double a, double b, double c) {
  const double  x[3] = {a, b, c};
  const cst_sum s = sum_of(x, 3);
  return cst_sum_value(&s);
}

static void check_exactness(void) {
  OK(value_of(0x1p79, 0x1p-200, -0x1p79) == 0x1p-200, "a unit survives beside the largest term");
  OK(value_of(0x1p79, -0x1p-200, -0x1p79) == -0x1p-200, "and a negative unit");
  OK(value_of(1, DBL_EPSILON / 2, 0) == 1 &&
         value_of(1, DBL_EPSILON / 2, 0x1p-200) == 1 + DBL_EPSILON,
     "ties to even, sticky bits seen");
  OK(value_of(-1, -DBL_EPSILON / 2, 0) == -1 &&
         value_of(-1, -DBL_EPSILON / 2, -0x1p-200) == -1 - DBL_EPSILON,
     "the same below zero");
  OK(value_of(0x1p-201, 0x1.fp-201, -0x1.ffffp-201) == 0 &&
         value_of(DBL_TRUE_MIN, -DBL_MIN, 0) == 0,
     "terms below 2^-200 count as 0");
  OK(value_of(0x1.8p-200, 0, 0) == 0x1p-200 && value_of(-0x1.8p-200, 0, 0) == -0x1p-200,
     "others are cut to a multiple of it");
  OK(value_of(0.1, 0.2, -0.3) == 0x1p-55, "0.1 + 0.2 - 0.3 = 2^-55, exactly");
  OK(value_of(0, -0.0, 0) == 0 && value_of(3, -5, 2) == 0, "zero");
}

static void check_infinities(void) {
  OK(value_of(0x1p100, 1, 2) == INFINITY && value_of(1, INFINITY, -1e20) == INFINITY &&
         value_of(DBL_MAX, 0, 0) == INFINITY,
     "2^100 and more: infinite");
  OK(value_of(-0x1p100, 1, 2) == -INFINITY && value_of(1, -INFINITY, 2) == -INFINITY,
     "-2^100 and less: minus infinite");
  OK(isnan(value_of(INFINITY, -INFINITY, 1)) && isnan(value_of(-1e31, 1, 1e31)) &&
         isnan(value_of(1, NAN, 2)),
     "both, or NaN: NaN");
  OK(isfinite(value_of(nextafter(0x1p100, 0), nextafter(0x1p100, 0), 1)),
     "just below 2^100: finite");
  double x[5] = {1, INFINITY, 3, -2, 0x1p100};
  check_orders_and_splits("with infinities", x, 5);
}

static void check_many_carries(void) {
  cst_sum s = {{0}}, t = {{0}};
  for (int i = 0; i < 100000; i++)
    cst_sum_add(&s, nextafter(0x1p100, 0)), cst_sum_add(&t, -nextafter(0x1p100, 0));
  OK(cst_sum_value(&s) == 100000 * nextafter(0x1p100, 0) && cst_sum_value(&t) == -cst_sum_value(&s),
     "100000 largest terms");
  cst_sum_merge(&s, &t);
  const cst_sum zero = {{0}};
  OK(same(&s, &zero), "a sum and its opposite make the zero words");
}

int main(void) {
  double x[TERMS];
  fill(x, TERMS, 0, 20), check_orders_and_splits("ordinary", x, TERMS);
  fill(x, TERMS, -60, 139), check_orders_and_splits("all exponents", x, TERMS);
  fill(x, TERMS, -190, 40), check_orders_and_splits("tiny", x, TERMS);
  fill(x, TERMS, 70, 9), check_orders_and_splits("huge", x, TERMS);
  check_against_integers();
  check_exactness();
  check_infinities();
  check_many_carries();
  return tap_done();
}
