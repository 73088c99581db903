/* examine-structure.c: what kind of system it is: its mass, and where its matrices are nonzero. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/examiner.h"

static bool mass_depends(const cst_system *s) {
  for (int e = 0; e < s->kernel_size[CST_K_M]; e++)
    if (cst_graph_depends(s->graph, s->kernel_out[CST_K_M][e], 'q')) return true;
  return false;
}

static bool is_diagonal(const cst_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->column[e] != i) return false;
  return true;
}

static const char *mass_kind(const cst_system *s) {
  if (!s->general) return "constant diagonal";
  const bool depends = mass_depends(s), diagonal = is_diagonal(&s->pattern[CST_K_M]);
  if (depends) return diagonal ? "diagonal, depends on the coordinates" : "matrix, depends on the coordinates";
  return diagonal ? "constant diagonal" : "constant matrix";
}

static void say_elimination(cst_examiner *e) {
  const cst_system *s = e->s;
  if (!s->ng)
    cst_examiner_say(e, CST_FACT, "structure", "no constraints");
  else if (s->gram.banded)
    cst_examiner_say(e, CST_FACT, "structure", "constraints banded, half band %d; nonzeros of Dg: %d in %d x %d", s->gram.band,
                     s->pattern[CST_K_G].n, s->ng, s->nq);
  else
    cst_examiner_say(e, CST_FACT, "structure", "constraints dense; nonzeros of Dg: %d in %d x %d", s->pattern[CST_K_G].n, s->ng, s->nq);
}

void cst_examine_structure(cst_examiner *e) {
  const cst_system *s = e->s;
  cst_examiner_say(e, CST_FACT, "mass", "%s; %sgyroscopic", mass_kind(s), s->gyroscopic ? "" : "not ");
  say_elimination(e);
  if (s->linear_v)
    cst_examiner_say(e, CST_FACT, "potential", "linear: its Hessian vanishes");
  else
    cst_examiner_say(e, CST_FACT, "potential", "nonzeros of its Hessian: %d in %d x %d", s->pattern[CST_K_d2V].n, s->nq, s->nq);
}
