/* merge-parts.h: the parts of a study, which jobs of their own have computed, become one result: their rows are taken
 * over as those of an extended result are, and the rest of the run concludes them (run-study.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MERGE_H
#define CST_MERGE_H
#include "study/run/extend.h"

/* A part among the files. */
typedef struct {
  int  file;      /* index of the file; -1: it is missing */
  char token[40]; /* of its result, when it was examined */
} cst_merge_part;

typedef struct {
  const cst_plan    *plan;
  const char *const *file; /* [nfile] borrowed */
  int                nfile;
  cst_division      *division; /* NULL: not known yet */
  cst_merge_part    *part;     /* [division->n] */
} cst_merge;

/* On rank 0: finds the parts in the files. Reports in d what is not a complete part of the study of the plan, made
 * by this program; parts that are there twice and differ; and parts that are missing. */
void cst_merge_examine(cst_merge *m, cst_diag *d);
/* Collective: all ranks get what rank 0 has found. */
void cst_merge_share(cst_merge *m);
void cst_merge_destroy(cst_merge *m);
/* Marks all trajectories as done. */
void cst_merge_mark(const cst_merge *m, cst_checkpoint *checkpoint);
/* On every rank: copies its share of the parts into a new file, and adds what they have summed over members. */
cst_error cst_merge_rows(const cst_merge *m, cst_output *o, cst_tallies *t);
/* On one rank: adds the seconds of the parts, [nclass]. */
cst_error cst_merge_seconds(const cst_merge *m, double *seconds);
#endif
