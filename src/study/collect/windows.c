/* windows.c: the collector `windows`: means of the observables over equal parts of the run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/channels/channels.h"
#include "study/collector.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_windows = {"/windows/%s", NULL, "mean of x - x(0) over a window", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < p->nquantity && cst_study_needs(p->study, CST_NEEDS_WINDOWS); k++)
    if (p->quantity[k].windows)
      cst_channels_add(c, &cst_channel_windows, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
}

typedef struct {
  int window; /* that is open */
} own;

static bool is_wanted(const cst_plan *p, int quantity) {
  int k = 0;
  while (quantity >= p->look[k].first + p->look[k].count)
    k++;
  return p->look[k].wanted;
}

/* Closes the window that ends here: stores the means of living lanes and resets the sums. */
static void close_window(const own *o, cst_runner *r) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  const long      folds = cst_plan_window_folds(r->cohort, o->window);
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

static bool wanted(const cst_plan *p) { return cst_study_needs(p->study, CST_NEEDS_WINDOWS); }

static void begin(cst_collection *x) {
  cst_runner *r = x->run;
  for (int k = 0; k < r->plan->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, &cst_channel_windows, k, 0);
    for (long i = 0; window && i < r->work->count * CST_WINDOWS; i++)
      window[i] = NAN;
  }
}

static void locate(cst_collection *x, long step, bool done) {
  own       *o = x->own;
  const long last = done ? step : step - 1;
  o->window = last < 0 ? 0 : (int)cst_plan_position(x->run->plan, x->run->cohort, last).window;
}

static long next(const cst_collection *x, long step) {
  const own *o = x->own;
  (void)step;
  return cst_plan_class_window_end(x->run->cohort, o->window);
}

/* A window is closed before the first state of the next one is looked at. */
static PetscErrorCode before(cst_collection *x) {
  cst_runner *r = x->run;
  own        *o = x->own;
  PetscFunctionBegin;
  const int window = cst_plan_class_window(r->cohort, r->b->step);
  if (r->b->step == r->next_fold && window != o->window) {
    close_window(o, r);
    o->window = window;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(cst_collection *x) {
  PetscFunctionBegin;
  close_window(x->own, x->run);
  PetscFunctionReturn(0);
}

const cst_collector cst_collector_windows = {
    .name = "windows",
    .doc = "means over windows",
    .declare = declare,
    .own = sizeof(own),
    .wanted = wanted,
    .begin = begin,
    .locate = locate,
    .next = next,
    .before = before,
    .finish = finish,
};
