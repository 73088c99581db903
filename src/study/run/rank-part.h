/* rank-part.h: writes one rank's part of a checkpoint: its states, directly into the file, and a report for
 * rank 0.
 *
 * The states of all ranks together are large. Each rank therefore reserves a place in the file and writes
 * there itself, in a thread that does not use MPI, while the rank computes on. The report says where the
 * states are; rank 0 adds what is the same for all ranks, and commits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RANK_PART_H
#define CST_RANK_PART_H
#include "record/snapshot.h"
#include "record/bundle.h"
#include "study/result/output.h"

typedef struct cst_rank_part cst_rank_part;

/* owner: of the checkpoints; borrowed, as the output is. */
cst_rank_part *cst_rank_part_create(const cst_snapshot_owner *owner, cst_output *o);
void           cst_rank_part_destroy(cst_rank_part *w); /* waits for the thread; NULL is allowed */

/* Both are emptied; the caller adds sections. */
void cst_rank_part_clear(cst_rank_part *w);
/* Sections of states, and sections for rank 0. In the end the latter have, for each of the former, one of the
 * same name: its cst_snapshot_place, then its first bytes, CST_RANK_PART_HEAD at most. */
cst_bundle *cst_rank_part_states(cst_rank_part *w);
cst_bundle *cst_rank_part_report(cst_rank_part *w);
enum { CST_RANK_PART_HEAD = 128 };

/* Bytes of the file that the states take: whole pages. No section is added afterwards. */
size_t cst_rank_part_close(cst_rank_part *w);
/* Brings the rows of the result to the disk, then the states, to this offset of checkpoint `number`. */
void cst_rank_part_begin(cst_rank_part *w, long number, size_t offset);
/* True once, when all is on the disk. After a failure the sections for rank 0 have one "failed", with the
 * reason. */
bool cst_rank_part_done(cst_rank_part *w);
#endif
