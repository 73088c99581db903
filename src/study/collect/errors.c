/* errors.c: the collector `errors`: the largest errors against the reference. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/collect/errors.h"
#include "study/runner/runner.h"

/* clang-format off */
const cst_channel_row cst_channel_error = {"/error/%s", "1", "error against the reference", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < CST_ERRORS && p->study->reference.kind != CST_REFERENCE_NONE; k++)
    cst_channels_add(c, &cst_channel_error, k,
                     (cst_channel_use){.name = cst_channels_error_names[k]});
}

typedef struct {
  double *error[CST_ERRORS]; /* [lane] into the rows */
  double *half_lambda;   /* [group][ng][W]: the partner's multipliers one of its steps earlier */
  double *lambda, *last; /* [ng][W]: of the group being read, and of the partner's */
  double *state;         /* states of two lanes and one start */
  double *now;           /* [lane] of q and p at the last step at which they were read or shown */
} own;

/* ---- errors ---------------------------------------------------------------------------------- */

/* A NaN is kept. */
static void keep_largest(double *kept, double e) {
  if (isnan(e) || e > *kept)
    *kept = e;
}

/* Parts of the error, as bits; and whether they enter the largest errors of the run, or are shown only. */
enum {
  STATES = 1 << CST_ERROR_Q | 1 << CST_ERROR_P,
  MULTIPLIERS = 1 << CST_ERROR_LAMBDA,
  ENTER = 1 << CST_ERRORS
};

/* The compared quantities of a lane or of its reference. */
typedef struct {
  double *q, *p, *lambda;
} reading;

static void record_errors(const own *e, const cst_runner *r, long lane, int parts, reading x,
                          reading y) {
  const cst_study *s = r->plan->study;
  const int        nq = s->problem.system->nq;
  const int        ng = s->problem.system->ng;
  const struct {
    const double *x, *y;
    int           n;
    bool          chosen;
  } part[CST_ERRORS] = {[CST_ERROR_Q] = {x.q, y.q, nq, s->error.q},
                        [CST_ERROR_P] = {x.p, y.p, nq, s->error.p},
                        [CST_ERROR_LAMBDA] = {x.lambda, y.lambda, ng, s->error.lambda}};
  double all = 0, along = 0;
  for (int k = CST_ERROR_Q; k < CST_ERRORS; k++) {
    if (!(parts >> k & 1))
      continue;
    const double apart =
        part[k].n ? cst_norm_apart(s->error.norm, part[k].x, part[k].y, part[k].n) : NAN;
    if (part[k].chosen)
      all = cst_norm_join(s->error.norm, all, apart);
    if (part[k].chosen && k != CST_ERROR_LAMBDA)
      along = cst_norm_join(s->error.norm, along, apart);
    if (parts & ENTER)
      keep_largest(&e->error[k][lane], apart);
  }
  if (parts & STATES)
    e->now[lane] = along;
  if (parts & ENTER)
    keep_largest(&e->error[CST_ERROR_ALL][lane], all);
}

static void lane_state(const cst_runner *r, const cst_stepper *st, const cst_batch *b, long lane,
                       double *q, double *p) {
  const int         W = r->width;
  const cst_system *s = r->plan->study->problem.system;
  const cst_layout *at = cst_stepper_layout(st);
  const double     *x = cst_batch_lane(st, b, lane);
  for (int i = 0; i < s->nq; i++) {
    q[i] = x[(at->q + i) * W];
    p[i] = x[(at->p + i) * W];
  }
}

static void lane_start(const cst_runner *r, long lane, double *q0, double *v0) {
  const size_t nq = (size_t)r->plan->study->problem.system->nq;
  const size_t W = (size_t)r->width;
  const size_t group = (size_t)lane / W;
  const size_t first = group * nq * W + (size_t)lane % W;
  for (size_t i = 0; i < nq; i++) {
    q0[i] = r->q0[first + i * W];
    v0[i] = r->v0[first + i * W];
  }
}

/* Advances the partner, at half the step, keeping its multipliers of one step earlier for interpolation to
 * the time that the method's row names. */
static cst_error bring_partner(const own *e, const cst_runner *r) {
  cst_stepper      *hst = r->hst;
  const cst_system *s = r->plan->study->problem.system;
  const size_t      block = (size_t)s->ng * (size_t)r->width;
  const size_t      size = cst_stepper_record_size(hst);
  CST_TRY(cst_stepper_advance(hst, r->hb, 2 * r->b->step - 1 - r->hb->step));
  if (cst_stepper_halted(hst))
    return 0;
  for (int g = 0; g < r->hb->groups; g++) {
    const double *record = r->hb->record + (size_t)g * size;
    double       *lambda = e->half_lambda + (size_t)g * block;
    cst_runner_lambda(r, hst, record, r->hb->step, lambda);
  }
  CST_TRY(cst_stepper_advance(hst, r->hb, 1));
  return 0;
}

/* The value between two, at the fraction w of the way. */
static double between(double before, double after, double w) {
  if (w == 1)
    return after;
  if (w == 0)
    return before;
  return (1 - w) * before + w * after;
}

/* A failed partner gives NaN. */
static void partner_reading(const own *e, const cst_runner *r, long lane, reading y) {
  const cst_plan       *p = r->plan;
  const cst_system     *s = p->study->problem.system;
  const int             ng = s->ng;
  const int             W = r->width;
  const cst_properties *method = &p->method[r->class->method]->properties;
  const double          w = method->lambda_time;
  const size_t          group = (size_t)(lane / W);
  const double         *first = e->half_lambda + group * (size_t)(ng * W);
  const bool            lost = !cst_runner_lives(r, r->hb, lane);
  lane_state(r, r->hst, r->hb, lane, y.q, y.p);
  for (int a = 0; a < ng; a++) {
    const long at = a * W + lane % W;
    if (lost)
      y.lambda[a] = NAN;
    else
      y.lambda[a] = between(first[at], e->last[at], w);
  }
  if (!lost)
    return;
  for (int i = 0; i < s->nq; i++) {
    y.q[i] = NAN;
    y.p[i] = NAN;
  }
}

/* References are kinetic; converts p to the representative of the lane's method. */
static void make_comparable(const cst_runner *r, long lane, const double *q, double *p) {
  const cst_study *s = r->plan->study;
  const int        variant = cst_runner_case(r, lane)->variant;
  const double    *c = s->problem.parameter + (long)variant * s->problem.system->npar;
  if (r->plan->method[r->class->method]->properties.tangential)
    cst_system_tangential(s->problem.system, c, q, p);
}

static cst_error reference_reading(const cst_runner *r, long lane, int parts, const double *q0,
                                   const double *v0, reading y) {
  const cst_properties *method = &r->plan->method[r->class->method]->properties;
  const int             variant = cst_runner_case(r, lane)->variant;
  const double          step = (double)r->b->step;
  const double          t = cst_clock_lane(r, lane, step);
  const double          back = cst_properties_back(method, cst_clock_step(r), step);
  const double          tl = back == 0 ? t : cst_clock_lane(r, lane, step - back);
  double               *q = parts & STATES ? y.q : NULL;
  double               *p = parts & STATES ? y.p : NULL;
  double               *lambda = parts & MULTIPLIERS ? y.lambda : NULL;
  CST_TRY(cst_reference_get(r->reference, variant, cst_runner_member(r, lane), q0, v0, t, tl, q, p,
                            lambda));
  if (parts & STATES)
    make_comparable(r, lane, y.q, y.p);
  return 0;
}

static cst_error read_lane(const own *e, const cst_runner *r, long lane, int parts) {
  const int         W = r->width;
  const cst_system *s = r->plan->study->problem.system;
  const int         nq = s->nq;
  double           *q0 = e->state;
  double           *v0 = q0 + nq;
  double           *own = v0 + nq;
  double           *other = own + 2 * nq + s->ng;
  const reading     x = {own, own + nq, own + 2 * nq};
  const reading     y = {other, other + nq, other + 2 * nq};
  lane_state(r, r->st, r->b, lane, x.q, x.p);
  for (int a = 0; a < s->ng; a++)
    x.lambda[a] = e->lambda[a * W + lane % W];
  lane_start(r, lane, q0, v0);
  if (r->hst)
    partner_reading(e, r, lane, y);
  else if (r->reference)
    CST_TRY(reference_reading(r, lane, parts, q0, v0, y));
  record_errors(e, r, lane, parts, x, r->hst || r->reference ? y : x);
  return 0;
}

static void group_multipliers(const own *e, const cst_runner *r, int group) {
  cst_stepper *hst = r->hst;
  cst_runner_lambda(r, r->st, cst_runner_record(r, group), r->b->step, e->lambda);
  if (hst)
    cst_runner_lambda(r, hst, r->hb->record + (size_t)group * cst_stepper_record_size(hst),
                      r->hb->step, e->last);
}

static cst_error read_lanes(const own *e, const cst_runner *r, int parts) {
  for (long lane = 0; lane < r->work->count; lane++) {
    if (lane % r->width == 0 && parts & MULTIPLIERS)
      group_multipliers(e, r, (int)(lane / r->width));
    if (cst_runner_lives(r, r->b, lane))
      CST_TRY(read_lane(e, r, lane, parts));
    else
      e->now[lane] = NAN;
  }
  return 0;
}

static bool shows(const cst_class *k, long step) {
  return cst_plan_class_shown_after(k, step - 1) == step;
}

/* At a step at which errors are shown only. */
static cst_error show_errors(const own *e, const cst_runner *r) {
  if (r->hst)
    CST_TRY(cst_stepper_advance(r->hst, r->hb, 2 * r->b->step - r->hb->step));
  if (!cst_runner_halted(r))
    CST_TRY(read_lanes(e, r, STATES));
  return 0;
}

/* States and multipliers that are read at different stops are not combined, not even where two stops
 * coincide; the error is the larger of the two. */
static cst_error read_errors(const own *e, const cst_runner *r) {
  const cst_class *k = r->class;
  const long       now = r->b->step;
  if (r->hst)
    CST_TRY(bring_partner(e, r));
  if (cst_runner_halted(r))
    return 0;
  if (k->lead == 0)
    CST_TRY(read_lanes(e, r, STATES | MULTIPLIERS | ENTER));
  else {
    if (cst_plan_class_reads_states(k, now))
      CST_TRY(read_lanes(e, r, STATES | ENTER));
    else if (shows(k, now))
      CST_TRY(read_lanes(e, r, STATES));
    if (cst_plan_class_reads_lambda(k, now))
      CST_TRY(read_lanes(e, r, MULTIPLIERS | ENTER));
  }
  return 0;
}

/* ---- the collector --------------------------------------------------------------------------- */

static void create(cst_collection *x) {
  const cst_runner *r = x->run;
  own              *e = x->own;
  const cst_system *s = r->plan->study->problem.system;
  const size_t      ng = (size_t)s->ng, W = (size_t)r->width;
  const size_t      groups = ((size_t)r->batch + W - 1) / W;
  for (int k = 0; k < CST_ERRORS; k++)
    e->error[k] = cst_rows_numbers(r->rows, &cst_channel_error, k, 0);
  e->half_lambda = cst_aligned(groups * (ng + 1) * W);
  e->lambda = cst_aligned(ng * W);
  e->last = cst_aligned(ng * W);
  e->now = cst_aligned(groups * W);
  e->state = cst_aligned(6 * (size_t)s->nq + 2 * ng);
}

static void destroy(cst_collection *x) {
  own *e = x->own;
  free(e->half_lambda);
  free(e->lambda);
  free(e->last);
  free(e->now);
  free(e->state);
}

static bool wanted(const cst_plan *p) { return p->study->reference.kind != CST_REFERENCE_NONE; }

static void begin(cst_collection *x) {
  const own *e = x->own;
  for (int k = 0; k < CST_ERRORS; k++)
    memset(e->error[k], 0, sizeof(double) * (size_t)x->run->work->count);
  memset(e->now, 0, sizeof(double) * (size_t)x->run->work->count);
}

/* Errors that are shown need no multipliers. */
static long reads(const cst_collection *x, long step) {
  const cst_class *k = x->run->class;
  const long       mesh = cst_runner_next_multiple(step, k->read, 0);
  if (k->lead == 0)
    return mesh;
  return CST_SMALLER(mesh, cst_runner_next_multiple(step, k->read, k->lead));
}

static long next(const cst_collection *x, long step) {
  return CST_SMALLER(reads(x, step), cst_plan_class_shown_after(x->run->class, step));
}

/* It advances the partner, which may be halted. */
static cst_error before(cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_class  *k = r->class;
  const long        now = r->b->step;
  if (now > 0 && !r->replayed &&
      (cst_plan_class_reads_states(k, now) || cst_plan_class_reads_lambda(k, now)))
    CST_TRY(read_errors(x->own, r));
  else if (now > 0 && shows(k, now))
    CST_TRY(show_errors(x->own, r));
  return 0;
}

const double *cst_errors_now(const cst_runner *r) {
  const own *e = cst_runner_collected(r, CST_COLLECTOR(errors));
  return e ? e->now : NULL;
}

static cst_error finish(cst_collection *x) {
  const own *e = x->own;
  for (long l = 0; l < x->run->work->count; l++)
    for (int k = 0; k < CST_ERRORS; k++)
      if (x->run->b->status[l].reason != CST_DONE)
        e->error[k][l] = NAN;
  return 0;
}

/* ---- a later end ----------------------------------------------------------------------------- */

static const char *refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                          const cst_class *to) {
  (void)now;
  return to->read != from->read && old->study->error.over != CST_OVER_END
             ? "errors are read at other steps"
             : NULL;
}

/* Errors at the end start from zero. */
static void go_on(const cst_continued *x) {
  const bool again = x->now->plan->study->error.over == CST_OVER_END;
  for (int k = 0; k < CST_ERRORS; k++) {
    const double *was = cst_continued_was(x, &cst_channel_error, k);
    if (was)
      *cst_continued_made(x, &cst_channel_error, k) = again ? 0 : *was;
  }
}

static const cst_reuse reuse = {.refuse = refuse, .go_on = go_on};

const cst_collector cst_collector_errors = {
    .name = "errors",
    .doc = "errors against the reference",
    .plan = {.wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = next,
            .before = before,
            .finish = finish},
    .file = {.declare = declare},
    .reuse = &reuse,
};
