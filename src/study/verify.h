/* verify.h: trajectories of a result computed again, and compared with what the file has of them, bit by bit.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_VERIFY_H
#define CST_VERIFY_H
#include "study/back-end.h"

/* Trajectories to recompute: the given members of the given cases (default: all), or a random sample of them.
 */
typedef struct {
  int      nmember, ncase;
  long    *member, *icase; /* within the study */
  long     sample;         /* 0: all */
  uint64_t seed;           /* of the drawing */
  bool     from_start;     /* never from a checkpoint */
  bool    *left_out;       /* [nmethod]: methods whose trajectories are not computed; NULL: none */
} cst_verify_choice;

typedef struct {
  long same, different, open; /* trajectories; open: not begun, there is nothing of them to compare */
  long compared;              /* numbers */
  long left_out;              /* trajectories of such methods that were named */
} cst_verify_counts;

/* The study of the file, whose name is path, unfinished or not; on one rank. A line a trajectory goes to
 * stdout. */
PetscErrorCode cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                          const cst_verify_choice *choice, cst_back_end *b, cst_verify_counts *counts);
/* To stdout, what may be why bits differ: what is of another version, build, library or machine than that of
 * the file. */
void cst_verify_explain(const cst_plan *p, cst_result *file, const cst_back_end *b);
#endif
