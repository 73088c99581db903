/* start-csv.c: `initial: {csv: starts.csv}`: one member per row of a table. The first line names coordinates
 * (x, u[2]) and velocities (x'); the others are those of the start `around`. Empty lines, lines that begin
 * with # and a byte order mark are skipped. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/csv.h"
#include "core/need.h"
#include "study/file/starts.h"

enum { SHOWN = 40 };

/* The table being read. */
typedef struct {
  cst_reader *r;
  const char *path;
  cst_csv     lines;
  int         n, *place; /* columns and their places in a row of starts */
  bool       *taken;     /* [2 nq] */
} table;

static bool head(table *t, char *line) {
  while (line) {
    char     *name = cst_csv_cell(&line);
    const int at = cst_starts_place(t->r->s->system, name, t->n ? t->place[t->n - 1] + 1 : 0);
    if (at >= 0 && t->taken[at]) {
      cst_diag_add(t->r->d, t->path, t->lines.line, 1, "column '%.*s' appears twice", SHOWN, name);
      return false;
    }
    if (at < 0) {
      cst_diag_add(t->r->d, t->path, t->lines.line, 1,
                   "column '%.*s' is neither a coordinate of %s nor a velocity such as x'", SHOWN,
                   name, t->r->s->system->name);
      return false;
    }
    t->taken[at] = true;
    t->place[t->n++] = at;
  }
  return true;
}

static bool row(table *t, char *line, double *x) {
  int k = 0;
  for (; line; k++) {
    char  *cell = cst_csv_cell(&line);
    double value = 0;
    if (k < t->n && !cst_csv_number(cell, &value)) {
      cst_diag_add(t->r->d, t->path, t->lines.line, 1, "'%.*s' is not a finite number", SHOWN,
                   cell);
      return false;
    }
    if (k < t->n && x)
      x[t->place[k]] = value;
  }
  if (k != t->n)
    cst_diag_add(t->r->d, t->path, t->lines.line, 1,
                 "the row has %d numbers; the first line names %d columns", k, t->n);
  return k == t->n;
}

static long rows_of(const char *text) {
  char   *copy = cst_need(strdup(text));
  cst_csv lines = cst_csv_begin(copy);
  long    n = -1;
  while (cst_csv_line(&lines))
    n++;
  free(copy);
  return n;
}

static bool rows_into(table *t, cst_yaml *n, long rows) {
  cst_study *s = t->r->s;
  /* the rest is that of the base start, which may depend on the parameters */
  const bool each = t->n < 2 * s->system->nq;
  const int  variants = each ? s->nvariant : 1;
  if (!cst_starts_make(t->r, n, (double)rows, each))
    return false;
  for (long i = 0; i < rows; i++) {
    char *line = cst_csv_line(&t->lines);
    char *again = strdup(line);
    bool  good = again != NULL;
    for (int v = 0; v < variants && good; v++) {
      strcpy(again, line); /* reading a row changes its text */
      good = row(t, again, cst_starts_row(s, v, i));
    }
    free(again);
    if (!good)
      return false;
  }
  return true;
}

bool cst_starts_table(cst_reader *r, cst_yaml *n, const char *path, char *text) {
  const size_t m = 2 * (size_t)r->s->system->nq;
  table        t = {.r = r,
                    .path = path,
                    .lines = cst_csv_begin(text),
                    .place = cst_reader_memory(m, sizeof(int)),
                    .taken = cst_reader_memory(m, sizeof(bool))};
  const long   rows = rows_of(text);
  bool         good = rows >= 1;
  if (good)
    good = head(&t, cst_csv_line(&t.lines)) && rows_into(&t, n, rows);
  else
    cst_yaml_error(
        r->doc, n, r->d,
        "%s has no starts: its first line names coordinates, and each further line is a start",
        path);
  free(t.place);
  free(t.taken);
  return good;
}

const char *cst_starts_fetch_csv(const char *path, char **bytes, size_t *length) {
  char       *text;
  size_t      n;
  const char *why = cst_document_fetch(path, &text, &n);
  if (!why && strlen(text) != n) {
    free(text);
    why = "is not a text file";
  }
  if (why)
    return why;
  *bytes = text;
  *length = n;
  return NULL;
}

static bool read(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  const char *name = cst_reader_text(r, value, "csv", "the name of a file of starts");
  if (!name)
    return false;
  return cst_starts_beside(r, map, value, name, cst_starts_fetch_csv);
}

static const char *const also[] = {"sha256", NULL};

const cst_start_form cst_start_form_csv = {.key = "csv", .also = also, .read = read};
