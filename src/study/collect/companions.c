/* companions.c: trajectories near those of a batch (see companions.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/companions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "method/method.h"
#include "method/substep.h"
#include "study/collect/tangent.h"

/* ---- scales and directions ------------------------------------------------------------------- */

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

/* The mean of the rows of M: that of the masses. */
static double mean_mass(const cst_system *s, const double *c, const double *q, double *v,
                        double *p) {
  double sum = 0;
  for (int moving = 1; moving >= 0; moving--) {
    for (int i = 0; i < s->nq; i++)
      v[i] = moving;
    cst_system_momentum(s, c, q, v, p);
    for (int i = 0; i < s->nq; i++)
      sum += moving ? p[i] : -p[i];
  }
  return sum / s->nq;
}

/* 1/T = |v|/L + (|f|/(m L))^(1/2), or 1 at rest without a force. */
void cst_tangent_scale(const cst_runner *r, long lane, double *scale) {
  const cst_system *s = r->plan->study->problem.system;
  const int         nq = s->nq, W = r->width;
  const double     *par = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  const double     *column = cst_batch_lane(r->st, r->b, lane);
  double           *q = cst_zeros(4 * nq + s->ng, sizeof *q), *v = q + nq, *f = v + nq, *p = f + nq;
  for (int i = 0; i < nq; i++) {
    q[i] = r->q0[(lane / W * nq + i) * W + lane % W];
    v[i] = r->v0[(lane / W * nq + i) * W + lane % W];
  }
  if (cst_has(s, CST_SLIPS))
    cst_system_multipliers(s, par, q, v, p + nq);
  cst_system_force(s, par, q, v, p + nq, f);
  const double extent = column[cst_stepper_layout(r->st)->extent * W];
  const double length = extent > 0 ? extent : 1;
  const double speed = norm(v, nq), force = norm(f, nq);
  const double mass = mean_mass(s, par, q, v, p);
  double       rate = speed / length + sqrt(force / (mass * length));
  if (!(rate > 0) || !isfinite(rate))
    rate = 1;
  scale[0] = length;
  scale[1] = mass * length * rate;
  free(q);
}

double cst_tangent_draw(const cst_runner *r, long lane, long turn, int component) {
  return 2 * cst_random_uniform(0, (uint64_t)cst_runner_member(r, lane), CST_PURPOSE_TANGENT,
                                (uint32_t)turn, (uint32_t)component) -
         1;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static cst_stepper_options options_of(const cst_companions *c) {
  const cst_runner *r = c->run;
  const cst_study  *s = r->plan->study;
  return (cst_stepper_options){.isa = r->plan->isa,
                               .groups = c->each * (int)((r->batch + r->width - 1) / r->width),
                               .max_iterations = s->solver.max_iterations,
                               .compensated = s->steps.compensated,
                               .iteration = s->solver.iteration,
                               /* a call of PETSc's costs as much as some steps, and they are few */
                               .bare = true};
}

/* A method that keeps both constraints. */
static bool keeps(const cst_plan *p, int method) {
  const unsigned both = CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
  return (p->method[method]->properties.claims & both) == both;
}

const char *cst_companions_core(const cst_plan *p, int each, double *times) {
  *times = 0;
  for (int i = 0; i < p->nclass && p->study->problem.system->ng; i++) {
    const cst_class *k = &p->classes[i];
    if (keeps(p, k->method))
      *times += (double)k->lanes * each * (double)k->n / (double)cst_tangent_steps(p, k);
  }
  return *times > 0 ? "project" : NULL;
}

/* A program of the substep `project` alone, on the study's system. */
static cst_error create_projector(cst_companions *c) {
  const cst_system   *s = c->run->plan->study->problem.system;
  cst_stepper_options o = options_of(c);
  cst_expr_error      error;
  char                why[256];
  c->projection = cst_method_parse("project(euler)", NULL, &error);
  const cst_body *flat = c->run->plan->study->problem.flat;
  if (!s->ng || !cst_method_fits_flat(c->projection, s, flat, why, sizeof why))
    return 0;
  c->prepared = cst_method_prepare(c->projection, s);
  c->prepared->flat = flat;
  c->prepared->program->n = 0;
  cst_program_add(c->prepared->program, cst_substep_project(1));
  o.compensated = false;
  CST_TRY(cst_stepper_create(c->prepared, &o, &c->projector));
  CST_TRY(cst_batch_create(c->projector, &c->placed));
  cst_stepper_set_step(c->projector, 1);
  return 0;
}

cst_error cst_companions_create(cst_companions *c, const cst_runner *r, int each) {
  const int n = r->plan->study->methods.n;
  *c = (cst_companions){.run = r, .each = each};
  c->stepper = cst_zeros(n, sizeof(cst_stepper *));
  c->batch = cst_zeros(n, sizeof *c->batch);
  c->scale = cst_zeros(2 * r->batch, sizeof *c->scale);
  CST_TRY(create_projector(c));
  return 0;
}

cst_error cst_companions_destroy(cst_companions *c) {
  for (int i = 0; i < c->run->plan->study->methods.n; i++) {
    if (c->stepper[i])
      CST_TRY(cst_batch_destroy(&c->batch[i]));
    CST_TRY(cst_stepper_destroy(&c->stepper[i]));
  }
  if (c->projector)
    CST_TRY(cst_batch_destroy(&c->placed));
  CST_TRY(cst_stepper_destroy(&c->projector));
  cst_program_prepared_destroy(c->prepared);
  cst_method_destroy(c->projection);
  free(c->stepper);
  free(c->batch);
  free(c->scale);
  return 0;
}

/* ---- a batch --------------------------------------------------------------------------------- */

static cst_error prepare(cst_companions *c, int method) {
  const cst_plan     *p = c->run->plan;
  cst_stepper_options o = options_of(c);
  o.step = cst_clock_step(c->run);
  if (c->stepper[method] && !cst_stepper_takes(c->stepper[method], o.step)) {
    CST_TRY(cst_batch_destroy(&c->batch[method]));
    CST_TRY(cst_stepper_destroy(&c->stepper[method]));
  }
  if (!c->stepper[method]) {
    CST_TRY(cst_stepper_create(p->method[method], &o, &c->stepper[method]));
    cst_stepper_set_resolution(c->stepper[method], p->study->steps.resolution);
    CST_TRY(cst_batch_create(c->stepper[method], &c->batch[method]));
  }
  c->st = c->stepper[method];
  c->b = &c->batch[method];
  return 0;
}

/* Those of a full group lie in groups of their own; of fewer lanes they lie side by side. */
static long index_of(const cst_companions *c, long lane, int i) { return i * c->stride + lane; }

cst_error cst_companions_begin(cst_companions *c) {
  const cst_runner *r = c->run;
  const int         method = r->class->method;
  const long        lanes = r->work->count, W = r->width;
  CST_TRY(prepare(c, method));
  c->beside = lanes >= W;
  c->stride = c->beside ? (lanes + W - 1) / W * W : lanes;
  cst_stepper_set_step(c->st, cst_clock_step(r));
  cst_batch_reset(c->st, c->b, c->stride * c->each);
  if (c->projector) {
    cst_batch_reset(c->projector, &c->placed, c->stride * c->each);
    c->placed.step = 0;
  }
  c->projects = c->projector && keeps(r->plan, method);
  c->nparts = cst_stepper_vectors(c->st, c->part);
  c->numbers = 0;
  for (int k = 0; k < c->nparts; k++)
    c->numbers += c->part[k].n;
  for (long l = 0; l < lanes; l++) {
    if (cst_runner_lives(r, r->b, l))
      cst_tangent_scale(r, l, c->scale + 2 * l);
    cst_companions_lose(c, l);
  }
  return 0;
}

static double *column(const cst_companions *c, double *records, long index) {
  const int W = c->run->width;
  return records + (size_t)(index / W) * cst_stepper_record_size(c->st) + index % W;
}

double *cst_companions_column(const cst_companions *c, long lane, int i) {
  return column(c, c->b->record, index_of(c, lane, i));
}

const double *cst_companions_base(const cst_companions *c, long lane) {
  return cst_batch_lane(c->run->st, c->run->b, lane);
}

void cst_companions_get(const cst_companions *c, const double *from, double *x) {
  const int W = c->run->width;
  for (int k = 0; k < c->nparts; k++)
    for (int i = 0; i < c->part[k].n; i++)
      *x++ = from[(c->part[k].at + i) * W];
}

void cst_companions_put(const cst_companions *c, double *to, const double *x) {
  const int W = c->run->width;
  for (int k = 0; k < c->nparts; k++)
    for (int i = 0; i < c->part[k].n; i++)
      to[(c->part[k].at + i) * W] = *x++;
}

static int components(const cst_companions *c) {
  return (int)(cst_stepper_record_size(c->st) / (size_t)c->run->width);
}

static void copy(const cst_companions *c, double *to, const double *from) {
  const int W = c->run->width, n = components(c);
  for (int k = 0; k < n; k++)
    to[k * W] = from[k * W];
}

static void revive(cst_companions *c, long index) {
  const int W = c->run->width;
  c->b->alive[index / W] |= 1 << index % W;
  c->b->status[index] = (cst_lane_status){CST_DONE, 0};
}

bool cst_companions_start(cst_companions *c, long lane, int i, double distance, const double *d) {
  const cst_runner *r = c->run;
  const cst_study  *s = r->plan->study;
  const cst_case   *of = cst_runner_case(r, lane);
  const double     *par = cst_plan_parameters(r->plan, of->variant);
  const int         nq = s->problem.system->nq, W = r->width;
  const double      length = c->scale[2 * lane];
  double           *q = cst_zeros(4 * nq, sizeof *q), *v = q + nq, *p = v + nq, *w = p + nq;
  for (int k = 0; k < nq; k++) {
    const long at = (lane / W * nq + k) * W + lane % W;
    q[k] = r->q0[at] + distance * length * d[k];
    v[k] = r->v0[at];
  }
  cst_system_momentum(s->problem.system, par, q, v, p);
  for (int k = 0; k < nq; k++)
    p[k] += distance * c->scale[2 * lane + 1] * d[nq + k];
  bool good = cst_system_velocity(s->problem.system, par, q, p, w);
  if (good)
    good = cst_system_project(s->problem.system, par, q, w);
  if (good) {
    const long index = index_of(c, lane, i);
    revive(c, index);
    cst_batch_start(c->st, c->b, index, par, q, w, s->solver.tolerance[of->tolerance]);
    cst_batch_address(c->st, c->b, index, s->ensemble.seed, (uint64_t)cst_runner_member(r, lane));
  }
  free(q);
  return good;
}

void cst_companions_copy(cst_companions *c, long lane, int i) {
  copy(c, cst_companions_column(c, lane, i), cst_companions_base(c, lane));
  revive(c, index_of(c, lane, i));
}

void cst_companions_lose(cst_companions *c, long lane) {
  const int W = c->run->width;
  for (int i = 0; i < c->each; i++) {
    const long index = index_of(c, lane, i);
    c->b->alive[index / W] &= ~(1 << index % W);
    if (c->b->status[index].reason == CST_DONE)
      copy(c, column(c, c->b->last, index), column(c, c->b->record, index));
    c->b->status[index] = (cst_lane_status){CST_NO_START, 0};
  }
}

void cst_companions_rest(cst_companions *c) {
  memset(c->b->alive, 0, (size_t)c->b->groups * sizeof *c->b->alive);
}

bool cst_companions_live(const cst_companions *c, long lane) {
  bool live = cst_runner_lives(c->run, c->run->b, lane);
  for (int i = 0; i < c->each; i++)
    live &= cst_runner_lives(c->run, c->b, index_of(c, lane, i));
  return live;
}

int cst_companions_alive(const cst_companions *c, int group) {
  const cst_runner *r = c->run;
  int               alive = r->b->alive[group];
  for (int i = 0; i < c->each && c->beside; i++)
    alive &= c->b->alive[index_of(c, (long)group * r->width, i) / r->width];
  for (long l = 0; l < r->work->count && !c->beside; l++)
    if (!cst_companions_live(c, l))
      alive &= ~(1 << l);
  return alive;
}

/* The records of a group, and the components of what changes. */
typedef struct {
  double *own, *placed;
  size_t  W, first, n;
} exchanged;

static exchanged exchanged_of(const cst_companions *c, int group, const cst_layout *at) {
  const size_t W = (size_t)c->run->width;
  return (exchanged){c->b->record + (size_t)group * cst_stepper_record_size(c->st),
                     c->placed.record + (size_t)group * cst_stepper_record_size(c->projector), W,
                     (size_t)at->q * W, (size_t)(at->eq - at->q) * W};
}

/* Copies what the projection reads: all, but where the same lanes lived before and the system has no clock, what
 * changes. */
static void place(cst_companions *c, int group, const cst_layout *at, bool timed) {
  const exchanged x = exchanged_of(c, group, at);
  if (timed || c->placed.alive[group] != c->b->alive[group])
    memcpy(x.placed, x.own, (size_t)at->own * x.W * sizeof *x.own);
  else
    memcpy(x.placed + x.first, x.own + x.first, x.n * sizeof *x.own);
  c->placed.alive[group] = c->b->alive[group];
}

/* Takes the states of a group back, and gives up lanes that could not be projected. */
static void take_placed(cst_companions *c, int group, const cst_layout *at) {
  const exchanged x = exchanged_of(c, group, at);
  const int       failed = c->b->alive[group] & ~c->placed.alive[group];
  memcpy(x.own + x.first, x.placed + x.first, x.n * sizeof *x.own);
  for (int left = failed; left; left &= left - 1)
    cst_companions_lose(c, ((long)group * (long)x.W + __builtin_ctz((unsigned)left)) % c->stride);
}

cst_error cst_companions_project(cst_companions *c) {
  cst_batch        *to = &c->placed;
  const cst_layout *at = cst_stepper_layout(c->st);
  const bool        timed = cst_has(c->run->plan->study->problem.system, CST_TIMED);
  if (!c->projects)
    return 0;
  cst_batch_ready(c->st, c->b);
  memset(to->status, 0, (size_t)(to->groups * c->run->width) * sizeof *to->status);
  for (int g = 0; g < to->groups; g++)
    place(c, g, at, timed);
  to->step = 0;
  CST_TRY(cst_stepper_advance(c->projector, to, 1));
  for (int g = 0; g < to->groups; g++)
    take_placed(c, g, at);
  return 0;
}

static void restart(cst_companions *c, long lane, int i) {
  const cst_runner *r = c->run;
  const cst_system *s = r->plan->study->problem.system;
  const cst_layout *at = cst_stepper_layout(c->st);
  const int         nq = s->nq, W = r->width;
  const double     *par = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  double           *x = cst_companions_column(c, lane, i);
  double           *q = cst_zeros(3 * nq, sizeof *q), *p = q + nq, *v = p + nq;
  for (int k = 0; k < nq; k++) {
    q[k] = x[(at->q + k) * W];
    p[k] = x[(at->p + k) * W];
  }
  if (cst_system_velocity(s, par, q, p, v))
    cst_stepper_start(c->st, x, par, q, v);
  free(q);
}

void cst_companions_restart(cst_companions *c) {
  for (long l = 0; c->nparts > 2 && l < c->run->work->count; l++)
    for (int i = 0; i < c->each; i++)
      if (cst_runner_lives(c->run, c->b, index_of(c, l, i)))
        restart(c, l, i);
}

cst_error cst_companions_advance(cst_companions *c, long n) {
  cst_batch_ready(c->st, c->b);
  CST_TRY(cst_stepper_advance(c->st, c->b, n));
  return 0;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

size_t cst_companions_numbers(const cst_plan *p, int each) {
  return (size_t)each * (size_t)cst_plan_state_numbers(p);
}

void cst_companions_save(const cst_companions *c, long lane, double *x) {
  const size_t n = cst_batch_numbers(c->st);
  const bool   live = cst_companions_live(c, lane);
  memset(x, 0, sizeof *x * cst_companions_numbers(c->run->plan, c->each));
  for (int i = 0; i < c->each; i++)
    if (!live)
      x[(size_t)i * n] = NAN; /* lost, however far they have come */
    else
      cst_batch_save(c->st, c->b, index_of(c, lane, i), x + (size_t)i * n);
}

void cst_companions_restore(cst_companions *c, long lane, const double *x) {
  const size_t n = cst_batch_numbers(c->st);
  for (int i = 0; i < c->each; i++)
    if (cst_batch_is_state(x + (size_t)i * n, LONG_MAX))
      cst_batch_restore(c->st, c->b, index_of(c, lane, i), x + (size_t)i * n);
    else
      cst_companions_lose(c, lane);
}
