/* project.c: project(LAYER): a layer's step, then q is projected onto g = 0 by the Euclidean projection P,
 * then v M-orthogonally onto G v = 0 at the new q.
 *
 * Keeps both constraints and the layer's order, and nothing else: the usual remedy for drift off the
 * manifold, for comparison. Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4.
 * Arithmetic: core/rk.c, core/project.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/layer.h"

typedef struct {
  cst_term *layer;
} values;

static const cst_key arguments[] = {{"", "LAYER", CST_BY_PLACE, NULL, NULL, "", "project(rk4)",
                                     "a layer", .value = {CST_VALUE_LAYER, CST_AT(values, layer)}},
                                    {0}};

static cst_term *layer_of(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.layer;
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->ng > 0)
    return cst_term_fits(layer_of(t), s, why, n);
  snprintf(why, (size_t)n, "project needs constraints and %s has none", s->name);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_term_expand(layer_of(t), p, fraction);
  cst_program_add(p, cst_substep_project(fraction));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_layer_properties(cst_term_properties(layer_of(t), s).order_q,
                              CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES);
}

const cst_method_row cst_method_row_project = {
    .info = {.name = "project",
             .doc = "A layer's step followed by projection on both constraints.",
             .equations =
                 "(q*, v*) = LAYER_h(q, v);  q1 = q* + G(q1)'theta, g(q1) = 0;  p1 = M v* - "
                 "G(q1)'m, G(q1) M^-1 p1 = 0",
             .source = "Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4",
             .signature = "project(LAYER)",
             .example = "project(rk4)"},
    .steps = CST_STEPS_LAYERS,
    .arguments = arguments,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
