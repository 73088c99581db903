/* runner-rows.c: fills and writes the rows of a batch that has ended. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "method/method.h"
#include "study/result/parts.h"
#include "study/runner/runner-internal.h"

static void fill_figures(const cst_runner *r, long lane, bool started) {
  const int W = r->width;
  for (int k = 0; k < r->plan->nquantity; k++) {
    const int     group = (int)(lane / W);
    const double *first = cst_runner_accumulators(r, group);
    const double *acc = first + k * CST_SLOTS * W + lane % W;
    double       *f = cst_rows_numbers(r->rows, &cst_channel_figures, k, lane);
    if (started)
      f[CST_FIGURE_START] = acc[CST_SLOT_START * W];
    else
      f[CST_FIGURE_START] = NAN;
    if (started)
      f[CST_FIGURE_END] = acc[CST_SLOT_LAST * W];
    else
      f[CST_FIGURE_END] = NAN;
    if (isnan(f[CST_FIGURE_START]))
      f[CST_FIGURE_DRIFT] = NAN;
    else
      f[CST_FIGURE_DRIFT] = acc[CST_SLOT_DRIFT * W];
    if (isnan(f[CST_FIGURE_START]))
      f[CST_FIGURE_SCALE] = NAN;
    else
      f[CST_FIGURE_SCALE] = acc[CST_SLOT_SCALE * W];
    if (isnan(f[CST_FIGURE_START]))
      f[CST_FIGURE_SIZE] = NAN;
    else
      f[CST_FIGURE_SIZE] = acc[CST_SLOT_SIZES * W] / (double)r->folds;
  }
}

static void fill_state(cst_runner *r, long lane, long steps, bool done) {
  cst_batch        *b = r->b;
  const cst_system *s = r->plan->study->system;
  const cst_layout *at = cst_stepper_layout(r->st);
  const int         W = r->width;
  const int         g = (int)(lane / W);
  const double     *x = cst_batch_lane(r->st, b, lane);
  double           *q = cst_rows_numbers(r->rows, &cst_channel_q, 0, lane);
  double           *p = cst_rows_numbers(r->rows, &cst_channel_p, 0, lane);
  double           *lambda = cst_rows_numbers(r->rows, &cst_channel_lambda, 0, lane);
  for (int i = 0; i < s->nq; i++) {
    q[i] = x[(at->q + i) * W];
    p[i] = x[(at->p + i) * W];
  }
  cst_runner_lambda(r, r->st,
                    done ? cst_runner_record(r, g)
                         : b->last + (size_t)g * cst_stepper_record_size(r->st),
                    steps, r->lambda);
  for (int a = 0; a < s->ng; a++)
    lambda[a] = r->lambda[a * W + lane % W];
}

/* A state can be finite where its energy overflows: such a trajectory has failed too. */
static void check_energy(const cst_runner *r, long lane) {
  signed char *status =
      cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_status, 0), lane);
  const double *f = cst_rows_numbers(r->rows, &cst_channel_figures,
                                     cst_parts_quantity_find(r->plan, "energy"), lane);
  if (*status == CST_DONE && isfinite(f[CST_FIGURE_START]) && !isfinite(f[CST_FIGURE_DRIFT]))
    *status = CST_NOT_FINITE;
}

static void fill_row(cst_runner *r, long lane) {
  const cst_layout      *at = cst_stepper_layout(r->st);
  const cst_lane_status *status = &r->b->status[lane];
  const bool             done = status->reason == CST_DONE;
  const long             steps = done ? r->cohort->n : status->step;
  const double          *x = cst_batch_lane(r->st, r->b, lane);
  const double           iterations = x[at->iterations * r->width];
  double                 per_step, per_iteration;
  cst_stepper_evaluations(r->st, &per_step, &per_iteration);
  *(signed char *)cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_status, 0),
                              lane) = (signed char)status->reason;
  *(long *)cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_steps, 0), lane) =
      steps;
  *cst_rows_numbers(r->rows, &cst_channel_iterations, 0, lane) = iterations;
  *cst_rows_numbers(r->rows, &cst_channel_evaluations, 0, lane) =
      per_step * (double)steps + per_iteration * iterations;
  fill_state(r, lane, steps, done);
  for (int k = 0; k < CST_ERRORS && r->error[k]; k++)
    if (!done)
      r->error[k][lane] = NAN;
  fill_figures(r, lane, status->reason != CST_NO_START);
  check_energy(r, lane);
}

static PetscErrorCode write_single_series(cst_runner *r) {
  const cst_work *work = r->work;
  const cst_plan *p = r->plan;
  PetscFunctionBegin;
  if (p->study->members > 1 || !p->most_samples)
    PetscFunctionReturn(0);
  for (long l = 0; l < work->count; l++) {
    const double *x = cst_rows_numbers(r->rows, &cst_channel_samples, 0, l);
    const int     icase = r->cohort->cases[work->first + l];
    for (int k = 0; k < p->nquantity; k++, x += p->most_samples) {
      PetscCall(cst_output_series(r->output, icase, &cst_channel_series_max, k, x));
      PetscCall(cst_output_series(r->output, icase, &cst_channel_series_rms, k, x));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_runner_write_rows(cst_runner *r) {
  PetscFunctionBegin;
  for (long l = 0; l < r->work->count; l++)
    fill_row(r, l);
  PetscCall(write_single_series(r));
  PetscCall(cst_output_rows(r->output, r->work, r->rows));
  PetscFunctionReturn(0);
}
