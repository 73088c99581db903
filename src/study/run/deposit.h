/* deposit.h: what a rank contributes to a checkpoint: states, which it writes into the file itself while it
 * computes on, and what rank 0 is told.
 *
 * States are large, and there are as many as ranks: each rank takes a place in the file and writes there, in a
 * thread that does not use MPI. Rank 0 gets the places, adds what is the same for all, and commits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DEPOSIT_H
#define CST_DEPOSIT_H
#include "record/snapshot.h"
#include "study/run/bundle.h"
#include "study/result/output.h"

typedef struct cst_deposit cst_deposit;

/* path: of the result; borrowed, as the output is. */
cst_deposit *cst_deposit_create(const char *path, cst_output *o);
void         cst_deposit_destroy(cst_deposit *d); /* waits for the thread; NULL is allowed */

/* Both are emptied; the caller adds sections. */
void cst_deposit_clear(cst_deposit *d);
/* Sections of states, and sections for rank 0. In the end the latter have, for each of the former, one of the
 * same name: its cst_snapshot_place, then its first bytes, CST_DEPOSIT_HEAD at most. */
cst_bundle *cst_deposit_states(cst_deposit *d);
cst_bundle *cst_deposit_told(cst_deposit *d);
enum { CST_DEPOSIT_HEAD = 128 };

/* Bytes of the file that the states take: whole pages. No section is added afterwards. */
size_t cst_deposit_close(cst_deposit *d);
/* Brings the rows of the result to the disk, then the states, to this offset of checkpoint `number`. */
void cst_deposit_begin(cst_deposit *d, long number, size_t offset);
/* True once, when all is on the disk. After a failure the sections for rank 0 have one "failed", with the
 * reason. */
bool cst_deposit_done(cst_deposit *d);
#endif
