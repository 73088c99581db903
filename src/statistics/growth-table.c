/* growth-table.c: the pass over the verdicts of a table, after the pass over single ones (growth.c).
 *
 * Drifts. If n verdicts are tested, chance alone makes one of them significant at the level 1 % / n with a
 * probability of at most 1 %, whatever their dependence (Bonferroni). A drift is told at this level.
 *
 * Round-off. Errors of rounding add up per step: with half the step there are twice as many, and the growth
 * per unit of time increases by a factor of sqrt 2 to 2. The drift of a method of order p decreases by 2^-p.
 * Growth that exceeds a few units in the last place is therefore round-off only if a smaller step in the
 * table makes it no smaller; for the smallest step, if it is no smaller than with the next larger one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "constella/statistics.h"
#include <math.h>

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
static cst_why why_no_law(cst_why why) {
  const int of_bounds = why == CST_WHY_NONE || why == CST_WHY_WIDE || why == CST_WHY_SWELLING;
  return of_bounds ? CST_WHY_WEAK : why;
}

void cst_growth_conclude(cst_growth *g, const cst_growth *finer, const cst_growth *coarser,
                         long n) {
  if (g->drift > cst_growth_threshold(n)) {
    g->verdict = CST_DRIFTS;
    g->why = why_no_law(g->why);
  }
  if (g->verdict == CST_LINEAR_ROUND_OFF && !is_round_off(g, finer, coarser))
    g->verdict = CST_LINEAR;
}
