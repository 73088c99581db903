/* growth-slope.c: slopes of the members and their significance against noise, in the cosine basis.
 *
 * Window means x_w, w = 0..n-1, have coefficients X_k = sqrt(2/n) sum_w x_w cos(pi k (w + 1/2) / n). A line
 * t_w has coefficients l_k, zero for even k, so b = sum l_k X_k / sum l_k^2 is its least squares slope and
 * E_k = X_k - b l_k are the coefficients of the residuals.
 *
 * The variance of b depends on the noise at the lowest frequencies: nu = sum_(k <= B) E_k^2 / (B - 1), B = 8,
 * s = sqrt(nu / sum l_k^2), with B - 1 degrees of freedom. This holds for noise that is correlated over at
 * most about n/8 windows (Lazarus, Lewis, Stock and Watson, J. Business and Economic Statistics 36 (2018)
 * 541, equal-weighted cosines). sigma^2 = sum_k E_k^2 / (n - 2) is the variance of a window, nu / sigma^2 the
 * integrated autocorrelation 1 + 2 sum rho.
 *
 * The error of the mean slope is the larger (less significant) of two: that of the mean series and, for at
 * least eight members, the deviation of the members' slopes over sqrt(members). The first accounts for what
 * members have in common, the second for every correlation in time.
 *
 * The limit is the drift, of the mean or as rms over members, above which a drift is excluded at 95 %: the
 * larger of |b| + t s and the root of the upper 95 % bound of mean b_i^2 - mean s_i^2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "statistics/growth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CST_WINDOWS, LOW = 8, WIDE = 16, NEAR = 4, FEW_MEMBERS = 8 };

/* most degrees of freedom of an error whose noise has a short memory */
#define FREEDOM 40

static void fill_basis(int n, double c[N][N]) {
  const double length = sqrt(2.0 / n);
  for (int k = 0; k < n; k++)
    for (int w = 0; w < n; w++) {
      const double angle = 3.14159265358979323846 * k * (w + 0.5) / n;
      c[k][w] = length * cst_elementary_cos(angle);
    }
}

/* The basis of all windows is made once. */
static void basis(int n, double c[N][N]) {
  static double whole[N][N];
  if (n != N)
    return fill_basis(n, c);
  if (whole[0][0] == 0)
    fill_basis(N, whole);
  memcpy(c, whole, sizeof whole);
}

static int is_used(const double *means, long members, int w) {
  for (long i = 0; i < members; i++)
    if (isfinite(means[i * N + w]))
      return 1;
  return 0;
}

static int is_complete(const cst_spectra *s, const double *x) {
  for (int u = 0; u < s->n; u++)
    if (!isfinite(x[s->window[u]]))
      return 0;
  return 1;
}

/* The first window is subtracted first, so that a large mean costs no digits. */
static void transform(const cst_spectra *s, const double *x, double *out) {
  const double first = x[s->window[0]];
  double       deviation[N];
  for (int u = 0; u < s->n; u++) {
    const double mean = x[s->window[u]];
    deviation[u] = (mean - first) / s->unit;
  }
  for (int k = 0; k < s->n; k++) {
    out[k] = 0;
    for (int u = 0; u < s->n; u++)
      out[k] += s->c[k][u] * deviation[u];
  }
}

int cst_growth_spectra_create(cst_spectra *s, const double *means, long members, double end,
                              double unit) {
  *s = (cst_spectra){.unit = unit, .end = end};
  for (int w = 0; w < N; w++)
    if (is_used(means, members, w))
      s->window[s->n++] = w;
  s->x = malloc(sizeof *s->x * ((size_t)members * (size_t)s->n + 1));
  if (!s->x)
    return 0;
  basis(s->n, s->c);
  if (s->n == 0)
    return 1;
  for (long i = 0; i < members; i++) {
    const double *x = means + i * N;
    if (!is_complete(s, x))
      continue;
    transform(s, x, s->x + s->members * s->n);
    s->members++;
  }
  return 1;
}

void cst_growth_spectra_destroy(cst_spectra *s) { free(s->x); }

/* A series after its line has been removed. */
typedef struct {
  double slope, error, low, all; /* low: nu; all: sigma^2 */
  double wide, odd;              /* the error from WIDE cosines, and from the odd ones among them */
  double near;                   /* the error from the NEAR cosines nearest to the line */
  double lag; /* sum of squares times the cosine of the frequency: sigma^2 rho_1 */
  double e[N];
} lined;

/* Cosine coefficients of the times of the windows; returns their sum of squares. */
static double line(const cst_spectra *s, double l[N]) {
  double square = 0;
  for (int k = 0; k < s->n; k++) {
    l[k] = 0;
    for (int u = 0; u < s->n; u++) {
      const int windows = s->window[u] - s->window[0];
      l[k] += s->c[k][u] * windows * (s->end / N);
    }
    if (k > 0)
      square += l[k] * l[k];
  }
  return square;
}

static double low_freedom(int n) { return (n - 1 < LOW ? n - 1 : LOW) - 1; }
static double wide_freedom(int n) { return (n - 1 < WIDE ? n - 1 : WIDE) - 1; }
static double odd_freedom(int n) { return (n < WIDE ? n : WIDE) / 2 - 1; }

static lined take_line(int n, const double *x, const double l[N], double square) {
  lined r = {0};
  for (int k = 1; k < n; k++)
    r.slope += l[k] * x[k] / square;
  for (int k = 1; k < n; k++) {
    const double e = x[k] - r.slope * l[k];
    const double e_square = e * e;
    r.e[k] = e;
    r.all += e_square / (n - 2);
    r.lag += e_square / (n - 2) * cst_elementary_cos(3.14159265358979323846 * k / n);
    if (k <= LOW)
      r.low += e_square / low_freedom(n);
    if (k >= 2 && k <= NEAR)
      r.near += e_square / (NEAR - 1);
  }
  for (int k = 1; k < n && k <= WIDE; k++) {
    r.wide += r.e[k] * r.e[k];
    if (k % 2)
      r.odd += r.e[k] * r.e[k];
  }
  r.error = sqrt(r.low / square);
  r.near = sqrt(r.near / square);
  r.wide = sqrt(r.wide / (wide_freedom(n) * square));
  r.odd = sqrt(r.odd / (odd_freedom(n) * square));
  return r;
}

/* Squared residuals in the first and in the last third of the run. */
static void scatter(const cst_spectra *s, const double e[N], double thirds[2]) {
  double x[N];
  for (int u = 0; u < s->n; u++) {
    x[u] = 0;
    for (int k = 1; k < s->n; k++)
      x[u] += s->c[k][u] * e[k];
  }
  for (int u = 0; u < s->n / 3; u++) {
    const double last = x[s->n - 1 - u];
    thirds[0] += x[u] * x[u];
    thirds[1] += last * last;
  }
}

/* Sums over members. */
typedef struct {
  double slope, slopes, errors, quartic; /* of b, b^2, s^2, s^4 */
  double odd_errors, near_errors;        /* of s^2 from odd cosines, and from the nearest */
  /* squared significances, the same from odd cosines, and the largest |significance| from WIDE cosines */
  double normals, odd, largest;
  double steepest;             /* largest |b| */
  double low, all, all2, fast; /* of nu, sigma^2, sigma^4; power of the fast half */
  double lag;                  /* of sigma^2 rho_1 */
  double thirds[2];
  double mean[N], own; /* mean coefficients; power of the mean over the fast half of k */
} sums;

/* Significance of a slope whose error has the given degrees of freedom. */
static double significance(double slope, double error, double freedom) {
  if (slope == 0)
    return 0;
  if (error > 0)
    return cst_significance_of_t(slope / error, freedom);
  return copysign(INFINITY, slope);
}

static double squared(double z) { return fmin(z * z, 1e6); }

static sums add_up(const cst_spectra *s, const double l[N], double square) {
  sums t = {0};
  for (long i = 0; i < s->members; i++) {
    const double *x = s->x + i * s->n;
    const lined   m = take_line(s->n, x, l, square);
    t.slope += m.slope;
    t.slopes += m.slope * m.slope;
    const double error = m.error;
    const double normal = significance(m.slope, error, low_freedom(s->n));
    const double odd = significance(m.slope, m.odd, odd_freedom(s->n));
    const double wide = significance(m.slope, m.wide, wide_freedom(s->n));
    t.errors += error * error;
    t.quartic += error * error * error * error;
    t.odd_errors += m.odd * m.odd;
    t.near_errors += m.near * m.near;
    t.normals += squared(normal);
    t.odd += squared(odd);
    t.largest = fmax(t.largest, fabs(wide));
    t.steepest = fmax(t.steepest, fabs(m.slope));
    t.low += m.low;
    t.lag += m.lag;
    t.all += m.all;
    t.all2 += m.all * m.all;
    for (int k = 1; k < s->n; k++)
      t.mean[k] += x[k] / (double)s->members;
    for (int k = s->n / 4; k < s->n; k++)
      t.fast += m.e[k] * m.e[k];
    scatter(s, m.e, t.thirds);
  }
  return t;
}

/* Effective number of independent members: estimated from the scatter of their mean, and reduced if a few
 * large members outweigh the others. */
static double independent(const cst_spectra *s, const sums *t, const lined *mean) {
  double own = 0;
  for (int k = s->n / 4; k < s->n; k++)
    own += mean->e[k] * mean->e[k];
  const double members = (double)s->members;
  const double alike = own > 0 ? t->fast / members / own : members;
  const double loud = t->all2 > 0 ? t->all * t->all / t->all2 : members;
  return fmax(1, fmin(members, fmin(alike, loud)));
}

static double between(const sums *t, double members) {
  const double mean = t->slope / members;
  const double variance = t->slopes / members - mean * mean;
  return sqrt(fmax(0, variance) / (members - 1));
}

/* Upper 95 % bound of the mean square of the true slopes, from mean b_i^2 - mean s_i^2 and the scatter of
 * both. */
static double bound_of_squares(const sums *t, double members, double counting, double freedom) {
  const double b2 = t->slopes / members;
  const double s2 = t->errors / members;
  const double own = 2 * b2 * b2 / counting;
  const double noise = 2 * t->quartic / members / (freedom * counting);
  return b2 - s2 + 1.645 * sqrt(own + noise);
}

/* Variance at the lowest frequencies: nu, or that of noise with a memory of one step (AR(1)) where this is
 * larger: sigma^2 (1 + rho_1) / (1 - rho_1), with rho_1 corrected for its bias of about -4/n after a line.
 * This at most doubles nu, and less with many members, which measure nu well.
 * *freedom: of nu; if the memory is short, the windows that are effectively independent are more. */
static double slow_variance(double low, double all, double lag, int n, double counting,
                            double *freedom) {
  const double bias = 4 / (n * counting);
  const double rho = fmin(fmax(all > 0 ? lag / all + bias : 0, 0), 0.95);
  const double one = all * (1 + rho) / (1 - rho);
  const double v = fmax(low, fmin(one, (1 + 1 / counting) * low));
  const double windows = v > 0 ? n * all / v : n;
  *freedom = fmax(low_freedom(n), fmin(windows - 1, FREEDOM));
  return v;
}

/* Error of the mean slope from the time series. Uses the members' residuals, which have more degrees of
 * freedom, unless the mean's residuals are significantly larger than these predict. */
static double error_in_time(const sums *t, const lined *mean, double members, double counting,
                            double square, int n, double *freedom) {
  const double few = low_freedom(n);
  const double theirs = t->low / members / counting;
  if (!(cst_significance_of_f(mean->low / theirs, few, few * counting) < 2))
    return sqrt(slow_variance(mean->low, mean->all, mean->lag, n, 1, freedom) / square);
  const double v =
      slow_variance(t->low / members, t->all / members, t->lag / members, n, counting, freedom);
  *freedom *= counting;
  return sqrt(v / counting / square);
}

/* Significance of the members' slopes taken together: each against its own error, once with all low cosines
 * and once with the odd ones (a single frequency leaks into the slope as into these), and all against their
 * mean squared error. */
static double spread_of(double normals, double slopes, double errors, double members,
                        double counting, double freedom) {
  const double own = cst_significance_of_f(normals / members, counting, 1e6);
  const double pooled = cst_significance_of_f(slopes / errors, counting, freedom * counting);
  return errors > 0 ? fmax(own, pooled) : own;
}

static double spread(const sums *t, double members, double counting, int n) {
  const double all = spread_of(t->normals, t->slopes, t->errors, members, counting, low_freedom(n));
  const double odd = spread_of(t->odd, t->slopes, t->odd_errors, members, counting, odd_freedom(n));
  return fmin(all, odd);
}

/* The least significance of all members' slopes against their mean squared error, from three sets of
 * cosines: the nearest, the odd ones, and the slow ones. */
static double spread_least(const sums *t, double counting, int n) {
  const double near =
      cst_significance_of_f(t->slopes / t->near_errors, counting, (NEAR - 1) * counting);
  const double odd =
      cst_significance_of_f(t->slopes / t->odd_errors, counting, odd_freedom(n) * counting);
  const double all =
      cst_significance_of_f(t->slopes / t->errors, counting, low_freedom(n) * counting);
  return fmin(near, fmin(odd, all));
}

/* Whether the last third of the run fluctuates more than the first. */
static double swelling(const sums *t, double freedom) {
  if (t->thirds[0] > 0)
    return cst_significance_of_f(t->thirds[1] / t->thirds[0], freedom, freedom);
  return t->thirds[1] > 0 ? INFINITY : 0;
}

cst_slopes cst_growth_slopes_find(const cst_spectra *s) {
  cst_slopes r = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                  NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  double     l[N];
  if (s->members < 1 || s->n < LOW)
    return r;
  const double square = line(s, l);
  const double members = (double)s->members;
  const double freedom = low_freedom(s->n);
  const sums   t = add_up(s, l, square);
  const lined  mean = take_line(s->n, t.mean, l, square);
  const int    many = s->members >= FEW_MEMBERS;
  r.independent = independent(s, &t, &mean);
  double       in_time_freedom;
  const double in_time =
      error_in_time(&t, &mean, members, r.independent, square, s->n, &in_time_freedom);
  const double among = many ? between(&t, members) : 0;
  const double z = significance(mean.slope, in_time, in_time_freedom);
  const double z_among = many ? significance(mean.slope, among, members - 1) : z;
  const double reach = cst_significance_t_quantile(1.645, in_time_freedom) * in_time;
  const double reach_among = many ? cst_significance_t_quantile(1.645, members - 1) * among : 0;
  const double squares = many ? bound_of_squares(&t, members, r.independent, freedom) : 0;
  const double of_mean = fabs(mean.slope) + fmax(reach, reach_among);
  const double of_squares = sqrt(fmax(0, squares));
  r.slope = s->unit * mean.slope;
  r.error = s->unit * fmax(in_time, among);
  r.rms = s->unit * sqrt(t.slopes / members);
  r.limit = s->unit * fmax(of_mean, of_squares);
  const double ratio = among / in_time;
  r.in_time = z;
  r.scatter = many ? cst_significance_of_f(ratio * ratio, members - 1, in_time_freedom) : 0;
  if (fabs(z) < fabs(z_among))
    r.normal = z;
  else
    r.normal = z_among;
  r.spread = spread(&t, members, r.independent, s->n);
  r.near = spread_least(&t, r.independent, s->n);
  r.outlier = t.largest;
  r.steepest = s->unit * t.steepest;
  r.swollen = t.thirds[1] / t.thirds[0];
  r.deviation = s->unit * sqrt(t.all / members);
  if (t.all > 0) {
    r.memory = t.low / t.all;
    r.slowest = t.near_errors * square / t.all;
  } else
    r.memory = r.slowest = 0;
  r.swell = swelling(&t, (s->n / 3 - 1) * r.independent);
  return r;
}
