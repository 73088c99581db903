/* replay.c: recomputes chosen members of every case (see replay.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/replay.h"
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/result/case-rows.h"

typedef struct {
  double size;
  long   member;
} entry;

static int worse(const void *a, const void *b) {
  const entry *x = a;
  const entry *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static cst_error choose_of(const cst_choice *by, cst_output *o, const cst_plan *p, int icase,
                           long *member) {
  const long     members = p->study->members;
  cst_case_rows *rows;
  double        *size = cst_zeros(members, sizeof *size);
  entry         *list = cst_zeros(members, sizeof *list);
  long           n = 0;
  CST_TRY(cst_case_rows_create(p, o, NULL, &rows));
  CST_TRY(cst_case_rows_open(rows, icase));
  CST_TRY(by->sizes(rows, size));
  for (long m = 0; m < members; m++)
    if (!isnan(size[m]))
      list[n++] = (entry){size[m], m};
  qsort(list, (size_t)n, sizeof *list, worse);
  for (long i = 0; i < p->chosen; i++)
    if (i < n)
      member[i] = list[i].member;
    else
      member[i] = -1;
  CST_TRY(cst_case_rows_destroy(&rows));
  free(size);
  free(list);
  return 0;
}

typedef struct {
  const cst_choice *by;
  const cst_plan   *plan;
  cst_output       *output;
  cst_runner       *runner;
  long             *member; /* [ncase][chosen] */
  signed char      *open;   /* [ncase] */
} replay;

/* On rank 0, which has also read the rows of every case for its conclusions. */
static cst_error choose(replay *d) {
  const int n = d->plan->chosen;
  for (int i = 0; i < d->plan->ncase; i++) {
    long *there = d->member + (size_t)i * (size_t)n;
    CST_TRY(d->by->read(d->output, i, there));
    d->open[i] = there[0] < 0;
    if (d->open[i])
      CST_TRY(choose_of(d->by, d->output, d->plan, i, there));
  }
  return 0;
}

/* The members are written after what is kept of them is on disk: a case with members is complete. */
static cst_error replay_case(void *context, int i, bool *stop) {
  replay     *d = context;
  const int   most = d->plan->chosen;
  const long *member = d->member + (size_t)i * (size_t)most;
  int         n = 0;
  char        why[256];
  while (n < most && member[n] >= 0)
    n++;
  if (!d->open[i] || n == 0)
    return 0;
  CST_TRY(cst_runner_replay(d->runner, i, member, n, stop));
  if (*stop)
    return 0;
  CST_CHECK(cst_output_sync(d->output, why, sizeof why), MPI_COMM_SELF, CST_ERR_FILE_WRITE, "%s",
            why);
  CST_TRY(d->by->write(d->output, i, member));
  return 0;
}

cst_error cst_replay(const cst_plan *p, cst_output *o, cst_runner *r, cst_run_control *k,
                     cst_end *end) {
  const size_t n = (size_t)p->ncase * (size_t)p->chosen;
  replay       d = {.by = cst_collector_choice(p), .plan = p, .output = o, .runner = r};
  int          rank;
  if (!d.by)
    return 0;
  d.member = cst_zeros(n, sizeof *d.member);
  d.open = cst_zeros(p->ncase, 1);
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  if (rank == 0)
    CST_TRY(choose(&d));
  CST_TRY_MPI(MPI_Bcast(d.member, (int)n, MPI_LONG, 0, cst_world));
  CST_TRY_MPI(MPI_Bcast(d.open, p->ncase, MPI_BYTE, 0, cst_world));
  cst_runner_choose(r, d.member);
  CST_TRY(cst_run_control_phase(k, CST_PHASE_REPLAY, p->ncase, replay_case, &d, end));
  cst_runner_choose(r, NULL);
  free(d.member);
  free(d.open);
  return 0;
}
