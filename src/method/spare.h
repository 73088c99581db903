/* spare.h: a lane of its own, into which a lane of a batch is copied to be stepped again, also with another step.
 *
 * Steps of the length of the batch's have the bits that they have there, so that a state between two copies can
 * be reached again. The batch is not changed. All memory is allocated in create.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SPARE_H
#define CST_SPARE_H
#include "method/stepper.h"

typedef struct cst_spare cst_spare;

/* Of the same method and options as the stepper of the batch, whatever their `groups`; resolution as there. */
cst_error cst_spare_create(const cst_prepared *p, const cst_stepper_options *options,
                           double resolution, cst_spare **spare);
cst_error cst_spare_destroy(cst_spare **spare);

/* Copies lane `lane` of a record of the batch. */
void cst_spare_copy(cst_spare *x, const double *record, int lane);
/* The number of steps behind a record's lane, as the record counts them. */
long cst_spare_step(const cst_spare *x, const double *record, int lane);
/* Steps the copy to step `to` with the steps h of the batch; *good: it did not fail. */
cst_error cst_spare_advance(cst_spare *x, double h, long to, bool *good);
/* Keeps the state of the copy; makes one step of length h from the state that was kept, which is at step
 * `step` and time `time`. fine: constraints are solved to round-off, whatever the tolerance of the lane. */
void      cst_spare_keep(cst_spare *x);
cst_error cst_spare_from_kept(cst_spare *x, double h, long step, double time, bool fine,
                              bool *good);

/* Several states side by side, each by a step of its own: keep_as keeps the state of the copy as number i, of
 * at most cst_spare_width; each_from_kept makes one step of length h[i] from each of the first n, which are at
 * step[i] and time[i]. State i then stands in lane i of the record, with the bits that it has alone. A width of
 * 1: the method steps one at a time. */
int       cst_spare_width(const cst_spare *x);
void      cst_spare_keep_as(cst_spare *x, int i);
cst_error cst_spare_each_from_kept(cst_spare *x, int n, const double *h, const long *step,
                                   const double *time, bool fine, bool *good);

/* The copy: a record in whose lanes it stands, and its stepper. The kept state, as a record. */
const double      *cst_spare_record(const cst_spare *x);
const double      *cst_spare_kept(const cst_spare *x);
const cst_stepper *cst_spare_stepper(const cst_spare *x);
/* Whether a step of another length is one of the method: it has no noise, and does not recall earlier steps. */
bool cst_spare_shortens(const cst_prepared *p);
#endif
