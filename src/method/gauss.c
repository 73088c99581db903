/* gauss.c: gauss(s): collocation at the s Gauss nodes, order 2s, on the index-reduced equations.
 *
 * Symmetric; symplectic on unconstrained systems. With constraints the index-reduced equations are not
 * Hamiltonian in (q, p) off the manifold, so neither symplecticity nor g = 0 is claimed; quadratic invariants
 * of the reduced flow (momentum maps of linear symmetries) are kept. Source: Hairer, Lubich, Wanner,
 * Geometric Numerical Integration, II.1.3 and IV.2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/layer.h"

typedef struct {
  int stages;
} values;

static const cst_key arguments[] = {
    {"", "s", CST_BY_PLACE, NULL, NULL, "", "gauss(2)", "the number of stages",
     .value = {CST_VALUE_INTEGER, CST_AT(values, stages), 1, CST_MAX_GAUSS}},
    {0}};

static int stages(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.stages;
}

static bool layer(const cst_term *t, cst_layer *l) {
  l->tableau = cst_tableau_gauss(stages(t));
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_tableau tableau = cst_tableau_gauss(stages(t));
  cst_layer_add(p, fraction, &tableau);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  const cst_tableau tableau = cst_tableau_gauss(stages(t));
  return cst_tableau_properties(&tableau, s);
}

const cst_method_row cst_method_row_gauss = {
    .info =
        {.name = "gauss",
         .doc =
             "Gauss collocation with s stages, order 2s, on the index-reduced equations; the usual "
             "reference solution.",
         .equations = "Q_i = q + h sum a_ij V_j,  V_i = v + h sum a_ij A(Q_j, V_j)",
         .notes = "Stages are iterated functionally. An iteration makes the error smaller by about "
                  "h^2 |dA/dq| + h |dA/dv|. Where this is above one half, as with stiff springs "
                  "behind joints, steps need more than the usual 25 iterations (`max-iterations` "
                  "of the study).",
         .source = "Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1.3",
         .signature = "gauss(s)",
         .example = "gauss(2)"},
    .steps = CST_STEPS_LAYERS,
    .layer = layer,
    .arguments = arguments,
    .properties = properties,
    .expand = expand,
};
