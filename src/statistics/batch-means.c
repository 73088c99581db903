/* batch-means.c: a time average and its standard error, from window means of independent members
 * (docs/averages.md); and the significance of Student's t and Fisher's F.
 *
 * Batches of b = 1, 2, 4 ... windows are formed until neighbouring batches show no correlation, and then
 * doubled once more. The variance of the mean is the variance of the batches divided by their number. If even
 * long batches are correlated, or if the means of the members scatter more than the batches predict, each
 * member is one batch; a single member then gives no error.
 *
 * The scatter of the members is too large if its F ratio exceeds the median of Fisher's F distribution:
 * otherwise a spread of the members' means that the time series does not show would be taken for chance. With
 * two or three members, whose scatter says little, the limit is one standard deviation instead. With 16 or
 * more members, their means suffice and need no assumption.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth.h"
#include <math.h>
#include <stdlib.h>
#include "constella/expr.h"
#include "constella/statistics.h"
#include "core/need.h"

/* ---- significance ---------------------------------------------------------------------------- */

/* Tails of Student's t and Fisher's F, expressed as deviations of a normal distribution, so
 * that one number, say 3, means the same probability for few and many degrees of freedom.
 *
 * t: Wallace, Ann. Math. Stat. 30 (1959) 1124, z = (8 f + 1) / (8 f + 3) sqrt(f log(1 + t^2 / f)), accurate
 * to 0.02 for f >= 3, at any t. F: Paulson, Ann. Math. Stat. 13 (1942) 233, from the cube roots of Wilson and
 * Hilferty.
 */

double cst_significance_of_t(double t, double f) {
  if (isnan(t) || !(f > 0))
    return NAN;
  if (isinf(t))
    return t;
  const double scale = (8 * f + 1) / (8 * f + 3);
  const double square = f * cst_elementary_log(1 + t * t / f);
  return copysign(scale * sqrt(square), t);
}

double cst_significance_t_quantile(double normal, double f) {
  const double u = normal * (8 * f + 3) / (8 * f + 1);
  const double square = f * (cst_elementary_exp(u * u / f) - 1);
  return copysign(sqrt(square), normal);
}

double cst_significance_of_f(double ratio, double above, double below) {
  if (isnan(ratio))
    return NAN;
  if (!(above > 0))
    return NAN;
  if (!(below > 0))
    return NAN;
  if (!(ratio > 0))
    return -INFINITY;
  if (isinf(ratio))
    return INFINITY;
  const double p = 2 / (9 * above);
  const double q = 2 / (9 * below);
  const double root = cst_elementary_exp(cst_elementary_log(ratio) / 3);
  const double apart = (1 - q) * root - (1 - p);
  const double size = sqrt(p + q * root * root);
  return apart / size;
}

/* ---- batch means ----------------------------------------------------------------------------- */

const char *const cst_batch_means_source_names[CST_ERROR_SOURCES] = {"windows", "members",
                                                                     "unknown"};

enum { MANY = 16, FEW_WINDOWS = 16, LEAST_ALONE = 16, LEAST_OF_FEW = 8, LEAST_OF_SEVERAL = 2 };
enum { SEVERAL = 4 };
/* Limits in standard deviations of a normal distribution. Above EXCESS (EXCESS_OF_FEW for two or three
 * members), the error is taken from the scatter of the members; above OTHER, windows do not give the
 * autocorrelation time either. */
static const double EXCESS = 0;
static const double EXCESS_OF_FEW = 1;
static const double OTHER = 2;

typedef struct {
  double *x; /* [members][windows], successful members only */
  long    members;
  int     windows;
} table;

static table good_members(const double *means, long members, int windows, bool *whole) {
  table t = {.x = cst_need(malloc(sizeof(double) * (size_t)(members * windows + 1))),
             .windows = windows};
  *whole = true;
  for (long m = 0; m < members; m++) {
    const double *from = means + m * windows;
    double       *to = t.x + t.members * windows;
    int           there = 0;
    for (int w = 0; w < windows; w++) {
      to[w] = from[w];
      there += !isnan(from[w]);
    }
    if (there)
      t.members++;
    if (there && there < windows)
      *whole = false;
  }
  return t;
}

/* Mean of x[0 .. n-1] without NaNs. */
static double mean_of(const double *x, int n) { return cst_ensemble_mean(x, n); }

static double grand_mean(const table *t) {
  double sum = 0;
  for (long m = 0; m < t->members; m++)
    sum += mean_of(t->x + m * t->windows, t->windows);
  if (t->members)
    return sum / (double)t->members;
  return NAN;
}

/* Deviation of batch k (b windows long) of a member from the mean. */
static double batch(const table *t, long member, int k, int b, double mean) {
  return mean_of(t->x + member * t->windows + k * b, b) - mean;
}

/* Variance of the mean, from batches of b windows. */
static double variance(const table *t, int b, double mean) {
  const int    n = t->windows / b;
  const double all = (double)n * (double)t->members;
  double       sum = 0;
  for (long m = 0; m < t->members; m++)
    for (int k = 0; k < n; k++) {
      const double d = batch(t, m, k, b, mean);
      sum += d * d;
    }
  return sum / (all - 1) / all;
}

/* True if neighbouring batches of b windows show no correlation: r_1, corrected for its bias of -1 / (members
 * n), is below one standard deviation. */
static bool are_apart(const table *t, int b, double mean) {
  const int    n = t->windows / b;
  const double pairs = (double)t->members * (n - 1);
  const double all = (double)t->members * n;
  double       square = 0, product = 0;
  for (long m = 0; m < t->members; m++)
    for (int k = 0; k < n; k++) {
      const double d = batch(t, m, k, b, mean);
      square += d * d;
      if (k)
        product += d * batch(t, m, k - 1, b, mean);
    }
  if (square == 0)
    return true;
  const double covariance = product / pairs;
  const double variance = square / all;
  return covariance / variance + 1 / all < 1 / sqrt(pairs);
}

/* Windows per batch; 0: cannot be determined. */
static int batch_size(const table *t, double mean) {
  const int least = t->members > 1             ? LEAST_OF_SEVERAL
                    : t->windows > FEW_WINDOWS ? LEAST_ALONE
                                               : LEAST_OF_FEW;
  for (int b = 1; t->windows / (2 * b) >= least; b *= 2)
    if (are_apart(t, b, mean))
      return 2 * b;
  return 0;
}

double cst_batch_means_error(double v, double freedom) {
  return sqrt(v) * cst_significance_t_quantile(2, freedom) / 2;
}

static void settle(cst_average *a, cst_error_source source, double v, double freedom) {
  a->source = source;
  a->variance = v;
  a->freedom = freedom;
  a->error = cst_batch_means_error(v, freedom);
}

cst_average cst_batch_means_estimate(const double *means, long members, int windows) {
  bool        whole;
  table       t = good_members(means, members, windows, &whole);
  cst_average a = {
      .mean = grand_mean(&t), .variance = NAN, .error = NAN, .source = CST_FROM_NOTHING};
  const int    b = whole && t.members ? batch_size(&t, a.mean) : 0;
  const double count = b ? (double)t.members * (t.windows / b) : 0;
  const double of_members = t.members > 1 ? variance(&t, windows, a.mean) : NAN;
  const double of_windows = b ? variance(&t, b, a.mean) : NAN;
  const double excess = !b || t.members < 2 || !(of_members > 0) ? -INFINITY
                        : of_windows > 0 ? cst_significance_of_f(of_members / of_windows,
                                                                 (double)t.members - 1, count - 1)
                                         : INFINITY;
  const double limit = t.members < SEVERAL ? EXCESS_OF_FEW : EXCESS;
  const bool   seen = b && excess <= limit;
  a.of_windows = b && excess < OTHER ? of_windows : NAN;
  if (t.members >= MANY || (t.members > 1 && !seen))
    settle(&a, CST_FROM_MEMBERS, of_members, (double)t.members - 1);
  else if (seen)
    settle(&a, CST_FROM_WINDOWS, of_windows, count - 1);
  free(t.x);
  return a;
}
