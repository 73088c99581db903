/* table.c: `constella table FILE`: the statistics of a result file, one row per case, for reading or for
 * other programs (table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/table.h"
#include "core/text.h"

static const struct {
  const char      *name;
  cst_table_print *print;
  /* it has all columns by default, the others those that the study lists as most useful */
  bool complete;
} formats[] = {{"text", cst_table_text_print, false},
               {"csv", cst_table_csv_print, true},
               {"json", cst_table_json_print, true},
               {"markdown", cst_table_markdown_print, false},
               {"latex", cst_table_latex_print, false}};

typedef struct {
  const char *file, *format, *columns, *where, *sort;
  bool        cheapest;
} request;

static int find_format(const char *name) {
  int k = 0;
  while (strcmp(name, formats[k].name))
    k++;
  return k;
}

static void tell_state(cst_result *r, const char *file) {
  const char *state = cst_result_state(r);
  const char *so = *state == 'r' ? "is not finished" : "was interrupted";
  char       *part = cst_result_text(r, "/", "part");
  if (part)
    cst_text_disarm(part, 0);
  if (part)
    fprintf(stderr,
            "constella: %s: part %s of a study; columns are made when `constella merge` has all "
            "parts\n",
            file, part);
  else if (strcmp(state, "complete"))
    fprintf(stderr, "constella: %s: the run %s; rows may be empty\n", file, so);
  free(part);
}

/* Prints x, the whole table or that of the cheapest methods, whose rows c keeps. */
static void print(cst_table *x, cst_table_choice *c, const request *q, cst_result *r, int format,
                  cst_diag *d) {
  if (q->sort)
    cst_table_sort(x, c, q->sort, d);
  if (cst_diag_count(d))
    return;
  formats[format].print(x, c);
  fflush(stdout);
  tell_state(r, q->file);
}

static void show_cheapest(const cst_table *t, const cst_table_choice *kept, const request *q,
                          cst_result *r, int format, cst_diag *d) {
  cst_table       *x = cst_table_cheapest(t, kept);
  cst_table_choice c = {.n = 0};
  if (!x->n)
    cst_diag_add(d, q->file, 0, 0, "--cheapest is for results of the kind work-precision");
  else
    cst_table_choose(&c, x, q->columns, NULL, NULL, d);
  if (x->n)
    print(x, &c, q, r, format, d);
  cst_table_choice_free(&c);
  cst_table_destroy(x);
}

static void show(cst_result *r, const request *q, int format, cst_diag *d) {
  cst_table       *t = cst_table_read(r);
  cst_table_choice c = {.n = 0};
  char *useful = formats[format].complete ? NULL : cst_result_text(r, "/statistics", "columns");
  if (!t->n)
    cst_diag_add(d, q->file, 0, 0, "holds no table: the group /statistics is missing or empty");
  else
    cst_table_choose(&c, t, q->cheapest ? NULL : q->columns, useful, q->where, d);
  if (t->n && q->cheapest && !cst_diag_count(d))
    show_cheapest(t, &c, q, r, format, d);
  else if (t->n && !q->cheapest)
    print(t, &c, q, r, format, d);
  free(useful);
  cst_table_choice_free(&c);
  cst_table_destroy(t);
}

static int tabulate(int argc, char **argv) {
  request   q = {0};
  char      why[256];
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_table, argc, argv, &q, d);
  cst_result *r = cst_diag_count(d) ? NULL : cst_result_open(q.file, why, sizeof why);
  if (r)
    show(r, &q, find_format(q.format), d);
  else if (!cst_diag_count(d))
    cst_diag_add(d, q.file, 0, 0, "%s", why);
  cst_result_close(r);
  const bool bad = cst_diag_count(d) > 0;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return bad ? 2 : 0;
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(request, file), .doc = "a result",
     .takes = "a result"},
    {"--format", .value = "text|csv|json|markdown|latex", .standard = "text",
     .at = offsetof(request, format),
     .doc = "how the table is written; csv and json have all digits"},
    {"--columns", .value = "NAME,...", .at = offsetof(request, columns),
     .doc = "these columns, or `all`; default: all in csv and json, else the most useful ones"},
    {"--where", .value = "CONDITIONS", .at = offsetof(request, where),
     .doc = "only rows that fulfil them: column = != < <= > >= value, joined by commas or `and`, "
            "such as "
            "'method = rattle and step < 0.1'; a number may stand as the table prints it"},
    {"--sort", .value = "COLUMN", .at = offsetof(request, sort),
     .doc = "rows by this column, the smallest first; -COLUMN: the largest first"},
    {"--cheapest", .at = offsetof(request, cheapest),
     .doc = "of a work-precision study, the methods with the least cost at each accuracy instead; "
            "--columns and --sort are for this table"},
    {NULL},
};

const cst_command cst_command_table = {
    .name = "table",
    .doc = "The statistics of a result as a table, one row per case.",
    .option = options,
    .run = tabulate,
    .reads = true,
};
