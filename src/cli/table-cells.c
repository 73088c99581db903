/* table-cells.c: one value of a table as text: with all digits, or rounded to those that are of use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void exact_number(double x, char *out, size_t n) {
  if (isnan(x))
    snprintf(out, n, "nan");
  else if (fabs(x) < 1e15 && x == floor(x))
    snprintf(out, n, "%.0f", x + 0.0);
  else
    cst_text_shortest(x, out, n);
}

static bool whole(const cst_table_column *c, long rows) {
  for (long i = 0; i < rows; i++)
    if (isfinite(c->x[i]) && (c->x[i] != floor(c->x[i]) || fabs(c->x[i]) >= 1e9))
      return false;
  return true;
}

/* The column NAME_error that belongs to NAME_mean; NULL if there is none. */
static const cst_table_column *error_of(const cst_table *t, const cst_table_column *c) {
  char         name[112];
  const size_t length = strlen(c->name);
  if (length < 6 || strcmp(c->name + length - 5, "_mean"))
    return NULL;
  snprintf(name, sizeof name, "%.*s_error", (int)(length - 5), c->name);
  const int k = cst_table_find(t, name);
  return k < 0 ? NULL : &t->col[k];
}

/* Prints x with the digits that correspond to two digits of the error. */
static void number_with_error(double x, double error, char *out, size_t n) {
  const double digits = 2 + floor(log10(fabs(x))) - floor(log10(error));
  snprintf(out, n, "%.*g", digits < 3 ? 3 : digits > 15 ? 15 : (int)digits, x);
}

static void compact_number(const cst_table *t, const cst_table_column *c, long row, char *out,
                           size_t n) {
  const double            x = c->x[row];
  const cst_table_column *error = error_of(t, c);
  if (isnan(x))
    snprintf(out, n, "-");
  else if (error && error->x && error->x[row] > 0 && x != 0 && isfinite(x))
    number_with_error(x, error->x[row], out, n);
  else if (cst_text_begins(c->name, "order") || cst_text_begins(c->name, "rate") ||
           strstr(c->name, "exponent"))
    snprintf(out, n, "%.3f", x);
  else if (!strcmp(c->name, "step") || !strcmp(c->name, "step_taken") || !strcmp(c->name, "end"))
    cst_text_shortest(x, out, n);
  else
    snprintf(out, n, whole(c, t->rows) ? "%.0f" : "%.3g", x);
}

void cst_table_cell(const cst_table *t, int k, long row, bool exact, char *out) {
  const cst_table_column *c = &t->col[k];
  if (c->text)
    snprintf(out, CST_TABLE_CELL, "%s", *c->text[row] || exact ? c->text[row] : "-");
  else if (exact)
    exact_number(c->x[row], out, CST_TABLE_CELL);
  else
    compact_number(t, c, row, out, CST_TABLE_CELL);
}
