/* parse-edges.c: expressions over the rows of tables (edge-table.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/parse.h"

void cst_graph_tabulate(cst_graph *g, const cst_edge_table *t, int n) {
  g->table_at = t;
  g->tables = n;
}

const cst_edge_table *cst_graph_tables(const cst_graph *g, int *n) {
  *n = g->tables;
  return g->table_at;
}

static const cst_edge_table *find_table(const cst_graph *g, const char *word, size_t n) {
  for (int k = 0; k < g->tables; k++)
    if (!strncmp(g->table_at[k].name, word, n) && !g->table_at[k].name[n])
      return &g->table_at[k];
  return NULL;
}

const cst_edge_table *cst_graph_table_find(const cst_graph *g, const char *name) {
  return find_table(g, name, strlen(name));
}

static int find_column(const cst_edge_table *t, const char *word, size_t n) {
  for (int k = 0; k < t->columns; k++)
    if (!strncmp(t->column[k], word, n) && !t->column[k][n])
      return k;
  return -1;
}

void cst_edge_table_place(const cst_edge_table *t, int row, int column, int *line, int *at) {
  const char *start = t->text[1 + row], *cell = start;
  for (int k = 0; k < column; k++)
    cell += strcspn(cell, ",\n") + 1;
  *line = t->line[1 + row];
  *at = column < 0 ? 1 : (int)(cell + strspn(cell, " \t\"") - start) + 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

cst_parse_loop *cst_parse_row_open(cst_parser *p, const cst_edge_table *t,
                                   cst_parse_loop loop[CST_EDGE_COLUMNS]) {
  for (int k = 0; k < t->columns; k++) {
    loop[k].outer = k ? &loop[k - 1] : p->loop;
    strcpy(loop[k].name, t->column[k]);
  }
  return &loop[t->columns - 1];
}

void cst_parse_row_take(cst_parser *p, const cst_edge_table *t, cst_parse_loop *loop, int row) {
  for (int k = 0; k < t->columns; k++)
    loop[k].cell = &t->cell[(size_t)row * (size_t)t->columns + (size_t)k];
  p->row_of = t;
  p->row = row;
}

void cst_parse_blame_row(cst_parser *p, size_t at) {
  const cst_edge_table *t = p->row_of;
  const size_t          n = cst_parse_word(p->text + at);
  const bool            alone = n && !p->frame && strchr("] \t\n", p->text[at + n]);
  if (!t || p->error->table)
    return;
  p->error->table = t;
  p->error->row = p->row;
  p->error->column = alone ? find_column(t, p->text + at, n) : -1;
}

cst_node cst_expr_parse_row(cst_graph *g, const char *text, const cst_binding *names, int n,
                            const cst_edge_table *t, int row, cst_expr_error *error) {
  cst_parse_loop loop[CST_EDGE_COLUMNS];
  cst_parser     p = {.g = g,
                      .text = text,
                      .names = names,
                      .n = n,
                      .error = error,
                      .defined = cst_parse_defined_create(g),
                      .within = -1};
  p.loop = cst_parse_row_open(&p, t, loop);
  cst_parse_row_take(&p, t, loop, row);
  const cst_node r = cst_parse_complete(&p);
  free(p.defined);
  g->effort += p.read + 16 * p.terms;
  return r;
}

/* ---- words ----------------------------------------------------------------------------------- */

const cst_edge_table *cst_parse_table(const cst_parser *p, size_t at, size_t n) {
  return find_table(p->g, p->text + at, n);
}

const cst_edge_table *cst_parse_summed(cst_parser *p) {
  cst_parse_peek(p);
  const size_t          at = p->at, n = cst_parse_word(p->text + at);
  const cst_edge_table *t = n ? find_table(p->g, p->text + at, n) : NULL;
  if (!t)
    return NULL;
  p->at += n;
  const bool summed = cst_parse_peek(p) == ',';
  p->at = at + (summed ? n : 0);
  return summed ? t : NULL;
}

bool cst_parse_is_column(const cst_parser *p, size_t at, size_t n) {
  for (int k = 0; k < p->g->tables; k++)
    if (find_column(&p->g->table_at[k], p->text + at, n) >= 0)
      return true;
  return false;
}

bool cst_graph_is_column(const cst_graph *g, const char *name) {
  bool is = cst_graph_table_find(g, name) != NULL;
  for (int k = 0; k < g->tables; k++)
    is |= find_column(&g->table_at[k], name, strlen(name)) >= 0;
  return is;
}

/* The table with the column named at `at`; an error if there are two. */
static const cst_edge_table *table_of(cst_parser *p, size_t at, size_t n, int *column) {
  const cst_edge_table *found = NULL;
  for (int k = 0; k < p->g->tables; k++) {
    const cst_edge_table *t = &p->g->table_at[k];
    const int             c = find_column(t, p->text + at, n);
    if (c < 0)
      continue;
    if (found) {
      cst_parse_fail(p, at, "the tables '%s' and '%s' both have a column '%.*s'", found->name,
                     t->name, (int)n, p->text + at);
      return NULL;
    }
    found = t;
    *column = c;
  }
  return found;
}

cst_node cst_parse_cell(cst_parser *p, size_t at, size_t n) {
  int                   column = 0;
  double                row;
  char                  s[32];
  const cst_edge_table *t = table_of(p, at, n, &column);
  if (!t || !cst_parse_enter(p, p->at++))
    return -1;
  cst_parse_peek(p);
  const size_t   index = p->at;
  const cst_node k = cst_parse_closing(p, ')', cst_parse_expression(p));
  p->depth--;
  if (p->idle || p->failed)
    return p->failed ? -1 : k;
  if (!cst_parse_integer(p, k, index, "the number of a row", &row))
    return -1;
  if (row < 1 || row > t->rows)
    return cst_parse_fail(p, index, "row %s of '%s' is outside 1 .. %d", cst_parse_value(row, s),
                          t->name, t->rows);
  return cst_graph_constant(p->g, t->cell[((size_t)row - 1) * (size_t)t->columns + (size_t)column]);
}
