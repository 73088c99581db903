/* petsc-options.h: private to src/cli: starts PETSc with its options, and refuses those that would do harm or
 * nothing. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_PETSC_H
#define CST_CLI_PETSC_H
#include <stdbool.h>
#include "constella/diag.h"
#include "study/plan/plan.h"

/* Initialises MPI and, if a rank has options of PETSc, PETSc: options words[1..n), those of PETSC_OPTIONS and of
 * ~/.petscrc; PETSc reads no file of the current folder. False if an option is rejected, after an error
 * message. Collective. */
bool cst_petsc_begin(int n, char **words);
/* Whether a method of the plan has implicit steps, which SNES drives, unless all steps take less time than it takes
 * to load PETSc: their solver alone has the same bits. */
bool cst_petsc_drives(const cst_plan *p);
/* Initialises PETSc too if it does. False after an error message. Collective. */
bool cst_petsc_drive(const cst_plan *p);
/* Gives PETSc, if it is on, these options of a study besides its own; NULL: none. False after an error message. */
bool cst_petsc_take(const char *options);
/* Finalises them; false if one of them cannot. */
bool cst_petsc_end(void);
/* Adds an error for each option that is unknown, refused, or without effect. */
void cst_petsc_check(const cst_study *s, cst_diag *d);
/* PETSc forgets its options. */
void cst_petsc_forget(void);
#endif
