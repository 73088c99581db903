/* events-columns.c: columns of the events: their number, and of those that end trajectories the share of the
 * members and the quantiles of their times. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "method/spare.h"
#include "statistics/survival.h"
#include "study/channels/channels.h"
#include "study/collect/events.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"

enum { QUANTILES = 3 };
static const double      shares[QUANTILES] = {0.1, 0.5, 0.9};
static const char *const endings[QUANTILES] = {"q10", "q50", "q90"};

typedef struct {
  cst_number_column count, jumps, share, time[QUANTILES];
} event_columns;

typedef struct {
  cst_text_column   located;
  cst_number_column stopped;
  event_columns     each[CST_EVENTS_MOST];
} columns;

static void declare_one(cst_columns *c, const cst_event *e, event_columns *x) {
  x->count =
      cst_columns_number(c, cst_columns_shown(!e->stop, "events", e->name),
                         "events of the members that did not fail, in all", "%s_count", e->name);
  if (cst_event_may_jump(e))
    x->jumps =
        cst_columns_number(c, cst_columns_use("event-jumps", e->name),
                           "changes of its sign without a root, as at a pole or a cut, which "
                           "are no events",
                           "%s_jumps", e->name);
  if (!e->stop)
    return;
  x->share = cst_columns_number(c, cst_columns_shown(true, "event-share", e->name),
                                "share of the members that it ended", "%s_share", e->name);
  for (int k = 0; k < QUANTILES; k++)
    x->time[k] = cst_columns_number(
        c, cst_columns_shown(true, "event-time", e->name),
        "quantile of its time, Kaplan-Meier: other members are known until their own end",
        "%s_time_%s", e->name, endings[k]);
}

void *cst_events_columns(const cst_plan *p, cst_columns *c) {
  const cst_events *w = cst_events_of(p);
  bool              stop = false;
  if (!w->n)
    return NULL;
  columns *x = cst_zeros(1, sizeof *x);
  for (int k = 0; k < w->n; k++)
    stop |= w->each[k].stop;
  if (stop)
    x->stopped =
        cst_columns_number(c, cst_columns_shown(true, "stopped", NULL),
                           "trajectories that an event ended; they have not failed, and enter no "
                           "means, errors and verdicts",
                           "stopped");
  for (int k = 0; k < w->n; k++)
    declare_one(c, &w->each[k], &x->each[k]);
  x->located = cst_columns_text(
      c, cst_columns_use("events-located", NULL),
      "how events are located: step, by the method's own shortened step; cubic, by Hermite "
      "interpolation, projected onto the constraints",
      "events_located");
  for (int i = 0; i < p->ncase; i++)
    cst_column_say(x->located, i,
                   cst_spare_shortens(p->method[p->cases[i].method]) ? "step" : "cubic");
  return x;
}

/* How long each member is known: until the event, its failure, or its end. */
static cst_error read_times(cst_case_rows *rows, int k, double *time, bool *happened) {
  const cst_plan  *p = rows->plan;
  const cst_case  *c = &p->cases[rows->icase];
  const cst_event *e = &cst_events_of(p)->each[k];
  const double    *x;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_steps, 0, &x));
  for (long m = 0; m < p->study->members; m++)
    time[m] = cst_clock_of(c, x[m]);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_event_time, k, &x));
  for (long m = 0; m < p->study->members; m++) {
    happened[m] = rows->stopped[m] && !isnan(x[m * e->keep]);
    if (happened[m])
      time[m] = x[m * e->keep];
  }
  return 0;
}

static cst_error conclude_stop(cst_case_rows *rows, int k, const event_columns *c) {
  const long n = rows->plan->study->members;
  double    *time = cst_zeros(n, sizeof *time), quantile[QUANTILES];
  bool      *happened = cst_zeros(n, sizeof *happened);
  long       ended = 0;
  CST_TRY(read_times(rows, k, time, happened));
  for (long m = 0; m < n; m++)
    ended += happened[m];
  cst_column_set(c->share, rows->icase, (double)ended / (double)n);
  cst_survival_quantiles(time, happened, n, shares, QUANTILES, quantile);
  for (int q = 0; q < QUANTILES; q++)
    cst_column_set(c->time[q], rows->icase, quantile[q]);
  free(time);
  free(happened);
  return 0;
}

static cst_error conclude_jumps(cst_case_rows *rows, int k, const event_columns *c) {
  const double *x;
  double        sum = 0;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_event_jumps, k, &x));
  for (long m = 0; m < rows->plan->study->members; m++)
    sum += rows->good[m] || rows->stopped[m] ? x[m] : 0;
  cst_column_set(c->jumps, rows->icase, sum);
  return 0;
}

cst_error cst_events_conclude(cst_case_rows *rows, const void *handles) {
  const columns    *c = handles;
  const cst_events *w = cst_events_of(rows->plan);
  const long        n = rows->plan->study->members;
  long              stopped = 0;
  const double     *x;
  for (int k = 0; k < w->n; k++) {
    double sum = 0;
    CST_TRY(cst_case_rows_get(rows, &cst_channel_event_count, k, &x));
    for (long m = 0; m < n; m++)
      sum += rows->good[m] || rows->stopped[m] ? x[m] : 0;
    cst_column_set(c->each[k].count, rows->icase, sum);
    if (cst_event_may_jump(&w->each[k]))
      CST_TRY(conclude_jumps(rows, k, &c->each[k]));
    if (w->each[k].stop)
      CST_TRY(conclude_stop(rows, k, &c->each[k]));
  }
  for (long m = 0; m < n; m++)
    stopped += rows->stopped[m];
  if (c->stopped.value)
    cst_column_set(c->stopped, rows->icase, (double)stopped);
  return 0;
}
