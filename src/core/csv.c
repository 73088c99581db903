/* csv.c: lines and cells of tables (see csv.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/csv.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";

cst_csv cst_csv_begin(char *text) {
  const size_t n = strlen(byte_order_mark);
  text += strncmp(text, byte_order_mark, n) ? 0 : n;
  return (cst_csv){.text = text, .start = text};
}

char *cst_csv_line(cst_csv *x) {
  while (*x->text) {
    char *here = x->start = x->text;
    char *end = here + strcspn(here, "\n");
    x->text = *end ? end + 1 : end;
    *end = 0;
    x->line++;
    for (char *last = end; last > here && strchr(" \t\r", last[-1]);)
      *--last = 0;
    here += strspn(here, " \t");
    if (*here && *here != '#')
      return here;
  }
  return NULL;
}

char *cst_csv_cell(char **line) {
  char *here = *line;
  char *end = here + strcspn(here, ",");
  *line = *end ? end + 1 : NULL;
  *end = 0;
  here += strspn(here, " \t\"");
  char *last = here + strlen(here);
  while (last > here && strchr(" \t\"", last[-1]))
    last--;
  *last = 0;
  return here;
}

int cst_csv_column(const cst_csv *x, const char *cell) { return (int)(cell - x->start) + 1; }

/* strtod reads hexadecimal numbers too, which no table is meant to hold. */
bool cst_csv_number(const char *cell, double *value) {
  char *end;
  *value = strtod(cell, &end);
  return end != cell && !*end && isfinite(*value) && !strpbrk(cell, "xX");
}
