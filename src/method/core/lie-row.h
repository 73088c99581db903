/* lie-row.h: what the cores on the rotation group have in common without their lanes: the data of a substep, and the
 * row. CORE is the name of the core, PIECES the number of pieces of its drift. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/joints.h"
#include "method/texts/lane-layer.h"

struct data {
  double w0, w1;  /* fractions of h for which the force acts at the left and at the right end */
  int    turning; /* position in the record of the momenta of the bodies in space axes */
  const cst_joints *joints;
  cst_lane_tau      tau; /* of a retraction from text */
};

#ifndef CST_W
#include "method/substep.h"
#include "method/texts/map.h"

struct parameters {
  double          w0, w1;
  int             exponential;
  const cst_text *tau; /* in place of both */
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->w0 == y->w0 && x->w1 == y->w1 && x->exponential == y->exponential && x->tau == y->tau;
}

/* The drift is its own adjoint; the operations at its two ends are exchanged. */
static bool adjoint(void *of) {
  struct parameters *x = of;
  const double       w = x->w0;
  x->w0 = x->w1;
  x->w1 = w;
  return true;
}

static cst_substep_size size(const void *of, const cst_system *s) {
#ifdef MOTION
#define PREDICTED(s) 0
  const int unknowns = s->nq - 6 * s->model->nbodies;
#else
#define PREDICTED(s) (s)->model->nown
  const int unknowns = 3 * PIECES * s->model->nbodies + s->model->nown;
#endif
  const double             g = s->model->gram.banded ? 30.0 * s->model->nown
                                                     : 0.1 * s->model->nown * s->model->nown *
                                               (s->model->nown + 3.0 * s->model->nbodies);
  const struct parameters *x = of;
  return (cst_substep_size){
      .stages = PIECES + (x->tau ? 1 + x->tau->number : x->exponential),
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = PREDICTED(s),
      .fixed = 1,
#ifdef STAGE
      .each = 1,
#endif
      .solves_fixed = s->model->nown > 0,
      .solves_each = 1,
      .cost = 60.0 * PIECES * s->model->nbodies + 4 * g,
  };
}

static void *make(const cst_system *s) { return cst_joints_create(s); }
static void  end(void *joints) { cst_joints_destroy(joints); }

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  void                    *joints;
  CST_TRY(cst_stepper_bind_shared(with, make, end, &joints));
  *to = (struct data){x->w0, x->w1, with->state[0], joints, {0}};
  CST_TRY(cst_tau_bind(with, x->tau, &to->tau));
  return 0;
}

static const cst_state_block state[] = {{"turning", .body = 3}, {NULL}};

static const cst_substep_row row = {
    .name = CST_ROW_NAME,
    .data = sizeof(struct parameters),
    .features = CST_TAKES_UP | CST_STEPS_FLAT,
    .state = state,
    .same = same,
    .adjoint = adjoint,
    .size = size,
#ifndef STAGE /* whose correction leaves the force out */
    .jacobian = cst_jacobian_of_corrections,
#endif
    .bind = bind,
};
#endif
