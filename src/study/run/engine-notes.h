/* engine-notes.h: what the numbers of a run by PETSc's solvers depend on besides the study: options and BLAS. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ENGINE_NOTES_H
#define CST_ENGINE_NOTES_H
#include "study/plan/plan.h"

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
