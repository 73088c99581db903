/* reference.c: the solution against which errors are measured: an exact motion, or states of another method
 * at the times that are read.
 *
 * A method's states are computed once for all cases. One item of work is one variant and up to a group of
 * members: equal steps, not longer than the reference's step, lead from each read time to the next. (With
 * reference: self a partner runs beside each batch; see runner.c.)
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/reference/reference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/channels/channels.h"
#include "study/plan/clock.h"

/* ---- norms of errors ------------------------------------------------------------------------- */

double cst_norm_apart(cst_norm kind, const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    if (kind == CST_NORM_MAX)
      sum = d > sum || isnan(d) ? d : sum;
    else
      sum += kind == CST_NORM_ONE ? d : d * d;
  }
  return kind == CST_NORM_TWO ? sqrt(sum) : sum;
}

/* Combines the norms of two parts. */
double cst_norm_join(cst_norm kind, double a, double b) {
  if (kind == CST_NORM_MAX)
    return a > b || isnan(a) ? a : b;
  if (kind == CST_NORM_ONE)
    return a + b;
  return sqrt(a * a + b * b);
}

/* ---- what is computed ------------------------------------------------------------------------ */

enum { MEMBERS_PER_ITEM = 64, MEMBERS_TWICE = 8 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times at which case i reads: t = n h, and the times of the multipliers if they differ; and at which it shows errors. */
static int case_times(const cst_plan *p, int i, double *t) {
  const cst_case  *c = &p->cases[i];
  const cst_class *k = &p->classes[p->class_of[i]];
  int              n = 0;
  for (long m = 0; m < c->n / k->read; m++) {
    const long   state = (m + 1) * k->read;
    const long   lead = m * k->read + k->lead;
    const long   multiplier = k->lead > 0 ? lead : state;
    const double back =
        cst_properties_back(&p->method[c->method]->properties, c->h, (double)multiplier);
    if (t)
      t[n] = cst_clock_of(c, (double)state);
    n++;
    if (back == 0 || p->study->problem.system->ng == 0)
      continue;
    if (t)
      t[n] = cst_clock_of(c, (double)multiplier - back);
    n++;
  }
  for (long step = cst_plan_class_shown_after(k, 0); step <= c->n;
       step = cst_plan_class_shown_after(k, step)) {
    if (t)
      t[n] = cst_clock_of(c, (double)step);
    n++;
  }
  return n;
}

double *cst_reference_times(const cst_plan *p, int variant, int *count) {
  /* the cases of one parameter set are consecutive */
  const int cases = p->ncase / p->study->problem.nvariant;
  const int first = variant * cases;
  size_t    most = 0, n = 0;
  for (int i = 0; i < cases; i++)
    most += (size_t)case_times(p, first + i, NULL);
  double *t = cst_zeros((long)most, sizeof *t);
  for (int i = 0; i < cases; i++)
    n += (size_t)case_times(p, first + i, t + n);
  qsort(t, n, sizeof *t, ascending);
  size_t unique = 0;
  for (size_t i = 0; i < n; i++)
    if (unique == 0 || t[i] != t[unique - 1])
      t[unique++] = t[i];
  *count = (int)unique;
  return t;
}

static size_t row(const cst_plan *p) {
  const cst_system *s = p->study->problem.system;
  return (size_t)(2 * s->nq + s->ng);
}

/* Number of members that are also computed at twice the step. */
long cst_reference_twice(const cst_study *s) {
  if (s->reference.kind == CST_REFERENCE_METHOD && cst_study_needs(s, CST_NEEDS_REFERENCE_ERROR))
    return CST_SMALLER((long)MEMBERS_TWICE, s->ensemble.members);
  return 0;
}

/* Number of equal steps of the reference's method over a span > 0 between two read times, none longer than
 * its step. */
static long steps_within(const cst_study *s, double span) {
  const long n = (long)ceil(span / s->reference.step - 1e-9);
  return n < 1 ? 1 : n;
}

/* Finds the stops of the method at twice its step among its n times, as in `twice` above: equal steps, at
 * least twice as long as its own and at most a tenth longer, except the last ones. False: there is no such
 * step. */
static bool plan_twice(const cst_study *s, const double *time, int n, long *twice) {
  /* the last stop, the previous time, the longest step of the reference since that stop */
  double last = 0;
  double before = 0;
  double longest = 0;
  bool   any = false;
  for (int k = 0; k < n; k++) {
    const double span = time[k] - before;
    const double way = time[k] - last;
    if (span > 0) {
      const double step = span / (double)steps_within(s, span);
      longest = fmax(longest, step);
    }
    double steps = 0;
    if (longest > 0)
      steps = floor(way / (2 * longest) * (1 + 1e-9));
    /* with noise, steps are multiples of the path's increments */
    const double play = s->steps.resolution > 0 ? 1 + 1e-9 : 1.1;
    const double most = play * 2 * longest * steps;
    const bool   fits = steps >= 1 && way <= most;
    const bool   ends = k == n - 1 && !s->steps.resolution;
    before = time[k];
    if (way == 0)
      twice[k] = 0;
    else if (fits || ends)
      twice[k] = (long)fmax(1, steps);
    else
      twice[k] = -1;
    any |= fits;
    if (twice[k] >= 0) {
      last = time[k];
      longest = 0;
    }
  }
  return any;
}

static int tables(const cst_reference *r) {
  const cst_study *s = r->plan->study;
  if (s->reference.kind != CST_REFERENCE_METHOD)
    return 0;
  if (cst_reference_twice(s))
    return 2 * s->problem.nvariant;
  return s->problem.nvariant;
}

static long members_of(const cst_reference *r, int table) {
  const cst_study *s = r->plan->study;
  if (table < s->problem.nvariant)
    return s->ensemble.members;
  return cst_reference_twice(s);
}

static size_t table_size(const cst_reference *r, int table) {
  const cst_plan *p = r->plan;
  return (size_t)r->ntime[table % p->study->problem.nvariant] * (size_t)members_of(r, table) *
         row(p);
}

/* In quadruple precision a single member takes long enough. */
static long members_per_item(const cst_study *s) {
  return s->reference.quad ? 1 : MEMBERS_PER_ITEM;
}

static long items_of(const cst_reference *r, int table) {
  const long n = members_per_item(r->plan->study);
  return (members_of(r, table) + n - 1) / n;
}

int cst_reference_items(const cst_reference *r) {
  long n = 0;
  for (int t = 0; t < tables(r); t++)
    n += items_of(r, t);
  return (int)n;
}

cst_reference *cst_reference_create(const cst_plan *p) {
  const cst_study *s = p->study;
  cst_reference   *r = cst_need(calloc(1, sizeof *r));
  const size_t     n = (size_t)s->problem.nvariant;
  r->plan = p;
  r->unused = cst_zeros((long)row(p), sizeof *r->unused);
  r->item = cst_zeros(cst_reference_items(r), 1);
  r->again = cst_zeros(cst_reference_items(r), sizeof *r->again);
  if (s->reference.kind != CST_REFERENCE_METHOD)
    return r;
  const double steps = cst_reference_work(p, &r->cost);
  r->cost /= fmax(1, steps);
  r->ntime = cst_zeros(n, sizeof *r->ntime);
  r->time = cst_zeros(n, sizeof *r->time);
  r->twice = cst_zeros(n, sizeof *r->twice);
  r->value = cst_zeros(tables(r), sizeof *r->value);
  for (int v = 0; v < s->problem.nvariant; v++) {
    r->time[v] = cst_reference_times(p, v, &r->ntime[v]);
    r->twice[v] = cst_zeros(r->ntime[v], sizeof **r->twice);
    plan_twice(s, r->time[v], r->ntime[v], r->twice[v]);
  }
  for (int t = 0; t < tables(r); t++)
    r->value[t] = cst_zeros((long)table_size(r, t), sizeof **r->value);
  return r;
}

void cst_reference_destroy(cst_reference *r) {
  if (!r)
    return;
  for (int t = 0; r->value && t < tables(r); t++)
    free(r->value[t]);
  for (int v = 0; r->time && v < r->plan->study->problem.nvariant; v++) {
    free(r->time[v]);
    free(r->twice[v]);
  }
  free(r->unused);
  free(r->item);
  free(r->again);
  free(r->ntime);
  free(r->time);
  free(r->twice);
  free(r->value);
  free(r);
}

double *cst_reference_cell(const cst_reference *r, int table, int time, long member) {
  return r->value[table] +
         ((size_t)time * (size_t)members_of(r, table) + (size_t)member) * row(r->plan);
}

long cst_reference_way(const cst_reference *r, int table, int time, double *from) {
  const int     nvariant = r->plan->study->problem.nvariant;
  const int     v = table % nvariant;
  const double *t = r->time[v];
  int           last = time - 1;
  if (table >= nvariant)
    while (last >= 0 && r->twice[v][last] < 0)
      last--;
  *from = last >= 0 ? t[last] : 0;
  if (table >= nvariant)
    return r->twice[v][time];
  if (t[time] > *from)
    return steps_within(r->plan->study, t[time] - *from);
  return 0;
}

cst_reference_share cst_reference_share_of(const cst_reference *r, long item) {
  const cst_plan *p = r->plan;
  const long      many = members_per_item(p->study);
  int             table = 0;
  for (; item >= items_of(r, table); table++)
    item -= items_of(r, table);
  const long first = item * many;
  return (cst_reference_share){table % p->study->problem.nvariant, table, first,
                               CST_SMALLER(many, members_of(r, table) - first)};
}

static bool needs(const cst_reference *r, cst_reference_share x, unsigned char *const *lane) {
  const cst_plan *p = r->plan;
  if (!p->part && x.first < cst_reference_twice(p->study))
    return true; /* for the error of the reference itself */
  if (x.table >= p->study->problem.nvariant)
    return false;
  for (int i = 0; i < p->ncase; i++) {
    if (p->cases[i].variant != x.variant)
      continue;
    const unsigned char *state = lane[p->class_of[i]] + cst_plan_lane(p, i, x.first);
    for (long m = 0; m < x.count; m++)
      if (state[m] != CST_LANE_DONE && state[m] != CST_LANE_ELSEWHERE)
        return true;
  }
  return false;
}

void cst_reference_scratch(cst_reference *r, unsigned char *const *lane) {
  for (int i = 0; i < cst_reference_items(r); i++)
    if (!needs(r, cst_reference_share_of(r, i), lane))
      r->item[i] = CST_ITEM_TOLD;
}

/* Numbers of a share at the first `times` times. */
static size_t numbers(const cst_reference *r, cst_reference_share x, int times) {
  return (size_t)times * (size_t)x.count * row(r->plan);
}

void cst_reference_copy(const cst_reference *r, long item, int times, double *values, bool in) {
  const cst_reference_share x = cst_reference_share_of(r, item);
  const size_t              n = numbers(r, x, 1);
  for (int t = 0; t < times; t++, values += n) {
    double *at = cst_reference_cell(r, x.table, t, x.first);
    if (in)
      memcpy(at, values, n * sizeof *at);
    else
      memcpy(values, at, n * sizeof *at);
  }
}

/* Head of a section "reference"; the values follow. */
typedef struct {
  long index, again;
} head;

void cst_reference_pack(cst_reference *r, bool all, cst_bundle *b) {
  for (int i = 0; i < cst_reference_items(r); i++) {
    const int times = r->ntime[cst_reference_share_of(r, i).variant];
    if (r->item[i] != CST_ITEM_DONE && !(all && r->item[i] == CST_ITEM_TOLD))
      continue;
    const size_t size = sizeof(double) * numbers(r, cst_reference_share_of(r, i), times);
    head        *item = cst_bundle_add(b, "reference", sizeof *item + size);
    *item = (head){i, r->again[i]};
    cst_reference_copy(r, i, times, (double *)(void *)(item + 1), false);
    r->item[i] = CST_ITEM_TOLD;
  }
}

bool cst_reference_take(cst_reference *r, const void *bytes, size_t size) {
  const head *item = bytes;
  if (size < sizeof *item || item->index < 0 || item->index >= cst_reference_items(r))
    return false;
  const cst_reference_share x = cst_reference_share_of(r, item->index);
  if (size != sizeof *item + sizeof(double) * numbers(r, x, r->ntime[x.variant]))
    return false;
  if (item->again < 0 || item->again > x.count)
    return false;
  cst_reference_copy(r, item->index, r->ntime[x.variant], (double *)(uintptr_t)(item + 1), true);
  r->again[item->index] = item->again;
  r->item[item->index] = CST_ITEM_TOLD;
  return true;
}

cst_error cst_reference_gather(cst_reference *r, MPI_Comm comm) {
  for (int t = 0; r->value && t < tables(r); t++) {
    const size_t n = table_size(r, t);
    const size_t most = 1 << 26;
    /* each cell was written by one rank; on all others its bits are zero */
    for (size_t at = 0; at < n; at += most)
      CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, r->value[t] + at, (int)CST_SMALLER(most, n - at),
                                MPI_LONG, MPI_BOR, comm));
  }
  CST_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, r->again, cst_reference_items(r), MPI_LONG, MPI_BOR, comm));
  return 0;
}

long cst_reference_again(const cst_reference *r) {
  long n = 0;
  for (int i = 0; i < cst_reference_items(r); i++)
    n += r->again[i];
  return n;
}

static cst_error find_time(const cst_reference *r, int variant, double t, int *at) {
  const double *found =
      bsearch(&t, r->time[variant], (size_t)r->ntime[variant], sizeof t, ascending);
  CST_CHECK(found, MPI_COMM_SELF, CST_ERR_PLIB, "the reference is not read at t = %.17g", t);
  *at = (int)(found - r->time[variant]);
  return 0;
}

/* Exact solutions are expensive: evaluate once if both times are equal. */
static void exact(const cst_reference *r, int variant, const double *q0, const double *v0, double t,
                  double tl, double *q, double *p, double *lambda) {
  const cst_study *s = r->plan->study;
  const double    *c = cst_plan_parameters(r->plan, variant);
  const int        state = cst_study_state(s, variant);
  const int        nq = s->problem.system->nq;
  const bool       at_once = q && lambda && tl == t;
  if (q)
    cst_system_exact(s->problem.system, state, c, q0, v0, t, q, p, at_once ? lambda : r->unused);
  if (lambda && !at_once)
    cst_system_exact(s->problem.system, state, c, q0, v0, tl, r->unused, r->unused + nq, lambda);
}

cst_error cst_reference_get(const cst_reference *r, int variant, long member, const double *q0,
                            const double *v0, double t, double tl, double *q, double *p,
                            double *lambda) {
  const cst_study  *s = r->plan->study;
  const cst_system *sys = s->problem.system;
  const int         ng = sys->ng;
  const int         nq = sys->nq;
  int               at;
  if (s->reference.kind == CST_REFERENCE_EXACT) {
    exact(r, variant, q0, v0, t, tl, q, p, lambda);
    return 0;
  }
  if (q) {
    CST_TRY(find_time(r, variant, t, &at));
    const double *x = cst_reference_cell(r, variant, at, member);
    memcpy(q, x, (size_t)nq * sizeof *q);
    memcpy(p, x + nq, (size_t)nq * sizeof *p);
  }
  if (lambda && ng) {
    CST_TRY(find_time(r, variant, tl, &at));
    const double *x = cst_reference_cell(r, variant, at, member);
    memcpy(lambda, x + 2 * nq, (size_t)ng * sizeof *lambda);
  }
  return 0;
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* The cost of the plan does not include it. */

/* Cost of a step in quadruple precision, with scalar kernels and software arithmetic, relative to a step of
 * one lane. */
static const double quadruple =
    210; /* measured: 200 to 230 on systems of 2 to 4 coordinates, gauss(8) */

/* Steps of one member of a variant up to the last time at which it is read. */
static double steps_of(const cst_plan *p, int variant) {
  int     n;
  double *t = cst_reference_times(p, variant, &n);
  double  sum = 0;
  for (int i = 0; i < n; i++) {
    const double before = i ? t[i - 1] : 0;
    const double span = t[i] - before;
    if (span > 0)
      sum += (double)steps_within(p->study, span);
  }
  free(t);
  return sum;
}

double cst_reference_work(const cst_plan *p, double *nanoseconds) {
  const cst_study *s = p->study;
  const double     members = (double)s->ensemble.members;
  double           steps = 0, cost = 0;
  *nanoseconds = 0;
  if (s->reference.kind != CST_REFERENCE_METHOD)
    return 0;
  const double trajectories = members + 0.5 * (double)cst_reference_twice(s);
  for (int v = 0; v < s->problem.nvariant; v++)
    steps += steps_of(p, v) * trajectories;
  const cst_program *m = p->reference->program;
  for (int i = 0; i < m->n; i++) {
    const cst_substep     *substep = &m->step[i];
    const cst_substep_size size = substep->row->size(substep->data, p->reference->stepped);
    cost += size.cost;
  }
  const int    width = cst_isas[p->isa].width; /* idle lanes cost as much as active ones */
  const double with_idle = ceil(members / width) * width / members;
  *nanoseconds = steps * cost * (s->reference.quad ? quadruple : with_idle);
  return steps;
}

/* ---- its own error --------------------------------------------------------------------------- */

/* From the same method at twice its step, for the first
 * members, wherever both stop. For a method of order r the difference is 2^r - 1 times the error of the
 * reference, so it is an upper bound. */

static void keep_largest(double *kept, double e) {
  if (!isnan(e) && !(e <= *kept))
    *kept = e;
}

/* x, y: rows {q, p, lambda} of a member at the step of the reference and at twice that step. */
static void add_difference(const cst_study *s, const double *x, const double *y,
                           double error[CST_ERRORS]) {
  const int  nq = s->problem.system->nq;
  const int  at[] = {0, 0, nq, 2 * nq};
  const int  size[] = {0, nq, nq, s->problem.system->ng};
  const bool chosen[] = {false, s->error.q, s->error.p, s->error.lambda};
  double     all = 0;
  for (int k = CST_ERROR_Q; k < CST_ERRORS; k++) {
    if (!size[k])
      continue;
    const double *one = x + at[k];
    const double *other = y + at[k];
    const double  e = cst_norm_apart(s->error.norm, one, other, size[k]);
    if (chosen[k])
      all = cst_norm_join(s->error.norm, all, e);
    keep_largest(&error[k], e);
  }
  keep_largest(&error[CST_ERROR_ALL], all);
}

static void find_errors(const cst_reference *r, int variant, double error[CST_ERRORS]) {
  const cst_study *s = r->plan->study;
  const int        table = s->problem.nvariant + variant;
  const int        times = r->ntime[variant];
  long            *twice = r->twice[variant];
  for (int k = 0; k < CST_ERRORS; k++)
    error[k] = NAN;
  if (!plan_twice(s, r->time[variant], times, twice))
    return;
  for (int t = 0; t < times; t++) {
    if (twice[t] < 0)
      continue;
    for (long m = 0; m < members_of(r, table); m++) {
      const double *full = cst_reference_cell(r, variant, t, m);
      const double *doubled = cst_reference_cell(r, table, t, m);
      add_difference(s, full, doubled, error);
    }
  }
}

void cst_reference_errors(const cst_reference *r, double *error) {
  const int n = r->plan->study->problem.nvariant;
  for (int i = 0; i < n * CST_ERRORS; i++)
    error[i] = NAN;
  if (tables(r) <= n)
    return;
  for (int v = 0; v < n; v++)
    find_errors(r, v, error + v * CST_ERRORS);
}

/* Rough guess of the error of a method of the given order at step h, where T is a time scale of the motion.
 */
static double guess(double h, double T, int order) { return fmax(pow(h / T, order), 1e-14); }

static int order_of(const cst_properties *p) { return CST_SMALLER(p->order_q, p->order_p); }

/* The longest step with which the reference is ten times more accurate than the finest run of method m, or a
 * hundred times if both have the same order: otherwise its own error biases the order. */
static double longest_step(const cst_plan *p, int variant, int m, int order) {
  const cst_study *s = p->study;
  const double    *steps = s->steps.h + (size_t)variant * (size_t)s->steps.n;
  const double     h = steps[s->steps.n - 1];
  const double     T = fmax(1, 10 * steps[0]);
  const int        of = order_of(&p->method[m]->properties);
  const double     goal = guess(h, T, of) / 10;
  const double     longest = T * pow(goal, 1.0 / order);
  if (of == order)
    return fmin(longest, h * pow(0.01, 1.0 / of));
  return longest;
}

void cst_reference_doubt(const cst_plan *p, char *text, size_t n) {
  const cst_study *s = p->study;
  *text = 0;
  if (s->reference.kind != CST_REFERENCE_METHOD || !cst_study_needs(s, CST_NEEDS_REFERENCE_ERROR))
    return;
  const cst_properties own = p->reference->properties;
  const int            order = order_of(&own);
  double               least = INFINITY;
  int                  variant = 0, method = 0;
  for (int v = 0; v < s->problem.nvariant; v++)
    for (int m = 0; m < s->methods.n && order > 0; m++) {
      double longest = INFINITY;
      if (order_of(&p->method[m]->properties) > 0)
        longest = longest_step(p, v, m, order);
      const double *steps = s->steps.h + v * s->steps.n;
      const double  finest = steps[s->steps.n - 1];
      double        step = s->reference.step;
      if (s->error.over == CST_OVER_MESH)
        step = fmin(step, finest);
      if (step > longest * (1 + 1e-9) && longest < least) {
        least = longest;
        variant = v;
        method = m;
      }
    }
  if (least == INFINITY)
    return;
  const char *unit = cst_system_unit(s->problem.system, "time");
  snprintf(text, n,
           "the reference, %s at step %.3g%s, is probably less than ten times more accurate "
           "than %s at step %.3g%s, "
           "and orders are fitted only above its error; use a step of about %.1g%s, or a method "
           "of higher order",
           cst_method_label(s->reference.method), s->reference.step, unit,
           cst_method_label(s->methods.method[method]),
           s->steps.h[variant * s->steps.n + s->steps.n - 1], unit, least, unit);
}

void cst_reference_warn(const cst_plan *p, cst_diag *d) {
  char text[1024];
  cst_reference_doubt(p, text, sizeof text);
  if (!*text)
    return;
  const cst_study_word at = cst_study_place(p->study, "reference.step");
  cst_diag_warn(d, p->study->source.file, at.line, at.column, "%s", text);
}
