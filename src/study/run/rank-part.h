/* part-writer.h: writes one rank's part of a checkpoint: its states, directly into the file, and a report for
 * rank 0.
 *
 * The states of all ranks together are large. Each rank therefore reserves a place in the file and writes
 * there itself, in a thread that does not use MPI, while the rank computes on. The report says where the
 * states are; rank 0 adds what is the same for all ranks, and commits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PART_WRITER_H
#define CST_PART_WRITER_H
#include "record/snapshot.h"
#include "record/bundle.h"
#include "study/result/output.h"

typedef struct cst_part_writer cst_part_writer;

/* owner: of the checkpoints; borrowed, as the output is. */
cst_part_writer *cst_part_writer_create(const cst_snapshot_owner *owner, cst_output *o);
void cst_part_writer_destroy(cst_part_writer *w); /* waits for the thread; NULL is allowed */

/* Both are emptied; the caller adds sections. */
void cst_part_writer_clear(cst_part_writer *w);
/* Sections of states, and sections for rank 0. In the end the latter have, for each of the former, one of the
 * same name: its cst_snapshot_place, then its first bytes, CST_PART_WRITER_HEAD at most. */
cst_bundle *cst_part_writer_states(cst_part_writer *w);
cst_bundle *cst_part_writer_report(cst_part_writer *w);
enum { CST_PART_WRITER_HEAD = 128 };

/* Bytes of the file that the states take: whole pages. No section is added afterwards. */
size_t cst_part_writer_close(cst_part_writer *w);
/* Brings the rows of the result to the disk, then the states, to this offset of checkpoint `number`. */
void cst_part_writer_begin(cst_part_writer *w, long number, size_t offset);
/* True once, when all is on the disk. After a failure the sections for rank 0 have one "failed", with the
 * reason. */
bool cst_part_writer_done(cst_part_writer *w);
#endif
