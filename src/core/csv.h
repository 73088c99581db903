/* csv.h: the lines and cells of a table in text: cells are separated by commas, blanks and quotes around them do not
 * count. Empty lines, lines that begin with # and a byte order mark are skipped. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_CSV_H
#define CST_CORE_CSV_H
#include <stdbool.h>

/* A text that is being read, which is changed. line: the number of the last line, from 1; start: its first character.
 */
typedef struct {
  char *text, *start;
  int   line;
} cst_csv;

cst_csv cst_csv_begin(char *text);
/* The next line with content, terminated; NULL: there is none. */
char *cst_csv_line(cst_csv *x);
/* The next cell of *line, terminated; *line is then behind it, NULL: it was the last one. */
char *cst_csv_cell(char **line);
/* The column of a cell of the last line, from 1. */
int cst_csv_column(const cst_csv *x, const char *cell);
/* Whether the cell is a finite decimal number. */
bool cst_csv_number(const char *cell, double *value);
#endif
