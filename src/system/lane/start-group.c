/* start-group.c: chooses the lane code that projects the starts of a group (start-group.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/start-group.h"

enum { MOST_UNKNOWNS = 40 }; /* matrices of as many rows are on the stack */

bool cst_group_starts(const cst_system *s) {
  const bool plain = !s->general && !s->massless && s->flat < 0;
  const bool dense = !s->gram.banded && s->gram.form != CST_FORM_BAND && !s->npairs;
  return plain && dense && !s->nvel && !s->dropped && !s->affine && s->nq + s->ng <= MOST_UNKNOWNS;
}

int cst_group_project(const cst_system *s, int isa, const double *c, double *q, double *v,
                      int lanes) {
  static int (*const project[])(const cst_system *, int, const double *, double *, double *,
                                int) = {
#define X(isa, lanes) cst_group_project_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  return project[isa](s, isa, c, q, v, lanes);
}
