/* verify-result.h: recomputes trajectories of a result and compares them with the file bit by bit. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_VERIFY_H
#define CST_VERIFY_H
#include "constella/record.h"
#include "study/run/back-end.h"

/* Trajectories to recompute: the given members of the given cases (default: all), or a random sample of them.
 */
typedef struct {
  int      nmember, ncase;
  long    *member, *icase; /* within the study */
  long     sample;         /* 0: all */
  uint64_t seed;           /* seed of the random sample */
  bool     from_start;     /* ignore checkpoints */
  bool    *left_out;       /* [nmethod]: methods to leave out; NULL: none */
  double   tolerance;      /* 0: bits are compared (study/result/output.h) */
} cst_verify_choice;

typedef struct {
  long same, different, open;        /* trajectories; open: not begun, nothing to compare */
  long compared;                     /* numbers */
  long left_out;                     /* trajectories of methods left out */
  bool sums, wrong_sums;             /* sums over members were compared with the rows; and differ */
  bool statistics, wrong_statistics; /* the table was made again from the rows; and differs */
  bool reference_error; /* given the errors of the reference in the file, which have no rows */
  long joined;          /* trajectories whose windows were not compared: cst_continue_joined */
} cst_verify_counts;

/* Verifies the result at path, finished or not; on one rank. Prints one line per trajectory to stdout. */
cst_error cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                     const cst_verify_choice *choice, cst_back_end *b, cst_verify_counts *counts);
/* Prints possible reasons for differing bits to stdout: differences in version, build, libraries or machine.
 */
void cst_verify_explain(const cst_plan *p, cst_result *file, const cst_back_end *b,
                        const cst_verify_counts *counts);
#endif
