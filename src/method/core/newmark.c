/* newmark.c: the core of Newmark's method.
 *
 *   q1 = q0 + h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1)
 *   v1 = v0 + h ((1 - gamma) a0 + gamma a1),  M a1 = -grad V(q1)
 *
 * Tao, Owhadi, (2.1), with p = M v. The unknowns are a1, by rows of the bands, starting from a1 = 0. A fixed
 * number of iterations is done in begin, without unknowns for the solver; a1 is then their result, and not
 * -grad V(q1) / M. The record contains a, so that a step starts from the a1 of the preceding one; if other
 * substeps have moved the point, a0 is -grad V(q0) / M.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE newmark

struct data {
  double beta, gamma;
  int    iterations, from_q;
  int    a; /* position of a in the record */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/newton.h"
#define NX (MARCH->unknowns)
#define KEEPS_NOTHING
#define IS_EXACT 1
#define SIZE(L)  ((L)->near)

/* a: at the left end, in the order of the coordinates; ahead: q1 without beta h^2 a1. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(a, NQ, STATE(OWN(0)->a))                                                                       \
  X(ahead, NQ)                                                                                     \
  CST_NEWTON_FIELDS(X)                                                                             \
  X(a1, NQ)                                                                                        \
  X(d, NQ)                                                                                         \
  CST_MASS_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd         *c;
  cst_linear_masses m;
  cst_newton_space  w;
  vd                near, tolerance, iterations;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->tolerance = *cst_block(record, LAYOUT(C).tolerance);
  L->w = CST_NEWTON_SPACE(L);
  L->m = CST_MASSES_OF(C, L, record);
}

/* The part of q1 that does not depend on a1. */
CST_INLINE void predict(const cst_context *C, struct local *L, int j) {
  const vd h = H(j);
  const vd part = (0.5 - OWN(j)->beta) * (h * h);
  if (!ALONE) {
    K_dV(L->c, L->q, L->a);
    for (int i = 0; i < NQ; i++)
      L->a[i] = -L->a[i];
    cst_masses_divide(C, &L->m, L->a);
  }
  for (int i = 0; i < NQ; i++)
    L->y[i] = L->p[i];
  cst_masses_divide(C, &L->m, L->y);
  for (int i = 0; i < NQ; i++)
    L->ahead[i] = L->q[i] + (h * L->y[i] + part * L->a[i]);
}

/* a1 after the given number of iterations. */
static void iterate(const cst_context *C, struct local *L, int j) {
  const vd b = BETA_HH(j);
  const vd back = vpick(OWN(j)->from_q, 1 / b, vset(0));
  for (int r = 0; r < NQ; r++) {
    const int i = ORDER(0)[r];
    L->a1[r] = back * (L->q[i] - L->ahead[i]);
  }
  for (int k = 0; k < OWN(j)->iterations; k++) {
    cst_newton_residual(C, &L->m, L->c, b, L->ahead, L->a1, &L->w, L->d);
    cst_newton_correction(C, &L->m, b, &L->w, L->d);
    for (int r = 0; r < NQ; r++)
      L->a1[r] += L->d[r];
  }
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  predict(C, L, j);
  if (OWN(j)->iterations)
    iterate(C, L, j);
  for (int r = 0; r < NX; r++)
    x[r] = vset(0);
  L->near = cst_newton_size(C, BETA_HH(j), L->ahead);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  if (NX == 0)
    return vmask(1);
  cst_newton_residual(C, &L->m, L->c, BETA_HH(j), L->ahead, x, &L->w, f);
  return cst_newton_met(C, L->tolerance, &L->w, f);
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  (void)x;
  cst_newton_direction(C, &L->m, BETA_HH(j), &L->w, NX, f, d);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd     h = H(j);
  const double gamma = OWN(j)->gamma;
  const vd     b = OWN(j)->beta * (h * h);
  const vd    *a1 = OWN(j)->iterations ? L->a1 : x;
  vd          *sum = L->d;
  for (int i = 0; i < NQ; i++) {
    const vd a = a1[PLACE(0)[i]];
    L->y[i] = (1 - gamma) * L->a[i] + gamma * a;
    L->q[i] = L->ahead[i] + b * a;
    L->a[i] = a;
  }
  for (int i = 0; i < NQ; i++)
    sum[PLACE(0)[i]] = L->y[i];
  cst_masses_times(C, &L->m, 0, sum, L->y);
  for (int i = 0; i < NQ; i++)
    L->p[i] += h * L->y[i];
}

#include "method/core/march.h"
#else
#include <stdlib.h>
#include "core/need.h"
#include "method/substep.h"

struct parameters {
  double beta, gamma;
  int    iterations, from_q;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->beta == y->beta && x->gamma == y->gamma && x->iterations == y->iterations &&
         x->from_q == y->from_q;
}

/* The adjoint exchanges q and v at the two ends. A step whose iteration is not complete has no adjoint. */
static bool adjoint(void *of) {
  struct parameters *x = of;
  x->beta += 0.5 - x->gamma;
  x->gamma = 1 - x->gamma;
  return x->iterations == 0;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             band = 1 + s->model->bands[0].band;
  return (cst_substep_size){
      .stages = 1 + x->iterations,
      .unknowns = x->iterations ? 0 : s->nq,
      .matrix = s->nq * band,
      .fixed = 1 + x->iterations,
      .each = x->iterations ? 0 : 1,
      .solves_fixed = x->iterations,
      .solves_each = x->iterations ? 0 : 1,
      .cost = (x->iterations ? x->iterations : 4) * (8 * s->nq + s->nq * band * band),
  };
}

static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  double *p = cst_need(calloc((size_t)s->nq + 1, sizeof *p));
  (void)x, (void)v;
  cst_system_eval(s, CST_K_dV, c, q, NULL, NULL, NULL, NULL, p);
  for (int i = 0; i < s->nq; i++)
    p[i] = -p[i];
  cst_system_velocity(s, c, q, p, state[0]);
  free(p);
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  *(struct data *)lane = (struct data){x->beta, x->gamma, x->iterations, x->from_q, with->state[0]};
  return 0;
}

static const cst_state_block state[] = {{"a", .q = 1}, {NULL}};

static const cst_substep_row row = {
    .name = "newmark",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .coupling = cst_coupling_of_accelerations,
    .start = start,
    .bind = bind,
};

cst_substep cst_newmark(double fraction, double beta, double gamma, int iterations, bool from_q) {
  const struct parameters x = {beta, gamma, iterations, from_q};
  return cst_substep_of(&row, fraction, &x);
}
#endif
