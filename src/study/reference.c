/* reference.c: what errors are measured against: an exact motion, or another method's states at the times that are read.
 *
 * A method's states are computed once for all cases, one variant and up to a group of members an item of work, through all read times in
 * order with equal steps not longer than the reference's own between them. (reference: self runs beside each batch, in runner.c.)
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/run.h"

enum { MEMBERS_AN_ITEM = 64 };

static void *need(void *p) {
  if (!p) abort();
  return p;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times at which case i reads: t = n h, and where the multipliers belong to another time, that one too. */
static int case_times(const cst_plan *p, int i, double *t) {
  const cst_case  *c = &p->cases[i];
  const cst_class *k = &p->classes[p->class_of[i]];
  const double     back = 1 - p->properties[c->method].lambda_time;
  int              n = 0;
  for (long m = 0; m < c->n / k->read; m++) {
    const long state = (m + 1) * k->read, multiplier = k->lead > 0 ? m * k->read + k->lead : state;
    if (t) t[n] = (double)state * c->h;
    n++;
    if (back == 0 || p->study->system->ng == 0) continue;
    if (t) t[n] = ((double)multiplier - back) * c->h;
    n++;
  }
  return n;
}

static void gather_times(cst_reference *r, int variant) {
  const cst_plan *p = r->plan;
  size_t          most = 0, n = 0;
  for (int i = 0; i < p->ncase; i++)
    if (p->cases[i].variant == variant) most += (size_t)case_times(p, i, NULL);
  double *t = need(malloc((most + 1) * sizeof *t));
  for (int i = 0; i < p->ncase; i++)
    if (p->cases[i].variant == variant) n += (size_t)case_times(p, i, t + n);
  qsort(t, n, sizeof *t, ascending);
  size_t unique = 0;
  for (size_t i = 0; i < n; i++)
    if (unique == 0 || t[i] != t[unique - 1]) t[unique++] = t[i];
  r->time[variant] = t;
  r->ntime[variant] = (int)unique;
}

static size_t row(const cst_plan *p) { return (size_t)(2 * p->study->system->nq + p->study->system->ng); }

static size_t table_size(const cst_reference *r, int variant) {
  return (size_t)r->ntime[variant] * (size_t)r->plan->study->members * row(r->plan);
}

cst_reference *cst_reference_create(const cst_plan *p) {
  cst_reference *r = need(calloc(1, sizeof *r));
  const size_t   n = (size_t)p->study->nvariant;
  r->plan = p;
  r->unused = need(calloc(row(p) + 1, sizeof *r->unused));
  if (p->study->reference != CST_REFERENCE_METHOD) return r;
  r->ntime = need(calloc(n, sizeof *r->ntime));
  r->time = need(calloc(n, sizeof *r->time));
  r->value = need(calloc(n, sizeof *r->value));
  for (int v = 0; v < p->study->nvariant; v++) {
    gather_times(r, v);
    r->value[v] = need(calloc(table_size(r, v) + 1, sizeof **r->value));
  }
  return r;
}

void cst_reference_destroy(cst_reference *r) {
  if (!r) return;
  for (int v = 0; r->time && v < r->plan->study->nvariant; v++) {
    free(r->time[v]);
    free(r->value[v]);
  }
  free(r->unused);
  free(r->ntime);
  free(r->time);
  free(r->value);
  free(r);
}

/* In quadruple precision a member is long work. */
static long members_an_item(const cst_study *s) { return s->reference_quad ? 1 : MEMBERS_AN_ITEM; }

static long items_a_variant(const cst_plan *p) {
  const long n = members_an_item(p->study);
  return (p->study->members + n - 1) / n;
}

int cst_reference_items(const cst_reference *r) {
  return r->plan->study->reference == CST_REFERENCE_METHOD ? (int)(r->plan->study->nvariant * items_a_variant(r->plan)) : 0;
}

static double *cell(const cst_reference *r, int variant, int time, long member) {
  return r->value[variant] + ((size_t)time * (size_t)r->plan->study->members + (size_t)member) * row(r->plan);
}

static const double *parameters_of(const cst_plan *p, int variant) {
  return p->study->parameter + (size_t)variant * (size_t)p->study->system->npar;
}

/* Start the members first..first+count of a variant in the batch. */
static PetscErrorCode start_members(const cst_plan *p, const cst_stepper *st, cst_batch *b, int variant, long first, long count) {
  const cst_study *s = p->study;
  double          *q, *v;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->system->nq, &q, s->system->nq, &v));
  cst_batch_reset(st, b, count);
  for (long m = 0; m < count; m++) {
    const double *c = parameters_of(p, variant);
    if (cst_study_member(s, variant, first + m, q, v))
      cst_batch_start(st, b, m, c, q, v, 1e-15);
    else
      cst_batch_refuse(st, b, m, c, q, v);
  }
  cst_batch_ready(st, b);
  PetscCall(PetscFree2(q, v));
  PetscFunctionReturn(0);
}

/* The momenta in the table of the members from `first` on become M v + a. */
static void make_kinetic(cst_reference *r, const cst_stepper *st, const cst_batch *b, int variant, int time, long first, long count) {
  const cst_system *s = r->plan->study->system;
  const int         width = cst_stepper_width(st);
  const cst_fold   *fold = cst_fold_for(s, r->plan->isa);
  double           *v = need(aligned_alloc(64, (size_t)s->nq * CST_W_MAX * sizeof *v)), *one = need(malloc((size_t)s->nq * sizeof *one));
  for (long m = 0; m < count; m++) {
    double *to = cell(r, variant, time, first + m);
    if (m % width == 0) fold->velocities(cst_stepper_context(st), b->record + (size_t)(m / width) * cst_stepper_record_size(st), v);
    for (int i = 0; i < s->nq; i++) one[i] = v[i * width + m % width];
    if (b->fate[m].reason == CST_DONE) cst_system_momentum(s, parameters_of(r->plan, variant), to, one, to + s->nq);
  }
  free(v);
  free(one);
}

/* Copy the states of the batch into the table. A lane that failed leaves NaN. */
static void store(cst_reference *r, const cst_stepper *st, const cst_batch *b, int variant, int time, long first, long count,
                  double *lambda) {
  const cst_system *s = r->plan->study->system;
  const cst_layout *at = cst_stepper_layout(st);
  const int         width = cst_stepper_width(st);
  const cst_fold   *fold = cst_fold_for(s, r->plan->isa);
  for (long m = 0; m < count; m++) {
    double       *to = cell(r, variant, time, first + m);
    const double *from = b->record + (size_t)(m / width) * cst_stepper_record_size(st) + m % width;
    bool          good = b->fate[m].reason == CST_DONE;
    if (m % width == 0) fold->multipliers(cst_stepper_context(st), b->record + (size_t)(m / width) * cst_stepper_record_size(st), lambda);
    for (int i = 0; i < s->nq; i++) {
      to[i] = good ? from[(at->q + i) * width] : NAN;
      to[s->nq + i] = good ? from[(at->p + i) * width] : NAN;
    }
    for (int a = 0; a < s->ng; a++) to[2 * s->nq + a] = good ? lambda[a * width + m % width] : NAN;
    if (good && s->dropped) cst_system_least_norm(s, parameters_of(r->plan, variant), to, to + 2 * s->nq);
  }
  if (cst_stepper_context(st)->tangential) make_kinetic(r, st, b, variant, time, first, count);
}

long cst_reference_steps(const cst_study *s, double span) {
  const long n = (long)ceil(span / s->reference_step - 1e-9);
  return n < 1 ? 1 : n;
}

/* span 0: a time that is read is the start. */
static PetscErrorCode advance(const cst_study *s, cst_stepper *st, cst_batch *b, double span) {
  PetscFunctionBegin;
  if (span == 0) PetscFunctionReturn(0);
  const long n = cst_reference_steps(s, span);
  cst_stepper_set_step(st, span / (double)n);
  PetscCall(cst_stepper_advance(st, b, n));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_double(cst_reference *r, int variant, long first, long count) {
  const cst_plan  *p = r->plan;
  const cst_study *s = p->study;
  const int        width = cst_isas[p->isa].width;
  cst_stepper     *st;
  cst_batch        b;
  void            *lambda = NULL;
  double           now = 0;
  PetscFunctionBegin;
  PetscCheck(!posix_memalign(&lambda, 64, sizeof(double) * (size_t)(s->system->ng + 1) * CST_W_MAX), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "no memory for multipliers");
  PetscCall(cst_stepper_create(
      s->reference_method, s->system,
      &(cst_stepper_options){p->isa, (int)((count + width - 1) / width), PetscMax(100, s->max_iterations), false, CST_ITERATION_AUTO},
      &st));
  PetscCall(cst_batch_create(st, &b));
  PetscCall(start_members(p, st, &b, variant, first, count));
  for (int i = 0; i < r->ntime[variant]; i++) {
    PetscCall(advance(s, st, &b, r->time[variant][i] - now));
    store(r, st, &b, variant, i, first, count, lambda);
    now = r->time[variant][i];
  }
  PetscCall(cst_batch_destroy(&b));
  PetscCall(cst_stepper_destroy(&st));
  free(lambda);
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_quad(cst_reference *r, int variant, long member) {
  const cst_study *s = r->plan->study;
  const size_t     stride = (size_t)s->members * row(r->plan);
  double          *q, *v, *to = cell(r, variant, 0, member);
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->system->nq, &q, s->system->nq, &v));
  if (cst_study_member(s, variant, member, q, v))
    cst_reference_quad(s, variant, q, v, r->time[variant], r->ntime[variant], to, stride);
  else
    for (int i = 0; i < r->ntime[variant]; i++)
      for (size_t k = 0; k < row(r->plan); k++) to[(size_t)i * stride + k] = NAN;
  PetscCall(PetscFree2(q, v));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_reference_compute(cst_reference *r, int item) {
  const cst_study *s = r->plan->study;
  const long       a_variant = items_a_variant(r->plan), many = members_an_item(s), first = item % a_variant * many;
  const int        variant = (int)(item / a_variant);
  PetscFunctionBegin;
  if (s->reference_quad)
    PetscCall(compute_quad(r, variant, first));
  else
    PetscCall(compute_double(r, variant, first, PetscMin(many, s->members - first)));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_reference_share(cst_reference *r, MPI_Comm comm) {
  PetscFunctionBegin;
  for (int v = 0; r->value && v < r->plan->study->nvariant; v++) {
    const size_t n = table_size(r, v), most = 1 << 26;
    for (size_t at = 0; at < n; at += most) /* each cell was written by one rank, the others hold zero bits */
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, r->value[v] + at, (PetscMPIInt)PetscMin(most, n - at), MPI_LONG, MPI_BOR, comm));
  }
  PetscFunctionReturn(0);
}

static int index_of(const cst_reference *r, int variant, double t) {
  const double *found = bsearch(&t, r->time[variant], (size_t)r->ntime[variant], sizeof t, ascending);
  return found ? (int)(found - r->time[variant]) : -1;
}

/* An exact motion is dear: one call where both times are the same. */
static void exact(const cst_reference *r, int variant, const double *q0, const double *v0, double t, double tl, double *q, double *p,
                  double *lambda) {
  const cst_study *s = r->plan->study;
  const double    *c = parameters_of(r->plan, variant);
  const int        state = s->ensemble ? -1 : s->state, nq = s->system->nq;
  const bool       at_once = q && lambda && tl == t;
  if (q) cst_system_exact(s->system, state, c, q0, v0, t, q, p, at_once ? lambda : r->unused);
  if (lambda && !at_once) cst_system_exact(s->system, state, c, q0, v0, tl, r->unused, r->unused + nq, lambda);
}

void cst_reference_get(const cst_reference *r, int variant, long member, const double *q0, const double *v0, double t, double tl, double *q,
                       double *p, double *lambda) {
  const cst_study  *s = r->plan->study;
  const cst_system *sys = s->system;
  if (s->reference == CST_REFERENCE_EXACT) {
    exact(r, variant, q0, v0, t, tl, q, p, lambda);
    return;
  }
  if (q) {
    const double *x = cell(r, variant, index_of(r, variant, t), member);
    memcpy(q, x, (size_t)sys->nq * sizeof *q);
    memcpy(p, x + sys->nq, (size_t)sys->nq * sizeof *p);
  }
  if (lambda && sys->ng) {
    const double *x = cell(r, variant, index_of(r, variant, tl), member);
    memcpy(lambda, x + 2 * sys->nq, (size_t)sys->ng * sizeof *lambda);
  }
}
