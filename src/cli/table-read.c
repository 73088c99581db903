/* table-read.c: the table of a result file (see table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

static void add_column(cst_table *t, cst_result *r, const char *path) {
  int              ndim;
  long             extent[CST_FIELD_DIMS] = {0}, rows = -1;
  cst_table_column c = {.x = cst_result_read(r, path, &ndim, extent)};
  if (c.x)
    rows = ndim == 1 ? extent[0] : -1;
  else if ((c.text = cst_result_read_text(r, path, &rows)))
    for (long i = 0; i < rows; i++)
      cst_text_disarm(c.text[i], 0);
  if (t->n == 0 && rows >= 0)
    t->rows = rows;
  if (t->n == CST_TABLE_MOST || rows < 0 || rows != t->rows) {
    free(c.x);
    free(c.text);
    return;
  }
  snprintf(c.name, sizeof c.name, "%s", strrchr(path, '/') + 1);
  char *role = cst_result_text(r, path, "role");
  c.swept = role && (!strcmp(role, "parameter") || !strcmp(role, "tolerance"));
  snprintf(c.role, sizeof c.role, "%s", role ? role : "");
  free(role);
  t->col[t->n] = c;
  t->name[t->n] = t->col[t->n].name;
  t->n++;
}

cst_table *cst_table_read(cst_result *r) {
  cst_table *t = cst_need(calloc(1, sizeof *t));
  char(*path)[96];
  static const char *const speeds[] = {"/run/steps_per_second", "/run/cpu_seconds",
                                       "/run/cpu_seconds_most"};
  bool                     there = false;
  int                      n = cst_result_list(r, "/statistics", &path);
  for (int i = 0; i < n; i++) {
    add_column(t, r, path[i]);
    if (strcmp(path[i], "/statistics/evaluations_per_step"))
      continue;
    for (int k = 0; k < 3; k++)
      add_column(t, r, speeds[k]);
    there = true;
  }
  for (int k = 0; k < 3 && !there && t->n; k++)
    add_column(t, r, speeds[k]);
  free(path);
  cst_table_look(t);
  return t;
}

void cst_table_destroy(cst_table *t) {
  for (int i = 0; i < t->n; i++) {
    free(t->col[i].x);
    free(t->col[i].text);
  }
  free(t);
}

int cst_table_find(const cst_table *t, const char *name) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->name[i], name))
      return i;
  return -1;
}

const double *cst_table_numbers(const cst_table *t, const char *name) {
  const int k = cst_table_find(t, name);
  return k < 0 ? NULL : t->col[k].x;
}
