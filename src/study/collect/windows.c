/* windows.c: the collector `windows`: means of the observables over equal parts of the run, and their range in its last
 * half. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/collect/continue-rows.h"
#include "study/result/extension.h"
#include "study/runner/runner.h"

/* clang-format off */
const cst_channel_row cst_channel_windows = {"/windows/%s", NULL, "mean of x - x(0) over a window", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_window_range = {"/ranges/%s", NULL, "largest less least x over the last half of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_terms = {"/terms/%s", NULL, "largest sum of the magnitudes of the terms of x, while x had changed by at most half of it", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

static void declare_all(const cst_plan *p, cst_channels *c, const cst_channel_row *row) {
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].windows)
      cst_channels_add(c, row, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
}

typedef struct {
  bool unknown; /* the study is one of an earlier program, which kept no ranges */
} request;

static void as_in(void *x, cst_result *file) {
  request *w = x;
  char(*paths)[96];
  w->unknown = cst_result_list(file, "/ranges", &paths) <= 0;
  free(paths);
}

static void declare(const cst_plan *p, cst_channels *c) {
  const request *w = p->study->collected[CST_COLLECTOR(windows)];
  if (!cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    return;
  declare_all(p, c, &cst_channel_windows);
  if (w->unknown)
    return;
  declare_all(p, c, &cst_channel_window_range);
  declare_all(p, c, &cst_channel_terms);
}

static bool wanted(const cst_plan *p) { return cst_study_needs(p->study, CST_NEEDS_WINDOWS); }

/* The estimate of growth copies and transforms them. */
static cst_demand demand(const cst_plan *p) {
  return (cst_demand){.concludes = wanted(p) ? 4 * CST_WINDOWS : 0};
}

typedef struct {
  int window; /* that is open */
} own;

static bool is_wanted(const cst_plan *p, int quantity) {
  int k = 0;
  while (quantity >= p->observation[k].first + p->observation[k].count)
    k++;
  return p->observation[k].wanted;
}

/* Closes the window that ends here: stores the means of living lanes and resets the sums. */
static void close_window(const own *o, const cst_runner *r) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  const long      folds = cst_plan_window_folds(r->class, o->window);
  for (int k = 0; k < p->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, &cst_channel_windows, k, 0);
    for (int g = 0; g < b->groups; g++) {
      const int at = k * CST_SLOTS + CST_SLOT_SUM;
      double   *sum = cst_runner_accumulators(r, g) + at * W;
      for (int l = 0; l < W; l++) {
        const bool alive = b->alive[g] >> l & 1;
        if (!window || !alive || !folds)
          continue;
        window[(g * W + l) * CST_WINDOWS + o->window] = sum[l] / (double)folds;
      }
      if (is_wanted(p, k))
        memset(sum, 0, (size_t)W * sizeof *sum);
    }
  }
}

/* Ranges start again at the next state. */
static void reset_ranges(const cst_runner *r) {
  const int W = r->width;
  for (int k = 0; k < r->plan->nquantity; k++)
    for (int g = 0; g < r->b->groups && is_wanted(r->plan, k); g++) {
      double *acc = cst_runner_accumulators(r, g) + (long)k * CST_SLOTS * W;
      for (int l = 0; l < W; l++) {
        acc[CST_SLOT_LOW * W + l] = INFINITY;
        acc[CST_SLOT_HIGH * W + l] = -INFINITY;
      }
    }
}

/* Stores the ranges and the terms of the lanes that have come to the end. */
static void store_ranges(const cst_runner *r) {
  const int W = r->width;
  for (int k = 0; k < r->plan->nquantity; k++) {
    double *range = cst_rows_numbers(r->rows, &cst_channel_window_range, k, 0);
    double *terms = cst_rows_numbers(r->rows, &cst_channel_terms, k, 0);
    for (long i = 0; range && i < r->work->count; i++) {
      const double *acc =
          cst_runner_accumulators(r, (int)(i / W)) + (long)k * CST_SLOTS * W + i % W;
      const double wide = acc[CST_SLOT_HIGH * W] - acc[CST_SLOT_LOW * W];
      const bool   alive = r->b->alive[i / W] >> (i % W) & 1;
      const bool   known = alive && is_wanted(r->plan, k);
      range[i] = known && wide >= 0 ? wide : NAN;
      terms[i] = known ? acc[CST_SLOT_TERMS * W] : NAN;
    }
  }
}

static void begin(cst_collection *x) {
  const cst_runner *r = x->run;
  for (int k = 0; k < r->plan->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, &cst_channel_windows, k, 0);
    for (long i = 0; window && i < r->work->count * CST_WINDOWS; i++)
      window[i] = NAN;
  }
}

static void locate(cst_collection *x, long step, bool done) {
  own       *o = x->own;
  const long last = done ? step : step - 1;
  o->window = last < 0 ? 0 : (int)cst_plan_position(x->run->plan, x->run->class, last).window;
}

static long next(const cst_collection *x, long step) {
  const own *o = x->own;
  (void)step;
  return cst_plan_class_window_end(x->run->class, o->window);
}

/* A window is closed before the first state of the next one is looked at. */
static cst_error before(cst_collection *x) {
  const cst_runner *r = x->run;
  own              *o = x->own;
  const int         window = cst_plan_class_window(r->class, r->b->step);
  if (cst_runner_observes(r) && window != o->window) {
    close_window(o, r);
    if (o->window < CST_WINDOWS / 2 && window >= CST_WINDOWS / 2)
      reset_ranges(r);
    o->window = window;
  }
  return 0;
}

static cst_error finish(cst_collection *x) {
  close_window(x->own, x->run);
  store_ranges(x->run);
  return 0;
}

/* ---- a later end ----------------------------------------------------------------------------- */

/* Whether the windows of the old class fill windows of the new one: its end is 2, 4, 8 .. CST_WINDOWS times the
 * old one. */
static bool fills(const cst_class *from, const cst_class *to) {
  const long ratio = to->n / from->n;
  return to->n % from->n == 0 && !(ratio & (ratio - 1)) && ratio <= CST_WINDOWS;
}

static bool reaches(const cst_extension *e, int from, int to, char *text, size_t n) {
  const cst_case *was = &e->old->cases[from];
  const cst_case *now = &e->now->cases[to];
  const double    old = (double)was->n * was->h_nominal;
  const double    end = (double)now->n * now->h_nominal;
  double          below = old, above = 2 * old;
  char            nearest[96];
  const char     *unit = cst_system_unit(e->now->study->problem.system, "time");
  if (!wanted(e->now) ||
      fills(&e->old->classes[e->old->class_of[from]], &e->now->classes[e->now->class_of[to]]))
    return true;
  while (above < end && above < CST_WINDOWS * old) {
    below = above;
    above *= 2;
  }
  if (below > old)
    snprintf(nearest, sizeof nearest, "%.10g and %.10g%s", below, above, unit);
  else
    snprintf(nearest, sizeof nearest, "%.10g%s", above, unit);
  snprintf(text, n,
           "can go on to %.10g, %.10g, %.10g .. %.10g%s, because its old windows have to fill new "
           "ones; the nearest to %.10g%s: %s",
           2 * old, 4 * old, 8 * old, CST_WINDOWS * old, unit, end, unit, nearest);
  return false;
}

/* Merges the window means of the old run, and the sum of the open window, into those of the new run; `ratio`
 * old windows make one new window. */
static void join_windows(const cst_continued *x, const double *old, double *made, double *sum) {
  const cst_class *from = x->from, *to = x->to;
  const long       ratio = to->n / from->n;
  cst_position     was = cst_plan_position(x->old->plan, from, from->n - 1);
  cst_position     is = cst_plan_position(x->now->plan, to, from->n - 1);
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

static void go_on(const cst_continued *x) {
  double *accumulators = cst_continued_made(x, &cst_channel_accumulators, 0);
  for (int k = 0; k < x->now->plan->nquantity; k++) {
    const double *was = cst_continued_was(x, &cst_channel_windows, k);
    if (was)
      join_windows(x, was, cst_continued_made(x, &cst_channel_windows, k),
                   accumulators + (long)k * CST_SLOTS + CST_SLOT_SUM);
  }
}

static const cst_reuse reuse = {.reaches = reaches, .go_on = go_on};

const cst_collector cst_collector_windows = {
    .name = "windows",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "means over windows",
    .keys = {.request = sizeof(request), .as_in = as_in},
    .plan = {.demand = demand, .wanted = wanted},
    .run = {.own = sizeof(own),
            .begin = begin,
            .locate = locate,
            .next = next,
            .before = before,
            .finish = finish},
    .file = {.declare = declare},
    .reuse = &reuse,
};
