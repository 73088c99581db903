/* columns.h: the table of a study, a value a case: a column is declared, and set through the handle that
 * declaring it returns.
 *
 * Nothing is set by name, so that nothing can be set which was not declared. A handle is good until the
 * columns are destroyed.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COLUMNS_H
#define CST_COLUMNS_H
#include <stdbool.h>
#include <stdio.h>
#include "constella/record.h"

/* What those who print, draw and tell a result must know of a column; the result file has it as attributes
 * (docs/result-file.md). Borrowed. */
typedef struct {
  bool        shown;  /* `constella table` prints it when not asked for others */
  bool        labels; /* it tells which case a row is: a coordinate to readers of netCDF */
  const char *role;   /* what it is: error, order, verdict, ... */
  const char *of;     /* and of what: q, energy, ...; NULL: of the case */
  const char *axis;   /* where the figure `axes` of a report has it: "x log", "x linear", "y log", "y linear";
                         NULL: nowhere */
  const char *unit;   /* NULL: "1" */
} cst_column_use;

typedef struct {
  char           name[64];
  const char    *doc;
  cst_column_use use;
  double        *value;          /* [ncase]; NULL: it is of words */
  char (*label)[CST_TEXT_WIDTH]; /* [ncase] */
} cst_column;

typedef struct cst_columns {
  int         ncase, n, capacity;
  cst_column *column; /* in the order in which they were declared */
} cst_columns;

/* Handles: of numbers, NaN until they are set, and of words, empty until then. */
typedef struct {
  double *value;
} cst_number_column;
typedef struct {
  char (*label)[CST_TEXT_WIDTH];
} cst_text_column;

cst_columns *cst_columns_create(int ncase);
void         cst_columns_destroy(cst_columns *c);

/* One more column, whose name is format and what follows; doc is borrowed. */
__attribute__((format(printf, 4, 5))) cst_number_column
cst_columns_number(cst_columns *c, cst_column_use use, const char *doc, const char *format, ...);
__attribute__((format(printf, 4, 5))) cst_text_column
cst_columns_text(cst_columns *c, cst_column_use use, const char *doc, const char *format, ...);

static inline void   cst_column_set(cst_number_column c, int icase, double x) { c.value[icase] = x; }
static inline double cst_column_get(cst_number_column c, int icase) { return c.value[icase]; }
static inline void   cst_column_say(cst_text_column c, int icase, const char *text) {
    snprintf(c.label[icase], sizeof c.label[icase], "%s", text);
}
#endif
