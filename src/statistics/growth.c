/* growth.c: decides whether an observable stays bounded, or how its error grows over a long time.
 * docs/verdicts.md defines the verdicts.
 *
 * They are tried in this order: not finite, frozen, exact, too few windows, escaped; settled; exponential; a power
 * of time along the paths (linear, quadratic); a random walk; bounded; otherwise undecided, with the first
 * reason that holds. Every other verdict needs positive evidence, so there is a margin between verdicts in
 * which none is given.
 *
 * That is the pass over one observable of one case. The pass over a table then gives the
 * verdict `drifts` and tells round-off from truncation, from the numbers found here.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "constella/expr.h"
#include "constella/statistics.h"

enum { N = CST_WINDOWS };

/* ---- whether there is anything to judge ------------------------------------------------------ */

/* Whether a run moved at all, changed beyond round-off, or left for good. */

#define STILL 1e-14 /* displacement / (|q(0)| sqrt(steps)) below this is round-off */
#define ULPS  8     /* a change below so many units in the last place of the terms is round-off */

static double of_step(const cst_long_run *r, long i) {
  return DBL_EPSILON * (r->stepped ? r->stepped[i] : fabs(r->scale[i]));
}

static double of_value(const cst_long_run *r, long i) {
  return DBL_EPSILON * (r->evaluated ? r->evaluated[i] : fabs(r->start[i]));
}

/* The roundings of n steps add up like sqrt(n). */
double cst_growth_round_off(const cst_long_run *r, long i) {
  return 20 * of_step(r, i) * sqrt((double)r->steps) + 8 * of_value(r, i);
}

/* False if x was infinite or not a number at some time in a member that did not fail. */
static int is_finite(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++) {
    const int failed = isnan(r->moved[i]);
    if (!failed && !(isfinite(r->largest[i]) && isfinite(r->scale[i])))
      return 0;
  }
  return 1;
}

/* x changed by no more than round-off */
static int is_exact(const cst_long_run *r) {
  int some = 0;
  for (long i = 0; i < r->members; i++) {
    if (r->largest[i] > cst_growth_round_off(r, i))
      return 0;
    some |= !isnan(r->largest[i]);
  }
  return some;
}

/* nothing moved except by round-off */
static int is_frozen(const cst_long_run *r) {
  int some = 0;
  for (long i = 0; i < r->members; i++) {
    if (r->moved[i] > STILL * sqrt((double)r->steps))
      return 0;
    some |= !isnan(r->moved[i]);
  }
  return some;
}

/* True if a mean of member i differs by more than `room` from that of the first window. */
static int departs(const cst_long_run *r, long i, double room) {
  const double *mean = r->means + i * N;
  for (int w = 1; w < N; w++)
    if (fabs(mean[w] - mean[0]) > room)
      return 1;
  return 0;
}

/* True if no window mean differs from the first by more than round-off. */
static int is_level(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++)
    if (departs(r, i, cst_growth_round_off(r, i)))
      return 0;
  return 1;
}

/* True if some window mean differs from the first by more than rounding x and its terms once: a change of the
 * last digit is not growth. */
static int is_visible(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++)
    if (departs(r, i, 2 * (of_step(r, i) + of_value(r, i))))
      return 1;
  return 0;
}

/* A member has escaped if over the last half of the run its distance from the start grows evenly, at a rate
 * consistent with the whole run, while x has come to rest, also within the last window. */
static int has_left(const cst_long_run *r, long i) {
  const double *away = r->away + i * N;
  const double *x = r->means + i * N;
  const double  half = away[N / 2];
  const double  pace = (away[N - 1] - half) / (N - 1 - N / 2);
  double        most = 0;
  double        change = fabs(r->last[i] - x[N - 1]);
  if (!(pace > 0))
    return 0;
  if (!(away[N - 1] < 2.5 * half))
    return 0;
  if (!(away[N - 1] > 1.6 * half))
    return 0;
  for (int w = N / 2; w < N - 1; w++) {
    const double off = fabs(away[w + 1] - away[w] - pace);
    if (!(off < 0.1 * pace))
      return 0;
  }
  for (int w = 0; w < N; w++)
    most = fmax(most, fabs(x[w]));
  for (int w = N / 2; w < N; w++)
    change = fmax(change, fabs(x[w] - x[N - 1]));
  return change <= 1e-3 * most;
}

/* Copies the windows of members that have not escaped; returns the number that have. */
static long without_escaped(const cst_long_run *r, double *means) {
  long left = 0;
  for (long i = 0; i < r->members; i++) {
    const int gone = r->away && has_left(r, i);
    left += gone;
    for (int w = 0; w < N; w++)
      means[i * N + w] = gone ? NAN : r->means[i * N + w];
  }
  return left;
}

/* True if a change is below a few units in the last place of x and of its terms. */
static int is_below_ulps(const cst_long_run *r) {
  for (long i = 0; i < r->members; i++)
    if (r->largest[i] > ULPS * (of_step(r, i) + of_value(r, i)))
      return 0;
  return 1;
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum { LEAST_WINDOWS = 8, FEW_MEMBERS = 8 };

/* effective members needed to distinguish a random walk from slow noise */
#define WALKERS     12
#define SLOPE       3.0 /* significance in standard deviations from which a slope exists */
#define CLEAR_SLOPE 5.0 /* ... from which it is beyond doubt */
#define OUTLIER     5.0 /* significance of the largest slope of a single member */
#define UNLIKELY    3.1 /* standard deviations: 99.9 % */
/* maximal correlation time of window means, in windows: 16 of them are effectively independent */
#define MEMORY 4.0
/* times 1 + 1/sqrt(members): largest limit over the run, in deviations of a window mean */
#define WIDE   0.75
#define JUMP   6.0  /* deviations of a last window that has jumped */
#define CHANGE 0.15 /* ... and as a part of the largest |x - x(0)| */
#define SWING  0.2  /* ... and as a part of the range of the window means */
/* part of the slow motion that a power must explain to be the drift, without being its law */
#define SHARE   0.8
#define SWOLLEN 2.0 /* least ratio of the squared scatter of the last third to that of the first */
/* strength against noise and a walk without which a slope may be that of slow noise */
#define STRENGTH       14.0
#define SOME_MEMBERS   2.5 /* more effective members measure the memory of their noise without it */
#define STRENGTH_PATHS 3.0
/* significance of the scatter of slopes below which it is that of the noise */
#define ALIKE  1.0
#define KINDS  7 /* tests for a drift, of which the best counts */
#define ALPHAS 8 /* independent powers among those that are tried */
/* strength from which a power is preferred to a walk: four errors, as rms over members */
#define STRONG       16.0
#define STRONG_ONE   16.0 /* added for a single member */
#define STRONG_MEAN  25.0 /* strength of the mean over members */
#define STRONG_PATHS 6.0  /* ... and the strength of the paths required with it */
#define NARROW       0.75 /* maximal width of an exponent's interval */
#define BLUR                                                                                       \
  0.03 /* largest error of a bend, as a part of a line, with which a line is known from a curve */
/* a change that is over exceeds so many ranges of the last half; the range is beyond its own test where it is less than
 * this part of the change */
#define RANGES       4.0
#define AT_REST      1e-3
#define BEYOND_DOUBT 99.0 /* deviations, where there is no noise */
#define LARGE        0.25 /* part of its terms by which nothing bounded changes */

const char *const cst_growth_verdict_names[CST_VERDICTS] = {
    "exact",    "frozen",    "bounded",     "random-walk",
    "linear",   "quadratic", "exponential", "linear (round-off)",
    "escaped",  "failed",    "drifts",      "settled",
    "undecided"};
const char *const cst_growth_why_names[CST_WHYS] = {"",           "few-windows", "wide",
                                                    "one-member", "swelling",    "weak",
                                                    "between",    "no-power",    "not-finite"};

/* The evidence for a verdict. */
typedef struct {
  cst_slopes     slopes;
  cst_power_fit  path, mean; /* fits to the paths of the members, and to their mean */
  cst_rms_growth rms;
  double         monotone; /* significance of paths that never go back */
  double         levels;   /* significance of a change from one level to another */
  int            jumps;    /* in the last window, after which none shows whether it stays */
  double         members, end;
  double         largest; /* largest |x - x(0)|, rms over members */
  double         swing;   /* range of the window means, rms over members */
} evidence;

/* ---- what there is to judge ------------------------------------------------------------------ */

static int windows_in_use(const double *means, long members) {
  int windows = 0;
  for (int w = 0; w < N; w++) {
    int used = 0;
    for (long i = 0; i < members && !used; i++)
      used = isfinite(means[i * N + w]);
    windows += used;
  }
  return windows;
}

static long members_in_use(const double *means, long members) {
  long n = 0;
  for (long i = 0; i < members; i++)
    n += isfinite(means[i * N]);
  return n;
}

/* ---- the verdicts ---------------------------------------------------------------------------- */

static int holds(double low, double high, double power) { return low <= power && power <= high; }

/* True if the interval lies above bounded and holds exactly one of the possible powers: 1 and 2, and 1/2
 * where random walks have not been ruled out. */
static int holds_only(double low, double high, double power, int walks) {
  const int count = (walks && holds(low, high, 0.5)) + holds(low, high, 1) + holds(low, high, 2);
  return low > 0.25 && count == 1 && holds(low, high, power);
}

/* The power that is preferred to a walk: of the members' paths, or of their mean if the paths do not
 * contradict it. NULL: none. */
static const cst_power_fit *strong_power(const evidence *e) {
  if (e->path.strength > STRONG + STRONG_ONE / e->slopes.independent)
    return &e->path;
  if (e->mean.strength > STRONG_MEAN && e->path.strength > STRONG_PATHS)
    return &e->mean;
  return NULL;
}

static cst_why why_no_law(const cst_power_fit *p, int line, int square) {
  if (p->misfit > SLOPE)
    return CST_WHY_NO_POWER;
  if (line && p->bend > SLOPE)
    return CST_WHY_NO_POWER;
  if (!holds(p->low, p->high, 1) && !holds(p->low, p->high, 2))
    return CST_WHY_BETWEEN;
  if (!line && !square)
    return CST_WHY_WEAK;
  return CST_WHY_NONE;
}

static cst_verdict law_of(const cst_power_fit *p, cst_why *why) {
  const int narrow = p->high - p->low < NARROW && p->blur < BLUR;
  const int line = holds_only(p->low, p->high, 1, 0) && narrow;
  const int square = holds_only(p->low, p->high, 2, 0) && narrow;
  *why = why_no_law(p, line, square);
  if (*why != CST_WHY_NONE)
    return CST_UNDECIDED;
  return line ? CST_LINEAR : CST_QUADRATIC;
}

static int drifts(const evidence *e) {
  return fabs(e->slopes.normal) > SLOPE || e->slopes.spread > UNLIKELY || strong_power(e);
}

static int is_walk(const evidence *e) {
  const cst_rms_growth *g = &e->rms;
  return e->slopes.independent >= WALKERS && fabs(e->slopes.normal) < SLOPE &&
         holds_only(g->low, g->high, 0.5, 1) && g->rough > 0.6 && g->rough < 6;
}

/* Significance of the drift that a power describes, if it describes the slow motion at all. */
static double drift_of_power(const cst_power_fit *p, double independent) {
  if (!(p->share > SHARE))
    return 0;
  const double z = cst_significance_of_f(p->strength, independent, independent * (N - 3));
  return cst_growth_best_of(z, ALPHAS);
}

/* True if fewer than 16 windows are effectively independent. */
static int is_slow(const cst_slopes *s) { return fmax(s->memory, s->slowest) > MEMORY; }

/* The significance of a drift of the mean or of the rms over members, whatever its law; one-sided. Slopes are
 * compared with noise whose memory has been measured, which needs 16 effective windows. */
static double drift_of(const evidence *e) {
  const cst_slopes    *s = &e->slopes;
  const cst_power_fit *p = strong_power(e);
  double               most = fmax(e->monotone, e->levels);
  if (p)
    most = fmax(most, drift_of_power(p, p == &e->path ? s->independent : 1));
  const double scatter = fmin(s->spread, s->near);
  const double slope = s->scatter < ALIKE ? s->in_time : s->normal;
  const int    many = s->independent >= FEW_MEMBERS;
  const int    some = s->independent > SOME_MEMBERS;
  const int    slow = is_slow(s);
  if (slow && many) /* the scatter of independent members needs no memory */
    most = fmax(most, cst_growth_one_sided(s->normal));
  if (!slow) {
    if (some || e->mean.strength > STRENGTH || e->path.strength > STRENGTH)
      most = fmax(most, cst_growth_one_sided(slope));
    if (s->independent > 2 && e->path.strength > STRENGTH_PATHS)
      most = fmax(most, scatter);
    if (some)
      most = fmax(most, cst_growth_best_of(cst_growth_one_sided(s->outlier), e->members));
  }
  return cst_growth_best_of(most, KINDS);
}

/* Why growth cannot be excluded. */
static cst_why why_not_settled(const evidence *e) {
  const cst_slopes *s = &e->slopes;
  const double      windows = WIDE * (1 + 1 / sqrt(s->independent)) * s->deviation;
  const double      range = fmax(SWING * e->swing, CHANGE * e->largest);
  const double      room = fmax(windows, range);
  const int         one = e->members > 1 && s->outlier > OUTLIER && s->steepest * e->end > room;
  cst_why           why = CST_WHY_NONE;
  if (strong_power(e))
    law_of(strong_power(e), &why);
  if (why == CST_WHY_WEAK && is_slow(s))
    why = CST_WHY_FEW_WINDOWS;
  if (s->limit * e->end > room && why != CST_WHY_NONE)
    return why;
  if (one)
    return CST_WHY_ONE_MEMBER;
  if (s->swell > UNLIKELY && s->swollen > SWOLLEN)
    return CST_WHY_SWELLING;
  if (e->jumps)
    return CST_WHY_WEAK;
  if (s->memory > MEMORY && e->members < FEW_MEMBERS)
    return CST_WHY_FEW_WINDOWS;
  if (s->limit * e->end <= room && !(fabs(s->normal) > SLOPE))
    return CST_WHY_NONE;
  if (is_slow(s))
    return CST_WHY_FEW_WINDOWS;
  return drifts(e) ? CST_WHY_WEAK : CST_WHY_WIDE;
}

/* The law of the growth, where one is told; otherwise bounded, if growth can be excluded. */
static cst_verdict judge(const evidence *e, cst_why *why) {
  const cst_power_fit *p = strong_power(e);
  cst_verdict          law = CST_UNDECIDED;
  *why = CST_WHY_NONE;
  if (e->rms.is_exponential)
    return CST_EXPONENTIAL;
  if (p)
    law = law_of(p, why);
  if (law != CST_UNDECIDED)
    return law;
  if (!p && is_walk(e))
    return CST_RANDOM_WALK;
  *why = why_not_settled(e);
  return *why == CST_WHY_NONE ? CST_BOUNDED_VERDICT : CST_UNDECIDED;
}

/* Difference of the largest and the smallest window mean, rms over members. */
static double swing_of(const double *means, long members) {
  double sum = 0, count = 0;
  for (long i = 0; i < members; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int w = 0; w < N; w++) {
      low = fmin(low, means[i * N + w]);
      high = fmax(high, means[i * N + w]);
    }
    if (!(high >= low))
      continue;
    sum += (high - low) * (high - low);
    count++;
  }
  return count > 0 ? sqrt(sum / count) : 0;
}

/* The last window is farther from the mean of all others than any of these, by half its distance, and by several
 * deviations, as rms over members. */
static int jumps_at_end(const double *means, long members) {
  double last = 0, most = 0, all = 0, count = 0;
  for (long i = 0; i < members; i++) {
    const double *x = means + i * N;
    double        mean = 0, far = 0, squares = 0;
    for (int w = 0; w < N - 1; w++)
      mean += x[w] / (N - 1);
    for (int w = 0; w < N - 1; w++) {
      far = fmax(far, fabs(x[w] - mean));
      squares += (x[w] - mean) * (x[w] - mean) / (N - 2);
    }
    if (!isfinite(mean) || !isfinite(x[N - 1]))
      continue;
    last += (x[N - 1] - mean) * (x[N - 1] - mean);
    most += far * far;
    all += squares;
    count++;
  }
  return count > 0 && last > JUMP * JUMP * all && last > 2.25 * most;
}

/* Returns 0 if memory is exhausted. */
static int examine(const double *means, long members, double end, evidence *e) {
  const double largest = cst_growth_largest_difference(means, members);
  const double unit = largest > 0 ? largest : 1;
  cst_spectra  s;
  if (!cst_growth_spectra_create(&s, means, members, end, unit))
    return 0;
  e->slopes = cst_growth_slopes_find(&s);
  e->path = cst_growth_power_members(&s, e->slopes.independent);
  e->mean = cst_growth_power_mean(&s);
  e->rms = (cst_rms_growth){NAN, NAN, NAN, 0, NAN};
  if (largest > 0)
    e->rms = cst_growth_rms_find(means, members, unit, e->slopes.independent >= WALKERS);
  e->monotone = cst_growth_monotone(means, members);
  e->levels = largest > 0 ? cst_growth_levels(means, members, unit, e->slopes.independent) : 0;
  e->jumps = jumps_at_end(means, members);
  e->swing = swing_of(means, members);
  e->members = (double)s.members;
  e->end = end;
  cst_growth_spectra_destroy(&s);
  return 1;
}

static void report(const evidence *e, cst_growth *g) {
  const cst_power_fit *p = strong_power(e);
  g->drift = drift_of(e);
  g->slope = e->slopes.slope;
  g->slope_error = e->slopes.error;
  g->slope_rms = e->slopes.rms;
  g->limit = e->slopes.limit;
  if (p)
    g->exponent = p->alpha;
  else
    g->exponent = e->rms.exponent;
  if (p)
    g->low = p->low;
  else
    g->low = e->rms.low;
  if (p)
    g->high = p->high;
  else
    g->high = e->rms.high;
}

/* No drift is detected over the last half of the run, and its noise is not too slow to hide one. */
static int stays(const double *means, long members, double end) {
  double  *half = malloc(sizeof *half * N * (size_t)members);
  evidence e = {0};
  int      still = 0;
  if (!half)
    return 0;
  for (long i = 0; i < members; i++)
    for (int w = 0; w < N; w++)
      half[i * N + w] = w < N / 2 ? means[i * N + N / 2 + w] : NAN;
  if (examine(half, members, end, &e))
    still = !drifts(&e) && !e.rms.is_exponential && !is_slow(&e.slopes) && drift_of(&e) < SLOPE;
  free(half);
  return still;
}

/* x has moved by several of the ranges that it has in the last half, and stays there. */
static int is_settled(const cst_long_run *r, const double *means, const cst_move *m) {
  const double range = r->range ? cst_ensemble_rms(r->range, r->members) : NAN;
  return cst_growth_exceeds(m, RANGES * range) &&
         (range <= AT_REST * m->change || stays(means, r->members, r->end));
}

/* What is conserved has lost or gained a quarter of its terms: whatever it does in the end, it was not bounded. */
static void reject_large(const cst_long_run *r, const cst_move *m, cst_growth *g) {
  const double terms = r->terms ? cst_ensemble_rms(r->terms, r->members) : NAN;
  const int    open = g->verdict == CST_BOUNDED_VERDICT || g->verdict == CST_UNDECIDED;
  if (!open || !cst_growth_exceeds(m, LARGE * terms))
    return;
  if (g->verdict == CST_BOUNDED_VERDICT)
    g->why = CST_WHY_NO_POWER;
  g->verdict = CST_UNDECIDED;
  g->drift = fmax(g->drift, fmin(m->change / m->error, BEYOND_DOUBT));
}

/* The verdict at the level of round-off: growth is reported only beyond doubt. */
static cst_verdict growing_round_off(const evidence *e) {
  cst_why           why;
  const cst_verdict v = judge(e, &why);
  if (!(fabs(e->slopes.normal) > CLEAR_SLOPE))
    return CST_EXACT;
  if (v == CST_LINEAR)
    return CST_LINEAR_ROUND_OFF;
  if (v == CST_EXPONENTIAL || v == CST_QUADRATIC)
    return v;
  return CST_EXACT;
}

static int is_law(cst_verdict v) {
  return v == CST_LINEAR || v == CST_QUADRATIC || v == CST_RANDOM_WALK || v == CST_EXPONENTIAL;
}

/* The verdict of the first pass. e: without members where there are not enough windows. */
static cst_verdict verdict_of(const cst_long_run *r, const evidence *e, int enough, int mostly_left,
                              int settled, cst_why *why) {
  *why = CST_WHY_NONE;
  if (is_frozen(r))
    return CST_FROZEN;
  if (is_exact(r))
    return enough && is_visible(r) ? growing_round_off(e) : CST_EXACT;
  if (mostly_left)
    return CST_ESCAPED;
  if (settled)
    return CST_SETTLED;
  if (enough && is_level(r))
    return CST_BOUNDED_VERDICT;
  if (enough && e->members > 0)
    return judge(e, why);
  *why = CST_WHY_FEW_WINDOWS;
  return CST_UNDECIDED;
}

/* The change at the end over what x is the sum of. */
static double change_at_end(const cst_long_run *r) {
  const double terms = r->terms ? cst_ensemble_rms(r->terms, r->members) : NAN;
  const double scale = terms > 0 ? terms : cst_ensemble_rms(r->scale, r->members);
  return r->last ? cst_ensemble_rms(r->last, r->members) / scale : NAN;
}

static void conclude(const cst_long_run *r, const evidence *e, const double *means, int enough,
                     int mostly_left, cst_growth *g) {
  const cst_move move = cst_growth_move(means, r->members, r->end);
  const int      settled = enough && is_settled(r, means, &move);
  g->verdict = verdict_of(r, e, enough, mostly_left, settled, &g->why);
  if (g->verdict == CST_SETTLED) {
    g->change = move.change;
    g->at = move.at;
  }
  if (is_law(g->verdict))
    g->law = g->verdict;
  if (g->verdict == CST_LINEAR_ROUND_OFF) {
    g->law = CST_LINEAR;
    g->by_round_off = is_below_ulps(r) ? CST_ROUND_OFF_SURE : CST_ROUND_OFF_PERHAPS;
  }
  /* only a change that may be growth can drift */
  const int open = g->verdict == CST_UNDECIDED || g->verdict == CST_BOUNDED_VERDICT;
  if (!open || is_level(r))
    g->drift = 0;
  if (enough)
    reject_large(r, &move, g);
}

cst_growth cst_growth_estimate(const cst_long_run *r) {
  cst_growth g = {.verdict = CST_UNDECIDED,
                  .why = CST_WHY_FEW_WINDOWS,
                  .law = CST_UNDECIDED,
                  .exponent = NAN,
                  .low = NAN,
                  .high = NAN,
                  .slope = NAN,
                  .slope_error = NAN,
                  .slope_rms = NAN,
                  .limit = NAN,
                  .change = NAN,
                  .at = NAN,
                  .end_change = change_at_end(r)};
  double    *means = malloc(sizeof *means * N * (size_t)(r->members > 0 ? r->members : 1));
  evidence   e = {.largest = cst_ensemble_rms(r->largest, r->members)};
  if (means && !is_finite(r))
    g.why = CST_WHY_NOT_FINITE;
  if (!means || g.why == CST_WHY_NOT_FINITE) {
    free(means);
    return g;
  }
  const long left = without_escaped(r, means);
  const long stay = members_in_use(means, r->members);
  const int  enough =
      windows_in_use(means, r->members) >= LEAST_WINDOWS && examine(means, r->members, r->end, &e);
  if (enough && e.members > 0)
    report(&e, &g);
  conclude(r, &e, means, enough, left > stay, &g);
  free(means);
  return g;
}

/* ---- the pass over a table ------------------------------------------------------------------- */

/* Drifts. If n verdicts are tested, chance alone makes one of them significant at the level 1 % / n with a
 * probability of at most 1 %, whatever their dependence (Bonferroni). A drift is told at this level.
 *
 * Round-off. Errors of rounding add up per step: with half the step there are twice as many, and the growth
 * per unit of time increases by a factor of sqrt 2 to 2. The drift of a method of order p decreases by 2^-p.
 * Growth that exceeds a few units in the last place is therefore round-off only if a smaller step in the
 * table makes it no smaller; for the smallest step, if it is no smaller than with the next larger one.
 */

#define LEVEL   0.01 /* probability of a false drift in a table */
#define SMALLER 0.8  /* a growth below this part of that at the larger step has become smaller */

/* Abramowitz and Stegun 26.2.23, accurate to 5e-4. */
double cst_growth_threshold(long n) {
  const double t = sqrt(-2 * cst_elementary_log(LEVEL / (double)(n > 1 ? n : 1)));
  const double above = 2.515517 + t * (0.802853 + t * 0.010328);
  const double below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - above / below;
}

static int is_as_steep(const cst_growth *fine, const cst_growth *coarse) {
  return fabs(fine->slope) >= SMALLER * fabs(coarse->slope);
}

static int is_round_off(const cst_growth *g, const cst_growth *finer, const cst_growth *coarser) {
  if (g->by_round_off == CST_ROUND_OFF_SURE)
    return 1;
  if (finer)
    return is_as_steep(finer, g);
  return coarser && is_as_steep(g, coarser);
}

/* Why the law of a drift is not told. What kept the observable from being bounded is no reason. */
static cst_why why_drifts(cst_why why) {
  const int of_bounds = why == CST_WHY_NONE || why == CST_WHY_WIDE || why == CST_WHY_SWELLING;
  return of_bounds ? CST_WHY_WEAK : why;
}

void cst_growth_conclude(cst_growth *g, const cst_growth *finer, const cst_growth *coarser,
                         long n) {
  if (g->drift > cst_growth_threshold(n)) {
    g->verdict = CST_DRIFTS;
    g->why = why_drifts(g->why);
  }
  if (g->verdict == CST_LINEAR_ROUND_OFF && !is_round_off(g, finer, coarser))
    g->verdict = CST_LINEAR;
}
