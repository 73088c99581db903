/* growth-power.c: fits a power of time to the paths of the members: x = a + b tau^alpha + white noise + a
 * random walk.
 *
 * In the cosine basis the noise of different k is independent, with variance s^2 v_k, v_k = 1 + r g_k,
 * where g_k = 1 / (4 sin^2(pi k / 2n)) - 1/6 is the spectrum of a random walk averaged over windows. The
 * constant a does not contribute to k >= 1. The power has coefficients phi_k, where tau_w^alpha is its mean
 * over window w. For given alpha and r the rest is linear,
 *
 *   b_i = sum phi_k X_ik / v_k / A,  A = sum phi_k^2 / v_k,  RSS = sum_i sum_k X_ik^2 / v_k - A sum_i b_i^2,
 *   -2 log L = M sum log v_k + M (n - 1) log RSS,
 *
 * a function of C = sum_i X_i X_i' alone. alpha and r are found on a grid. If the path is a random walk
 * without a power, the strength, the mean of A b_i^2 / s^2, is near 1. So a likelihood that knows the noise
 * of the windows distinguishes a power from a random walk, and for an average over many members one that
 * knows the noise of the average.
 *
 * Slow motion that is neither shows in the lowest four k: the misfit is the significance of their
 * residuals, which are pure noise after a power has been removed.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "core/need.h"
#include "statistics/growth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.06 /* minimal half-width of an interval: no power law is known better */
/* relative to the power's own size; residuals of the slowest cosines below this are ignored */
#define SLIGHT 0.01
enum { N = CST_WINDOWS, ALPHAS = 60, RATIOS = 41, SLOW = 4 };

static double power(double x, double exponent) {
  return cst_elementary_exp(exponent * cst_elementary_log(x));
}

/* Grid from 0.1 to 5.4 in steps of 7 %; it contains 1 and 2. */
static double alpha_of(int j) { return cst_elementary_exp(0.6931471805599453 * (j - 34) / 10.0); }

static double ratio_of(int j) {
  if (j == 0)
    return 0;
  return cst_elementary_exp(2.302585092994046 * (j - 21) / 4.0);
}

typedef struct {
  int    n;
  double members;
  /* sum_i X_i X_i' */
  double c[N][N] __attribute__((aligned(64)));
} products;

/* Zero so far; owned, free(). */
static products *products_of(const cst_spectra *s, double members) {
  products *p = cst_need(aligned_alloc(64, (sizeof *p + 63) / 64 * 64));
  memset(p, 0, sizeof *p);
  p->n = s->n;
  p->members = members;
  return p;
}

static void add_product(products *p, const double *x) {
  for (int j = 1; j < p->n; j++)
    for (int k = j; k < p->n; k++) {
      const double product = x[j] * x[k];
      p->c[j][k] += product;
    }
}

static void mirror(products *p) {
  for (int j = 1; j < p->n; j++)
    for (int k = 1; k < j; k++)
      p->c[j][k] = p->c[k][j];
}

/* Cosine coefficients of the mean of tau^alpha over each window, normalised to length 1. */
static void shape(const cst_spectra *s, double alpha, double phi[N]) {
  double x[N], size = 0;
  for (int u = 0; u < s->n; u++) {
    const double at = s->window[u];
    const double next = power((at + 1) / N, alpha + 1);
    const double here = at > 0 ? power(at / N, alpha + 1) : 0;
    x[u] = (next - here) * N / (alpha + 1);
  }
  for (int k = 1; k < s->n; k++) {
    phi[k] = 0;
    for (int u = 0; u < s->n; u++)
      phi[k] += s->c[k][u] * x[u];
    size += phi[k] * phi[k];
  }
  for (int k = 1; k < s->n; k++)
    phi[k] /= sqrt(size);
}

/* weight[k] = 1 / v_k; returns sum log v_k. */
static double weights(int n, double r, double weight[N]) {
  double sum = 0;
  for (int k = 1; k < n; k++) {
    const double sine = cst_elementary_sin(1.5707963267948966 * k / n);
    const double walk = 1 / (4 * sine * sine);
    const double v = 1 + r * (walk - 1.0 / 6);
    weight[k] = 1 / v;
    sum += cst_elementary_log(v);
  }
  return sum;
}

/* The fit for given alpha and r. */
typedef struct {
  double likelihood, strength, r, explained, rss;
  double a, bb; /* A, and A^2 sum b_i^2 */
} fit;

/* cw: aligned to 64 bytes, as are all such arrays of this file. C is symmetric: row k holds its contributions
 * to all sums. */
static void project(const products *p, const double phi[N], const double weight[N],
                    double cw[restrict N], double *a, double *bb) {
  *a = *bb = 0;
  cst_growth_loops_chosen()->project(p->c[0], phi, weight, p->n, cw);
  for (int k = 1; k < p->n; k++) {
    const double f = phi[k];
    *a += f * f * weight[k];
  }
  for (int j = 1; j < p->n; j++)
    *bb += phi[j] * weight[j] * cw[j];
}

static fit fit_at(const products *p, const double phi[N], double r, const double weight[N],
                  double logs) {
  const double freedom = p->members * (p->n - 2);
  double       cw[N] __attribute__((aligned(64))), a, bb, rss = 0;
  project(p, phi, weight, cw, &a, &bb);
  for (int k = 1; k < p->n; k++)
    rss += p->c[k][k] * weight[k];
  rss = fmax(rss - bb / a, 1e-24 * rss + 1e-300);
  const double log_rss = cst_elementary_log(rss);
  const double residual = p->members * (p->n - 1) * log_rss;
  const double likelihood = -0.5 * (p->members * logs + residual);
  const double explained = bb / a;
  const double strength = explained / p->members * freedom / rss;
  return (fit){likelihood, strength, r, explained, rss, a, bb};
}

/* The best r for a shape: hill climbing from the best r of the previous shape. */
static fit best(const products *p, const double phi[N], double weight[RATIOS][N],
                const double logs[RATIOS], int *at) {
  fit top = fit_at(p, phi, ratio_of(*at), weight[*at], logs[*at]);
  for (int step = -1; step <= 1; step += 2)
    for (int j = *at + step; j >= 0 && j < RATIOS; j += step) {
      const fit f = fit_at(p, phi, ratio_of(j), weight[j], logs[j]);
      if (!(f.likelihood > top.likelihood))
        break;
      top = f;
      *at = j;
    }
  return top;
}

/* Where the likelihood falls to `level` between two grid points, by linear interpolation. */
static double cross(double inside, double outside, double l_inside, double l_outside,
                    double level) {
  const double way = (outside - inside) * (l_inside - level);
  return inside + way / (l_inside - l_outside);
}

/* The interval in which the log likelihood has not fallen by more than `drop`. */
static void interval(cst_power_fit *f, const fit all[ALPHAS], int top, double drop) {
  const double level = all[top].likelihood - drop;
  int          i = top, j = top;
  while (i > 0 && all[i].likelihood > level)
    i--;
  while (j < ALPHAS - 1 && all[j].likelihood > level)
    j++;
  if (all[i].likelihood > level)
    f->low = 0;
  else
    f->low = cross(alpha_of(i + 1), alpha_of(i), all[i + 1].likelihood, all[i].likelihood, level);
  if (all[j].likelihood > level)
    f->high = INFINITY;
  else
    f->high = cross(alpha_of(j - 1), alpha_of(j), all[j - 1].likelihood, all[j].likelihood, level);
}

/* Maximum of the parabola through three grid points, in log alpha. */
static double peak(const fit all[ALPHAS], int top) {
  if (top == 0 || top == ALPHAS - 1)
    return alpha_of(top);
  const double a = all[top - 1].likelihood;
  const double b = all[top].likelihood;
  const double c = all[top + 1].likelihood;
  const double bend = a - 2 * b + c;
  double       shift = 0;
  if (bend < 0)
    shift = 0.06931471805599453 * 0.5 * (a - c) / bend;
  return alpha_of(top) * cst_elementary_exp(shift);
}

/* Significance of the residuals at the slowest k against s^2 v_k; 0 if they are negligible. *share: the part
 * of the squares at these k that the power explains. */
static double misfit(const products *p, const double phi[N], const double weight[N], const fit *f,
                     double independent, double *share) {
  const double s2 = f->rss / (p->members * (p->n - 2));
  double       cw[N] __attribute__((aligned(64))), a, bb, sum = 0, size = 0, all = 0;
  project(p, phi, weight, cw, &a, &bb);
  for (int k = 1; k <= SLOW; k++) {
    const double crossed = 2 * phi[k] * cw[k] / a;
    const double fitted = phi[k] * phi[k] * bb / (a * a);
    const double square = p->c[k][k] - crossed + fitted;
    sum += weight[k] * square;
    size += square;
    all += p->c[k][k];
  }
  *share = all > 0 ? 1 - size / all : 0;
  if (!(size > SLIGHT * SLIGHT * bb / (a * a)))
    return 0;
  const double ratio = sum / s2 / (p->members * (SLOW - 1));
  const double slow = independent * (SLOW - 1);
  const double fast = independent * (p->n - 1 - SLOW);
  return cst_significance_of_f(ratio, slow, fast);
}

/* Removes from phi its component along psi, in the metric of the weights. */
static void straighten(int n, const double psi[N], const double weight[N], const double phi[N],
                       double out[N]) {
  double along = 0, square = 0;
  for (int k = 1; k < n; k++) {
    along += weight[k] * psi[k] * phi[k];
    square += weight[k] * psi[k] * psi[k];
  }
  for (int k = 1; k < n; k++)
    out[k] = phi[k] - along / square * psi[k];
}

/* Significance of a quadratic term added to a line, which means that the rate changes; 0 if the term is
 * negligible. *blur: its standard error as a part of the line. */
static double bend(const products *p, const double phi[N], const double more[N],
                   double weight[RATIOS][N], const double logs[RATIOS], double independent,
                   double *blur) {
  const double freedom = p->members * (p->n - 3);
  double       best = -INFINITY;
  double       f = 0;
  int          slight = 0;
  for (int j = 0; j < RATIOS; j++) {
    double    rest[N], cw[N] __attribute__((aligned(64)));
    double    a, bb, rss;
    double    lengths = 0;
    const fit one = fit_at(p, phi, 0, weight[j], logs[j]);
    straighten(p->n, phi, weight[j], more, rest);
    project(p, rest, weight[j], cw, &a, &bb);
    const double least = 1e-24 * one.rss + 1e-300;
    rss = fmax(one.rss - bb / a, least);
    const double residual = (p->n - 1) * cst_elementary_log(rss);
    const double likelihood = -0.5 * p->members * (logs[j] + residual);
    if (!(likelihood > best))
      continue;
    for (int k = 1; k < p->n; k++)
      lengths += rest[k] * rest[k];
    best = likelihood;
    f = bb / a / p->members * freedom / rss;
    const double curve = bb / (a * a) * lengths, whole = one.bb / (one.a * one.a);
    slight = curve < SLIGHT * SLIGHT * whole;
    *blur = sqrt(p->members / independent * rss / freedom / a * lengths / whole);
  }
  if (slight)
    return 0;
  return cst_significance_of_f(f, independent, independent * (p->n - 3));
}

/* The grid for n windows in use: shapes of the powers, weights of the noise. */
typedef struct {
  int    n;
  double phi[ALPHAS][N], weight[RATIOS][N], logs[RATIOS];
} grid;

/* The grid of all windows is made once. */
static grid *make_grid(const cst_spectra *s) {
  static grid some, whole;
  grid       *g = s->n == N ? &whole : &some;
  if (g->n == N)
    return g;
  g->n = s->n;
  for (int j = 0; j < RATIOS; j++)
    g->logs[j] = weights(s->n, ratio_of(j), g->weight[j]);
  for (int j = 0; j < ALPHAS; j++)
    shape(s, alpha_of(j), g->phi[j]);
  return g;
}

static cst_power_fit find(const cst_spectra *s, const products *p, double independent) {
  static const cst_power_fit none = {NAN, NAN, NAN, 0, NAN, NAN, NAN, 0};
  fit                        all[ALPHAS];
  int                        top = 0;
  int                        line = 0;
  int                        square = 0;
  int                        at = 0;
  double                     sum = 0;
  for (int k = 1; k < s->n; k++)
    sum += p->c[k][k];
  if (!(sum > 0) || s->n < 8)
    return none;
  grid *const g = make_grid(s);
  for (int j = 0; j < ALPHAS; j++) {
    all[j] = best(p, g->phi[j], g->weight, g->logs, &at);
    if (all[j].likelihood > all[top].likelihood)
      top = j;
    if (alpha_of(j) < 1.01)
      line = j;
    if (alpha_of(j) < 2.01)
      square = j;
  }
  cst_power_fit f = {.alpha = peak(all, top), .strength = all[top].strength};
  interval(&f, all, top, 2.5 * p->members / independent);
  f.low = fmin(f.low, f.alpha - LEAST);
  f.high = fmax(f.high, f.alpha + LEAST);
  double noise[N];
  weights(s->n, all[top].r, noise);
  f.misfit = misfit(p, g->phi[top], noise, &all[top], independent, &f.share);
  f.bend = bend(p, g->phi[line], g->phi[square], g->weight, g->logs, independent, &f.blur);
  return f;
}

cst_power_fit cst_growth_power_members(const cst_spectra *s, double independent) {
  products *p = products_of(s, (double)s->members);
  for (long i = 0; i < s->members; i++)
    add_product(p, s->x + i * s->n);
  mirror(p);
  const cst_power_fit f = find(s, p, independent);
  free(p);
  return f;
}

cst_power_fit cst_growth_power_mean(const cst_spectra *s) {
  products    *p = products_of(s, 1);
  double       mean[N] = {0};
  const double members = (double)s->members;
  for (long i = 0; i < s->members; i++) {
    const double *x = s->x + i * s->n;
    for (int k = 1; k < s->n; k++)
      mean[k] += x[k] / members;
  }
  add_product(p, mean);
  mirror(p);
  const cst_power_fit f = find(s, p, 1);
  free(p);
  return f;
}
