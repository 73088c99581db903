/* tangent-vectors-exact.c: tangent vectors by the derivative of each step, one trajectory after another (see
 * tangent-vectors.h).
 *
 * At the end of a period the vectors are projected onto the tangent space of T*Q at the trajectory's own state, so
 * that of methods that do not keep the constraints those along them remain. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/tangent-vectors.h"
#include "study/collect/tangent.h"

void cst_tangent_exact_create(cst_tangent_vectors *v) {
  const size_t state = (size_t)v->in, batch = (size_t)v->run->batch;
  v->n = v->in;
  v->derivative = cst_zeros(v->run->plan->study->nmethod, sizeof *v->derivative);
  v->kept = cst_zeros((long)(batch * state * (size_t)(1 + v->k)), sizeof *v->kept);
  v->move = cst_zeros((long)(state * (size_t)(1 + v->k)), sizeof *v->move);
  v->lost = cst_zeros((long)batch, sizeof *v->lost);
  v->shift = cst_zeros((long)batch, sizeof *v->shift);
  v->other = cst_aligned((size_t)v->k * (size_t)v->run->width);
}

void cst_tangent_exact_destroy(cst_tangent_vectors *v) {
  for (int i = 0; i < v->run->plan->study->nmethod; i++)
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
  v->lanes->orthonormalise(v->k, v->n, v->in, weight, v->w, growth, v->spare);
}

/* ---- a period -------------------------------------------------------------------------------- */

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
    good = cst_derivative_step(d, c, r->class->h, q, p, v->k, w);
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
    v->lost[l] = !cst_tangent_vectors_grew(v, growth, (int)(l % W));
    v->shift[l] = displaced ? apart(v, growth, v->other, (int)(l % W)) : 0;
    read_state(v, l, kept_of(v, l));
    take_back(v, l, kept_of(v, l) + v->in);
  }
}

void cst_tangent_exact_advance(cst_tangent_vectors *v) {
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

/* ---- the start ------------------------------------------------------------------------------- */

static void start_lane(cst_tangent_vectors *v, long lane) {
  const cst_runner *r = v->run;
  double           *x = v->move, *w = x + v->in;
  read_state(v, lane, x);
  for (int i = 0; i < v->k * v->in; i++)
    w[i] = scale_of(v, lane, i % v->in) * cst_tangent_draw(r, lane, 0, i);
  cst_derivative_tangent(v->derivative[r->class->method], parameters(v, lane), x, x + v->in / 2,
                         v->k, w);
  give(v, lane, w);
}

void cst_tangent_exact_begin(cst_tangent_vectors *v) {
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
        start_lane(v, (long)g * W + l);
    double *growth = v->growth + (long)g * v->k * W;
    orthonormalise(v, g, growth);
    keep_group(v, g, growth, false);
  }
}
