/* checkpoint-assembly.h: on rank 0: collects the progress that all ranks report, and writes checkpoints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHECKPOINT_ASSEMBLY_H
#define CST_CHECKPOINT_ASSEMBLY_H
#include "study/run/checkpoint-reader.h"

typedef struct cst_assembly cst_assembly;

/* checkpoint, reference: borrowed. cst_assembly_take_over reads exact sums, times and reference states from the
 * checkpoint; false with why[n] if they are damaged. */
cst_assembly *cst_assembly_create(const cst_plan *p, cst_checkpoint *checkpoint,
                                  cst_reference *reference);
bool          cst_assembly_take_over(cst_assembly *k, char *why, int n);
void          cst_assembly_destroy(cst_assembly *k);

/* Writes a checkpoint: begin, take what every rank tells (rank-part.h), then commit, or abandon after a
 * failure.
 * identity: borrowed until then. */
bool cst_assembly_begin(cst_assembly *k, const cst_snapshot_owner *owner, long number,
                        const char *identity, char *why, int n);
bool cst_assembly_take(cst_assembly *k, const cst_bundle *part, char *why, int n);
bool cst_assembly_commit(cst_assembly *k, char *why, int n);
void cst_assembly_abandon(cst_assembly *k);

/* At the end of the run: adds the exact sums and the seconds per class. */
void cst_assembly_add_tallies(cst_assembly *k, cst_tallies *s);
void cst_assembly_add_seconds(const cst_assembly *k, double *seconds);
#endif
