/* keeper.h: hands a run's work out to its ranks, keeps checkpoints of it, and stops it when it must.
 *
 * Rank 0 decides: when `seconds` have passed, when a signal came to any rank, or when the time that is left
 * is what a checkpoint takes, it orders one. Each rank sees the order between two slices of its work, sends
 * its part, and works on; at the last one it stops. No rank waits for another but at the end of a phase.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KEEPER_H
#define CST_KEEPER_H
#include "study/coordinator.h"
#include "study/kept.h"
#include "study/run.h"

typedef struct {
  const char *path;     /* of the result */
  const char *identity; /* of study and build, kept with each checkpoint */
  double      seconds;  /* between checkpoints */
  cst_lock   *lock;     /* on rank 0: that of the result, for signs of life */
  double      deadline; /* MPI_Wtime at which the run must have ended; INFINITY: none */
} cst_keeper_options;

typedef struct cst_keeper cst_keeper;

PetscErrorCode cst_keeper_create(MPI_Comm comm, const cst_plan *p, const cst_keeper_options *options,
                                 cst_coordinator *c, cst_output *o, cst_past *past, cst_reference *r,
                                 cst_series *s, cst_keeper **keeper); /* collective */
PetscErrorCode cst_keeper_destroy(cst_keeper **keeper);
void cst_keeper_watch(cst_keeper *k, cst_runner *r); /* whose batch at work goes into this rank's parts */
/* Piece i of the work; *stop when the run stops in the middle of it. */
typedef PetscErrorCode cst_piece_of_work(void *context, int i, bool *stop);
/* Collective. Hand out n pieces and wait until all are done or the run stops. */
PetscErrorCode cst_keeper_phase(cst_keeper *k, int n, cst_piece_of_work *f, void *context, cst_end *end);
/* Between slices of work. */
cst_poll cst_keeper_poll;
/* In the middle of a slice that takes long: whether the run is to stop. It is asked as often as one likes. */
bool cst_keeper_halts(void *keeper);
/* The same, or whether a checkpoint waits for a slice that takes long. */
bool           cst_keeper_pauses(void *keeper);
void           cst_keeper_finished(cst_keeper *k, const cst_work *w); /* its rows are written */
PetscErrorCode cst_keeper_gather(
    cst_keeper *k,
    double     *seconds); /* series and seconds not yet reported; on rank 0 the sums over all ranks */
void cst_keeper_tell(const cst_keeper *k,
                     cst_run_end      *run); /* on rank 0: why it stopped, and of its checkpoints */
#endif
