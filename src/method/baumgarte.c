/* baumgarte.c: baumgarte(LAYER, alpha=, beta=): a layer's step on the index-reduced equations with
 * Baumgarte's stabilisation.
 *
 *   M A = f - G'lambda,   G A = -D2g[v, v] - 2 alpha G v - beta^2 g
 *
 * g and G v then satisfy g'' + 2 alpha g' + beta^2 g = 0 but for the errors of the layer: they stay of the
 * size of its local error over h alpha. Keeps the order of the layer and no constraint. Too large an alpha
 * or beta makes the equation stiff: h alpha below about 1.
 *
 * Source: Baumgarte 1972. Arithmetic: core/rk.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/layer.h"

typedef struct {
  cst_term *layer;
  double    alpha, beta;
} values;

#define EXAMPLE "baumgarte(rk4, alpha=5, beta=5)"
static const cst_key arguments[] = {
    {"", "LAYER", CST_BY_PLACE, NULL, NULL, "", EXAMPLE, "a layer with a tableau",
     .value = {CST_VALUE_TABLEAU, CST_AT(values, layer)}},
    {"", "alpha", CST_BY_NAME, NULL, NULL, "1/time", EXAMPLE, "the rate at which G v is damped",
     .value = {CST_VALUE_NUMBER, CST_AT(values, alpha), 0, CST_NO_LIMIT}},
    {"", "beta", CST_BY_NAME, NULL, NULL, "1/time", EXAMPLE, "the rate at which g is pulled back",
     .value = {CST_VALUE_NUMBER, CST_AT(values, beta), 0, CST_NO_LIMIT}},
    {0}};

CST_VALUES_OF_TERM

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->ng > 0)
    return cst_term_fits(values_of(t).layer, s, why, n);
  snprintf(why, (size_t)n, "baumgarte needs constraints and %s has none", s->name);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  cst_layer    l = {0};
  cst_term_layer(x.layer, &l);
  cst_program_add(p, cst_rk_stabilised(fraction, &l, x.alpha, x.beta));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_layer_properties(cst_term_properties(values_of(t).layer, s).order_q, 0);
}

const cst_method_row cst_method_row_baumgarte = {
    .info =
        {.name = "baumgarte",
         .doc = "A layer's step on Baumgarte's stabilised equations, in which violations of the "
                "constraints "
                "decay.",
         .equations = "M A = f - G'lambda,  G A = -D2g[v, v] - 2 alpha G v - beta^2 g",
         .notes =
             "alpha and beta are rates; alpha = beta is critical damping. Keeps the order of the "
             "layer "
             "and no constraint exactly. Steps longer than about 1/alpha are unstable for explicit "
             "layers.\nerror_lambda is that of the multipliers of M A = f - G'lambda at its state, "
             "not "
             "of the stabilised equation.\nThe layer has a tableau; project(...) and convert(...) "
             "take "
             "the layer itself.",
         .source = "Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972)",
         .signature = "baumgarte(LAYER, alpha=, beta=)",
         .example = EXAMPLE},
    .steps = CST_STEPS_ALL,
    .arguments = arguments,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
