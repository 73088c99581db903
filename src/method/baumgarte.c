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
#include <string.h>
#include "method/layer.h"

static double number(const cst_term *t, const char *key) {
  return cst_term_argument(t, key)->number;
}

static bool check_number(const cst_term *t, const char *key, cst_expr_error *e) {
  const cst_term *x = cst_term_argument(t, key);
  if (!x)
    return cst_term_error(t, e, "baumgarte needs %s=: baumgarte(rk4, alpha=5, beta=5)", key);
  return (x->kind == CST_TERM_NUMBER && x->number >= 0 && x->number - x->number == 0) ||
         cst_term_error(x, e, "%s of baumgarte is a rate of at least 0", key);
}

static bool check_layer(cst_term *t, cst_expr_error *e) {
  cst_layer l = {0};
  if (!cst_term_method(t, e))
    return false;
  if (!cst_term_layer(t, &l))
    return cst_term_error(
        t, e, "'%s' is not a layer; baumgarte takes a one-step layer such as rk4 or gauss(2)",
        t->name);
  return !l.rule ||
         cst_term_error(
             t, e,
             "'%s' is given by formulas of its own accelerations; baumgarte takes a layer "
             "with a tableau, such as rk4 or gauss(2)",
             t->name);
}

static bool check(const cst_term *t, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++)
    if (t->key[i] && strcmp(t->key[i], "alpha") && strcmp(t->key[i], "beta"))
      return cst_term_error(t->arg[i], e, "baumgarte takes no '%s='; it takes alpha and beta",
                            t->key[i]);
  if (t->n != 3 || t->key[0])
    return cst_term_error(
        t, e, "baumgarte takes a layer, alpha and beta: baumgarte(rk4, alpha=5, beta=5)");
  return check_number(t, "alpha", e) && check_number(t, "beta", e) && check_layer(t->arg[0], e);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  if (s->ng > 0)
    return cst_term_fits(t->arg[0], s, why, n);
  snprintf(why, (size_t)n, "baumgarte needs constraints and %s has none", s->name);
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer l = {0};
  cst_term_layer(t->arg[0], &l);
  cst_program_add(p, cst_rk_stabilised(fraction, &l, number(t, "alpha"), number(t, "beta")));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_layer_properties(cst_term_properties(t->arg[0], s).order_q, 0);
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
         .example = "baumgarte(rk4, alpha=5, beta=5)"},
    .check = check,
    .steps = CST_STEPS_ALL,
    .fits = fits,
    .of_layer = true,
    .properties = properties,
    .expand = expand,
};
