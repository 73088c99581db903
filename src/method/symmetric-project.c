/* symmetric-project.c: symmetric-project(LAYER): the start is moved off the constraints by the multipliers
 * by which the end of the layer's step is moved onto them.
 *
 * Keeps both constraints, the layer's order, and its symmetry, which project(LAYER) loses; nothing else. For
 * comparison. Sources: Ascher, Reich, On some difficulties in integrating highly oscillatory Hamiltonian
 * systems (1999); Hairer, Symmetric projection methods for differential equations on manifolds, BIT 40
 * (2000); Hairer, Lubich, Wanner, Geometric Numerical Integration, V.4.1. Arithmetic: core/symmetric.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/layer.h"

typedef struct {
  cst_term *layer;
} values;

static const cst_key arguments[] = {{"", "LAYER", CST_BY_PLACE, NULL, NULL, "",
                                     "symmetric-project(gauss(2))", "a layer with a tableau",
                                     .value = {CST_VALUE_TABLEAU, CST_AT(values, layer)}},
                                    {0}};

static cst_term *layer_of(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.layer;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->ng == 0)
    snprintf(why, (size_t)n, "symmetric-project needs constraints and %s has none", s->name);
  else if (s->nq > CST_MAX_Q)
    snprintf(why, (size_t)n, "symmetric-project takes at most %d coordinates, and %s has %d",
             CST_MAX_Q, s->name, s->nq);
  else
    return cst_term_fits(layer_of(t), s, why, n);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer l = {0};
  cst_term_layer(layer_of(t), &l);
  cst_program_add(p, cst_symmetric(fraction, &l));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const cst_properties x = cst_term_properties(layer_of(t), s);
  return cst_layer_properties(x.order_q, (x.claims & CST_CLAIM_SYMMETRIC) | CST_CLAIM_POSITIONS |
                                             CST_CLAIM_VELOCITIES);
}

const cst_method_row cst_method_row_symmetric_project = {
    .info = {.name = "symmetric-project",
             .doc = "A layer's step between two projections by the same multipliers: keeps both "
                    "constraints and the layer's symmetry; for comparison.",
             .equations = "q~ = q0 + G(q0)'m, v~ = v0 + G(q0)'n;  (q^, v^) = LAYER_h(q~, v~);  q1 "
                          "= q^ + G(q1)'m, v1 = v^ + G(q1)'n\n"
                          "g(q1) = 0, G(q1) v1 = 0",
             .source = "Hairer, Symmetric projection methods for differential equations on "
                       "manifolds, BIT 40 (2000) 726; Hairer, Lubich, Wanner, Geometric Numerical "
                       "Integration, V.4.1",
             .signature = "symmetric-project(LAYER)",
             .example = "symmetric-project(gauss(2))"},
    .arguments = arguments,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
