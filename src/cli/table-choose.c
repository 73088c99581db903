/* table-choose.c: the columns and rows that --columns and --where choose. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/diag.h"
#include "core/need.h"

static void unknown_column(cst_diag *d, const char *word, const cst_table *t) {
  cst_diag_add(d, NULL, 0, 0, "unknown column '%s'; allowed: %s%s", word,
               cst_diag_join(t->name, t->n), cst_diag_guess(word, t->name, t->n));
}

/* Chooses columns by names separated by commas; unknown names are errors in d, or left out where d is NULL.
 */
static void choose_columns(cst_table_choice *c, const cst_table *t, const char *names,
                           cst_diag *d) {
  while (names && c->n < CST_TABLE_MOST) {
    char word[96];
    names += strspn(names, " \n");
    size_t n = strcspn(names, ",");
    size_t m = n < sizeof word ? n : sizeof word - 1;
    while (m && names[m - 1] == ' ')
      m--;
    memcpy(word, names, m);
    word[m] = 0;
    names = names[n] ? names + n + 1 : NULL;
    int k = cst_table_find(t, word);
    if (k >= 0)
      c->shown[c->n++] = k;
    else if (d)
      unknown_column(d, word, t);
  }
}

static void choose_all(cst_table_choice *c, const cst_table *t) {
  for (c->n = 0; c->n < t->n; c->n++)
    c->shown[c->n] = c->n;
}

static const char *const operators[] = {
    "==", "!=", "<=", ">=", "=", "<", ">"}; /* the longer ones first */

static bool holds(const char *op, int sign, bool both) {
  if (*op == '!')
    return sign || !both;
  if (!both)
    return false;
  if (*op == '<')
    return sign < 0 || (op[1] && !sign);
  if (*op == '>')
    return sign > 0 || (op[1] && !sign);
  return !sign;
}

/* NaN only equals nan, and is not comparable with any other number. A number equals the value that the table
 * prints for it, too. */
static bool fulfils(const cst_table *t, int k, long row, const char *op, const char *value,
                    double x) {
  const cst_table_column *c = &t->col[k];
  char                    printed[CST_TABLE_CELL];
  if (c->text)
    return holds(op, strcmp(c->text[row], value), true);
  double y = c->x[row];
  if (isnan(x) || isnan(y))
    return strchr("<>", *op) ? false : holds(op, 0, isnan(x) && isnan(y));
  cst_table_cell(t, k, row, false, printed);
  if (strtod(printed, NULL) == x)
    y = x;
  return holds(op, (y > x) - (y < x), true);
}

/* The error of a value that no row has: it lists the values of the rows that fulfil the other conditions. */
static void refuse_value(const cst_table *t, int k, const bool *kept, const char *value,
                         cst_diag *d) {
  enum { MOST_VALUES = 20 };
  cst_table_text cell[MOST_VALUES];
  const char    *known[MOST_VALUES];
  char           s[CST_TABLE_CELL];
  int            n = 0;
  for (long row = 0; row < t->rows && n < MOST_VALUES; row++) {
    if (!kept[row])
      continue;
    cst_table_cell(t, k, row, false, s);
    snprintf(cell[n], sizeof cell[n], "%.*s", CST_TEXT_WIDTH, s);
    known[n] = cell[n];
    int i = 0;
    while (strcmp(known[i], known[n]))
      i++;
    n += i == n;
  }
  cst_diag_add(d, NULL, 0, 0, "--where: no row has %s = %s; there are: %s%s%s", t->name[k], value,
               cst_diag_join(known, n), n == MOST_VALUES ? " ..." : "",
               t->col[k].text ? cst_diag_guess(value, known, n) : "");
}

static void apply(cst_table_choice *c, const cst_table *t, const char *name, const char *op,
                  const char *value, cst_diag *d) {
  int    k = cst_table_find(t, name);
  char  *end = NULL;
  double x = strtod(value, &end);
  if (k < 0)
    return unknown_column(d, name, t);
  if (t->col[k].x && (!*value || *end))
    return cst_diag_add(d, NULL, 0, 0, "--where: column %s holds numbers, not \"%s\"", name, value);
  long  before = 0, left = 0;
  bool *kept = cst_need(malloc((size_t)t->rows + 1));
  memcpy(kept, c->keep, (size_t)t->rows + 1);
  for (long row = 0; row < t->rows; row++) {
    before += c->keep[row];
    c->keep[row] = c->keep[row] && fulfils(t, k, row, op, value, x);
    left += c->keep[row];
  }
  if (*op == '=' && before && !left)
    refuse_value(t, k, kept, value, d);
  free(kept);
}

static const char *blanks(const char *s) { return s + strspn(s, " \t\n"); }

/* Reads a value, which is quoted or ends at a comma or the word `and` outside brackets, because labels of
 * methods contain commas. NULL: no closing quote.
 */
static const char *scan_value(const char *s, char *value, size_t room) {
  size_t n = 0;
  if (*s == '"' || *s == '\'') {
    const char *end = strchr(s + 1, *s);
    if (!end)
      return NULL;
    snprintf(value, room, "%.*s", (int)(end - s - 1), s + 1);
    return end + 1;
  }
  for (int depth = 0; s[n]; n++) {
    depth += (s[n] == '(') - (s[n] == ')');
    if (depth <= 0 && (s[n] == ',' || cst_text_begins(s + n, " and ")))
      break;
  }
  snprintf(value, room, "%.*s", (int)n, s);
  for (size_t m = strlen(value); m && value[m - 1] == ' '; m--)
    value[m - 1] = 0;
  return s + n;
}

static void choose_rows(cst_table_choice *c, const cst_table *t, const char *where, cst_diag *d) {
  for (const char *s = where ? blanks(where) : ""; where;) {
    char        name[96], value[CST_TABLE_CELL];
    const char *op = NULL;
    size_t      n = strcspn(s, " =!<>");
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    s = blanks(s + n);
    for (int i = 0; !op && i < 7; i++)
      if (cst_text_begins(s, operators[i]))
        op = operators[i];
    if (!n || !op)
      return cst_diag_add(
          d, NULL, 0, 0,
          "--where: \"%s\": column OP value is expected, OP one of = != < <= > >=", where);
    s = scan_value(blanks(s + strlen(op)), value, sizeof value);
    if (!s)
      return cst_diag_add(d, NULL, 0, 0, "--where: \"%s\": a quote is not closed", where);
    apply(c, t, name, op, value, d);
    s = blanks(s);
    if (!*s)
      return;
    if (*s != ',' && !cst_text_begins(s, "and "))
      return cst_diag_add(d, NULL, 0, 0,
                          "--where: \"%s\": a comma or `and` is expected before \"%s\"", where, s);
    s = blanks(s + (*s == ',' ? 1 : 4));
  }
}

void cst_table_choose(cst_table_choice *c, const cst_table *t, const char *columns,
                      const char *usual, const char *where, cst_diag *d) {
  c->n = 0;
  c->keep = cst_need(malloc((size_t)t->rows + 1));
  memset(c->keep, true, (size_t)t->rows + 1);
  if (columns && strcmp(columns, "all"))
    choose_columns(c, t, columns, d);
  else if (!columns && usual)
    choose_columns(c, t, usual, NULL);
  if (!c->n)
    choose_all(c, t);
  choose_rows(c, t, where, d);
}

void cst_table_choice_free(cst_table_choice *c) { free(c->keep); }
