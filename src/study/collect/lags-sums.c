/* lags-sums.c: the exact sums over members in a result, to which parts of a study and more members are added
 * (lags.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/lags.h"

static long cells_of(const cst_lag *x) { return CST_LAGS_SUMS * (x->lags + 2); }

cst_error cst_lags_store(const cst_lag_kind *kind, int which, const cst_lag *x, int icase,
                         const cst_cell *cell, cst_output *o) {
  const long n = cells_of(x);
  cst_sum   *sum;
  long      *count;
  sum = cst_zeros(n, sizeof *sum);
  count = cst_zeros(x->lags + 1, sizeof *count);
  for (long k = 0; k <= x->lags; k++)
    count[k] = (long)cell[CST_LAGS_SUMS * k].count;
  for (long k = 0; k < n; k++)
    sum[k] = cell[k].sum;
  CST_TRY(cst_output_case(o, kind->row[CST_LAGS_CELLS], which, icase, sum));
  CST_TRY(cst_output_case(o, kind->row[CST_LAGS_COUNT], which, icase, count));
  free(sum);
  free(count);
  return 0;
}

/* Reads the sums of an entry in case icase of the file, sum[n], and their number of terms. */
static bool read_sums(const cst_extension *e, const cst_lag_kind *kind, int which, int icase,
                      long n, cst_sum *sum, long *count) {
  const cst_channel *cells = cst_channels_find(e->channels, kind->row[CST_LAGS_CELLS], which);
  const cst_channel *terms = cst_channels_find(e->channels, kind->row[CST_LAGS_COUNT], which);
  const long         start[3] = {icase, 0, 0}, all[3] = {1, n, CST_SUM_WORDS}, one[2] = {1, 1};
  return cells && terms &&
         cst_result_read_block(e->file, cells->field.path, cells->field.type, start, all, sum) &&
         cst_result_read_block(e->file, terms->field.path, terms->field.type, start, one, count) &&
         *count >= 0 && *count <= e->now->study->members;
}

static cst_error add_case(const cst_extension *e, const cst_lag_kind *kind, int icase,
                          cst_cell *cell) {
  const cst_lags *w = cst_lags_of(kind, e->now);
  for (int i = 0; i < w->n; i++) {
    const long n = cells_of(&w->each[i]);
    cst_sum   *sum = cst_zeros(n, sizeof *sum);
    long       count;
    CST_CHECK(read_sums(e, kind, i, icase, n, sum, &count), MPI_COMM_SELF, CST_ERR_FILE_READ,
              "the sums of %s '%s' in the file cannot be read", kind->name, w->each[i].name);
    for (long k = 0; k < n; k++)
      cst_cell_merge(&cell[k], &(cst_cell){sum[k], 0, (double)count});
    cell += n;
    free(sum);
  }
  return 0;
}

cst_error cst_lags_add(const cst_lag_kind *kind, const cst_extension *e, cst_tallies *t) {
  for (int k = 0; k < e->now->ncase && cst_lags_of(kind, e->now)->n; k++)
    if (e->from[k] >= 0)
      CST_TRY(add_case(e, kind, e->from[k],
                       cst_tallies_at(t, cst_collector_number(kind->collector), k)));
  return 0;
}

const char *cst_lags_anew(const cst_lag_kind *kind, const cst_extension *e) {
  if (cst_lags_of(kind, e->now)->n && cst_lags_by_members(e->old) != cst_lags_by_members(e->now))
    return "with this number of members errors are those of other means";
  return NULL;
}
