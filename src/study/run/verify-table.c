/* verify-table.c: makes the table of a finished result again from its rows, by what concluded it, and compares its
 * columns and the datasets that are concluded with them (see verify-result.h).
 *
 * One thing that the table needs has no rows: the error of a reference by a method. It is taken from the file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/conclude.h"
#include "study/run/verify-internal.h"

typedef struct {
  cst_verification  *d;
  cst_verify_counts *counts;
  cst_conclusion    *table;
  cst_case_rows     *rows;
  double            *error; /* [nvariant][CST_ERRORS] of the reference */
} work;

static bool is_reference_error(const cst_column *x) {
  return x->use.role && !strcmp(x->use.role, "reference-error");
}

static void read_reference_error(work *w, const cst_column *x) {
  const cst_plan *p = w->d->plan;
  char            path[96];
  int             ndim, part = 0;
  long            extent[CST_FIELD_DIMS];
  while (part < CST_ERRORS - 1 && strcmp(cst_channels_error_names[part], x->use.of))
    part++;
  snprintf(path, sizeof path, "/statistics/%s", x->name);
  double *stored = cst_result_read(w->d->file, path, &ndim, extent);
  if (stored && ndim == 1 && extent[0] == p->ncase)
    for (int i = p->ncase - 1; i >= 0; i--)
      w->error[p->cases[i].variant * CST_ERRORS + part] = stored[i];
  free(stored);
}

/* Other references have no error of their own. */
static void find_reference_errors(work *w) {
  const cst_columns *all = cst_conclude_columns(w->table);
  for (int i = 0; i < w->d->plan->study->nvariant * CST_ERRORS; i++)
    w->error[i] = NAN;
  if (!cst_reference_twice(w->d->plan->study))
    return;
  for (int k = 0; k < all->n; k++)
    if (is_reference_error(&all->column[k])) {
      read_reference_error(w, &all->column[k]);
      w->counts->reference_error = true;
    }
}

/* Compares the datasets of a case that are concluded as well, such as histograms. */
static cst_error conclude_case(work *w, int i) {
  cst_comparison *c = &w->d->comparison;
  *c = (cst_comparison){0};
  CST_TRY(cst_conclude_case(w->table, w->rows, i));
  w->counts->compared += c->compared;
  if (!c->different)
    return 0;
  w->counts->wrong_statistics = true;
  printf("what is concluded of case %d: DIFFERENT, %ld of %ld numbers; first: %s\n", i,
         c->different, c->compared, c->first);
  return 0;
}

static void tell(cst_verification *d, int icase) {
  const double now = MPI_Wtime();
  if (now - d->told < CST_VERIFY_TELL_EVERY)
    return;
  d->told = now;
  fprintf(stderr, "verify: statistics of case %d of %d\n", icase + 1, d->plan->ncase);
}

static cst_error conclude(work *w) {
  const cst_plan *p = w->d->plan;
  const int       steps = p->study->nstep;
  cst_case_rows_ahead(w->rows, p->ncase);
  for (int i = 0; i < p->ncase; i++) {
    tell(w->d, i);
    CST_TRY(conclude_case(w, i));
    if ((i + 1) % steps == 0)
      CST_TRY(cst_conclude_steps(w->table, w->rows, i + 1 - steps));
  }
  CST_TRY(cst_conclude_across(w->table));
  return 0;
}

static void compare_column(work *w, const cst_column *x) {
  const long     first = 0, n = w->d->plan->ncase;
  cst_field      f = {.type = x->label ? CST_TYPE_TEXT : CST_TYPE_F64, .ndim = 1};
  cst_comparison c = {0};
  snprintf(f.path, sizeof f.path, "/statistics/%s", x->name);
  if (!cst_compare_block(&c, w->d->file, &f, &first, &n, x->label ? (void *)x->label : x->value)) {
    w->counts->wrong_statistics |= !w->d->another;
    printf("column %s: not in the file\n", x->name);
  }
  if (c.different)
    printf("column %s: DIFFERENT in %ld of %ld cases; first: %s\n", x->name, c.different, n,
           c.first);
  w->counts->compared += c.compared;
  w->counts->wrong_statistics |= c.different > 0;
}

/* The search begins where the column stands if both have the same ones. */
static bool is_made(const cst_columns *all, const char *name, int at) {
  for (int k = 0; k < all->n; k++)
    if (!strcmp(all->column[(at + k) % all->n].name, name))
      return true;
  return false;
}

static void compare_columns(work *w) {
  const cst_columns *all = cst_conclude_columns(w->table);
  char(*paths)[96];
  for (int k = 0; k < all->n; k++)
    compare_column(w, &all->column[k]);
  const int n = cst_result_list(w->d->file, "/statistics", &paths);
  for (int k = 0; k < n; k++) {
    const char *last = strrchr(paths[k], '/');
    const char *name = last ? last + 1 : paths[k];
    if (!is_made(all, name, k))
      printf("column %s: not compared, this program does not make it\n", name);
  }
  free(paths);
}

cst_error cst_verify_table(cst_verification *d, cst_verify_counts *counts) {
  work w = {.d = d, .counts = counts, .table = cst_conclude_create(d->plan)};
  counts->statistics = true;
  w.error = cst_zeros(d->plan->study->nvariant * CST_ERRORS, sizeof *w.error);
  find_reference_errors(&w);
  CST_TRY(cst_case_rows_create(d->plan, d->output, w.error, &w.rows));
  if (conclude(&w)) { /* it has been said why */
    counts->wrong_statistics = true;
    printf("columns: not made again, since the rows cannot be right\n");
  } else
    compare_columns(&w);
  CST_TRY(cst_case_rows_destroy(&w.rows));
  cst_conclude_destroy(w.table);
  free(w.error);
  return 0;
}
