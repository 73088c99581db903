/* piece.c: the state of a batch in the middle of its way, lane by lane (see piece.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "study/piece.h"
#include "study/runner.h"

long cst_plan_lane(const cst_plan *p, long icase, long member) {
  const cst_class *k = &p->classes[p->class_of[icase]];
  int              at = 0;
  while (k->cases[at] != icase) at++;
  return at * p->study->members + member;
}

void cst_plan_trajectory(const cst_plan *p, int klass, long lane, long *icase, long *member) {
  *icase = p->classes[klass].cases[lane / p->study->members];
  *member = lane % p->study->members;
}

/* One array of a lane, x[n] at the stride, out to the row or in from it. */
typedef void visit(double *x, size_t n, size_t stride, double **row);

static void save(double *x, size_t n, size_t stride, double **row) {
  for (size_t i = 0; i < n; i++) *(*row)++ = x[i * stride];
}

static void restore(double *x, size_t n, size_t stride, double **row) {
  for (size_t i = 0; i < n; i++) x[i * stride] = *(*row)++;
}

/* What a lane has gathered on its way. */
static void walk(const cst_runner *r, long lane, visit *f, double **row) {
  const size_t W = (size_t)r->width, quantities = (size_t)r->plan->nquantity, samples = (size_t)r->plan->most_samples;
  f(cst_runner_accumulators(r, (int)(lane / r->width)) + (size_t)lane % W, quantities * CST_SLOTS, W, row);
  f(r->kept + lane / r->width * CST_KEPT * r->width + lane % r->width, CST_KEPT, W, row);
  for (int k = 0; k < CST_ERRORS && r->rows.error[k]; k++) f(r->rows.error[k] + lane, 1, 1, row);
  for (size_t k = 0; k < quantities; k++)
    if (r->rows.window[k]) f(r->rows.window[k] + lane * CST_WINDOWS, CST_WINDOWS, 1, row);
  if (r->plan->study->members == 1) f(r->lane_series + (size_t)lane * quantities * samples, quantities * samples, 1, row);
}

static size_t gathered(const cst_runner *r) {
  size_t       n = 0;
  const size_t quantities = (size_t)r->plan->nquantity;
  for (int k = 0; k < CST_ERRORS && r->rows.error[k]; k++) n++;
  for (size_t k = 0; k < quantities; k++)
    if (r->rows.window[k]) n += CST_WINDOWS;
  if (r->plan->study->members == 1) n += quantities * (size_t)r->plan->most_samples;
  return n + quantities * CST_SLOTS + CST_KEPT;
}

long cst_runner_numbers(const cst_runner *r) {
  return (long)(cst_batch_numbers(r->st) + (r->hst ? cst_batch_numbers(r->hst) : 0) + gathered(r));
}

static cst_piece describe(const cst_runner *r) {
  cst_piece p = {.count = r->work->count, .numbers = cst_runner_numbers(r), .step = r->b->step};
  cst_plan_trajectory(r->plan, r->work->klass, r->work->first, &p.icase, &p.member);
  p.half_step = r->hst ? r->hb->step : 0;
  p.window = r->window, p.in_window = r->in_window, p.folds = r->folds, p.next_sample = r->next_sample;
  return p;
}

void cst_runner_pack(const cst_runner *r, cst_bundle *b) {
  if (!r->work) return;
  const cst_piece p = describe(r);
  cst_piece      *head = cst_bundle_add(b, "lanes", sizeof p + sizeof(double) * (size_t)(p.count * p.numbers));
  double         *row = (double *)(head + 1);
  *head = p;
  for (long l = 0; l < p.count; l++) {
    cst_batch_save(r->st, r->b, l, row);
    row += cst_batch_numbers(r->st);
    if (r->hst) cst_batch_save(r->hst, r->hb, l, row);
    if (r->hst) row += cst_batch_numbers(r->hst);
    walk(r, l, save, &row);
  }
}

void cst_runner_unpack(cst_runner *r, const cst_piece *p, const double *rows) {
  double *row = (double *)(uintptr_t)rows; /* walked, not written */
  for (long l = 0; l < r->work->count; l++) {
    cst_batch_restore(r->st, r->b, l, row);
    row += cst_batch_numbers(r->st);
    if (r->hst) cst_batch_restore(r->hst, r->hb, l, row);
    if (r->hst) row += cst_batch_numbers(r->hst);
    walk(r, l, restore, &row);
  }
  r->b->step = p->step;
  cst_batch_ready(r->st, r->b);
  if (r->hst) r->hb->step = p->half_step;
  if (r->hst) cst_batch_ready(r->hst, r->hb);
  r->window = (int)p->window;
  r->in_window = p->in_window;
  r->folds = p->folds;
  r->next_sample = (int)p->next_sample;
  r->next_fold = cst_class_fold_after(r->klass, p->step);
}
