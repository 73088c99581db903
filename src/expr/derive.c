/* derive.c: forward (tangent) and reverse (gradient) differentiation of a graph, each one sweep over the nodes needed.
 *
 * Both multiply by the same partial derivatives d node / d operand, which are nodes themselves and therefore shared between
 * directions, sweeps and orders. Nodes that do not depend on x cost nothing.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

static cst_node one(cst_graph *g) { return cst_graph_constant(g, 1); }

static cst_node square(cst_graph *g, cst_node a) { return cst_graph_mul(g, a, a); }

static cst_node over(cst_graph *g, double c, cst_node a) { return cst_graph_div(g, cst_graph_constant(g, c), a); }

/* d r / d (first operand). */
static cst_node partial_a(cst_graph *g, cst_node r) {
  const cst_vertex v = g->node[r];
  const cst_node   a = v.a, b = v.b;
  switch (v.op) {
  case CST_OP_ADD:
  case CST_OP_SUB:
    return one(g);
  case CST_OP_MUL:
    return b;
  case CST_OP_DIV:
    return over(g, 1, b);
  case CST_OP_NEG:
    return cst_graph_constant(g, -1);
  case CST_OP_SQRT:
    return over(g, 0.5, r);
  case CST_OP_SIN:
    return cst_graph_operation(g, CST_OP_COS, a, -1);
  case CST_OP_COS:
    return cst_graph_neg(g, cst_graph_operation(g, CST_OP_SIN, a, -1));
  case CST_OP_TAN:
    return cst_graph_add(g, one(g), square(g, r));
  case CST_OP_EXP:
    return r;
  case CST_OP_LOG:
    return over(g, 1, a);
  case CST_OP_ATAN2:
    return cst_graph_mul(g, b, over(g, 1, cst_graph_add(g, square(g, a), square(g, b))));
  case CST_OP_POW:
    return cst_graph_mul(g, b, cst_graph_pow(g, a, cst_graph_sub(g, b, one(g))));
  default:
    return cst_graph_constant(g, 0);
  }
}

/* d r / d (second operand). */
static cst_node partial_b(cst_graph *g, cst_node r) {
  const cst_vertex v = g->node[r];
  const cst_node   a = v.a, b = v.b;
  switch (v.op) {
  case CST_OP_ADD:
    return one(g);
  case CST_OP_SUB:
    return cst_graph_constant(g, -1);
  case CST_OP_MUL:
    return a;
  case CST_OP_DIV:
    return cst_graph_neg(g, cst_graph_mul(g, r, over(g, 1, b)));
  case CST_OP_ATAN2:
    return cst_graph_neg(g, cst_graph_mul(g, a, over(g, 1, cst_graph_add(g, square(g, a), square(g, b)))));
  case CST_OP_POW:
    return cst_graph_mul(g, r, cst_graph_operation(g, CST_OP_LOG, a, -1));
  default:
    return cst_graph_constant(g, 0);
  }
}

/* sum + partial * d, where d is not zero. */
static cst_node accumulate(cst_graph *g, cst_node sum, cst_node partial, cst_node d) {
  return cst_graph_add(g, sum, cst_graph_mul(g, partial, d));
}

void cst_graph_tangent(cst_graph *g, const cst_node *out, int nout, const cst_node *x, const cst_node *dx, int nx, cst_node *dout) {
  int            top;
  unsigned char *needed = cst_graph_reach(g, out, nout, &top);
  const cst_node zero = cst_graph_constant(g, 0);
  cst_node      *d = cst_expr_memory(NULL, (size_t)top + 1, sizeof *d);
  for (int i = 0; i <= top; i++) d[i] = zero;
  for (int i = 0; i < nx; i++)
    if (x[i] >= 0 && x[i] <= top) d[x[i]] = cst_graph_add(g, d[x[i]], dx[i]);
  for (int i = 0; i <= top; i++) {
    const cst_vertex v = g->node[i];
    if (!needed[i] || cst_op_leaf(v.op)) continue;
    if (d[v.a] != zero) d[i] = accumulate(g, d[i], partial_a(g, i), d[v.a]);
    if (v.b >= 0 && d[v.b] != zero) d[i] = accumulate(g, d[i], partial_b(g, i), d[v.b]);
  }
  for (int k = 0; k < nout; k++) dout[k] = out[k] < 0 ? -1 : d[out[k]];
  free(d);
  free(needed);
}

/* active[i]: whether node i depends on some x. */
static unsigned char *activity(const cst_graph *g, const unsigned char *needed, int top, const cst_node *x, int nx) {
  unsigned char *active = cst_expr_memory(NULL, (size_t)top + 1, 1);
  memset(active, 0, (size_t)top + 1);
  for (int i = 0; i < nx; i++)
    if (x[i] >= 0 && x[i] <= top) active[x[i]] = 1;
  for (int i = 0; i <= top; i++) {
    const cst_vertex *v = &g->node[i];
    if (needed[i] && !cst_op_leaf(v->op)) active[i] |= active[v->a] || (v->b >= 0 && active[v->b]);
  }
  return active;
}

void cst_graph_gradient(cst_graph *g, const cst_node *out, const cst_node *seed, int nout, const cst_node *x, int nx, cst_node *grad) {
  int            top;
  unsigned char *needed = cst_graph_reach(g, out, nout, &top), *active = activity(g, needed, top, x, nx);
  const cst_node zero = cst_graph_constant(g, 0);
  cst_node      *bar = cst_expr_memory(NULL, (size_t)top + 1, sizeof *bar);
  bool           whole = true;
  for (int i = 0; i <= top; i++) bar[i] = zero;
  for (int k = 0; k < nout; k++) {
    if (out[k] < 0)
      whole = false;
    else
      bar[out[k]] = cst_graph_add(g, bar[out[k]], seed[k]);
  }
  for (int i = top; i >= 0; i--) {
    const cst_vertex v = g->node[i];
    if (!needed[i] || cst_op_leaf(v.op) || bar[i] == zero) continue;
    if (active[v.a]) bar[v.a] = accumulate(g, bar[v.a], partial_a(g, i), bar[i]);
    if (v.b >= 0 && active[v.b]) bar[v.b] = accumulate(g, bar[v.b], partial_b(g, i), bar[i]);
  }
  for (int i = 0; i < nx; i++) grad[i] = !whole || x[i] < 0 ? -1 : x[i] > top ? zero : bar[x[i]];
  free(bar);
  free(active);
  free(needed);
}
