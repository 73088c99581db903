/* runner-rows.c: fills the rows of a batch that has ended with what every study has. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/method.h"
#include "study/runner/runner-internal.h"

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

static void fill_row(cst_runner *r, long lane) {
  const cst_layout      *at = cst_stepper_layout(r->st);
  const cst_lane_status *status = &r->b->status[lane];
  const bool             done = status->reason == CST_DONE;
  const long             steps = done ? r->class->n : status->step;
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
}

void cst_runner_fill_rows(cst_runner *r) {
  for (long l = 0; l < r->work->count; l++)
    fill_row(r, l);
}
