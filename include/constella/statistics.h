/* statistics.h: conclusions from numbers: orders of convergence with confidence, verdicts on long-time behaviour.
 *
 * Pure functions of arrays; no I/O, no state; deterministic (the bootstrap draws from the project's counter-based generator
 * with a fixed key), independent of ranks and batches.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_STATISTICS_H
#define CONSTELLA_STATISTICS_H

/* ---- order of convergence -------------------------------------------------------------------------------------------- */
typedef enum {
  CST_FLAG_OK,
  CST_FLAG_PRE_ASYMPTOTIC,
  CST_FLAG_PLATEAU,
  CST_FLAG_TOO_FEW,
  CST_FLAG_RETURNS,
  CST_FLAG_CONTRADICTS,
  CST_FLAGS
} cst_order_flag;
extern const char *const cst_order_flag_names[CST_FLAGS];

typedef struct {
  double         order, low, high; /* NaN where fewer than two steps stand above the floors, or nothing converges */
  cst_order_flag flag;
  int            first, last; /* the window of steps used, indices into the arrays sorted by decreasing h */
} cst_order_fit;

/* Weighted fit of log error against log h over an automatically found asymptotic window above round-off. h[n] decreasing; error[n] >= 0 or
 * NaN (failed); floor[n]: an estimate of the round-off in each error, or of what else is known to end it (below 10 floor[i] an error is
 * not used). Where the finest errors no longer shrink, their level is a floor too (docs/orders.md). */
cst_order_fit cst_order_estimate(const double *h, const double *error, const double *floor, int n);
/* The flag of a fit beside the order that the method claims (0: none). returns: errors are those of the end alone, where the motion is back
 * at its start, so that an order of their own, twice the method's say, is no surprise. An ok whose interval does not hold what is claimed
 * is returns or contradicts; where nothing is claimed it is returns or stays ok. */
cst_order_flag cst_order_judge(const cst_order_fit *fit, int claimed, int returns);

/* ---- long-time behaviour ---------------------------------------------------------------------------------------------- */
enum { CST_WINDOWS = 64 };
typedef enum {
  CST_EXACT,
  CST_FROZEN,
  CST_BOUNDED_VERDICT,
  CST_RANDOM_WALK,
  CST_LINEAR,
  CST_QUADRATIC,
  CST_EXPONENTIAL,
  CST_UNDECIDED,
  CST_VERDICTS
} cst_verdict;
extern const char *const cst_verdict_names[CST_VERDICTS]; /* exact frozen bounded random-walk linear quadratic exponential undecided */

typedef struct {
  cst_verdict verdict;
  double      exponent, low, high; /* of growth of rms D_w against t, be it round-off; NaN where there is none */
  double      slope, slope_error;  /* of the mean over members of D_w against t, per unit of time, and its standard error */
} cst_growth;

/* means[member][CST_WINDOWS]: mean of the observable over each of 64 equal windows of [0, end] (NaN: window empty or member failed).
 * m[member] = max |x - x0|; scale: S; n: steps; moved[member]: largest displacement relative to the start's scale. */
cst_growth cst_growth_estimate(const double *means, const double *m, const double *moved, long members, double end, double scale, long n);

/* ---- ensembles --------------------------------------------------------------------------------------------------------- */
/* In the order of the array; NaN entries (failed members) are left out. quantile: linear interpolation, p in [0, 1]. */
double cst_mean(const double *x, long n);
double cst_rms(const double *x, long n);
void   cst_quantiles(const double *x, long n, const double *p, int np, double *out);
/* Least squares slope of y against t; NaN where fewer than two y are numbers. *error (may be NULL): its standard error, which allows for
 * correlated residuals; NaN below three. */
double cst_slope(const double *t, const double *y, int n, double *error);

/* ---- exact sums --------------------------------------------------------------------------------------------------------- */
/* A sum of doubles that does not depend on the order of its terms nor on how they were split: fixed point, 320 bits. Terms of magnitude
 * below 2^-200 count as 0 after rounding to a multiple of it; from 2^80 on, or not finite, they make the sum infinite: with the sign of
 * these terms, NaN where both signs or a NaN were added. Starts as {{0}}. The sum itself must stay below 2^119 in magnitude. */
enum { CST_SUM_WORDS = 6 };
typedef struct {
  long word[CST_SUM_WORDS];
} cst_sum;
void   cst_sum_add(cst_sum *s, double x);
void   cst_sum_merge(cst_sum *s, const cst_sum *other);
double cst_sum_value(const cst_sum *s); /* correctly rounded is not promised; the same for equal sums is */
#endif
