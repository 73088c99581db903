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

/* The times at which case c reads: t = n h, and where the multipliers belong to an earlier time, that one too. */
static int case_times(const cst_plan *p, int i, double *t) {
  const cst_case  *c = &p->cases[i];
  const cst_class *k = &p->classes[p->class_of[i]];
  const double     back = 1 - p->properties[c->method].lambda_time;
  int              n = 0;
  for (long step = k->read; step <= c->n; step += k->read) {
    if (t) t[n] = (double)step * c->h;
    n++;
    if (back == 0 || p->study->system->ng == 0) continue;
    if (t) t[n] = ((double)step - back) * c->h;
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
  free(r->ntime);
  free(r->time);
  free(r->value);
  free(r);
}

static long items_a_variant(const cst_plan *p) { return (p->study->members + MEMBERS_AN_ITEM - 1) / MEMBERS_AN_ITEM; }

int cst_reference_items(const cst_reference *r) {
  return r->plan->study->reference == CST_REFERENCE_METHOD ? (int)(r->plan->study->nvariant * items_a_variant(r->plan)) : 0;
}

static double *cell(const cst_reference *r, int variant, int time, long member) {
  return r->value[variant] + ((size_t)time * (size_t)r->plan->study->members + (size_t)member) * row(r->plan);
}

/* Start the members first..first+count of a variant in the batch. */
static PetscErrorCode start_members(const cst_plan *p, const cst_stepper *st, cst_batch *b, int variant, long first, long count) {
  const cst_study *s = p->study;
  double           q[CST_MAX_Q], v[CST_MAX_Q];
  PetscFunctionBegin;
  cst_batch_reset(st, b, count);
  for (long m = 0; m < count; m++) {
    const double *c = s->parameter + (size_t)variant * (size_t)s->system->npar;
    if (cst_study_member(s, variant, first + m, q, v))
      cst_batch_start(st, b, m, c, q, v, 1e-15);
    else
      cst_batch_refuse(st, b, m, c, q, v);
  }
  cst_batch_ready(st, b);
  PetscFunctionReturn(0);
}

/* Copy the states of the batch into the table. A lane that failed leaves NaN. */
static void store(cst_reference *r, const cst_stepper *st, const cst_batch *b, int variant, int time, long first, long count) {
  const cst_system *s = r->plan->study->system;
  const cst_layout *at = cst_stepper_layout(st);
  const int         width = cst_stepper_width(st);
  const cst_fold   *fold = cst_fold_for(s, r->plan->isa);
  double            lambda[CST_MAX_G * CST_W_MAX] __attribute__((aligned(64)));
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
  }
}

PetscErrorCode cst_reference_compute(cst_reference *r, int item) {
  const cst_plan  *p = r->plan;
  const cst_study *s = p->study;
  const int        variant = item / (int)items_a_variant(p);
  const long       first = item % items_a_variant(p) * MEMBERS_AN_ITEM, count = PetscMin(MEMBERS_AN_ITEM, s->members - first);
  cst_stepper     *st;
  cst_batch        b;
  double           now = 0;
  PetscFunctionBegin;
  PetscCall(cst_stepper_create(s->reference_method, s->system,
                               &(cst_stepper_options){p->isa, MEMBERS_AN_ITEM, PetscMax(100, s->max_iterations), false}, &st));
  PetscCall(cst_batch_create(st, &b));
  PetscCall(start_members(p, st, &b, variant, first, count));
  for (int i = 0; i < r->ntime[variant]; i++) {
    double span = r->time[variant][i] - now;
    long   n = (long)ceil(span / s->reference_step - 1e-9);
    cst_stepper_set_step(st, span / (double)(n < 1 ? 1 : n));
    PetscCall(cst_stepper_advance(st, &b, n < 1 ? 1 : n));
    store(r, st, &b, variant, i, first, count);
    now = r->time[variant][i];
  }
  PetscCall(cst_batch_destroy(&b));
  PetscCall(cst_stepper_destroy(&st));
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

void cst_reference_get(const cst_reference *r, int variant, long member, const double *q0, const double *v0, double t, double tl, double *q,
                       double *p, double *lambda) {
  const cst_study  *s = r->plan->study;
  const cst_system *sys = s->system;
  const double     *c = s->parameter + (size_t)variant * (size_t)sys->npar;
  double            unused[2 * CST_MAX_Q];
  if (s->reference == CST_REFERENCE_EXACT) {
    cst_system_exact(sys, s->ensemble ? -1 : s->state, c, q0, v0, t, q, p, lambda);
    if (tl != t) cst_system_exact(sys, s->ensemble ? -1 : s->state, c, q0, v0, tl, unused, unused + CST_MAX_Q, lambda);
    return;
  }
  const double *x = cell(r, variant, index_of(r, variant, t), member),
               *y = sys->ng ? cell(r, variant, index_of(r, variant, tl), member) : x;
  memcpy(q, x, (size_t)sys->nq * sizeof *q);
  memcpy(p, x + sys->nq, (size_t)sys->nq * sizeof *p);
  memcpy(lambda, y + 2 * sys->nq, (size_t)sys->ng * sizeof *lambda);
}
