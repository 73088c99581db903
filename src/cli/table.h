/* table.h: internal: the table of a result file, the columns and rows of it that are chosen, and the formats
 * in which `constella table` prints them.
 *
 * Columns are the datasets of /statistics in the order of their creation, with the rates and times of /run
 * after evaluations_per_step. Every format prints the same list of columns and rows.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TABLE_H
#define CST_TABLE_H
#include <stdbool.h>
#include <stdio.h>
#include "constella/diag.h"
#include "constella/record.h"
#include "core/text.h"

enum { CST_TABLE_MOST = 256, CST_TABLE_CELL = 4 * CST_TEXT_WIDTH + 64 };
typedef char cst_table_text[CST_TEXT_WIDTH + 1];

/* How the numbers of a column are rounded: to three decimals, not at all, to whole numbers, to three digits, or
 * to as many digits, three at least, as distinguish the different numbers of the column. */
typedef enum {
  CST_DIGITS_FIXED,
  CST_DIGITS_SHORTEST,
  CST_DIGITS_WHOLE,
  CST_DIGITS_THREE,
  CST_DIGITS_DISTINCT
} cst_table_digits;

typedef struct {
  char             name[96];
  double          *x;     /* numbers, or NULL */
  cst_table_text  *text;  /* text, or NULL */
  const double    *error; /* the numbers of NAME_error, if this is NAME_mean, or NULL */
  cst_table_digits digits;
  char             role[32]; /* its meaning (columns.h); "": unknown */
  bool             swept;    /* a parameter or tolerance of the cases */
  int              places;   /* for CST_DIGITS_DISTINCT */
  bool change; /* NAME_max of an expression, of a program that called the largest change so */
} cst_table_column;

typedef struct {
  cst_table_column col[CST_TABLE_MOST];
  const char      *name[CST_TABLE_MOST];
  int              n;
  long             rows;
} cst_table;

int cst_table_find(const cst_table *t, const char *name); /* -1: no such column */
/* The numbers of a column; NULL: there is none of this name, or it holds text. */
const double *cst_table_numbers(const cst_table *t, const char *name);

/* Whether it has costs at accuracies, those of a work-precision study. */
bool cst_table_has_work(const cst_table *t);
/* Of an undecided verdict the change at the end over the scale, where it is at least 0.1; else 0. */
double cst_table_left(const cst_table *t, int column, long row);
/* One value as text, out[CST_TABLE_CELL]: with all digits, or with those that are of use. */
void cst_table_cell(const cst_table *t, int column, long row, bool exact, char *out);

typedef struct {
  int   shown[CST_TABLE_MOST], n; /* columns in the order of printing */
  bool *keep;                     /* [rows] */
} cst_table_choice;

/* table-print.c: prints what c chooses of t on standard output. */
typedef void    cst_table_print(const cst_table *t, const cst_table_choice *c);
cst_table_print cst_table_text_print;
cst_table_print cst_table_csv_print, cst_table_json_print;
/* Names, whether columns have numbers, and cells as in the text, as JSON: {names: [], numbers: [], rows: [[]]}. */
void cst_table_cells_print(const cst_table *t, const cst_table_choice *c, FILE *out);
#endif
