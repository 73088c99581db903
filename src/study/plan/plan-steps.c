/* plan-steps.c: the steps of a class at which quantities are observed, averaged, sampled or read. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include "constella/statistics.h"
#include <limits.h>
#include "study/plan/plan.h"

/* Quantities are observed at the steps k j + r, 0 <= r < k, where a new r is drawn for every 32 of them. With
 * a constant r an oscillation over a whole number of steps stands still or creeps, and looks like drift. A
 * new r for each step would turn every oscillation into noise, with five times the effect on a mean over 32.
 */
enum { FOLDS_PER_DRAW = 32 };
static long fold_of(long j, long every) {
  if (j == 0 || every == 1)
    return j * every;
  return j * every +
         (long)(cst_random_uniform(0, (uint64_t)(j / FOLDS_PER_DRAW), CST_PURPOSE_FOLD, 0, 0) *
                (double)every);
}

static long no_later(const cst_class *k, long step) {
  if (step < k->n)
    return step;
  return k->n;
}

long cst_plan_class_fold_next(const cst_class *k, long fold) {
  const long j = fold / k->observe;
  const bool alike = j > 0 && (j + 1) % FOLDS_PER_DRAW != 0;
  return no_later(k, alike ? fold + k->observe : fold_of(j + 1, k->observe));
}

long cst_plan_class_fold_after(const cst_class *k, long step) {
  const long j = step / k->observe;
  const long here = fold_of(j, k->observe);
  return no_later(k, here > step ? here : fold_of(j + 1, k->observe));
}

int cst_plan_class_part(const cst_class *k, long step, int parts) {
  return (int)((__int128)(step - k->after) * parts / (k->n - k->after + 1));
}

void cst_plan_class_part_folds(const cst_class *k, int parts, double *count) {
  for (int i = 0; i < parts; i++)
    count[i] = 0;
  for (long step = k->after ? cst_plan_class_fold_after(k, k->after - 1) : 0;;
       step = cst_plan_class_fold_next(k, step)) {
    count[cst_plan_class_part(k, step, parts)]++;
    if (step == k->n)
      return;
  }
}

/* Number of observations at steps up to `step`; the last one is at n. */
static long folds_until(const cst_class *k, long step) {
  const long before = step < k->n ? step : k->n - 1;
  const long j = before / k->observe;
  if (step < 0)
    return 0;
  return j + (fold_of(j, k->observe) <= before) + (step >= k->n);
}

int cst_plan_class_window(const cst_class *k, long step) {
  const long window = (long)((__int128)step * CST_WINDOWS / k->n);
  return window < CST_WINDOWS ? (int)window : CST_WINDOWS - 1;
}

/* The first step of a window. */
static long first_of(const cst_class *k, long window) {
  return (long)(((__int128)window * k->n + CST_WINDOWS - 1) / CST_WINDOWS);
}

long cst_plan_class_window_end(const cst_class *k, long window) {
  return cst_plan_class_fold_after(k, first_of(k, window + 1) - 1);
}

long cst_plan_window_folds(const cst_class *k, long window) {
  const long last = window + 1 < CST_WINDOWS ? first_of(k, window + 1) - 1 : k->n;
  return folds_until(k, last) - folds_until(k, first_of(k, window) - 1);
}

cst_position cst_plan_position(const cst_plan *p, const cst_class *k, long step) {
  cst_position at = {.step = step, .folds = folds_until(k, step)};
  const long   j = step / k->observe;
  const long   here = no_later(k, fold_of(j, k->observe));
  at.window = cst_plan_class_window(k, step >= k->n   ? k->n
                                       : here <= step ? here
                                                      : fold_of(j - 1, k->observe));
  at.in_window = at.folds - (cst_study_needs(p->study, CST_NEEDS_WINDOWS)
                                 ? folds_until(k, first_of(k, at.window) - 1)
                                 : 0);
  while (at.next_sample < k->nsample && k->sample[at.next_sample] <= step)
    at.next_sample++;
  return at;
}

bool cst_plan_class_reads_states(const cst_class *k, long step) {
  return k->read > 0 && step % k->read == 0;
}
bool cst_plan_class_reads_lambda(const cst_class *k, long step) {
  return k->read > 0 && (step - k->lead) % k->read == 0;
}

int cst_plan_class_sample_after(const cst_class *k, long step) {
  int low = 0, high = k->nsample;
  while (low < high) {
    const int half = (low + high) / 2;
    if (k->sample[half] > step)
      high = half;
    else
      low = half + 1;
  }
  return low;
}

long cst_plan_class_shown_after(const cst_class *k, long step) {
  const int at = k->shown_samples ? cst_plan_class_sample_after(k, step) : k->nsample;
  long      next = at < k->nsample ? k->sample[at] : LONG_MAX;
  if (k->shown_every) {
    const long multiple = (step / k->shown_every + 1) * k->shown_every;
    if (multiple <= k->n && multiple < next)
      next = multiple;
  }
  return next;
}
