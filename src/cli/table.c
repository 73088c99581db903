/* table.c: `constella table FILE`: the statistics of a result file, one row per case, for reading or for
 * other programs.
 *
 * Columns are the datasets of /statistics in the order of their creation, with the rates and times of /run
 * after evaluations_per_step. Every format prints the same list of columns and rows.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
#include "constella/diag.h"
#include "constella/record.h"
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"
#include "study/run/failure.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, CELL = 4 * CST_TEXT_WIDTH + 64 };
typedef char text_row[CST_TEXT_WIDTH + 1];

typedef struct {
  char      name[96];
  double   *x;    /* numbers, or NULL */
  text_row *text; /* text, or NULL */
} column;

typedef struct {
  column      col[MOST];
  const char *name[MOST];
  int         n;
  long        rows;
} table;

typedef struct {
  int   shown[MOST], n; /* columns in the order of printing */
  bool *keep;           /* [rows] */
} choice;

/* ---- the file ---- */

static void add_column(table *t, cst_result *r, const char *path) {
  int    ndim;
  long   extent[CST_FIELD_DIMS] = {0}, rows = -1;
  column c = {.x = cst_result_read(r, path, &ndim, extent)};
  if (c.x)
    rows = ndim == 1 ? extent[0] : -1;
  else if ((c.text = cst_result_read_text(r, path, &rows)))
    for (long i = 0; i < rows; i++) cst_text_disarm(c.text[i], 0);
  if (t->n == 0 && rows >= 0) t->rows = rows;
  if (t->n == MOST || rows < 0 || rows != t->rows) {
    free(c.x), free(c.text);
    return;
  }
  snprintf(c.name, sizeof c.name, "%s", strrchr(path, '/') + 1);
  t->col[t->n] = c;
  t->name[t->n] = t->col[t->n].name;
  t->n++;
}

static void read_table(table *t, cst_result *r) {
  char(*path)[96];
  static const char *const speeds[] = {"/run/steps_per_second", "/run/cpu_seconds", "/run/cpu_seconds_most"};
  bool                     there = false;
  int                      n = cst_result_list(r, "/statistics", &path);
  for (int i = 0; i < n; i++) {
    add_column(t, r, path[i]);
    if (strcmp(path[i], "/statistics/evaluations_per_step")) continue;
    for (int k = 0; k < 3; k++) add_column(t, r, speeds[k]);
    there = true;
  }
  for (int k = 0; k < 3 && !there && t->n; k++) add_column(t, r, speeds[k]);
  free(path);
}

static void free_table(table *t) {
  for (int i = 0; i < t->n; i++) free(t->col[i].x), free(t->col[i].text);
  free(t);
}

static int find(const table *t, const char *name) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->name[i], name)) return i;
  return -1;
}

/* ---- cells ---- */

static void exact_number(double x, char *out, size_t n) {
  if (isnan(x))
    snprintf(out, n, "nan");
  else if (fabs(x) < 1e15 && x == floor(x))
    snprintf(out, n, "%.0f", x + 0.0);
  else
    cst_text_shortest(x, out, n);
}

static bool whole(const column *c, long rows) {
  for (long i = 0; i < rows; i++)
    if (isfinite(c->x[i]) && (c->x[i] != floor(c->x[i]) || fabs(c->x[i]) >= 1e9)) return false;
  return true;
}

/* The column NAME_error that belongs to NAME_mean; NULL if there is none. */
static const column *error_of(const table *t, const column *c) {
  char         name[112];
  const size_t length = strlen(c->name);
  if (length < 6 || strcmp(c->name + length - 5, "_mean")) return NULL;
  snprintf(name, sizeof name, "%.*s_error", (int)(length - 5), c->name);
  const int k = find(t, name);
  return k < 0 ? NULL : &t->col[k];
}

/* Prints x with the digits that correspond to two digits of the error. */
static void number_with_error(double x, double error, char *out, size_t n) {
  const double digits = 2 + floor(log10(fabs(x))) - floor(log10(error));
  snprintf(out, n, "%.*g", digits < 3 ? 3 : digits > 15 ? 15 : (int)digits, x);
}

static void compact_number(const table *t, const column *c, long row, char *out, size_t n) {
  const double  x = c->x[row];
  const column *error = error_of(t, c);
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

static void cell(const table *t, int k, long row, bool exact, char *out) {
  const column *c = &t->col[k];
  if (c->text)
    snprintf(out, CELL, "%s", *c->text[row] || exact ? c->text[row] : "-");
  else if (exact)
    exact_number(c->x[row], out, CELL);
  else
    compact_number(t, c, row, out, CELL);
}

/* ---- formats ---- */

static int width(const char *s) {
  int n = 0;
  for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
  return n;
}

static void put_aligned(const char *s, int wide, bool right, bool last) {
  int gap = wide - width(s);
  printf("%*s%s%*s%s", right ? gap : 0, "", s, right || last ? 0 : gap, "", last ? "\n" : "  ");
}

/* Prints a note where maxima were not taken at every step. */
static void print_observed(const table *t, const choice *c) {
  const int observe = find(t, "observe");
  double    most = 1;
  bool      shows_maxima = false, all = true;
  for (int i = 0; i < c->n; i++)
    shows_maxima |=
        cst_text_ends(t->name[c->shown[i]], "_max") || !strcmp(t->name[c->shown[i]], "displacement");
  for (long row = 0; observe >= 0 && row < t->rows; row++)
    if (c->keep[row]) most = fmax(most, t->col[observe].x[row]);
  for (long row = 0; observe >= 0 && row < t->rows; row++)
    all &= !c->keep[row] || t->col[observe].x[row] == most;
  if (shows_maxima && most > 1)
    printf("\nMaxima are over one step in %.0f%s; `observe: every` takes all of them.\n", most,
           all ? "" : " where runs are long");
}

/* Prints the number of failures in the rows that are shown; files of earlier releases have no reasons. */
static void print_failed(const table *t, const choice *c) {
  const int    failed = find(t, "failed"), why = find(t, "failures"), members = find(t, "members");
  double       sum = 0, all = 0;
  cst_failures f = {{0}};
  char         text[CST_FAILURE_TEXT];
  for (long row = 0; failed >= 0 && t->col[failed].x && row < t->rows; row++) {
    if (!c->keep[row] || !(t->col[failed].x[row] > 0)) continue;
    sum += t->col[failed].x[row];
    if (why >= 0 && t->col[why].text) cst_failures_hear(&f, t->col[why].text[row]);
  }
  for (long row = 0; members >= 0 && t->col[members].x && row < t->rows; row++)
    if (c->keep[row] && t->col[members].x[row] > 0) all += t->col[members].x[row];
  cst_failures_say(&f, text, sizeof text);
  if (sum > 0)
    printf("\n%.0f of %.0f trajectories failed%s%s%s; they enter no number of the others. /final/status "
           "tells which.\n",
           sum, all, *text ? " (" : "", text, *text ? ")" : "");
}

static bool shows(const choice *c, int column) {
  for (int i = 0; i < c->n; i++)
    if (c->shown[i] == column) return true;
  return false;
}

/* Prints a note where steps are shown and some were run with another length; the first such row is the
 * example. */
static void print_taken(const table *t, const choice *c) {
  const int step = find(t, "step"), taken = find(t, "step_taken"), end = find(t, "end");
  long      row = 0;
  char      written[32], run[32], last[32];
  if (step < 0 || taken < 0 || end < 0 || !t->col[step].x || !t->col[taken].x || !t->col[end].x) return;
  if (!shows(c, step)) return;
  while (row < t->rows && (!c->keep[row] || !(t->col[step].x[row] != t->col[taken].x[row]))) row++;
  if (row == t->rows) return;
  cst_text_shortest(t->col[step].x[row], written, sizeof written);
  cst_text_shortest(t->col[taken].x[row], run, sizeof run);
  cst_text_shortest(t->col[end].x[row], last, sizeof last);
  printf("\nA step is run as the number of 20 bits next to it: %s as %s, to t = %s (columns step_taken and "
         "end;\n"
         "`roundoff: {dyadic-steps: false}` takes steps as they are written).\n",
         written, run, last);
}

static void print_text(const table *t, const choice *c) {
  char s[CELL];
  int  wide[MOST];
  for (int i = 0; i < c->n; i++) {
    wide[i] = width(t->name[c->shown[i]]);
    for (long row = 0; row < t->rows; row++) {
      if (!c->keep[row]) continue;
      cell(t, c->shown[i], row, false, s);
      if (width(s) > wide[i]) wide[i] = width(s);
    }
  }
  for (int i = 0; i < c->n; i++)
    put_aligned(t->name[c->shown[i]], wide[i], t->col[c->shown[i]].x, i == c->n - 1);
  for (long row = 0; row < t->rows; row++)
    for (int i = 0; c->keep[row] && i < c->n; i++) {
      cell(t, c->shown[i], row, false, s);
      put_aligned(s, wide[i], t->col[c->shown[i]].x, i == c->n - 1);
    }
  print_observed(t, c);
  print_taken(t, c);
  print_failed(t, c);
}

static void put_csv(const char *s, bool last) {
  size_t n = strlen(s);
  if (strpbrk(s, ",\"\r\n") || (n && (s[0] == ' ' || s[n - 1] == ' '))) {
    putchar('"');
    for (; *s; s++) {
      if (*s == '"') putchar('"');
      putchar(*s);
    }
    putchar('"');
  } else {
    fputs(s, stdout);
  }
  putchar(last ? '\n' : ',');
}

static void print_csv(const table *t, const choice *c) {
  char s[CELL];
  for (int i = 0; i < c->n; i++) put_csv(t->name[c->shown[i]], i == c->n - 1);
  for (long row = 0; row < t->rows; row++)
    for (int i = 0; c->keep[row] && i < c->n; i++) {
      cell(t, c->shown[i], row, true, s);
      put_csv(s, i == c->n - 1);
    }
}

static void put_json(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') putchar('\\');
    putchar(*s);
  }
  putchar('"');
}

static void print_json(const table *t, const choice *c) {
  char        s[CELL];
  const char *between = "\n";
  putchar('[');
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row]) continue;
    printf("%s  {", between);
    between = ",\n";
    for (int i = 0; i < c->n; i++) {
      const column *k = &t->col[c->shown[i]];
      if (i) fputs(", ", stdout);
      put_json(k->name);
      fputs(": ", stdout);
      cell(t, c->shown[i], row, true, s);
      if (k->text)
        put_json(s);
      else
        fputs(isfinite(k->x[row]) ? s : "null", stdout);
    }
    putchar('}');
  }
  puts("\n]");
}

static void put_markdown(const char *s) {
  for (; *s; s++) {
    if (strchr("|\\`*_<>[]", *s)) putchar('\\');
    putchar(*s);
  }
}

static void print_markdown(const table *t, const choice *c) {
  char s[CELL];
  for (int i = 0; i < c->n; i++) {
    fputs("| ", stdout);
    put_markdown(t->name[c->shown[i]]);
    putchar(' ');
  }
  puts("|");
  for (int i = 0; i < c->n; i++) fputs(t->col[c->shown[i]].x ? "| ---: " : "| --- ", stdout);
  puts("|");
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row]) continue;
    for (int i = 0; i < c->n; i++) {
      cell(t, c->shown[i], row, false, s);
      fputs("| ", stdout);
      put_markdown(s);
      putchar(' ');
    }
    puts("|");
  }
}

static void put_latex(const char *s) {
  for (; *s; s++) {
    if (strchr("&%$#_{}", *s)) {
      putchar('\\');
      putchar(*s);
    } else if (*s == '\\')
      fputs("\\textbackslash{}", stdout);
    else if (*s == '~')
      fputs("\\textasciitilde{}", stdout);
    else if (*s == '^')
      fputs("\\textasciicircum{}", stdout);
    else if (strchr("<>|", *s))
      printf("$%s$", *s == '|' ? "|" : *s == '<' ? "<" : ">");
    else
      putchar(*s);
  }
}

static void put_latex_number(const char *s) {
  const char *e = strchr(s, 'e');
  if (!isdigit((unsigned char)s[s[0] == '-']))
    fputs(!strcmp(s, "-") ? "--" : *s == '-' ? "$-\\infty$" : "$\\infty$", stdout);
  else if (e)
    printf("$%.*s\\cdot 10^{%d}$", (int)(e - s), s, atoi(e + 1));
  else
    printf("$%s$", s);
}

static void print_latex(const table *t, const choice *c) {
  char s[CELL];
  fputs("\\begin{tabular}{", stdout);
  for (int i = 0; i < c->n; i++) putchar(t->col[c->shown[i]].x ? 'r' : 'l');
  puts("}\n\\hline");
  for (int i = 0; i < c->n; i++) {
    fputs(i ? " & " : "", stdout);
    put_latex(t->name[c->shown[i]]);
  }
  puts(" \\\\\n\\hline");
  for (long row = 0; row < t->rows; row++) {
    if (!c->keep[row]) continue;
    for (int i = 0; i < c->n; i++) {
      cell(t, c->shown[i], row, false, s);
      fputs(i ? " & " : "", stdout);
      if (t->col[c->shown[i]].x)
        put_latex_number(s);
      else
        put_latex(s);
    }
    puts(" \\\\");
  }
  puts("\\hline\n\\end{tabular}");
}

static const char *const format_names[] = {"text", "csv", "json", "markdown", "latex"};
enum { TEXT, CSV, JSON, MARKDOWN, LATEX, FORMATS };
static void (*const print[FORMATS])(const table *, const choice *) = {print_text, print_csv, print_json,
                                                                      print_markdown, print_latex};

/* ---- which columns, which rows ---- */

static void unknown_column(cst_diag *d, const char *word, const table *t) {
  cst_diag_add(d, NULL, 0, 0, "unknown column '%s'; allowed: %s%s", word, cst_diag_join(t->name, t->n),
               cst_diag_guess(word, t->name, t->n));
}

/* Chooses columns by names separated by commas; unknown names are errors in d, or left out where d is NULL.
 */
static void choose_columns(choice *c, const table *t, const char *names, cst_diag *d) {
  while (names && c->n < MOST) {
    char word[96];
    names += strspn(names, " \n");
    size_t n = strcspn(names, ","), m = n < sizeof word ? n : sizeof word - 1;
    while (m && names[m - 1] == ' ') m--;
    memcpy(word, names, m);
    word[m] = 0;
    names = names[n] ? names + n + 1 : NULL;
    int k = find(t, word);
    if (k >= 0)
      c->shown[c->n++] = k;
    else if (d)
      unknown_column(d, word, t);
  }
}

static void choose_all(choice *c, const table *t) {
  for (c->n = 0; c->n < t->n; c->n++) c->shown[c->n] = c->n;
}

static const char *const operators[] = {"==", "!=", "<=", ">=", "=", "<", ">"}; /* the longer ones first */

static bool holds(const char *op, int sign, bool both) {
  if (*op == '!') return sign || !both;
  if (!both) return false;
  if (*op == '<') return sign < 0 || (op[1] && !sign);
  if (*op == '>') return sign > 0 || (op[1] && !sign);
  return !sign;
}

/* NaN only equals nan, and is not comparable with any other number. */
static bool fulfils(const column *c, long row, const char *op, const char *value, double x) {
  if (c->text) return holds(op, strcmp(c->text[row], value), true);
  double y = c->x[row];
  if (isnan(x) || isnan(y)) return strchr("<>", *op) ? false : holds(op, 0, isnan(x) && isnan(y));
  return holds(op, (y > x) - (y < x), true);
}

static void apply(choice *c, const table *t, const char *name, const char *op, const char *value,
                  cst_diag *d) {
  int    k = find(t, name);
  char  *end = NULL;
  double x = strtod(value, &end);
  if (k < 0) return unknown_column(d, name, t);
  if (t->col[k].x && (!*value || *end))
    return cst_diag_add(d, NULL, 0, 0, "--where: column %s holds numbers, not \"%s\"", name, value);
  for (long row = 0; row < t->rows; row++)
    c->keep[row] = c->keep[row] && fulfils(&t->col[k], row, op, value, x);
}

static const char *blanks(const char *s) { return s + strspn(s, " \t\n"); }

/* Reads a value, which is quoted or ends at a comma or the word `and` outside brackets, because labels of
 * methods contain commas. NULL: no closing quote.
 */
static const char *scan_value(const char *s, char *value, size_t room) {
  size_t n = 0;
  if (*s == '"' || *s == '\'') {
    const char *end = strchr(s + 1, *s);
    if (!end) return NULL;
    snprintf(value, room, "%.*s", (int)(end - s - 1), s + 1);
    return end + 1;
  }
  for (int depth = 0; s[n]; n++) {
    depth += (s[n] == '(') - (s[n] == ')');
    if (depth <= 0 && (s[n] == ',' || cst_text_begins(s + n, " and "))) break;
  }
  snprintf(value, room, "%.*s", (int)n, s);
  for (size_t m = strlen(value); m && value[m - 1] == ' '; m--) value[m - 1] = 0;
  return s + n;
}

static void choose_rows(choice *c, const table *t, const char *where, cst_diag *d) {
  for (const char *s = where ? blanks(where) : ""; where;) {
    char        name[96], value[CELL];
    const char *op = NULL;
    size_t      n = strcspn(s, " =!<>");
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    s = blanks(s + n);
    for (int i = 0; !op && i < 7; i++)
      if (cst_text_begins(s, operators[i])) op = operators[i];
    if (!n || !op)
      return cst_diag_add(d, NULL, 0, 0,
                          "--where: \"%s\": column OP value is expected, OP one of = != < <= > >=", where);
    s = scan_value(blanks(s + strlen(op)), value, sizeof value);
    if (!s) return cst_diag_add(d, NULL, 0, 0, "--where: \"%s\": a quote is not closed", where);
    apply(c, t, name, op, value, d);
    s = blanks(s);
    if (!*s) return;
    if (*s != ',' && !cst_text_begins(s, "and "))
      return cst_diag_add(d, NULL, 0, 0, "--where: \"%s\": a comma or `and` is expected before \"%s\"", where,
                          s);
    s = blanks(s + (*s == ',' ? 1 : 4));
  }
}

/* ---- the command ---- */

typedef struct {
  const char *file, *format, *columns, *where;
} request;

static int find_format(const char *name) {
  int k = 0;
  while (strcmp(name, format_names[k])) k++;
  return k;
}

/* csv and json have all columns by default, the others those that the study lists as most useful. */
static void choose(choice *c, const table *t, cst_result *r, const request *q, int format, cst_diag *d) {
  char *useful = cst_result_text(r, "/statistics", "columns");
  c->keep = cst_need(malloc((size_t)t->rows + 1));
  memset(c->keep, true, (size_t)t->rows + 1);
  if (q->columns && strcmp(q->columns, "all"))
    choose_columns(c, t, q->columns, d);
  else if (!q->columns && useful && format != CSV && format != JSON)
    choose_columns(c, t, useful, NULL);
  if (!c->n) choose_all(c, t);
  choose_rows(c, t, q->where, d);
  free(useful);
}

static void show(cst_result *r, const request *q, int format, cst_diag *d) {
  table *t = cst_need(calloc(1, sizeof *t));
  choice c = {.n = 0};
  read_table(t, r);
  if (!t->n)
    cst_diag_add(d, q->file, 0, 0, "holds no table: the group /statistics is missing or empty");
  else
    choose(&c, t, r, q, format, d);
  const char *state = cst_result_state(r);
  if (!cst_diag_count(d)) {
    print[format](t, &c);
    fflush(stdout);
    const char *so = *state == 'r' ? "is not finished" : "was interrupted";
    if (strcmp(state, "complete"))
      fprintf(stderr, "constella: %s: the run %s; rows may be empty\n", q->file, so);
  }
  free(c.keep);
  free_table(t);
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
  if (bad) return 2;
  if (!fflush(stdout) && !ferror(stdout)) return 0;
  fprintf(stderr, "constella: error: the table cannot be written\n");
  return 1;
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(request, file), .doc = "a result",
     .takes = "a result"},
    {"--format", .value = "text|csv|json|markdown|latex", .standard = "text", .at = offsetof(request, format),
     .doc = "how the table is written; csv and json have all digits"},
    {"--columns", .value = "NAME,...", .at = offsetof(request, columns),
     .doc = "these columns, or `all`; default: all in csv and json, else the most useful ones"},
    {"--where", .value = "CONDITIONS", .at = offsetof(request, where),
     .doc = "only rows that fulfil them: column = != < <= > >= value, joined by commas or `and`, such as "
            "'method = rattle and step < 0.1'"},
    {NULL},
};

const cst_command cst_command_table = {
    .name = "table",
    .doc = "The statistics of a result as a table, one row per case.",
    .option = options,
    .run = tabulate,
    .reads = true,
};
