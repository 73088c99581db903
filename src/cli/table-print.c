/* table-print.c: the formats of a table: text for the terminal with notes below it, CSV (RFC 4180) and JSON
 * with all digits for other programs, and the cells of formats that are written elsewhere. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/result/failure.h"

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

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
      cst_text_json(k->name, stdout);
      fputs(": ", stdout);
      cst_table_cell(t, c->shown[i], row, true, s);
      if (k->text)
        cst_text_json(s, stdout);
      else
        fputs(isfinite(k->x[row]) ? s : "null", stdout);
    }
    putchar('}');
  }
  puts("\n]");
}

/* ---- cells ----------------------------------------------------------------------------------- */

void cst_table_cells_print(const cst_table *t, const cst_table_choice *c, FILE *out) {
  char s[CST_TABLE_CELL];
  bool first = true;
  fputs("{\"names\": [", out);
  for (int i = 0; i < c->n; i++) {
    fputs(i ? ", " : "", out);
    cst_text_json(t->name[c->shown[i]], out);
  }
  fputs("], \"numbers\": [", out);
  for (int i = 0; i < c->n; i++)
    fprintf(out, "%s%s", i ? ", " : "", t->col[c->shown[i]].x ? "true" : "false");
  fputs("], \"rows\": [", out);
  for (long row = 0; row < t->rows; row++) {
    for (int i = 0; c->keep[row] && i < c->n; i++) {
      fputs(i ? ", " : first ? "[" : ", [", out);
      cst_table_cell(t, c->shown[i], row, false, s);
      cst_text_json(s, out);
    }
    if (c->keep[row])
      fputs("]", out);
    first &= !c->keep[row];
  }
  fputs("]}", out);
}

/* ---- text, with notes on failures, steps and maxima below it --------------------------------- */

static int width(const char *s) {
  int n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xC0) != 0x80;
  return n;
}

static void put_aligned(const char *s, int wide, bool right, bool last) {
  int gap = wide - width(s);
  printf("%*s%s%*s%s", right ? gap : 0, "", s, right || last ? 0 : gap, "", last ? "\n" : "  ");
}

/* Prints a note where maxima were not taken at every step. */
static void print_observed(const cst_table *t, const cst_table_choice *c) {
  const double *observe = cst_table_numbers(t, "observe");
  double        most = 1;
  bool          shows_maxima = false, all = true;
  for (int i = 0; i < c->n; i++)
    shows_maxima |= cst_text_ends(t->name[c->shown[i]], "_max") ||
                    cst_text_ends(t->name[c->shown[i]], "_min") ||
                    !strcmp(t->name[c->shown[i]], "displacement");
  for (long row = 0; observe && row < t->rows; row++)
    if (c->keep[row])
      most = fmax(most, observe[row]);
  for (long row = 0; observe && row < t->rows; row++)
    all &= !c->keep[row] || observe[row] == most;
  if (shows_maxima && most > 1)
    printf("\nMaxima are over one step in %.0f%s; `observe: every` takes all of them.\n", most,
           all ? "" : " where runs are long");
}

/* Prints a note where NAME_max means another thing than in results of today. */
static void print_changes(const cst_table *t, const cst_table_choice *c) {
  for (int i = 0; i < c->n; i++)
    if (t->col[c->shown[i]].change) {
      printf("\n%s and its like are the largest |x - x(0)| of expressions: an earlier program made "
             "this file. Now it is NAME_change, and NAME_max is the largest value.\n",
             t->name[c->shown[i]]);
      return;
    }
}

/* Prints the number of failures in the rows that are shown; files of earlier releases have no reasons. */
static void print_failed(const cst_table *t, const cst_table_choice *c) {
  const double *failed = cst_table_numbers(t, "failed");
  const double *members = cst_table_numbers(t, "members");
  const int     why = cst_table_find(t, "failures");
  double        sum = 0, all = 0;
  cst_failures  f = {{0}};
  char          text[CST_FAILURE_TEXT];
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row])
      continue;
    if (members && members[row] > 0)
      all += members[row];
    if (!failed || !(failed[row] > 0))
      continue;
    sum += failed[row];
    if (why >= 0 && t->col[why].text)
      cst_failures_hear(&f, t->col[why].text[row]);
  }
  if (!(sum > 0))
    return;
  cst_failures_say(&f, text, sizeof text);
  printf("\n%.0f of %.0f trajectories failed%s%s%s; %s\n", sum, all, *text ? " (" : "", text,
         *text ? ")" : "",
         f.of[CST_NO_REFERENCE] ? "those without a finite reference enter all numbers but the "
                                  "errors, the rest none. /final/status and /error tell which."
                                : "they enter no number of the others. /final/status tells which.");
}

/* Prints what the numbers behind undecided verdicts are. */
static void print_left(const cst_table *t, const cst_table_choice *c) {
  for (int i = 0; i < c->n; i++)
    for (long row = 0; row < t->rows; row++)
      if (c->keep[row] && cst_table_left(t, c->shown[i], row) > 0) {
        printf(
            "\nundecided(%.2g): at the end the quantity is so far from its start, over its scale "
            "(column NAME_end_change).\n",
            cst_table_left(t, c->shown[i], row));
        return;
      }
}

/* Prints the number of trajectories that events have ended in the rows that are shown. */
static void print_stopped(const cst_table *t, const cst_table_choice *c) {
  const double *stopped = cst_table_numbers(t, "stopped");
  const double *members = cst_table_numbers(t, "members");
  double        sum = 0, all = 0;
  for (long row = 0; stopped && row < t->rows; row++) {
    sum += c->keep[row] && stopped[row] > 0 ? stopped[row] : 0;
    all += c->keep[row] && members ? members[row] : 0;
  }
  if (sum > 0)
    printf("\n%.0f of %.0f trajectories were ended by an event. They have not failed; they enter "
           "maxima up to "
           "there, and no means, errors and verdicts.\n",
           sum, all);
}

/* Prints a note where statistics leave out members that did not fail; the first such row is the example. */
static void print_undefined(const cst_table *t, const cst_table_choice *c) {
  const int k = cst_table_find(t, "undefined");
  long      row = 0;
  if (k < 0 || !t->col[k].text)
    return;
  while (row < t->rows && (!c->keep[row] || !*t->col[k].text[row]))
    row++;
  if (row < t->rows)
    printf(
        "\nObservables are not a number along trajectories that did not fail (column undefined): "
        "%s.\nStatistics of the values at the end leave out members without a value there; maxima "
        "and "
        "averages over time leave out all of these members.\n",
        t->col[k].text[row]);
}

/* Prints a note where means leave out members that failed. */
static void print_survivors(const cst_table *t, const cst_table_choice *c) {
  static const char flag[] = "_flag";
  for (int k = 0; k < t->n; k++) {
    const char  *name = t->col[k].name;
    const size_t n = strlen(name);
    const size_t ending = sizeof flag - 1;
    for (long row = 0; row < t->rows; row++) {
      if (!c->keep[row] || !t->col[k].text || n < ending || strcmp(name + n - ending, flag) ||
          strcmp(t->col[k].text[row], "biased"))
        continue;
      printf(
          "\nMeans are biased: they are over the members that did not fail, which may differ from "
          "the others (columns NAME_survivors, NAME_flag).\n");
      return;
    }
  }
}

static bool shows(const cst_table_choice *c, int column) {
  for (int i = 0; i < c->n; i++)
    if (c->shown[i] == column)
      return true;
  return false;
}

/* Prints a note where steps are shown and some were run with another length; the first such row is the
 * example. */
static void print_taken(const cst_table *t, const cst_table_choice *c) {
  const double *step = cst_table_numbers(t, "step");
  const double *taken = cst_table_numbers(t, "step_taken");
  const double *end = cst_table_numbers(t, "end");
  long          row = 0;
  char          written[32], run[32], last[32];
  if (!step || !taken || !end || !shows(c, cst_table_find(t, "step")))
    return;
  while (row < t->rows && (!c->keep[row] || !(step[row] != taken[row])))
    row++;
  if (row == t->rows)
    return;
  cst_text_shortest(step[row], written, sizeof written);
  cst_text_shortest(taken[row], run, sizeof run);
  cst_text_shortest(end[row], last, sizeof last);
  printf("\nA step is run as the number of 20 bits next to it: %s as %s, to t = %s (columns "
         "step_taken and "
         "end;\n"
         "`roundoff: {dyadic-steps: false}` takes steps as they are written).\n",
         written, run, last);
}

/* The place of the answer of a work-precision study. */
static void print_cheapest(const cst_table *t, const cst_table_choice *c) {
  if (cst_table_has_work(t) && c->n)
    printf("\nThe least cost at each accuracy: `constella table FILE --cheapest`.\n");
}

void cst_table_text_print(const cst_table *t, const cst_table_choice *c) {
  char s[CST_TABLE_CELL];
  int  wide[CST_TABLE_MOST];
  for (int i = 0; i < c->n; i++) {
    wide[i] = width(t->name[c->shown[i]]);
    for (long row = 0; row < t->rows; row++) {
      if (!c->keep[row])
        continue;
      cst_table_cell(t, c->shown[i], row, false, s);
      if (width(s) > wide[i])
        wide[i] = width(s);
    }
  }
  for (int i = 0; i < c->n; i++)
    put_aligned(t->name[c->shown[i]], wide[i], t->col[c->shown[i]].x, i == c->n - 1);
  for (long row = 0; row < t->rows; row++)
    for (int i = 0; c->keep[row] && i < c->n; i++) {
      cst_table_cell(t, c->shown[i], row, false, s);
      put_aligned(s, wide[i], t->col[c->shown[i]].x, i == c->n - 1);
    }
  print_observed(t, c);
  print_changes(t, c);
  print_taken(t, c);
  print_failed(t, c);
  print_stopped(t, c);
  print_undefined(t, c);
  print_survivors(t, c);
  print_left(t, c);
  print_cheapest(t, c);
}
