/* graph-derive.c: forward (tangent) and reverse (gradient) differentiation of a graph, each in one sweep over
 * the nodes that are needed.
 *
 * Both multiply by the same partial derivatives d node / d operand. These are nodes and therefore shared
 * between directions, sweeps and orders. Nodes that do not depend on x cost nothing.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

static cst_node number(cst_graph *g, double x) { return cst_graph_constant(g, x); }

static cst_node one(cst_graph *g) { return number(g, 1); }

static cst_node square(cst_graph *g, cst_node a) { return cst_graph_mul(g, a, a); }

static cst_node over(cst_graph *g, double c, cst_node a) {
  return cst_graph_div(g, number(g, c), a);
}

static cst_node of(cst_graph *g, cst_op op, cst_node a) {
  return cst_graph_operation(g, op, a, -1);
}

/* 1/sqrt(1 - a^2), with all digits near -1 and 1. */
static cst_node slope_of_arc(cst_graph *g, cst_node a) {
  const cst_node below = cst_graph_sub(g, one(g), a);
  const cst_node above = cst_graph_add(g, one(g), a);
  return of(g, CST_OP_RSQRT, cst_graph_mul(g, below, above));
}

/* d r / d (first operand). */
static cst_node partial_a(cst_graph *g, cst_node r) {
  const cst_node a = g->node[r].a;
  const cst_node b = g->node[r].b;
  switch (g->node[r].op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define BY_A(x) return x;
#include "expr/operations.h"
  default:
    return -1;
  }
}

/* d r / d (second operand). */
static cst_node partial_b(cst_graph *g, cst_node r) {
  const cst_node a = g->node[r].a;
  const cst_node b = g->node[r].b;
  switch (g->node[r].op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__                                                                                    \
    break;
#define BY_B(x) return x;
#include "expr/operations.h"
  default:
    break;
  }
  return -1;
}

/* sum + partial * d, where d is not zero. */
static cst_node accumulate(cst_graph *g, cst_node sum, cst_node partial, cst_node d) {
  return cst_graph_add_product(g, sum, partial, d);
}

/* An array of n times the same node. Owned. */
static cst_node *filled(int n, cst_node value) {
  cst_node *list = cst_expr_memory(NULL, (size_t)n, sizeof *list);
  for (int i = 0; i < n; i++)
    list[i] = value;
  return list;
}

void cst_graph_tangent(cst_graph *g, const cst_node *out, int nout, const cst_node *x,
                       const cst_node *dx, int nx, cst_node *dout) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  const cst_node zero = cst_graph_constant(g, 0);
  cst_node      *d = filled(w.n, zero); /* of every place */
  for (int i = 0; i < nx; i++) {
    const int place = cst_walk_place(&w, g, x[i]);
    if (place >= 0)
      d[place] = cst_graph_add(g, d[place], dx[i]);
  }
  for (int i = 0; i < w.n; i++) {
    const cst_vertex v = g->node[w.node[i]];
    if (cst_op_leaf(v.op))
      continue;
    const cst_node da = d[g->node[v.a].mark];
    const cst_node db = v.b < 0 ? zero : d[g->node[v.b].mark];
    if (da != zero)
      d[i] = accumulate(g, d[i], partial_a(g, w.node[i]), da);
    if (db != zero)
      d[i] = accumulate(g, d[i], partial_b(g, w.node[i]), db);
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      dout[k] = -1;
    else
      dout[k] = d[g->node[out[k]].mark];
  free(d);
  free(w.node);
}

/* active[i]: whether the node at place i depends on some x. Owned. */
static unsigned char *activity(const cst_graph *g, const cst_walk *w, const cst_node *x, int nx) {
  unsigned char *active = cst_expr_memory(NULL, (size_t)w->n, 1);
  memset(active, 0, (size_t)w->n);
  for (int i = 0; i < nx; i++) {
    const int place = cst_walk_place(w, g, x[i]);
    if (place >= 0)
      active[place] = 1;
  }
  for (int i = 0; i < w->n; i++) {
    const cst_vertex *v = &g->node[w->node[i]];
    if (!cst_op_leaf(v->op))
      active[i] |= active[g->node[v->a].mark] || (v->b >= 0 && active[g->node[v->b].mark]);
  }
  return active;
}

/* bar += seed at the outputs; false when one of them is -1. */
static bool sow(cst_graph *g, const cst_node *out, const cst_node *seed, int nout, cst_node *bar) {
  bool whole = true;
  for (int k = 0; k < nout; k++) {
    cst_node *b;
    if (out[k] < 0)
      b = NULL;
    else
      b = &bar[g->node[out[k]].mark];
    if (b)
      *b = cst_graph_add(g, *b, seed[k]);
    else
      whole = false;
  }
  return whole;
}

void cst_graph_gradient(cst_graph *g, const cst_node *out, const cst_node *seed, int nout,
                        const cst_node *x, int nx, cst_node *grad) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  unsigned char *active = activity(g, &w, x, nx);
  const cst_node zero = cst_graph_constant(g, 0);
  cst_node      *bar = filled(w.n, zero); /* of every place */
  const bool     whole = sow(g, out, seed, nout, bar);
  for (int i = w.n - 1; i >= 0; i--) {
    const cst_node   r = w.node[i];
    const cst_vertex v = g->node[r];
    if (cst_op_leaf(v.op) || bar[i] == zero)
      continue;
    const int a = g->node[v.a].mark;
    const int b = v.b < 0 ? a : g->node[v.b].mark;
    if (active[a])
      bar[a] = accumulate(g, bar[a], partial_a(g, r), bar[i]);
    if (v.b >= 0 && active[b])
      bar[b] = accumulate(g, bar[b], partial_b(g, r), bar[i]);
  }
  for (int i = 0; i < nx; i++) {
    const int place = cst_walk_place(&w, g, x[i]);
    if (!whole || x[i] < 0)
      grad[i] = -1;
    else if (place < 0)
      grad[i] = zero;
    else
      grad[i] = bar[place];
  }
  free(bar);
  free(active);
  free(w.node);
}
