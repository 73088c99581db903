/* growth.c: decides whether an observable stays bounded, or how its error grows over a long time.
 * docs/verdicts.md defines the verdicts.
 *
 * They are tried in this order: not finite, frozen, exact, too few windows, escaped; settled; exponential; a power
 * of time along the paths (linear, quadratic); a random walk; bounded; otherwise undecided, with the first
 * reason that holds. Every other verdict needs positive evidence, so there is a margin between verdicts in
 * which none is given.
 *
 * That is the pass over one observable of one case. The pass over a table (growth-table.c) then gives the
 * verdict `drifts` and tells round-off from truncation, from the numbers found here.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth.h"
#include <math.h>
#include <stdlib.h>

enum { N = CST_WINDOWS, LEAST_WINDOWS = 8, FEW_MEMBERS = 8 };

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

/* ---- what there is to judge ------------------------------------------------------------------- */

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

/* ---- the verdicts ------------------------------------------------------------------------------ */

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
  if (cst_growth_is_frozen(r))
    return CST_FROZEN;
  if (cst_growth_is_exact(r))
    return enough && cst_growth_is_visible(r) ? growing_round_off(e) : CST_EXACT;
  if (mostly_left)
    return CST_ESCAPED;
  if (settled)
    return CST_SETTLED;
  if (enough && cst_growth_is_level(r))
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
    g->by_round_off = cst_growth_is_below_ulps(r) ? CST_ROUND_OFF_SURE : CST_ROUND_OFF_PERHAPS;
  }
  /* only a change that may be growth can drift */
  const int open = g->verdict == CST_UNDECIDED || g->verdict == CST_BOUNDED_VERDICT;
  if (!open || cst_growth_is_level(r))
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
  if (means && !cst_growth_is_finite(r))
    g.why = CST_WHY_NOT_FINITE;
  if (!means || g.why == CST_WHY_NOT_FINITE) {
    free(means);
    return g;
  }
  const long left = cst_growth_without_escaped(r, means);
  const long stay = members_in_use(means, r->members);
  const int  enough =
      windows_in_use(means, r->members) >= LEAST_WINDOWS && examine(means, r->members, r->end, &e);
  if (enough && e.members > 0)
    report(&e, &g);
  conclude(r, &e, means, enough, left > stay, &g);
  free(means);
  return g;
}
