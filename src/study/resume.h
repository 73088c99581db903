/* resume.h: what a run finds where its result is to be: nothing, an unfinished study with its checkpoints, or a finished one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RESUME_H
#define CST_RESUME_H
#include "study/past.h"

/* On one rank, with --resume: what is to be done with the result at path. Mistakes of the user's go into d. */
void cst_resume_examine(const cst_plan *p, const char *path, cst_resume *r, cst_diag *d);
/* A fresh identifier of a result file. */
void cst_resume_name(char run[40]);
#endif
