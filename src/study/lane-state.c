/* lane-state.c: all that a batch keeps of a lane, as a row of numbers that any batch of any width can go on from. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/runner-internal.h"

const cst_plan *cst_runner_plan(const cst_runner *r) { return r->plan; }
const cst_work *cst_runner_work(const cst_runner *r) { return r->work; }

cst_position cst_runner_position(const cst_runner *r) {
  return (cst_position){.step = r->b->step,
                        .half_step = r->hst ? r->hb->step : 0,
                        .window = r->window,
                        .in_window = r->in_window,
                        .folds = r->folds,
                        .next_sample = r->next_sample};
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

long cst_runner_state_numbers(const cst_runner *r) { return (long)cst_batch_numbers(r->st); }

long cst_runner_numbers(const cst_runner *r) {
  return cst_runner_state_numbers(r) + (long)((r->hst ? cst_batch_numbers(r->hst) : 0) + gathered(r));
}

void cst_runner_save(const cst_runner *r, long lane, double *row) {
  cst_batch_save(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (r->hst) cst_batch_save(r->hst, r->hb, lane, row);
  if (r->hst) row += cst_batch_numbers(r->hst);
  walk(r, lane, save, &row);
}

void cst_runner_restore(cst_runner *r, long lane, const double *from) {
  double *row = (double *)(uintptr_t)from; /* walked, not written */
  cst_batch_restore(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (r->hst) cst_batch_restore(r->hst, r->hb, lane, row);
  if (r->hst) row += cst_batch_numbers(r->hst);
  walk(r, lane, restore, &row);
}
