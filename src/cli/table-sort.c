/* table-sort.c: the order of the rows that --sort chooses (see table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/diag.h"
#include "core/need.h"

/* The column by which rows are sorted, for qsort. */
static const cst_table_column *by;
static bool                    falls;

static bool is_empty(long row) { return by->text ? !*by->text[row] : isnan(by->x[row]); }

static int compare(const void *a, const void *b) {
  const long i = *(const long *)a, k = *(const long *)b;
  int        sign = is_empty(i) - is_empty(k);
  if (!sign && !is_empty(i))
    sign = (falls ? -1 : 1) * (by->text ? strcmp(by->text[i], by->text[k])
                                        : (by->x[i] > by->x[k]) - (by->x[i] < by->x[k]));
  return sign ? sign : (i > k) - (i < k);
}

/* Puts entry order[row] at each row. */
static void permute(void *data, size_t size, const long *order, long rows) {
  char *old = cst_need(malloc(size * (size_t)rows + 1));
  memcpy(old, data, size * (size_t)rows);
  for (long row = 0; row < rows; row++)
    memcpy((char *)data + size * (size_t)row, old + size * (size_t)order[row], size);
  free(old);
}

void cst_table_sort(cst_table *t, cst_table_choice *c, const char *column, cst_diag *d) {
  falls = *column == '-';
  const int k = cst_table_find(t, column + falls);
  if (k < 0) {
    cst_diag_add(d, NULL, 0, 0, "--sort: unknown column '%s'; allowed: %s%s", column + falls,
                 cst_diag_join(t->name, t->n), cst_diag_guess(column + falls, t->name, t->n));
    return;
  }
  long *order = cst_need(malloc(sizeof *order * (size_t)(t->rows + 1)));
  for (long row = 0; row < t->rows; row++)
    order[row] = row;
  by = &t->col[k];
  qsort(order, (size_t)t->rows, sizeof *order, compare);
  for (int i = 0; i < t->n; i++)
    if (t->col[i].x)
      permute(t->col[i].x, sizeof *t->col[i].x, order, t->rows);
    else
      permute(t->col[i].text, sizeof *t->col[i].text, order, t->rows);
  permute(c->keep, sizeof *c->keep, order, t->rows);
  free(order);
}
