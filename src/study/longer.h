/* longer.h: trajectories of an extensible result that go on to a later end.
 *
 * Such a result holds, of every trajectory, the row of numbers that a checkpoint would hold at its last step
 * before anything was looked at there (the dataset /continue/rows). A study with a longer end makes of it the
 * row of a checkpoint of its own at that step: states are as they were; windows are joined; samples are those
 * that both have; errors at the end alone begin anew. The new file has these rows until the trajectories have
 * come to their new end, so that a run that is resumed needs no other file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LONGER_H
#define CST_LONGER_H
#include "study/channels.h"

/* What stands before the numbers of a trajectory in its row. Behind them the step stands again, so that a row
 * is seen to be whole: it may be written over by that of the new end when a run is killed. */
enum { CST_LONGER_STEP, CST_LONGER_HALF_STEP, CST_LONGER_NUMBERS, CST_LONGER_HEAD, CST_LONGER_SEAL = 1 };

/* Seals a row whose head is there. */
void cst_longer_seal(double *row);
/* Of a row of `width` numbers that is read: the step at which its trajectory stands; -1: there is no row, or
 * not a whole one. */
long cst_longer_step(const double *row, long width);

/* Why a class cannot go on as another one; NULL: it can. Rotating static text. */
const char *cst_longer_refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                              const cst_class *to);
/* A row of a class of the old study as one of the new one, of which they have so many kept numbers behind the
 * states. */
void cst_longer_convert(const cst_channels *old, const cst_class *from, const cst_channels *now,
                        const cst_class *to, const double *row, double *made);
/* Where a sample of the old class stands among those of the new one; -1: nowhere, or it is that of the old
 * end, which is taken again. */
int cst_longer_sample(const cst_class *from, const cst_class *to, int sample);
/* Where a batch stands whose rows are those of the old end. */
cst_position cst_longer_position(const cst_plan *now, const cst_class *to, const double *row);
#endif
