/* back-end.h: whether a run uses compiled kernels or the interpreter. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BACK_END_H
#define CST_BACK_END_H
#include "study/plan/plan.h"

/* The kernels of a run, as /run records them. */
typedef struct {
  const char *kernels; /* built-in, compiled, interpreted */
  bool        cached;  /* compiled kernels came from the cache */
  double      seconds; /* time to compile, or to find the cached code */
  char        compiler[256];
  char        why[2000];    /* reason why a user's system was not compiled */
  char        warning[768]; /* on rank 0: says so where a run was to gain by it; "": none */
} cst_back_end;

/* Compiles a user's system if the study asks for it or gains by it; otherwise the interpreter is used. Then
 * relaxes the start if the study asks for it (relax.h). left: cost of the remaining steps. Collective. Error:
 * the study requires compiled kernels and compilation fails. */
cst_error cst_study_compile(cst_study *s, const cst_plan *p, double left, cst_back_end *b);

/* Loads into this process the code that a run in one process would use, where it has been compiled before. false: a
 * run would compile it first. Does not use MPI. */
bool cst_study_load(const cst_plan *p);
/* Then, by what the seconds of steps that were measured without that code are to be divided; *compile: seconds of the
 * compiler. */
double cst_study_gain(const cst_plan *p, double measured, double *compile);

/* Compiles what a run on so many ranks would compile when it starts, if the run is long, and leaves it in the cache: on the node
 * where the study is checked or submitted. Returns the seconds that it took, 0 if nothing was missing. Does not use MPI. */
double cst_study_compile_ahead(const cst_study *s, const cst_plan *p, int ranks);
#endif
