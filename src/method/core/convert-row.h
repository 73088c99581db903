/* convert-row.h: the substeps of convert(...) as the planner sees them: parameters, adjoint, sizes and
 * cost. Included by the cores' files, compiled without
 * lanes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "method/core/row.h"
#include "method/iota.h"

struct parameters {
  double    bias;
  cst_layer layer[2];
  bool      of_w, by_mass;

  const cst_iota *iota; /* in place of both; NULL: none */
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  if (x->of_w != y->of_w || x->by_mass != y->by_mass || x->iota != y->iota)
    return false;
  return fabs(x->bias - y->bias) < 1e-15 && cst_program_same_layer(&x->layer[0], &y->layer[0]) &&
         cst_program_same_layer(&x->layer[1], &y->layer[1]);
}

/* The halves change places. */
static bool adjoint(void *of) {
  struct parameters *x = of;
  const cst_layer    minus = x->layer[0];
  x->bias = -1 - x->bias;
  x->layer[0] = x->layer[1];
  x->layer[1] = minus;
  return true;
}

static bool dense(const cst_system *s) { return s->nq <= CST_MAX_Q && !s->gram.banded; }

/* What the variations of a half take along a number of vectors: its stages, or of formulas a point halfway and
 * three terms. */
static int count_variations(const cst_layer *l, int stages, int vectors) {
  return l->rule ? (stages > 0) * (1 + 3 * vectors) : stages * vectors;
}

/* Values and reverses of the halves that have a length: one of each in a residual. The predictor is one value
 * more, and the ends are varied along the vectors tangent to TQ. */
static void count_evaluations(const struct parameters *x, const cst_system *s,
                              cst_substep_size *size) {
  const int minus = x->bias == 0 ? 0 : cst_program_layer_stages(&x->layer[0]);
  const int plus = x->bias == -1 ? 0 : cst_program_layer_stages(&x->layer[1]);
  const int vectors = dense(s) ? 2 * (s->nq - s->ng + s->nvel) : 0;
  size->fixed = minus + count_variations(&x->layer[0], minus, vectors) +
                count_variations(&x->layer[1], plus, vectors);
  size->each = 2 * (minus + plus);
  size->solves_fixed = size->fixed * cst_substep_solves(s);
  size->solves_each = 1 + size->each * cst_substep_solves(s);
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             q = s->nq, g = s->ng, iterations = 3;
  const int                minus = cst_program_layer_stages(&x->layer[0]);
  const int                plus = cst_program_layer_stages(&x->layer[1]);
  cst_substep_size         y = {
              .stages = minus > plus ? minus : plus,
              .unknowns = 4 * s->nq + 4 * s->ng,
              .kept = 4 * s->nq + 4 * s->ng,
              .predicted = 4 * s->nq + 4 * s->ng,
              .matrix = dense(s) ? 2 * pow(3 * (q + g), 2) : 0,
  };
  count_evaluations(x, s, &y);
  y.cost = dense(s) ? 2 * (y.fixed + iterations * y.each) * cst_substep_unit(s)
                    : 40 * y.each * 4 * (q + 3 * g);
  return y;
}

static bool action(const void *of, cst_action *a) {
  const struct parameters *x = of;
  *a = (cst_action){.bias = x->bias, .minus = &x->layer[0], .plus = &x->layer[1]};
  return !x->of_w && !x->by_mass && !x->iota;
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  to->bias = x->bias;
  to->iteration = with->iteration;
  to->of_w = x->of_w;
  to->by_mass = x->by_mass;
#if FIBRED
  CST_TRY(cst_iota_bind(with, x->iota, &to->iota));
#endif
  for (int k = 0; k < 2; k++)
    CST_TRY(cst_stepper_bind_layer(with, &x->layer[k], true, &to->layer[k]));
  return 0;
}

/* The equations of nu1 and nu2 are met by elimination, and have no residual. */
static cst_jacobian jacobian(const void *x, const cst_system *s) {
  (void)x;
  return s->ng ? CST_JACOBIAN_NONE : CST_JACOBIAN_DIFFERENCES;
}

static const cst_substep_row row = {
    .name = CST_ROW_NAME,
    .data = sizeof(struct parameters),
    .iterations = FIBRED ? 1 << CST_ITERATION_NEWTON
                         : 1 << CST_ITERATION_SIMPLIFIED | 1 << CST_ITERATION_NEWTON |
                               1 << CST_ITERATION_CHORD | 1 << CST_ITERATION_KRYLOV,
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .jacobian = jacobian,
    .action = action,
    .bind = bind,
};
