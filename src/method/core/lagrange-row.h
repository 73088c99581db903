/* lagrange-row.h: what the program knows of the core of lagrange.c without lanes: its parameters, sizes and
 * costs, and how it is bound to a system. Part of lagrange.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/core/row.h"
#include "system/derive/elimination.h"

struct parameters {
  double part[2], theta[2];
  int    points, tangent;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->points == y->points && x->tangent == y->tangent &&
         !memcmp(x->part, y->part, sizeof x->part) && !memcmp(x->theta, y->theta, sizeof x->theta);
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                unknowns = x->points * s->nq + s->ng;
  const double             n = s->nq;
  const double             products = x->points * n * n * (n / 3 + 1 + s->ng);
  return (cst_substep_size){
      .stages = x->points,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = unknowns,
      .fixed = x->points,
      .each = x->points,
      .solves_fixed = x->tangent && s->ng,
      .solves_each = 1,
      .cost = 4 * (cst_substep_unit(s) + 0.03 * products),
  };
}

static void *make_elimination(const cst_system *s) { return cst_elimination_create(s); }
static void  end_elimination(void *e) { cst_elimination_destroy(e); }

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  void                    *made;
  CST_TRY(cst_stepper_bind_shared(with, make_elimination, end_elimination, &made));
  const cst_elimination *e = made;
  *to = (struct data){
      .tangent = x->tangent,
      .filled_mass = e->mass,
      .filled_ends = e->ends,
      .filled_inside = e->inside,
      .filled_across = e->across,
  };
  memcpy(to->part, x->part, sizeof to->part);
  memcpy(to->theta, x->theta, sizeof to->theta);
  return 0;
}

/* Of two points, of RATTLE, both have the same velocity where M is constant. */
static bool action(const void *of, cst_action *a) {
  const struct parameters *x = of;
  double                   begun = 0;
  *a = (cst_action){.points = x->points};
  for (int r = 0; r < x->points; r++) {
    a->part[r] = x->part[r];
    a->theta[r] = begun + x->part[r] * x->theta[r];
    begun += x->part[r];
  }
  return true;
}

/* The reaction that steps share. */
static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  (void)x;
  cst_system_multipliers(s, c, q, v, state[0]);
}

static cst_error bind_shared(const void *of, const cst_lane_binding *with, void *lane) {
  CST_TRY(bind(of, with, lane));
  ((struct data *)lane)->reaction = with->state[0];
  return 0;
}

static const cst_state_block shared[] = {{"reaction", .g = 1}, {NULL}};
static const cst_substep_row nonholonomic_row = {
    .name = "nonholonomic",
    .file = "lagrange",
    .data = sizeof(struct parameters),
    .state = shared,
    .same = same,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .action = action,
    .start = start,
    .bind = bind_shared,
};

cst_substep cst_lagrange_nonholonomic(double fraction) {
  const struct parameters x = {{0.5, 0.5}, {0, 1}, .points = 2, .tangent = true};
  return cst_substep_of(&nonholonomic_row, fraction, &x);
}

static const cst_substep_row row = {
    .name = "lagrange",
    .data = sizeof(struct parameters),
    .same = same,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .action = action,
    .bind = bind,
};

cst_substep cst_lagrange(double fraction, int points, const double *part, const double *theta,
                         bool tangent) {
  struct parameters x = {.points = points, .tangent = tangent};
  for (int r = 0; r < points; r++) {
    x.part[r] = part[r];
    x.theta[r] = theta[r];
  }
  return cst_substep_of(&row, fraction, &x);
}
