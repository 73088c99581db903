/* statistics.h: conclusions from numbers: orders of convergence with confidence, verdicts on long-time
 * behaviour.
 *
 * Pure functions of arrays; no I/O, no state; deterministic (the bootstrap draws from the project's
 * counter-based generator with a fixed key), independent of ranks and batches.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_STATISTICS_H
#define CONSTELLA_STATISTICS_H
#include <stdbool.h>

/* ---- order of convergence ---- */
typedef enum {
  CST_FLAG_OK,
  CST_FLAG_PRE_ASYMPTOTIC,
  CST_FLAG_PLATEAU,
  CST_FLAG_TOO_FEW,
  CST_FLAG_RETURNS,
  CST_FLAG_CONTRADICTS,
  CST_FLAG_NO_REFERENCE, /* too few, because members have no finite reference; set by order studies */
  CST_FLAGS
} cst_order_flag;
extern const char *const cst_order_flag_names[CST_FLAGS];

typedef struct {
  double order, low,
      high; /* NaN where fewer than two steps are above the floors, or nothing converges */
  cst_order_flag flag;
  int first, last; /* the window of steps used, indices into the arrays sorted by decreasing h */
} cst_order_fit;

/* Weighted fit of log error against log h over an automatically found asymptotic window above round-off. h[n]
 * decreasing; error[n] >= 0 or NaN (failed); floor[n]: an estimate of the round-off in each error, or of
 * another known lower limit (an error below 10 floor[i] is not used). Where the finest errors no longer
 * shrink, their level is a floor too (docs/orders.md). */
cst_order_fit cst_order_estimate(const double *h, const double *error, const double *floor, int n);
/* The flag of a fit, given the order that the method claims (0: none). returns: the errors are those at the
 * end only, where the motion is back at its start, so that they may have another order, for instance twice
 * that of the method. An ok whose interval does not contain the claimed order becomes returns or contradicts;
 * where no order is claimed it becomes returns or stays ok. */
cst_order_flag cst_order_judge(const cst_order_fit *fit, int claimed, int returns);

/* ---- work against precision ---- */
/* The work with which the error falls to `accuracy`. error[n], work[n] of steps that shrink; NaN: failed. Between
 * the last two steps of which one is above it and the next is not, log work is linear in log error. If none is
 * above it: the work of the coarsest step, of which less may do. NaN: it is not reached. */
double cst_work_at(const double *error, const double *work, int n, double accuracy);

/* ---- long-time behaviour ---- */
/* docs/verdicts.md defines every verdict and shows how often each is right. */
enum { CST_WINDOWS = 64 };
typedef enum {
  CST_EXACT,
  CST_FROZEN,
  CST_BOUNDED_VERDICT,
  CST_RANDOM_WALK,
  CST_LINEAR,
  CST_QUADRATIC,
  CST_EXPONENTIAL,
  CST_LINEAR_ROUND_OFF,
  CST_ESCAPED,
  CST_FAILED,
  CST_DRIFTS,
  CST_SETTLED,
  CST_UNDECIDED,
  CST_VERDICTS
} cst_verdict;
/* exact frozen bounded random-walk linear quadratic exponential linear (round-off) escaped failed drifts settled
 * undecided */
extern const char *const cst_growth_verdict_names[CST_VERDICTS];

/* Why a verdict is undecided, or why the law of a drift is not told. */
typedef enum {
  CST_WHY_NONE,
  /* fewer than eight windows have a mean, or fewer than 16 are effectively independent: the run is too
   * short for its slowest motion */
  CST_WHY_FEW_WINDOWS,
  CST_WHY_WIDE, /* there is no significant drift, but one as large as the scatter of windows is not excluded
                 */
  CST_WHY_ONE_MEMBER, /* one member drifts, the others do not */
  CST_WHY_SWELLING,   /* no drift, but the scatter grows */
  CST_WHY_WEAK,       /* there is a drift, but its law cannot be determined */
  CST_WHY_BETWEEN,    /* growth with an exponent other than 1/2, 1, 2 */
  CST_WHY_NO_POWER,   /* growth that is not a power of time */
  CST_WHY_NOT_FINITE, /* x was infinite or not a number at some time */
  CST_WHYS
} cst_why;
/* "" few-windows wide one-member swelling weak between no-power not-finite */
extern const char *const cst_growth_why_names[CST_WHYS];

/* The data on an observable x of all members of a case; entries of failed members are NaN. */
typedef struct {
  long   members, steps;
  double end;
  /* [members][CST_WINDOWS]: mean of x - x(0) over each of 64 equal windows of [0, end]; NaN:
   * window empty */
  const double *means;
  const double *largest; /* [members]: max |x - x(0)| */
  const double *scale;   /* [members]: typical size of the terms that x is the sum of */
  const double *start;   /* [members]: x(0) */
  const double *last;    /* [members]: x(end) - x(0) */
  const double *moved;   /* [members]: largest |q - q(0)| over |q(0)| */
  /* [members][CST_WINDOWS]: mean of |q - q(0)| over each window; NULL: unknown; no member then
   * counts as escaped */
  const double *away;
  /* [members]: largest less least x over the last half of the run; NULL: unknown; x is then never settled */
  const double *range;
  /* [members]: the largest sum of the magnitudes of the terms of x, while x had changed by at most half of it; NULL: x is not conserved, or unknown; then no change
   * is too large for x to be bounded */
  const double *terms;
  /* [members]: sizes of which a rounding of the state in a step, and of x where it is evaluated, is a unit in the last
   * place; NULL: scale, and |start| */
  const double *stepped, *evaluated;
} cst_long_run;

/* Whether a linear growth within the limits of round-off is round-off. */
typedef enum {
  CST_ROUND_OFF_NOT,     /* no linear growth, or beyond these limits */
  CST_ROUND_OFF_PERHAPS, /* it is if a smaller step makes it no smaller */
  CST_ROUND_OFF_SURE     /* below a few units in the last place of the terms */
} cst_round_off;

typedef struct {
  cst_verdict verdict;
  cst_why     why;
  /* linear, quadratic, random-walk or exponential where this is told; otherwise CST_UNDECIDED */
  cst_verdict   law;
  cst_round_off by_round_off;
  /* significance of a drift of the mean or of the rms over members, whatever its law, in deviations of a
   * normal distribution, one-sided; 0: none is tested */
  double drift;
  double exponent, low, high; /* of growth, also that of round-off; NaN where there is none */
  double slope,
      slope_error; /* of the mean over members against t, per unit of time, and its standard error */
  double slope_rms; /* root mean square over members of their own slopes */
  double limit;     /* a drift beyond it, per unit of time, is excluded at 95 % */
  double change,
      at; /* settled: how far x has moved from x(0), as rms over members, and when; otherwise NaN */
  double
      end_change; /* |x(end) - x(0)| over its terms, or where these are unknown its scale, both as rms over members */
} cst_growth;

/* What round-off may change the observable of member i by; a larger change is not `exact`. */
double cst_growth_round_off(const cst_long_run *run, long i);
/* The first pass: one observable of one case by itself. It never gives `drifts`. */
cst_growth cst_growth_estimate(const cst_long_run *run);

/* The second pass: *g is one of n verdicts of a table. An undecided or bounded observable becomes `drifts` where
 * its drift is significant at 99 % over all n verdicts together; linear (round-off) becomes linear where the
 * growth is not that of round-off. finer, coarser: what the first pass found with the next smaller and the next
 * larger step, all else being equal; NULL: unknown. */
void cst_growth_conclude(cst_growth *g, const cst_growth *finer, const cst_growth *coarser, long n);
/* Deviations of a normal distribution that one of n independent numbers exceeds with a probability of 1 %. */
double cst_growth_threshold(long n);

/* ---- ensembles ---- */
/* Sums go in the order of the array; NaN entries (failed members) are left out. quantile: linear
 * interpolation, p in [0, 1]. */
double cst_ensemble_mean(const double *x, long n);
double cst_ensemble_rms(const double *x, long n);
void   cst_ensemble_quantiles(const double *x, long n, const double *p, int np, double *out);
/* Of the same numbers: the standard deviation (with n - 1), the standard error of the mean, and that of the
 * rms. NaN below two numbers. */
double cst_ensemble_deviation(const double *x, long n);
double cst_ensemble_mean_error(const double *x, long n);
double cst_ensemble_rms_error(const double *x, long n);
/* Ranks (1 is the smallest, n the largest) of the two of n independent numbers that enclose the p-quantile of
 * their distribution with a probability of at least `level`, for every distribution, with equal tails: low 0
 * or high n + 1 where n numbers do not bound it. */
void cst_ensemble_quantile_ranks(long n, double p, double level, long *low, long *high);
/* Quantiles as by cst_ensemble_quantiles, and their bounds, the numbers of these ranks; NaN: no bound. */
void cst_ensemble_quantile_intervals(const double *x, long n, const double *p, int np, double level,
                                     double *out, double *low, double *high);
/* Least squares slope of y against t; NaN where fewer than two y are numbers. *error (may be NULL): its
 * standard error, which allows for correlated residuals; NaN below three. */
double cst_ensemble_slope(const double *t, const double *y, int n, double *error);

/* ---- time averages ---- */
/* The source of the standard error of a time average; docs/averages.md says how it is computed, and how often
 * it is right. */
typedef enum {
  CST_FROM_WINDOWS,
  CST_FROM_MEMBERS,
  CST_FROM_NOTHING,
  CST_ERROR_SOURCES
} cst_error_source;
/* windows members unknown */
extern const char *const cst_batch_means_source_names[CST_ERROR_SOURCES];

typedef struct {
  double mean;     /* of all numbers of the members that did not fail */
  double variance; /* of the mean; NaN: unknown */
  double freedom;  /* degrees of freedom of this estimate */
  /* its root, widened by Student's t, so that the true value is within 2 errors as often as for
   * a normal distribution */
  double           error;
  cst_error_source source;
  /* the variance of the mean from batches of windows, which gives the autocorrelation time; NaN:
   * unknown */
  double of_windows;
} cst_average;

/* From means over equal windows of independent members, means[members][windows], windows a power of 2. A
 * member without any number is left out; windows are not used where one is empty. */
cst_average cst_batch_means_estimate(const double *means, long members, int windows);
/* The standard error, widened in this way, of a variance with these degrees of freedom. */
double cst_batch_means_error(double variance, double freedom);

/* ---- exact sums ---- */
/* A sum of doubles that depends neither on the order of its terms nor on how they are split: fixed point, 320
 * bits. Terms of magnitude below 2^-200 count as 0 after rounding to a multiple of it; from 2^100 on, or not
 * finite, they make the sum infinite: with the sign of these terms, NaN where both signs or a NaN were added.
 * Starts as {{0}}. The sum itself must stay below 2^119 in magnitude. */
enum { CST_SUM_WORDS = 6 };
typedef struct {
  long word[CST_SUM_WORDS];
} cst_sum;
void   cst_sum_add(cst_sum *s, double x);
void   cst_sum_merge(cst_sum *s, const cst_sum *other);
double cst_sum_value(const cst_sum *s); /* the same for equal sums; not always correctly rounded */
#endif
