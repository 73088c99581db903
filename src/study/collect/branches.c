/* branches.c: the collector `branches`: where a trajectory passes a state in which the gradients of the constraints are
 * dependent, so that the motion may branch (system/point/branches.h). It is there for every system that may have such
 * states. A trajectory that goes on with another velocity than it came has left its branch, and has failed.
 *
 * Of a state that has been examined the distance d from dependence is known. Up to the first state where the rows of the
 * gradients differ from those by d less eight of their steps, or by d/2, nothing can have happened. States are passed over as long as the rows cannot
 * be there at four times the largest speed seen, and at most as many as have gone by since that state, so that a
 * motion may begin at rest.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
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

static const double SAFETY = 4; /* the rows may become so much faster between two looks */
static const double AHEAD = 8;  /* steps before dependence at which a state is examined again */

/* clang-format off */
const cst_channel_row cst_channel_passed_singular = {"/final/passed_singular", "1", "first time at which the gradients of the constraints were dependent within a step; NaN: never", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {false, 0, CST_MOST_OF_TYPE, false, true, NULL}};
/* clang-format on */

static void *settle(const cst_plan *p, cst_diag *d) {
  const cst_system *s = p->study->system;
  double           *c = cst_zeros(s->npar + 1, sizeof *c);
  (void)d;
  memcpy(c, cst_plan_parameters(p, 0), (size_t)cst_system_named(s) * sizeof *c);
  const bool possible = cst_branches_possible(s, c);
  free(c);
  return possible ? cst_zeros(1, 1) : NULL;
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
  /* of each group: at the state that was examined, the entries, and one over the lengths of their rows, [n][W]; the square of how far they may change,
   * -1: none was, [W] */
  double *entry, *scale, *bound;
  double   *
      path; /* [group][W] by how much the rows change in a step, at most: there, or on the way from there */
  long *since,
      *next; /* [group] the step behind which it was, [W]; the next one to be looked at, of the group */
  double        *q, *p;                       /* [group][nq][W] of the last state */
  double        *c0, *q0, *p0, *c1, *q1, *p1; /* of one lane, before and behind a step */
  double        *length;                      /* [ng] */
  cst_locator   *locator;
  PetscErrorCode error;
} own;

static void create(cst_collection *x) {
  own               *o = x->own;
  cst_runner        *r = x->run;
  const cst_system  *s = r->plan->study->system;
  const cst_pattern *P = &s->pattern[CST_K_G];
  const size_t       W = (size_t)r->width, nq = (size_t)s->nq;
  const size_t       groups = ((size_t)r->batch + W - 1) / W;
  o->row = cst_zeros(P->n + 1, sizeof *o->row);
  for (int a = 0; a < s->ng - s->nvel; a++)
    CST_EACH_ENTRY(P, a, e)
      o->row[o->n++] = a;
  o->lanes = cst_tape_lanes_of(r->plan->isa);
  o->tape = cst_tape_create(s->graph, cst_system_beside(s, CST_K_G), o->n);
  const size_t n = (size_t)o->n;
  o->value = cst_aligned(n * W);
  o->scratch = cst_aligned((size_t)cst_tape_registers(o->tape) * W);
  o->entry = cst_aligned(groups * n * W);
  o->scale = cst_aligned(groups * n * W);
  o->bound = cst_aligned(groups * W);
  o->path = cst_aligned(groups * W);
  o->since = cst_zeros((long)(groups * W), sizeof *o->since);
  o->next = cst_zeros((long)groups, sizeof *o->next);
  o->q = cst_aligned(groups * nq * W);
  o->p = cst_aligned(groups * nq * W);
  o->c0 = cst_zeros(2 * s->npar + 4 * s->nq + s->ng, sizeof *o->c0);
  o->c1 = o->c0 + s->npar;
  o->q0 = o->c1 + s->npar;
  o->p0 = o->q0 + nq;
  o->q1 = o->p0 + nq;
  o->p1 = o->q1 + nq;
  o->length = o->p1 + nq;
  o->locator = cst_locator_create(r);
  r->watch.momenta = true;
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  cst_locator_destroy(o->locator);
  cst_tape_destroy(o->tape);
  double *owned[] = {o->value, o->scratch, o->entry, o->scale, o->bound, o->q, o->p, o->c0};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  free(o->path);
  free(o->since);
  free(o->next);
  free(o->row);
}

static double *passed(const cst_runner *r, long lane) {
  return cst_rows_numbers(r->rows, &cst_channel_passed_singular, 0, lane);
}

static void begin(cst_collection *x) {
  for (long l = 0; l < x->run->work->count; l++)
    *passed(x->run, l) = NAN;
}

/* The state that a group has been in last. */
static void keep(const own *o, const cst_runner *r, int group, const double *q, const double *p) {
  const size_t n = (size_t)r->plan->study->system->nq * (size_t)r->width;
  memcpy(o->q + (size_t)group * n, q, n * sizeof *q);
  memcpy(o->p + (size_t)group * n, p, n * sizeof *p);
}

static void forget(const own *o, const cst_runner *r) {
  const cst_layout *at = cst_stepper_layout(r->st);
  const int         W = r->width;
  for (int g = 0; g < r->b->groups; g++) {
    const double *record = cst_runner_record(r, g);
    keep(o, r, g, record + at->q * W, record + at->p * W);
    o->next[g] = 0;
    for (int l = 0; l < W; l++)
      o->bound[g * W + l] = -1;
  }
}

static void locate(cst_collection *x, long step, bool done) {
  const own *o = x->own;
  (void)done;
  cst_locator_begin(o->locator, step);
  forget(o, x->run);
}

static void changed(cst_collection *x) {
  const own *o = x->own;
  cst_locator_changed(o->locator);
  forget(o, x->run);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The lanes of a group that have gone too far at a state from the one that was examined; `value` has the entries then. Sets
 * the next step to be looked at. */
static int far(const own *o, const cst_runner *r, int group, const double *c, const double *q,
               long step) {
  const int     W = r->width, from = group * o->n * W;
  const double *in[128] = {['c'] = c, ['q'] = q};
  double        sum[CST_W_MAX] = {0};
  long          over = LONG_MAX;
  int           bits = 0;
  o->lanes->run(o->tape, in, o->value, o->scratch);
  for (int e = 0; e < o->n; e++)
    for (int l = 0; l < W; l++) {
      const int    at = e * W + l;
      const double d = (o->value[at] - o->entry[from + at]) * o->scale[from + at];
      sum[l] += d * d;
    }
  for (int l = 0; l < W; l++) {
    const int at = group * W + l;
    if (!(r->b->alive[group] >> l & 1))
      continue;
    if (!(sum[l] < o->bound[at])) {
      bits |= 1 << l;
      continue;
    }
    const double way = sqrt(sum[l]), gone = (double)(step - o->since[at]);
    const double path = fmax(o->path[at], way / fmax(gone, 1));
    const double most = fmin((sqrt(o->bound[at]) - way) / (SAFETY * path), gone);
    over = PetscMin(over, (long)most);
    o->path[at] = path;
  }
  o->next[group] = bits ? step + 1 : step + 1 + over;
  return bits;
}

/* The state of a lane behind a step becomes the one that was examined. */
static void examine(const own *o, const cst_runner *r, int group, int lane,
                    const cst_branches_step *is, long step) {
  const int    W = r->width, from = group * o->n * W, to = group * W + lane;
  const double most = fmax(is->distance - AHEAD * is->change, is->distance / 2);
  for (int e = 0; e < o->n; e++) {
    const int at = e * W + lane;
    o->entry[from + at] = o->value[at];
    o->scale[from + at] = o->length[o->row[e]] > 0 ? 1 / o->length[o->row[e]] : INFINITY;
  }
  o->bound[to] = most * most;
  o->path[to] = is->change;
  o->since[to] = step;
}

static void read_lane(const double *x, int n, int W, int lane, double *to) {
  for (int i = 0; i < n; i++)
    to[i] = x[i * W + lane];
}

/* Whether a change of the velocity tells anything: kicks of a thermostat are no accelerations, and springs in the place of
 * constraints do not hold it. */
static bool is_judged(const cst_runner *r) {
  const cst_prepared *m = r->plan->method[r->class->method];
  return m->stepped == m->asked && !cst_method_has_noise(m->method);
}

/* A step of a lane that may have come near such a state. */
static PetscErrorCode look_at(cst_collection *x, int group, int lane, const double *c,
                              const double *q, const double *p, long step) {
  own              *o = x->own;
  cst_runner       *r = x->run;
  const cst_system *s = r->plan->study->system;
  const int         W = r->width, nq = s->nq, last = group * nq * W;
  PetscFunctionBegin;
  read_lane(c, s->npar, W, lane, o->c0);
  read_lane(c, s->npar, W, lane, o->c1);
  if (s->timed) {
    o->c0[s->account - 1] = cst_clock_at(r->class, (double)(step - 1));
    o->c1[s->account - 1] = cst_clock_at(r->class, (double)step);
  }
  read_lane(o->q + last, nq, W, lane, o->q0);
  read_lane(o->p + last, nq, W, lane, o->p0);
  read_lane(q, nq, W, lane, o->q1);
  read_lane(p, nq, W, lane, o->p1);
  const cst_branches_step is = cst_branches_look(s, o->c0, o->q0, o->c1, o->q1, o->length);
  if (is.near && is_judged(r) &&
      cst_branches_left(s, r->class->h, o->c0, o->q0, o->p0, o->c1, o->q1, o->p1)) {
    PetscCall(cst_locator_open(o->locator, group, lane, step - 1));
    cst_runner_end_lane(r, group, lane, CST_BRANCH_LEFT, step - 1, cst_locator_before(o->locator));
    PetscFunctionReturn(0);
  }
  double *first = passed(r, (long)group * W + lane);
  if (is.passes && isnan(*first))
    *first = cst_clock_at(r->class, (double)step);
  examine(o, r, group, lane, &is, step);
  PetscFunctionReturn(0);
}

static const double *parameters(const cst_runner *r, int group) {
  return cst_runner_record(r, group) + cst_stepper_layout(r->st)->c * r->width;
}

static bool quiet(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step) {
  const own   *o = x->own;
  const size_t last = (size_t)(states->n - 1) * states->stride;
  (void)view;
  for (int i = 0; i < states->n; i++)
    if (step[i] >= o->next[group] && far(o, x->run, group, parameters(x->run, group),
                                         states->q + (size_t)i * states->stride, step[i]))
      return false;
  keep(o, x->run, group, states->q + last, states->p + last);
  return true;
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  own          *o = x->own;
  cst_runner   *r = x->run;
  const double *c = parameters(r, group), *q = states->q + (size_t)i * states->stride,
               *p = states->p + (size_t)i * states->stride;
  int bits = 0;
  (void)view;
  if (!o->error && step[i] + 1 >= o->next[group])
    bits = far(o, r, group, c, q, step[i]);
  for (int l = 0; l < r->width && !o->error; l++)
    if (bits >> l & 1 && (long)group * r->width + l < r->work->count)
      o->error = look_at(x, group, l, c, q, p, step[i]);
  keep(o, r, group, q, p);
}

static void watched(cst_collection *x, int group, long step) {
  const own *o = x->own;
  cst_locator_passed(o->locator, group, step);
}

/* The marches that look return no error: it is reported at the next stop. */
static PetscErrorCode before(cst_collection *x) {
  const own *o = x->own;
  PetscFunctionBegin;
  PetscFunctionReturn(o->error);
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

static PetscErrorCode conclude(cst_case_rows *rows, const void *handles) {
  const cst_number_column *column = handles;
  const double            *x;
  long                     n = 0;
  PetscFunctionBegin;
  if (!column)
    PetscFunctionReturn(0);
  PetscCall(cst_case_rows_get(rows, &cst_channel_passed_singular, 0, &x));
  for (long m = 0; m < rows->plan->study->members; m++)
    n += (rows->good[m] || rows->stopped[m]) && !isnan(x[m]);
  cst_column_set(*column, rows->icase, (double)n);
  PetscFunctionReturn(0);
}

const cst_collector cst_collector_branches = {
    .name = "branches",
    .doc = "where the gradients of the constraints become dependent",
    .wish = sizeof(wish),
    .as_in = as_in,
    .declare = declare,
    .settle = settle,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .locate = locate,
    .changed = changed,
    .before = before,
    .quiet = quiet,
    .watch = watch,
    .watched = watched,
    .columns = columns,
    .conclude = conclude,
};
