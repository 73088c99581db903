/* read-edges.c: the key `edges`: tables of numbers in files of their own (edge-table.h), over whose rows families of
 * constraints and sums run.
 *
 * What is read as a description has its tables behind it, so that one text says all: results, checksums and other
 * processes have the numbers too. The description ends with the first line `...`, the end of a document of YAML, that
 * a line with the size and the name of a file follows.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* memmem, asprintf */
#include <stdarg.h>
#include <string.h>
#include "core/csv.h"
#include "expr/edge-table.h"
#include "system/library.h"
#include "system/read/system-reader.h"

enum { WORD = 40 };
static const char behind[] =
    "\n...\n# table "; /* BYTES FILE\n and the bytes, or -BYTES FILE\n and a reason */

/* ---- texts with their tables ----------------------------------------------------------------- */

size_t cst_description_length(const char *text, size_t length) {
  const char *end = memmem(text, length, behind, strlen(behind));
  return end ? (size_t)(end - text) + 1 : length;
}

/* The file beside `path`. Owned. */
static char *beside(const char *path, const char *name) {
  const char *slash = *name == '/' ? NULL : strrchr(path, '/');
  const int   folder = slash ? (int)(slash - path) + 1 : 0;
  char       *joined = NULL;
  cst_need(asprintf(&joined, "%.*s%s", folder, path, name) < 0 ? NULL : joined);
  return joined;
}

static void append(FILE *to, const char *path, const char *name) {
  char       *file = beside(path, name), *bytes = NULL;
  size_t      n = 0;
  const char *why = cst_document_fetch(file, &bytes, &n);
  if (!why && strlen(bytes) != n)
    why = "is not a text file";
  if (why)
    fprintf(to, "%s-%zu %s\n%s", behind, strlen(why), name, why);
  else {
    fprintf(to, "%s%zu %s\n", behind, n, name);
    fwrite(bytes, 1, n, to);
  }
  free(bytes);
  free(file);
}

/* Appends the files that the map `edges` names. */
static void append_all(FILE *to, const char *path, cst_yaml *edges) {
  const char *name = cst_yaml_text(cst_yaml_get(edges, "file"));
  if (name && !strchr(name, '\n'))
    append(to, path, name);
  for (int k = 0; !name && k < cst_yaml_size(edges); k++) {
    name = cst_yaml_text(cst_yaml_get(cst_yaml_value(edges, k), "file"));
    if (name && !strchr(name, '\n'))
      append(to, path, name);
    name = NULL;
  }
}

const char *cst_description_fetch(const char *path, char **text, size_t *length) {
  const char *why = cst_document_fetch(path, text, length);
  if (why || cst_description_length(*text, *length) < *length || !strstr(*text, "edges"))
    return why;
  cst_diag     *unread = cst_diag_create();
  cst_document *doc = cst_document_parse(path, *text, *length, unread);
  cst_yaml     *edges = doc ? cst_yaml_get(cst_document_root(doc), "edges") : NULL;
  if (cst_yaml_is_map(edges)) {
    char  *all = NULL;
    size_t n = 0;
    FILE  *to = cst_need(open_memstream(&all, &n));
    fwrite(*text, 1, *length, to);
    append_all(to, path, edges);
    fclose(to);
    free(*text);
    *text = cst_need(all);
    *length = n;
  }
  cst_document_destroy(doc);
  cst_diag_destroy(unread);
  return NULL;
}

/* The bytes of file `name` behind the description, owned; NULL with the reason in why. */
static char *find_bytes(const cst_reading *r, const char *name, char why[80]) {
  const char  *text = r->s->description->text, *end = text + strlen(text);
  const char  *at = text + r->described - 1;
  const size_t mark = strlen(behind);
  snprintf(why, 80, "the table is not behind the description");
  while (r->described < strlen(text) && at < end && !strncmp(at, behind, mark)) {
    char       *after;
    const long  n = strtol(at + mark, &after, 10);
    const long  size = n < 0 ? -n : n;
    const char *line = strchr(after, '\n');
    if (*after != ' ' || !line || size > end - line - 1)
      break;
    const bool found =
        (size_t)(line - after) - 1 == strlen(name) && !strncmp(after + 1, name, strlen(name));
    at = line + 1 + size;
    if (found && at[-size - 1] && n >= 0)
      return cst_need(strndup(line + 1, (size_t)size));
    if (found) {
      snprintf(why, 80, "%.*s", (int)size, line + 1);
      break;
    }
  }
  return NULL;
}

/* ---- one table ------------------------------------------------------------------------------- */

/* A table that is being read. */
typedef struct {
  cst_reading    *r;
  cst_csv         lines;
  cst_edge_table *t;
  double         *cell;
  int            *line;
  const char    **text, *bytes, *copy; /* of the text, and of that of the lines, which cells end */
} table;

/* An error at a cell; false. */
__attribute__((format(printf, 3, 4))) static bool wrong(const table *x, const char *cell,
                                                        const char *format, ...) {
  char    message[500];
  va_list a;
  va_start(a, format);
  vsnprintf(message, sizeof message, format, a);
  va_end(a);
  cst_diag_add(x->r->d, x->t->file, x->lines.line, cst_csv_column(&x->lines, cell), "%s", message);
  return false;
}

static bool read_head(table *x, char *line) {
  cst_edge_table *t = x->t;
  const char    **name = cst_system_keep(x->r->s, CST_EDGE_COLUMNS, sizeof *name);
  char            why[400];
  t->column = name;
  while (line) {
    const char *cell = cst_csv_cell(&line);
    if (t->columns == CST_EDGE_COLUMNS)
      return wrong(x, cell, "column '%.*s' is one too many; a table has at most %d", WORD, cell,
                   CST_EDGE_COLUMNS);
    if (!*cell)
      return wrong(x, cell, "the first line names the columns; this name is empty");
    if (cst_read_wrong_symbol(cell, "column", why, sizeof why))
      return wrong(x, cell, "%s", why);
    if (strlen(cell) > WORD)
      return wrong(x, cell, "'%s' is too long for the name of a column; at most %d", cell, WORD);
    for (int k = 0; k < t->columns; k++)
      if (!strcmp(name[k], cell))
        return wrong(x, cell, "column '%s' appears twice", cell);
    name[t->columns++] = cell;
  }
  return true;
}

/* Where line k is: 0, that with the names, then the rows. */
static void place_line(const table *x, int k) {
  x->line[k] = x->lines.line;
  x->text[k] = x->bytes + (x->lines.start - x->copy);
}

static bool read_row(table *x, char *line) {
  cst_edge_table *t = x->t;
  double         *to = x->cell + (size_t)t->rows * (size_t)t->columns;
  int             k = 0;
  place_line(x, 1 + t->rows);
  for (; line; k++) {
    const char *cell = cst_csv_cell(&line);
    double      value;
    if (k < t->columns && !cst_csv_number(cell, &value))
      return wrong(x, cell, "'%.*s' is not a finite number; it is in column '%s'", WORD, cell,
                   t->column[k]);
    if (k < t->columns)
      to[k] = value;
  }
  if (k != t->columns)
    cst_diag_add(x->r->d, t->file, x->lines.line, 1,
                 "the row has %d numbers; the first line names %d columns", k, t->columns);
  t->rows += k == t->columns;
  return k == t->columns;
}

static int count_lines(const char *text) {
  int n = 0;
  for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
    n++;
  return n;
}

/* Reads the bytes, of which `copy` is one that may be changed. Both live as long as the system. */
static bool read_bytes(table *x, cst_yaml *n, char *copy) {
  cst_system *s = x->r->s;
  x->copy = copy;
  x->lines = cst_csv_begin(copy);
  const int lines = count_lines(copy);
  char     *line = cst_csv_line(&x->lines);
  x->line = cst_system_keep(s, (size_t)lines, sizeof *x->line);
  x->text = cst_system_keep(s, (size_t)lines, sizeof *x->text);
  place_line(x, 0);
  if (line && !read_head(x, line))
    return false;
  x->cell = cst_system_keep(s, (size_t)lines * (size_t)(x->t->columns + 1), sizeof *x->cell);
  while (line && (line = cst_csv_line(&x->lines)))
    if (!read_row(x, line))
      return false;
  x->t->cell = x->cell;
  x->t->line = x->line;
  x->t->text = x->text;
  if (x->t->rows)
    return true;
  cst_yaml_error(x->r->doc, n, x->r->d,
                 "%s has no rows: its first line names columns, and each further line is a row",
                 x->t->file);
  return false;
}

/* Reads the file that the map names into *t. */
static bool read_table(cst_reading *r, cst_yaml *map, cst_edge_table *t) {
  char      why[80];
  cst_yaml *n =
      cst_read_required(r, map, "file", "of the table (a file of comma-separated numbers)");
  cst_system_keys_check(r->doc, map, "edges", CST_KEYS_ALL, r->d);
  const char *name = n ? cst_read_text(r, n, "file") : "";
  if (!*name)
    return false;
  char *bytes = find_bytes(r, name, why), *file = beside(cst_document_file(r->doc), name);
  t->file = strcpy(cst_system_keep(r->s, strlen(file) + 1, 1), file);
  free(file);
  if (!bytes) {
    cst_yaml_error(r->doc, n, r->d, "%s: %s", t->file, why);
    return false;
  }
  const size_t size = strlen(bytes) + 1;
  char        *copy = memcpy(cst_system_keep(r->s, size, 1), bytes, size);
  table        x = {.r = r, .t = t, .bytes = memcpy(cst_system_keep(r->s, size, 1), bytes, size)};
  free(bytes);
  return read_bytes(&x, n, copy);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool is_free(cst_reading *r, cst_yaml *key, const char *name) {
  const cst_scope known = cst_read_constants(r);
  if (!cst_read_symbol(r, key, -1, name, "table"))
    return false;
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name)) {
      cst_yaml_error(r->doc, key, r->d, "table '%s': there is already a parameter of this name",
                     name);
      return false;
    }
  return true;
}

bool cst_read_tables(cst_reading *r) {
  static const char wanted[] = "'edges' must be a map {file: FILE}, or of names to such maps";
  cst_yaml         *map = cst_read_map(r, "edges", "file: FILE");
  const bool one = map && (cst_yaml_get(map, "file") || cst_yaml_is_scalar(cst_yaml_value(map, 0)));
  const int  n = one ? 1 : cst_yaml_size(map), before = cst_diag_count(r->d);
  cst_edge_table *t = cst_system_keep(r->s, CST_EDGE_TABLES, sizeof *t);
  if (n > CST_EDGE_TABLES)
    cst_yaml_error(r->doc, map, r->d, "%d tables; at most %d are allowed", n, CST_EDGE_TABLES);
  for (int k = 0; k < n && k < CST_EDGE_TABLES; k++) {
    cst_yaml *key = one ? NULL : cst_yaml_key(map, k);
    cst_yaml *value = one ? map : cst_yaml_value(map, k);
    t[k].name = one ? "edges" : cst_yaml_text(key);
    if (!cst_yaml_is_map(value))
      cst_yaml_error(r->doc, value, r->d, "%s", wanted);
    else if (is_free(r, one ? map : key, t[k].name))
      read_table(r, value, &t[k]);
  }
  const bool good = cst_diag_count(r->d) == before && (!cst_yaml_get(r->root, "edges") || map);
  if (good)
    cst_graph_tabulate(r->s->model->graph, t, n);
  return good;
}

/* What has this name already; NULL: nothing. */
static const char *holder(const cst_reading *r, cst_scope known, const char *name) {
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name))
      return i < cst_system_named(r->s) ? "parameter" : "coordinate";
  return cst_graph_table_find(r->s->model->graph, name) ? "table" : NULL;
}

static void check_names(cst_reading *r, const cst_edge_table *t) {
  const cst_scope known = cst_read_positions(r);
  for (int c = 0; c < t->columns; c++) {
    const char *other = holder(r, known, t->column[c]);
    int         line, at;
    cst_edge_table_place(t, -1, c, &line, &at);
    if (other)
      cst_diag_add(r->d, t->file, line, at, "column '%s': there is already a %s of this name",
                   t->column[c], other);
  }
}

bool cst_read_check_tables(cst_reading *r) {
  const int             before = cst_diag_count(r->d);
  int                   n;
  const cst_edge_table *t = cst_graph_tables(r->s->model->graph, &n);
  for (int k = 0; k < n; k++)
    check_names(r, &t[k]);
  return cst_diag_count(r->d) == before;
}

void cst_read_row_error(cst_reading *r, cst_yaml *n, const char *message) {
  int line, at;
  if (!r->table) {
    cst_yaml_error(r->doc, n, r->d, "%s", message);
    return;
  }
  cst_edge_table_place(r->table, r->row, -1, &line, &at);
  cst_diag_add(r->d, r->table->file, line, at, "%s", message);
}
