/* edge-table.h: the tables of a graph: rows of numbers under names, over which expressions may be repeated.
 *
 * `sum(NAME, TERM)` adds TERM over the rows of table NAME, in which the names of its columns stand for the
 * numbers of the row; cst_expr_parse_row reads an expression so for one row. Elsewhere COLUMN(k) is the number
 * of row k, from 1, and NAME the number of rows. Columns hide other names; in definitions they are not seen.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_EDGE_TABLE_H
#define CST_EXPR_EDGE_TABLE_H
#include "constella/expr.h"

/* A table has at most CST_EDGE_COLUMNS columns, a graph at most CST_EDGE_TABLES tables. */
enum { CST_EDGE_COLUMNS = 32, CST_EDGE_TABLES = 16 };

struct cst_edge_table {
  const char        *name, *file; /* file: where it is from, for messages */
  int                rows, columns;
  const char *const *column; /* [columns] */
  const double      *cell;   /* [rows][columns] */
  /* [1 + rows] of the line with the names and of each row: its number in the file, and its first character */
  const int         *line;
  const char *const *text;
};

/* Gives g and its later copies the tables t[n], which must live as long; they replace earlier ones. */
void cst_graph_tabulate(cst_graph *g, const cst_edge_table *t, int n);
/* Those of g, *n of them; NULL: none. Borrowed. */
const cst_edge_table *cst_graph_tables(const cst_graph *g, int *n);
/* The table with this name; NULL: there is none. */
const cst_edge_table *cst_graph_table_find(const cst_graph *g, const char *name);
/* Whether a table or a column of one has this name. */
bool cst_graph_is_column(const cst_graph *g, const char *name);
/* The place of a cell, from 1. Row -1: of a name; column -1: of the whole line. */
void cst_edge_table_place(const cst_edge_table *t, int row, int column, int *line, int *at);

/* As cst_expr_parse, for one row, from 0. An error that is due to the numbers of the row has its place. */
cst_node cst_expr_parse_row(cst_graph *g, const char *text, const cst_binding *names, int n,
                            const cst_edge_table *t, int row, cst_expr_error *error);
#endif
