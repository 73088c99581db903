/* growth.c: does an observable stay bounded, or how does its error grow over a long time? A verdict, an exponent with its interval, a
 * slope.
 *
 * D_w, w = 1..63: mean over window w minus mean over window 0, for every member; R_w^2 its mean square over members. For a power,
 * R_w = C tau^alpha with tau = w + delta the time between the centres of the windows, corrected for averaging over windows: exactly
 * delta = -1/3 for a random walk, 0 for a line, 1/2 - 1/(8w)... for a square; in between interpolated. alpha and C maximise
 * -sum_w (R_w^2/mu_w + log mu_w), mu_w = C^2 tau^(2 alpha): a straight line through log R against log t in which a chance zero of
 * R_w does no harm. Windows before R rises for good above the noise of windows (the median second difference) are left out, if it does.
 * Exponential growth, R_w = C (e^(kappa w) - 1), must rise out of the noise and leave under a quarter of the squares in log R that the best
 * power up to the fourth leaves.
 *
 * The interval comes from a bootstrap: 400 times, the members (in at most 64 groups) and the windows (in circular blocks of 5) are drawn
 * with replacement and the fit repeated; it is never narrower than alpha +- 0.05, since no model is better than that.
 *
 * Where no D_w exceeds the round-off of the verdict `exact`, although the observable moved more than that, it is bounded without a fit.
 *
 * One trajectory shows one path, so that resampling it knows nothing of other paths. Two statistics of second differences at lag L,
 * W_L = mean (x_(w+2L) - 2 x_(w+L) + x_w)^2 / 2L, blind to a linear drift, guard the verdicts (they can only make one undecided):
 *   rough = W_6 / W_1: near 1.8 for a random walk, 1/6 for independent noise;
 *   far = R_63^2 / (63 W_6): how far the end lies, in units of what a random walk of such steps would reach (near 1).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "constella/random.h"
#include "constella/statistics.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { N = CST_WINDOWS, GROUPS = 64, REPLICATES = 400, BLOCK = 5, LEAST_WINDOWS = 8, LAG = 6, FEW_MEMBERS = 8, KEY = 0x63737431 };
#define ABOVE 50 /* R^2 over the variance of noise, from which on a window is above it */

const char *const cst_verdict_names[CST_VERDICTS] = {"exact",  "frozen",    "bounded",     "random-walk",
                                                     "linear", "quadratic", "exponential", "undecided"};

typedef struct {
  double square[GROUPS][N], count[GROUPS][N]; /* sums over the members of a group of D_w^2 / unit^2, and of 1 */
  double mean[N];                             /* over members of D_w; NaN where the window is empty */
  double r2[N];                               /* R_w^2 / unit^2; NaN likewise */
  double largest;                             /* |D_w|, the unit */
  int    groups, windows;                     /* windows: how many are not empty, the first included */
  long   members;                             /* those with at least two windows */
  double short_lag, long_lag;                 /* W_1 and W_LAG, over unit^2 */
  double noise;                               /* variance of the mean over a window, over unit^2 */
} ensemble;

typedef struct {
  double c, alpha; /* log C^2 and the exponent */
} power;

static double difference(const double *x, int w) {
  const double d = x[w] - x[0];
  return isfinite(d) ? d : NAN;
}

static double largest_difference(const double *means, long members) {
  double largest = 0;
  for (long i = 0; i < members; i++)
    for (int w = 1; w < N; w++) largest = fmax(largest, fabs(difference(means + i * N, w)));
  return largest;
}

/* Squares of second differences, summed over members, where they begin. */
typedef struct {
  int    lag;
  double sum[N], count[N];
} roughness;

static void add_roughness(roughness *r, const double *x, double unit) {
  for (int w = 0; w + 2 * r->lag < N; w++) {
    const double d = ((x[w + 2 * r->lag] - x[w + r->lag]) - (x[w + r->lag] - x[w])) / unit;
    if (isfinite(d)) r->sum[w] += d * d, r->count[w] += 1;
  }
}

static double walk_rate(const roughness *r) {
  double sum = 0, count = 0;
  for (int w = 0; w < N; w++) sum += r->sum[w], count += r->count[w];
  return sum / (2 * r->lag * count);
}

/* The second difference of independent noise has six times its variance; the median is not moved by late, steep growth. */
static double noise_of(const roughness *r) {
  double mean[N], median = 0.5;
  for (int w = 0; w < N; w++) mean[w] = r->sum[w] / r->count[w];
  cst_quantiles(mean, N, &median, 1, &median);
  return median / 6;
}

/* R_w^2 with every group taken draws[g] times. */
static void mean_squares(const ensemble *e, const int *draws, double r2[N]) {
  double count[N] = {0};
  for (int w = 0; w < N; w++) r2[w] = 0;
  for (int g = 0; g < e->groups; g++)
    for (int w = 0; draws[g] && w < N; w++) r2[w] += draws[g] * e->square[g][w], count[w] += draws[g] * e->count[g][w];
  for (int w = 0; w < N; w++) r2[w] = count[w] > 0 ? r2[w] / count[w] : NAN;
}

/* A member with fewer than two windows is left out. */
static void add_member(ensemble *e, const double *x, double unit, double sums[N], double counts[N]) {
  const int g = (int)(e->members % GROUPS);
  int       n = 0;
  for (int w = 1; w < N; w++) n += !isnan(difference(x, w));
  if (!n) return;
  e->members++;
  for (int w = 0; w < N; w++) {
    const double d = difference(x, w) / unit;
    if (isnan(d)) continue;
    e->square[g][w] += d * d, e->count[g][w] += 1;
    sums[w] += d, counts[w] += 1;
  }
}

static void gather(ensemble *e, const double *means, long members) {
  double    sums[N] = {0}, counts[N] = {0};
  roughness near = {.lag = 1}, wide = {.lag = LAG};
  int       once[GROUPS];
  e->largest = largest_difference(means, members);
  const double unit = e->largest > 0 ? e->largest : 1;
  for (long i = 0; i < members; i++) {
    add_member(e, means + i * N, unit, sums, counts);
    add_roughness(&near, means + i * N, unit);
    add_roughness(&wide, means + i * N, unit);
  }
  e->groups = (int)(e->members < GROUPS ? e->members : GROUPS);
  e->short_lag = walk_rate(&near), e->long_lag = walk_rate(&wide), e->noise = noise_of(&near);
  for (int w = 0; w < N; w++) e->mean[w] = counts[w] > 0 ? unit * (sums[w] / counts[w]) : NAN, e->windows += counts[w] > 0;
  for (int g = 0; g < GROUPS; g++) once[g] = 1;
  mean_squares(e, once, e->r2);
}

/* Deviation over the members of their own slopes, over sqrt(members): knows every correlation in time. */
static double between_members(const double *means, long members, const double *t, double slope) {
  double sum = 0, n = 0, d[N];
  for (long i = 0; i < members; i++) {
    int seen = 0;
    for (int w = 0; w < N; w++) d[w] = difference(means + i * N, w), seen += isfinite(d[w]);
    if (seen < LEAST_WINDOWS) continue;
    const double off = cst_slope(t, d, N, NULL) - slope;
    sum += off * off, n++;
  }
  return n < FEW_MEMBERS ? 0 : sqrt(sum / (n * (n - 1)));
}

static void find_slope(const ensemble *e, const double *means, long members, double end, cst_growth *g) {
  double t[N], along_time;
  for (int w = 0; w < N; w++) t[w] = (w + 0.5) * end / N;
  g->slope = cst_slope(t, e->mean, N, &along_time);
  g->slope_error = fmax(along_time, between_members(means, members, t, g->slope));
}

/* log tau_w for growth with exponent alpha. */
static void log_times(double alpha, double l[N]) {
  const double delta = alpha < 0.5 ? -1.0 / 3 : alpha < 1 ? (2 * alpha - 2) / 3 : alpha < 2 ? (alpha - 1) / 2 : 0.5;
  for (int w = 1; w < N; w++) l[w] = cst_log(delta > 0 ? w + delta - delta / (4 * w) : w + delta);
}

/* Newton's method for the line; the second derivative is the mean of the actual and the expected one, which bounds its steps. */
static power fit_power(const double r2[N], const double weight[N], const double l[N], power p, int rounds) {
  while (rounds-- > 0) {
    double a = 0, b = 0, d = 0, f = 0, g = 0;
    for (int w = 1; w < N; w++) {
      if (!(weight[w] > 0) || isnan(r2[w])) continue;
      const double x = 2 * l[w], ratio = r2[w] * cst_exp(-(p.c + p.alpha * x)), v = weight[w] * (ratio + 1) / 2,
                   u = weight[w] * (ratio - 1);
      a += v, b += v * x, d += v * x * x, f += u, g += u * x;
    }
    const double determinant = a * d - b * b;
    if (!(determinant > 1e-9 * a * d)) break;
    p.alpha += fmax(-1, fmin(1, (a * g - b * f) / determinant));
    p.c += fmax(-4, fmin(4, (d * f - b * g) / determinant));
  }
  return p;
}

static power fit_all(const ensemble *e, const double weight[N], double l[N]) {
  power p = {0, 0};
  for (int i = 0; i < 4; i++) {
    log_times(p.alpha, l);
    p = fit_power(e->r2, weight, l, p, i ? 10 : 80);
  }
  return p;
}

static double draw(int replicate, int what, int index) {
  return cst_random_uniform(KEY, (uint64_t)replicate, CST_PURPOSE_BOOTSTRAP, (uint32_t)index, (uint32_t)what);
}

/* How often each window comes up: blocks of the windows in use, which form a circle. */
static void draw_windows(int replicate, const double weight[N], double drawn[N]) {
  int use[N], n = 0;
  for (int w = 0; w < N; w++) {
    drawn[w] = 0;
    if (weight[w] > 0) use[n++] = w;
  }
  for (int k = 0; k < n; k += BLOCK) {
    const int first = (int)(draw(replicate, 0, k) * n);
    for (int j = 0; j < BLOCK && k + j < n; j++) drawn[use[(first + j) % n]] += 1;
  }
}

static void draw_members(int replicate, int groups, int draws[GROUPS]) {
  for (int g = 0; g < GROUPS; g++) draws[g] = 0;
  for (int g = 0; g < groups; g++) draws[(int)(draw(replicate, 1, g) * groups)]++;
}

static void bootstrap(const ensemble *e, const double weight[N], const double l[N], power p, cst_growth *out) {
  static const double tails[2] = {0.025, 0.975};
  double              exponents[REPLICATES], interval[2], drawn[N], r2[N];
  int                 draws[GROUPS];
  for (int r = 0; r < REPLICATES; r++) {
    draw_windows(r, weight, drawn);
    draw_members(r, e->groups, draws);
    mean_squares(e, draws, r2);
    exponents[r] = fit_power(r2, drawn, l, p, 4).alpha;
  }
  cst_quantiles(exponents, REPLICATES, tails, 2, interval);
  out->exponent = p.alpha;
  out->low = fmin(interval[0], p.alpha - 0.05);
  out->high = fmax(interval[1], p.alpha + 0.05);
}

/* weight 1 for the windows from which on R stays above noise; how many these are. */
static int above_noise(const ensemble *e, double weight[N]) {
  int count = 0, above = 1;
  for (int w = N - 1; w >= 0; w--) {
    above = above && w > 0 && !(e->r2[w] <= ABOVE * e->noise);
    weight[w] = above && e->r2[w] > 0;
    count += weight[w] > 0;
  }
  return count;
}

static void all_windows(const ensemble *e, double weight[N]) {
  for (int w = 0; w < N; w++) weight[w] = w > 0 && !isnan(e->r2[w]);
}

/* Squares left when log R^2 is fitted by factor * x + constant, factor between least and most. */
static double squares_left(const double r2[N], const double weight[N], const double x[N], double least, double most) {
  double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
  for (int w = 1; w < N; w++) {
    if (!(weight[w] > 0)) continue;
    const double y = cst_log(r2[w]);
    n++, mx += x[w], my += y, xx += x[w] * x[w], xy += x[w] * y, yy += y * y;
  }
  xx -= mx * mx / n, xy -= mx * my / n, yy -= my * my / n;
  const double factor = fmin(fmax(xy / xx, least), most);
  return yy - 2 * factor * xy + factor * factor * xx;
}

/* Whether the windows that are left out all lie in the noise, so that R rises out of it for the first time. */
static int quiet_before(const ensemble *e, const double weight[N]) {
  for (int w = 1; w < N && !(weight[w] > 0); w++)
    if (e->r2[w] > 2 * ABOVE * e->noise) return 0;
  return 1;
}

/* Against powers up to the fourth, over the windows above noise. */
static int exponential(const ensemble *e, const double weight[N]) {
  double x[N], l[N], best = INFINITY, rate = 0;
  log_times(2, l);
  for (double kappa = 0.02; kappa < 4; kappa *= 1.05) {
    for (int w = 1; w < N; w++) x[w] = kappa * w + cst_log(1 - cst_exp(-kappa * w));
    const double left = squares_left(e->r2, weight, x, 2, 2);
    if (left < best) best = left, rate = kappa;
  }
  return rate * N > 4 && quiet_before(e, weight) && best < 0.25 * squares_left(e->r2, weight, l, 0, 8);
}

/* The one of 0.5, 1, 2 that the interval holds, if it is narrow and holds one only. */
static cst_verdict held_power(const cst_growth *g) {
  static const double      powers[3] = {0.5, 1, 2};
  static const cst_verdict verdicts[3] = {CST_RANDOM_WALK, CST_LINEAR, CST_QUADRATIC};
  cst_verdict              held = CST_UNDECIDED;
  int                      count = 0;
  for (int k = 0; k < 3; k++)
    if (g->low <= powers[k] && powers[k] <= g->high) held = verdicts[k], count++;
  return count == 1 && g->high - g->low < 0.75 ? held : CST_UNDECIDED;
}

static cst_verdict grown(const ensemble *e, const cst_growth *g, int is_exponential) {
  int last = N - 1;
  while (last > 1 && isnan(e->r2[last])) last--;
  const double rough = e->long_lag / e->short_lag, far = e->r2[last] / (last * e->long_lag);
  if (is_exponential) return CST_EXPONENTIAL;
  if (g->high < 0.25) return e->members >= FEW_MEMBERS || rough < 0.4 || rough > 6 ? CST_BOUNDED_VERDICT : CST_UNDECIDED;
  const cst_verdict held = held_power(g);
  if (held == CST_RANDOM_WALK) return rough > 0.6 && rough < 6 ? held : CST_UNDECIDED;
  return far > 1 + 15 / sqrt((double)e->members) ? held : CST_UNDECIDED;
}

/* The exponent and its interval; whether growth is exponential. */
static int measure(const ensemble *e, cst_growth *g) {
  double    weight[N], l[N];
  const int above = above_noise(e, weight);
  const int is_exponential = above >= LEAST_WINDOWS && exponential(e, weight);
  if (above < N / 4) all_windows(e, weight);
  const power p = fit_all(e, weight, l);
  bootstrap(e, weight, l, p, g);
  return is_exponential;
}

static cst_verdict fitted(const ensemble *e, double round_off, cst_growth *g) {
  if (e->largest <= round_off) return CST_BOUNDED_VERDICT;
  const int is_exponential = measure(e, g);
  return grown(e, g, is_exponential);
}

/* Whether some entry is a number and no number exceeds the limit. */
static int all_within(const double *x, long n, double limit) {
  int some = 0;
  for (long i = 0; x && i < n; i++) {
    if (x[i] > limit) return 0;
    some |= !isnan(x[i]);
  }
  return some;
}

cst_growth cst_growth_estimate(const double *means, const double *m, const double *moved, long members, double end, double scale, long n) {
  cst_growth   g = {CST_UNDECIDED, NAN, NAN, NAN, NAN, NAN};
  const double round_off = 20 * DBL_EPSILON * fabs(scale) * sqrt((double)n);
  ensemble    *e = calloc(1, sizeof *e);
  if (!e) return g;
  gather(e, means, members);
  const int enough = e->windows >= LEAST_WINDOWS;
  if (enough) find_slope(e, means, members, end, &g);
  if (all_within(moved, members, 1e-3))
    g.verdict = CST_FROZEN;
  else if (all_within(m, members, round_off)) {
    g.verdict = CST_EXACT;
    if (enough && e->largest > 0) measure(e, &g); /* round-off grows by a law, too */
  } else if (enough)
    g.verdict = fitted(e, round_off, &g);
  free(e);
  return g;
}
