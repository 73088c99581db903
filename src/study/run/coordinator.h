/* coordinator.h: counters that all ranks of a run share: the next item of work, the progress, how the run ends. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COORDINATOR_H
#define CST_COORDINATOR_H
#include <mpi.h>
#include <stdbool.h>
#include "core/error.h"

/* How much of a run is done, and the time that is left, by what its phases took so far.
 *
 * A run computes its reference, steps, steps chosen members again, times, concludes. The plan's seconds of a phase serve
 * until it has begun; then its own pace counts, and in the end what it took. One number follows, the share of the time
 * that the run will have taken, so that share and time left cannot contradict each other.
 */
typedef enum {
  CST_PHASE_REFERENCE,
  CST_PHASE_STEPS,
  CST_PHASE_REPLAY,
  CST_PHASE_TIMING,
  CST_PHASE_CONCLUSIONS,
  CST_PHASES
} cst_phase;

typedef struct {
  double planned[CST_PHASES]; /* seconds of what this run has to do; 0: nothing */
  double before;              /* the share of the study that earlier runs did */
  int    phase;               /* the current one; set by cst_progress_enter, at first -1 */
  double begun, work;         /* the clock, and the planned seconds of all work, when it began */
  double passed;              /* seconds that the phases before it took */
} cst_progress;

/* work: planned seconds of all that this run has done until now. */
void cst_progress_enter(cst_progress *p, cst_phase phase, double now, double work);

/* share: of the study, 0 to 1; left: seconds. */
typedef struct {
  double share, left;
} cst_progress_told;
cst_progress_told cst_progress_tell(const cst_progress *p, double now, double work);

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
