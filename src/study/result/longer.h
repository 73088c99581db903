/* longer.h: continues trajectories of an extensible result to a later end.
 *
 * For every trajectory such a result holds the row that a checkpoint would hold at its last step, before
 * anything was observed there (the dataset /continue/rows). A study with a longer end converts it into a row
 * of its own checkpoints at that step: states are unchanged; windows are merged; samples that both studies
 * have are kept; errors at the end start from zero. A resumed run needs the earlier result, too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LONGER_H
#define CST_LONGER_H
#include "study/channels/channels.h"

/* Layout of a row: a head, the numbers of the trajectory, and the step again as a seal, which shows that the
 * row is complete. */
enum {
  CST_LONGER_STEP,
  CST_LONGER_HALF_STEP,
  CST_LONGER_NUMBERS,
  CST_LONGER_HEAD,
  CST_LONGER_SEAL = 1
};

/* Writes the seal of a row whose head is set. */
void cst_longer_seal(double *row);

/* Whether the windows of the old class fill windows of the new one: its end is 2, 4, 8 .. CST_WINDOWS times the
 * old one. True for studies without windows. */
bool cst_longer_fills(const cst_plan *now, const cst_class *from, const cst_class *to);
/* Why a class cannot be continued as another one; NULL: it can. Static text. */
const char *cst_longer_refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                              const cst_class *to);
/* True if a row of a file, of which anything may be wrong, can be converted: its step is the end of the class,
 * the partner's step and the count of numbers are possible in both studies, and it is complete. Else the
 * reason is in why[n]. Whether the numbers are a state of the trajectory is seen when a batch is restored
 * (cst_runner_resume). */
bool cst_longer_check(const cst_channels *old, const cst_class *from, const cst_channels *now,
                      const double *row, char *why, size_t n);
/* Converts a checked row of a class of the old study into one of the new study. */
void cst_longer_convert(const cst_channels *old, const cst_class *from, const cst_channels *now,
                        const cst_class *to, const double *row, double *made);
/* Index in the new class of a sample of the old class; -1: none, or it is at the old end and will be taken
 * again. */
int cst_longer_sample(const cst_class *from, const cst_class *to, int sample);
/* True if two rows are at the same step, in both steppers, and have as many numbers. */
bool cst_longer_alike(const double *a, const double *b);
/* Position in the new class of a batch whose rows are at the old end. */
cst_position cst_longer_position(const cst_plan *now, const cst_class *to, const double *row);
#endif
