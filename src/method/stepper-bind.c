/* stepper-bind.c: what a stepper makes for the lane code of its substeps when they are bound: numbers, data
 * that substeps share, and the kernels of layers. Each is made once, and the stepper owns it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "method/stepper-internal.h"

cst_error cst_stepper_bind_numbers(const cst_lane_binding *b, size_t n, double **x) {
  cst_stepper *st = b->stepper;
  st->numbers = cst_need(realloc(st->numbers, (size_t)(st->nnumbers + 1) * sizeof *st->numbers));
  *x = cst_zeros(n, sizeof **x);
  st->numbers[st->nnumbers++] = *x;
  return 0;
}

cst_error cst_stepper_bind_shared(const cst_lane_binding *b, void *(*make)(const cst_system *s),
                                  void (*end)(void *), void **x) {
  cst_stepper *st = b->stepper;
  int          i = 0;
  while (i < st->nshared && st->shared[i].make != make)
    i++;
  if (i == st->nshared) {
    st->shared = cst_need(realloc(st->shared, (size_t)(i + 1) * sizeof *st->shared));
    st->shared[st->nshared++] = (cst_stepper_shared){make, end, make(b->system)};
  }
  *x = st->shared[i].made;
  CST_CHECK(*x, MPI_COMM_SELF, CST_ERR_SUP, "the constraints of %s make too large a matrix",
            b->system->name);
  return 0;
}

/* The kernels of a rule, made on first use. */
static cst_error find_flow(const cst_lane_binding *b, const cst_flow_rule *rule, bool derivatives,
                           const cst_flow **flow) {
  cst_stepper *st = b->stepper;
  char         why[400];
  for (int i = 0; i < st->nflow; i++)
    if (st->flow[i].rule == rule && st->flow[i].derivatives == derivatives) {
      *flow = st->flow[i].flow;
      return 0;
    }
  st->flow = cst_need(realloc(st->flow, (size_t)(st->nflow + 1) * sizeof *st->flow));
  cst_flow *made = cst_flow_create(rule, b->system, b->isa, derivatives, why, sizeof why);
  CST_CHECK(made, MPI_COMM_SELF, CST_ERR_SUP, "%s", why);
  st->flow[st->nflow++] = (cst_stepper_flow){rule, derivatives, made};
  *flow = made;
  return 0;
}

cst_error cst_stepper_bind_layer(const cst_lane_binding *b, const cst_layer *l, bool derivatives,
                                 cst_lane_layer *to) {
  const cst_flow *f;
  *to = (cst_lane_layer){
      l->tableau.stages, l->tableau.implicit, l->tableau.a, l->tableau.b, NULL, NULL};
  if (!l->rule)
    return 0;
  CST_TRY(find_flow(b, l->rule, derivatives, &f));
  *to = (cst_lane_layer){.flow = cst_flow_kernels(f), .self = cst_flow_self(f)};
  return 0;
}
