/* resume.h: inspects an existing result: none, an unfinished study with checkpoints, or a finished one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RESUME_H
#define CST_RESUME_H
#include <limits.h>
#include "study/plan/plan.h"
#include "study/run/checkpoint.h"

/* The state of the result: none; unfinished, with a checkpoint; finished. */
typedef enum { CST_START_ANEW, CST_START_RESUMED, CST_START_COMPLETE } cst_start;

typedef struct {
  cst_start start;
  long      number;         /* resumed: the checkpoint to continue from */
  long      until;          /* the largest number of a checkpoint that the result has announced */
  long      attempts;       /* number of earlier runs */
  double    seconds;        /* how long they took together, as far as is known */
  long      failed;         /* complete: trajectories that failed */
  bool      left;           /* complete: its run was killed before it removed the checkpoints */
  char      run[40];        /* token of the result file, and of its checkpoints */
  char      replaces[40];   /* token of the result that is overwritten; "": none */
  char      from[PATH_MAX]; /* resumed: the path beside which the checkpoints are */
  char      continues[80];  /* what it continues to a later end (cst_extension.origin) */
  char      message[768];   /* for the user; empty: none */
} cst_resume;

/* On rank 0, with --resume: inspects the result at a real path; name: what the user calls it. Errors of the
 * user are reported in d. All others must be in cst_resume_help, which compares parts of the checkpoints with
 * their digests, until rank 0 calls cst_resume_release. */
void cst_resume_help(void);
void cst_resume_release(void);
void cst_resume_examine(const cst_plan *p, const char *path, const char *name, cst_resume *r,
                        cst_diag *d);
/* On rank 0: the token of a result; "" where there is none. */
void cst_resume_token(const char *path, char token[40]);
/* On rank 0, when the result at this real path is complete: removes its checkpoints, also those of former
 * names, unless another result in the folder, a copy, has the token. */
void cst_resume_clean(const cst_resume *r, const char *path);
/* On one rank: whether the result has a row of every trajectory that its checkpoint counts as done; one that has
 * changed places with another copy of itself has not. False with why[n]. */
bool cst_resume_has_rows(const cst_plan *p, const cst_checkpoint *checkpoint, const char *path,
                         char *why, int n);
/* A new random token of 128 bits for a result file. */
void cst_resume_name(char run[40]);
#endif
