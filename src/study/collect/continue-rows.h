/* continue-rows.h: continues trajectories of an extensible result to a later end.
 *
 * For every trajectory such a result holds the row that a checkpoint would hold at its last step, before
 * anything was observed there (the dataset /continue/rows). A study with a longer end converts it into a row
 * of its own checkpoints at that step: states are unchanged, and so are the kept numbers of a collector unless
 * its row says what becomes of them (cst_reuse.go_on). A resumed run needs the earlier result, too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONTINUE_H
#define CST_CONTINUE_H
#include "study/rows/collector.h"
#include "study/result/output.h"

/* Layout of a row: a head, the numbers of the trajectory, and the step again as a seal, which shows that the
 * row is complete. */
enum {
  CST_CONTINUE_STEP,
  CST_CONTINUE_HALF_STEP,
  CST_CONTINUE_NUMBERS,
  CST_CONTINUE_HEAD,
  CST_CONTINUE_SEAL = 1
};

/* Writes the seal of a row whose head is set. */
void cst_continue_seal(double *row);

/* A trajectory of a class of the old study that goes on as one of the new: its kept numbers there, and here. */
struct cst_continued {
  const cst_channels *old, *now;
  const cst_class    *from, *to;
  const double       *was;
  double             *made;
};
/* The kept numbers of a channel in either; NULL: it is not kept there. */
const double *cst_continued_was(const cst_continued *x, const cst_channel_row *row, int which);
double       *cst_continued_made(const cst_continued *x, const cst_channel_row *row, int which);

/* True if a row of a file, of which anything may be wrong, can be converted: its step is the end of the class,
 * the partner's step and the count of numbers are possible in both studies, and it is complete. Else the
 * reason is in why[n]. Whether the numbers are a state of the trajectory is seen when a batch is restored
 * (cst_runner_resume). */
bool cst_continue_check(const cst_channels *old, const cst_class *from, const cst_channels *now,
                        const double *row, char *why, size_t n);
/* Converts a checked row of a class of the old study into one of the new study. */
void cst_continue_convert(const cst_channels *old, const cst_class *from, const cst_channels *now,
                          const cst_class *to, const double *row, double *made);
/* True if two rows are at the same step, in both steppers, and have as many numbers. */
bool cst_continue_alike(const double *a, const double *b);
/* Position in the new class of a batch whose rows are at the old end. */
cst_position cst_continue_position(const cst_plan *now, const cst_class *to, const double *row);
/* Reads the row of a member in case `from` of a result with an earlier end, and converts it into that of case
 * `to`, of as many numbers as cst_channel_continue of `now` has. */
cst_error cst_continue_read(cst_result *file, const cst_channels *old, int from,
                            const cst_channels *now, int to, long member, double *made);

/* Of each case of a file, how many members, from the first on, were continued from an earlier end: their windows
 * and samples have other bits than those of a run in one piece. [ncase], owned; NULL, with the reason in
 * why[n]: the file cannot be right. */
long *cst_continue_joined(cst_result *file, const cst_plan *p, char *why, size_t n);
/* Writes this for case icase of an extensible study. */
cst_error cst_continue_join(cst_output *o, int icase, long members);
#endif
