/* term-label.c: the label of a method: its expression in one form, which names it in results. Equal methods
 * have equal labels. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"

/* The shortest text, and 10 instead of 1e+01. */
static void print_number(FILE *f, double x) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x)
      break;
  }
  if (strchr(text, 'e') && fabs(x) >= 1 && fabs(x) < 1e15)
    snprintf(text, sizeof text, "%.15g", x);
  fputs(text, f);
}

/* Characters around the entries of a term, and after a key. */
static const struct {
  char        open, close;
  const char *key;
} brackets[] = {[CST_TERM_NAME] = {'(', ')', "="},
                [CST_TERM_LIST] = {'[', ']', ""},
                [CST_TERM_TABLEAU] = {'{', '}', ": "}};

static void print_term(FILE *f, const cst_term *t) {
  if (t->kind == CST_TERM_NUMBER && !t->name)
    print_number(f, t->number);
  if (t->name && t->kind != CST_TERM_TABLEAU)
    fputs(t->name, f);
  if (t->n == 0)
    return;
  fputc(brackets[t->kind].open, f);
  for (int i = 0; i < t->n; i++) {
    if (i)
      fputs(", ", f);
    if (t->key[i])
      fprintf(f, "%s%s", t->key[i], brackets[t->kind].key);
    print_term(f, t->arg[i]);
  }
  fputc(brackets[t->kind].close, f);
}

char *cst_term_label(const cst_term *t) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  print_term(f, t);
  fclose(f);
  return text;
}
