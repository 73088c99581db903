/* constrained-row.h: what the program knows of the core of constrained.c without lanes: its parameters,
 * tables, sizes, and the accelerations from which generalised-alpha starts. Part of constrained.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/constrained.h"
#include "method/core/row.h"

struct parameters {
  int    kind, stages, positions, velocities;
  double am, af, beta, gamma;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->kind == y->kind && x->stages == y->stages && x->positions == y->positions &&
         x->velocities == y->velocities && x->am == y->am && x->af == y->af && x->beta == y->beta &&
         x->gamma == y->gamma;
}

/* each: the residual, and derivatives of it along all coordinates and, if f depends on them, velocities. */
static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                both = s->ng > 0 && x->positions && x->velocities;
  const int                stages = x->kind == BDF ? 1 : x->stages;
  const int                unknowns = stages * (1 + both) * (s->nq + s->ng);
  const double             matrix = (double)stages * (s->nq + (1 + both) * s->ng);
  const double             each = stages * (1.0 + (s->general ? 2 : 1) * s->nq);
  const double             iterations = 3;
  return (cst_substep_size){
      .stages = stages,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = x->kind == BDF ? 0 : unknowns,
      .matrix = matrix * matrix,
      .each = each,
      .solves_each = 1,
      .cost = iterations * (each * cst_substep_unit(s) + 0.2 * matrix * matrix * matrix),
  };
}

/* a and A of generalised-alpha: the accelerations of the index-1 equations. */
static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  (void)x;
  cst_constrained_accelerations(s, c, q, v, state[0]);
  memcpy(state[1], state[0], (size_t)s->nq * sizeof **state);
}

/* C, B, D and c of Radau IIA with s stages. */
static void radau_table(int s, double *to) {
  const cst_tableau t = cst_tableau_radau(s);
  for (int i = 0; i < s; i++) {
    to[3 * s * s + i] = t.c[i];
    for (int j = 0; j < s; j++) {
      double square = 0;
      for (int k = 0; k < s; k++)
        square += t.a[i * s + k] * t.a[k * s + j];
      to[i * s + j] = to[2 * s * s + i * s + j] = t.a[i * s + j];
      to[s * s + i * s + j] = square;
    }
  }
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  static const double      bdf[] = {1, 2 / 3., 6 / 11., 12 / 25., 60 / 137.};
  const struct parameters *x = of;
  struct data             *to = lane;
  const int                s = x->kind == RADAU ? x->stages : 1, first = STARTING_STAGES;
  double                  *table;
  CST_TRY(
      cst_stepper_bind_numbers(with, (size_t)(s * (3 * s + 1) + first * (3 * first + 1)), &table));
  *to = (struct data){
      .kind = x->kind,
      .positions = x->positions,
      .velocities = x->velocities,
      .back = x->kind == BDF ? x->stages - 1 : 0,
      .own = table,
      .first = table + s * (3 * s + 1),
      .am = x->am,
      .af = x->af,
      .beta = x->beta,
      .gamma = x->gamma,
  };
  radau_table(first, table + s * (3 * s + 1));
  if (x->kind == RADAU) {
    radau_table(s, table);
    return 0;
  }
  const double kappa = (1 - x->af) / (1 - x->am), beta = bdf[x->kind == BDF ? x->stages - 1 : 0];
  const double alpha_table[] = {x->gamma * kappa, x->beta * kappa, 1, 1};
  const double bdf_table[] = {beta, beta * beta, beta, 1};
  memcpy(table, x->kind == BDF ? bdf_table : alpha_table, sizeof bdf_table);
  if (x->kind == ALPHA || x->stages > 1)
    memcpy(to->block, with->state, sizeof to->block);
  return 0;
}

/* One row for each set of blocks of the record. */
#define ROW(blocks, begin)                                                                         \
  {                                                                                                \
    .name = "constrained", .data = sizeof(struct parameters), .state = blocks,                     \
    .features = (begin) != NULL || (blocks) != NULL ? CST_RECALLS : 0, .same = same, .size = size, \
    .start = begin, .bind = bind                                                                   \
  }
static const cst_state_block accelerations[] = {{"a-alpha", .q = 1}, {"A-alpha", .q = 1}, {NULL}};
static const cst_state_block earlier[4][3] = {{{"q-earlier", .q = 1}, {"v-earlier", .q = 1}},
                                              {{"q-earlier", .q = 2}, {"v-earlier", .q = 2}},
                                              {{"q-earlier", .q = 3}, {"v-earlier", .q = 3}},
                                              {{"q-earlier", .q = 4}, {"v-earlier", .q = 4}}};
static const cst_substep_row row = ROW(NULL, NULL);
static const cst_substep_row row_alpha = ROW(accelerations, start);
static const cst_substep_row row_bdf[] = {ROW(NULL, NULL), ROW(earlier[0], NULL),
                                          ROW(earlier[1], NULL), ROW(earlier[2], NULL),
                                          ROW(earlier[3], NULL)};

cst_substep cst_constrained_radau(double fraction, int s, bool positions, bool velocities) {
  return cst_substep_of(
      &row, fraction,
      &(struct parameters){
          .kind = RADAU, .stages = s, .positions = positions, .velocities = velocities});
}

cst_substep cst_constrained_alpha(double fraction, double am, double af, double beta, double gamma,
                                  bool velocities) {
  return cst_substep_of(&row_alpha, fraction,
                        &(struct parameters){ALPHA, 1, 1, velocities, am, af, beta, gamma});
}

cst_substep cst_constrained_bdf(double fraction, int k) {
  return cst_substep_of(
      &row_bdf[k - 1], fraction,
      &(struct parameters){.kind = BDF, .stages = k, .positions = 1, .velocities = 1});
}
