/* lags.h: means over pairs of samples of expressions that are a time apart, against that time: what the collectors
 * `autocorrelation` and `mean-square-displacement` share; lags-row.h has their rows.
 *
 * Samples x_j are taken after every `every`, after the burn-in. For each sample from the `lags`-th on, the products
 * x_j x_(j-k), or the squares |x_j - x_(j-k)|^2, are added for k = 0 .. lags, summed over the expressions: every lag
 * has the same pairs. Their means over CST_LAGS_PARTS parts of the run, whose lengths differ by one pair at most, are numbers
 * y_k of a trajectory, and so is a figure of them, y_(lags+1) (lag_kind.figure). Memory grows with the lags, not with the run.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LAGS_H
#define CST_LAGS_H
#include "study/channels/channels.h"
#include "study/collect/expressions.h"
#include "study/result/case-rows.h"
#include "study/result/extension.h"
#include "study/result/tallies.h"

enum { CST_LAGS_MOST = 8, CST_LAGS_PARTS = 32 };

typedef struct {
  cst_named named;
  double    every, mean; /* mean: subtracted from samples whose products are taken */
  long      lags;
  bool equal; /* of an earlier program: parts are equal, and what is left behind them is not used */
} cst_lag;

/* Channels: curves of a case over the lags, their times, and the pairs of each trajectory at every lag; y_0 or y_lags, and the figure, of each
 * trajectory and part; what is kept; the exact sums over members, and how many these are. Those that a
 * collector does not have are NULL. */
enum {
  CST_LAGS_CURVE,
  CST_LAGS_ERROR,
  CST_LAGS_NORMAL,
  CST_LAGS_NORMAL_ERROR,
  CST_LAGS_TIME,
  CST_LAGS_PAIRS,
  CST_LAGS_OF_PARTS,
  CST_LAGS_KEPT,
  CST_LAGS_CELLS,
  CST_LAGS_COUNT,
  CST_LAGS_CHANNELS
};

/* One of the collectors. refuses: why it has no later end. */
typedef struct {
  cst_named_key          key; /* CST_LAGS_KEY */
  const cst_collector   *collector;
  const char            *refuses;
  bool                   displaces; /* squares of displacements, else products */
  const cst_channel_row *row[CST_LAGS_CHANNELS];
  /* the figure of y[lags + 1] with `spacing` between lags */
  double (*figure)(const double *y, long lags, double spacing);
} cst_lag_kind;

#define CST_LAGS_KEY(of, what_is)                                                                  \
  {                                                                                                \
    .key = of, .what = what_is, .map = "{name: ..., expression: ..., every: ..., lags: ...}",      \
    .more = "", .most = CST_LAGS_MOST, .size = sizeof(cst_lag), .read = cst_lags_check_one         \
  }

/* The values of the keys `every` and `lags` of their rows. */
#define CST_LAGS_EVERY                                                                             \
  .value = {CST_VALUE_NUMBER, CST_AT(cst_lag, every), 0, CST_NO_LIMIT, .above = true}
#define CST_LAGS_LAGS .value = {CST_VALUE_INTEGER, CST_AT(cst_lag, lags), 2, 4096}

void cst_lags_check_one(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry);
void cst_lags_as_in(void *request, cst_result *file);
static inline const cst_named_list *cst_lags_of(const cst_lag_kind *kind, const cst_plan *p) {
  return p->study->collected[cst_collector_number(kind->collector)];
}
static inline const cst_lag *cst_lag_of(const cst_named_list *w, int k) {
  return (const cst_lag *)w->each + k;
}

cst_demand cst_lags_demand(const cst_lag_kind *kind, const cst_plan *p);
void       cst_lags_tell(const cst_lag_kind *kind, const cst_plan *p, FILE *out);
void       cst_lags_declare(const cst_lag_kind *kind, const cst_plan *p, cst_channels *c);
cst_error  cst_lags_open(const cst_lag_kind *kind, const cst_plan *p, cst_output *o);

typedef struct {
  cst_values *now;
  double     *kept[CST_LAGS_MOST]; /* into the rows */
} cst_lag_batch;

/* The collector's functions of these names, with its own = cst_lag_batch. */
void      cst_lags_create(cst_collection *x);
void      cst_lags_destroy(cst_collection *x);
void      cst_lags_begin(cst_collection *x);
long      cst_lags_next(const cst_collection *x, long step);
cst_error cst_lags_stop(cst_collection *x);
cst_error cst_lags_finish(cst_collection *x);

/* The sums over members (cst_tally). */
cst_tally_term cst_lags_term(const cst_plan *p, int icase, long cell);
long           cst_lags_cells(const cst_lag_kind *kind, const cst_plan *p);
cst_error cst_lags_total(const cst_lag_kind *kind, const cst_plan *p, int icase, const cst_cell *x,
                         cst_output *o);

/* Adds the sums of a file; why a case of the file is computed again. */
cst_error   cst_lags_add(const cst_lag_kind *kind, const cst_extension *e, cst_tallies *t);
const char *cst_lags_recompute(const cst_lag_kind *kind, const cst_extension *e);

/* Means over members and parts of y_0 or y_lags, and of the figure, with their errors. */
typedef struct {
  double value, value_error, figure, figure_error;
} cst_lag_means;
cst_error cst_lags_means(const cst_lag_kind *kind, cst_case_rows *rows, int which,
                         cst_lag_means *m);
#endif
