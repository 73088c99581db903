/* adjoint.c: adjoint(METHOD): the method whose step of h undoes METHOD's step of -h. Source: Hairer, Lubich,
 * Wanner, II.3.
 *
 * Rewrites the program: reversed order, and each substep replaced by its adjoint (euler-a becomes euler-b and
 * vice versa, a tableau its adjoint tableau). shake and project(LAYER) are not bijections of the constrained
 * phase space and have no adjoint. The inverse of a layer given by formulas is not implemented.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "method/method.h"

typedef struct {
  cst_term *method;
} values;

static const cst_key arguments[] = {{"", "METHOD", CST_BY_PLACE, NULL, NULL, "", "adjoint(euler-a)",
                                     "a method",
                                     .value = {CST_VALUE_METHOD, CST_AT(values, method)}},
                                    {0}};

static cst_term *method_of(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return x.method;
}

static bool check(const cst_term *t, cst_expr_error *e) {
  cst_term   *method = method_of(t);
  cst_program p = {0};
  cst_term_expand(method, &p, 1.0);
  const bool has = cst_program_adjoint(&p, 0);
  free(p.step);
  return has || cst_term_error(
                    method, e,
                    "'%s' has no adjoint: it is given by formulas, or is not a bijection of the "
                    "constrained phase space",
                    method->name);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_term_fits(method_of(t), s, why, n);
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  int first = p->n;
  cst_term_expand(method_of(t), p, fraction);
  cst_program_adjoint(p, first);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_term_properties(method_of(t), s);
}

const cst_method_row cst_method_row_adjoint = {
    .info = {.name = "adjoint",
             .doc = "The adjoint of a method: its step of h undoes the method's step of -h.",
             .equations = "Phi*_h = (Phi_-h)^-1",
             .source = "Hairer, Lubich, Wanner, Geometric Numerical Integration, II.3",
             .signature = "adjoint(METHOD)",
             .example = "adjoint(euler-a)"},
    .layer = cst_program_layer,
    .arguments = arguments,
    .check = check,
    .steps = CST_STEPS_LAYERS,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
