/* test-quad.c: evaluation in quadruple precision agrees with double to its rounding, and with itself to
 * thirty digits. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "expressions.h"

static __float128 quad(const setting *s, cst_node n, const point *at) {
  static const char letters[] = "qvwuct";
  const double     *from[] = {at->q, at->v, at->w, at->u, at->c, at->t};
  const int         size[] = {NQ, NQ, NQ, NQ, 2, 1};
  __float128        value[6][NQ], result;
  const __float128 *in[128] = {0};
  for (int j = 0; j < 6; j++) {
    in[(int)letters[j]] = value[j];
    for (int i = 0; i < size[j]; i++)
      value[j][i] = from[j][i];
  }
  cst_tape *t = cst_tape_create(s->g, &n, 1);
  cst_tape_eval_quad(t, in, &result);
  cst_tape_destroy(t);
  return result;
}

static void test_double(const setting *s) {
  for (int i = 0; i < EXPRESSIONS; i++) {
    const cst_node   n = parse(s, expressions[i]);
    const double     d = evaluate_one(s, n, &here);
    const __float128 x = quad(s, n, &here);
    OK(fabsq(x - d) <= 1e-14Q * (1 + fabsq(x)), "%s: %.17g in double, %.3g away", expressions[i], d,
       (double)(x - d));
  }
}

static void test_functions(const setting *s) {
  static const char *const calls[] = {"sqrt(x)", "sin(x)",      "cos(x)",  "tan(x)",   "exp(x)",
                                      "log(x)",  "atan2(x, y)", "x^y",     "expm1(x)", "log1p(x)",
                                      "sinh(x)", "cosh(x)",     "tanh(x)", "acos(x)",  "asin(x)"};
  const __float128         x = here.q[0], y = here.q[1];
  const __float128         right[] = {sqrtq(x), sinq(x),      cosq(x),    tanq(x),   expq(x),
                                      logq(x),  atan2q(x, y), powq(x, y), expm1q(x), log1pq(x),
                                      sinhq(x), coshq(x),     tanhq(x),   acosq(x),  asinq(x)};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    OK(quad(s, parse(s, calls[i]), &here) == right[i], "%s is that of libquadmath", calls[i]);
}

/* Every function of the table: double is off by two units in the last place, which quadruple precision resolves. */
static void test_table(const setting *s) {
  for (int i = 0; call_of(i); i++) {
    const cst_node   n = parse(s, call_of(i));
    const double     d = evaluate_one(s, n, &here);
    const __float128 x = quad(s, n, &here);
    OK(fabsq(x - d) <= 0x1p-51Q * fabsq(x), "%s: double is %.3g units of its last place away",
       call_of(i), (double)(fabsq(x - d) / (0x1p-52Q * fabsq(x))));
  }
}

/* Identities that hold to 1e-30 only if every operation is in quadruple precision. */
static void test_identities(const setting *s) {
  static const char *const zero[] = {"sin(x)^2 + cos(x)^2 - 1",
                                     "sqrt(x)^2 - x",
                                     "exp(log(x)) - x",
                                     "tan(x)*cos(x) - sin(x)",
                                     "x/y*y - x",
                                     "(x + y) - y - x",
                                     "tan(atan2(x, y)) - x/y",
                                     "cosh(y)^2 - sinh(y)^2 - 1",
                                     "tanh(y)*cosh(y) - sinh(y)",
                                     "expm1(log1p(x)) - x",
                                     "cos(acos(x)) - x",
                                     "sin(asin(x)) - x"};
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
    const __float128 x = quad(s, parse(s, zero[i]), &here);
    OK(fabsq(x) < 1e-30Q, "%s is %.3g", zero[i], (double)x);
  }
  OK(quad(s, parse(s, "x/3"), &here) != (double)quad(s, parse(s, "x/3"), &here),
     "x/3 has more digits than a double");
  OK(quad(s, parse(s, "0.1*x"), &here) == (__float128)0.1 * here.q[0],
     "a constant is the double that it is in the graph");
}

/* Loops and sums: sin^2 + cos^2 of 300 inputs, and 1/(k (k + 1)), whose sum is 1 - 1/301. */
static void test_loops(void) {
  enum { N = 300 };
  cst_graph *g = cst_graph_create();
  cst_node   out[N + 1], sum = cst_graph_constant(g, 0);
  __float128 q[N + 1], value[N + 1], worst = 0;
  for (int i = 0; i < N; i++) {
    const cst_node x = cst_graph_input(g, 'q', i), y = cst_graph_input(g, 'q', i + 1),
                   a = cst_graph_call(g, "sin", x, -1), b = cst_graph_call(g, "cos", x, -1);
    out[i] = cst_graph_add(g, cst_graph_mul(g, a, a), cst_graph_mul(g, b, b));
    sum = cst_graph_add(g, sum, cst_graph_div(g, cst_graph_constant(g, 1), cst_graph_mul(g, x, y)));
  }
  out[N] = sum;
  for (int i = 0; i <= N; i++)
    q[i] = i + 1;
  cst_tape *t = cst_tape_create(g, out, N + 1);
  cst_tape_eval_quad(t, (const __float128 *const[128]){['q'] = q}, value);
  for (int i = 0; i < N; i++)
    worst = fmaxq(worst, fabsq(value[i] - 1));
  OK(worst < 1e-33Q, "sin^2 + cos^2 in a loop: %.3g from 1", (double)worst);
  OK(fabsq(value[N] - (1 - 1 / (__float128)(N + 1))) < 1e-31Q, "a sum of %d terms", N);
  cst_tape_destroy(t);
  cst_graph_destroy(g);
}

int main(void) {
  setting s = setting_create();
  test_double(&s);
  test_functions(&s);
  test_table(&s);
  test_identities(&s);
  test_loops();
  cst_graph_destroy(s.g);
  return tap_done();
}
