/* columns.h: the table of a study, one value per case. A column is declared, and set through the handle that
 * the declaration returns.
 *
 * Values are not set by name, so an undeclared column cannot be set. A handle is valid until the columns are
 * destroyed.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLUMNS_H
#define CST_COLUMNS_H
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "constella/record.h"

/* What the code that prints and draws results must know of a column; the result file has it as attributes
 * (docs/result-file.md). Borrowed. */
typedef struct {
  bool        shown;  /* `constella table` prints it by default */
  bool        labels; /* it identifies the case: a coordinate to readers of netCDF */
  const char *role;   /* meaning: error, order, verdict, ... */
  const char *of;     /* its subject: q, energy, ...; NULL: the case */
  /* axis in the figure `axes` of a report: "x log", "x linear", "y log", "y linear"; NULL: none */
  const char *axis;
  const char *unit; /* NULL: "1" */
} cst_column_use;

typedef struct {
  char           name[64];
  const char    *doc;
  cst_column_use use;
  double        *value;          /* [ncase]; NULL: a column of text */
  char (*label)[CST_TEXT_WIDTH]; /* [ncase] */
} cst_column;

typedef struct cst_columns {
  int         ncase, n, capacity;
  cst_column *column; /* in the order of declaration */
} cst_columns;

/* Handles of numbers (initially NaN) and of texts (initially empty). */
typedef struct {
  double *value;
} cst_number_column;
typedef struct {
  char (*label)[CST_TEXT_WIDTH];
} cst_text_column;

cst_columns *cst_columns_create(int ncase);
void         cst_columns_destroy(cst_columns *c);

/* The use of a column with `role` about `of`, which tables show if `shown`. */
static inline cst_column_use cst_columns_shown(bool shown, const char *role, const char *of) {
  return (cst_column_use){.shown = shown, .role = role, .of = of};
}
/* The same for a column that tables do not show. */
static inline cst_column_use cst_columns_use(const char *role, const char *of) {
  return cst_columns_shown(false, role, of);
}

/* Declares one more column; its name is printed by format. doc is borrowed. */
__attribute__((format(printf, 4, 5))) cst_number_column
cst_columns_number(cst_columns *c, cst_column_use use, const char *doc, const char *format, ...);
__attribute__((format(printf, 4, 5))) cst_text_column
cst_columns_text(cst_columns *c, cst_column_use use, const char *doc, const char *format, ...);

static inline void cst_column_set(cst_number_column c, int icase, double x) { c.value[icase] = x; }
static inline double cst_column_get(cst_number_column c, int icase) { return c.value[icase]; }
static inline void   cst_column_say(cst_text_column c, int icase, const char *text) {
    memset(c.label[icase], 0, sizeof c.label[icase]); /* of what was said before, nothing stays */
    snprintf(c.label[icase], sizeof c.label[icase], "%s", text);
}
#endif
