/* graph-scale.c: powers of two and signs move out of products and sums, where they cancel: -1/2 y (x + x) is
 * -(y x).
 *
 * Exact in IEEE arithmetic, signs of zeros and what leaves the range of numbers apart.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "expr/expr-internal.h"

/* The node times 2^exponent, or minus that. */
typedef struct {
  cst_node node;
  int      exponent;
  bool     negative;
} scaled;

static cst_node whole(cst_graph *g, scaled x) {
  const double factor = ldexp(x.negative ? -1 : 1, x.exponent);
  return cst_graph_mul(g, cst_graph_constant(g, factor), x.node);
}

static scaled constant(cst_graph *g, cst_node n, double value) {
  int          exponent;
  const double part = frexp(value, &exponent);
  if (fabs(part) != 0.5)
    return (scaled){n, 0, false};
  return (scaled){cst_graph_constant(g, 1), exponent - 1, value < 0};
}

/* a + b, or with b turned around a - b. */
static scaled sum(cst_graph *g, scaled a, scaled b) {
  const bool same_sign = a.negative == b.negative;
  if (a.exponent == b.exponent && a.node == b.node && same_sign)
    return (scaled){a.node, a.exponent + 1, a.negative};
  if (a.exponent != b.exponent) {
    b.exponent -= a.exponent;
    const scaled size = {b.node, b.exponent, false};
    b = (scaled){whole(g, size), a.exponent, b.negative};
  }
  cst_node node;
  if (same_sign)
    node = cst_graph_add(g, a.node, b.node);
  else if (a.negative)
    node = cst_graph_sub(g, b.node, a.node);
  else
    node = cst_graph_sub(g, a.node, b.node);
  return (scaled){node, a.exponent, same_sign && a.negative};
}

static scaled operation(cst_graph *g, cst_op op, scaled a, scaled b) {
  switch (op) {
  case CST_OP_NEG:
    a.negative = !a.negative;
    return a;
  case CST_OP_MUL:
    return (scaled){cst_graph_mul(g, a.node, b.node), a.exponent + b.exponent,
                    a.negative != b.negative};
  case CST_OP_DIV:
    return (scaled){cst_graph_div(g, a.node, b.node), a.exponent - b.exponent,
                    a.negative != b.negative};
  case CST_OP_SUB:
    b.negative = !b.negative;
    return sum(g, a, b);
  case CST_OP_ADD:
    return sum(g, a, b);
  default:
    return (scaled){cst_graph_operation(g, op, whole(g, a), b.node < 0 ? -1 : whole(g, b)), 0,
                    false};
  }
}

void cst_graph_gather_scales(cst_graph *g, const cst_node *out, int nout, cst_node *result) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  scaled        *at = cst_expr_memory(NULL, (size_t)w.n, sizeof *at); /* of every place */
  for (int i = 0; i < w.n; i++) {
    const cst_vertex v = g->node[w.node[i]];
    if (v.op == CST_OP_CONSTANT)
      at[i] = constant(g, w.node[i], v.value);
    else if (v.op == CST_OP_INPUT)
      at[i] = (scaled){w.node[i], 0, false};
    else {
      const scaled none = {-1, 0, false};
      const scaled a = at[cst_walk_place(&w, g, v.a)];
      const scaled b = v.b < 0 ? none : at[cst_walk_place(&w, g, v.b)];
      at[i] = operation(g, v.op, a, b);
    }
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      result[k] = -1;
    else
      result[k] = whole(g, at[cst_walk_place(&w, g, out[k])]);
  free(at);
  free(w.node);
}
