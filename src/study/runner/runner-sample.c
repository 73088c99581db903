/* runner-sample.c: sampling of a running batch: accumulators of every quantity, windows of the drift, samples
 * of the series. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/runner/runner-internal.h"
#include "study/plan/clock.h"

/* Set once for all groups: per group, lanes would be read as a vector just after being written one by one. */
static void set_time(cst_runner *r) {
  const double t = cst_clock_at(r->cohort, (double)r->b->step);
  if (r->time[0] == t)
    return;
  for (int l = 0; l < r->width; l++)
    r->time[l] = t;
}

/* The view of a group, without what depends on its state. */
static cst_view view_of(const cst_runner *r, int group, cst_keep keep) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->system;
  const int         nq = s->nq;
  const double     *record = cst_runner_record(r, group);
  const int         W = r->width;
  double           *v = r->scratch;
  double           *lambda = v + nq * W;
  double           *more = lambda + (s->ng + 1) * W;
  return (cst_view){.context = cst_stepper_context(r->st),
                    .record = record,
                    .q0 = r->q0 + (size_t)group * (size_t)nq * (size_t)W,
                    .v = v,
                    .lambda = lambda,
                    .time = r->time,
                    .scratch = more + W,
                    .isa = p->isa,
                    .alive = r->b->alive[group],
                    .keep = keep,
                    .freedom = p->freedom[r->cohort->method]};
}

cst_view cst_runner_measure(cst_runner *r, int group, cst_keep keep) {
  const int      W = r->width;
  const cst_view view = view_of(r, group, keep);
  r->fold->velocities(view.context, view.record, r->scratch);
  if (r->plan->needs_lambda)
    cst_runner_lambda(r, r->st, view.record, r->b->step,
                      r->scratch + r->plan->study->system->nq * W);
  set_time(r);
  for (int i = 0; i < r->nwanted; i++) {
    const int              k = r->wanted[i];
    const cst_observation *look = &r->plan->look[k];
    r->measure[k](look, &view, cst_runner_observer(r, k, group), r->value + look->first * W,
                  r->scale + look->first * W);
  }
  return view;
}

static bool is_wanted(const cst_plan *p, int quantity) {
  int k = 0;
  while (quantity >= p->look[k].first + p->look[k].count)
    k++;
  return p->look[k].wanted;
}

/* Closes the window that ends here: stores the means of living lanes and resets the sums. */
void cst_runner_close_window(cst_runner *r) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  for (int k = 0; k < p->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, &cst_channel_windows, k, 0);
    for (int g = 0; g < b->groups; g++) {
      const int at = k * CST_SLOTS + CST_SLOT_SUM;
      double   *sum = cst_runner_accumulators(r, g) + at * W;
      for (int l = 0; l < W; l++) {
        const bool alive = b->alive[g] >> l & 1;
        if (!window || !alive || !r->in_window)
          continue;
        window[(g * W + l) * CST_WINDOWS + r->window] = sum[l] / (double)r->in_window;
      }
      if (is_wanted(p, k))
        memset(sum, 0, (size_t)W * sizeof *sum);
    }
  }
  r->in_window = 0;
}

/* Unwanted quantities are set to NaN at the beginning and stay so. */
static void fold(cst_runner *r, int group, bool begins) {
  cst_batch *b = r->b;
  const int  W = r->width;
  double    *acc = cst_runner_accumulators(r, group);
  if (begins) {
    r->fold->fold(r->plan->nquantity, r->value, r->scale, b->alive[group], true, acc);
    return;
  }
  for (int i = 0; i < r->nspan; i++) {
    const int     first = r->span[i].first;
    const double *value = r->value + first * W;
    const double *scale = r->scale + first * W;
    r->fold->fold(r->span[i].count, value, scale, b->alive[group], false,
                  acc + (long)first * CST_SLOTS * W);
  }
}

/* Observes a group where values themselves are of use: at its first state, in time averages. */
static void fold_here(cst_runner *r, int group) {
  const long     now = r->b->step;
  const cst_view view = cst_runner_measure(r, group, now == 0 ? CST_KEEP_FIRST : CST_KEEP);
  fold(r, group, now == 0);
  if (r->plan->study->averages && now >= r->cohort->after)
    cst_runner_collect(r, group, &view);
}

/* The times of states, which neighbours have in common. */
static void set_times(cst_runner *r, const cst_way *way) {
  const int W = r->width;
  for (int i = 0; i < way->n; i++) {
    const double t = cst_clock_at(r->cohort, (double)way->step[i]);
    if (r->times[i * W] == t)
      continue;
    for (int l = 0; l < W; l++)
      r->times[i * W + l] = t;
  }
}

static void fold_along(cst_runner *r, int group, const cst_way *way) {
  const int        W = r->width;
  const cst_view   view = view_of(r, group, CST_KEEP);
  const cst_states states = {way->n, way->stride, way->q, way->p, r->speed, r->times};
  double          *accumulators = cst_runner_accumulators(r, group);
  r->fold->speeds(view.context, view.record, &states, r->speed);
  set_times(r, way);
  for (int i = 0; i < r->nwanted; i++) {
    const int              k = r->wanted[i];
    const cst_observation *look = &r->plan->look[k];
    double                *acc = accumulators + (long)look->first * CST_SLOTS * W;
    if (r->follow[k]) {
      r->follow[k](look, &view, &states, cst_runner_observer(r, k, group), acc);
    } else {
      look->row->along(look, &view, &states, r->traced, r->traced_scale);
      r->fold->trace(way->n, r->traced, r->traced_scale, view.alive, acc);
    }
  }
}

void cst_runner_fold_group(cst_runner *r, int group, const cst_way *way) {
  if (r->one_by_one || way->step[0] == 0)
    fold_here(r, group);
  else
    fold_along(r, group, way);
}

void cst_runner_fold(cst_runner *r) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       window = cst_plan_class_window(r->cohort, b->step);
  if (window != r->window && cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    cst_runner_close_window(r);
  r->window = window;
  r->in_window++;
  r->folds++;
  for (int g = 0; g < b->groups; g++) {
    const cst_way way = cst_stepper_way(r->st, b, g);
    cst_runner_fold_group(r, g, &way);
  }
}

/* Bits of those lanes of a group that are in [from, to). */
static int lanes_between(const cst_runner *r, int group, long from, long to) {
  int bits = 0;
  for (int l = 0; l < r->width; l++) {
    const long lane = group * r->width + l;
    if (lane >= from && lane < to)
      bits |= 1 << l;
  }
  return bits;
}

/* Single members: |x - x(0)| is written directly into the row of its case. */
static void sample_single(cst_runner *r, int sample) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  for (int g = 0; g < b->groups; g++) {
    cst_runner_measure(r, g, CST_KEEP_NOT);
    const double *accumulators = cst_runner_accumulators(r, g);
    for (int l = 0; l < W && g * W + l < r->work->count; l++) {
      const bool alive = b->alive[g] >> l & 1;
      double    *samples = cst_rows_numbers(r->rows, &cst_channel_samples, 0, g * W + l);
      for (int k = 0; k < p->nquantity; k++) {
        const int    at = k * CST_SLOTS + CST_SLOT_START;
        const double start = accumulators[at * W + l];
        const double x = fabs(r->value[k * W + l] - start);
        samples[k * p->most_samples + sample] = alive ? x : NAN;
      }
    }
  }
}

static void sample_members(cst_runner *r, int sample) {
  const cst_work *work = r->work;
  const cst_plan *p = r->plan;
  const long      members = p->study->members;
  const int       W = r->width;
  const size_t    numbers = (size_t)(p->nquantity * W);
  for (long at = 0; at < work->count;) { /* one case after another */
    const long lane = work->first + at;
    const long last = at / W * W + CST_BIN_TERMS * (long)W; /* so many terms are exact */
    const long to = PetscMin(PetscMin(work->count, last), at + members - lane % members);
    const int  icase = r->cohort->cases[lane / members];
    memset(r->bins, 0, CST_BINS * numbers * sizeof *r->bins);
    memset(r->top, 0, numbers * sizeof *r->top);
    memset(r->count, 0, numbers * sizeof *r->count);
    for (int g = (int)(at / W); g * W < to; g++) {
      cst_runner_measure(r, g, CST_KEEP_NOT);
      const int lanes = r->b->alive[g] & lanes_between(r, g, at, to);
      r->fold->accumulate(p->nquantity, r->value, cst_runner_accumulators(r, g), lanes, r->bins,
                          r->top, r->count);
    }
    cst_series_add(r->series, icase, sample, W, r->bins, r->top, r->count);
    at = to;
  }
}

void cst_runner_sample(cst_runner *r) {
  if (r->plan->study->members == 1)
    sample_single(r, r->next_sample);
  else
    sample_members(r, r->next_sample);
  r->next_sample++;
}
