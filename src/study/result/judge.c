/* judge.c: the verdict on one observable of one case (see judge.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/judge.h"
#include <math.h>
#include <string.h>
#include "study/result/parts.h"
#include "study/plan/clock.h"
#include "study/plan/plan-stages.h"
#include "core/need.h"

cst_error cst_judge_journey_create(long n, cst_journey *j) {
  j->inert = cst_zeros(n, sizeof *j->inert);
  j->moved = cst_zeros(n, sizeof *j->moved);
  j->away = cst_zeros(n * CST_WINDOWS, sizeof *j->away);
  j->means = cst_zeros(n * CST_WINDOWS, sizeof *j->means);
  j->largest = cst_zeros(n, sizeof *j->largest);
  j->scale = cst_zeros(n, sizeof *j->scale);
  j->start = cst_zeros(n, sizeof *j->start);
  j->last = cst_zeros(n, sizeof *j->last);
  j->terms = cst_zeros(n, sizeof *j->terms);
  j->range = cst_zeros(n, sizeof *j->range);
  return 0;
}

cst_error cst_judge_journey_destroy(cst_journey *j) {
  free(j->inert);
  free(j->moved);
  free(j->away);
  free(j->means);
  free(j->largest);
  free(j->scale);
  free(j->start);
  free(j->last);
  free(j->terms);
  free(j->range);
  return 0;
}

/* A coordinate that moves uniformly over the whole run, such as one of a free or of a very heavy body, exchanges
 * no energy with the others: what it has does not belong to the scale of an energy error. Its momentum is that
 * at the end. Over a run so short that all coordinates move so, none is left out. */
#define UNIFORM 1e-3 /* relative departure from q(0) + v(0) t */
static cst_error find_inert(cst_case_rows *rows, double *inert) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const cst_case  *c = &p->cases[rows->icase];
  const int        nq = s->system->nq;
  const double     end = cst_clock_of(c, (double)c->n);
  const double    *state;
  double          *uniform, *q, *v;
  uniform = cst_zeros(s->members * nq, sizeof *uniform);
  q = cst_zeros(nq, sizeof *q);
  v = cst_zeros(nq, sizeof *v);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_q, 0, &state));
  for (long m = 0; m < s->members; m++) {
    bool all = true;
    cst_study_member(s, c->variant, m, q, v);
    for (int i = 0; i < nq; i++) {
      const double way = v[i] * end;
      const double off = fabs(state[m * nq + i] - q[i] - way);
      const bool   even = way != 0 && off <= UNIFORM * fabs(way);
      uniform[m * nq + i] = even ? 0.5 * v[i] : 0;
      all = all && (even || off == 0);
    }
    for (int i = 0; i < nq && all; i++)
      uniform[m * nq + i] = 0;
  }
  CST_TRY(cst_case_rows_get(rows, &cst_channel_p, 0, &state));
  for (long m = 0; m < s->members; m++) {
    inert[m] = 0;
    for (int i = 0; i < nq; i++)
      if (uniform[m * nq + i] != 0)
        inert[m] += uniform[m * nq + i] * state[m * nq + i];
  }
  free(uniform);
  free(q);
  free(v);
  return 0;
}

/* How far each member moved, relative to |q(0)| (absolutely if that is zero), and its distance over time. */
cst_error cst_judge_journey_begin(cst_case_rows *rows, cst_journey *j) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const int        displacement = cst_parts_quantity_find(p, "displacement");
  const double    *summary;
  double          *q, *v;
  q = cst_zeros(s->system->nq, sizeof *q);
  v = cst_zeros(s->system->nq, sizeof *v);
  CST_TRY(cst_case_rows_summary(rows, displacement, &summary));
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, -1, j->moved);
  for (long m = 0; m < s->members; m++) {
    double size = 0;
    cst_study_member(s, p->cases[rows->icase].variant, m, q, v);
    for (int k = 0; k < s->system->nq; k++)
      size += q[k] * q[k];
    if (j->moved[m] > 0)
      j->moved[m] /= sqrt(size);
  }
  CST_TRY(cst_case_rows_windows(rows, displacement, j->away));
  CST_TRY(find_inert(rows, j->inert));
  free(q);
  free(v);
  return 0;
}

/* True if any member, even a failed one, has values of the quantity read last. */
static bool is_observed(const double *summary, long members) {
  for (long m = 0; m < members; m++)
    if (!isnan(summary[m * CST_SUMMARY_NUMBERS + CST_SUMMARY_START]))
      return true;
  return false;
}

/* An energy or a momentum that nothing changes. */
static bool is_conserved(const cst_plan *p, const cst_case *c, int quantity) {
  const cst_study *s = p->study;
  int              k = 0;
  while (quantity >= p->observation[k].first + p->observation[k].count)
    k++;
  const char *name = p->observation[k].row->name;
  return (!strcmp(name, "energy") || !strcmp(name, "momentum")) && !s->system->nforce &&
         !s->system->timed && !cst_method_has_noise(s->method[c->method]) &&
         !cst_stages_change_energy(p);
}

/* NaN where an earlier program kept none. */
static cst_error read_kept(cst_case_rows *rows, const cst_channel_row *row, int quantity,
                           double *to) {
  const double *x;
  for (long m = 0; m < rows->plan->study->members; m++)
    to[m] = NAN;
  if (!cst_channels_find(cst_output_channels(rows->output), row, quantity))
    return 0;
  CST_TRY(cst_case_rows_get(rows, row, quantity, &x));
  for (long m = 0; m < rows->plan->study->members; m++)
    if (rows->good[m])
      to[m] = x[m];
  return 0;
}

cst_error cst_judge_journey(cst_case_rows *rows, cst_journey *j, int quantity, bool *looked,
                            cst_growth *g) {
  const cst_case *c = &rows->plan->cases[rows->icase];
  const long      n = rows->plan->study->members;
  const double   *summary;
  CST_TRY(cst_case_rows_summary(rows, quantity, &summary));
  *looked = is_observed(summary, n);
  if (!*looked)
    return 0;
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, -1, j->largest);
  cst_case_rows_pick(rows, CST_SUMMARY_SIZE, -1, j->scale);
  cst_case_rows_pick(rows, CST_SUMMARY_START, -1, j->start);
  cst_case_rows_pick(rows, CST_SUMMARY_END, -1, j->last);
  const bool of_energy = quantity == cst_parts_quantity_find(rows->plan, "energy");
  for (long m = 0; m < n; m++) {
    j->last[m] -= j->start[m];
    if (of_energy && j->inert[m] > 0)
      j->scale[m] = fmax(0, j->scale[m] - j->inert[m]);
  }
  CST_TRY(cst_case_rows_windows(rows, quantity, j->means));
  CST_TRY(read_kept(rows, &cst_channel_window_range, quantity, j->range));
  CST_TRY(read_kept(rows, &cst_channel_terms, quantity, j->terms));
  const cst_long_run run = {.members = n,
                            .steps = c->n,
                            .end = cst_clock_of(c, (double)c->n),
                            .means = j->means,
                            .largest = j->largest,
                            .scale = j->scale,
                            .start = j->start,
                            .last = j->last,
                            .moved = j->moved,
                            .away = j->away,
                            .range = j->range,
                            .terms = is_conserved(rows->plan, c, quantity) ? j->terms : NULL};
  *g = cst_growth_estimate(&run);
  return 0;
}
