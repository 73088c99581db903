/* graph-dear.c: what takes longer than to be read again, among the operations that some outputs need. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/expr-internal.h"

static bool is_dear(cst_op op) { return op == CST_OP_DIV || op >= CST_OP_SQRT; }

int cst_graph_dear(const cst_graph *g, const cst_node *out, int nout, const char *arrays,
                   cst_node **part) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  uint64_t       allowed = 0;
  int            n = 0;
  for (const char *a = arrays; *a; a++)
    allowed |= (uint64_t)1 << (*a - 'A');
  for (int i = 0; i < w.n; i++) {
    const cst_vertex *v = &g->node[w.node[i]];
    if (!cst_op_leaf(v->op) && is_dear(v->op) && !(v->depends & ~allowed))
      w.node[n++] = w.node[i]; /* n <= i */
  }
  *part = w.node;
  return n;
}
