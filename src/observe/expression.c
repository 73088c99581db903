/* expression.c: the observer of an expression of the user, under its own name; its scale is its magnitude. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "expr/tape-lanes.h"
#include "observe/observer.h"
#include "system/lane/record.h"

static void measure(const cst_observation *look, const cst_view *view, double *kept, double *value,
                    double *scale) {
  const cst_layout *at = &view->context->at;
  const int         W = cst_isas[view->isa].width;
  const double     *in[128]; /* a tape reads only the inputs that it uses */
  (void)kept;
  in['c'] = view->record + at->c * W;
  in['q'] = view->record + at->q * W;
  in['v'] = view->v;
  in['l'] = view->lambda;
  in['t'] = view->time;
  cst_tape_lanes_of(view->isa)->measure(look->tape, in, value, scale, view->scratch);
}

static cst_traced along(const cst_observation *look, const cst_view *view, const cst_states *states,
                        double *room) {
  const cst_context *C = view->context;
  const size_t       W = (size_t)cst_isas[view->isa].width;
  const double      *in[128];
  size_t             step[128];
  char               letter;
  int                index;
  in['c'] = view->record + (size_t)C->at.c * W, step['c'] = 0;
  in['q'] = states->q, step['q'] = states->stride;
  in['v'] = states->v, step['v'] = (size_t)C->nq * W;
  in['l'] = view->lambda, step['l'] = 0;
  in['t'] = states->time, step['t'] = W;
  if (cst_tape_is_input(look->tape, &letter, &index))
    return (cst_traced){in[(int)letter] + (size_t)index * W, step[(int)letter]};
  cst_tape_lanes_of(view->isa)->along(look->tape, states->n, in, step, room, view->scratch);
  return (cst_traced){room, W};
}

/* Not of multipliers, whose own round-off is that of a linear solve. */
static bool bound(const cst_observation *look, const cst_bounded_state *now, cst_bounded *x) {
  const cst_bounded *const in[128] = {
      ['c'] = now->c, ['q'] = now->q, ['v'] = now->v, ['t'] = now->time};
  int reach[128];
  cst_tape_reach(look->tape, reach);
  if (reach['l'])
    return false;
  cst_tape_bound(look->tape, in, x);
  return true;
}

static void describe(const cst_observation *look, int k, cst_quantity *q) {
  (void)k;
  *q = (cst_quantity){.unit = "1",
                      .doc = look->expression,
                      .drifts = true,
                      .judged = true,
                      .windows = true,
                      .moves = true};
  snprintf(q->name, sizeof q->name, "%s", look->name);
}

const cst_observer cst_observer_expression = {
    .name = "NAME: EXPRESSION",
    .doc = "of coordinates, velocities x', multipliers lambda_NAME, parameters, pi, t",
    .expression = true,
    .describe = describe,
    .bound = bound,
    .measure = measure,
    .along = along,
};
