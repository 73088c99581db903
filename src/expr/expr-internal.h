/* expr-internal.h: shared by the files on expressions: the nodes of a graph and operations on them.
 *
 * Operands have smaller indices than the node that uses them. A loop over ascending indices visits operands
 * first, so nothing recurses, however deep an expression is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_INTERNAL_H
#define CST_EXPR_INTERNAL_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "constella/expr.h"
#include "core/need.h"
#include "expr/budget.h"
#include "expr/define.h"
#include "expr/edge-table.h"

/* The last two are on tapes only; END ends straight code. */
typedef enum {
  CST_OP_CONSTANT,
  CST_OP_INPUT,
#define OPERATION(OP, ...) CST_OP_##OP,
#include "expr/operations.h"
  CST_OP_COPY,
  CST_OP_END
} cst_op;

/* A constant has its value; an input the letter of its array in a and the entry in b; an operation its
 * operands (b -1 when unary). The value of a STEP is how smooth the function is of which it is a part. */
typedef struct {
  double   value;
  uint64_t depends; /* bit c - 'A': whether it depends on array c */
  int      a, b;
  cst_op   op;
  int      mark; /* its place in the last walk that visited it; see cst_walk */
} cst_vertex;

/* A slot of the graph's table. */
typedef struct {
  uint32_t mark; /* the lower half of the node's hash: what is another is seen without the node */
  int32_t  node; /* -1: free */
} cst_slot;

struct cst_graph {
  cst_vertex *node;
  int         size, capacity;
  cst_slot   *table; /* open addressing; a power of two of slots, at most half full */
  uint32_t    slots;
  double      effort;     /* of the sums that were parsed */
  bool        pieces;     /* there are STEPs */
  int         inputs;     /* that were announced */
  double      work, most; /* so far, in nodes looked up or visited; operations fail beyond `most` */
  const cst_definition *definition; /* [definitions], borrowed */
  int                   definitions;
  const cst_edge_table *table_at; /* [tables], borrowed */
  int                   tables;
};

/* A function that texts may call. */
typedef struct {
  const char *name;
  cst_op      op;
  int         arguments;
  bool        reserved; /* nothing else can have its name; if not, a definition goes before it */
  cst_node (*make)(cst_graph *g, cst_node a, cst_node b); /* NULL: it is the operation op */
} cst_function;

enum { CST_LETTERS = 'z' - 'A' + 1 };
extern const cst_function cst_functions[]; /* those with reserved names first */
extern const int          cst_function_count;
/* The row whose name is the first n characters of text; NULL when there is none. */
const cst_function *cst_function_find(const char *text, size_t n);
/* The node of a call; b is ignored when f takes one argument. */
cst_node cst_function_call(cst_graph *g, const cst_function *f, cst_node a, cst_node b);
/* STEP of a, in a function with so many continuous derivatives; -1: it jumps. */
cst_node cst_graph_step(cst_graph *g, cst_node a, int smooth);

/* One operation on scalars, with the bits of every lane of the interpreter and of emitted C. */
double cst_elementary_apply(cst_op op, double a, double b);
/* The node of an operation with folding; b is ignored when op is unary. */
cst_node           cst_graph_operation(cst_graph *g, cst_op op, cst_node a, cst_node b);
static inline bool cst_op_leaf(cst_op op) { return op == CST_OP_CONSTANT || op == CST_OP_INPUT; }
static inline bool cst_op_binary(cst_op op) {
  switch (op) {
#define OPERATION(OP, name, n, ...)                                                                \
  case CST_OP_##OP:                                                                                \
    return n == 2;
#include "expr/operations.h"
  default:
    return false;
  }
}

/* The nodes that some outputs need, leaves included, ascending. A node is in the walk when the place that it
 * is marked with holds it; nothing is cleared, so a walk costs what it visits, however large the graph. A
 * walk invalidates every earlier one of the same graph; making nodes does not. Release with free(node). */
typedef struct {
  cst_node *node;
  int       n;
} cst_walk;
/* Skips entries -1 of out. Writes marks although the graph is const: not for two threads on one graph. */
cst_walk cst_graph_walk(const cst_graph *g, const cst_node *out, int nout);
/* The place of node n in the walk; -1 when it is not in it or is -1. */
static inline int cst_walk_place(const cst_walk *w, const cst_graph *g, cst_node n) {
  const int place = n < 0 ? -1 : g->node[n].mark;
  return place >= 0 && place < w->n && w->node[place] == n ? place : -1;
}
/* The operations that out needs, operands first, those of out[0] first; *count is their number. Owned. */
cst_node *cst_graph_order(const cst_graph *g, const cst_node *out, int nout, int *count);

/* Out of memory ends the process. */
static inline void *cst_expr_memory(void *old, size_t count, size_t size) {
  return cst_need(count > SIZE_MAX / size ? NULL : realloc(old, count * size + 1));
}
#endif
