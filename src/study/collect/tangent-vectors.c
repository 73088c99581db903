/* tangent-vectors.c: tangent vectors in both forms (see tangent-vectors.h): as differences to companions, and by the
 * derivative of each step, one trajectory after another.
 *
 * In the exact form the vectors are projected onto the tangent space of T*Q at the trajectory's own state at the end of
 * a period, so that of methods that do not keep the constraints those along them remain.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tangent-vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/lane-form.h"
#include "core/need.h"
#include "study/collect/tangent.h"

/* ---- the exact form -------------------------------------------------------------------------- */

/* Whether all growths of a lane of a group are numbers above 0. */
static bool grew(const cst_tangent_vectors *v, const double *growth, int lane) {
  bool good = true;
  for (int i = 0; i < v->k; i++) {
    const double x = growth[i * v->run->width + lane];
    good &= x > 0 && x < INFINITY;
  }
  return good;
}

int cst_tangent_vectors_alive(const cst_tangent_vectors *v, int group) {
  const long first = (long)group * v->run->width;
  int        alive = v->run->b->alive[group];
  if (!v->exact)
    return cst_companions_alive(&v->c, group);
  for (int l = 0; l < v->run->width; l++)
    if (alive >> l & 1 && v->lost[first + l])
      alive &= ~(1 << l);
  return alive;
}

static void create_exact(cst_tangent_vectors *v) {
  const size_t state = (size_t)v->in, batch = (size_t)v->run->batch;
  v->n = v->in;
  v->derivative = cst_zeros(v->run->plan->study->methods.n, sizeof *v->derivative);
  v->kept = cst_zeros((long)(batch * state * (size_t)(1 + v->k)), sizeof *v->kept);
  v->move = cst_zeros((long)(state * (size_t)(1 + v->k)), sizeof *v->move);
  v->lost = cst_zeros((long)batch, sizeof *v->lost);
  v->shift = cst_zeros((long)batch, sizeof *v->shift);
  v->other = cst_aligned((size_t)v->k * (size_t)v->run->width);
}

static void destroy_exact(cst_tangent_vectors *v) {
  for (int i = 0; i < v->run->plan->study->methods.n; i++)
    cst_derivative_destroy(v->derivative[i]);
  free(v->derivative);
  free(v->kept);
  free(v->move);
  free(v->lost);
  free(v->shift);
  free(v->other);
}

static double *kept_of(const cst_tangent_vectors *v, long lane) {
  return v->kept + lane * (1 + v->k) * v->in;
}

static double scale_of(const cst_tangent_vectors *v, long lane, int e) {
  return v->scale[2 * lane + (e >= v->in / 2)];
}

static const double *parameters(const cst_tangent_vectors *v, long lane) {
  return cst_plan_parameters(v->run->plan, cst_runner_case(v->run, lane)->variant);
}

/* q and p of the trajectory. */
static void read_state(const cst_tangent_vectors *v, long lane, double *x) {
  const cst_runner *r = v->run;
  const cst_layout *at = cst_stepper_layout(r->st);
  const double     *column = cst_batch_lane(r->st, r->b, lane);
  for (int e = 0; e < v->in / 2; e++) {
    x[e] = column[(at->q + e) * r->width];
    x[v->in / 2 + e] = column[(at->p + e) * r->width];
  }
}

/* Vectors of a lane between its own numbers and those of its group. */
static void give(cst_tangent_vectors *v, long lane, const double *from) {
  double *w = v->w + lane % v->run->width;
  for (int i = 0; i < v->k; i++)
    for (int e = 0; e < v->in; e++, w += v->run->width)
      *w = *from++;
}

static void take_back(const cst_tangent_vectors *v, long lane, double *to) {
  const double *w = v->w + lane % v->run->width;
  for (int i = 0; i < v->k; i++)
    for (int e = 0; e < v->in; e++, w += v->run->width)
      *to++ = *w;
}

/* Those of a group, in v->w, become orthonormal. */
static void orthonormalise(cst_tangent_vectors *v, int group, double *growth) {
  const double *weight = v->weight + (long)group * v->in * v->run->width;
  v->lanes->orthonormalise(v->k, v->n, v->in, weight, v->w, growth, v->scratch);
}

/* Carries a lane from the start of the period, displaced by `by`, to v->move; false: a step is not solved. */
static bool move_lane(cst_tangent_vectors *v, long lane, double by) {
  const cst_runner *r = v->run;
  cst_derivative   *d = v->derivative[r->class->method];
  const double     *c = parameters(v, lane);
  double           *q = v->move, *p = q + v->in / 2, *w = q + v->in;
  bool              good = true;
  memcpy(q, kept_of(v, lane), sizeof *q * (size_t)((1 + v->k) * v->in));
  for (int e = 0; e < v->in && by > 0; e++)
    q[e] += by * scale_of(v, lane, e) * cst_tangent_draw(r, lane, 0, e);
  for (long n = r->b->step - v->step; n > 0 && good; n--)
    good = cst_derivative_step(d, c, cst_clock_step(r), q, p, v->k, w);
  if (!good)
    return false;
  read_state(v, lane, q);
  cst_derivative_tangent(d, c, q, p, v->k, w);
  return true;
}

/* Moves the lanes of a group, and finds the growth of their vectors, which are then in v->w. */
static void move_group(cst_tangent_vectors *v, int group, double by, double *growth) {
  const int W = v->run->width;
  memset(v->w, 0, sizeof *v->w * (size_t)(v->k * v->in * W));
  for (int alive = cst_tangent_vectors_alive(v, group); alive; alive &= alive - 1) {
    const long l = (long)group * W + __builtin_ctz((unsigned)alive);
    if (move_lane(v, l, by))
      give(v, l, v->move + v->in);
    else
      v->lost[l] = true;
  }
  orthonormalise(v, group, growth);
}

/* How far the logarithms of two growths of a lane are apart, at most. */
static double apart(const cst_tangent_vectors *v, const double *a, const double *b, int lane) {
  double most = 0;
  for (int i = 0; i < v->k; i++)
    most = fmax(most, fabs(log(a[i * v->run->width + lane] / b[i * v->run->width + lane])));
  return most;
}

/* The vectors of a group become those at the state of their trajectories. */
static void keep_group(cst_tangent_vectors *v, int group, const double *growth, bool displaced) {
  const int W = v->run->width;
  for (int alive = cst_tangent_vectors_alive(v, group); alive; alive &= alive - 1) {
    const long l = (long)group * W + __builtin_ctz((unsigned)alive);
    v->lost[l] = !grew(v, growth, (int)(l % W));
    v->shift[l] = displaced ? apart(v, growth, v->other, (int)(l % W)) : 0;
    read_state(v, l, kept_of(v, l));
    take_back(v, l, kept_of(v, l) + v->in);
  }
}

static void advance_exact(cst_tangent_vectors *v) {
  const cst_runner *r = v->run;
  const long        turn = r->b->step / cst_tangent_steps(r->plan, r->class);
  const bool        displaced = !(turn & (turn - 1));
  for (int g = 0; g < r->b->groups; g++) {
    double *growth = v->growth + (long)g * v->k * r->width;
    if (displaced)
      move_group(v, g, 0x1p-48, v->other);
    move_group(v, g, 0, growth);
    keep_group(v, g, growth, displaced);
  }
}

static void start_exact(cst_tangent_vectors *v, long lane) {
  const cst_runner *r = v->run;
  double           *x = v->move, *w = x + v->in;
  read_state(v, lane, x);
  for (int i = 0; i < v->k * v->in; i++)
    w[i] = scale_of(v, lane, i % v->in) * cst_tangent_draw(r, lane, 0, i);
  cst_derivative_tangent(v->derivative[r->class->method], parameters(v, lane), x, x + v->in / 2,
                         v->k, w);
  give(v, lane, w);
}

static void begin_exact(cst_tangent_vectors *v) {
  const cst_runner *r = v->run;
  cst_derivative  **d = &v->derivative[r->class->method];
  const int         W = r->width;
  if (!*d)
    *d = cst_derivative_create(r->plan->method[r->class->method]);
  memset(v->lost, 0, sizeof *v->lost * (size_t)r->batch);
  for (int g = 0; g < r->b->groups; g++) {
    memset(v->w, 0, sizeof *v->w * (size_t)(v->k * v->in * W));
    for (int l = 0; l < W; l++)
      if (r->b->alive[g] >> l & 1)
        start_exact(v, (long)g * W + l);
    double *growth = v->growth + (long)g * v->k * W;
    orthonormalise(v, g, growth);
    keep_group(v, g, growth, false);
  }
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static size_t groups_of(const cst_runner *r) {
  return (size_t)((r->batch + r->width - 1) / r->width);
}

cst_error cst_tangent_vectors_create(cst_tangent_vectors *v, const cst_runner *r, int k,
                                     bool exact) {
  const size_t W = (size_t)r->width, groups = groups_of(r);
  const size_t most = (size_t)cst_plan_state_numbers(r->plan);
  const size_t in = 2 * (size_t)r->plan->study->problem.system->nq;
  *v = (cst_tangent_vectors){.run = r, .k = k, .in = (int)in, .exact = exact};
  v->lanes = cst_lane_form(r->plan->isa, "orthonormal");
  v->weight = cst_aligned(groups * in * W);
  v->scale = cst_zeros(2 * r->batch, sizeof *v->scale);
  v->growth = cst_aligned(groups * (size_t)k * W);
  v->w = cst_aligned((size_t)k * most * W);
  v->scratch = cst_aligned(most * W);
  if (exact) {
    create_exact(v);
    return 0;
  }
  v->at = cst_zeros((long)most, sizeof *v->at);
  v->near = cst_zeros(k, sizeof *v->near);
  CST_TRY(cst_companions_create(&v->c, r, k));
  return 0;
}

cst_error cst_tangent_vectors_destroy(cst_tangent_vectors *v) {
  if (v->exact)
    destroy_exact(v);
  else
    CST_TRY(cst_companions_destroy(&v->c));
  free(v->scale);
  free(v->weight);
  free(v->growth);
  free(v->w);
  free(v->scratch);
  free(v->at);
  free(v->near);
  return 0;
}

static void find_weights(cst_tangent_vectors *v) {
  const cst_runner *r = v->run;
  const int         W = r->width;
  for (long l = 0; l < r->work->count; l++) {
    double *scale = v->scale + 2 * l;
    scale[0] = scale[1] = 1;
    if (cst_runner_lives(r, r->b, l))
      cst_tangent_scale(r, l, scale);
    for (int e = 0; e < v->in; e++) {
      const double by = scale[e >= v->in / 2];
      v->weight[(l / W * v->in + e) * W + l % W] = 1 / (by * by);
    }
  }
}

/* ---- companions ------------------------------------------------------------------------------ */

/* The same of a whole group. */
static bool all_grew(int n, const double *growth) {
  int good = 1;
  for (int i = 0; i < n; i++)
    good &= (growth[i] > 0) & (growth[i] < INFINITY);
  return good;
}

/* The records of a group and of its companions. */
static cst_near near_of(const cst_tangent_vectors *v, int group) {
  const cst_companions *c = &v->c;
  const long            lane = (long)group * v->run->width;
  for (int i = 0; i < v->k; i++)
    v->near[i] = cst_companions_column(c, lane, i);
  /* not cst_companions_base: where the first lane has ended, that is its last state, apart from the group */
  return (cst_near){v->k, v->n, v->in, v->at, cst_runner_record(v->run, group), v->near};
}

/* The same as in lanes of companions that do not lie as those of the batch do; back: from w. */
static void exchange(cst_tangent_vectors *v, bool back) {
  const cst_companions *c = &v->c;
  const int             W = v->run->width;
  for (long l = 0; l < v->run->work->count; l++) {
    const double *base = cst_companions_base(c, l);
    for (int i = 0; i < v->k; i++) {
      double *near = cst_companions_column(c, l, i), *w = v->w + (long)i * v->n * W + l;
      for (int e = 0; e < v->n; e++, w += W)
        if (back)
          near[v->at[e] * W] = base[v->at[e] * W] + CST_TANGENT_DISTANCE * *w;
        else
          *w = near[v->at[e] * W] - base[v->at[e] * W];
    }
  }
}

static void lose(cst_tangent_vectors *v, int group, int lane) {
  const long l = (long)group * v->run->width + lane;
  if (l < v->run->work->count)
    cst_companions_lose(&v->c, l);
}

/* Renormalises the companions of a group, and finds how their differences have grown. */
static void renormalise(cst_tangent_vectors *v, int group) {
  const int      alive = cst_companions_alive(&v->c, group);
  const bool     apart = !v->c.beside;
  const int      W = v->run->width;
  double        *growth = v->growth + (long)group * v->k * W;
  const cst_near x = near_of(v, group);
  for (int dead = ~alive & ((1 << W) - 1); dead; dead &= dead - 1)
    lose(v, group, __builtin_ctz((unsigned)dead));
  if (!alive)
    return;
  if (apart)
    exchange(v, false);
  else
    v->lanes->take(&x, v->w);
  v->lanes->orthonormalise(v->k, v->n, v->in, v->weight + (long)group * v->in * W, v->w, growth,
                           v->scratch);
  for (int left = all_grew(v->k * W, growth) ? 0 : alive; left; left &= left - 1)
    if (!grew(v, growth, __builtin_ctz((unsigned)left)))
      lose(v, group, __builtin_ctz((unsigned)left));
  if (apart)
    exchange(v, true);
  else
    v->lanes->put(&x, CST_TANGENT_DISTANCE, v->w);
}

static void start_companions(cst_tangent_vectors *v, long lane) {
  double *d = cst_zeros(v->in, sizeof *d);
  bool    good = true;
  for (int i = 0; i < v->k && good; i++) {
    for (int e = 0; e < v->in; e++)
      d[e] = cst_tangent_draw(v->run, lane, 0, v->in * i + e);
    good = cst_companions_start(&v->c, lane, i, CST_TANGENT_DISTANCE, d);
  }
  free(d);
  if (!good)
    cst_companions_lose(&v->c, lane);
}

static cst_error begin_companions(cst_tangent_vectors *v) {
  const cst_runner *r = v->run;
  cst_companions   *c = &v->c;
  CST_TRY(cst_companions_begin(c));
  v->n = 0;
  for (int i = 0; i < c->nparts; i++)
    for (int e = 0; e < c->part[i].n; e++)
      v->at[v->n++] = c->part[i].at + e;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      start_companions(v, l);
  for (int g = 0; g < v->run->b->groups; g++)
    renormalise(v, g);
  return 0;
}

static cst_error advance_companions(cst_tangent_vectors *v) {
  cst_companions *c = &v->c;
  c->b->step = v->step;
  CST_TRY(cst_companions_advance(c, v->run->b->step - v->step));
  for (int g = 0; g < v->run->b->groups; g++)
    renormalise(v, g);
  return 0;
}

/* ---- both forms ------------------------------------------------------------------------------ */

cst_error cst_tangent_vectors_begin(cst_tangent_vectors *v) {
  v->step = 0;
  find_weights(v);
  if (v->exact)
    begin_exact(v);
  else
    CST_TRY(begin_companions(v));
  return 0;
}

cst_error cst_tangent_vectors_advance(cst_tangent_vectors *v) {
  if (v->exact)
    advance_exact(v);
  else
    CST_TRY(advance_companions(v));
  v->step = v->run->b->step;
  return 0;
}

cst_error cst_tangent_vectors_settle(cst_tangent_vectors *v) {
  if (!v->exact)
    CST_TRY(cst_companions_project(&v->c));
  return 0;
}

void cst_tangent_vectors_growth(const cst_tangent_vectors *v, long lane, double *growth) {
  const int     W = v->run->width;
  const double  unit = v->exact ? 1 : CST_TANGENT_DISTANCE;
  const double *from = v->growth + lane / W * v->k * W + lane % W;
  for (int i = 0; i < v->k; i++)
    growth[i] = from[i * W] / unit;
}

double cst_tangent_vectors_shift(const cst_tangent_vectors *v, long lane) {
  return v->exact ? v->shift[lane] : 0;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static size_t of_lane(const cst_tangent_vectors *v) { return (size_t)(1 + v->k) * (size_t)v->in; }

size_t cst_tangent_vectors_numbers(const cst_plan *p, int k, bool exact) {
  if (exact)
    return (size_t)(1 + k) * 2 * (size_t)p->study->problem.system->nq;
  return cst_companions_numbers(p, k);
}

void cst_tangent_vectors_save(const cst_tangent_vectors *v, long lane, double *x) {
  if (!v->exact) {
    cst_companions_save(&v->c, lane, x);
    return;
  }
  memcpy(x, v->kept + (size_t)lane * of_lane(v), of_lane(v) * sizeof *x);
  if (v->lost[lane])
    x[0] = NAN;
}

void cst_tangent_vectors_restore(cst_tangent_vectors *v, long lane, const double *x) {
  if (!v->exact) {
    cst_companions_restore(&v->c, lane, x);
    return;
  }
  memcpy(v->kept + (size_t)lane * of_lane(v), x, of_lane(v) * sizeof *x);
  v->lost[lane] = isnan(x[0]);
}
