/* judge.c: the verdict on one observable of one case (see judge.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/judge.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "study/result/parts.h"
#include "study/plan/clock.h"
#include "study/plan/plan-stages.h"
#include "core/need.h"

/* ---- what rounds ------------------------------------------------------------------------------ */

/* A state of a member. */
typedef struct {
  const cst_plan *plan;
  double         *c, *q, *v, *p, time;
  bool           *uniform;  /* [nq] nothing has changed this momentum */
  double         *rounding; /* [2][quantity] */
} state;

static void create_state(const cst_plan *p, state *at) {
  const cst_system *s = p->study->problem.system;
  at->plan = p;
  at->c = cst_zeros(s->npar, sizeof *at->c);
  at->q = cst_zeros(s->nq, sizeof *at->q);
  at->v = cst_zeros(s->nq, sizeof *at->v);
  at->p = cst_zeros(s->nq, sizeof *at->p);
  at->uniform = cst_zeros(s->nq, sizeof *at->uniform);
  at->rounding = cst_zeros(2 * p->nquantity, sizeof *at->rounding);
}

static void destroy_state(state *at) {
  free(at->c);
  free(at->q);
  free(at->v);
  free(at->p);
  free(at->uniform);
  free(at->rounding);
}

static void set_time(state *at, int variant, double time) {
  const cst_system *s = at->plan->study->problem.system;
  memcpy(at->c, cst_plan_parameters(at->plan, variant), sizeof *at->c * (size_t)s->npar);
  at->time = time;
  cst_system_set_time(s, at->c, time);
}

/* Adds half of what rounds in a step of every quantity of member m, and takes the larger of what rounds in its value. */
static void add_rounding(state *at, double h, long m, cst_journey *j) {
  const long            n = at->plan->study->ensemble.members;
  const int             quantities = at->plan->nquantity;
  double               *stepped = at->rounding, *evaluated = stepped + quantities;
  const cst_plain_state now = {at->c, at->q, at->p, at->v, at->time, h, at->uniform};
  cst_observers_rounding(at->plan->observation, at->plan->nobservation, &now, stepped, evaluated);
  for (int k = 0; k < quantities; k++) {
    j->stepped[k * n + m] += stepped[k] / 2;
    j->evaluated[k * n + m] = fmax(j->evaluated[k * n + m], evaluated[k]);
  }
}

/* ---- the motion ------------------------------------------------------------------------------ */

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
  j->step = cst_zeros(n, sizeof *j->step);
  j->value = cst_zeros(n, sizeof *j->value);
  j->stepped = j->evaluated = NULL;
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
  free(j->stepped);
  free(j->evaluated);
  free(j->step);
  free(j->value);
  return 0;
}

/* A coordinate that moves uniformly over the whole run, such as one of a free or of a very heavy body, exchanges
 * no energy with the others: what it has does not belong to the scale of an energy error. Its momentum is that
 * at the end. Over a run so short that all coordinates move so, none is left out. */
#define UNIFORM 1e-3 /* relative departure from q(0) + v(0) t */
static void find_uniform(int nq, double end, const double *q, const double *v, const double *last,
                         bool *uniform) {
  bool all = true;
  for (int i = 0; i < nq; i++) {
    const double way = v[i] * end;
    const double off = fabs(last[i] - q[i] - way);
    uniform[i] = way != 0 && off <= UNIFORM * fabs(way);
    all = all && (uniform[i] || off == 0);
  }
  for (int i = 0; i < nq && all; i++)
    uniform[i] = false;
}

/* Of member m, whose coordinates and momenta at the end are q and p. bounded: what rounds is asked for. */
static void round_member(const cst_case_rows *rows, long m, const double *q, const double *p,
                         bool bounded, state *at, cst_journey *j) {
  const cst_study  *s = rows->plan->study;
  const cst_case   *c = &rows->plan->cases[rows->icase];
  const cst_system *system = s->problem.system;
  const double      end = cst_clock_of(c, (double)c->n);
  cst_study_member(s, c->variant, m, at->q, at->v);
  find_uniform(system->nq, end, at->q, at->v, q, at->uniform);
  for (int i = 0; i < system->nq; i++)
    if (at->uniform[i])
      j->inert[m] += 0.5 * at->v[i] * p[i];
  if (!bounded || !rows->good[m])
    return;
  set_time(at, c->variant, 0);
  cst_system_momentum(system, at->c, at->q, at->v, at->p);
  add_rounding(at, c->h, m, j);
  set_time(at, c->variant, end);
  memcpy(at->q, q, sizeof *q * (size_t)system->nq);
  memcpy(at->p, p, sizeof *p * (size_t)system->nq);
  if (cst_system_velocity(system, at->c, at->q, at->p, at->v))
    add_rounding(at, c->h, m, j);
}

/* Members of which bounds are asked for, at most, evenly among all. They cost about as much as the verdict of a member. */
enum { BOUNDED = 64 };

static long stride_of(long members) { return (members + BOUNDED - 1) / BOUNDED; }

/* The others take the largest of these. */
static void spread(long members, double *x) {
  const long every = stride_of(members);
  double     most = NAN;
  for (long m = 0; m < members; m += every)
    most = fmax(x[m], most);
  for (long m = 0; m < members; m++)
    if (m % every)
      x[m] = most;
}

/* From the states at the start and at the end. */
static cst_error find_rounding(cst_case_rows *rows, cst_journey *j) {
  const cst_plan *p = rows->plan;
  const long      n = p->study->ensemble.members;
  const int       nq = p->study->problem.system->nq;
  double         *q = cst_zeros(n * nq, sizeof *q);
  const double   *x;
  state           at;
  j->stepped = cst_zeros(p->nquantity * n, sizeof *j->stepped);
  j->evaluated = cst_zeros(p->nquantity * n, sizeof *j->evaluated);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_q, 0, &x));
  memcpy(q, x, sizeof *q * (size_t)(n * nq));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_p, 0, &x));
  create_state(p, &at);
  for (long m = 0; m < n; m++)
    round_member(rows, m, q + m * nq, x + m * nq, m % stride_of(n) == 0, &at, j);
  for (int k = 0; k < p->nquantity; k++) {
    spread(n, j->stepped + k * n);
    spread(n, j->evaluated + k * n);
  }
  destroy_state(&at);
  free(q);
  return 0;
}

/* Of a quantity that was read: its terms and its own size bound what rounds, unless more does inside its expression. A
 * user's expression has no other terms than itself. */
static void take_rounding(const cst_plan *p, cst_journey *j, int quantity) {
  const long             n = p->study->ensemble.members;
  const cst_observation *look = p->observation;
  while (quantity >= look->first + look->count)
    look++;
  for (long m = 0; m < n; m++) {
    const double inside = j->stepped[quantity * n + m] / (2 * DBL_EPSILON);
    const double value = j->evaluated[quantity * n + m] / (2 * DBL_EPSILON);
    const bool   known = isfinite(inside) && isfinite(value);
    j->step[m] = fmax(j->scale[m], known ? inside : 0);
    j->value[m] = fmax(fabs(j->start[m]), known ? value : 0);
    if (look->row->expression && known)
      j->step[m] = 2 * inside;
  }
}

/* How far each member moved, relative to |q(0)| (absolutely if that is zero), and its distance over time. */
cst_error cst_judge_journey_begin(cst_case_rows *rows, cst_journey *j) {
  const cst_plan  *p = rows->plan;
  const cst_study *s = p->study;
  const int        displacement = cst_parts_quantity_find(p, "displacement");
  const double    *summary;
  double          *q, *v;
  q = cst_zeros(s->problem.system->nq, sizeof *q);
  v = cst_zeros(s->problem.system->nq, sizeof *v);
  CST_TRY(cst_case_rows_summary(rows, displacement, &summary));
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, -1, j->moved);
  for (long m = 0; m < s->ensemble.members; m++) {
    double size = 0;
    cst_study_member(s, p->cases[rows->icase].variant, m, q, v);
    for (int k = 0; k < s->problem.system->nq; k++)
      size += q[k] * q[k];
    if (j->moved[m] > 0)
      j->moved[m] /= sqrt(size);
  }
  CST_TRY(cst_case_rows_windows(rows, displacement, j->away));
  CST_TRY(find_rounding(rows, j));
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
  return (!strcmp(name, "energy") || !strcmp(name, "momentum")) &&
         !cst_has(s->problem.system, CST_TIMED) &&
         !cst_method_has_noise(s->methods.method[c->method]) && !cst_stages_change_energy(p);
}

/* NaN where an earlier program kept none. */
static cst_error read_kept(cst_case_rows *rows, const cst_channel_row *row, int quantity,
                           double *to) {
  const double *x;
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    to[m] = NAN;
  if (!cst_channels_find(cst_output_channels(rows->output), row, quantity))
    return 0;
  CST_TRY(cst_case_rows_get(rows, row, quantity, &x));
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    if (rows->good[m])
      to[m] = x[m];
  return 0;
}

/* Of the summaries read last. */
static void read_quantity(const cst_case_rows *rows, cst_journey *j, int quantity) {
  const bool of_energy = quantity == cst_parts_quantity_find(rows->plan, "energy");
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, -1, j->largest);
  cst_case_rows_pick(rows, CST_SUMMARY_SIZE, -1, j->scale);
  cst_case_rows_pick(rows, CST_SUMMARY_START, -1, j->start);
  cst_case_rows_pick(rows, CST_SUMMARY_END, -1, j->last);
  for (long m = 0; m < rows->plan->study->ensemble.members; m++) {
    j->last[m] -= j->start[m];
    if (of_energy && j->inert[m] > 0)
      j->scale[m] = fmax(0, j->scale[m] - j->inert[m]);
  }
  take_rounding(rows->plan, j, quantity);
}

/* Without what windows tell. */
static cst_long_run run_of(const cst_case_rows *rows, const cst_journey *j) {
  const cst_case *c = &rows->plan->cases[rows->icase];
  return (cst_long_run){.members = rows->plan->study->ensemble.members,
                        .steps = c->n,
                        .end = cst_clock_of(c, (double)c->n),
                        .largest = j->largest,
                        .scale = j->scale,
                        .start = j->start,
                        .last = j->last,
                        .moved = j->moved,
                        .stepped = j->step,
                        .evaluated = j->value};
}

cst_error cst_judge_journey(cst_case_rows *rows, cst_journey *j, int quantity, bool *looked,
                            cst_growth *g) {
  const cst_case *c = &rows->plan->cases[rows->icase];
  const double   *summary;
  CST_TRY(cst_case_rows_summary(rows, quantity, &summary));
  *looked = is_observed(summary, rows->plan->study->ensemble.members);
  if (!*looked)
    return 0;
  read_quantity(rows, j, quantity);
  CST_TRY(cst_case_rows_windows(rows, quantity, j->means));
  CST_TRY(read_kept(rows, &cst_channel_window_range, quantity, j->range));
  CST_TRY(read_kept(rows, &cst_channel_terms, quantity, j->terms));
  cst_long_run run = run_of(rows, j);
  run.means = j->means;
  run.away = j->away;
  run.range = j->range;
  run.terms = is_conserved(rows->plan, c, quantity) ? j->terms : NULL;
  *g = cst_growth_estimate(&run);
  return 0;
}

cst_error cst_judge_round_off(cst_case_rows *rows, int quantity, double *most) {
  const double *summary;
  cst_journey   j;
  CST_TRY(cst_judge_journey_create(rows->plan->study->ensemble.members, &j));
  CST_TRY(find_rounding(rows, &j));
  CST_TRY(cst_case_rows_summary(rows, quantity, &summary));
  read_quantity(rows, &j, quantity);
  const cst_long_run run = run_of(rows, &j);
  for (long m = 0; m < run.members; m++)
    most[m] = cst_growth_round_off(&run, m);
  CST_TRY(cst_judge_journey_destroy(&j));
  return 0;
}
