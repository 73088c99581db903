/* graph-degree.c: the degree of an expression as a polynomial, and the linear expressions in it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/expr-internal.h"

enum { NONE = -1, MOST = 1000000 };

static int larger(int a, int b) { return a > b ? a : b; }

/* The degree of an operation on operands of degrees a and b; b is 0 for a unary one. */
static int degree_of(cst_op op, int a, int b) {
  if (a == NONE || b == NONE)
    return NONE;
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

/* The degrees of all nodes of the walk. Owned. */
static int *degrees(const cst_graph *g, const cst_walk *walk, char array) {
  int *degree = cst_expr_memory(NULL, (size_t)walk->n, sizeof *degree);
  for (int i = 0; i < walk->n; i++) {
    const cst_vertex *v = &g->node[walk->node[i]];
    if (v->op == CST_OP_INPUT)
      degree[i] = v->a == array;
    else if (v->op == CST_OP_CONSTANT)
      degree[i] = 0;
    else
      degree[i] = degree_of(v->op, degree[cst_walk_place(walk, g, v->a)],
                            v->b >= 0 ? degree[cst_walk_place(walk, g, v->b)] : 0);
  }
  return degree;
}

int cst_graph_degree(const cst_graph *g, cst_node n, char array) {
  const cst_walk walk = cst_graph_walk(g, &n, 1);
  int           *degree = degrees(g, &walk, array);
  const int      found = degree[cst_walk_place(&walk, g, n)];
  free(degree);
  free(walk.node);
  return found;
}

/* Whether the operation is linear in its operands, of degrees a and b. */
static bool is_linear(cst_op op, int a, int b) {
  switch (op) {
  case CST_OP_ADD:
  case CST_OP_SUB:
  case CST_OP_NEG:
    return true;
  case CST_OP_MUL:
    return a == 0 || b == 0;
  case CST_OP_DIV:
    return b == 0;
  default:
    return false;
  }
}

static bool has_a_period_or_rate(cst_op op) {
  switch (op) {
  case CST_OP_SIN:
  case CST_OP_COS:
  case CST_OP_TAN:
  case CST_OP_EXP:
  case CST_OP_EXPM1:
  case CST_OP_SINH:
  case CST_OP_COSH:
  case CST_OP_TANH:
    return true;
  default:
    return false;
  }
}

static int add_part(cst_linear_part *part, int n, cst_linear_part x) {
  for (int i = 0; i < n; i++)
    if (part[i].node == x.node && part[i].dimensionless == x.dimensionless)
      return n;
  part[n] = x;
  return n + 1;
}

int cst_graph_linear_parts(const cst_graph *g, cst_node n, char array, cst_linear_part **part) {
  const cst_walk walk = cst_graph_walk(g, &n, 1);
  int           *degree = degrees(g, &walk, array);
  int            count = 0;
  *part = cst_expr_memory(NULL, 2 * (size_t)walk.n, sizeof **part);
  for (int i = 0; i < walk.n; i++) {
    const cst_vertex *v = &g->node[walk.node[i]];
    if (cst_op_leaf(v->op))
      continue;
    const int a = degree[cst_walk_place(&walk, g, v->a)];
    const int b = v->b >= 0 ? degree[cst_walk_place(&walk, g, v->b)] : 0;
    if (is_linear(v->op, a, b))
      continue;
    if (a == 1)
      count = add_part(*part, count, (cst_linear_part){v->a, has_a_period_or_rate(v->op)});
    if (b == 1)
      count = add_part(*part, count, (cst_linear_part){v->b, false});
  }
  free(degree);
  free(walk.node);
  return count;
}
