/* rank-loss.c: where the constraints of failed trajectories lost rank, and where others passed such a state (see
 * rank-loss.h). Rows have the reason and the time; the condition number is computed again from the last good state. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/rank-loss.h"
#include "core/need.h"
#include <math.h>
#include <stdio.h>

/* The condition number ahead of the last good state of a member of the open case. */
static cst_error measure(cst_case_rows *rows, long member, double time, double *condition) {
  const cst_plan   *p = rows->plan;
  const cst_system *s = p->study->system;
  const cst_case   *k = &p->cases[rows->icase];
  const double     *state;
  double           *c, *q, *v;
  c = cst_zeros(CST_LARGER(s->npar, 1), sizeof *c);
  q = cst_zeros(s->nq, sizeof *q);
  v = cst_zeros(s->nq, sizeof *v);
  memcpy(c, cst_plan_parameters(p, k->variant), sizeof *c * (size_t)cst_system_named(s));
  if (s->timed)
    c[s->account - 1] = time;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_q, 0, &state));
  memcpy(q, state + member * s->nq, sizeof *q * (size_t)s->nq);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_p, 0, &state));
  *condition = cst_system_velocity(s, c, q, state + member * s->nq, v)
                   ? cst_system_rank_ahead(s, c, q, v, k->h)
                   : 0;
  free(c);
  free(q);
  free(v);
  return 0;
}

cst_error cst_rank_loss_look(cst_case_rows *rows, int i, cst_rank_losses *l) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const double   *x;
  long            found = 0, first = -1;
  double          time = INFINITY;
  bool           *lost;
  CST_TRY(cst_case_rows_open(rows, i));
  if (!rows->failed)
    return 0;
  lost = cst_zeros(members, sizeof *lost);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_status, 0, &x));
  for (long m = 0; m < members; m++) {
    lost[m] = x[m] == CST_RANK_LOST;
    found += lost[m];
  }
  if (found)
    CST_TRY(cst_case_rows_get(rows, &cst_channel_steps, 0, &x));
  for (long m = 0; m < members && found; m++) {
    if (!lost[m] || !(x[m] * p->cases[i].h < time))
      continue;
    time = x[m] * p->cases[i].h;
    first = m;
  }
  free(lost);
  if (found && (!l->at.count || time < l->time)) {
    l->at.member = first;
    l->at.icase = i;
    l->time = time;
    CST_TRY(measure(rows, first, time, &l->condition));
  }
  l->at.count += found;
  return 0;
}

cst_error cst_rank_loss_passed(cst_case_rows *rows, int i, cst_rank_losses *l) {
  const cst_plan *p = rows->plan;
  const double   *x;
  if (!cst_channels_find(cst_output_channels(rows->output), &cst_channel_passed_singular, 0))
    return 0;
  CST_TRY(cst_case_rows_open(rows, i));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_passed_singular, 0, &x));
  for (long m = 0; m < p->study->members; m++) {
    if (isnan(x[m]) || !(rows->good[m] || rows->stopped[m]))
      continue;
    if (!l->at.count || x[m] < l->time) {
      l->at.member = m;
      l->at.icase = i;
      l->time = x[m];
    }
    l->at.count++;
  }
  return 0;
}

/* The earlier of two; of equal ones that of the first case, so that ranks do not matter. */
static bool is_before(const void *one, const void *other) {
  const cst_rank_losses *a = one, *b = other;
  return a->time != b->time ? a->time < b->time : a->at.icase < b->at.icase;
}

/* Finds the first of all ranks; who[n]: it, as in "member 0 of rattle, step 0.01 s". */
static cst_error find_first(const cst_plan *p, const cst_rank_losses *l, cst_rank_losses *first,
                            char *who, size_t n) {
  CST_TRY(cst_found_gather(l, sizeof *l, is_before, first));
  if (first->at.count)
    snprintf(who, n, "member %ld of %s, step %.5g%s", first->at.member,
             cst_method_label(p->study->method[p->cases[first->at.icase].method]),
             p->cases[first->at.icase].h_nominal, cst_system_unit(p->study->system, "time"));
  return 0;
}

cst_error cst_rank_loss_tell(const cst_plan *p, const cst_rank_losses *l,
                             char text[CST_RANK_LOSS_TEXT]) {
  cst_rank_losses first;
  char            who[CST_RANK_LOSS_TEXT / 2];
  CST_TRY(find_first(p, l, &first, who, sizeof who));
  *text = 0;
  if (first.at.count)
    snprintf(text, CST_RANK_LOSS_TEXT,
             "the constraints of %ld trajectories lost rank, first those of %s, behind t = %.6g%s: "
             "condition number %.2g",
             first.at.count, who, first.time, cst_system_unit(p->study->system, "time"),
             first.condition);
  return 0;
}

cst_error cst_rank_loss_tell_passed(const cst_plan *p, const cst_rank_losses *l,
                                    char text[CST_RANK_LOSS_TEXT]) {
  cst_rank_losses first;
  char            who[CST_RANK_LOSS_TEXT / 2];
  CST_TRY(find_first(p, l, &first, who, sizeof who));
  *text = 0;
  if (first.at.count)
    snprintf(text, CST_RANK_LOSS_TEXT,
             "passed-singular: %ld trajectories passed a state where the gradients of the "
             "constraints are dependent and motions may branch, first %s, at t = %.6g%s "
             "(/final/passed_singular)",
             first.at.count, who, first.time, cst_system_unit(p->study->system, "time"));
  return 0;
}
