/* context.c: the context of a system for lane code (see context.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/lane/context.h"

cst_context cst_context_of(const cst_system *s, int isa, cst_layout at) {
  return (cst_context){
      .system = s,
      .kernel = s->kernel[isa],
      .self = s->kernel_self[isa],
      .nq = s->nq,
      .ng = s->ng,
      .npar = s->npar,
      .nmass = s->nmass,
      .nsym = s->nsym,
      .mass_class = s->mass_class,
      .dropped = s->dropped,
      .gram = cst_system_form(s, isa, "gram"),
      .mass_unit = s->mass_unit,
      .at = at,
  };
}
