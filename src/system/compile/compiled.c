/* compiled.c: attaches compiled code to a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "system/compile/compile.h"
#include "system/internal.h"

static void add(cst_system_owned *o, int isa, const cst_compiled *x) {
  const size_t n = (size_t)o->nadded[isa];
  o->added[isa] = cst_need(realloc(o->added[isa], (n + 1) * sizeof *o->added[isa]));
  o->added[isa][o->nadded[isa]++] = x;
}

void cst_system_attach(cst_system *s, int isa, const cst_compiled *x) {
  CST_REQUIRE(s && x && isa >= 0 && isa < cst_isa_count);
  if (s->compiled[isa] && s->compiled[isa] != x) {
    add(s->owned, isa, x);
    return;
  }
  memcpy(s->kernel[isa], x->kernel, sizeof s->kernel[isa]);
  s->kernel_self[isa] = NULL;
  s->compiled[isa] = x;
  if (s->npairs && s->bent)
    cst_system_interpret_bent(s);
}

static const void *form_in(const cst_compiled *x, const char *core) {
  for (const cst_form *f = x ? x->form : NULL; f && f->core; f++)
    if (!strcmp(f->core, core))
      return f->form;
  return NULL;
}

const void *cst_system_form(const cst_system *s, int isa, const char *core) {
  CST_REQUIRE(s && core && isa >= 0 && isa < cst_isa_count, NULL);
  /* compiled code enforces every constraint and divides by masses */
  if (s->dropped || s->flat >= 0)
    return NULL;
  cst_system_owned *o = s->owned;
  if (o->looks[isa]) {
    o->looks[isa] = false;
    cst_forms_attach((cst_system *)s, isa);
  }
  const void *form = form_in(s->compiled[isa], core);
  for (int i = 0; !form && i < o->nadded[isa]; i++)
    form = form_in(o->added[isa][i], core);
  return form;
}
