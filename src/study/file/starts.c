/* starts.c: sweeps over starts, and members that have their own starts, in one of four forms: a list, a grid, a table and
 * the ends of an earlier result (see starts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/starts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "constella/record.h"
#include "core/boundary.h"
#include "core/csv.h"
#include "core/need.h"

typedef struct {
  const char        *key;      /* of the map `initial` */
  const char *const *also;     /* further keys of this form, terminated by NULL; NULL: none */
  bool               projects; /* its starts are always projected onto the constraints */
  bool               whole;    /* each of its starts has all coordinates and velocities */
  /* Reads the value of the key, with the base start in s->q0, s->v0; uses make and cst_starts_row.
   * False after a mistake. */
  bool (*read)(cst_reader *r, cst_yaml *map, cst_yaml *value);
} start_form;

enum { MOST_KEYS = 32, MOST_SWEPT = 10000 };
static const double most_numbers = 4e8; /* limit for all starts together */

/* ---- tables of starts ------------------------------------------------------------------------ */

double *cst_starts_row(const cst_study *s, int variant, long i) {
  const long row = (s->starts.table.each ? variant * s->starts.table.n : 0) + i;
  return s->starts.table.state + (size_t)row * 2 * (size_t)s->problem.system->nq;
}

/* Allocates n starts, each equal to the base start; each: they may differ between parameter sets. False, with
 * a message at `at`, if they are too many. */
static bool make_starts(cst_reader *r, cst_yaml *at, double n, bool each) {
  cst_study   *s = r->s;
  const size_t nq = (size_t)s->problem.system->nq;
  each |= s->starts.project; /* projections depend on the parameters */
  const int sets = each ? s->problem.nvariant : 1;
  if (n * sets * 2 * (double)nq > most_numbers) {
    cst_yaml_error(r->doc, at, r->d,
                   "%.0f starts for %d sets of parameters are too many; at most %.0f numbers in "
                   "total are allowed",
                   n, sets, most_numbers);
    return false;
  }
  s->starts.table.n = (long)n;
  s->starts.table.each = each;
  s->starts.table.state = cst_reader_memory((size_t)n * (size_t)sets * 2 * nq, sizeof(double));
  for (int v = 0; v < sets; v++)
    for (long i = 0; i < s->starts.table.n; i++) {
      double *x = cst_starts_row(s, v, i);
      memcpy(x, s->starts.q + (size_t)v * nq, nq * sizeof *x);
      memcpy(x + nq, s->starts.v + (size_t)v * nq, nq * sizeof *x);
    }
  return true;
}

int cst_starts_place(const cst_system *s, const char *name, int from) {
  const size_t length = strlen(name);
  const bool   velocity = length && name[length - 1] == '\'';
  const size_t n = length - velocity;
  for (int k = 0; k < s->nq; k++) {
    const int   i = (from + k) % s->nq;
    const char *coordinate = s->description->coordinate[i];
    const bool  same = strlen(coordinate) == n && !strncmp(coordinate, name, n);
    if (same)
      return velocity ? s->nq + i : i;
  }
  return -1;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Whether a sweep may have n starts; else a message at `at`. */
static bool allow_sweep(cst_reader *r, cst_yaml *at, double n) {
  const int sets = r->s->problem.nvariant;
  if (n <= MOST_SWEPT && n * sets <= 1e6)
    return true;
  cst_yaml_error(
      r->doc, at, r->d,
      "a sweep over %.0f starts and %d sets of parameters; at most %d starts and 1000000 of both",
      n, sets, MOST_SWEPT);
  return false;
}

/* Combines every parameter set with every start, q[n][nvariant][nq] and v, which it takes over; starts vary slowest. */
static void multiply_starts(cst_study *s, int n, double *q, double *v) {
  const size_t npar = (size_t)s->problem.system->npar;
  const size_t bytes = sizeof(double) * npar * (size_t)s->problem.nvariant;
  double *all = cst_reader_memory((size_t)n * npar * (size_t)s->problem.nvariant, sizeof(double));
  for (int i = 0; i < n; i++)
    memcpy((char *)all + (size_t)i * bytes, s->problem.parameter, bytes);
  free(s->problem.parameter);
  free(s->starts.q);
  free(s->starts.v);
  s->problem.parameter = all;
  s->starts.q = q;
  s->starts.v = v;
  s->sweep.nset = s->problem.nvariant;
  s->problem.nvariant *= n;
}

/* ---- members of a list ----------------------------------------------------------------------- */

/* `initial: {list: [default, {q: [...], v: [...]}]}`: member m has the m-th start of the list. */

static bool read_list(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_study *s = r->s;
  const int  nq = s->problem.system->nq;
  const int  n = cst_yaml_size(value);
  bool       good = true;
  (void)map;
  if (!cst_reader_list(r, value, "list", "starts", false) || !make_starts(r, value, n, true))
    return false;
  for (int i = 0; i < n && !cst_diag_full(r->d); i++) {
    cst_file_single_start(r, cst_yaml_item(value, i), "list");
    good &= r->start_known;
    for (int k = 0; k < s->problem.nvariant; k++) {
      double *x = cst_starts_row(s, k, i);
      memcpy(x, s->starts.q + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
      memcpy(x + nq, s->starts.v + (size_t)k * (size_t)nq, sizeof *x * (size_t)nq);
    }
  }
  return good;
}

static const start_form list_form = {.key = "list", .whole = true, .read = read_list};

/* ---- grids ----------------------------------------------------------------------------------- */

/* Grids in some coordinates and velocities; the others are those of the start `around`. The last
 * coordinate of the system varies fastest.
 *
 *   initial: {grid: {x: {from: -1, to: 1, count: 21}, "y'": [0, 0.1]}, around: default}    one member per point
 *   initial: {sweep: {x: {from: -1, to: 1, count: 21}}, around: default, project: true}    its own cases per point
 */

typedef struct {
  int     n;
  double *value; /* NULL: not in the grid */
  char   *name;  /* borrowed */
} axis;

static void release(axis *a, int m) {
  for (int k = 0; a && k < m; k++)
    free(a[k].value);
  free(a);
}

static bool read_axes(cst_reader *r, const char *what, cst_yaml *grid, axis *a) {
  bool good = true;
  for (int k = 0; k < cst_yaml_size(grid); k++) {
    cst_yaml   *key = cst_yaml_key(grid, k);
    const char *name = cst_yaml_text(key);
    const int   at = cst_starts_place(r->s->problem.system, name ? name : "", 0);
    if (at < 0) {
      cst_yaml_error(r->doc, key, r->d,
                     "'%s' names coordinates, x, and velocities, x'; '%s' is neither", what,
                     name ? name : "");
      good = false;
    } else {
      a[at].name = (char *)name;
      good &= cst_reader_range(r, cst_yaml_value(grid, k), name, &a[at].value, &a[at].n);
    }
  }
  return good;
}

/* The values of point i at[m], in coordinates that the grid has. */
static void point(const axis *a, int m, long i, double *at) {
  for (int k = m - 1; k >= 0; k--)
    if (a[k].value) {
      at[k] = a[k].value[i % a[k].n];
      i /= a[k].n;
    }
}

static void fill(cst_study *s, const axis *a, long n) {
  for (int v = 0; v < s->problem.nvariant; v++)
    for (long i = 0; i < n; i++)
      point(a, 2 * s->problem.system->nq, i, cst_starts_row(s, v, i));
}

/* Reads the axes of a grid, a[2 nq]; *n points. Owned; NULL after a mistake. */
static axis *grid(cst_reader *r, const char *what, cst_yaml *value, double *n) {
  const int m = 2 * r->s->problem.system->nq;
  *n = 1;
  if (!cst_yaml_is_map(value) || !cst_yaml_size(value)) {
    cst_yaml_error(r->doc, value, r->d,
                   "'%s' must be a map of coordinates, such as {x: {from: -1, to: 1, count: 21}}",
                   what);
    return NULL;
  }
  axis *a = cst_reader_memory((size_t)m, sizeof *a);
  bool  good = read_axes(r, what, value, a);
  for (int k = 0; k < m; k++)
    *n *= a[k].value ? a[k].n : 1;
  if (good)
    return a;
  release(a, m);
  return NULL;
}

static bool read_grid(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  double n;
  axis  *a = grid(r, "grid", value, &n);
  (void)map;
  const bool good = a && make_starts(r, value, n, true);
  if (good)
    fill(r->s, a, (long)n);
  release(a, 2 * r->s->problem.system->nq);
  return good;
}

static const start_form grid_form = {.key = "grid", .read = read_grid};

/* ---- sweeps over grids ----------------------------------------------------------------------- */

/* "x = 0.5, y' = 1" */
static char *label_of(const axis *a, int m, const double *at) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  for (int k = 0, n = 0; k < m; k++)
    if (a[k].value)
      fprintf(f, "%s%s = %s", n++ ? ", " : "", a[k].name, cst_reader_shortest(at[k]));
  fclose(f);
  return text;
}

/* The names of the axes, and room for their values at n starts. */
static void make_axes(cst_study *s, const axis *a, int m, int n) {
  s->sweep.axis_name = cst_reader_memory((size_t)m, sizeof *s->sweep.axis_name);
  s->sweep.axis = cst_reader_memory((size_t)m, sizeof *s->sweep.axis);
  for (int k = 0; k < m; k++)
    if (a[k].value) {
      s->sweep.axis_name[s->sweep.naxis] = cst_need(strdup(a[k].name));
      s->sweep.axis[s->sweep.naxis++] = cst_reader_memory((size_t)n, sizeof(double));
    }
}

/* Start i: its name, its place on the axes, and its values in every parameter set. */
static void make_start(cst_study *s, const axis *a, int i, double *at, double *q, double *v) {
  const int nq = s->problem.system->nq;
  point(a, 2 * nq, i, at);
  s->sweep.name[i] = label_of(a, 2 * nq, at);
  s->sweep.state[i] = -1;
  for (int k = 0, n = 0; k < 2 * nq; k++) {
    if (!a[k].value)
      continue;
    s->sweep.axis[n++][i] = at[k];
    for (int set = 0; set < s->problem.nvariant; set++)
      *(k < nq ? &q[set * nq + k] : &v[set * nq + k - nq]) = at[k];
  }
}

static bool sweep_grid(cst_reader *r, cst_yaml *map) {
  cst_study *s = r->s;
  cst_yaml  *value = cst_yaml_get(map, "sweep");
  double     n;
  cst_reader_keys(r, map, "initial", "initial", CST_START_SWEEP);
  cst_start_project(r, cst_yaml_get(map, "project"));
  cst_file_single_start(r, cst_yaml_get(map, "around"), "around");
  const bool known = r->start_known;
  axis      *a = grid(r, "sweep", value, &n);
  r->start = value;
  r->start_known = false;
  if (!a || !known || !allow_sweep(r, value, n)) {
    release(a, 2 * s->problem.system->nq);
    return false;
  }
  const size_t m = (size_t)s->problem.nvariant * (size_t)s->problem.system->nq;
  double      *q = cst_reader_memory((size_t)n * m, sizeof *q);
  double      *v = cst_reader_memory((size_t)n * m, sizeof *v);
  double      *at = cst_reader_memory(2 * (size_t)s->problem.system->nq, sizeof *at);
  s->sweep.name = cst_reader_memory((size_t)n, sizeof *s->sweep.name);
  s->sweep.state = cst_reader_memory((size_t)n, sizeof *s->sweep.state);
  make_axes(s, a, 2 * s->problem.system->nq, (int)n);
  for (s->sweep.n = 0; s->sweep.n < (int)n; s->sweep.n++) {
    const size_t first = (size_t)s->sweep.n * m;
    memcpy(q + first, s->starts.q, m * sizeof *q);
    memcpy(v + first, s->starts.v, m * sizeof *v);
    make_start(s, a, s->sweep.n, at, q + first, v + first);
  }
  free(at);
  release(a, 2 * s->problem.system->nq);
  s->starts.state = -1;
  r->start_known = true;
  multiply_starts(s, (int)n, q, v);
  return true;
}

/* ---- a table of starts ----------------------------------------------------------------------- */

/* `initial: {csv: starts.csv}`: one member per row of a table. The first line names coordinates
 * (x, u[2]) and velocities (x'); the others are those of the start `around`. Empty lines, lines that begin
 * with # and a byte order mark are skipped. */

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
    const int at =
        cst_starts_place(t->r->s->problem.system, name, t->n ? t->place[t->n - 1] + 1 : 0);
    if (at >= 0 && t->taken[at]) {
      cst_diag_add(t->r->d, t->path, t->lines.line, 1, "column '%.*s' appears twice", SHOWN, name);
      return false;
    }
    if (at < 0) {
      cst_diag_add(t->r->d, t->path, t->lines.line, 1,
                   "column '%.*s' is neither a coordinate of %s nor a velocity such as x'", SHOWN,
                   name, t->r->s->problem.system->name);
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
  const bool each = t->n < 2 * s->problem.system->nq;
  const int  variants = each ? s->problem.nvariant : 1;
  if (!make_starts(t->r, n, (double)rows, each))
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

/* Reads starts from the text of a CSV file, whose first line names coordinates and velocities. */
static bool starts_table(cst_reader *r, cst_yaml *n, const char *path, char *text) {
  const size_t m = 2 * (size_t)r->s->problem.system->nq;
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

/* Reads starts from the file `name`, relative to the study, which `fetch` converts to such a text. Stores the
 * text and its sha256, which is compared with the one in `map`. value: the node that names the file. */
static bool read_beside(cst_reader *r, cst_yaml *map, cst_yaml *value, const char *name,
                        cst_fetch *fetch) {
  cst_study *s = r->s;
  size_t     length;
  char      *path = cst_reader_beside(r, name);
  bool       good = cst_reader_fetch(r, value, fetch, path, &s->starts.table.text, &length);
  if (good) {
    cst_sha256(s->starts.table.text, length, s->starts.table.sha256);
    cst_reader_check_sum(r, cst_yaml_get(map, "sha256"), path, s->starts.table.sha256);
    char *text = strdup(s->starts.table.text);
    good = text && starts_table(r, value, path, text);
    free(text);
  }
  free(path);
  return good;
}

/* The keys of another file; owned. */
static cst_keys_of_starts keys_of_file(cst_reader *r, cst_yaml *map) {
  cst_keys_of_starts k = {.icase = -1};
  cst_reader_values(r, map, "initial", cst_study_keys(), "initial", CST_START_FILE, &k);
  return k;
}

static bool read_csv(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_keys_of_starts k = keys_of_file(r, map);
  const bool         good = k.csv && read_beside(r, map, value, k.csv, cst_starts_fetch_csv);
  free(k.csv);
  free(k.from);
  return good;
}

static const char *const also_csv[] = {"sha256", NULL};

static const start_form csv_form = {.key = "csv", .also = also_csv, .read = read_csv};

/* ---- the ends of an earlier result ----------------------------------------------------------- */

/* `initial: {from: earlier.h5, case: 3}`: members start where the members of a case of an
 * earlier result ended.
 *
 * Failed members are left out; the m-th of the others becomes member m. Velocities are M^-1 (p - a) with the
 * parameters of that case, and the start is projected onto the constraints, which removes the normal part of
 * p that some methods carry. Time starts at 0. The starts become a table as above, which the new
 * result stores.
 */

/* Arguments for the fetch, whose signature has only a path. */
static struct {
  const cst_system *system;
  long              icase; /* -1: the only case */
} asked;

/* Final states of a result. */
typedef struct {
  double *status, *q, *p, *c;
  long    ncase, members, icase;
} finals;

static void free_finals(finals *f) {
  free(f->status);
  free(f->q);
  free(f->p);
  free(f->c);
}

static const char *read_finals(cst_result *file, finals *f) {
  static char why[200];
  int         ndim;
  long        e[CST_FIELD_DIMS];
  char       *description = cst_result_text(file, "/", "system_description");
  const bool  same = description && !strcmp(description, asked.system->description->text);
  free(description);
  if (!same)
    return "has another system, or another description of it";
  if (strcmp(cst_result_state(file), "complete"))
    return "is not complete";
  f->status = cst_result_read(file, "/final/status", &ndim, e);
  if (!f->status || ndim != 2 || e[0] < 1 || e[1] < 1)
    return "has no final states";
  f->ncase = e[0];
  f->members = e[1];
  f->icase = asked.icase;
  if (f->icase < 0 && f->ncase > 1) {
    snprintf(why, sizeof why, "has %ld cases; choose one with `case: K`, 0 to %ld", f->ncase,
             f->ncase - 1);
    return why;
  }
  if (f->icase < 0)
    f->icase = 0;
  if (f->icase >= f->ncase) {
    snprintf(why, sizeof why, "has no case %ld; there are 0 to %ld", f->icase, f->ncase - 1);
    return why;
  }
  const long nq = asked.system->nq;
  const long npar = asked.system->npar;
  f->q = cst_result_read(file, "/final/q", &ndim, e);
  bool states = f->q && ndim == 3 && e[0] == f->ncase && e[1] == f->members && e[2] == nq;
  f->p = cst_result_read(file, "/final/p", &ndim, e);
  states = states && f->p && ndim == 3 && e[0] == f->ncase && e[1] == f->members && e[2] == nq;
  if (!states)
    return "has no final states of this system";
  if (!npar)
    return NULL;
  f->c = cst_result_read(file, "/cases/parameters", &ndim, e);
  const bool parameters = f->c && ndim == 2 && e[0] == f->ncase && e[1] == npar;
  if (!parameters)
    return "has no parameters of this system";
  return NULL;
}

/* Prints the table of the members that ended well; returns their number. */
static long print(const finals *f, FILE *out) {
  const cst_system *s = asked.system;
  const double     *c = f->c ? f->c + f->icase * s->npar : NULL;
  double           *v = cst_reader_memory((size_t)s->nq, sizeof *v);
  long              n = 0;
  for (int i = 0; i < s->nq; i++)
    fprintf(out, "%s%s", i ? "," : "", s->description->coordinate[i]);
  for (int i = 0; i < s->nq; i++)
    fprintf(out, ",%s'", s->description->coordinate[i]);
  fputc('\n', out);
  for (long m = 0; m < f->members; m++) {
    const long    row = f->icase * f->members + m;
    const double *q = f->q + row * s->nq;
    const double *p = f->p + row * s->nq;
    if (f->status[row] != 0)
      continue;
    if (!cst_system_velocity(s, c, q, p, v))
      continue;
    for (int i = 0; i < s->nq; i++)
      fprintf(out, "%s%.17g", i ? "," : "", q[i]);
    for (int i = 0; i < s->nq; i++)
      fprintf(out, ",%.17g", v[i]);
    fputc('\n', out);
    n++;
  }
  free(v);
  return n;
}

const char *cst_starts_fetch_result(const char *path, char **bytes, size_t *length) {
  static char why[600];
  cst_result *file = cst_result_open(path, why, sizeof why);
  finals      f = {0};
  if (!file)
    return why;
  const char *reason = read_finals(file, &f);
  if (!reason) {
    char      *text;
    size_t     size;
    FILE      *out = cst_need(open_memstream(&text, &size));
    const long n = print(&f, out);
    fclose(out);
    if (n) {
      *bytes = text;
      *length = size;
    } else {
      free(text);
      reason = "has no member of that case that ended well";
    }
  }
  free_finals(&f);
  cst_result_close(file);
  return reason;
}

static bool read_from(cst_reader *r, cst_yaml *map, cst_yaml *value) {
  cst_keys_of_starts k = keys_of_file(r, map);
  asked.system = r->s->problem.system;
  asked.icase = k.icase;
  const bool good = k.from && read_beside(r, map, value, k.from, cst_starts_fetch_result);
  free(k.csv);
  free(k.from);
  return good;
}

static const char *const also_from[] = {"case", "sha256", NULL};

static const start_form from_form = {
    .key = "from", .also = also_from, .projects = true, .whole = true, .read = read_from};

/* ---- members with their own starts ----------------------------------------------------------- */

static const start_form *const forms[] = {&list_form, &grid_form, &csv_form, &from_form};

static const start_form *form_of(cst_reader *r, cst_yaml *map) {
  const start_form *found = NULL;
  for (size_t k = 0; cst_yaml_is_map(map) && k < sizeof forms / sizeof *forms; k++) {
    cst_yaml *value = cst_yaml_get(map, forms[k]->key);
    if (value && found)
      cst_yaml_error(r->doc, value, r->d, "'initial' has both '%s' and '%s'; one is allowed",
                     found->key, forms[k]->key);
    if (value && !found)
      found = forms[k];
  }
  return found;
}

static void check_keys(cst_reader *r, cst_yaml *map, const start_form *f) {
  const char        *keys[CST_MOST_KEYS + MOST_KEYS];
  int                n = cst_keys_of(cst_study_keys(), "initial", CST_START_TABLE, keys);
  const char *const *also = f->also;
  keys[n++] = f->key;
  while (also && *also && n < CST_COUNT(keys))
    keys[n++] = *also++;
  cst_reader_map(r, map, "initial", keys, n);
}

/* The default number of members is that of starts. */
static void check_members(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!s->ensemble.members)
    s->ensemble.members = s->starts.table.n ? s->starts.table.n : 1;
  else if (s->starts.table.n && s->ensemble.members > s->starts.table.n && !cst_study_spreads(s))
    cst_yaml_error(
        r->doc, n, r->d,
        "there are %ld starts for %ld members, and no spread, so some members would be equal",
        s->starts.table.n, s->ensemble.members);
}

/* The start of member 0 becomes that of the study. */
static void take_first(cst_study *s) {
  const size_t nq = (size_t)s->problem.system->nq;
  for (int v = 0; v < s->problem.nvariant; v++) {
    memcpy(s->starts.q + (size_t)v * nq, cst_starts_row(s, v, 0), nq * sizeof(double));
    memcpy(s->starts.v + (size_t)v * nq, cst_starts_row(s, v, 0) + nq, nq * sizeof(double));
  }
}

/* A key without effect is a mistake. */
static void check_unused(cst_reader *r, cst_yaml *map, const start_form *f) {
  cst_yaml *project = cst_yaml_get(map, "project");
  cst_yaml *around = cst_yaml_get(map, "around");
  if (project && f->projects && !r->s->starts.project)
    cst_yaml_error(r->doc, project, r->d,
                   "'%s' always moves its starts to the nearest point of the constraints", f->key);
  if (around && f->whole)
    cst_yaml_error(r->doc, around, r->d,
                   "'around' has no effect: the starts of '%s' have all coordinates and velocities",
                   f->key);
}

static void read_form(cst_reader *r, cst_yaml *map, const start_form *f) {
  cst_study *s = r->s;
  check_keys(r, map, f);
  s->ensemble.members = 0;
  cst_reader_values(r, map, "initial", cst_study_keys(), "initial", CST_START_TABLE, s);
  cst_start_spread(r, cst_yaml_get(map, "spread"));
  cst_start_project(r, cst_yaml_get(map, "project"));
  check_unused(r, map, f);
  s->starts.project |= f->projects;
  cst_file_single_start(r, cst_yaml_get(map, "around"), "around");
  if (r->start_known)
    r->start_known = f->read(r, map, cst_yaml_get(map, f->key));
  if (r->start_known)
    take_first(s);
  s->starts.state = -1;
  s->ensemble.spread = cst_study_spreads(s);
  r->start = cst_yaml_get(map, f->key);
  check_members(r, cst_yaml_get(map, "members"));
}

/* ---- a sweep over a list --------------------------------------------------------------------- */

static void label(cst_reader *r, cst_yaml *item, int i) {
  char text[32];
  snprintf(text, sizeof text, "start %d", i + 1);
  r->s->sweep.name[i] = strdup(cst_yaml_is_scalar(item) ? cst_yaml_text(item) : text);
}

static bool is_repeated(cst_reader *r, cst_yaml *item, int i) {
  for (int k = 0; k < i; k++)
    if (!strcmp(r->s->sweep.name[k], r->s->sweep.name[i])) {
      cst_yaml_error(r->doc, item, r->d, "the start '%s' appears twice", r->s->sweep.name[i]);
      return true;
    }
  return false;
}

static void read_sweep(cst_reader *r, cst_yaml *list) {
  cst_study   *s = r->s;
  const int    n = cst_yaml_size(list);
  const size_t m =
      s->problem.system ? (size_t)s->problem.nvariant * (size_t)s->problem.system->nq : 0;
  bool good = cst_reader_list(r, list, "initial", "starts", false);
  good = good && allow_sweep(r, list, n);
  if (!good || !s->problem.system)
    return;
  double *q = cst_reader_memory((size_t)n * m, sizeof *q);
  double *v = cst_reader_memory((size_t)n * m, sizeof *v);
  s->sweep.name = cst_reader_memory((size_t)n, sizeof *s->sweep.name);
  s->sweep.state = cst_reader_memory((size_t)n, sizeof *s->sweep.state);
  for (int i = 0; i < n; i++) {
    cst_yaml *item = cst_yaml_item(list, i);
    cst_file_single_start(r, item, "initial");
    good &= r->start_known;
    s->sweep.n = i + 1;
    label(r, item, i);
    good = !is_repeated(r, item, i) && good;
    s->sweep.state[i] = s->starts.state;
    memcpy(q + (size_t)i * m, s->starts.q, m * sizeof *q);
    memcpy(v + (size_t)i * m, s->starts.v, m * sizeof *v);
  }
  r->start = list;
  r->start_known = good;
  multiply_starts(s, n, q, v);
}

int cst_study_state(const cst_study *s, int variant) {
  CST_REQUIRE(s && variant >= 0 && variant < s->problem.nvariant, -1);
  if (s->ensemble.spread || s->starts.table.n)
    return -1;
  return s->sweep.n ? s->sweep.state[variant / s->sweep.nset] : s->starts.state;
}

bool cst_starts_read(cst_reader *r, cst_yaml *initial) {
  if (cst_yaml_is_list(initial)) {
    read_sweep(r, initial);
    return true;
  }
  if (cst_yaml_is_map(initial) && cst_yaml_get(initial, "sweep")) {
    if (r->s->problem.system)
      sweep_grid(r, initial);
    return true;
  }
  const start_form *f = form_of(r, initial);
  if (!f)
    return false;
  if (r->s->problem.system)
    read_form(r, initial, f);
  return true;
}
