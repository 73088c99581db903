/* table-data.c: a table for other programs, as CSV (RFC 4180) and JSON, with all digits. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A spreadsheet takes a text that begins with one of these for a formula, which may start programs; a quote
 * before it makes it a text. */
static bool is_formula(const char *s) { return *s && strchr("=+-@\t\r", *s); }

static void put_csv(const char *s, bool number, bool last) {
  char   text[CST_TABLE_CELL + 2];
  size_t n = strlen(s);
  if (!number && is_formula(s)) {
    snprintf(text, sizeof text, "'%s", s);
    s = text;
    n++;
  }
  if (strpbrk(s, ",\"\r\n") || (n && (s[0] == ' ' || s[n - 1] == ' '))) {
    putchar('"');
    for (; *s; s++) {
      if (*s == '"')
        putchar('"');
      putchar(*s);
    }
    putchar('"');
  } else {
    fputs(s, stdout);
  }
  putchar(last ? '\n' : ',');
}

void cst_table_csv_print(const cst_table *t, const cst_table_choice *c) {
  char s[CST_TABLE_CELL];
  for (int i = 0; i < c->n; i++)
    put_csv(t->name[c->shown[i]], false, i == c->n - 1);
  for (long row = 0; row < t->rows; row++)
    for (int i = 0; c->keep[row] && i < c->n; i++) {
      cst_table_cell(t, c->shown[i], row, true, s);
      put_csv(s, t->col[c->shown[i]].x != NULL, i == c->n - 1);
    }
}

static void put_json(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      putchar('\\');
    putchar(*s);
  }
  putchar('"');
}

void cst_table_json_print(const cst_table *t, const cst_table_choice *c) {
  char        s[CST_TABLE_CELL];
  const char *between = "\n";
  putchar('[');
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row])
      continue;
    printf("%s  {", between);
    between = ",\n";
    for (int i = 0; i < c->n; i++) {
      const cst_table_column *k = &t->col[c->shown[i]];
      if (i)
        fputs(", ", stdout);
      put_json(k->name);
      fputs(": ", stdout);
      cst_table_cell(t, c->shown[i], row, true, s);
      if (k->text)
        put_json(s);
      else
        fputs(isfinite(k->x[row]) ? s : "null", stdout);
    }
    putchar('}');
  }
  puts("\n]");
}
