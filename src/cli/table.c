/* table.c: `constella table FILE`: the statistics of a result file, one row per case, for reading or for
 * other programs (table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* memfd_create */
#include "cli/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cli/cli.h"
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"

static void table_destroy(cst_table *t) {
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

bool cst_table_has_work(const cst_table *t) {
  bool has = false;
  for (int k = 0; k < t->n; k++)
    has |= !strcmp(t->col[k].role, "work-at");
  return has && cst_table_find(t, "accuracy") >= 0 && cst_table_find(t, "step") >= 0;
}

/* ---- cells: all digits of a number, or those that are of use --------------------------------- */

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

static int compare_numbers(const void *a, const void *b) {
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
  qsort(x, (size_t)rows, sizeof *x, compare_numbers);
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

/* Sets error and digits of every column, once all are there. */
static void look(cst_table *t) {
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

#define TABLE_LEFT 0.1

double cst_table_left(const cst_table *t, int k, long row) {
  const cst_table_column *c = &t->col[k];
  char                    name[sizeof c->name + 16];
  if (strcmp(c->role, "verdict") || !c->text || strcmp(c->text[row], "undecided"))
    return 0;
  snprintf(name, sizeof name, "%.*send_change", (int)(strlen(c->name) - strlen("verdict")),
           c->name);
  const double *change = cst_table_numbers(t, name);
  return change && change[row] >= TABLE_LEFT ? change[row] : 0;
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

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether a column NAME_max is the largest |x - x(0)| of an expression of the study, as it was in results of earlier
 * programs. */
static bool is_change(cst_result *r, const char *path, const cst_table_column *c) {
  char  observable[128], entry[2][512];
  char *of = cst_result_text(r, path, "of");
  char *study = cst_result_text(r, "/", "study");
  char *text = NULL;
  if (of && !strcmp(c->role, "largest") && cst_text_ends(c->name, "_max")) {
    snprintf(observable, sizeof observable, "/observables/%s", of);
    text = cst_result_text(r, observable, "long_name");
  }
  bool is = text && study;
  if (is) {
    snprintf(entry[0], sizeof entry[0], "%s: %s", of, text);
    snprintf(entry[1], sizeof entry[1], "- %s\n", text); /* a name that is an expression */
    is = strstr(study, entry[0]) || (!strcmp(of, text) && strstr(study, entry[1]));
  }
  free(of);
  free(study);
  free(text);
  return is;
}

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
  c.change = is_change(r, path, &c);
  t->col[t->n] = c;
  t->name[t->n] = t->col[t->n].name;
  t->n++;
}

static cst_table *table_read(cst_result *r) {
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
  look(t);
  return t;
}

/* ---- --columns and --where ------------------------------------------------------------------- */

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

/* columns: names separated by commas, "all", or NULL: those in `usual`, where the file has
 * them. where: conditions; NULL: every row. Mistakes are reported to d. */
static void table_choose(cst_table_choice *c, const cst_table *t, const char *columns,
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

static void choice_free(cst_table_choice *c) { free(c->keep); }

/* ---- --sort ---------------------------------------------------------------------------------- */

/* The column by which rows are sorted, for qsort. */
static const cst_table_column *by;
static bool                    falls;

static bool is_empty(long row) { return by->text ? !*by->text[row] : isnan(by->x[row]); }

static int compare_rows(const void *a, const void *b) {
  const long i = *(const long *)a, k = *(const long *)b;
  int        sign = is_empty(i) - is_empty(k);
  if (!sign && !is_empty(i))
    sign = (falls ? -1 : 1) * (by->text ? strcmp(by->text[i], by->text[k])
                                        : (by->x[i] > by->x[k]) - (by->x[i] < by->x[k]));
  return sign ? sign : (i > k) - (i < k);
}

/* Puts entry order[row] at each row. */
static void permute(void *data, size_t size, const long *order, long rows) {
  char *old = cst_need(malloc(size * (size_t)rows + 1));
  memcpy(old, data, size * (size_t)rows);
  for (long row = 0; row < rows; row++)
    memcpy((char *)data + size * (size_t)row, old + size * (size_t)order[row], size);
  free(old);
}

/* Sorts all rows by a column, equal ones in their order, NaN and empty texts last. A minus sign before its name:
 * the largest first. Mistakes are reported to d. */
static void table_sort(cst_table *t, cst_table_choice *c, const char *column, cst_diag *d) {
  falls = *column == '-';
  const int k = cst_table_find(t, column + falls);
  if (k < 0) {
    cst_diag_add(d, NULL, 0, 0, "--sort: unknown column '%s'; allowed: %s%s", column + falls,
                 cst_diag_join(t->name, t->n), cst_diag_guess(column + falls, t->name, t->n));
    return;
  }
  long *order = cst_need(malloc(sizeof *order * (size_t)(t->rows + 1)));
  for (long row = 0; row < t->rows; row++)
    order[row] = row;
  by = &t->col[k];
  qsort(order, (size_t)t->rows, sizeof *order, compare_rows);
  for (int i = 0; i < t->n; i++)
    if (t->col[i].x)
      permute(t->col[i].x, sizeof *t->col[i].x, order, t->rows);
    else
      permute(t->col[i].text, sizeof *t->col[i].text, order, t->rows);
  permute(c->keep, sizeof *c->keep, order, t->rows);
  free(order);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char *const names[] = {"text", "csv", "json", "markdown", "latex", NULL};
static const struct {
  cst_table_print *print; /* NULL: analysis/constella/markup.py writes it */
  /* it has all columns by default, the others those that the study lists as most useful */
  bool complete;
} formats[] = {{cst_table_text_print, false},
               {cst_table_csv_print, true},
               {cst_table_json_print, true},
               {NULL, false},
               {NULL, false}};

typedef struct {
  const char *file, *columns, *where, *sort;
  int         format;
  bool        cheapest;
} request;

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

/* Becomes markup.py, with the cells on its standard input. Returns the exit status where it cannot. */
static int start_markup(const cst_table *t, const cst_table_choice *c, int format) {
  char        word[32];
  const char *words[] = {"markup", word, NULL};
  FILE       *cells = cst_need(fdopen(memfd_create("cells", 0), "w+"));
  snprintf(word, sizeof word, "format=%s", names[format]);
  cst_table_cells_print(t, c, cells);
  rewind(cells);
  dup2(fileno(cells), STDIN_FILENO);
  const int status = cst_analysis_start(2, words);
  fclose(cells);
  return status;
}

/* Prints what is chosen; the exit status. */
static int print(cst_table *t, cst_table_choice *c, const request *q, cst_result *r, int format,
                 cst_diag *d) {
  if (q->sort)
    table_sort(t, c, q->sort, d);
  if (cst_diag_count(d))
    return 2;
  if (formats[format].print) {
    formats[format].print(t, c);
    fflush(stdout);
  }
  tell_state(r, q->file);
  return formats[format].print ? 0 : start_markup(t, c, format);
}

/* Becomes analysis/constella/cheapest.py; the exit status where it cannot. The conditions are good. */
static int start_cheapest(const cst_table *t, const request *q, cst_result *r, cst_diag *d) {
  if (!cst_table_has_work(t))
    cst_diag_add(d, q->file, 0, 0, "--cheapest is for results of the kind work-precision");
  if (cst_diag_count(d))
    return 2;
  tell_state(r, q->file);
  return cst_analysis_start_with(&cst_command_table, q);
}

static int show(cst_result *r, const request *q, int format, cst_diag *d) {
  cst_table       *t = table_read(r);
  cst_table_choice c = {.n = 0};
  int              status = 2;
  char *useful = formats[format].complete ? NULL : cst_result_text(r, "/statistics", "columns");
  if (!t->n)
    cst_diag_add(d, q->file, 0, 0, "holds no table: the group /statistics is missing or empty");
  else
    table_choose(&c, t, q->cheapest ? NULL : q->columns, useful, q->where, d);
  if (t->n && q->cheapest && !cst_diag_count(d))
    status = start_cheapest(t, q, r, d);
  else if (t->n && !q->cheapest)
    status = print(t, &c, q, r, format, d);
  free(useful);
  choice_free(&c);
  table_destroy(t);
  return status;
}

static int tabulate(int argc, char **argv) {
  request   q = {0};
  char      why[256];
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_table, argc, argv, &q, d);
  cst_result *r = cst_diag_count(d) ? NULL : cst_result_open(q.file, why, sizeof why);
  int         status = 2;
  if (r)
    status = show(r, &q, q.format, d);
  else if (!cst_diag_count(d))
    cst_diag_add(d, q.file, 0, 0, "%s", why);
  cst_result_close(r);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return status;
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(request, file), .doc = "a result",
     .takes = "a result"},
    {"--format", .standard = "text",
     .of = {CST_VALUE_CHOICE, CST_AT(request, format), .words = names},
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
