/* graph-walk.c: the nodes that some outputs need: all of them in ascending order, the operations in the order
 * of a program, the inputs, a copy with other inputs. The cost is proportional to the nodes needed; nothing
 * recurses.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

typedef struct {
  cst_walk walk;
  int      room;
} growing;

/* Appends n unless the walk has it. */
static void meet(const cst_graph *g, growing *w, cst_node n) {
  if (cst_walk_place(&w->walk, g, n) >= 0)
    return;
  if (w->walk.n == w->room) {
    if (w->room)
      w->room = 2 * w->room;
    else
      w->room = 64;
    cst_walk *walk = &w->walk;
    walk->node = cst_expr_memory(walk->node, (size_t)w->room, sizeof *walk->node);
  }
  g->node[n].mark = w->walk.n;
  w->walk.node[w->walk.n++] = n;
}

static bool is_leaf(const cst_graph *g, cst_node n) { return cst_op_leaf(g->node[n].op); }

static int ascending(const void *a, const void *b) {
  if (*(const int *)a < *(const int *)b)
    return -1;
  return *(const int *)a > *(const int *)b;
}

/* Puts the nodes in ascending order: sorts few nodes; for many, scans the range between the least and the
 * greatest. */
static void sort(const cst_graph *g, cst_walk *w) {
  enum { CROWDED = 16 };
  cst_node least = w->n ? w->node[0] : 0;
  cst_node greatest = w->n ? w->node[0] : -1;
  for (int i = 0; i < w->n; i++) {
    if (w->node[i] < least)
      least = w->node[i];
    if (w->node[i] > greatest)
      greatest = w->node[i];
  }
  if ((greatest - least) / CROWDED > w->n) {
    qsort(w->node, (size_t)w->n, sizeof *w->node, ascending);
  } else {
    cst_node *sorted = cst_expr_memory(NULL, (size_t)w->n, sizeof *sorted);
    int       n = 0;
    for (cst_node i = least; i <= greatest; i++)
      if (cst_walk_place(w, g, i) >= 0)
        sorted[n++] = i;
    free(w->node);
    w->node = sorted;
  }
  for (int i = 0; i < w->n; i++)
    g->node[w->node[i]].mark = i;
}

cst_walk cst_graph_walk(const cst_graph *g, const cst_node *out, int nout) {
  growing w = {{NULL, 0}, 0};
  for (int k = 0; k < nout; k++)
    if (out[k] >= 0)
      meet(g, &w, out[k]);
  for (int i = 0; i < w.walk.n; i++) {
    const cst_vertex v = g->node[w.walk.node[i]];
    if (cst_op_leaf(v.op))
      continue;
    meet(g, &w, v.a);
    if (v.b >= 0)
      meet(g, &w, v.b);
  }
  sort(g, &w.walk);
  cst_graph_spend((cst_graph *)g, w.walk.n); /* a counter, like the marks */
  return w.walk;
}

/* wanted[i]: whether the node at place i is an operation; *count is their number. Owned. */
static unsigned char *operations(const cst_graph *g, const cst_walk *w, int *count) {
  unsigned char *wanted = cst_expr_memory(NULL, (size_t)w->n, 1);
  *count = 0;
  for (int i = 0; i < w->n; i++) {
    const cst_vertex *v = &g->node[w->node[i]];
    wanted[i] = !cst_op_leaf(v->op);
    *count += wanted[i];
  }
  return wanted;
}

cst_node *cst_graph_order(const cst_graph *g, const cst_node *out, int nout, int *count) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  unsigned char *wanted = operations(g, &w, count);
  int            n = 0, depth = 0;
  cst_node      *order = cst_expr_memory(NULL, (size_t)*count, sizeof *order);
  cst_node      *stack = cst_expr_memory(NULL, (size_t)*count, sizeof *stack);
  for (int k = 0; k < nout; k++) {
    if (out[k] >= 0 && wanted[g->node[out[k]].mark])
      stack[depth++] = out[k];
    while (depth) {
      const cst_vertex *v = &g->node[stack[depth - 1]];
      if (wanted[g->node[v->a].mark])
        stack[depth++] = v->a;
      else if (v->b >= 0 && wanted[g->node[v->b].mark])
        stack[depth++] = v->b;
      else {
        order[n++] = stack[--depth];
        wanted[v->mark] = 0;
      }
    }
  }
  free(stack);
  free(wanted);
  free(w.node);
  return order;
}

int cst_graph_support(const cst_graph *g, cst_node n, char array, int **index) {
  const cst_walk w = cst_graph_walk(g, &n, 1);
  int            count = 0;
  for (int i = 0; i < w.n; i++) {
    const cst_vertex *v = &g->node[w.node[i]];
    if (v->op == CST_OP_INPUT && v->a == array)
      w.node[count++] = v->b; /* count <= i */
  }
  qsort(w.node, (size_t)count, sizeof *w.node, ascending);
  *index = count ? w.node : NULL;
  if (!count)
    free(w.node);
  return count;
}

void cst_graph_substitute(cst_graph *g, const cst_node *out, int nout, const cst_node *x,
                          const cst_node *y, int nx, cst_node *result) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  cst_node      *map = cst_expr_memory(NULL, (size_t)w.n, sizeof *map); /* of every place */
  memcpy(map, w.node, (size_t)w.n * sizeof *map);
  for (int i = 0; i < nx; i++) {
    const int place = cst_walk_place(&w, g, x[i]);
    if (place >= 0)
      map[place] = y[i];
  }
  for (int i = 0; i < w.n; i++) {
    const cst_vertex v = g->node[w.node[i]];
    if (map[i] != w.node[i])
      continue;
    if (cst_op_leaf(v.op))
      continue;
    const cst_node a = map[g->node[v.a].mark];
    const cst_node b = v.b < 0 ? -1 : map[g->node[v.b].mark];
    if (a != v.a || b != v.b)
      map[i] = cst_graph_operation(g, v.op, a, b);
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      result[k] = -1;
    else
      result[k] = map[g->node[out[k]].mark];
  free(map);
  free(w.node);
}

int cst_graph_split(cst_graph *g, const cst_node *out, int nout, char array, char letter,
                    cst_node **part, cst_node *result) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  const uint64_t bit = (uint64_t)1 << (array - 'A');
  unsigned char *cut = cst_expr_memory(NULL, (size_t)w.n, 1);
  cst_node      *input = NULL;
  int            n = 0;
  memset(cut, 0, (size_t)w.n);
  for (int k = 0; k < nout; k++) {
    if (out[k] < 0)
      continue;
    const cst_vertex *v = &g->node[out[k]];
    cut[v->mark] = !(v->depends & bit);
  }
  for (int i = 0; i < w.n; i++) { /* the operands of nodes that depend on the array */
    const cst_vertex *v = &g->node[w.node[i]];
    if (cst_op_leaf(v->op))
      continue;
    if (!(v->depends & bit))
      continue;
    const cst_vertex *a = &g->node[v->a];
    const cst_vertex *b;
    if (v->b < 0)
      b = a;
    else
      b = &g->node[v->b];
    cut[a->mark] |= !(a->depends & bit);
    cut[b->mark] |= !(b->depends & bit);
  }
  *part = cst_expr_memory(NULL, (size_t)w.n, sizeof **part);
  for (int i = 0; i < w.n; i++)
    if (cut[i] && !is_leaf(g, w.node[i]))
      (*part)[n++] = w.node[i];
  free(cut);
  free(w.node);
  input = cst_expr_memory(NULL, (size_t)n, sizeof *input);
  for (int i = 0; i < n; i++)
    input[i] = cst_graph_input(g, letter, i);
  cst_graph_substitute(g, out, nout, *part, input, n, result);
  free(input);
  return n;
}

int cst_graph_count(const cst_graph *g, const cst_node *out, int nout) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  int            count = 0;
  for (int i = 0; i < w.n; i++)
    count += !is_leaf(g, w.node[i]);
  free(w.node);
  return count;
}
