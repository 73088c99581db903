/* coordinator.h: words that all ranks of a run share: the next piece of work, how far the run is, how it
 * ends. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COORDINATOR_H
#define CST_COORDINATOR_H
#include <mpi.h>
#include <petscsys.h>

/* Words that all ranks read and change: the next piece of work; pieces that are finished; work done, in
 * billionths of the whole; what was ordered of all (keeper.c); how the run ends; the signal that some rank
 * got; the longest slice of any rank, in milliseconds. */
typedef enum {
  CST_NOTICE_NEXT,
  CST_NOTICE_FINISHED,
  CST_NOTICE_WORK,
  CST_NOTICE_ORDER,
  CST_NOTICE_END,
  CST_NOTICE_SIGNAL,
  CST_NOTICE_SLOWEST,
  CST_NOTICES
} cst_notice;

typedef struct cst_coordinator cst_coordinator;
/* Collective. total: cost of the whole study; before: what an earlier run did of it. */
PetscErrorCode cst_coordinator_create(MPI_Comm comm, const char *progress, double total, double before,
                                      cst_coordinator **c);
PetscErrorCode cst_coordinator_destroy(cst_coordinator **c);                /* collective */
long cst_coordinator_add(cst_coordinator *c, cst_notice which, long value); /* the word as it was before */
void cst_coordinator_put(cst_coordinator *c, cst_notice which, long value);
void cst_coordinator_raise(cst_coordinator *c, cst_notice which, long value); /* to this, where it is less */
void cst_coordinator_get(cst_coordinator *c, long words[CST_NOTICES]);
double cst_coordinator_share(cst_coordinator *c);             /* of the study that is done, 0 to 1 */
void   cst_coordinator_done(cst_coordinator *c, double work); /* count work of this rank */
void   cst_coordinator_tell(cst_coordinator *c,
                            long words[CST_NOTICES]); /* pass it on and look at the words; rank 0 prints */
#endif
