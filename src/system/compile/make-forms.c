/* make-forms.c: compiles the cores of one system of the catalogue beforehand (forms.c), for one row of lane code:
 *
 *   make-forms FOLDER SYSTEM ROW
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "core/lane-form.h"
#include "system/compile/compile.h"

static int row_of(const char *suffix) {
  for (int i = 0; i < cst_isa_count; i++)
    if (!strcmp(suffix, cst_lane_suffix(i)))
      return i;
  return -1;
}

int main(int argc, char **argv) {
  char        why[CST_WHY] = "usage: make-forms FOLDER SYSTEM ROW";
  cst_system *s = argc == 4 ? cst_catalogue_create(argv[2]) : NULL;
  const int   isa = argc == 4 ? row_of(argv[3]) : -1;
  const bool  good = s && isa >= 0 && cst_forms_make(s, isa, argv[1], why);
  if (!good)
    fprintf(stderr, "%s\n", why);
  cst_system_destroy(s);
  return good ? 0 : 1;
}
