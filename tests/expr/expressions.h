/* expressions.h: shared by the tests of expressions: names, points, evaluation, comparison of bits. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXPRESSIONS_H
#define EXPRESSIONS_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "constella/expr.h"
#include "expr/expr-internal.h"
#include "tap.h"

enum { NQ = 3, NAMES = 9 };

/* x y z are q, their apostrophed forms v, a and b parameters, t time. w and u are directions without a name.
 */
typedef struct {
  cst_graph  *g;
  cst_node    q[NQ], v[NQ], w[NQ], u[NQ];
  cst_binding names[NAMES];
} setting;

__attribute__((unused)) static setting setting_create(void) {
  static const char *const text[NAMES] = {"x", "y", "z", "x'", "y'", "z'", "a", "b", "t"};
  setting                  s = {.g = cst_graph_create()};
  for (int i = 0; i < NQ; i++) {
    s.q[i] = cst_graph_input(s.g, 'q', i), s.v[i] = cst_graph_input(s.g, 'v', i);
    s.w[i] = cst_graph_input(s.g, 'w', i), s.u[i] = cst_graph_input(s.g, 'u', i);
    s.names[i] = (cst_binding){.name = text[i], .node = s.q[i]},
    s.names[NQ + i] = (cst_binding){.name = text[NQ + i], .node = s.v[i]};
  }
  for (int i = 0; i < 2; i++)
    s.names[6 + i] = (cst_binding){.name = text[6 + i], .node = cst_graph_input(s.g, 'c', i)};
  s.names[8] = (cst_binding){.name = text[8], .node = cst_graph_input(s.g, 't', 0)};
  return s;
}

__attribute__((unused)) static cst_node parse(const setting *s, const char *text) {
  cst_expr_error error = {0};
  const cst_node n = cst_expr_parse(s->g, text, s->names, NAMES, &error);
  if (n < 0)
    NOTE("'%s': %d: %s", text, error.offset, error.message);
  return n;
}

/* An unround point: every argument array, and the pointers to them. */
typedef struct {
  double q[NQ], v[NQ], w[NQ], u[NQ], c[2], t[1];
} point;

static const point here = {{0.7312, 1.2791, 0.5883},  {0.3127, -0.9431, 1.7719},
                           {-0.6131, 0.4243, 0.8837}, {1.1933, 0.2719, -0.5077},
                           {1.6173, 0.3319},          {0.8171}};

__attribute__((unused)) static void evaluate(const setting *s, const cst_node *out, int n,
                                             const point *p, double *result) {
  const double *in[128] = {
      ['q'] = p->q, ['v'] = p->v, ['w'] = p->w, ['u'] = p->u, ['c'] = p->c, ['t'] = p->t};
  cst_tape *t = cst_tape_create(s->g, out, n);
  cst_evaluate_tape(t, in, result);
  cst_tape_destroy(t);
}

__attribute__((unused)) static double evaluate_one(const setting *s, cst_node n, const point *p) {
  double r;
  evaluate(s, &n, 1, p, &r);
  return r;
}

/* Equal bits, or both NaN. */
__attribute__((unused)) static int same_bits(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

__attribute__((unused)) static uint64_t random_state = 88172645463325252u;
__attribute__((unused)) static double   random_unit(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7,
        random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* A call of each function of the table of operations: "sin(x)", "atan2(x, y)"; NULL beyond the last. */
__attribute__((unused)) static const char *call_of(int i) {
  static char text[64];
  if (!cst_graph_function(i))
    return NULL;
  snprintf(text, sizeof text, cst_functions[i].arguments == 2 ? "%s(x, y)" : "%s(x)",
           cst_graph_function(i));
  return text;
}

/* Whether function i is smooth: an operation of its own. */
__attribute__((unused)) static bool is_smooth(int i) { return !cst_functions[i].make; }

/* Expressions with operations alone and combined. */
__attribute__((unused)) static const char *const expressions[] = {
    "x + y*z - a/b",
    "-x^2 + (-x)^2",
    "sqrt(x^2 + y^2 + z^2)",
    "sin(x)*cos(y)*tan(z)",
    "exp(-x*y) + log(x + 2*y)",
    "atan2(y - z, x)",
    "x^y + 2^z + y^1.3 + y^-0.7",
    "x^(3/2) + y^-2.5 + z^7 + 1/z^3",
    "a*y*9.81 + 0.5*b*(x'^2 + y'^2)",
    "1/sqrt((x-1)^2 + (y+2)^2 + z^2)",
    "4*a*((b/sqrt(x^2+y^2))^12 - (b/sqrt(x^2+y^2))^6)",
    "x^2/a^2 + y^2/b^2 + z^2/4 - 1",
    "x'*(1 + y^2) - y'*sin(x*t)",
    "tan(x/2) + atan2(sin(z), 1 + cos(z)^2)",
    "exp(sin(x)^2)^0.5*log(1 + x^2*y^2)",
    "x",
    "3.25",
    "-(x - y)/(z - 3)"};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };
#endif
