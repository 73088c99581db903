/* degree.c: the degree of an expression as a polynomial. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/expr-internal.h"

enum { NONE = -1, MOST = 1000000 };

static int larger(int a, int b) { return a > b ? a : b; }

/* Of an operation whose operands have degrees a and b; of a unary one b is 0. */
static int degree_of(cst_op op, int a, int b) {
  if (a == NONE || b == NONE) return NONE;
  switch (op) {
  case CST_OP_ADD:
  case CST_OP_SUB:
    return larger(a, b);
  case CST_OP_MUL:
    return a + b > MOST ? NONE : a + b;
  case CST_OP_DIV:
    return b == 0 ? a : NONE;
  case CST_OP_NEG:
    return a;
  default:
    return a == 0 && b == 0 ? 0 : NONE;
  }
}

int cst_graph_degree(const cst_graph *g, cst_node n, char array) {
  const cst_walk walk = cst_graph_walk(g, &n, 1);
  int           *degree = cst_expr_memory(NULL, (size_t)walk.n, sizeof *degree);
  for (int i = 0; i < walk.n; i++) {
    const cst_vertex *v = &g->node[walk.node[i]];
    if (v->op == CST_OP_INPUT)
      degree[i] = v->a == array;
    else if (v->op == CST_OP_CONSTANT)
      degree[i] = 0;
    else
      degree[i] = degree_of(v->op, degree[cst_walk_place(&walk, g, v->a)], v->b >= 0 ? degree[cst_walk_place(&walk, g, v->b)] : 0);
  }
  const int found = degree[cst_walk_place(&walk, g, n)];
  free(degree);
  free(walk.node);
  return found;
}
