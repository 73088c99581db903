/* cores.c: the table of compiled cores, made of the list that the build writes: a generic one of every core, and hot ones a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "method/cores.h"

/* cores.list.h holds lines GENERIC(core, isa) and HOT(core, "system", ident, isa). */
#define GENERIC(core, isa)            extern const cst_core cst_core_##core##_generic_##isa;
#define HOT(core, system, ident, isa) extern const cst_core cst_core_##core##_##ident##_##isa;
#include "cores.list.h"
#undef GENERIC
#undef HOT

typedef struct {
  const char     *core, *system, *isa; /* system NULL: generic */
  const cst_core *object;
} entry;

static const entry table[] = {
#define GENERIC(core, isa)            {#core, NULL, #isa, &cst_core_##core##_generic_##isa},
#define HOT(core, system, ident, isa) {#core, system, #isa, &cst_core_##core##_##ident##_##isa},
#include "cores.list.h"
#undef GENERIC
#undef HOT
};

static const char *const names[CST_CORE_COUNT] = {
#define X(name) #name,
    CST_CORES(X)
#undef X
};

static const cst_core *find(cst_core_id id, const char *system, int isa) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const entry *e = &table[i];
    if (!strcmp(e->core, names[id]) && !strcmp(e->isa, cst_isas[isa].name) &&
        (system ? e->system && !strcmp(e->system, system) : !e->system))
      return e->object;
  }
  return NULL;
}

const cst_core *cst_core_generic(cst_core_id id, int isa) { return find(id, NULL, isa); }

const cst_core *cst_core_for(cst_core_id id, const cst_system *s, int isa) {
  const cst_core *hot = find(id, s->name, isa);
  return hot ? hot : cst_core_generic(id, isa);
}
