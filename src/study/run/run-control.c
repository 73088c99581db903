/* run-control.c: what every rank does between slices of its work: it polls, makes its part of a checkpoint
 * that rank 0 has ordered, and stops (see run-control.h). Rank 0: run-control-lead.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/need.h"
#include "study/run/run-control-internal.h"
#include "study/run/stop.h"

/* Rank 0 answers the polls of all ranks, polls_per_second at most. Times in seconds. */
static const double first_poll = 0.005, pause_between = 0.05, longest_pause = 1, look_every = 0.25,
                    polls_per_second = 20000, least_patience = 5;

cst_error cst_run_control_create(MPI_Comm comm, const cst_plan *p,
                                 const cst_run_control_options *options, cst_coordinator *c,
                                 cst_output *o, cst_checkpoint *checkpoint, cst_reference *r,
                                 cst_tallies *t, cst_run_control **control) {
  cst_run_control *k;
  char             why[512] = "";
  int              ok = 1;
  k = cst_zeros(1, sizeof *k);
  *control = k;
  k->comm = comm;
  k->plan = p;
  k->options = *options;
  k->coordinator = c;
  k->output = o;
  k->reference = r;
  k->tallies = t;
  CST_TRY_MPI(MPI_Comm_rank(comm, &k->rank));
  CST_TRY_MPI(MPI_Comm_size(comm, &k->size));
  CST_TRY_MPI(MPI_Type_contiguous(CST_BUNDLE_UNIT, MPI_BYTE, &k->unit));
  CST_TRY_MPI(MPI_Type_commit(&k->unit));
  k->told = cst_zeros(p->nclass + 1, sizeof *k->told);
  k->sending = MPI_REQUEST_NULL;
  k->writer = cst_rank_part_create(&k->options.owner, o);
  for (int i = 0; i < CST_RUN_CONTROL_SLOTS; i++)
    k->checkpoint.request[i] = MPI_REQUEST_NULL;
  k->pause = fmin(fmax(pause_between, (double)k->size / polls_per_second), longest_pause);
  k->patience = least_patience;
  k->checkpoint.closed = MPI_Wtime();
  k->polled = k->checkpoint.closed - k->pause + first_poll;
  if (k->rank == 0) {
    k->checkpoint.kept = cst_assembly_create(p, checkpoint, r);
    const long largest = cst_snapshot_largest(options->owner.path);
    k->checkpoint.number = largest > options->number ? largest : options->number;
    ok = cst_assembly_take_over(k->checkpoint.kept, why, sizeof why);
  }
  CST_TRY_MPI(MPI_Bcast(&ok, 1, MPI_INT, 0, comm));
  CST_CHECK(ok, comm, CST_ERR_FILE_READ, "%s: %s", options->path, why);
  CST_TRY_MPI(MPI_Bcast(r->item, cst_reference_items(r), MPI_BYTE, 0, comm));
  return 0;
}

cst_error cst_run_control_destroy(cst_run_control **control) {
  cst_run_control *k = *control;
  cst_assembly_destroy(k->checkpoint.kept);
  for (int i = 0; i < CST_RUN_CONTROL_SLOTS; i++)
    cst_bundle_destroy(&k->checkpoint.part[i]);
  cst_rank_part_destroy(k->writer);
  CST_TRY_MPI(MPI_Type_free(&k->unit));
  free(k->finished);
  cst_bundle_destroy(&k->concluded);
  free(k->told);
  free(*control);
  *control = NULL;
  return 0;
}

void cst_run_control_watch(cst_run_control *k, cst_runner *r) { k->runner = r; }
void cst_run_control_finished(cst_run_control *k, const cst_work *w) {
  if (k->nfinished == k->most_finished) {
    k->most_finished = 2 * k->most_finished + 16;
    k->finished = cst_need(realloc(k->finished, k->most_finished * sizeof *k->finished));
  }
  k->finished[k->nfinished++] = *w;
}

void cst_run_control_concluded(cst_run_control *k, long portion) {
  const size_t at = k->concluded.size;
  cst_bundle_resize(&k->concluded, at + sizeof portion);
  memcpy(k->concluded.bytes + at, &portion, sizeof portion);
}

/* ---- the part of each rank ---------------------------------------------------------------------- */

static void pack_finished(cst_run_control *k, cst_bundle *b) {
  long *x = cst_bundle_add(b, "done", 3 * sizeof *x * k->nfinished);
  for (size_t i = 0; i < k->nfinished; i++, x += 3) {
    cst_plan_trajectory(k->plan, k->finished[i].class, k->finished[i].first, &x[0], &x[1]);
    x[2] = k->finished[i].count;
  }
  k->nfinished = 0;
}

static void pack_concluded(cst_run_control *k, cst_bundle *b) {
  if (!k->concluded.size)
    return;
  memcpy(cst_bundle_add(b, "concluded", k->concluded.size), k->concluded.bytes, k->concluded.size);
  cst_bundle_resize(&k->concluded, 0);
}

static void pack_seconds(cst_run_control *k, cst_bundle *b) {
  double *x = cst_bundle_add(b, "seconds", sizeof *x * (size_t)k->plan->nclass);
  for (int i = 0; i < k->plan->nclass; i++) {
    const double all = cst_runner_seconds(k->runner, i);
    x[i] = all - k->told[i];
    k->told[i] = all;
  }
}

/* Buffered states are written to the file first. */
static cst_error make_part(cst_run_control *k) {
  cst_bundle *states = cst_rank_part_states(k->writer);
  cst_bundle *report = cst_rank_part_report(k->writer);
  if (k->runner)
    CST_TRY(cst_runner_flush(k->runner));
  cst_rank_part_clear(k->writer);
  cst_tallies_pack(k->tallies, report); /* also what was taken over, before a runner is there */
  cst_tallies_clear(k->tallies);
  if (k->runner) {
    cst_lane_rows_pack(k->runner, states);
    pack_finished(k, report);
    pack_concluded(k, report);
    pack_seconds(k, report);
  }
  cst_reference_pack(k->reference, false, report);
  cst_reference_pack_midway(k->reference, states);
  return 0;
}

static cst_error obey(cst_run_control *k, long order) {
  CST_TRY_MPI(MPI_Wait(&k->sending, MPI_STATUS_IGNORE));
  CST_TRY(make_part(k));
  k->obeyed = order;
  const size_t bytes = cst_rank_part_close(k->writer);
  const long   at = bytes ? cst_coordinator_add(k->coordinator, CST_NOTICE_BYTES, (long)bytes) : 0;
  cst_rank_part_begin(k->writer, cst_run_control_number(order), (size_t)at);
  return 0;
}

/* Tells rank 0 when this rank's part is on the disk. */
static cst_error deliver(cst_run_control *k) {
  const cst_bundle *part = cst_rank_part_report(k->writer);
  if (!cst_rank_part_done(k->writer))
    return 0;
  if (k->rank == 0)
    cst_run_control_take(k, part);
  else
    CST_TRY_MPI(MPI_Isend(part->bytes, (int)(part->size / CST_BUNDLE_UNIT), k->unit, 0,
                          CST_RUN_CONTROL_TAG, k->comm, &k->sending));
  return 0;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* *answered: false: rank 0 is computing; the next call may have its answer. */
static cst_error poll_now(cst_run_control *k, bool *answered) {
  long words[CST_NOTICES];
  int  sent;
  if (cst_stop_signal() && !k->signalled) {
    cst_coordinator_put(k->coordinator, CST_NOTICE_SIGNAL, cst_stop_signal());
    k->signalled = true;
  }
  CST_TRY_MPI(MPI_Test(&k->sending, &sent, MPI_STATUS_IGNORE));
  CST_TRY(deliver(k));
  if (k->rank == 0)
    CST_TRY(cst_run_control_lead(k));
  *answered = cst_coordinator_tell(k->coordinator, words);
  if (!*answered)
    return 0;
  k->end = (cst_end)words[CST_NOTICE_END];
  if (k->end == CST_END_NONE && words[CST_NOTICE_ORDER] != k->obeyed)
    CST_TRY(obey(k, words[CST_NOTICE_ORDER]));
  return 0;
}

static bool stops(const cst_run_control *k) {
  return k->end > CST_END_DONE || cst_run_control_is_last(k->obeyed);
}

cst_error cst_run_control_poll(void *context, double work, bool *stop) {
  cst_run_control *k = context;
  const double     now = MPI_Wtime();
  bool             answered;
  cst_coordinator_done(k->coordinator, work);
  if (now - k->polled >= k->pause) {
    if (now - k->polled > 1.2 * k->slowest) {
      k->slowest = now - k->polled;
      cst_coordinator_raise(k->coordinator, CST_NOTICE_SLOWEST, (long)(1e3 * k->slowest));
    }
    CST_TRY(poll_now(k, &answered));
    if (answered)
      k->polled = MPI_Wtime();
  }
  *stop = stops(k);
  return 0;
}

/* Called inside a slice: rank 0 continues to coordinate, but no part is made here. */
bool cst_run_control_halts(void *context) {
  cst_run_control *k = context;
  const double     now = MPI_Wtime();
  long             words[CST_NOTICES];
  if (cst_stop_signal())
    return true;
  if (now - k->looked < fmax(look_every, k->pause))
    return k->halts;
  k->looked = now;
  if (deliver(k) || (k->rank == 0 && cst_run_control_lead(k)))
    return true;
  if (!cst_coordinator_tell(k->coordinator, words))
    return k->halts;
  k->due = k->runner && words[CST_NOTICE_ORDER] != k->obeyed;
  k->halts = cst_run_control_is_last(words[CST_NOTICE_ORDER]) || words[CST_NOTICE_SIGNAL] ||
             words[CST_NOTICE_END] > CST_END_DONE;
  return k->halts;
}

bool cst_run_control_pauses(void *context) {
  cst_run_control *k = context;
  if (cst_run_control_halts(k))
    return true;
  if (!k->due || MPI_Wtime() - k->polled < k->patience)
    return false;
  k->patience *= 2;
  k->due = false; /* until it is asked again */
  return true;
}

/* This rank has no work left. It carries out orders until all ranks have finished, and polls less often the
 * longer it waits. Rank 0 polls without a pause, to serve the others. */
static cst_error wait_for_end(cst_run_control *k) {
  const double begun = MPI_Wtime();
  bool         answered;
  while (k->end == CST_END_NONE) {
    CST_TRY(poll_now(k, &answered));
    const double pause = k->rank && answered ? fmin((MPI_Wtime() - begun) / 8,
                                                    fmax(0.25, (double)k->size / polls_per_second))
                                             : 0;
    if (k->end == CST_END_NONE)
      usleep((useconds_t)(1e6 * fmax(0.001, pause)));
  }
  CST_TRY_MPI(MPI_Wait(&k->sending, MPI_STATUS_IGNORE));
  k->polled = MPI_Wtime();
  return 0;
}

static cst_error start_anew(cst_run_control *k) {
  static const cst_notice words[] = {CST_NOTICE_NEXT, CST_NOTICE_FINISHED, CST_NOTICE_END};
  CST_TRY(
      cst_coordinator_forget(k->coordinator)); /* its answer would be of the phase that has ended */
  CST_TRY_MPI(MPI_Barrier(k->comm));
  for (int i = 0; k->rank == 0 && i < 3; i++)
    cst_coordinator_put(k->coordinator, words[i], 0);
  k->end = CST_END_NONE;
  CST_TRY_MPI(MPI_Barrier(k->comm));
  return 0;
}

cst_error cst_run_control_phase(cst_run_control *k, cst_phase phase, int n, cst_item_of_work *f,
                                void *context, cst_end *how) {
  bool stop = false;
  cst_coordinator_enter(k->coordinator, phase);
  k->total = n;
  for (long i; !stop && (i = cst_coordinator_add(k->coordinator, CST_NOTICE_NEXT, 1)) < n;) {
    CST_TRY(f(context, (int)i, &stop));
    if (stop)
      break;
    cst_coordinator_count(k->coordinator, CST_NOTICE_FINISHED);
    CST_TRY(cst_run_control_poll(k, 0, &stop));
  }
  CST_TRY(wait_for_end(k));
  *how = k->end;
  CST_TRY(start_anew(k));
  return 0;
}

cst_error cst_run_control_gather(cst_run_control *k, double *seconds) {
  for (int i = 0; i < k->plan->nclass; i++)
    seconds[i] = cst_runner_seconds(k->runner, i) - k->told[i];
  if (k->rank == 0) {
    cst_assembly_add_tallies(k->checkpoint.kept, k->tallies);
    cst_assembly_add_seconds(k->checkpoint.kept, seconds);
  }
  return 0;
}

void cst_run_control_report(const cst_run_control *k, cst_run_end *run) {
  run->checkpoints = k->checkpoint.written;
  run->longest = k->checkpoint.longest;
  run->cut = k->checkpoint.cut;
  snprintf(run->reason, sizeof run->reason, "%s", k->checkpoint.reason);
}
