/* lie-alpha-row.h: what the program knows of the core of lie-alpha.c without lanes: its parameters, sizes,
 * and the accelerations from which it starts. Part of lie-alpha.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/constrained.h"
#include "method/core/row.h"

struct parameters {
  double am, af, beta, gamma;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  return !memcmp(one, other, sizeof(struct parameters));
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const int    unknowns = s->nq - 6 * s->nbodies + s->nown;
  const double g =
      s->gram.banded ? 30.0 * s->nown : 0.1 * s->nown * s->nown * (s->nown + 3.0 * s->nbodies);
  (void)of;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = unknowns,
      .each = 1,
      .solves_each = 1,
      .cost = 8 * (60.0 * s->nbodies + 4 * g),
  };
}

/* The angular acceleration in body axes, of R'R'', for R'' = A. */
static void angular(const double *R, const double *A, double *to) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 2) % 3, j = (k + 1) % 3;
    double    twist = 0;
    for (int r = 0; r < 3; r++)
      twist += R[3 * r + i] * A[3 * r + j] - R[3 * r + j] * A[3 * r + i];
    to[k] = twist / 2;
  }
}

static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  double     *A = cst_need(calloc((size_t)s->nq + 1, sizeof *A));
  cst_joints *joints = cst_joints_create(s);
  (void)x;
  cst_constrained_accelerations(s, c, q, v, A);
  for (int b = 0; joints && b < joints->bodies; b++)
    angular(q + joints->rotation[b], A + joints->rotation[b], state[0] + 3 * b);
  for (int k = 0; joints && k < joints->ordinary; k++)
    state[0][3 * joints->bodies + k] = A[joints->coordinate[k]];
  memcpy(state[1], state[0], (size_t)s->nq * sizeof **state);
  cst_joints_destroy(joints);
  free(A);
}

static void *make(const cst_system *s) { return cst_joints_create(s); }
static void  end(void *joints) { cst_joints_destroy(joints); }

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  void                    *joints;
  CST_TRY(cst_stepper_bind_shared(with, make, end, &joints));
  *(struct data *)lane = (struct data){x->am,          x->af,          x->beta,        x->gamma,
                                       with->state[0], with->state[1], with->state[2], joints};
  return 0;
}

static const cst_state_block state[] = {
    {"turning", .body = 3}, {"a-alpha", .q = 1}, {"A-alpha", .q = 1}, {NULL}};

/* start fills the accelerations; what turns is read off p at first. */
static void begin_run(const void *x, const cst_system *s, const double *c, const double *q,
                      const double *v, double *const *blocks) {
  start(x, s, c, q, v, blocks + 1);
}

static const cst_substep_row row = {
    .name = "lie-alpha",
    .data = sizeof(struct parameters),
    .features = CST_RECALLS,
    .state = state,
    .same = same,
    .size = size,
    .start = begin_run,
    .bind = bind,
};

cst_substep cst_lie_alpha(double fraction, double am, double af, double beta, double gamma) {
  return cst_substep_of(&row, fraction, &(struct parameters){am, af, beta, gamma});
}
