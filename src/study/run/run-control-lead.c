/* run-control-lead.c: what rank 0 does besides: it orders checkpoints, receives the parts of all ranks,
 * commits, and ends the run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include "study/run/run-control-internal.h"
#include "study/run/stop.h"

static const double beat_every = 10; /* seconds between signs of life */

/* Keeps the first failure as the reason; later parts are still received. */
void cst_run_control_take(cst_run_control *k, const cst_bundle *part) {
  cst_run_checkpoint *d = &k->checkpoint;
  if (!d->failed)
    d->failed = !cst_assembly_take(d->kept, part, d->reason, sizeof d->reason);
  d->missing--;
}

/* Starts to receive a part; *admitted false: none is pending, or no slot or memory is free. */
static cst_error admit(cst_run_control *k, bool *admitted) {
  cst_run_checkpoint *d = &k->checkpoint;
  MPI_Message         message;
  MPI_Status          status;
  int                 there = 0, units;
  int                 slot = 0;
  *admitted = false;
  if (d->arriving == CST_RUN_CONTROL_SLOTS || d->room >= CST_RUN_CONTROL_ROOM)
    return 0;
  CST_TRY_MPI(MPI_Improbe(MPI_ANY_SOURCE, CST_RUN_CONTROL_TAG, k->comm, &there, &message, &status));
  if (!there)
    return 0;
  while (d->request[slot] != MPI_REQUEST_NULL)
    slot++;
  CST_TRY_MPI(MPI_Get_count(&status, k->unit, &units));
  cst_bundle_resize(&d->part[slot], (size_t)units * CST_BUNDLE_UNIT);
  CST_TRY_MPI(MPI_Imrecv(d->part[slot].bytes, units, k->unit, &message, &d->request[slot]));
  d->arriving++;
  d->room += d->part[slot].size;
  *admitted = true;
  return 0;
}

/* Receives parts as they arrive. Their senders compute and make progress only now and then, so several are
 * received concurrently. */
static cst_error receive(cst_run_control *k) {
  cst_run_checkpoint *d = &k->checkpoint;
  int                 done, which[CST_RUN_CONTROL_SLOTS];
  MPI_Status status[CST_RUN_CONTROL_SLOTS]; /* unused: gcc warns of MPICH's MPI_STATUSES_IGNORE */
  bool       more = true;
  while (d->missing > 0 && more) {
    CST_TRY(admit(k, &more));
    done = 0;
    if (d->arriving)
      CST_TRY_MPI(MPI_Testsome(CST_RUN_CONTROL_SLOTS, d->request, &done, which, status));
    for (int i = 0; i < done; i++) {
      cst_run_control_take(k, &d->part[which[i]]);
      d->room -= d->part[which[i]].size;
      d->arriving--;
    }
    more = more || done > 0;
  }
  return 0;
}

static void end(cst_run_control *k, cst_end how) {
  cst_coordinator_put(k->coordinator, CST_NOTICE_END, how);
}

/* A result whose path no longer leads to it gets a last checkpoint, with which it can go on elsewhere. */
static void begin_checkpoint(cst_run_control *k, bool last) {
  cst_run_checkpoint *d = &k->checkpoint;
  char                why[512];
  d->opened = MPI_Wtime();
  d->lost = !cst_output_is_named(k->output);
  if (d->lost)
    snprintf(d->reason, sizeof d->reason, "the file was removed or replaced during the run");
  last = last || d->lost;
  d->failed = d->cut = !cst_output_is_whole(k->output);
  if (d->failed) {
    snprintf(d->reason, sizeof d->reason, "%s", CST_RECORD_LOST);
    end(k, CST_END_FAILED);
    return;
  }
  d->failed = !cst_assembly_begin(d->kept, &k->options.owner, ++d->number, k->options.identity, why,
                                  sizeof why);
  if (d->failed) {
    if (!d->lost)
      snprintf(d->reason, sizeof d->reason, "%s", why);
    end(k, CST_END_FAILED);
    return;
  }
  d->making = true;
  d->last = last;
  d->missing = k->size;
  cst_coordinator_put(k->coordinator, CST_NOTICE_BYTES, CST_SNAPSHOT_PAGE);
  cst_coordinator_put(k->coordinator, CST_NOTICE_ORDER, cst_run_control_order(d->number, last));
}

/* Whoever finds the checkpoint can tell from the result whether it has its rows, or is an older copy. Rows that were
 * written where a dataset no longer is are not counted as done. */
static cst_error promise_rows(cst_run_control *k) {
  cst_run_checkpoint *d = &k->checkpoint;
  CST_TRY(cst_output_checkpoint(k->output, &cst_channel_rows_until, d->number));
  d->failed = !cst_output_sync(k->output, d->reason, sizeof d->reason) ||
              !cst_output_in_place(k->output, d->reason, sizeof d->reason);
  return 0;
}

static cst_error finish_checkpoint(cst_run_control *k) {
  cst_run_checkpoint *d = &k->checkpoint;
  if (!d->failed)
    CST_TRY(promise_rows(k));
  if (!d->failed)
    d->failed = !cst_assembly_commit(d->kept, d->reason, sizeof d->reason);
  if (d->failed)
    cst_assembly_abandon(d->kept);
  d->written += !d->failed;
  d->making = false;
  d->beat = 0; /* show progress soon */
  d->closed = MPI_Wtime();
  d->longest = fmax(d->longest, d->closed - d->opened);
  if (d->failed || d->last)
    end(k, d->failed || d->lost ? CST_END_FAILED : CST_END_STOPPED);
  if (!d->failed)
    CST_TRY(cst_output_checkpoint(k->output, &cst_channel_checkpoint, d->number));
  return 0;
}

/* Time to reserve: twice the longest checkpoint so far, and the work between two polls. */
static double reserve(const cst_run_control *k, const long *words) {
  return 1 + 2 * k->checkpoint.longest + 2e-3 * (double)words[CST_NOTICE_SLOWEST];
}

static bool must_stop(cst_run_control *k, const long *words) {
  if (words[CST_NOTICE_SIGNAL])
    snprintf(k->checkpoint.reason, sizeof k->checkpoint.reason, "%s",
             cst_stop_name((int)words[CST_NOTICE_SIGNAL]));
  else if (MPI_Wtime() + reserve(k, words) > k->options.deadline)
    snprintf(k->checkpoint.reason, sizeof k->checkpoint.reason, "--max-hours");
  else
    return false;
  return true;
}

static cst_error show_life(cst_run_control *k) {
  if (MPI_Wtime() - k->checkpoint.beat < beat_every)
    return 0;
  k->checkpoint.beat = MPI_Wtime();
  cst_lock_beat(k->options.lock);
  CST_TRY(cst_output_share(k->output, cst_coordinator_share(k->coordinator)));
  return 0;
}

cst_error cst_run_control_lead(cst_run_control *k) {
  cst_run_checkpoint *d = &k->checkpoint;
  long                words[CST_NOTICES];
  CST_TRY(show_life(k));
  if (d->making) {
    CST_TRY(receive(k));
    if (d->missing == 0)
      CST_TRY(finish_checkpoint(k));
    return 0;
  }
  cst_coordinator_get(k->coordinator, words);
  if (words[CST_NOTICE_END] != CST_END_NONE)
    return 0;
  if (words[CST_NOTICE_FINISHED] == k->total)
    end(k, CST_END_DONE);
  else if (must_stop(k, words))
    begin_checkpoint(k, true);
  else if (MPI_Wtime() - d->closed >= k->options.seconds)
    begin_checkpoint(k, false);
  return 0;
}
