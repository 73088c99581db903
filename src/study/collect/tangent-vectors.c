/* tangent-vectors.c: tangent vectors as differences to companions, and what both forms share (see
 * tangent-vectors.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/tangent-vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/tangent.h"

/* ---- set-up ---------------------------------------------------------------------------------- */

static size_t groups_of(const cst_runner *r) {
  return (size_t)((r->batch + r->width - 1) / r->width);
}

cst_error cst_tangent_vectors_create(cst_tangent_vectors *v, cst_runner *r, int k, bool exact) {
  const size_t W = (size_t)r->width, groups = groups_of(r);
  const size_t most = (size_t)cst_plan_state_numbers(r->plan);
  const size_t in = 2 * (size_t)r->plan->study->system->nq;
  *v = (cst_tangent_vectors){.run = r, .k = k, .in = (int)in, .exact = exact};
  v->lanes = cst_orthonormal_of(r->plan->isa);
  v->weight = cst_aligned(groups * in * W);
  v->scale = cst_zeros(2 * r->batch, sizeof *v->scale);
  v->growth = cst_aligned(groups * (size_t)k * W);
  v->w = cst_aligned((size_t)k * most * W);
  v->spare = cst_aligned(most * W);
  if (exact) {
    cst_tangent_exact_create(v);
    return 0;
  }
  v->at = cst_zeros((long)most, sizeof *v->at);
  v->near = cst_zeros(k, sizeof *v->near);
  CST_TRY(cst_companions_create(&v->c, r, k));
  return 0;
}

cst_error cst_tangent_vectors_destroy(cst_tangent_vectors *v) {
  if (v->exact)
    cst_tangent_exact_destroy(v);
  else
    CST_TRY(cst_companions_destroy(&v->c));
  free(v->scale);
  free(v->weight);
  free(v->growth);
  free(v->w);
  free(v->spare);
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

bool cst_tangent_vectors_grew(const cst_tangent_vectors *v, const double *growth, int lane) {
  bool good = true;
  for (int i = 0; i < v->k; i++) {
    const double x = growth[i * v->run->width + lane];
    good &= x > 0 && x < INFINITY;
  }
  return good;
}

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
                           v->spare);
  for (int left = all_grew(v->k * W, growth) ? 0 : alive; left; left &= left - 1)
    if (!cst_tangent_vectors_grew(v, growth, __builtin_ctz((unsigned)left)))
      lose(v, group, __builtin_ctz((unsigned)left));
  if (apart)
    exchange(v, true);
  else
    v->lanes->put(&x, CST_TANGENT_DISTANCE, v->w);
}

static void start_lane(cst_tangent_vectors *v, long lane) {
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
      start_lane(v, l);
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
    cst_tangent_exact_begin(v);
  else
    CST_TRY(begin_companions(v));
  return 0;
}

cst_error cst_tangent_vectors_advance(cst_tangent_vectors *v) {
  if (v->exact)
    cst_tangent_exact_advance(v);
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
    return (size_t)(1 + k) * 2 * (size_t)p->study->system->nq;
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
