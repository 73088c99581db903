/* readings.c: errors against the reference, and full states of chosen members, read off a batch at its current step. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/runner.h"

/* ---- errors ---------------------------------------------------------------------------------------------------------------- */

static double norm(cst_norm kind, const double *x, const double *y, int n) {
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

/* The norm over all chosen parts together. */
static double join(cst_norm kind, double a, double b) {
  if (kind == CST_NORM_MAX) return a > b || isnan(a) ? a : b;
  return kind == CST_NORM_ONE ? a + b : sqrt(a * a + b * b);
}

static void keep_largest(double *kept, double e) {
  if (!(e <= *kept)) *kept = e;
}

static void record_errors(cst_runner *r, long lane, const double *q, const double *p, const double *l, const double *rq, const double *rp,
                          const double *rl) {
  const cst_study  *s = r->plan->study;
  const cst_system *sys = s->system;
  double eq = norm(s->norm, q, rq, sys->nq), ep = norm(s->norm, p, rp, sys->nq), el = sys->ng ? norm(s->norm, l, rl, sys->ng) : NAN,
         all = 0;
  if (s->error_q) all = join(s->norm, all, eq);
  if (s->error_p) all = join(s->norm, all, ep);
  if (s->error_lambda) all = join(s->norm, all, el);
  keep_largest(&r->rows.error[CST_ERROR_ALL][lane], all);
  keep_largest(&r->rows.error[CST_ERROR_Q][lane], eq);
  keep_largest(&r->rows.error[CST_ERROR_P][lane], ep);
  keep_largest(&r->rows.error[CST_ERROR_LAMBDA][lane], el);
}

static void lane_state(const cst_runner *r, const cst_stepper *st, const cst_batch *b, long lane, double *q, double *p) {
  const cst_system *s = r->plan->study->system;
  const cst_layout *at = cst_stepper_layout(st);
  const double     *x = cst_batch_lane(st, b, lane);
  for (int i = 0; i < s->nq; i++) q[i] = x[(at->q + i) * r->width], p[i] = x[(at->p + i) * r->width];
}

static void lane_start(const cst_runner *r, long lane, double *q0, double *v0) {
  const size_t nq = (size_t)r->plan->study->system->nq, W = (size_t)r->width, first = (size_t)lane / W * nq * W + (size_t)lane % W;
  for (size_t i = 0; i < nq; i++) q0[i] = r->q0[first + i * W], v0[i] = r->v0[first + i * W];
}

static bool lives(const cst_runner *r, const cst_batch *b, long lane) { return b->alive[lane / r->width] >> lane % r->width & 1; }

/* The partner, at half the step, comes along; its multipliers are interpolated to the time that the method's row names. */
static PetscErrorCode bring_partner(cst_runner *r) {
  const cst_system *s = r->plan->study->system;
  const size_t      block = (size_t)s->ng * (size_t)r->width;
  PetscFunctionBegin;
  PetscCall(cst_stepper_advance(r->hst, r->hb, 2 * r->b->step - 1 - r->hb->step));
  for (int g = 0; g < r->hb->groups; g++)
    cst_runner_lambda(r, r->hst, r->hb->record + (size_t)g * cst_stepper_record_size(r->hst), r->hb->step,
                      r->half_lambda + (size_t)g * block);
  PetscCall(cst_stepper_advance(r->hst, r->hb, 1));
  PetscFunctionReturn(0);
}

static void partner_reading(cst_runner *r, long lane, const double *last, double *q, double *p, double *lambda) {
  const cst_system *s = r->plan->study->system;
  const int         W = r->width;
  const double w = r->plan->properties[r->klass->method].lambda_time, *first = r->half_lambda + (size_t)(lane / W) * (size_t)(s->ng * W);
  lane_state(r, r->hst, r->hb, lane, q, p);
  for (int a = 0; a < s->ng; a++) {
    double x = first[a * W + lane % W], y = last[a * W + lane % W];
    lambda[a] = w == 1 ? y : w == 0 ? x : (1 - w) * x + w * y;
  }
  if (!lives(r, r->hb, lane)) q[0] = NAN;
}

/* References are kinetic: p becomes the representative that the method of the lane carries. */
static void make_comparable(const cst_runner *r, long lane, const double *q, double *p) {
  const cst_study *s = r->plan->study;
  const double    *c = s->parameter + (size_t)cst_runner_case(r, lane)->variant * (size_t)s->system->npar;
  if (r->plan->properties[r->klass->method].tangential) cst_system_tangential(s->system, c, q, p);
}

PetscErrorCode cst_runner_read_errors(cst_runner *r) {
  const cst_system *s = r->plan->study->system;
  const int         W = r->width;
  const double      h = r->klass->h, t = (double)r->b->step * h, back = 1 - r->plan->properties[r->klass->method].lambda_time;
  const double      tl = back == 0 ? t : ((double)r->b->step - back) * h;
  double           *q = r->state, *p = q + s->nq, *rq = p + s->nq, *rp = rq + s->nq, *q0 = rp + s->nq, *v0 = q0 + s->nq;
  double           *l = v0 + s->nq, *rl = l + s->ng;
  PetscFunctionBegin;
  if (r->hst) PetscCall(bring_partner(r));
  for (long lane = 0; lane < r->work->count; lane++) {
    const int g = (int)(lane / W);
    if (lane % W == 0) cst_runner_lambda(r, r->st, cst_runner_record(r, g), r->b->step, r->lambda);
    if (lane % W == 0 && r->hst)
      cst_runner_lambda(r, r->hst, r->hb->record + (size_t)g * cst_stepper_record_size(r->hst), r->hb->step, r->last);
    if (!lives(r, r->b, lane)) continue;
    lane_state(r, r->st, r->b, lane, q, p);
    for (int a = 0; a < s->ng; a++) l[a] = r->lambda[a * W + lane % W];
    lane_start(r, lane, q0, v0);
    if (r->hst)
      partner_reading(r, lane, r->last, rq, rp, rl);
    else {
      cst_reference_get(r->reference, cst_runner_case(r, lane)->variant, cst_runner_member(r, lane), q0, v0, t, tl, rq, rp, rl);
      make_comparable(r, lane, rq, rp);
    }
    record_errors(r, lane, q, p, l, rq, rp, rl);
  }
  PetscFunctionReturn(0);
}

/* ---- full states -------------------------------------------------------------------------------------------------------------- */

static int chosen_index(const cst_study *s, long member) {
  for (int i = 0; i < s->ntrajectory; i++)
    if (s->trajectory[i] == member) return i;
  return -1;
}

PetscErrorCode cst_runner_keep_states(cst_runner *r) {
  const cst_study  *s = r->plan->study;
  const cst_system *sys = s->system;
  const int         W = r->width;
  const double      t = (double)r->b->step * r->klass->h;
  double           *q = r->state, *p = q + sys->nq, *l = p + sys->nq;
  PetscFunctionBegin;
  for (long lane = 0; lane < r->work->count; lane++) {
    int chosen = chosen_index(s, cst_runner_member(r, lane));
    if (chosen < 0 || !lives(r, r->b, lane)) continue;
    cst_runner_lambda(r, r->st, cst_runner_record(r, (int)(lane / W)), r->b->step, r->lambda);
    for (int a = 0; a < sys->ng; a++) l[a] = r->lambda[a * W + lane % W];
    lane_state(r, r->st, r->b, lane, q, p);
    PetscCall(cst_output_states(r->output, (int)(cst_runner_case(r, lane) - r->plan->cases), chosen, r->b->step / s->trajectory_every, 1,
                                &t, q, p, l));
  }
  PetscFunctionReturn(0);
}
