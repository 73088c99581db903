/* resume.h: what a run finds where its result is to be: nothing, an unfinished study with its checkpoints, or
 * a finished one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RESUME_H
#define CST_RESUME_H
#include "study/plan.h"

/* What a run finds where its result is to be: nothing; an unfinished study with a checkpoint; a finished one.
 */
typedef enum { CST_START_ANEW, CST_START_RESUMED, CST_START_COMPLETE } cst_start;

typedef struct {
  cst_start start;
  long      number;       /* resumed: the checkpoint to go on from */
  long      attempts;     /* runs that there were before */
  long      failed;       /* complete: trajectories that failed */
  char      run[40];      /* identifier of the result file */
  char      message[768]; /* for the user; empty: nothing to say */
} cst_resume;

/* On one rank, with --resume: what is to be done with the result at path. Mistakes of the user's go into d.
 */
void cst_resume_examine(const cst_plan *p, const char *path, cst_resume *r, cst_diag *d);
/* A fresh identifier of a result file. */
void cst_resume_name(char run[40]);
#endif
