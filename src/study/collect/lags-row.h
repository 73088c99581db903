/* lags-row.h: the row of a collector of means over lags (lags.h). A file defines its keys, `kind`, `columns` and
 * `conclude`, includes this, and ends with
 *
 *   const cst_collector cst_collector_NAME = {.name = ..., .doc = ..., CST_LAGS_ROW(figures)};
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAGS_ROW
#include "study/collect/lags.h"

static bool       wanted(const cst_plan *p) { return cst_lags_of(&kind, p)->n > 0; }
static void       read(cst_reader *r, void *wish) { cst_lags_read(&kind, r, wish); }
static void       as_in(void *wish, cst_result *file) { cst_lags_as_in(&kind, wish, file); }
static cst_demand demand(const cst_plan *p) { return cst_lags_demand(&kind, p); }
static void       tell(const cst_plan *p, FILE *out) { cst_lags_tell(&kind, p, out); }
static void       declare(const cst_plan *p, cst_channels *c) { cst_lags_declare(&kind, p, c); }
static cst_error  open(const cst_plan *p, cst_output *o) { return cst_lags_open(&kind, p, o); }
static void       create(cst_collection *x) { cst_lags_create(&kind, x); }
static void       destroy(cst_collection *x) { cst_lags_destroy(&kind, x); }
static void       begin(cst_collection *x) { cst_lags_begin(&kind, x); }
static long       next(const cst_collection *x, long step) { return cst_lags_next(&kind, x, step); }
static cst_error  stop(cst_collection *x) { return cst_lags_stop(&kind, x); }
static cst_error  finish(cst_collection *x) { return cst_lags_finish(&kind, x); }
static long       cells(const cst_plan *p) { return cst_lags_cells(&kind, p); }

static double most(const cst_plan *p, int icase) {
  (void)icase;
  return (double)p->study->members;
}

static cst_error total(const cst_plan *p, int icase, const cst_cell *x, cst_output *o) {
  return cst_lags_total(&kind, p, icase, x, o);
}

static const char *anew(const cst_extension *e, int from, int to) {
  (void)from, (void)to;
  return cst_lags_anew(&kind, e);
}

static cst_error add(const cst_extension *e, cst_tallies *t) { return cst_lags_add(&kind, e, t); }

static const char *refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                          const cst_class *to) {
  (void)old, (void)from, (void)to;
  return wanted(now) ? kind.refuses : NULL;
}

static const cst_reuse reuse = {.anew = anew, .add = add, .refuse = refuse};
static const cst_tally tally = {
    .cells = cells, .most = most, .term = cst_lags_term, .finish = total};

#define CST_LAGS_ROW(of_report)                                                                    \
  .keys = {.table = keys,                                                                          \
           .wish = sizeof(cst_lags),                                                               \
           .read = read,                                                                           \
           .forget = cst_lags_forget,                                                              \
           .as_in = as_in},                                                                        \
  .plan = {.wanted = wanted, .demand = demand, .tell = tell},                                      \
  .run = {.own = CST_LAGS_MOST * sizeof(cst_lag_batch),                                            \
          .create = create,                                                                        \
          .destroy = destroy,                                                                      \
          .begin = begin,                                                                          \
          .next = next,                                                                            \
          .stop = stop,                                                                            \
          .finish = finish},                                                                       \
  .file = {.declare = declare,                                                                     \
           .open = open,                                                                           \
           .columns = columns,                                                                     \
           .conclude = conclude,                                                                   \
           .figures = of_report},                                                                  \
  .reuse = &reuse, .tally = &tally
#endif
