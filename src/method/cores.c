/* cores.c: the table of compiled cores, made of the list that the build writes: the generic ones here, a system's own with the system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "method/cores.h"

/* cores.list.h holds lines GENERIC(core, isa). */
#define GENERIC(core, isa) extern const cst_core cst_core_##core##_generic_##isa;
#include "cores.list.h"
#undef GENERIC

typedef struct {
  const char     *core, *isa;
  const cst_core *object;
} entry;

static const entry table[] = {
#define GENERIC(core, isa) {#core, #isa, &cst_core_##core##_generic_##isa},
#include "cores.list.h"
#undef GENERIC
};

static const char *const names[CST_CORE_COUNT] = {
#define X(name) #name,
    CST_CORES(X)
#undef X
};

const cst_core *cst_core_generic(cst_core_id id, int isa) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].core, names[id]) && !strcmp(table[i].isa, cst_isas[isa].name)) return table[i].object;
  return NULL;
}

const cst_core *cst_core_for(cst_core_id id, const cst_system *s, int isa) {
  const cst_core *hot = cst_system_form(s, isa, names[id]);
  return hot ? hot : cst_core_generic(id, isa);
}
