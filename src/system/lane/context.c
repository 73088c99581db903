/* context.c: the context of a system for lane code, and the lane code that projects the starts of a group (see
 * context.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/context.h"
#include "core/lane-form.h"

cst_context cst_context_of(const cst_system *s, int isa, cst_layout at) {
  return (cst_context){
      .system = s,
      .kernel = s->code->kernel[isa],
      .self = s->code->kernel_self[isa],
      .nq = s->nq,
      .ng = s->ng,
      .npar = s->npar,
      .nmass = s->model->nmass,
      .nsym = s->nsym,
      .mass_class = s->model->mass_class,
      .dropped = s->model->dropped,
      .flat = s->model->flat >= 0,
      .gram = cst_system_form(s, isa, "gram"),
      .mass_unit = cst_has(s, CST_MASS_UNIT),
      .at = at,
  };
}

/* ---- starts of a group ----------------------------------------------------------------------- */

enum { MOST_UNKNOWNS = 40 }; /* matrices of as many rows are on the stack */

bool cst_group_starts(const cst_system *s) {
  const bool plain = cst_has(s, CST_SEPARABLE) && !s->model->nvel && s->model->flat < 0;
  const bool dense =
      !s->model->gram.banded && s->model->gram.form != CST_FORM_BAND && !s->model->npairs;
  return plain && dense && !s->model->dropped && s->nq + s->ng <= MOST_UNKNOWNS;
}

int cst_group_project(const cst_system *s, int isa, const double *c, double *q, double *v,
                      int lanes) {
  static cst_start_group *const *project[CST_ISA_MOST];
  if (!project[isa])
    project[isa] = cst_lane_form(isa, "start-group");
  return (*project[isa])(s, isa, c, q, v, lanes);
}
