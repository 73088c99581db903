/* expr-internal.h: what the files of the expression engine share: the nodes of a graph and the instructions of a tape.
 *
 * Operands are always older than the node that uses them, so a loop over ascending indices visits operands first and nothing
 * has to recurse, however deep an expression is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_INTERNAL_H
#define CST_EXPR_INTERNAL_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "constella/expr.h"

typedef enum {
  CST_OP_CONSTANT,
  CST_OP_INPUT,
  CST_OP_ADD,
  CST_OP_SUB,
  CST_OP_MUL,
  CST_OP_DIV,
  CST_OP_NEG,
  CST_OP_SQRT,
  CST_OP_SIN,
  CST_OP_COS,
  CST_OP_TAN,
  CST_OP_EXP,
  CST_OP_LOG,
  CST_OP_ATAN2,
  CST_OP_POW,
  CST_OP_COPY /* on tapes only */
} cst_op;

/* A constant has its value; an input the letter of its array in a and the entry in b; an operation its operands (b -1 when unary). */
typedef struct {
  double   value;
  uint64_t depends; /* bit c - 'A' when it depends on array c */
  int      a, b;
  cst_op   op;
} cst_vertex;

struct cst_graph {
  cst_vertex *node;
  int         size, capacity;
  int        *table; /* open addressing: node or -1; a power of two of slots, at most half full */
  uint32_t    slots;
};

typedef struct {
  const char *name;
  cst_op      op;
  int         arguments;
} cst_function;

enum { CST_FUNCTIONS = 7, CST_LETTERS = 'z' - 'A' + 1 };
extern const cst_function cst_functions[CST_FUNCTIONS];
/* The row whose name is the first n characters of text; NULL when there is none. */
const cst_function *cst_function_find(const char *text, size_t n);

/* One operation on scalars, exactly as every lane of the interpreter and of emitted C does it. */
double cst_op_apply(cst_op op, double a, double b);
/* The node of an operation with folding; b is ignored when op is unary. */
cst_node           cst_graph_operation(cst_graph *g, cst_op op, cst_node a, cst_node b);
static inline bool cst_op_leaf(cst_op op) { return op == CST_OP_CONSTANT || op == CST_OP_INPUT; }

/* mark[i] for 0 <= i <= *top: whether out needs node i. Entries -1 of out are skipped. Owned. */
unsigned char *cst_graph_reach(const cst_graph *g, const cst_node *out, int nout, int *top);
/* The operations that out needs, operands first, those of out[0] first; *count of them. Owned. */
cst_node *cst_graph_order(const cst_graph *g, const cst_node *out, int nout, int *count);

/* Where an operand lives: entry `index` (times the lanes) from one of the bases. */
enum { CST_BASE_SCRATCH, CST_BASE_OUT, CST_BASE_CONSTANT, CST_BASE_INPUT, CST_BASES = CST_BASE_INPUT + CST_LETTERS };

typedef struct {
  uint8_t op, rbase, abase, bbase; /* rbase: scratch or out */
  int     r, a, b;
} cst_instruction;

struct cst_tape {
  cst_instruction *code;
  int              length, registers, outputs, letters;
  char             letter[CST_LETTERS]; /* of base CST_BASE_INPUT + j */
  double          *constants[4];        /* each constant 1, 2, 4, 8 times over: a run with W lanes reads constants[log2 W] */
};

/* Out of memory ends the process. */
static inline void *cst_expr_memory(void *old, size_t count, size_t size) {
  void *p = count > SIZE_MAX / size ? NULL : realloc(old, count * size + 1);
  if (!p) fprintf(stderr, "constella: out of memory for expressions\n"), abort();
  return p;
}
#endif
