/* test-complex.c: values at complex arguments: real ones to the bit, complex-step derivatives against those
 * of the graph, and arguments without derivatives. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include <math.h>
#include <string.h>
#include "constella/expr.h"
#include "expr/expr-internal.h"
#include "tap.h"

#ifndef CMPLX /* of C11; the C library defines it for gcc alone */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif

static cst_binding names[3];

static cst_graph *start(void) {
  cst_graph               *g = cst_graph_create();
  static const char *const name[] = {"x", "y", "n"};
  for (int i = 0; i < 3; i++)
    names[i] = (cst_binding){.name = name[i], .node = cst_graph_input(g, i < 2 ? 'q' : 'c', i % 2)};
  return g;
}

static cst_node parse(cst_graph *g, const char *text) {
  cst_expr_error error;
  return cst_expr_parse(g, text, names, 3, &error);
}

/* Real arguments give the tape's bits, and Im f(x + i h w) / h is the forward derivative along w. */
static void check(const char *text, double x, double y, double n) {
  cst_graph           *g = start();
  cst_node             f = parse(g, text), w[2], slope;
  const double         q[2] = {x, y}, along[2] = {0.7, -1.3}, h = 1e-30;
  const double complex Q[2] = {x, y}, Z[2] = {CMPLX(x, h * along[0]), CMPLX(y, h * along[1])},
                       c = n;
  double complex real, stepped;
  double         value, derivative;
  for (int i = 0; i < 2; i++)
    w[i] = cst_graph_input(g, 'w', i);
  cst_graph_tangent(g, &f, 1, (cst_node[]){names[0].node, names[1].node}, w, 2, &slope);
  cst_tape     *tf = cst_tape_create(g, &f, 1), *ts = cst_tape_create(g, &slope, 1);
  const double *in[128] = {['q'] = q, ['w'] = along, ['c'] = &n};
  cst_evaluate_tape(tf, in, &value);
  cst_evaluate_tape(ts, in, &derivative);
  bool plain = cst_graph_eval_complex(
      g, &f, 1, (const double complex *const[128]){['q'] = Q, ['c'] = &c}, &real);
  bool analytic = cst_graph_eval_complex(
      g, &f, 1, (const double complex *const[128]){['q'] = Z, ['c'] = &c}, &stepped);
  double bits = creal(real);
  OK(plain && !memcmp(&bits, &value, sizeof value) && cimag(real) == 0,
     "%s at (%g, %g): the bits of a tape", text, x, y);
  OK(analytic && fabs(creal(stepped) - value) <= 1e-15 * fabs(value) + 1e-15,
     "%s at (%g, %g): the value after a step", text, x, y);
  OK(fabs(cimag(stepped) / h - derivative) <= 4e-15 * fmax(fabs(derivative), 1),
     "%s at (%g, %g): slope %g", text, x, y, derivative);
  cst_tape_destroy(tf);
  cst_tape_destroy(ts);
  cst_graph_destroy(g);
}

static void none(const char *text, double x, double y, double n) {
  cst_graph           *g = start();
  cst_node             f = parse(g, text);
  const double complex Z[2] = {CMPLX(x, 1e-30), CMPLX(y, 3e-30)}, c = n;
  double complex       out;
  OK(!cst_graph_eval_complex(g, &f, 1, (const double complex *const[128]){['q'] = Z, ['c'] = &c},
                             &out),
     "%s at (%g, %g): none", text, x, y);
  cst_graph_destroy(g);
}

/* The functions of the table that have a value at (x, y). */
static void check_table(double x, double y) {
  for (int i = 0; cst_graph_function(i); i++) {
    const cst_function *f = &cst_functions[i];
    char                text[64];
    if (f->make || isnan(cst_elementary_apply(f->op, x, y)))
      continue;
    snprintf(text, sizeof text, f->arguments == 2 ? "%s(x, y)" : "%s(x)", f->name);
    check(text, x, y, 0);
  }
}

/* Near 0 value and slope of expm1, log1p, sinh, tanh and asin keep all digits: x, and 1. */
static void check_small(const char *text) {
  cst_graph           *g = start();
  cst_node             f = parse(g, text);
  const double complex Z[2] = {CMPLX(1e-17, 1e-30)};
  double complex       out;
  cst_graph_eval_complex(g, &f, 1, (const double complex *const[128]){['q'] = Z}, &out);
  OK(fabs(creal(out) / 1e-17 - 1) < 1e-15 && fabs(cimag(out) / 1e-30 - 1) < 1e-15,
     "%s at 1e-17: all digits", text);
  cst_graph_destroy(g);
}

int main(void) {
  static const char *const everywhere[] = {"x + y - 2*x*y",
                                           "x/y - 3/(x - 2*y)",
                                           "x^3*y^-2",
                                           "sin(x)*cos(y) - tan(x*y/4)",
                                           "exp(x - y)*x",
                                           "-x^2",
                                           "atan2(y, x)",
                                           "atan2(x*y, x - y)",
                                           "sqrt(x^2 + y^2)",
                                           "log(1 + x^2)*y",
                                           "(x^2 + y^2)^-1.5",
                                           "(1 + x*x)^y",
                                           "x^n"};
  for (size_t k = 0; k < sizeof everywhere / sizeof *everywhere; k++)
    for (int i = 0; i < 4; i++)
      check(everywhere[k], i % 2 ? -1.1 : 0.6, i / 2 ? -0.37 : 1.7, 3);
  const double of_table[] = {0.6, 0.999, 1e-3, 1e-9, -0.37, -1.1, 3, 40, 350};
  for (size_t k = 0; k < sizeof of_table / sizeof *of_table; k++)
    check_table(of_table[k], 1.7);
  const char *const small[] = {"expm1(x)", "log1p(x)", "sinh(x)", "tanh(x)", "asin(x)"};
  for (size_t k = 0; k < sizeof small / sizeof *small; k++)
    check_small(small[k]);
  check("atan2(y, x)", -1.7, 1e-3, 0);
  check("atan2(y, x)", -1.7, -1e-3, 0);
  check("x^n", 1.3, 0, 2.4);
  check("sqrt(n)*x", 2, 0, 0); /* the derivative of a constant */
  none("sqrt(x)", -1, 0, 0);
  none("sqrt(x)", 0, 0, 0);
  none("log(x*y)", -1, 2, 0);
  none("log1p(x)", -1, 0, 0);
  none("asin(x)", 1, 0, 0);
  none("acos(x)", -1.5, 0, 0);
  none("atan2(x, y)", 0, 0, 0);
  none("x^n", -1, 0, 2.5);
  return tap_done();
}
