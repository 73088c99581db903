/* growth-rms.c: growth of the root mean square over the members: its exponent with an interval, and whether
 * the growth is exponential.
 *
 * D_w, w = 1..63, is the mean over window w minus the mean over window 0, for every member; R_w^2 is its mean
 * square over the members. For a power, R_w = C tau^alpha, where tau = w + delta is the time between the
 * centres of the windows, corrected for averaging over windows: delta = -1/3 for a random walk, 0 for a line,
 * 1/2 - 1/(8w) ... for a square, interpolated in between. alpha and C maximise -sum_w (R_w^2/mu_w + log
 * mu_w), mu_w = C^2 tau^(2 alpha). This fits a line to log R against log t, but tolerates an accidental zero
 * of R_w.
 *
 * If R rises above the noise of windows (the median second difference) for good, earlier windows are left
 * out. Growth is exponential, R_w = C (e^(kappa w) - 1), if it rises out of the noise, leaves less than a
 * quarter of the squared residuals in log R that the best power up to the fourth leaves, and continues to the
 * end: over the last quarter of these windows R grows at least at half the rate kappa.
 *
 * The interval comes from a bootstrap: 400 times, the members (in at most 64 groups) and, if they are few,
 * the windows (in circular blocks of 5) are drawn with replacement and the fit is repeated. With m groups the
 * bootstrap interval is too narrow by sqrt((m - 1) / m) and by the tail of Student's t, and is widened by
 * both. It is never narrower than alpha +- 0.05, since no model is better than that.
 *
 * W_L = mean (x_(w+2L) - 2 x_(w+L) + x_w)^2 / 2L, from second differences at lag L, is unaffected by a linear
 * drift: rough = W_6 / W_1 is near 1.8 for a random walk and 1/6 for independent noise.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "constella/expr.h"
#include "constella/random.h"
#include "core/lane-form.h"

/* a window is above the noise if R^2 exceeds this multiple of the noise's variance */
#define ABOVE 50

/* ---- the loops, by instruction set ----------------------------------------------------------- */

const cst_growth_loops *cst_growth_loops_chosen(void) {
  static const cst_growth_loops *chosen;
  if (!chosen) {
    const int isa = cst_isa_choose(NULL);
    chosen = cst_lane_form(isa > 0 ? isa : cst_isas[0].full, "growth-lanes");
  }
  return chosen;
}

/* ---- exponential growth ---------------------------------------------------------------------- */

/* R_w = C (e^(kappa w) - 1), rather than a power, also one that sets in later. */

enum { N = CST_WINDOWS };

/* Sum of squared residuals of the fit y = factor * x + constant, y = log R^2, with the factor limited to
 * [least, most]. */
static double squares_left(const double log_r2[N], const double weight[N], const double x[N],
                           double least, double most) {
  double n = 0;
  double mx = 0;
  double my = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (int w = 1; w < N; w++) {
    if (!(weight[w] > 0))
      continue;
    const double y = log_r2[w];
    n++;
    mx += x[w];
    my += y;
    xx += x[w] * x[w];
    xy += x[w] * y;
    yy += y * y;
  }
  xx -= mx * mx / n;
  xy -= mx * my / n;
  yy -= my * my / n;
  const double factor = fmin(fmax(xy / xx, least), most);
  return yy - 2 * factor * xy + factor * factor * xx;
}

/* True if all windows left out are in the noise, so that R rises out of it for the first time. */
static int quiet_before(const double r2[N], const double weight[N], double noise) {
  for (int w = 1; w < N && !(weight[w] > 0); w++)
    if (r2[w] > 2 * ABOVE * noise)
      return 0;
  return 1;
}

/* True if R grows at half the rate or more over the last quarter of the windows above noise: no saturation.
 */
static int goes_on(const double r2[N], const double weight[N], double rate) {
  int n = 0;
  int w = N - 1;
  int last = N - 1;
  for (int k = 0; k < N; k++)
    n += weight[k] > 0;
  while (last > 0 && !(weight[last] > 0))
    last--;
  for (w = last; w > 0 && last - w < n / 4; w--) {
  }
  const double grown = cst_elementary_log(r2[last] / r2[w]);
  return weight[w] > 0 && grown > rate * (last - w);
}

/* The rates that are tried, and log (e^(kappa w) - 1) of each; made once. */
enum { RATES = 109 };
typedef struct {
  double kappa, x[N];
} rise;

static const rise *rises(void) {
  static rise all[RATES];
  double      kappa = 0.02;
  for (int i = 0; i < RATES && all[RATES - 1].kappa == 0; i++, kappa *= 1.05) {
    all[i].kappa = kappa;
    for (int w = 1; w < N; w++) {
      const double decayed = cst_elementary_exp(-kappa * w);
      all[i].x[w] = kappa * w + cst_elementary_log(1 - decayed);
    }
  }
  return all;
}

/* Of the best power, up to the square, that sets in at some time before the first window that is used. */
static double squares_of_late_powers(const double log_r2[N], const double weight[N]) {
  double x[N] = {0}, least = INFINITY;
  int    first = 1;
  while (first < N - 1 && !(weight[first] > 0))
    first++;
  for (double from = 0.5; from < first; from += 0.5) {
    for (int w = first; w < N; w++)
      x[w] = cst_elementary_log(w - from);
    least = fmin(least, squares_left(log_r2, weight, x, 0, 4));
  }
  return least;
}

/* Compares exponential growth of r2 with powers up to the fourth, over the windows with a weight,
 * those above noise. l: logarithms of the times. */
static int is_exponential(const double r2[N], const double weight[N], const double l[N],
                          double noise) {
  const rise *all = rises();
  double      log_r2[N], best = INFINITY, rate = 0;
  for (int w = 1; w < N; w++)
    log_r2[w] = cst_elementary_log(r2[w]);
  for (int i = 0; i < RATES; i++) {
    const double left = squares_left(log_r2, weight, all[i].x, 2, 2);
    if (left < best) {
      best = left;
      rate = all[i].kappa;
    }
  }
  return rate * N > 4 && quiet_before(r2, weight, noise) && goes_on(r2, weight, rate) &&
         best < 0.25 * squares_left(log_r2, weight, l, 0, 8) &&
         best < 0.5 * squares_of_late_powers(log_r2, weight);
}

/* ---- powers of time -------------------------------------------------------------------------- */

enum { GROUPS = 64, REPLICATES = 400, BLOCK = 5, LEAST_WINDOWS = 8, LAG = 6, KEY = 0x63737431 };
typedef struct {
  /* sums over the members of a group of D_w^2 / unit^2, and their counts */
  double square[GROUPS][N], count[GROUPS][N];
  double r2[N]; /* R_w^2 / unit^2; NaN without data */
  int    groups;
  long   members;             /* members with at least two windows */
  double short_lag, long_lag; /* W_1 and W_LAG, divided by unit^2 */
  double noise;               /* variance of the mean over a window, divided by unit^2 */
} ensemble;

typedef struct {
  double c, alpha; /* log C^2 and the exponent */
} power;

static double difference(const double *x, int w) {
  const double d = x[w] - x[0];
  return isfinite(d) ? d : NAN;
}

double cst_growth_largest_difference(const double *means, long members) {
  double largest = 0;
  for (long i = 0; i < members; i++)
    for (int w = 1; w < N; w++) {
      const double d = fabs(difference(means + i * N, w));
      largest = fmax(largest, d);
    }
  return largest;
}

/* Squares of second differences, summed over members, by first window. */
typedef struct {
  int    lag;
  double sum[N], count[N];
} roughness;

static void add_roughness(roughness *r, const double *x, double unit) {
  for (int w = 0; w + 2 * r->lag < N; w++) {
    const double first = x[w + r->lag] - x[w];
    const double second = x[w + 2 * r->lag] - x[w + r->lag];
    const double d = (second - first) / unit;
    if (!isfinite(d))
      continue;
    r->sum[w] += d * d;
    r->count[w] += 1;
  }
}

static double walk_rate(const roughness *r) {
  double sum = 0, count = 0;
  for (int w = 0; w < N; w++) {
    sum += r->sum[w];
    count += r->count[w];
  }
  return sum / (2 * r->lag * count);
}

/* The second difference of independent noise has six times its variance. The median is insensitive to late,
 * steep growth. */
static double noise_of(const roughness *r) {
  double mean[N], median = 0.5;
  for (int w = 0; w < N; w++)
    mean[w] = r->sum[w] / r->count[w];
  cst_ensemble_quantiles(mean, N, &median, 1, &median);
  return median / 6;
}

/* R_w^2 if group g is taken draws[g] times. */
static void mean_squares(const ensemble *e, const int *draws, double r2[N]) {
  double count[N] = {0};
  for (int w = 0; w < N; w++)
    r2[w] = 0;
  for (int g = 0; g < e->groups; g++) {
    if (!draws[g])
      continue;
    for (int w = 0; w < N; w++) {
      const double times = draws[g];
      r2[w] += times * e->square[g][w];
      count[w] += times * e->count[g][w];
    }
  }
  for (int w = 0; w < N; w++)
    if (count[w] > 0)
      r2[w] = r2[w] / count[w];
    else
      r2[w] = NAN;
}

/* Adds a member. One with fewer than two windows is left out. */
static void add_member(ensemble *e, const double *x, double unit) {
  const int g = (int)(e->members % GROUPS);
  int       n = 0;
  for (int w = 1; w < N; w++)
    n += !isnan(difference(x, w));
  if (!n)
    return;
  e->members++;
  for (int w = 0; w < N; w++) {
    const double d = difference(x, w) / unit;
    if (isnan(d))
      continue;
    e->square[g][w] += d * d;
    e->count[g][w] += 1;
  }
}

static void gather(ensemble *e, const double *means, long members, double unit) {
  roughness near = {.lag = 1};
  roughness wide = {.lag = LAG};
  int       once[GROUPS];
  for (long i = 0; i < members; i++) {
    add_member(e, means + i * N, unit);
    add_roughness(&near, means + i * N, unit);
    add_roughness(&wide, means + i * N, unit);
  }
  e->groups = (int)(e->members < GROUPS ? e->members : GROUPS);
  e->short_lag = walk_rate(&near);
  e->long_lag = walk_rate(&wide);
  e->noise = noise_of(&near);
  for (int g = 0; g < GROUPS; g++)
    once[g] = 1;
  mean_squares(e, once, e->r2);
}

/* The shift of the window numbers that makes log tau_w linear in log t. */
static double shift_of(double alpha) {
  if (alpha < 0.5)
    return -1.0 / 3;
  if (alpha < 1)
    return (2 * alpha - 2) / 3;
  if (alpha < 2)
    return (alpha - 1) / 2;
  return 0.5;
}

/* log tau_w for growth with exponent alpha. */
static void log_times(double alpha, double l[N]) {
  const double delta = shift_of(alpha);
  for (int w = 1; w < N; w++) {
    double t = w + delta;
    if (delta > 0)
      t -= delta / (4 * w);
    l[w] = cst_elementary_log(t);
  }
}

/* Newton's method for the line. The second derivative is the mean of the actual and the expected one, which
 * bounds the steps. */
static power fit_power(const double r2[N], const double weight[N], const double l[N], power p,
                       int rounds) {
  const cst_growth_loops *loops = cst_growth_loops_chosen();
  double                  decay[N] __attribute__((aligned(64))) = {0};
  while (rounds-- > 0) {
    for (int w = 1; w < N; w++)
      decay[w] = -(p.c + p.alpha * (2 * l[w]));
    loops->exp(decay);
    double a = 0;
    double b = 0;
    double d = 0;
    double f = 0;
    double g = 0;
    for (int w = 1; w < N; w++) {
      if (!(weight[w] > 0))
        continue;
      if (isnan(r2[w]))
        continue;
      const double x = 2 * l[w];
      const double ratio = r2[w] * decay[w];
      const double v = weight[w] * (ratio + 1) / 2;
      const double u = weight[w] * (ratio - 1);
      a += v;
      b += v * x;
      d += v * x * x;
      f += u;
      g += u * x;
    }
    const double determinant = a * d - b * b;
    if (!(determinant > 1e-9 * a * d))
      break;
    const double more_alpha = (a * g - b * f) / determinant;
    const double more_c = (d * f - b * g) / determinant;
    const power  before = p;
    p.alpha += fmax(-1, fmin(1, more_alpha));
    p.c += fmax(-4, fmin(4, more_c));
    if (p.alpha == before.alpha && p.c == before.c)
      break; /* and so would all further rounds */
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

/* Uniform numbers, made once: they are the same for all observables. */
static double draw(int replicate, int what, int index) {
  static double drawn[REPLICATES][2][GROUPS];
  double       *x = &drawn[replicate][what][index];
  if (*x == 0)
    *x = cst_random_uniform(KEY, (uint64_t)replicate, CST_PURPOSE_BOOTSTRAP, (uint32_t)index,
                            (uint32_t)what);
  return *x;
}

/* Number of times that each window is drawn: blocks of the windows in use, taken as a circle. */
static void draw_windows(int replicate, const double weight[N], double drawn[N]) {
  int use[N], n = 0;
  for (int w = 0; w < N; w++) {
    drawn[w] = 0;
    if (weight[w] > 0)
      use[n++] = w;
  }
  for (int k = 0; k < n; k += BLOCK) {
    const int first = (int)(draw(replicate, 0, k) * n);
    for (int j = 0, at = first; j < BLOCK && k + j < n; j++) {
      drawn[use[at]] += 1;
      at = at + 1 < n ? at + 1 : 0;
    }
  }
}

static void draw_members(int replicate, int groups, int draws[GROUPS]) {
  for (int g = 0; g < GROUPS; g++)
    draws[g] = 0;
  for (int g = 0; g < groups; g++)
    draws[(int)(draw(replicate, 1, g) * groups)]++;
}

/* A replicate, as lane `lane` of `width`. */
static void draw_replicate(const ensemble *e, const double weight[N], int many, int replicate,
                           int lane, int width, double *r2, double *drawn) {
  double squares[N], windows[N];
  int    draws[GROUPS];
  draw_members(replicate, e->groups, draws);
  mean_squares(e, draws, squares);
  if (!many)
    draw_windows(replicate, weight, windows);
  for (int w = 0; w < N; w++) {
    r2[w * width + lane] = squares[w];
    drawn[w * width + lane] = many ? weight[w] : windows[w];
  }
}

static void bootstrap(const ensemble *e, const double weight[N], const double l[N], power p,
                      int many, cst_rms_growth *out) {
  static const double     tails[2] = {0.025, 0.975};
  const cst_growth_loops *loops = cst_growth_loops_chosen();
  const int               width = loops->width;
  double                  exponents[REPLICATES] __attribute__((aligned(64)));
  double                  drawn[N * CST_W_MAX] __attribute__((aligned(64)));
  double                  r2[N * CST_W_MAX] __attribute__((aligned(64)));
  double                  interval[2];
  _Static_assert(REPLICATES % CST_W_MAX == 0, "replicates fill the lanes");
  for (int r = 0; r < REPLICATES; r += width) {
    for (int lane = 0; lane < width; lane++)
      draw_replicate(e, weight, many, r + lane, lane, width, r2, drawn);
    loops->fit(r2, drawn, l, p.c, p.alpha, 4, exponents + r);
  }
  cst_ensemble_quantiles(exponents, REPLICATES, tails, 2, interval);
  out->exponent = p.alpha;
  const double m = e->groups;
  double       wider = 1;
  if (m > 1)
    wider = sqrt(m / (m - 1)) * cst_significance_t_quantile(1.96, m - 1) / 1.96;
  const double below = wider * (p.alpha - interval[0]);
  const double above = wider * (interval[1] - p.alpha);
  out->low = p.alpha - fmax(0.05, below);
  out->high = p.alpha + fmax(0.05, above);
}

/* Sets weight 1 for the windows from which on R stays above the noise; returns their number. */
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
  for (int w = 0; w < N; w++)
    weight[w] = w > 0 && !isnan(e->r2[w]);
}

cst_rms_growth cst_growth_rms_find(const double *means, long members, double unit, int many) {
  cst_rms_growth g = {NAN, NAN, NAN, 0, NAN};
  ensemble      *e = calloc(1, sizeof *e);
  double         weight[N], l[N];
  if (!e)
    return g;
  gather(e, means, members, unit);
  const int above = above_noise(e, weight);
  log_times(2, l);
  g.is_exponential = above >= LEAST_WINDOWS && is_exponential(e->r2, weight, l, e->noise);
  if (above < N / 4)
    all_windows(e, weight);
  const power p = fit_all(e, weight, l);
  bootstrap(e, weight, l, p, many, &g);
  g.rough = e->long_lag / e->short_lag;
  free(e);
  return g;
}
