/* kept.h: on rank 0: collects the progress that all ranks report, and writes checkpoints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KEPT_H
#define CST_KEPT_H
#include "study/run/past.h"

typedef struct cst_kept cst_kept;

/* past, reference: borrowed. cst_kept_take_over reads exact sums, times and reference states from the past;
 * false with why[n] if they are damaged. */
cst_kept *cst_kept_create(const cst_plan *p, cst_past *past, cst_reference *reference);
bool      cst_kept_take_over(cst_kept *k, char *why, int n);
void      cst_kept_destroy(cst_kept *k);

/* Writes a checkpoint: begin, take what every rank tells (part-writer.h), then commit, or abandon after a
 * failure.
 * identity: borrowed until then. */
bool cst_kept_begin(cst_kept *k, const cst_snapshot_owner *owner, long number, const char *identity,
                    char *why, int n);
bool cst_kept_take(cst_kept *k, const cst_bundle *part, char *why, int n);
bool cst_kept_commit(cst_kept *k, char *why, int n);
void cst_kept_abandon(cst_kept *k);

/* At the end of the run: adds the exact sums and the seconds per class. */
void cst_kept_add_tallies(cst_kept *k, cst_tallies *s);
void cst_kept_add_seconds(const cst_kept *k, double *seconds);
#endif
