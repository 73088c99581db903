/* table-cells.c: one value of a table as text: with all digits, or rounded to those that are of use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

static void exact_number(double x, char *out, size_t n) {
  if (isnan(x))
    snprintf(out, n, "nan");
  else if (fabs(x) < 1e15 && x == floor(x))
    snprintf(out, n, "%.0f", x + 0.0);
  else
    cst_text_shortest(x, out, n);
}

static bool is_whole(const cst_table_column *c, long rows) {
  for (long i = 0; i < rows; i++)
    if (isfinite(c->x[i]) && (c->x[i] != floor(c->x[i]) || fabs(c->x[i]) >= 1e9))
      return false;
  return true;
}

/* The numbers of the column NAME_error that belongs to NAME_mean; NULL if there is none. */
static const double *error_of(const cst_table *t, const cst_table_column *c) {
  char         name[112];
  const size_t length = strlen(c->name);
  if (length < 6 || strcmp(c->name + length - 5, "_mean"))
    return NULL;
  snprintf(name, sizeof name, "%.*s_error", (int)(length - 5), c->name);
  return cst_table_numbers(t, name);
}

static cst_table_digits digits_of(const char *name) {
  if (cst_text_begins(name, "order") || cst_text_begins(name, "rate") || strstr(name, "exponent"))
    return CST_DIGITS_FIXED;
  if (!strcmp(name, "step") || !strcmp(name, "step_taken") || !strcmp(name, "end"))
    return CST_DIGITS_SHORTEST;
  return CST_DIGITS_THREE;
}

enum { LEAST_PLACES = 3, MOST_PLACES = 17 };

/* Four digits where they are all that the number has. */
static void number_of_places(double x, int places, char *out, size_t n) {
  snprintf(out, n, "%.4g", x);
  if (places != 4 && strtod(out, NULL) != x)
    snprintf(out, n, "%.*g", places, x);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The fewest digits with which no two different numbers look alike. Rounding keeps their order, so neighbours
 * tell. */
static int places_of(const cst_table_column *c, long rows) {
  char    a[40], b[40];
  int     places = LEAST_PLACES;
  double *x = cst_need(malloc(sizeof *x * (size_t)(rows + 1)));
  memcpy(x, c->x, sizeof *x * (size_t)rows);
  qsort(x, (size_t)rows, sizeof *x, compare);
  for (long i = 1; i < rows && places < MOST_PLACES;) {
    number_of_places(x[i - 1], places, a, sizeof a);
    number_of_places(x[i], places, b, sizeof b);
    const bool alike = x[i] > x[i - 1] && !strcmp(a, b);
    places += alike;
    i += !alike;
  }
  free(x);
  return places;
}

void cst_table_look(cst_table *t) {
  for (int k = 0; k < t->n; k++) {
    cst_table_column *c = &t->col[k];
    if (c->text)
      continue;
    c->error = error_of(t, c);
    c->digits = digits_of(c->name);
    if (c->digits == CST_DIGITS_THREE && is_whole(c, t->rows))
      c->digits = CST_DIGITS_WHOLE;
    if (c->digits != CST_DIGITS_THREE || !c->swept)
      continue;
    c->digits = CST_DIGITS_DISTINCT;
    c->places = places_of(c, t->rows);
  }
}

/* Prints x with the digits that correspond to two digits of the error. */
static void number_with_error(double x, double error, char *out, size_t n) {
  const double digits = 2 + floor(log10(fabs(x))) - floor(log10(error));
  snprintf(out, n, "%.*g", digits < 3 ? 3 : digits > 15 ? 15 : (int)digits, x);
}

static void compact_number(const cst_table_column *c, long row, char *out, size_t n) {
  const double x = c->x[row];
  if (isnan(x))
    snprintf(out, n, "-");
  else if (c->error && c->error[row] > 0 && x != 0 && isfinite(x))
    number_with_error(x, c->error[row], out, n);
  else if (c->digits == CST_DIGITS_FIXED)
    snprintf(out, n, "%.3f", x);
  else if (c->digits == CST_DIGITS_SHORTEST)
    cst_text_shortest(x, out, n);
  else if (c->digits == CST_DIGITS_DISTINCT)
    number_of_places(x, c->places, out, n);
  else
    snprintf(out, n, c->digits == CST_DIGITS_WHOLE ? "%.0f" : "%.3g", x);
}

double cst_table_left(const cst_table *t, int k, long row) {
  const cst_table_column *c = &t->col[k];
  char                    name[sizeof c->name + 16];
  if (strcmp(c->role, "verdict") || !c->text || strcmp(c->text[row], "undecided"))
    return 0;
  snprintf(name, sizeof name, "%.*send_change", (int)(strlen(c->name) - strlen("verdict")),
           c->name);
  const double *change = cst_table_numbers(t, name);
  return change && change[row] >= CST_TABLE_LEFT ? change[row] : 0;
}

void cst_table_cell(const cst_table *t, int k, long row, bool exact, char *out) {
  const cst_table_column *c = &t->col[k];
  const double            left = exact ? 0 : cst_table_left(t, k, row);
  if (left > 0)
    snprintf(out, CST_TABLE_CELL, "%s(%.2g)", c->text[row], left);
  else if (c->text)
    snprintf(out, CST_TABLE_CELL, "%s", *c->text[row] || exact ? c->text[row] : "-");
  else if (exact)
    exact_number(c->x[row], out, CST_TABLE_CELL);
  else
    compact_number(c, row, out, CST_TABLE_CELL);
}
