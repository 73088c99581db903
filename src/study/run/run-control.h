/* run-control.h: distributes the work of a run over its ranks, writes its checkpoints, and stops it when
 * required.
 *
 * Rank 0 orders a checkpoint when `seconds` have passed, when any rank received a signal, or when the
 * remaining time is what a checkpoint takes. Each rank sees the order between two slices of its work,
 * copies its states, and continues, while a thread writes them; then it tells rank 0. After the last
 * checkpoint it stops. Ranks wait for each other only at the end of a
 * phase.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_CONTROL_H
#define CST_RUN_CONTROL_H
#include "study/run/checkpoint.h"
#include "study/run/coordinator.h"
#include "study/run/run-study.h"

typedef struct {
  const char        *path;     /* of the result file, for messages */
  cst_snapshot_owner owner;    /* of its checkpoints */
  const char        *identity; /* of study and build, stored in each checkpoint */
  double             seconds;  /* between checkpoints */
  cst_lock *lock;   /* on rank 0: the lock of the result, refreshed to show that the run is alive */
  long      number; /* the largest of a checkpoint so far */
  double    deadline; /* MPI_Wtime by which the run must have ended; INFINITY: none */
} cst_run_control_options;

typedef struct cst_run_control cst_run_control;

/* Collective. */
cst_error cst_run_control_create(MPI_Comm comm, const cst_plan *p,
                                 const cst_run_control_options *options, cst_coordinator *c,
                                 cst_output *o, cst_checkpoint *checkpoint, cst_reference *r,
                                 cst_tallies *t, cst_run_control **control);
cst_error cst_run_control_destroy(cst_run_control **control);
/* Includes the runner's current batch in this rank's parts. */
void cst_run_control_watch(cst_run_control *k, cst_runner *r);
/* Computes item i of the work; sets *stop if the run stopped inside it. */
typedef cst_error cst_item_of_work(void *context, int i, bool *stop);
/* Collective. Distributes n items; returns when all are done or the run stops. */
cst_error cst_run_control_phase(cst_run_control *k, cst_phase phase, int n, cst_item_of_work *f,
                                void *context, cst_end *end);
/* Called between slices of work. */
cst_poll cst_run_control_poll;
/* True if the run must stop. Called inside long slices, as often as the caller likes; answers are cached. */
bool cst_run_control_halts(void *control);
/* The same, or true if a checkpoint waits for a slice that takes long. */
bool cst_run_control_pauses(void *control);
void cst_run_control_finished(cst_run_control *k,
                              const cst_work  *w); /* the rows of w are written */
void cst_run_control_concluded(cst_run_control *k,
                               long             share); /* the columns of its cases are written */
/* Series and seconds[nclass] that were not yet reported; on rank 0 plus the sums over all ranks. */
cst_error cst_run_control_gather(cst_run_control *k, double *seconds);
/* On rank 0: why the run stopped, and statistics of its checkpoints. */
void cst_run_control_report(const cst_run_control *k, cst_run_end *run);
#endif
