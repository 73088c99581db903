/* complex.c: expressions at complex arguments, for derivatives by complex steps.
 *
 *   f'(x) = Im f(x + i h) / h + O(h^2), without subtraction: h may be 1e-30 (Squire and Trapp, SIAM Review
 * 40, 1998).
 *
 * Every operation is the analytic continuation from the real axis; with real operands it gives the same
 * bits as every other evaluation. Where there is no such continuation (root or logarithm of a number that
 * is not positive, an angle at the origin) there is no derivative.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include <math.h>
#include "expr/expr-internal.h"

enum { LARGEST_PRODUCT = 1024 };

static double complex product_power(double complex z, int n) {
  double complex x = 1;
  for (int k = n < 0 ? -n : n; k; k /= 2, z *= z)
    if (k % 2)
      x *= z;
  return n < 0 ? 1 / x : x;
}

static bool is_product(double complex exponent) {
  const double n = creal(exponent);
  return cimag(exponent) == 0 && n == floor(n) && fabs(n) <= LARGEST_PRODUCT;
}

/* The branch that is real for positive z; integer powers are products and have no branch. */
static double complex power(double complex z, double complex w) {
  if (is_product(w))
    return product_power(z, (int)creal(w));
  return cexp(w * clog(z));
}

static double complex angle(double complex y, double complex x) {
  const double turn = cst_elementary_atan2(0, -1);
  const double a = creal(x);
  const double b = creal(y);
  if (fabs(b) <= fabs(a)) {
    double from = 0;
    if (!(a > 0))
      from = b < 0 ? -turn : turn;
    return catan(y / x) + from;
  }
  return (b > 0 ? turn / 2 : -turn / 2) - catan(x / y);
}

/* exp(z) - 1 = expm1(x) cos y - 2 sin(y/2)^2 + i exp(x) sin y */
static double complex exponential_less_1(double complex z) {
  const double half = sin(cimag(z) / 2);
  return __builtin_complex(expm1(creal(z)) * cos(cimag(z)) - 2 * half * half,
                           exp(creal(z)) * sin(cimag(z)));
}

/* log(1 + z), near 0 by |1 + z|^2 - 1 = x (2 + x) + y^2 */
static double complex logarithm_of_1_and(double complex z) {
  const double x = creal(z);
  const double y = cimag(z);
  if (fabs(x) + fabs(y) > 0.5)
    return clog(1 + z);
  return __builtin_complex(log1p(x * (2 + x) + y * y) / 2, atan2(y, 1 + x));
}

static double complex apply(cst_op op, double complex a, double complex b, bool *analytic) {
  switch (op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define COMPLEX(x, where) return *analytic &= (where), x;
#define ANY(x)            return x;
#include "expr/operations.h"
  default:
    return a;
  }
}

bool cst_graph_eval_complex(const cst_graph *g, const cst_node *out, int nout,
                            const double complex *const in[128], double complex *result) {
  const cst_walk  w = cst_graph_walk(g, out, nout);
  double complex *x = cst_expr_memory(NULL, (size_t)w.n, sizeof *x);
  bool            analytic = true;
  for (int i = 0; i < w.n; i++) {
    const cst_vertex *v = &g->node[w.node[i]];
    if (v->op == CST_OP_CONSTANT) {
      x[i] = v->value;
    } else if (v->op == CST_OP_INPUT) {
      x[i] = in[v->a][v->b];
    } else {
      const double complex a = x[g->node[v->a].mark];
      const double complex b = v->b < 0 ? 0 : x[g->node[v->b].mark];
      const bool           real = cimag(a) == 0 && cimag(b) == 0;
      if (real)
        x[i] = cst_elementary_apply(v->op, creal(a), creal(b));
      else
        x[i] = apply(v->op, a, b, &analytic);
    }
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      result[k] = 0;
    else
      result[k] = x[g->node[out[k]].mark];
  free(x);
  free(w.node);
  return analytic;
}
