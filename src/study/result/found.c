/* found.c: trajectories of which something is said once (see found.h), put together from what all ranks found: where
 * constraints lost rank, and where the energy error is as large as the energy.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/found.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/clock.h"
#include "study/plan/plan-stages.h"
#include "study/result/judge.h"
#include "study/result/parts.h"

/* Whether a comes first, whatever the rank. */
typedef bool found_before(const void *a, const void *b);

/* Collective. On rank 0 fills first, of `size` bytes as mine, with that of the ranks before which no other one
 * comes, and its count with that of all ranks. */
static cst_error gather(const void *mine, size_t size, found_before *before, void *first) {
  const int  bytes = (int)size;
  cst_found *to = first;
  long       count = 0;
  char      *all;
  int        rank, ranks;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  all = cst_zeros(ranks, size);
  CST_TRY_MPI(MPI_Gather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, cst_world));
  memset(first, 0, size);
  for (int r = 0; r < ranks && rank == 0; r++) {
    const cst_found *x = (const void *)(all + (size_t)r * size);
    if (x->count && (!count || before(x, first)))
      memcpy(first, x, size);
    count += x->count;
  }
  to->count = count;
  free(all);
  return 0;
}

/* ---- where constraints lost rank ------------------------------------------------------------- */

/* Rows have the reason and the time; the condition number is computed again from the last good state. */

/* The condition number ahead of the last good state of a member of the open case. */
static cst_error measure(cst_case_rows *rows, long member, double time, double *condition) {
  const cst_plan   *p = rows->plan;
  const cst_system *s = p->study->problem.system;
  const cst_case   *k = &p->cases[rows->icase];
  const double     *state;
  double           *c, *q, *v;
  c = cst_zeros(CST_LARGER(s->npar, 1), sizeof *c);
  q = cst_zeros(s->nq, sizeof *q);
  v = cst_zeros(s->nq, sizeof *v);
  memcpy(c, cst_plan_parameters(p, k->variant), sizeof *c * (size_t)cst_system_named(s));
  cst_system_set_time(s, c, time);
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
  const long      members = p->study->ensemble.members;
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
    if (!lost[m] || !(cst_clock_of(&p->cases[i], x[m]) < time))
      continue;
    time = cst_clock_of(&p->cases[i], x[m]);
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
  for (long m = 0; m < p->study->ensemble.members; m++) {
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
  CST_TRY(gather(l, sizeof *l, is_before, first));
  if (first->at.count)
    snprintf(who, n, "member %ld of %s, step %.5g%s", first->at.member,
             cst_method_label(p->study->methods.method[p->cases[first->at.icase].method]),
             p->cases[first->at.icase].h_nominal,
             cst_system_unit(p->study->problem.system, "time"));
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
             first.at.count, who, first.time, cst_system_unit(p->study->problem.system, "time"),
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
             first.at.count, who, first.time, cst_system_unit(p->study->problem.system, "time"));
  return 0;
}

/* ---- where the energy error is as large as the energy ---------------------------------------- */

/* The parts of the energy, |T| + |V - V(q(0))|, are exchanged in a motion that keeps it. An error of more than
 * half of their largest sum cannot be an error of an orbit near the true one. Systems with forces or with time
 * in the potential, and methods with noise, do not keep the energy and are left out.
 */

#define HALF 0.5

/* When the mean over a window first differs by half of the largest error; the end, where no windows are kept. */
static cst_error find_time(cst_case_rows *rows, int energy, cst_energy_leaps *l) {
  const cst_plan *p = rows->plan;
  const cst_case *c = &p->cases[rows->icase];
  double         *x;
  l->time = cst_clock_of(c, (double)c->n);
  if (!cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    return 0;
  x = cst_zeros(p->study->ensemble.members * CST_WINDOWS, sizeof *x);
  CST_TRY(cst_case_rows_windows(rows, energy, x));
  for (int w = CST_WINDOWS - 1; w >= 0; w--)
    if (fabs(x[l->at.member * CST_WINDOWS + w]) > HALF * l->error)
      l->time = cst_clock_of(c, (double)c->n) * (w + 1) / CST_WINDOWS;
  free(x);
  return 0;
}

/* Whether a member's energy has changed by more than half of its largest terms. */
static bool leaps(const cst_case_rows *rows, const double *summary, long m) {
  const double *f = summary + m * CST_SUMMARY_NUMBERS;
  return rows->good[m] && f[CST_SUMMARY_DRIFT] > HALF * f[CST_SUMMARY_SCALE];
}

static void take_leap(const double *summary, long m, int icase, cst_energy_leaps *l) {
  const double *f = summary + m * CST_SUMMARY_NUMBERS;
  const double  share = f[CST_SUMMARY_DRIFT] / f[CST_SUMMARY_SCALE];
  l->at.count++;
  if (share <= l->share)
    return;
  l->share = share;
  l->error = f[CST_SUMMARY_DRIFT];
  l->at.member = m;
  l->at.icase = icase;
}

/* What is at rest has no terms but its round-off. */
static cst_error look_at(cst_case_rows *rows, int energy, cst_energy_leaps *l) {
  const long    members = rows->plan->study->ensemble.members;
  const double  worst = l->share;
  const double *summary;
  double       *most;
  long          some = 0;
  CST_TRY(cst_case_rows_summary(rows, energy, &summary));
  for (long m = 0; m < members; m++)
    some += leaps(rows, summary, m);
  if (!some)
    return 0;
  most = cst_zeros(members, sizeof *most);
  CST_TRY(cst_judge_round_off(rows, energy, most));
  CST_TRY(cst_case_rows_summary(rows, energy, &summary));
  for (long m = 0; m < members; m++)
    if (leaps(rows, summary, m) && summary[m * CST_SUMMARY_NUMBERS + CST_SUMMARY_DRIFT] > most[m])
      take_leap(summary, m, rows->icase, l);
  free(most);
  if (l->share > worst)
    CST_TRY(find_time(rows, energy, l));
  return 0;
}

cst_error cst_energy_leap_look(cst_case_rows *rows, int i, cst_energy_leaps *l) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  if (cst_has(s->problem.system, CST_TIMED) ||
      cst_method_has_noise(s->methods.method[p->cases[i].method]) || cst_stages_change_energy(p))
    return 0;
  CST_TRY(cst_case_rows_open(rows, i));
  CST_TRY(look_at(rows, cst_parts_quantity_find(p, "energy"), l));
  return 0;
}

/* The worse of two; of equal ones that of the first case, so that ranks do not matter. */
static bool is_worse(const void *one, const void *other) {
  const cst_energy_leaps *a = one, *b = other;
  return a->share != b->share ? a->share > b->share : a->at.icase < b->at.icase;
}

cst_error cst_energy_leap_tell(const cst_plan *p, const cst_energy_leaps *l, char *text, size_t n) {
  const cst_study *s = p->study;
  cst_energy_leaps worst;
  const char      *unit = cst_system_unit(s->problem.system, "time");
  CST_TRY(gather(l, sizeof *l, is_worse, &worst));
  *text = 0;
  if (worst.at.count)
    snprintf(text, n,
             "the energy of %ld trajectories changed by more than half of its "
             "parts: that of member %ld of %s, step %.5g%s, by %.3g%s before t = "
             "%.5g%s",
             worst.at.count, worst.at.member,
             cst_method_label(s->methods.method[p->cases[worst.at.icase].method]),
             p->cases[worst.at.icase].h_nominal, unit, worst.error,
             cst_system_unit(s->problem.system, "energy"), worst.time, unit);
  return 0;
}
