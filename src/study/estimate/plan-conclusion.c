/* plan-conclusion.c: what it costs to conclude: the statistics of the finished rows, case by case, and the portions
 * in which ranks share them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/channels/channels.h"
#include "study/plan/plan.h"

/* Nanoseconds, measured: a verdict, that of a momentum, which most methods keep, and more for each group of members
 * that is drawn and for each member; a histogram's bin of a member; a number that is read; one that is sorted, for
 * quantiles; a column. */
static const double verdict = 650e3, of_kept = 100e3, verdict_of_group = 9e3,
                    verdict_of_member = 10e3, of_bin = 3, of_number = 4, of_sorted = 60,
                    of_column = 500;
/* of a portion: so short that ranks end together and a stop is not late */
static const double longest_piece = 50e6;
enum { MOST_CASES = 256, USUAL_COLUMNS = 60, GROUPS = 64, LEAST_WINDOWS = 8 };

/* The share of the cases that are observed often enough for a verdict. */
static double share_examined(const cst_plan *p) {
  double cases = 0;
  for (int k = 0; k < p->nclass; k++)
    if (p->classes[k].n / p->classes[k].observe + 1 >= LEAST_WINDOWS)
      cases += p->classes[k].ncase;
  return p->ncase ? cases / p->ncase : 0;
}

static int judged(const cst_plan *p, const cst_observation *x) {
  int n = 0;
  for (int k = x->first; k < x->first + x->count; k++)
    n += p->quantity[k].judged && p->quantity[k].windows;
  return n;
}

static double verdict_cost(const cst_plan *p) {
  const double members = (double)p->study->members;
  const double of_members = verdict_of_group * fmin(members, GROUPS) + verdict_of_member * members;
  double       sum = 0;
  for (int i = 0; i < p->nobservation && cst_study_needs(p->study, CST_NEEDS_WINDOWS); i++) {
    const cst_observation *x = &p->observation[i];
    const double           each = x->row == CST_OBSERVER(momentum) ? of_kept : verdict;
    sum += judged(p, x) * (each + of_members);
  }
  return sum * share_examined(p);
}

/* Numbers per trajectory in the file. */
static double row_numbers(const cst_plan *p) {
  cst_channels *c = cst_channels_create(p, NULL);
  double        sum = 0;
  for (int k = 0; k < c->n; k++)
    if (c->channel[k].place >= 0)
      sum += (double)c->channel[k].count;
  cst_channels_destroy(c);
  return sum;
}

double cst_plan_conclusion_cost(const cst_plan *p) {
  const double members = (double)p->study->members;
  const double bins = p->collect_bins * p->blocks;
  return verdict_cost(p) + of_column * USUAL_COLUMNS +
         members * (of_bin * bins + of_number * row_numbers(p) + of_sorted * p->nquantity);
}

int cst_plan_conclusion_cases(const cst_plan *p) {
  const int    steps = p->study->nstep;
  const double fit = fmin(MOST_CASES, longest_piece / cst_plan_conclusion_cost(p));
  return (int)fmax(1, floor(fit / steps)) * steps;
}

int cst_plan_conclusion_portions(const cst_plan *p) {
  const int cases = cst_plan_conclusion_cases(p);
  return (p->ncase + cases - 1) / cases;
}
