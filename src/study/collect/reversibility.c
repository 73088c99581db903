/* reversibility.c: the collector `reversibility`: how far from where it was a trajectory comes when it turns back.
 *
 * After every `every` a copy of the trajectory with -v makes the steps of this time, and is compared with
 * the state before them with -v: |q - q'|/L and |p - p'| T/(m L) as one norm, the largest. Where the number of
 * the measurement is a power of 2 a second copy, displaced by a few units of round-off, comes back too; its largest
 * distance to the first is the floor: how much round-off grows on the way.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/companions.h"
#include "study/collect/tangent.h"

/* clang-format off */
static const cst_channel_row earlier = {"earlier", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row largest = {"/tangent/%s", "1", NULL, CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

enum { DISTANCE, FLOOR, NUMBERS };
static const double displacement = 0x1p-48;

static bool wanted(const cst_plan *p) {
  return cst_tangent_of(p)->asked[CST_TANGENT_REVERSIBILITY];
}

static bool has(const cst_plan *p, int number) {
  (void)number;
  return wanted(p);
}

static const cst_tangent_numbers numbers = {
    &largest,
    NUMBERS,
    has,
    {{"reversibility_max", "largest distance from the earlier state after turning back"},
     {"reversibility_floor", "error of reversibility_max, by round-off"}},
};

static double steps(const cst_plan *p, const cst_class *k) {
  (void)k;
  return wanted(p) ? 1 : 0;
}

static double lanes(const cst_plan *p) { return wanted(p) ? 1 : 0; }

static const char *calls(const cst_plan *p, double *times) {
  return cst_companions_core(p, 1, times);
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!wanted(p))
    return;
  const size_t state = 2 * (size_t)p->study->problem.system->nq;
  cst_channels_add(c, &earlier, 0, (cst_channel_use){.count = state});
  cst_tangent_numbers_declare(&numbers, p, c);
}

typedef struct {
  cst_companions c;
  double        *x, *back; /* [numbers]; [lane][2 nq] */
} own;

static void create(cst_collection *x) {
  own         *o = x->own;
  const size_t state = 2 * (size_t)x->run->plan->study->problem.system->nq;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_create(&o->c, x->run, 1));
  o->x = cst_zeros((size_t)cst_plan_state_numbers(x->run->plan), sizeof(double));
  o->back = cst_zeros((size_t)x->run->batch * state, sizeof(double));
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_destroy(&o->c));
  free(o->x);
  free(o->back);
}

/* Keeps the state of a lane. */
static void keep(own *o, const cst_runner *r, long lane) {
  double *to = cst_rows_numbers(r->rows, &earlier, 0, lane);
  cst_companions_get(&o->c, cst_companions_base(&o->c, lane), o->x);
  memcpy(to, o->x, 2 * sizeof(double) * (size_t)o->c.part[0].n);
}

static void begin(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_begin(&o->c));
  for (long l = 0; l < x->run->work->count; l++) {
    for (int i = 0; i < NUMBERS; i++)
      *cst_rows_numbers(x->run->rows, &largest, i, l) = 0;
    keep(o, x->run, l);
  }
}

/* A copy of the trajectory, displaced, that goes back. */
static void turn_back(own *o, long lane, double by) {
  cst_companions *c = &o->c;
  const int       nq = c->part[0].n;
  cst_companions_copy(c, lane, 0);
  cst_companions_get(c, cst_companions_column(c, lane, 0), o->x);
  for (int i = 0; i < 2 * nq; i++) {
    o->x[i] *= i < nq ? 1 : -1;
    o->x[i] += by * c->scale[2 * lane + (i >= nq)] * cst_tangent_draw(c->run, lane, 0, i);
  }
  cst_companions_put(c, cst_companions_column(c, lane, 0), o->x);
}

static double distance_of(const own *o, long lane, const double *a, const double *b, double sign) {
  const int nq = o->c.part[0].n;
  double    square = 0;
  for (int i = 0; i < 2 * nq; i++) {
    const double d = (a[i] - (i < nq ? 1 : sign) * b[i]) / o->c.scale[2 * lane + (i >= nq)];
    square += d * d;
  }
  return sqrt(square);
}

/* All lanes go back; displaced ones are compared with those that were not. */
static cst_error go_back(own *o, const cst_runner *r, bool displaced) {
  cst_companions *c = &o->c;
  const int       nq = c->part[0].n;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      turn_back(o, l, displaced ? displacement : 0);
  if (displaced)
    CST_TRY(cst_companions_project(c));
  cst_companions_restart(c);
  c->b->step = r->b->step;
  CST_TRY(cst_companions_advance(c, cst_tangent_steps(r->plan, r->class)));
  for (long l = 0; l < r->work->count; l++) {
    double       *back = o->back + l * 2 * nq;
    const double *from = cst_rows_numbers(r->rows, &earlier, 0, l);
    double       *most = cst_rows_numbers(r->rows, &largest, displaced ? FLOOR : DISTANCE, l);
    if (!cst_runner_lives(r, r->b, l))
      continue;
    cst_companions_get(c, cst_companions_column(c, l, 0), o->x);
    const double d =
        displaced ? distance_of(o, l, o->x, back, 1) : distance_of(o, l, o->x, from, -1);
    if (!cst_companions_live(c, l))
      *most = NAN;
    else if (d > *most)
      *most = d;
    memcpy(back, o->x, 2 * sizeof(double) * (size_t)nq);
  }
  cst_companions_rest(c);
  return 0;
}

static cst_error stop(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const long        every = cst_tangent_steps(r->plan, r->class);
  const long        turn = r->b->step / every;
  if (r->replayed || r->b->step == 0 || r->b->step % every)
    return 0;
  CST_TRY(go_back(o, r, false));
  if (!(turn & (turn - 1)))
    CST_TRY(go_back(o, r, true));
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      keep(o, r, l);
  return 0;
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_tangent_numbers_columns(&numbers, p, c);
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  CST_TRY(cst_tangent_numbers_conclude(&numbers, rows, handles));
  return 0;
}

const cst_collector cst_collector_reversibility = {
    .name = "reversibility",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "distance from the start after going back",
    .plan = {.steps = steps, .calls = calls, .lanes = lanes, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = cst_tangent_next,
            .stop = stop},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};
