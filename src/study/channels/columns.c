/* columns.c: columns and their values (see columns.h). Each kind of study declares its own columns. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/columns.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

cst_columns *cst_columns_create(int ncase) {
  cst_columns *c = cst_need(calloc(1, sizeof *c));
  c->ncase = ncase;
  return c;
}

void cst_columns_destroy(cst_columns *c) {
  if (!c)
    return;
  for (int i = 0; i < c->n; i++) {
    free(c->column[i].value);
    free(c->column[i].label);
  }
  free(c->column);
  free(c);
}

static cst_column *add(cst_columns *c, cst_column_use use, const char *doc, const char *format,
                       va_list a) {
  if (c->n == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    c->column = cst_need(realloc(c->column, sizeof *c->column * (size_t)c->capacity));
  }
  cst_column *x = &c->column[c->n++];
  *x = (cst_column){.doc = doc, .use = use};
  if (!use.unit)
    x->use.unit = "1";
  vsnprintf(x->name, sizeof x->name, format, a);
  return x;
}

cst_number_column cst_columns_number(cst_columns *c, cst_column_use use, const char *doc,
                                     const char *format, ...) {
  va_list a;
  va_start(a, format);
  const size_t room = sizeof(double) * ((size_t)c->ncase + 1);
  double      *value = cst_large(cst_need(malloc(room)), room);
  add(c, use, doc, format, a)->value = value;
  va_end(a);
  for (int i = 0; i < c->ncase; i++)
    value[i] = NAN;
  return (cst_number_column){value};
}

cst_text_column cst_columns_text(cst_columns *c, cst_column_use use, const char *doc,
                                 const char *format, ...) {
  va_list         a;
  cst_text_column x = {cst_zeros(c->ncase, sizeof *x.label)};
  cst_large(x.label, sizeof *x.label * (size_t)c->ncase);
  va_start(a, format);
  add(c, use, doc, format, a)->label = x.label;
  va_end(a);
  return x;
}
