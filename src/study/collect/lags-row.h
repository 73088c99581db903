/* lags-row.h: the row of a collector of means over lags (lags.h). A file defines its keys, `kind`, `columns` and
 * `conclude`, includes this, and ends with
 *
 *   const cst_collector cst_collector_NAME = {.name = ..., .doc = ..., CST_LAGS_ROW(figures)};
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAGS_ROW
#include "study/collect/lags.h"

static bool       wanted(const cst_plan *p) { return cst_lags_of(&kind, p)->n > 0; }
static void       read(cst_reader *r, void *request) { cst_named_read(&kind.key, r, request); }
static cst_demand demand(const cst_plan *p) { return cst_lags_demand(&kind, p); }
static void       tell(const cst_plan *p, FILE *out) { cst_lags_tell(&kind, p, out); }
static void       declare(const cst_plan *p, cst_channels *c) { cst_lags_declare(&kind, p, c); }
static cst_error  open(const cst_plan *p, cst_output *o) { return cst_lags_open(&kind, p, o); }
static long       cells(const cst_plan *p) { return cst_lags_cells(&kind, p); }

static double most(const cst_plan *p, int icase) {
  (void)icase;
  return (double)p->study->ensemble.members;
}

static cst_error total(const cst_plan *p, int icase, const cst_cell *x, cst_output *o) {
  return cst_lags_total(&kind, p, icase, x, o);
}

static const char *again(const cst_extension *e, int from, int to) {
  (void)from, (void)to;
  return cst_lags_recompute(&kind, e);
}

static cst_error add(const cst_extension *e, cst_tallies *t) { return cst_lags_add(&kind, e, t); }

static const char *refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                          const cst_class *to) {
  (void)old, (void)from, (void)to;
  return wanted(now) ? kind.refuses : NULL;
}

static const cst_reuse reuse = {.recompute = again, .add = add, .refuse = refuse};
static const cst_tally tally = {
    .cells = cells, .most = most, .term = cst_lags_term, .finish = total};

#define CST_LAGS_ROW(of_report)                                                                    \
  .keys = {.table = keys,                                                                          \
           .request = sizeof(cst_named_list),                                                      \
           .read = read,                                                                           \
           .forget = cst_named_forget,                                                             \
           .as_in = cst_lags_as_in},                                                               \
  .plan = {.wanted = wanted, .demand = demand, .tell = tell},                                      \
  .run = {.own = sizeof(cst_lag_batch),                                                            \
          .create = cst_lags_create,                                                               \
          .destroy = cst_lags_destroy,                                                             \
          .begin = cst_lags_begin,                                                                 \
          .next = cst_lags_next,                                                                   \
          .stop = cst_lags_stop,                                                                   \
          .finish = cst_lags_finish},                                                              \
  .file = {.declare = declare,                                                                     \
           .open = open,                                                                           \
           .columns = columns,                                                                     \
           .conclude = conclude,                                                                   \
           .figures = of_report},                                                                  \
  .reuse = &reuse, .tally = &tally
#endif
