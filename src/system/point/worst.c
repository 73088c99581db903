/* worst.c: describes how a start is inconsistent, and a consistent one (see worst.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/need.h"
#include "system/point/worst.h"
#include <stdio.h>
#include <stdlib.h>

const char *cst_worst_say(const cst_system *s, const cst_worst *w, char *text, int n) {
  if (w->at < 0)
    *text = 0;
  else
    snprintf(text, (size_t)n, "worst: %s, %.3g", s->constraint[w->at], w->raw_there);
  return text;
}

/* Prints a vector as a list, with arrays as nested lists. */
static void print_list(FILE *f, const cst_system *s, const double *x) {
  fputc('[', f);
  for (int i = 0; i < s->ncoordinate; i++) {
    const cst_name *a = &s->coordinate_name[i];
    fputs(i ? ", " : "", f);
    fputs(a->array ? "[" : "", f);
    for (int k = 0; k < a->count; k++) {
      const double number = x[a->at + k * a->step] + 0.0; /* 0 instead of -0 */
      fprintf(f, "%s%.17g", k ? ", " : "", number);
    }
    fputs(a->array ? "]" : "", f);
  }
  fputc(']', f);
}

char *cst_worst_state(const cst_system *s, const double *q, const double *v) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  cst_need(f);
  fputs("{q: ", f);
  print_list(f, s, q);
  fputs(", v: ", f);
  print_list(f, s, v);
  fputc('}', f);
  fclose(f);
  return text;
}
