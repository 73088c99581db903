/* foreign.c: systems for programs in other languages (constella/foreign.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/diag.h"
#include "constella/foreign.h"
#include "core/boundary.h"
#include "core/diag.h"
#include "core/need.h"

/* The printed messages of d. */
static void tell(const cst_diag *d, char *why, int n) {
  char  *text = NULL;
  size_t length = 0;
  FILE  *f = open_memstream(&text, &length);
  if (!f)
    cst_need_fail();
  cst_diag_print(d, f);
  fclose(f);
  while (length && text[length - 1] == '\n')
    text[--length] = 0;
  snprintf(why, (size_t)n, "%s", text);
  free(text);
}

cst_system *cst_foreign_system(const char *name, const char *text, long length, char *why, int n) {
  CST_REQUIRE(name && why && n > 0 && (!text || length >= 0), NULL);
  cst_diag   *d = cst_diag_create();
  cst_system *s =
      text ? cst_system_read(name, text, (size_t)length, NULL, 0, d) : cst_catalogue_create(name);
  if (!s && !text)
    cst_diag_add(d, NULL, 0, 0, "no system of the catalogue is called '%s'%s", name,
                 cst_diag_guess(name, cst_catalogue_names(), cst_catalogue_size()));
  *why = 0;
  if (!s)
    tell(d, why, n);
  cst_diag_destroy(d);
  return s;
}

int cst_foreign_count(const cst_system *s, cst_names of) {
  CST_REQUIRE(s, -1);
  switch (of) {
  case CST_NAMES_COORDINATES:
    return s->nq;
  case CST_NAMES_CONSTRAINTS:
    return s->ng;
  case CST_NAMES_PARAMETERS:
    return cst_system_named(s);
  case CST_NAMES_SYMMETRIES:
    return s->nsym;
  case CST_NAMES_STATES:
    return s->nstate;
  }
  return -1;
}

const char *cst_foreign_name(const cst_system *s, cst_names of, int i) {
  CST_REQUIRE(s && i >= 0 && i < cst_foreign_count(s, of), NULL);
  switch (of) {
  case CST_NAMES_COORDINATES:
    return s->coordinate[i];
  case CST_NAMES_CONSTRAINTS:
    return s->constraint[i];
  case CST_NAMES_PARAMETERS:
    return s->parameter[i].name;
  case CST_NAMES_SYMMETRIES:
    return s->symmetry[i];
  case CST_NAMES_STATES:
    return s->state[i].name;
  }
  return NULL;
}

int cst_foreign_parameters(const cst_system *s) {
  CST_REQUIRE(s, -1);
  return s->npar;
}
