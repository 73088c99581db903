/* rank-loss.c: where the constraints of failed trajectories lost rank (see rank-loss.h). Rows have the reason;
 * the condition number is computed again from the last good state. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/rank-loss.h"
#include "core/need.h"
#include <math.h>
#include <stdio.h>

/* The condition number ahead of the last good state of a member of the open case. */
static PetscErrorCode measure(cst_case_rows *rows, long member, double time, double *condition) {
  const cst_plan   *p = rows->plan;
  const cst_system *s = p->study->system;
  const cst_case   *k = &p->cases[rows->icase];
  const double     *state;
  double           *c, *q, *v;
  PetscFunctionBegin;
  c = cst_zeros(PetscMax(s->npar, 1), sizeof *c);
  q = cst_zeros(s->nq, sizeof *q);
  v = cst_zeros(s->nq, sizeof *v);
  memcpy(c, cst_plan_parameters(p, k->variant), sizeof *c * (size_t)cst_system_named(s));
  if (s->timed)
    c[s->account - 1] = time;
  PetscCall(cst_case_rows_get(rows, &cst_channel_q, 0, &state));
  memcpy(q, state + member * s->nq, sizeof *q * (size_t)s->nq);
  PetscCall(cst_case_rows_get(rows, &cst_channel_p, 0, &state));
  *condition = cst_system_velocity(s, c, q, state + member * s->nq, v)
                   ? cst_system_rank_ahead(s, c, q, v, k->h)
                   : 0;
  free(c);
  free(q);
  free(v);
  PetscFunctionReturn(0);
}

PetscErrorCode cst_rank_loss_look(cst_case_rows *rows, int i, cst_rank_losses *l) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const double   *x;
  long            found = 0, first = -1;
  double          time = INFINITY;
  bool           *lost;
  PetscFunctionBegin;
  PetscCall(cst_case_rows_open(rows, i));
  if (!rows->failed)
    PetscFunctionReturn(0);
  lost = cst_zeros(members, sizeof *lost);
  PetscCall(cst_case_rows_get(rows, &cst_channel_status, 0, &x));
  for (long m = 0; m < members; m++) {
    lost[m] = x[m] == CST_RANK_LOST;
    found += lost[m];
  }
  if (found)
    PetscCall(cst_case_rows_get(rows, &cst_channel_steps, 0, &x));
  for (long m = 0; m < members && found; m++) {
    if (!lost[m] || !(x[m] * p->cases[i].h < time))
      continue;
    time = x[m] * p->cases[i].h;
    first = m;
  }
  free(lost);
  if (found && (!l->count || time < l->time)) {
    l->member = first;
    l->icase = i;
    l->time = time;
    PetscCall(measure(rows, first, time, &l->condition));
  }
  l->count += found;
  PetscFunctionReturn(0);
}

/* The earlier of two; of equal ones that of the first case, so that ranks do not matter. */
static bool is_before(const cst_rank_losses *a, const cst_rank_losses *b) {
  return a->time != b->time ? a->time < b->time : a->icase < b->icase;
}

PetscErrorCode cst_rank_loss_tell(const cst_plan *p, const cst_rank_losses *l,
                                  char text[CST_RANK_LOSS_TEXT]) {
  cst_rank_losses *all, first = {0};
  long             count = 0;
  PetscMPIInt      rank, ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  all = cst_zeros(ranks, sizeof *all);
  PetscCallMPI(MPI_Gather(l, sizeof *l, MPI_BYTE, all, sizeof *l, MPI_BYTE, 0, PETSC_COMM_WORLD));
  for (int r = 0; r < ranks && rank == 0; r++) {
    if (all[r].count && (!count || is_before(&all[r], &first)))
      first = all[r];
    count += all[r].count;
  }
  free(all);
  *text = 0;
  if (count)
    snprintf(text, CST_RANK_LOSS_TEXT,
             "the constraints of %ld trajectories lost rank, first those of member %ld of %s, step "
             "%.5g, behind t = %.6g: condition number %.2g",
             count, first.member, cst_method_label(p->study->method[p->cases[first.icase].method]),
             p->cases[first.icase].h_nominal, first.time, first.condition);
  PetscFunctionReturn(0);
}
