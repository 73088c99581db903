/* runner-state.c: everything that a batch holds of a lane, as a row from which a batch of any size and width
 * can continue. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/plan-stages.h"
#include "study/runner/runner-internal.h"

const cst_plan *cst_runner_plan(const cst_runner *r) { return r->plan; }
const cst_work *cst_runner_work(const cst_runner *r) {
  return r->replayed || r->timed ? NULL : r->work;
}

cst_position cst_runner_position(const cst_runner *r) {
  cst_position at = cst_plan_position(r->plan, r->class, r->b->step);
  at.half_step = r->hst ? r->hb->step : 0;
  return at;
}

long cst_runner_ahead(const cst_runner *r) {
  return CST_SMALLER(r->work->count, (long)r->b->ahead * r->width);
}

long cst_runner_state_numbers(const cst_runner *r) { return (long)cst_batch_numbers(r->st); }

long cst_runner_numbers(const cst_runner *r) {
  cst_stepper *hst = r->hst;
  return cst_runner_state_numbers(r) +
         (long)((hst ? cst_batch_numbers(hst) : 0) + cst_rows_kept(r->rows));
}

void cst_runner_save(const cst_runner *r, long lane, double *row) {
  cst_stepper *hst = r->hst;
  for (int i = 0; i < r->ncollection; i++)
    if (r->collection[i].row->save)
      r->collection[i].row->save(&r->collection[i], lane);
  cst_batch_save(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (hst) {
    cst_batch_save(hst, r->hb, lane, row);
    row += cst_batch_numbers(hst);
  }
  cst_rows_save(r->rows, lane, row);
}

void cst_runner_restore(cst_runner *r, long lane, const double *row) {
  cst_stepper *hst = r->hst;
  cst_batch_restore(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (hst) {
    cst_batch_restore(hst, r->hb, lane, row);
    row += cst_batch_numbers(hst);
  }
  cst_rows_restore(r->rows, lane, row);
  for (int i = 0; i < r->ncollection; i++)
    if (r->collection[i].row->restore)
      r->collection[i].row->restore(&r->collection[i], lane);
}

/* Whether the batch fits the numbers that it has saved of a lane, at `now` of n steps, `split` to each of the class. */
static bool fits(const cst_runner *r, const cst_stepper *st, const cst_batch *b, long lane,
                 const double *row, long now, int split) {
  const long    step = cst_batch_saved_step(row, now) / split;
  const int     variant = cst_runner_case(r, lane)->variant;
  const double *c = cst_stages_parameters(r->plan, r->class, variant, step);
  return cst_batch_continues(st, b, lane, c, row, split * r->class->n);
}

bool cst_runner_fits(const cst_runner *r, long lane, const double *row, long step) {
  if (!fits(r, r->st, r->b, lane, row, step, 1))
    return false;
  return !r->hst || fits(r, r->hst, r->hb, lane, row + cst_batch_numbers(r->st), 2 * step, 2);
}
