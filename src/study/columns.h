/* columns.h: the statistics of a study: columns with a value, or a word, for each case. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLUMNS_H
#define CST_COLUMNS_H
#include "constella/record.h"
#include "study/plan.h"

/* One column of the table: a value a case. */
typedef struct {
  char        name[64];
  char        unit[32];
  const char *doc;
  bool        text;
  bool        shown; /* in the default text table */
  double     *value; /* [ncase] */
  char (*label)[CST_TEXT_WIDTH];
} cst_column;

typedef struct {
  int         n, capacity;
  cst_column *column;
} cst_columns;

/* The columns of the study's kind, in their order, values NaN or empty. */
cst_columns *cst_columns_create(const cst_plan *p);
void         cst_columns_destroy(cst_columns *c);
double      *cst_columns_value(cst_columns *c, const char *name); /* NULL when there is none */
void         cst_columns_label(cst_columns *c, const char *name, int i, const char *text);
#endif
