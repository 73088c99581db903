/* run-control.c: what every rank does between slices of its work: it polls, makes its part of a checkpoint
 * that rank 0 has ordered, and stops; and what rank 0 does besides (see run-control.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/run-control.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/need.h"
#include "record/bundle.h"
#include "record/snapshot.h"
#include "study/result/output.h"
#include "study/run/stop.h"

/* ---- one rank's part of a checkpoint --------------------------------------------------------- */

/* Its states go directly into the file, and a report to rank 0.
 *
 * The states of all ranks together are large. Each rank therefore reserves a place in the file and writes
 * there itself, in a thread that does not use MPI, while the rank computes on. The report says where the
 * states are; rank 0 adds what is the same for all ranks, and commits.
 */

enum { PART_HEAD = 128 };

typedef struct {
  const cst_snapshot_owner *owner;
  cst_output               *output;
  cst_bundle                states, report;
  const void              **bytes; /* [n] of each section of states */
  cst_snapshot_place       *place; /* [n] */
  int                       n;
  long                      number;
  size_t                    offset;
  pthread_t                 thread;
  bool                      begun, threaded, ended; /* ended: set by the thread */
  char                      why[512];               /* empty: no failure */
} rank_part;

/* owner: of the checkpoints; borrowed, as the output is. */
static rank_part *part_create(const cst_snapshot_owner *owner, cst_output *o) {
  rank_part *w = cst_need(calloc(1, sizeof *w));
  w->owner = owner;
  w->output = o;
  return w;
}

static void join(rank_part *w) {
  if (w->begun && w->threaded)
    pthread_join(w->thread, NULL);
  w->begun = false;
}

/* waits for the thread; NULL is allowed */
static void part_destroy(rank_part *w) {
  if (!w)
    return;
  join(w);
  cst_bundle_destroy(&w->states);
  cst_bundle_destroy(&w->report);
  free(w->bytes);
  free(w->place);
  free(w);
}

/* Both are emptied; the caller adds sections. */
static void part_clear(rank_part *w) {
  cst_bundle_resize(&w->states, 0);
  cst_bundle_resize(&w->report, 0);
}

/* Sections of states, and sections for rank 0. In the end the latter have, for each of the former, one of the
 * same name: its cst_snapshot_place, then its first bytes, PART_HEAD at most. */
static cst_bundle *part_states(rank_part *w) { return &w->states; }
static cst_bundle *part_report(rank_part *w) { return &w->report; }

/* Bytes of all sections, and how many there are. */
static size_t count(const rank_part *w, int *n) {
  size_t      size = 0;
  cst_section s;
  *n = 0;
  for (size_t at = 0; cst_bundle_next(&w->states, &at, &s); ++*n)
    size += s.head->size;
  return size;
}

/* Bytes of the file that the states take: whole pages. A section of zeros fills the last page; no section is added
 * afterwards. */
static size_t part_close(rank_part *w) {
  const size_t over = count(w, &w->n) % CST_SNAPSHOT_PAGE;
  cst_section  s;
  if (over)
    cst_bundle_add(&w->states, "gap", CST_SNAPSHOT_PAGE - over);
  const size_t size = count(w, &w->n);
  w->bytes = cst_need(realloc(w->bytes, ((size_t)w->n + 1) * sizeof *w->bytes));
  w->place = cst_need(realloc(w->place, ((size_t)w->n + 1) * sizeof *w->place));
  for (size_t at = 0, i = 0; cst_bundle_next(&w->states, &at, &s); i++) {
    w->bytes[i] = s.bytes;
    w->place[i].size = s.head->size;
  }
  return size;
}

static void *write_states(void *context) {
  rank_part *w = context;
  const bool rows_written = cst_output_sync(w->output, w->why, sizeof w->why);
  if (rows_written && w->n)
    cst_snapshot_write(w->owner, w->number, w->offset, w->bytes, w->place, w->n, w->why,
                       sizeof w->why);
  __atomic_store_n(&w->ended, true, __ATOMIC_RELEASE);
  return NULL;
}

/* Brings the rows of the result to the disk, then the states, to this offset of checkpoint `number`. Signals are for the
 * thread that polls. Where there may be no further thread, the rank waits. */
static void part_begin(rank_part *w, long number, size_t offset) {
  sigset_t all, before;
  w->number = number;
  w->offset = offset;
  w->begun = true;
  w->why[0] = 0;
  __atomic_store_n(&w->ended, false, __ATOMIC_RELEASE);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  w->threaded = !pthread_create(&w->thread, NULL, write_states, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!w->threaded)
    write_states(w);
}

static void report_places(rank_part *w) {
  cst_section s;
  for (size_t at = 0, i = 0; cst_bundle_next(&w->states, &at, &s); i++) {
    const size_t        head = s.head->size < PART_HEAD ? s.head->size : PART_HEAD;
    cst_snapshot_place *to = cst_bundle_add(&w->report, s.head->name, sizeof *to + head);
    *to = w->place[i];
    memcpy(to + 1, s.bytes, head);
  }
}

/* True once, when all is on the disk. After a failure the sections for rank 0 have one "failed", with the
 * reason. */
static bool part_done(rank_part *w) {
  if (!w->begun || !__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE))
    return false;
  join(w);
  if (*w->why)
    strcpy(cst_bundle_add(&w->report, "failed", strlen(w->why) + 1), w->why);
  else
    report_places(w);
  return true;
}

/* ---- the state of a run ---------------------------------------------------------------------- */

enum {
  TAG = 17,        /* of the messages that carry parts to rank 0 */
  SLOTS = 64,      /* parts that rank 0 receives at a time, at most, ... */
  ROOM = 256 << 20 /* ... and their bytes */
};

/* State of rank 0. */
typedef struct {
  cst_assembly *kept;
  long          number;  /* of the current checkpoint, or else of the last one */
  bool          making;  /* a checkpoint is in progress */
  int           missing; /* parts of it not yet received */
  bool          last;    /* it is the last one */
  bool          lost;    /* ... because the path no longer leads to the result */
  bool          cut;     /* the file has lost its rows (cst_record_is_whole) */
  bool          failed;
  int           arriving; /* parts being received, ... */
  size_t        room;     /* ... and their bytes */
  cst_bundle    part[SLOTS];
  MPI_Request   request[SLOTS];
  long          written;
  double        opened, closed, longest, beat;
  char          reason[512];
} run_checkpoint;

struct cst_run_control {
  MPI_Comm                comm;
  int                     rank, size;
  const cst_plan         *plan;
  cst_run_control_options options;
  cst_coordinator        *coordinator;
  cst_output             *output;
  cst_reference          *reference;
  cst_tallies            *tallies;
  cst_runner             *runner; /* NULL: the batches have not begun */
  MPI_Datatype            unit;
  long                    obeyed; /* the last order that this rank has carried out */
  cst_end                 end;
  int                     total; /* items of work of the phase */
  rank_part              *writer;
  MPI_Request             sending;
  cst_work               *finished; /* since the last part was made */
  size_t                  nfinished, most_finished;
  cst_bundle              concluded; /* numbers of shares, likewise */
  double                 *told;      /* [nclass] seconds already reported */
  double polled, slowest; /* time of the last poll, and the longest time between two polls */
  double looked;          /* time of the last check inside a slice, ... */
  bool   halts;           /* ... and its answer */
  bool   due;             /* a checkpoint was ordered and is not made yet */
  double patience; /* seconds of a slice after which it is halted for that; doubled each time, so
                          that slices come to an end */
  double pause;    /* between two polls: longer where there are many ranks */
  bool   signalled;
  run_checkpoint checkpoint; /* on rank 0 */
};

/* An order encodes the number of a checkpoint and whether it is the last. */
static inline long order_of(long number, bool last) { return 2 * number + last; }
static inline bool is_last(long order) { return order % 2; }
static inline long number_of(long order) { return order / 2; }

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* It orders checkpoints, receives the parts of all ranks, commits, and ends the run. */

static const double beat_every = 10; /* seconds between signs of life */

/* Keeps the first failure as the reason; later parts are still received. */
static void take(cst_run_control *k, const cst_bundle *part) {
  run_checkpoint *d = &k->checkpoint;
  if (!d->failed)
    d->failed = !cst_assembly_take(d->kept, part, d->reason, sizeof d->reason);
  d->missing--;
}

/* Starts to receive a part; *admitted false: none is pending, or no slot or memory is free. */
static cst_error admit(cst_run_control *k, bool *admitted) {
  run_checkpoint *d = &k->checkpoint;
  MPI_Message     message;
  MPI_Status      status;
  int             there = 0, units;
  int             slot = 0;
  *admitted = false;
  if (d->arriving == SLOTS || d->room >= ROOM)
    return 0;
  CST_TRY_MPI(MPI_Improbe(MPI_ANY_SOURCE, TAG, k->comm, &there, &message, &status));
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
  run_checkpoint *d = &k->checkpoint;
  int             done, which[SLOTS];
  MPI_Status      status[SLOTS]; /* unused: gcc warns of MPICH's MPI_STATUSES_IGNORE */
  bool            more = true;
  while (d->missing > 0 && more) {
    CST_TRY(admit(k, &more));
    done = 0;
    if (d->arriving)
      CST_TRY_MPI(MPI_Testsome(SLOTS, d->request, &done, which, status));
    for (int i = 0; i < done; i++) {
      take(k, &d->part[which[i]]);
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
  run_checkpoint *d = &k->checkpoint;
  char            why[512];
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
  cst_coordinator_put(k->coordinator, CST_NOTICE_ORDER, order_of(d->number, last));
}

/* Whoever finds the checkpoint can tell from the result whether it has its rows, or is an older copy. Rows that were
 * written where a dataset no longer is are not counted as done. */
static cst_error promise_rows(cst_run_control *k) {
  run_checkpoint *d = &k->checkpoint;
  CST_TRY(cst_output_checkpoint(k->output, &cst_channel_rows_until, d->number));
  d->failed = !cst_output_sync(k->output, d->reason, sizeof d->reason) ||
              !cst_output_in_place(k->output, d->reason, sizeof d->reason);
  return 0;
}

static cst_error finish_checkpoint(cst_run_control *k) {
  run_checkpoint *d = &k->checkpoint;
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

/* Rank 0: shows that the run is alive, begins and finishes checkpoints, and ends the run. */
static cst_error lead(cst_run_control *k) {
  run_checkpoint *d = &k->checkpoint;
  long            words[CST_NOTICES];
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

/* ---- every rank ------------------------------------------------------------------------------ */

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
  k->writer = part_create(&k->options.owner, o);
  for (int i = 0; i < SLOTS; i++)
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
  for (int i = 0; i < SLOTS; i++)
    cst_bundle_destroy(&k->checkpoint.part[i]);
  part_destroy(k->writer);
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

void cst_run_control_concluded(cst_run_control *k, long share) {
  const size_t at = k->concluded.size;
  cst_bundle_resize(&k->concluded, at + sizeof share);
  memcpy(k->concluded.bytes + at, &share, sizeof share);
}

/* ---- the part of each rank ------------------------------------------------------------------- */

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
  cst_bundle *states = part_states(k->writer);
  cst_bundle *report = part_report(k->writer);
  if (k->runner)
    CST_TRY(cst_runner_flush(k->runner));
  part_clear(k->writer);
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
  const size_t bytes = part_close(k->writer);
  const long   at = bytes ? cst_coordinator_add(k->coordinator, CST_NOTICE_BYTES, (long)bytes) : 0;
  part_begin(k->writer, number_of(order), (size_t)at);
  return 0;
}

/* Tells rank 0 when this rank's part is on the disk. */
static cst_error deliver(cst_run_control *k) {
  const cst_bundle *part = part_report(k->writer);
  if (!part_done(k->writer))
    return 0;
  if (k->rank == 0)
    take(k, part);
  else
    CST_TRY_MPI(MPI_Isend(part->bytes, (int)(part->size / CST_BUNDLE_UNIT), k->unit, 0, TAG,
                          k->comm, &k->sending));
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
    CST_TRY(lead(k));
  *answered = cst_coordinator_tell(k->coordinator, words);
  if (!*answered)
    return 0;
  k->end = (cst_end)words[CST_NOTICE_END];
  if (k->end == CST_END_NONE && words[CST_NOTICE_ORDER] != k->obeyed)
    CST_TRY(obey(k, words[CST_NOTICE_ORDER]));
  return 0;
}

static bool stops(const cst_run_control *k) { return k->end > CST_END_DONE || is_last(k->obeyed); }

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
  if (deliver(k) || (k->rank == 0 && lead(k)))
    return true;
  if (!cst_coordinator_tell(k->coordinator, words))
    return k->halts;
  k->due = k->runner && words[CST_NOTICE_ORDER] != k->obeyed;
  k->halts = is_last(words[CST_NOTICE_ORDER]) || words[CST_NOTICE_SIGNAL] ||
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

static cst_error start_again(cst_run_control *k) {
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
  CST_TRY(start_again(k));
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
