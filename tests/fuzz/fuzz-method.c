/* fuzz-method.c: any bytes as a method expression. A valid expression has properties on a system, a program,
 * and a label that reads back. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "method/method.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void try_method(const cst_method *m) {
  static cst_system *s;
  char               why[400];
  cst_expr_error     error;
  if (!s && !(s = cst_catalogue_create("spherical-pendulum")))
    abort();
  cst_method *again = cst_method_parse(cst_method_label(m), NULL, &error);
  if (!again || strcmp(cst_method_label(again), cst_method_label(m)))
    abort();
  cst_method_destroy(again);
  if (!cst_method_fits(m, s, why, sizeof why))
    return;
  cst_method_properties(m, s);
  cst_program_destroy(cst_program_create(m));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  cst_expr_error error = {0};
  char          *text = strndup((const char *)data, size);
  cst_method    *m = cst_method_parse(text, NULL, &error);
  if (m)
    try_method(m);
  else if (!*error.message || error.offset < 0 || (size_t)error.offset > strlen(text))
    abort(); /* an error has a place and a message */
  cst_method_destroy(m);
  free(text);
  return 0;
}
