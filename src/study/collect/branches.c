/* branches.c: the collector `branches`: where a trajectory passes a state in which the gradients of the constraints are
 * dependent, so that the motion may branch (system/point/branches.h). It is there for every system that may have such
 * states. A trajectory that goes on with another velocity than it came has left its branch, and has failed.
 *
 * Of a state that has been examined the distance d from dependence is known. As long as the rows of the gradients differ
 * from those there by less than d less twice their change in the step, the step cannot be near such a state. All other steps
 * are examined, so that what is said of a step depends on its two ends and on the start alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "study/channels/channels.h"
#include "study/collect/events.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"
#include "system/internal.h"
#include "system/point/branches.h"

/* clang-format off */
const cst_channel_row cst_channel_passed_singular = {"/final/passed_singular", "1", "first time at which the gradients of the constraints were dependent within a step; NaN: never", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {false, 0, CST_MOST_OF_TYPE, false, true, NULL}};
/* clang-format on */

enum { VARIANTS = 16 }; /* of the parameters, that are asked for such states */

/* The coordinates of the constraints whose gradients may be dependent; NULL: there are none. */
static void *settle(const cst_plan *p, cst_diag *d) {
  const cst_system *s = p->study->system;
  double           *c = cst_zeros(s->npar + 1, sizeof *c);
  bool             *of = cst_zeros(s->nq + 1, sizeof *of), possible = false;
  (void)d;
  const int variants = p->study->nvariant, some = CST_SMALLER(variants, VARIANTS);
  for (int k = 0; k < some; k++) {
    const int variant = (int)((long)k * variants / some);
    memcpy(c, cst_plan_parameters(p, variant), (size_t)cst_system_named(s) * sizeof *c);
    possible |= cst_branches_possible(s, c, of);
  }
  free(c);
  if (possible)
    return of;
  free(of);
  return NULL;
}

typedef struct {
  bool unknown; /* the study is one of an earlier program, which looked at no states */
} wish;

static void as_in(void *x, cst_result *file) {
  wish *w = x;
  w->unknown = !cst_result_finds(file, "/final", "passed_singular");
}

static bool wanted(const cst_plan *p) {
  const wish *w = p->study->collected[CST_COLLECTOR(branches)];
  return p->settled[CST_COLLECTOR(branches)] && !w->unknown;
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (wanted(p))
    cst_channels_add(c, &cst_channel_passed_singular, 0, (cst_channel_use){0});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  const cst_tape_lanes *lanes;
  cst_tape             *tape; /* the entries of the rows */
  int                   n;
  int                  *row;             /* [n] of which constraint each is */
  double               *value, *scratch; /* [n][W] at a state */
  /* of each group [n][W]: the entries at the state that was examined, at the last one, and one over the lengths of their rows */
  double      *entry, *before, *scale;
  double      *distance;                    /* [group][W] of that state; -1: none was examined */
  double      *length;                      /* [group][W][ng] of the rows at the start */
  double      *q, *p;                       /* [group][nq][W] of the last state */
  long        *seen;                        /* [group] its step */
  double      *c0, *q0, *p0, *c1, *q1, *p1; /* of one lane, before and behind a step */
  double      *spare;                       /* [n][W] */
  cst_locator *locator;
  cst_error    error;
} own;

static void create(cst_collection *x) {
  own               *o = x->own;
  cst_runner        *r = x->run;
  const cst_system  *s = r->plan->study->system;
  const cst_pattern *P = &s->pattern[CST_K_G];
  const size_t       W = (size_t)r->width, nq = (size_t)s->nq, ng = (size_t)s->ng;
  const size_t       groups = ((size_t)r->batch + W - 1) / W;
  o->row = cst_zeros(P->n + 1, sizeof *o->row);
  for (int a = 0; a < s->ng - s->nvel; a++)
    CST_EACH_ENTRY(P, a, e)
      o->row[o->n++] = a;
  o->lanes = cst_tape_lanes_of(r->plan->isa);
  o->tape = cst_tape_create(s->graph, cst_system_beside(s, CST_K_G), o->n);
  const size_t n = (size_t)o->n;
  o->value = cst_aligned(n * W);
  o->spare = cst_aligned(n * W);
  o->scratch = cst_aligned((size_t)cst_tape_registers(o->tape) * W);
  o->entry = cst_aligned(groups * n * W);
  o->before = cst_aligned(groups * n * W);
  o->scale = cst_aligned(groups * n * W);
  o->distance = cst_aligned(groups * W);
  o->length = cst_aligned(groups * ng * W);
  o->q = cst_aligned(groups * nq * W);
  o->p = cst_aligned(groups * nq * W);
  o->seen = cst_zeros((long)groups, sizeof *o->seen);
  o->c0 = cst_zeros(2 * s->npar + 4 * s->nq, sizeof *o->c0);
  o->c1 = o->c0 + s->npar;
  o->q0 = o->c1 + s->npar;
  o->p0 = o->q0 + nq;
  o->q1 = o->p0 + nq;
  o->p1 = o->q1 + nq;
  o->locator = cst_locator_create(r);
  r->watch.momenta = true;
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  cst_locator_destroy(o->locator);
  cst_tape_destroy(o->tape);
  double *owned[] = {o->value,    o->spare,  o->scratch, o->entry, o->before, o->scale,
                     o->distance, o->length, o->q,       o->p,     o->c0};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  free(o->seen);
  free(o->row);
}

static double *passed(const cst_runner *r, long lane) {
  return cst_rows_numbers(r->rows, &cst_channel_passed_singular, 0, lane);
}

static void begin(cst_collection *x) {
  for (long l = 0; l < x->run->work->count; l++)
    *passed(x->run, l) = NAN;
}

static void read_lane(const double *x, int n, int W, int lane, double *to) {
  for (int i = 0; i < n; i++)
    to[i] = x[i * W + lane];
}

static const double *parameters(const cst_runner *r, int group) {
  return cst_runner_record(r, group) + cst_stepper_layout(r->st)->c * r->width;
}

/* The entries of the rows at a state, in `value`. */
static void evaluate(const own *o, const cst_runner *r, int group, const double *q) {
  const double *in[128] = {['c'] = parameters(r, group), ['q'] = q};
  o->lanes->run(o->tape, in, o->value, o->scratch);
}

/* The state that a group has been in last, of which `value` has the entries. */
static void keep(const own *o, const cst_runner *r, int group, const double *q, const double *p,
                 long step) {
  const size_t W = (size_t)r->width, n = (size_t)r->plan->study->system->nq * W;
  memcpy(o->q + (size_t)group * n, q, n * sizeof *q);
  memcpy(o->p + (size_t)group * n, p, n * sizeof *p);
  memcpy(o->before + (size_t)(group * o->n) * W, o->value, (size_t)o->n * W * sizeof *o->value);
  o->seen[group] = step;
}

/* Sets what rows of a lane are divided by, from its start. */
static void measure(own *o, const cst_runner *r, int group, int lane) {
  const cst_system *s = r->plan->study->system;
  const int         W = r->width, from = group * o->n * W;
  double           *length = o->length + (group * W + lane) * s->ng;
  read_lane(parameters(r, group), s->npar, W, lane, o->c0);
  read_lane(r->q0 + group * s->nq * W, s->nq, W, lane, o->q0);
  if (s->timed)
    o->c0[s->account - 1] = cst_clock_at(r->class, 0);
  cst_branches_lengths(s, o->c0, o->q0, length);
  for (int e = 0; e < o->n; e++)
    o->scale[from + e * W + lane] = 1 / length[o->row[e]];
  o->distance[group * W + lane] = -1;
}

static void forget(own *o, const cst_runner *r, long step) {
  const cst_layout *at = cst_stepper_layout(r->st);
  const int         W = r->width;
  for (int g = 0; g < r->b->groups; g++) {
    const double *record = cst_runner_record(r, g);
    evaluate(o, r, g, record + at->q * W);
    keep(o, r, g, record + at->q * W, record + at->p * W, step);
    for (int l = 0; l < W; l++)
      measure(o, r, g, l);
  }
}

static void locate(cst_collection *x, long step, bool done) {
  own *o = x->own;
  (void)done;
  cst_locator_begin(o->locator, step);
  forget(o, x->run, step);
}

static void changed(cst_collection *x) {
  own *o = x->own;
  cst_locator_changed(o->locator);
  forget(o, x->run, x->run->b->step);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The lanes of a group whose step may be near such a state; `value` has the entries behind it. */
static int suspects(const own *o, const cst_runner *r, int group, const double *before) {
  const int W = r->width, from = group * o->n * W;
  double    away[CST_W_MAX] = {0}, change[CST_W_MAX] = {0};
  int       bits = 0;
  for (int e = 0; e < o->n; e++)
    for (int l = 0; l < W; l++) {
      const int    at = e * W + l;
      const double d = (o->value[at] - o->entry[from + at]) * o->scale[from + at];
      const double c = (o->value[at] - before[at]) * o->scale[from + at];
      away[l] += d * d;
      change[l] += c * c;
    }
  for (int l = 0; l < W; l++)
    bits |= !(sqrt(away[l]) + 2 * sqrt(change[l]) < o->distance[group * W + l]) << l;
  return bits & r->b->alive[group];
}

/* Whether a change of the velocity tells anything: kicks of a thermostat are no accelerations, and springs in the place of
 * constraints do not hold it. */
static bool is_judged(const cst_runner *r) {
  const cst_prepared *m = r->plan->method[r->class->method];
  return m->stepped == m->asked && !cst_method_has_noise(m->method);
}

/* A step of a lane that may have come near such a state. */
static cst_error look_at(cst_collection *x, int group, int lane, const double *q, const double *p,
                         long step) {
  own              *o = x->own;
  cst_runner       *r = x->run;
  const cst_system *s = r->plan->study->system;
  const bool       *of = r->plan->settled[CST_COLLECTOR(branches)];
  const int         W = r->width, nq = s->nq, last = group * nq * W, at = group * W + lane;
  read_lane(parameters(r, group), s->npar, W, lane, o->c0);
  read_lane(parameters(r, group), s->npar, W, lane, o->c1);
  if (s->timed) {
    o->c0[s->account - 1] = cst_clock_at(r->class, (double)(step - 1));
    o->c1[s->account - 1] = cst_clock_at(r->class, (double)step);
  }
  read_lane(o->q + last, nq, W, lane, o->q0);
  read_lane(o->p + last, nq, W, lane, o->p0);
  read_lane(q, nq, W, lane, o->q1);
  read_lane(p, nq, W, lane, o->p1);
  const cst_branches_step is =
      cst_branches_look(s, o->length + at * s->ng, o->c0, o->q0, o->c1, o->q1);
  const cst_branches_end from = {o->c0, o->q0, o->p0, is.before},
                         to = {o->c1, o->q1, o->p1, is.behind};
  if (is.near && is_judged(r) && cst_branches_left(s, of, r->class->h, &from, &to)) {
    CST_TRY(cst_locator_open(o->locator, group, lane, step - 1));
    cst_runner_end_lane(r, group, lane, CST_BRANCH_LEFT, step - 1, cst_locator_before(o->locator));
    return 0;
  }
  double *first = passed(r, at);
  if (is.passes && isnan(*first))
    *first = cst_clock_at(r->class, (double)step);
  for (int e = 0; e < o->n; e++)
    o->entry[(group * o->n + e) * W + lane] = o->value[e * W + lane];
  o->distance[at] = is.behind;
  return 0;
}

static bool quiet(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step) {
  own         *o = x->own;
  const int    last = states->n - 1;
  const size_t n = (size_t)(o->n * x->run->width);
  (void)view;
  memcpy(o->spare, o->before + (size_t)group * n, n * sizeof *o->spare);
  for (int i = 0; i <= last; i++) {
    evaluate(o, x->run, group, states->q + (size_t)i * states->stride);
    if (suspects(o, x->run, group, o->spare))
      return false;
    memcpy(o->spare, o->value, n * sizeof *o->spare);
  }
  keep(o, x->run, group, states->q + (size_t)last * states->stride,
       states->p + (size_t)last * states->stride, step[last]);
  return true;
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  own          *o = x->own;
  cst_runner   *r = x->run;
  const double *q = states->q + (size_t)i * states->stride,
               *p = states->p + (size_t)i * states->stride;
  (void)view;
  if (o->error || step[i] <= o->seen[group])
    return;
  evaluate(o, r, group, q);
  const int bits = suspects(o, r, group, o->before + group * o->n * r->width);
  for (int l = 0; l < r->width && !o->error; l++)
    if (bits >> l & 1 && (long)group * r->width + l < r->work->count)
      o->error = look_at(x, group, l, q, p, step[i]);
  keep(o, r, group, q, p, step[i]);
}

static void watched(cst_collection *x, int group, long step) {
  const own *o = x->own;
  cst_locator_passed(o->locator, group, step);
}

/* The marches that look return no error: it is reported at the next stop. */
static cst_error before(cst_collection *x) {
  const own *o = x->own;
  return o->error;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  cst_number_column *x = cst_zeros(1, sizeof *x);
  *x = cst_columns_number(c, cst_columns_use("passed-singular", NULL),
                          "members that did not fail and passed a state where the gradients of "
                          "the constraints are dependent",
                          "passed_singular");
  return x;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_number_column *column = handles;
  const double            *x;
  long                     n = 0;
  if (!column)
    return 0;
  CST_TRY(cst_case_rows_get(rows, &cst_channel_passed_singular, 0, &x));
  for (long m = 0; m < rows->plan->study->members; m++)
    n += (rows->good[m] || rows->stopped[m]) && !isnan(x[m]);
  cst_column_set(*column, rows->icase, (double)n);
  return 0;
}

const cst_collector cst_collector_branches = {
    .name = "branches",
    .doc = "where the gradients of the constraints become dependent",
    .keys = {.wish = sizeof(wish), .as_in = as_in},
    .plan = {.settle = settle, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .locate = locate,
            .changed = changed,
            .before = before,
            .quiet = quiet,
            .watch = watch,
            .watched = watched},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};
