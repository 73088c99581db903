/* back-end.h: what computes the kernels of a run: compiled code or the interpreter. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BACK_END_H
#define CST_BACK_END_H
#include "study/plan.h"

/* What computes the kernels, for /run. */
typedef struct {
  const char *kernels; /* built-in, compiled, interpreted */
  bool        cached;  /* compiled: nothing had to be compiled now */
  double      seconds; /* that compiling, or finding what was compiled, took */
  char        compiler[256];
  char        why[2000]; /* why a user's system was not compiled */
} cst_back_end;

/* Compile a user's system as the study wishes, or leave it to the interpreter. left: cost of
 * the steps that are left. Then the start is relaxed, where that is wished (relax.h). Collective. An error
 * where it must be compiled and cannot.
 */
PetscErrorCode cst_study_compile(cst_study *s, const cst_plan *p, double left, cst_back_end *b);
#endif
