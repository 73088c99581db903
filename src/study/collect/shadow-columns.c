/* shadow-columns.c: the columns of the shadow energy: how much it varies, and the verdict on its drift, where
 * the orders agree. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/shadow.h"
#include "study/plan/clock.h"
#include "study/result/judge.h"

/* They agree if no two differ by more than this part of what the energy varies. */
#define AGREE 0.1

typedef struct {
  cst_number_column range[1 + CST_SHADOW_ORDERS], spread, gain;
  cst_number_column slope, slope_error, limit;
  cst_text_column   verdict;
} columns_of;

static const char verdicts[] =
    "as energy_verdict, of order 8; orders-disagree: it tells nothing at this step, as its "
    "orders differ by more than a tenth of what the energy varies",
                  disagree[] = "orders-disagree";

static cst_number_column number(cst_columns *c, bool shown, const char *role, const char *ending,
                                const char *doc) {
  return cst_columns_number(c, cst_columns_shown(shown, role, "energy-shadow"), doc,
                            "energy-shadow_%s", ending);
}

void *cst_shadow_columns(const cst_plan *p, cst_columns *c) {
  if (!cst_shadow_wanted(p))
    return NULL;
  columns_of *x = cst_need(calloc(1, sizeof *x));
  x->range[0] = number(c, false, "range", "energy",
                       "largest less least energy T + V at the same steps, over members");
  for (int k = 0; k < CST_SHADOW_ORDERS; k++)
    x->range[1 + k] =
        cst_columns_number(c, cst_columns_shown(true, "range", "energy-shadow"),
                           "largest less least shadow energy of this order, over members",
                           "energy-shadow_%d", cst_shadow_order[k]);
  x->spread = number(c, false, "spread", "spread", "largest difference between two orders");
  x->gain = number(c, true, "gain", "gain",
                   "how many times less order 8 varies than the energy, the least over members");
  if (!cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    return x;
  x->slope = number(c, false, "slope", "slope", "slope of the mean drift against time, of order 8");
  x->slope_error = number(c, false, "slope-error", "slope_error", "standard error of the slope");
  x->limit = number(c, false, "drift-limit", "drift_limit",
                    "a larger drift per unit of time is excluded at 95 %");
  x->verdict = cst_columns_text(c, cst_columns_shown(true, "verdict", "energy-shadow"), verdicts,
                                "%s", "energy-shadow_verdict");
  return x;
}

/* Arrays over members, NaN of those that did not reach the end. */
typedef struct {
  double *of[CST_SHADOW_FIGURES], *means;
} figures;

static cst_error read_figures(cst_case_rows *rows, figures *f) {
  const long    n = rows->plan->study->members;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_shadow, 0, &x));
  for (int k = 0; k < CST_SHADOW_FIGURES; k++) {
    f->of[k] = cst_zeros(n, sizeof(double));
    for (long m = 0; m < n; m++)
      f->of[k][m] = rows->good[m] ? x[m * CST_SHADOW_FIGURES + k] : NAN;
  }
  f->means = cst_zeros(n * CST_WINDOWS, sizeof(double));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_shadow_windows, 0, &x));
  for (long i = 0; i < n * CST_WINDOWS; i++)
    f->means[i] = rows->good[i / CST_WINDOWS] ? x[i] : NAN;
  return 0;
}

static void forget(figures *f) {
  for (int k = 0; k < CST_SHADOW_FIGURES; k++)
    free(f->of[k]);
  free(f->means);
}

/* Whether they agree, of all members that reached the end. */
static bool set_ranges(const figures *f, long n, int i, const columns_of *x) {
  double gain = INFINITY;
  bool   agree = true;
  for (int k = 0; k <= CST_SHADOW_ORDERS; k++)
    cst_column_set(x->range[k], i, cst_case_rows_largest(f->of[CST_SHADOW_ENERGY + k], n));
  cst_column_set(x->spread, i, cst_case_rows_largest(f->of[CST_SHADOW_SPREAD], n));
  for (long m = 0; m < n; m++) {
    const double energy = f->of[CST_SHADOW_ENERGY][m];
    gain = fmin(gain, energy / f->of[CST_SHADOW_RANGE + CST_SHADOW_JUDGED][m]);
    agree &= !(f->of[CST_SHADOW_SPREAD][m] > AGREE * energy);
  }
  cst_column_set(x->gain, i, isfinite(gain) ? gain : NAN);
  return agree && isfinite(gain);
}

static cst_error judge(cst_case_rows *rows, figures *f, const columns_of *x) {
  const cst_case *c = &rows->plan->cases[rows->icase];
  const long      n = rows->plan->study->members;
  const int       i = rows->icase;
  cst_journey     j;
  CST_TRY(cst_judge_journey_create(n, &j));
  CST_TRY(cst_judge_journey_begin(rows, &j));
  for (long m = 0; m < n; m++)
    f->of[CST_SHADOW_LAST][m] -= f->of[CST_SHADOW_START][m];
  const cst_long_run run = {.members = n,
                            .steps = c->n,
                            .end = cst_clock_of(c, (double)c->n),
                            .means = f->means,
                            .largest = f->of[CST_SHADOW_DRIFT],
                            .scale = f->of[CST_SHADOW_SCALE],
                            .start = f->of[CST_SHADOW_START],
                            .last = f->of[CST_SHADOW_LAST],
                            .moved = j.moved,
                            .away = j.away};
  cst_growth         g = cst_growth_estimate(&run);
  cst_growth_conclude(&g, NULL, NULL, rows->plan->ncase);
  cst_column_set(x->slope, i, g.slope);
  cst_column_set(x->slope_error, i, g.slope_error);
  cst_column_set(x->limit, i, g.limit);
  cst_column_say(x->verdict, i, cst_growth_verdict_names[g.verdict]);
  CST_TRY(cst_judge_journey_destroy(&j));
  return 0;
}

cst_error cst_shadow_conclude(cst_case_rows *rows, const void *handles) {
  const columns_of *x = handles;
  const long        n = rows->plan->study->members;
  figures           f = {0};
  CST_TRY(read_figures(rows, &f));
  const bool agree = set_ranges(&f, n, rows->icase, x);
  if (!x->verdict.label) {
    forget(&f);
    return 0;
  }
  if (rows->failed)
    cst_column_say(x->verdict, rows->icase, cst_growth_verdict_names[CST_FAILED]);
  else if (!agree)
    cst_column_say(x->verdict, rows->icase, disagree);
  else
    CST_TRY(judge(rows, &f, x));
  forget(&f);
  return 0;
}
