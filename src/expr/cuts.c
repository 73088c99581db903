/* cuts.c: where expressions may jump (cuts.h). Pieces made by step and sign jump too; graph-smoothness knows them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/cuts.h"
#include "expr/expr-internal.h"

/* What is known of the sign of a node: nothing, that it does not change, that it is not negative. */
typedef enum { OPEN, KEPT, POSITIVE } sign;

static sign least(sign a, sign b) { return a < b ? a : b; }

/* The sign of an operation on operands with these. */
static sign sign_of(const cst_vertex *v, sign a, sign b) {
  switch (v->op) {
  case CST_OP_SQRT:
  case CST_OP_RSQRT:
  case CST_OP_EXP:
  case CST_OP_COSH:
  case CST_OP_STEP:
    return POSITIVE;
  case CST_OP_NEG:
    return least(a, KEPT);
  case CST_OP_ADD:
    return a == POSITIVE && b == POSITIVE ? POSITIVE : OPEN;
  case CST_OP_MUL:
    return v->a == v->b ? POSITIVE : least(a, b);
  case CST_OP_DIV:
    return least(a, b);
  case CST_OP_POW:
    return a == POSITIVE ? POSITIVE : OPEN;
  default:
    return OPEN;
  }
}

/* The signs of the nodes of a walk; what depends on none of the arrays does not change. Owned. */
static sign *find_signs(const cst_graph *g, const cst_walk *w, uint64_t moves) {
  sign *of = cst_expr_memory(NULL, (size_t)w->n, sizeof *of);
  for (int i = 0; i < w->n; i++) {
    const cst_vertex *v = &g->node[w->node[i]];
    if (v->op == CST_OP_CONSTANT)
      of[i] = v->value >= 0 ? POSITIVE : KEPT;
    else if (v->op == CST_OP_INPUT)
      of[i] = v->depends & moves ? OPEN : KEPT;
    else
      of[i] = sign_of(v, of[g->node[v->a].mark], v->b < 0 ? OPEN : of[g->node[v->b].mark]);
    if (of[i] == OPEN && !(v->depends & moves))
      of[i] = KEPT;
  }
  return of;
}

int cst_graph_cuts(cst_graph *g, const cst_node *out, int nout, const char *arrays, cst_cut **cut) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  uint64_t       moves = 0;
  int            n = 0;
  for (const char *a = arrays; *a; a++)
    moves |= (uint64_t)1 << (*a - 'A');
  sign *of = find_signs(g, &w, moves);
  *cut = cst_expr_memory(NULL, (size_t)w.n, sizeof **cut);
  for (int i = 0; i < w.n; i++) {
    const cst_vertex v = g->node[w.node[i]];
    if (!(v.depends & moves))
      continue;
    if (v.op == CST_OP_ATAN2)
      (*cut)[n++] = (cst_cut){"atan2", v.a, v.b};
    else if (v.op == CST_OP_TAN)
      (*cut)[n++] = (cst_cut){"tan", cst_graph_operation(g, CST_OP_COS, v.a, -1), -1};
    else if (v.op == CST_OP_DIV && of[cst_walk_place(&w, g, v.b)] == OPEN)
      (*cut)[n++] = (cst_cut){"a quotient", v.b, -1};
  }
  free(of);
  free(w.node);
  return n;
}
