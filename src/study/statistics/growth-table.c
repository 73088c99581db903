/* growth-table.c: the pass over all verdicts of a table, after the pass over single ones (growth.c).
 *
 * Drifts. If n verdicts are tested, chance alone makes one of them significant at the level 1 % / n with a
 * probability of at most 1 %, whatever their dependence (Bonferroni). A drift is told at this level.
 *
 * Round-off. Errors of rounding add up per step: with half the step there are twice as many, and the growth
 * per unit of time increases by a factor of sqrt 2 to 2. The drift of a method of order p decreases by 2^-p.
 * Growth that exceeds a few units in the last place is therefore round-off only if a smaller step in the
 * table makes it no smaller.
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

/* The entry with the next smaller step; NULL: none. */
static const cst_growth *finer(const cst_growth_entry *entry, long n, const cst_growth_entry *a) {
  const cst_growth_entry *best = NULL;
  for (long i = 0; i < n; i++) {
    const cst_growth_entry *b = &entry[i];
    if (!b->growth || b->of != a->of || b->steps != a->steps || !(b->step < a->step))
      continue;
    if (!best || b->step > best->step)
      best = b;
  }
  return best ? best->growth : NULL;
}

static int is_round_off(const cst_growth_entry *entry, long n, const cst_growth_entry *a) {
  const cst_growth *next;
  if (a->growth->by_round_off == CST_ROUND_OFF_SURE)
    return 1;
  next = finer(entry, n, a);
  return next && fabs(next->slope) >= SMALLER * fabs(a->growth->slope);
}

void cst_growth_table(const cst_growth_entry *entry, long n) {
  long tested = 0;
  for (long i = 0; i < n; i++)
    tested += entry[i].growth && entry[i].growth->verdict != CST_FAILED;
  const double least = cst_growth_threshold(tested);
  for (long i = 0; i < n; i++) {
    cst_growth *g = entry[i].growth;
    if (!g)
      continue;
    if (g->drift > least)
      g->verdict = CST_DRIFTS;
    if (g->verdict == CST_LINEAR_ROUND_OFF && !is_round_off(entry, n, &entry[i]))
      g->verdict = CST_LINEAR;
  }
}
