/* identity.h: identifies the maker of a checkpoint: only the same study, result file and build may continue
 * from it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_IDENTITY_H
#define CST_IDENTITY_H
#include <stdbool.h>
#include "study/plan/plan.h"

/* One line per property, "name: value"; run: the identifier of the result file. Owned. */
char *cst_identity_text(const cst_plan *p, const char *run);
/* Compares two such texts. If they differ: false, and why[n] quotes the first difference; `what` names the
 * older text. */
bool cst_identity_same(const char *then, const char *now, const char *what, char *why, int n);
/* The compiler with its flags. */
const char *cst_identity_compiler(void);
const char *cst_identity_version(void);
/* The linker's build identifier of the program, as hexadecimal digits. */
const char *cst_identity_build(void);

/* ---- what a run by PETSc's solvers depends on ------------------------------------------------ */

/* Whether PETSc's own solvers solve the equations of some method. */
bool cst_engine_is_petsc(const cst_plan *p);
/* PETSc's options but those that only show something, as on a command line; owned. */
char *cst_engine_options(void);
/* Whether options from a file may be handed to PETSc: those of its solvers, with plain words as values. */
bool cst_engine_options_are_plain(const char *text);
/* The kernel of the BLAS that PETSc calls. */
void cst_engine_blas(char *text, size_t n);

/* Agreement that is asked for between two BLAS kernels: of q, p and lambda at the end, relative to 1 or their size. */
#define CST_ENGINE_TOLERANCE 1e-9
#endif
