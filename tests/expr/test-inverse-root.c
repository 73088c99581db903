/* test-inverse-root.c: 1/sqrt(x) of core/inverse-root.h: its accuracy over all exponents, what it is where
 * there is no such number, one set of bits from every instruction set, its derivatives, and that expressions
 * of distances come to it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/inverse-root.h"
#include "lanes-of.h"

enum { MANTISSAS = 40, LANES = 8 };

static double sample(int exponent, int k) {
  return ldexp(1 + fmod(0.6180339887498949 * (k + 1), 1) * (k % 3 ? 1 : 0x1p-20), exponent);
}

/* The error in half units in the last place of 1. */
static double off(double y, double x) {
  return (double)fabsl(y * sqrtl(x) - 1) / (DBL_EPSILON / 2);
}

static void test_accuracy(void) {
  double most = 0, at = 0;
  for (int e = -1074; e < 1024; e++)
    for (int k = 0; k < MANTISSAS; k++) {
      const double x = sample(e, k), d = off(cst_inverse_root(x), x);
      if (d > most)
        most = d, at = x;
    }
  OK(most < 1.6, "as near as two roundings leave it, whatever the exponent (%.3f halves at %g)",
     most, at);
  for (int e = -128; e < 127; e += 2)
    if (cst_inverse_root(ldexp(1, e)) != ldexp(1, -e / 2))
      at = -e, most = 9;
  OK(most < 9, "powers of four are exact (2^%g is not)", -at);
}

static void test_others(void) {
  const double far[] = {
      0x1p-129, 0x1.fffffffffffffp-130, 0x1p127, 0x1.fffffffffffffp126, DBL_MIN / 8, DBL_MAX};
  int wrong = 0;
  for (size_t i = 0; i < sizeof far / sizeof *far; i++)
    wrong += off(cst_inverse_root(far[i]), far[i]) >= 2;
  OK(!wrong, "at the ends of the range and beyond (%d are off)", wrong);
  OK(cst_inverse_root(0.0) == INFINITY && cst_inverse_root(-0.0) == -INFINITY,
     "of zeros infinities");
  OK(cst_inverse_root(INFINITY) == 0 && isnan(cst_inverse_root(-1.0)) &&
         isnan(cst_inverse_root(NAN)),
     "of others what 1/sqrt(x) is");
}

/* Lanes whose bits are not those of the scalar function. */
static int differences(const cst_tape *t, run *lanes, int width) {
  static double x[LANES] __attribute__((aligned(64))), y[LANES] __attribute__((aligned(64))),
      scratch[64 * LANES] __attribute__((aligned(64)));
  const double *in[128] = {['q'] = x};
  int           wrong = 0;
  for (int e = -1074; e < 1024; e++)
    for (int k = 0; k < MANTISSAS; k += 5) {
      for (int l = 0; l < width; l++)
        x[l] = l % 3 == 2 && k % 2 ? (double[]){0, INFINITY, NAN, -1}[e & 3] : sample(e, k + l);
      lanes(t, in, y, scratch);
      for (int l = 0; l < width; l++) {
        const double z = cst_inverse_root(x[l]);
        wrong += memcmp(&y[l], &z, sizeof z) != 0 && !(isnan(y[l]) && isnan(z));
      }
    }
  return wrong;
}

static void test_bits(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node y = cst_graph_operation(g, CST_OP_RSQRT, cst_graph_input(g, 'q', 0), -1);
  compare_sets(g, &y, 1, differences, "alone and beside what has none");
}

static double value(const cst_graph *g, cst_node n, double q) {
  cst_tape     *t = cst_tape_create(g, &n, 1);
  const double *in[128] = {['q'] = &q};
  double        y;
  cst_evaluate_tape(t, in, &y);
  cst_tape_destroy(t);
  return y;
}

static int count(const cst_graph *g, cst_node n, cst_op op) {
  const cst_walk w = cst_graph_walk(g, &n, 1);
  int            found = 0;
  for (int i = 0; i < w.n; i++)
    found += g->node[w.node[i]].op == op;
  free(w.node);
  return found;
}

/* What divides by roots comes without roots and divisions, and is the same number. */
static void test_rewriting(void) {
  static const struct {
    const char *text;
    int         roots, inverse, divisions;
  } texts[] = {{"3/sqrt(x)", 0, 1, 0},
               {"sqrt(x)", 1, 0, 0},
               {"1/x", 0, 0, 1},
               {"sqrt(x) + 1/(x*sqrt(x)) + 2/x", 0, 1, 0},
               {"x^(-7/2) - x^(-3)", 0, 1, 0},
               {"1/(sqrt(x)*(x+1))", 0, 1, 1},
               {"exp(-sqrt(x))/sqrt(x)", 0, 1, 0}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cst_graph     *g = cst_graph_create();
    cst_expr_error error;
    const cst_node x = cst_graph_input(g, 'q', 0), one = cst_graph_constant(g, 1);
    cst_node       n = cst_expr_parse(g, texts[i].text, &(cst_binding){.name = "x", .node = x}, 1,
                                      &error),
             to, slope, other;
    cst_graph_share_divisors(g, &n, 1, &to);
    const int roots = count(g, to, CST_OP_SQRT), inverse = count(g, to, CST_OP_RSQRT),
              divisions = count(g, to, CST_OP_DIV);
    OK(roots == texts[i].roots && inverse == texts[i].inverse && divisions == texts[i].divisions,
       "%s: %d roots, %d inverse ones, %d divisions", texts[i].text, roots, inverse, divisions);
    OK(fabs(value(g, to, 1.7) / value(g, n, 1.7) - 1) < 1e-14, "%s is the same number",
       texts[i].text);
    cst_graph_gradient(g, &n, &one, 1, &x, 1, &slope);
    cst_graph_gradient(g, &to, &one, 1, &x, 1, &other);
    cst_graph_gather_scales(g, &other, 1, &other);
    OK(fabs(value(g, other, 1.7) / value(g, slope, 1.7) - 1) < 1e-14, "and has the same slope");
    cst_graph_destroy(g);
  }
}

/* -1/2 y 2 x leaves one product. */
static void test_scales(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node x = cst_graph_input(g, 'q', 0), y = cst_graph_operation(g, CST_OP_SIN, x, -1);
  cst_node       n = cst_graph_mul(g, cst_graph_mul(g, cst_graph_constant(g, -0.5), y),
                                   cst_graph_add(g, x, x)),
           to;
  const double before = value(g, n, 0.3);
  cst_graph_gather_scales(g, &n, 1, &to);
  OK(cst_graph_count(g, &to, 1) == 3 && value(g, to, 0.3) == before,
     "powers of two cancel, with the same bits (%d operations)", cst_graph_count(g, &to, 1));
  n = cst_graph_sub(g, cst_graph_mul(g, cst_graph_constant(g, 0.25), y),
                    cst_graph_mul(g, cst_graph_constant(g, 3), x));
  cst_graph_gather_scales(g, &n, 1, &to);
  OK(value(g, to, 0.3) == value(g, n, 0.3), "a sum of unlike ones keeps its bits");
  cst_graph_destroy(g);
}

/* The third coefficient of x^(-1/2) about 1.44. */
static void test_series(void) {
  cst_graph        *g = cst_graph_create();
  const cst_node    x = cst_graph_input(g, 'q', 0), y = cst_graph_operation(g, CST_OP_RSQRT, x, -1);
  cst_graph_series *s = cst_graph_series_create(g, &y, 1, &x, 1, 3);
  cst_node          out[4];
  for (int k = 0; k < 4; k++) {
    const cst_node in = k ? cst_graph_constant(g, k == 1) : x;
    cst_graph_series_next(s, &in, &out[k]);
  }
  OK(fabs(value(g, out[3], 1.44) / (-15.0 / 48 * pow(1.44, -3.5)) - 1) < 1e-14,
     "Taylor coefficients");
  cst_graph_series_destroy(s);
  cst_graph_destroy(g);
}

int main(void) {
  test_accuracy();
  test_others();
  test_bits();
  test_rewriting();
  test_scales();
  test_series();
  return tap_done();
}
