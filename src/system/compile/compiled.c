/* compiled.c: attaches compiled code to a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"

void cst_system_attach(cst_system *s, int isa, const cst_compiled *x) {
  CST_REQUIRE(s && x && isa >= 0 && isa < CST_ISA_COUNT);
  memcpy(s->kernel[isa], x->kernel, sizeof s->kernel[isa]);
  s->kernel_self[isa] = NULL;
  s->compiled[isa] = x;
  if (s->npairs && s->bent)
    cst_system_interpret_bent(s);
}

const void *cst_system_form(const cst_system *s, int isa, const char *core) {
  CST_REQUIRE(s && core && isa >= 0 && isa < CST_ISA_COUNT, NULL);
  /* compiled code enforces every constraint and divides by masses */
  if (!s->compiled[isa] || s->dropped || s->flat >= 0)
    return NULL;
  for (const cst_form *f = s->compiled[isa]->form; f->core; f++)
    if (!strcmp(f->core, core))
      return f->form;
  return NULL;
}
