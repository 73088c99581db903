/* coordinator.h: counters that all ranks of a run share: the next item of work, the progress, how the run
 * ends. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COORDINATOR_H
#define CST_COORDINATOR_H
#include <mpi.h>
#include <stdbool.h>
#include "core/error.h"
#include "study/run/progress.h"

/* Shared counters, which every rank reads and changes. */
typedef enum {
  CST_NOTICE_NEXT,     /* next item of work */
  CST_NOTICE_FINISHED, /* finished items */
  CST_NOTICE_WORK,     /* work done, in billionths of the total */
  CST_NOTICE_ORDER,    /* last order to all ranks (run-control.c) */
  CST_NOTICE_BYTES,    /* of the checkpoint, taken by ranks */
  CST_NOTICE_END,      /* how the run ends */
  CST_NOTICE_SIGNAL,   /* signal that some rank received */
  CST_NOTICE_SLOWEST,  /* longest slice of any rank, in milliseconds */
  CST_NOTICES
} cst_notice;

typedef struct cst_coordinator cst_coordinator;
/* Collective. left: planned nanoseconds of what this run has to do; before: the share of the study that earlier runs
 * did. */
cst_error cst_coordinator_create(MPI_Comm comm, const char *progress, const double left[CST_PHASES],
                                 double before, cst_coordinator **c);
cst_error cst_coordinator_destroy(cst_coordinator **c); /* collective */
/* adds to a counter; returns its old value */
long cst_coordinator_add(cst_coordinator *c, cst_notice which, long value);
/* adds 1, without waiting for rank 0 */
void cst_coordinator_count(cst_coordinator *c, cst_notice which);
void cst_coordinator_put(cst_coordinator *c, cst_notice which, long value);
/* raises a counter to at least this value */
void cst_coordinator_raise(cst_coordinator *c, cst_notice which, long value);
void cst_coordinator_get(cst_coordinator *c, long words[CST_NOTICES]);
/* A phase begins, on every rank. */
void cst_coordinator_enter(cst_coordinator *c, cst_phase phase);
/* fraction of the study that is done, 0 to 1 */
double cst_coordinator_share(cst_coordinator *c);
/* adds to this rank's work; not yet reported */
void cst_coordinator_done(cst_coordinator *c, double work);
/* Reports this rank's work and asks for all counters, without waiting for rank 0, which may be computing.
 * True when the answer is there, else the next call may have it. Rank 0 prints the progress. */
bool cst_coordinator_tell(cst_coordinator *c, long words[CST_NOTICES]);
/* drops a question that is not answered yet */
cst_error cst_coordinator_forget(cst_coordinator *c);
#endif
