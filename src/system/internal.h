/* internal.h: what the files of src/system share: the memory behind a system, and the catalogue's generated tables. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_INTERNAL_H
#define CST_SYSTEM_INTERNAL_H
#include <stdio.h>
#include <stdlib.h>
#include "constella/system.h"

/* What an interpreted kernel is given as self: the programs of all kernels, and how this instruction set runs them. */
typedef struct {
  void (*run)(const cst_tape *t, const double *const in[128], double *out, double *scratch);
  cst_tape *const *tape; /* [CST_K_COUNT] */
  double          *scratch;
} cst_interpreter;

typedef struct {
  cst_document   *doc;               /* names and texts of the system are borrowed from it */
  cst_tape       *tape[CST_K_COUNT]; /* programs of the kernels, made when first asked for */
  cst_tape      **start, **motion;   /* programs of each state: q and v; exact q, v and lambda */
  cst_interpreter interpreter[CST_ISA_COUNT];
  double         *scratch; /* of the interpreters */
} cst_system_owned;

/* The program of a kernel. Borrowed. */
cst_tape *cst_system_tape(const cst_system *s, cst_kernel_id k);

/* A system that is part of the program. */
typedef struct {
  const char        *name, *text;
  cst_kernel *const *kernel[CST_ISA_COUNT]; /* each [CST_K_COUNT] */
} cst_catalogue_entry;
extern const cst_catalogue_entry cst_catalogue_entries[];
extern const int                 cst_catalogue_count;

/* Exact motions in code. */
cst_exact cst_exact_planar_pendulum;

/* Fill kernel outputs, patterns and mass classes. false when the derivatives outgrow the graph. */
bool cst_system_derive(cst_system *s);

/* Out of memory ends the process. */
static inline void *cst_system_memory(void *p) {
  if (p) return p;
  fputs("constella: out of memory\n", stderr);
  abort();
}
#endif
