/* observers.c: the rows of observers.h, in their order, and the compiled fold of a system: its own, or the generic
 * one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "core/lane-form.h"
#include "core/need.h"
#include "observe/observe.h"
#include "observe/observer.h"
#include "system/internal.h"

#define OBSERVER(name)       extern const cst_observer cst_observer_##name;
#define PLAIN_OBSERVER(name) extern const cst_observer cst_observer_##name;
#include "observe/observers.h"
#undef OBSERVER
#undef PLAIN_OBSERVER

#define OBSERVER(name)       &cst_observer_##name,
#define PLAIN_OBSERVER(name) &cst_observer_##name,
const cst_observer *const cst_observers[] = {
#include "observe/observers.h"
};
enum { COUNT = sizeof cst_observers / sizeof *cst_observers };
_Static_assert((int)COUNT <= (int)CST_MOST_OBSERVERS, "raise CST_MOST_OBSERVERS");
const int cst_observer_count = COUNT;

const cst_fold *cst_fold_for(const cst_system *s, int isa, bool flat) {
  const cst_fold *sized = flat ? NULL : cst_system_form(s, isa, "fold");
  return sized ? sized : cst_lane_form(isa, "fold");
}

static int place_of(const cst_observer *row) {
  int k = 0;
  while (cst_observers[k] != row)
    k++;
  return k;
}

cst_measure *cst_fold_measure(const cst_fold *fold, const cst_observer *row) {
  return row->measure ? row->measure : fold->measure[place_of(row)];
}

cst_follow *cst_fold_follow(const cst_fold *fold, const cst_observer *row) {
  return fold->follow[place_of(row)];
}

/* ---- what rounds ------------------------------------------------------------------------------ */

static cst_bounded uncertain(double x, double bits) {
  return (cst_bounded){x, bits * (fabs(x) + CST_BOUND_FLOOR)};
}

/* The numbers of a state. */
typedef struct {
  cst_bounded *c, *q, *v, *p, time;
} numbers;

static numbers create_numbers(const cst_system *s, const cst_plain_state *at) {
  numbers x = {.c = cst_zeros(s->npar + 3 * s->nq, sizeof *x.c), .time = {at->time, 0}};
  x.q = x.c + s->npar;
  x.v = x.q + s->nq;
  x.p = x.v + s->nq;
  for (int i = 0; i < s->npar; i++)
    x.c[i] = uncertain(at->c[i], 0);
  return x;
}

/* force[nq] := the bounds of f, which friction makes depend on the multipliers, or of -dV, and of G'lambda. */
static void bound_forces(const cst_system *s, const numbers *x, const double *lambda,
                         cst_bounded *force) {
  const bool               forced = s->model->kernel_size[CST_K_f] > 0;
  const cst_pattern       *P = &s->model->pattern[CST_K_G];
  cst_bounded             *l = cst_zeros(s->ng, sizeof *l);
  const cst_bounded *const in[128] = {['c'] = x->c, ['q'] = x->q, ['v'] = x->v, ['l'] = l};
  cst_bounded             *G = cst_zeros(P->n, sizeof *G);
  for (int a = 0; a < s->ng; a++)
    l[a] = uncertain(lambda[a], 1);
  cst_system_bound(s, forced ? CST_K_f : CST_K_dV, in, force);
  cst_system_bound(s, CST_K_G, in, G);
  for (int a = 0; a < s->ng; a++)
    CST_EACH_ENTRY(P, a, e) {
      cst_bounded *f = &force[P->column[e]];
      *f = cst_bounded_sum(*f, cst_bounded_product(G[e], l[a]));
    }
  free(G);
  free(l);
}

/* As large as what all signs of the forces make of it where the mass is diagonal. */
static void accelerate(const cst_system *s, const cst_plain_state *at, const double *force,
                       double *acceleration) {
  double *p = cst_zeros(2 * s->nq, sizeof *p), *zero = p + s->nq;
  cst_system_momentum(s, at->c, at->q, zero, p);
  for (int i = 0; i < s->nq; i++)
    p[i] += force[i];
  const bool solved = cst_system_velocity(s, at->c, at->q, p, acceleration);
  for (int i = 0; i < s->nq; i++)
    acceleration[i] = solved ? fabs(acceleration[i]) : NAN;
  free(p);
}

void cst_observers_rounding_forces(const cst_system *s, const cst_plain_state *at, double *force,
                                   double *acceleration) {
  numbers      x = create_numbers(s, at);
  cst_bounded *bound = cst_zeros(s->nq, sizeof *bound);
  double      *lambda = cst_zeros(s->ng, sizeof *lambda);
  for (int i = 0; i < s->nq; i++) {
    x.q[i] = uncertain(at->q[i], 1);
    x.v[i] = uncertain(at->v[i], 1);
  }
  if (s->ng)
    cst_system_multipliers(s, at->c, at->q, at->v, lambda);
  bound_forces(s, &x, lambda, bound);
  for (int i = 0; i < s->nq; i++)
    force[i] = 0x1p-53 * bound[i].error;
  accelerate(s, at, force, acceleration);
  free(bound);
  free(lambda);
  free(x.c);
}

/* Velocities are rounded where they are computed. */
static void take_known(const cst_system *s, const cst_plain_state *at, numbers *x) {
  for (int i = 0; i < s->nq; i++) {
    x->q[i] = uncertain(at->q[i], 0);
    x->p[i] = uncertain(at->p[i], 0);
    x->v[i] = uncertain(at->v[i], 1);
  }
}

/* Forces that are not known add nothing. */
static void take_stepped(const cst_system *s, const cst_plain_state *at, numbers *x) {
  double *force = cst_zeros(2 * s->nq, sizeof *force), *acceleration = force + s->nq;
  cst_observers_rounding_forces(s, at, force, acceleration);
  for (int i = 0; i < s->nq; i++) {
    x->q[i] = uncertain(at->q[i], 1);
    if (at->uniform && at->uniform[i])
      continue;
    x->p[i] = uncertain(at->p[i], 1);
    x->v[i] = uncertain(at->v[i], 2);
    if (isfinite(force[i]) && isfinite(acceleration[i])) {
      x->p[i].error += at->h * 0x1p53 * force[i];
      x->v[i].error += at->h * 0x1p53 * acceleration[i];
    }
  }
  free(force);
}

static bool bound_of(const cst_observation *look, const numbers *x, cst_bounded *of) {
  const cst_bounded_state now = {x->c, x->q, x->p, x->v, &x->time};
  return look->row->bound && look->row->bound(look, &now, of + look->first);
}

void cst_observers_rounding(const cst_observation *look, int n, const cst_plain_state *at,
                            double *stepped, double *evaluated) {
  const cst_system *s = look->system;
  const int         most = look[n - 1].first + look[n - 1].count;
  numbers           known = create_numbers(s, at), other = create_numbers(s, at);
  cst_bounded      *x = cst_zeros(2 * most, sizeof *x), *y = x + most;
  take_known(s, at, &known);
  take_known(s, at, &other);
  take_stepped(s, at, &other);
  for (const cst_observation *l = look; l < look + n; l++) {
    if (!l->wanted)
      continue;
    const bool told = bound_of(l, &known, x) && bound_of(l, &other, y);
    for (int k = l->first; k < l->first + l->count; k++) {
      stepped[k] = told ? 0x1p-53 * (y[k].error - x[k].error) : NAN;
      evaluated[k] = told ? 0x1p-53 * x[k].error : NAN;
    }
  }
  free(known.c);
  free(other.c);
  free(x);
}
