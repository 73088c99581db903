/* coordinator.c: hands out numbered items of work, passes messages between ranks, and reports progress.
 *
 * All shared data are in an RMA window on rank 0. Between slices of work each rank enters MPI once, here, so
 * that the counter advances even on networks whose one-sided operations need the target's help. Rank 0
 * prints.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* statx */
#include "study/run/coordinator.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "core/need.h"

/* ---- how much of a run is done --------------------------------------------------------------- */

static double planned(const cst_progress *p) { return p->phase < 0 ? 0 : p->planned[p->phase]; }

/* Of the current phase; one without work takes no time that counts. */
static double spent(const cst_progress *p, double now) {
  return planned(p) > 0 ? now - p->begun : 0;
}

void cst_progress_enter(cst_progress *p, cst_phase phase, double now, double work) {
  p->passed += spent(p, now);
  p->phase = (int)phase;
  p->begun = now;
  p->work = work;
}

/* Seconds of the whole current phase, of which a share is done. */
static double whole(const cst_progress *p, double now, double share) {
  return share > 0 ? spent(p, now) / share : spent(p, now) + planned(p);
}

cst_progress_told cst_progress_tell(const cst_progress *p, double now, double work) {
  const double share = planned(p) > 0 ? fmin((work - p->work) / planned(p), 1) : 0;
  const double phase = whole(p, now, share);
  const double done = p->passed + share * phase;
  double       all = p->passed + phase;
  for (int k = p->phase + 1; k < CST_PHASES; k++)
    all += p->planned[k];
  const double mine = all > 0 ? done / all : 0;
  return (cst_progress_told){p->before + (1 - p->before) * mine, all - p->passed - spent(p, now)};
}

/* ---- the coordinator ------------------------------------------------------------------------- */

struct cst_coordinator {
  MPI_Comm     comm;
  MPI_Win      window;
  long        *shared; /* on rank 0, [CST_NOTICES] */
  long        *own;    /* the same where MPI has not allocated it */
  double       total, mine, reported;
  double       second; /* of the run, by a nanosecond of planned work */
  double       start, last_print;
  cst_progress progress;
  MPI_Request  asked;                    /* MPI_REQUEST_NULL: nothing */
  long         add, answer[CST_NOTICES]; /* the work that it reports, and all counters */
  int          rank;
  int          line, log;
};

static const double unit = 1e-9; /* unit of CST_NOTICE_WORK, as a fraction of the total */

/* True if a person is watching. Open MPI gives rank 0 a terminal of its own, so what counts is the standard
 * output of mpirun itself. */
static int watched(void) {
  char path[64];
  int  fd, answer;
  if (!getenv("OMPI_COMM_WORLD_SIZE"))
    return isatty(1);
  snprintf(path, sizeof path, "/proc/%d/fd/1", (int)getppid());
  if ((fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK)) < 0)
    return 0;
  answer = isatty(fd);
  close(fd);
  return answer;
}

static void choose_progress(cst_coordinator *c, const char *progress) {
  c->line = !strcmp(progress, "line") || (!strcmp(progress, "auto") && watched());
  c->log = !strcmp(progress, "log") || (!strcmp(progress, "auto") && !watched());
}

/* Whether all ranks are on one node, and each has a /dev/shm of its own, as in containers. Open MPI 4.1 would then wait
 * for ever in MPI_Win_allocate, which makes a window of such ranks there. */
static cst_error are_apart(MPI_Comm comm, bool *apart) {
  struct statx s;
  MPI_Comm     node;
  int          all, here;
  const bool   there = !statx(AT_FDCWD, "/dev/shm", 0, STATX_INO, &s);
  const long   device = there ? (long)makedev(s.stx_dev_major, s.stx_dev_minor) : 0;
  long         most[2] = {device, -device};
  CST_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  CST_TRY_MPI(MPI_Comm_size(comm, &all));
  CST_TRY_MPI(MPI_Comm_size(node, &here));
  CST_TRY_MPI(MPI_Comm_free(&node));
  CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_LONG, MPI_MAX, comm));
  *apart = here == all && most[0] != -most[1];
  return 0;
}

static cst_error make_window(cst_coordinator *c) {
  const MPI_Aint bytes = c->rank ? 0 : CST_NOTICES * sizeof(long);
  bool           apart;
  CST_TRY(are_apart(c->comm, &apart));
  if (apart) {
    c->shared = c->own = cst_zeros(CST_NOTICES, sizeof(long));
    CST_TRY_MPI(MPI_Win_create(c->own, bytes, sizeof(long), MPI_INFO_NULL, c->comm, &c->window));
  } else
    CST_TRY_MPI(
        MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, c->comm, &c->shared, &c->window));
  if (c->rank == 0)
    memset(c->shared, 0, CST_NOTICES * sizeof(long));
  return 0;
}

cst_error cst_coordinator_create(MPI_Comm comm, const char *progress, const double left[CST_PHASES],
                                 double before, cst_coordinator **coordinator) {
  cst_coordinator *c;
  int              ranks;
  c = cst_zeros(1, sizeof *c);
  *coordinator = c;
  c->comm = comm;
  c->asked = MPI_REQUEST_NULL;
  CST_TRY_MPI(MPI_Comm_rank(comm, &c->rank));
  CST_TRY_MPI(MPI_Comm_size(comm, &ranks));
  c->progress = (cst_progress){.before = before, .phase = -1};
  for (int k = 0; k < CST_PHASES; k++) {
    c->progress.planned[k] = 1e-9 * left[k] / ranks;
    c->total += left[k];
  }
  c->total = c->total > 0 ? c->total : 1;
  c->second = 1e-9 / ranks;
  CST_TRY(make_window(c));
  CST_TRY_MPI(MPI_Barrier(comm));
  CST_TRY_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, c->window));
  choose_progress(c, progress);
  c->start = c->last_print = MPI_Wtime();
  return 0;
}

cst_error cst_coordinator_destroy(cst_coordinator **coordinator) {
  cst_coordinator *c = *coordinator;
  CST_TRY(cst_coordinator_forget(c));
  CST_TRY_MPI(MPI_Win_unlock_all(c->window));
  CST_TRY_MPI(MPI_Win_free(&c->window));
  if (c->rank == 0 && c->line)
    printf("\r%78s\r", "");
  if (c->rank == 0)
    fflush(stdout);
  free(c->own);
  free(*coordinator);
  *coordinator = NULL;
  return 0;
}

static long exchange(cst_coordinator *c, cst_notice which, long value, MPI_Op op) {
  long old = 0;
  MPI_Fetch_and_op(&value, &old, MPI_LONG, 0, which, op, c->window);
  MPI_Win_flush(0, c->window);
  return old;
}

long cst_coordinator_add(cst_coordinator *c, cst_notice which, long value) {
  return exchange(c, which, value, MPI_SUM);
}
void cst_coordinator_count(cst_coordinator *c, cst_notice which) {
  static const long one = 1;
  MPI_Accumulate(&one, 1, MPI_LONG, 0, which, 1, MPI_LONG, MPI_SUM, c->window);
}
void cst_coordinator_put(cst_coordinator *c, cst_notice which, long value) {
  (void)exchange(c, which, value, MPI_REPLACE);
}
void cst_coordinator_raise(cst_coordinator *c, cst_notice which, long value) {
  (void)exchange(c, which, value, MPI_MAX);
}

static const long nothing[CST_NOTICES];

void cst_coordinator_get(cst_coordinator *c, long words[CST_NOTICES]) {
  MPI_Get_accumulate(nothing, CST_NOTICES, MPI_LONG, words, CST_NOTICES, MPI_LONG, 0, 0,
                     CST_NOTICES, MPI_LONG, MPI_NO_OP, c->window);
  MPI_Win_flush(0, c->window);
}

/* Planned seconds of the work that is done. */
static double work(cst_coordinator *c) {
  return (double)cst_coordinator_add(c, CST_NOTICE_WORK, 0) * unit * c->total * c->second;
}

void cst_coordinator_enter(cst_coordinator *c, cst_phase phase) {
  cst_progress_enter(&c->progress, phase, MPI_Wtime(), work(c));
}

double cst_coordinator_share(cst_coordinator *c) {
  return cst_progress_tell(&c->progress, MPI_Wtime(), work(c)).share;
}

static void print(cst_coordinator *c, double now) {
  const cst_progress_told x = cst_progress_tell(&c->progress, now, work(c));
  const double            spent = now - c->start;
  if (c->line)
    printf("\r  %5.1f %%  %.0f s spent, about %.0f s left   ", 100 * x.share, spent, x.left);
  else
    printf("progress %5.1f %%  %.0f s spent, about %.0f s left\n", 100 * x.share, spent, x.left);
  fflush(stdout);
  c->last_print = now;
}

void cst_coordinator_done(cst_coordinator *c, double work) { c->mine += work; }

static void ask(cst_coordinator *c) {
  c->add = (long)((c->mine - c->reported) / c->total / unit);
  c->reported += (double)c->add * unit * c->total;
  if (c->add > 0)
    MPI_Accumulate(&c->add, 1, MPI_LONG, 0, CST_NOTICE_WORK, 1, MPI_LONG, MPI_SUM, c->window);
  MPI_Rget_accumulate(nothing, CST_NOTICES, MPI_LONG, c->answer, CST_NOTICES, MPI_LONG, 0, 0,
                      CST_NOTICES, MPI_LONG, MPI_NO_OP, c->window, &c->asked);
}

bool cst_coordinator_tell(cst_coordinator *c, long words[CST_NOTICES]) {
  const double now = MPI_Wtime();
  const double since = now - c->last_print;
  const bool   due = (c->line && since > 0.5) || (c->log && since > 10);
  int          there = 0;
  if (c->asked == MPI_REQUEST_NULL)
    ask(c);
  if (c->rank == 0) /* whose words lie in its own memory */
    there = !MPI_Wait(&c->asked, MPI_STATUS_IGNORE);
  else
    MPI_Test(&c->asked, &there, MPI_STATUS_IGNORE);
  if (there)
    memcpy(words, c->answer, sizeof c->answer);
  if (c->rank == 0 && due)
    print(c, now);
  return there;
}

cst_error cst_coordinator_forget(cst_coordinator *c) {
  CST_TRY_MPI(MPI_Wait(&c->asked, MPI_STATUS_IGNORE));
  return 0;
}
