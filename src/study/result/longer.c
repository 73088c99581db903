/* longer.c: converts rows at the end of a run into rows in the middle of a longer run (see longer.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/longer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper.h"

bool cst_longer_fills(const cst_plan *now, const cst_class *from, const cst_class *to) {
  const long ratio = to->n / from->n;
  return !cst_study_needs(now->study, CST_NEEDS_WINDOWS) ||
         (to->n % from->n == 0 && !(ratio & (ratio - 1)) && ratio <= CST_WINDOWS);
}

const char *cst_longer_refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                              const cst_class *to) {
  static char text[256];
  if (to->observe != from->observe) {
    snprintf(text, sizeof text,
             "a run of that length is observed at one step in %ld, not in %ld; with `observe: "
             "every` both "
             "are alike",
             to->observe, from->observe);
    return text;
  }
  if (to->read != from->read && old->study->over != CST_OVER_END)
    return "errors are read at other steps";
  return cst_longer_fills(now, from, to) ? NULL : "its old windows would not fill new ones";
}

int cst_longer_sample(const cst_class *from, const cst_class *to, int sample) {
  int low = 0, high = to->nsample;
  if (from->sample[sample] >= from->n)
    return -1;
  while (low < high) {
    const int half = (low + high) / 2;
    if (to->sample[half] < from->sample[sample])
      low = half + 1;
    else
      high = half;
  }
  return low < to->nsample && to->sample[low] == from->sample[sample] ? low : -1;
}

cst_position cst_longer_position(const cst_plan *now, const cst_class *to, const double *row) {
  const long   step = (long)row[CST_LONGER_STEP];
  cst_position at = cst_plan_position(now, to, step - 1);
  at.step = step;
  at.half_step = (long)row[CST_LONGER_HALF_STEP];
  return at;
}

bool cst_longer_alike(const double *a, const double *b) {
  return a[CST_LONGER_STEP] == b[CST_LONGER_STEP] &&
         a[CST_LONGER_HALF_STEP] == b[CST_LONGER_HALF_STEP] &&
         a[CST_LONGER_NUMBERS] == b[CST_LONGER_NUMBERS];
}

void cst_longer_seal(double *row) {
  row[CST_LONGER_HEAD + (long)row[CST_LONGER_NUMBERS]] = row[CST_LONGER_STEP];
}

/* ---- kept numbers of a row ------------------------------------------------------------------- */

static bool is_kept(const cst_channel *c) { return *c->field.path && c->count && c->kept; }

/* Offset of a channel among the kept numbers; -1: not kept. */
static long place_of(const cst_channels *x, const cst_channel_row *row, int which) {
  const cst_channel *wanted = cst_channels_find(x, row, which);
  long               at = 0;
  for (int k = 0; wanted && k < x->n; k++) {
    if (&x->channel[k] == wanted)
      return is_kept(wanted) ? at : -1;
    if (is_kept(&x->channel[k]))
      at += (long)x->channel[k].count;
  }
  return -1;
}

/* Merges the window means of the old run, and the sum of the open window, into those of the new run; `ratio`
 * old windows make one new window. */
static void join_windows(const cst_plan *p, const cst_class *from, const cst_plan *now,
                         const cst_class *to, const double *old, double *made, double *sum) {
  const long   ratio = to->n / from->n;
  cst_position was = cst_plan_position(p, from, from->n - 1);
  cst_position is = cst_plan_position(now, to, from->n - 1);
  for (int w = 0; w < CST_WINDOWS; w++)
    made[w] = NAN;
  for (long w = 0; w <= is.window; w++) {
    double all = 0, count = 0;
    for (long i = ratio * w; i < ratio * (w + 1) && i <= was.window; i++) {
      const double folds =
          i == was.window ? (double)was.in_window : (double)cst_plan_window_folds(from, i);
      if (folds == 0)
        continue;
      all += i == was.window ? *sum : old[i] * folds;
      count += folds;
    }
    if (w == is.window) {
      *sum = all;
      return;
    }
    made[w] = count > 0 ? all / count : NAN;
  }
}

static void convert_samples(const cst_plan *p, const cst_class *from, const cst_plan *now,
                            const cst_class *to, const double *old, double *made) {
  const long numbers = (long)now->nquantity * now->most_samples;
  for (long i = 0; i < numbers; i++)
    made[i] = NAN;
  for (int s = 0; s < from->nsample; s++) {
    const int there = cst_longer_sample(from, to, s);
    if (there < 0)
      continue;
    for (long k = 0; k < p->nquantity; k++)
      made[k * now->most_samples + there] = old[k * p->most_samples + s];
  }
}

static long kept_numbers(const cst_channels *c) {
  long n = 0;
  for (int k = 0; k < c->n; k++)
    if (is_kept(&c->channel[k]))
      n += (long)c->channel[k].count;
  return n;
}

/* True if x is a whole number from `least` to `most`. */
static bool is_whole(double x, long least, long most) {
  return x >= (double)least && x <= (double)most && x == (double)(long)x;
}

/* True if the numbers begin with a state, and with that of the partner behind it if there is one. */
static bool is_state(const double *row, long steps, long numbers, bool partner) {
  const double *x = row + CST_LONGER_HEAD;
  if (!partner)
    return numbers > 1 && cst_batch_is_state(x, steps);
  return numbers > 3 && numbers % 2 == 0 && cst_batch_is_state(x, steps) &&
         cst_batch_is_state(x + numbers / 2, 2 * steps);
}

bool cst_longer_check(const cst_channels *old, const cst_class *from, const cst_channels *now,
                      const double *row, char *why, size_t n) {
  const long kept = kept_numbers(old);
  const long state = cst_plan_state_numbers(old->plan); /* of the longest row */
  const bool self = old->plan->study->reference == CST_REFERENCE_SELF;
  const long partner = self ? 2 * from->n : 0;
  *why = 0;
  if (!is_whole(row[CST_LONGER_STEP], from->n, from->n))
    snprintf(why, n, "its step is %.17g, and the trajectory ended at %ld", row[CST_LONGER_STEP],
             from->n);
  else if (!is_whole(row[CST_LONGER_HALF_STEP], 0, partner))
    snprintf(why, n, "its step with half the step size is %.17g; possible are 0 to %ld",
             row[CST_LONGER_HALF_STEP], partner);
  else if (!is_whole(row[CST_LONGER_NUMBERS], kept + 1,
                     kept + PetscMin(state, cst_plan_state_numbers(now->plan))))
    snprintf(why, n, "its count of numbers is %.17g; possible are %ld to %ld",
             row[CST_LONGER_NUMBERS], kept + 1, kept + state);
  else if (row[CST_LONGER_HEAD + (long)row[CST_LONGER_NUMBERS]] != row[CST_LONGER_STEP])
    snprintf(why, n, "it is incomplete");
  else if (!is_state(row, from->n, (long)row[CST_LONGER_NUMBERS] - kept, self))
    snprintf(why, n, "its numbers are not a state of a trajectory");
  return !*why;
}

void cst_longer_convert(const cst_channels *old, const cst_class *from, const cst_channels *now,
                        const cst_class *to, const double *row, double *made) {
  const cst_plan *p = old->plan, *q = now->plan;
  const long      states = CST_LONGER_HEAD + (long)row[CST_LONGER_NUMBERS] - kept_numbers(old);
  const double   *x = row + states;
  double         *y = made + states;
  memcpy(made, row, sizeof *made * (size_t)states);
  made[CST_LONGER_NUMBERS] = (double)(states - CST_LONGER_HEAD + kept_numbers(now));
  for (int k = 0; k < now->n; k++) {
    const cst_channel *c = &now->channel[k];
    if (!is_kept(c))
      continue;
    const long there = place_of(old, c->row, c->which);
    const long here = place_of(now, c->row, c->which);
    if (there < 0)
      continue;
    if (c->row == &cst_channel_samples)
      convert_samples(p, from, q, to, x + there, y + here);
    else if (c->row == &cst_channel_error && q->study->over == CST_OVER_END)
      memset(y + here, 0, sizeof *y * c->count);
    else if (c->row != &cst_channel_windows)
      memcpy(y + here, x + there, sizeof *y * c->count);
  }
  double *accumulators = y + place_of(now, &cst_channel_accumulators, 0);
  for (int k = 0; k < q->nquantity; k++) {
    const long there = place_of(old, &cst_channel_windows, k);
    const long here = place_of(now, &cst_channel_windows, k);
    double    *sum = accumulators + (long)k * CST_SLOTS + CST_SLOT_SUM;
    if (there >= 0)
      join_windows(p, from, q, to, x + there, y + here, sum);
  }
}
