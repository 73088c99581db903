/* layers.c: the explicit one-step layers: one row per tableau of tableau/tableau-explicit.c. They keep no constraint;
 * project(LAYER) does. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer_add(p, fraction, cst_tableau_find(t->name));
}

static bool layer(const cst_term *t, cst_layer *l) {
  l->tableau = *cst_tableau_find(t->name);
  return true;
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_tableau_properties(cst_tableau_find(t->name), s);
}

#define LAYER(ident, label, text, from)                                                            \
  const cst_method_row cst_method_row_##ident = {                                                  \
      .info = {.name = label,                                                                      \
               .doc = text " On the index-reduced equations; keeps no constraint.",                \
               .equations = "q' = v,  v' = A(q, v)",                                               \
               .source = from,                                                                     \
               .signature = label,                                                                 \
               .example = label},                                                                  \
      .steps = CST_STEPS_LAYERS,                                                                   \
      .layer = layer,                                                                              \
      .properties = properties,                                                                    \
      .expand = expand,                                                                            \
  }
LAYER(euler, "euler", "Explicit Euler.", "Euler 1768");
LAYER(explicit_midpoint, "explicit-midpoint", "Runge's midpoint rule.", "Runge 1895");
LAYER(heun, "heun", "Heun's second-order method.", "Heun 1900");
LAYER(rk3, "rk3", "Kutta's third-order method.", "Kutta 1901");
LAYER(rk4, "rk4", "The classical fourth-order Runge-Kutta method.", "Kutta 1901");
LAYER(rk5, "rk5", "Butcher's fifth-order method, six stages.", "Butcher 1964");
LAYER(rk6, "rk6", "Butcher's sixth-order method, seven stages.", "Butcher 1964");
LAYER(rk8, "rk8", "Cooper and Verner's eighth-order method, eleven stages.",
      "Cooper, Verner, SIAM J. Numer. Anal. 9 (1972)");
