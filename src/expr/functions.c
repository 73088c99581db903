/* functions.c: the functions that texts, and methods in C, call by their names, and the check of the table of
 * operations. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

/* Every row of the operations has each of its fields once: they are the digits of this sum. */
#define OPERATION(OP, name, n, kind, ...)                                                          \
  _Static_assert((0 __VA_ARGS__) == ((n) == 2 ? 0x1111111 : 0x1011111), "the fields of " #OP);
#define REAL(x)           +0x1
#define LANES(f, ...)     +0x10
#define QUAD(x)           +0x100
#define COMPLEX(x, where) +0x1000
#define ANY(x)            +0x1111
#define BY_A(x)           +0x10000
#define BY_B(x)           +0x100000
#define BOUND(x)          +0x1000000
#include "expr/operations.h"

const cst_function cst_functions[] = {
#define OPERATION(OP, name, n, kind, ...) ROW_##kind(OP, name, n)
#define ROW_SIGN(OP, name, n)
#define ROW_HIDDEN(OP, name, n)
#define ROW_RESERVED(OP, name, n) {name, CST_OP_##OP, n, true, NULL},
#define ROW_FREE(OP, name, n)     {name, CST_OP_##OP, n, false, NULL},
#define PIECES(name, n)           {#name, CST_OP_END, n, false, cst_pieces_##name},
#include "expr/operations.h"
};

const int cst_function_count = sizeof cst_functions / sizeof *cst_functions;

const cst_function *cst_function_find(const char *text, size_t n) {
  for (int i = 0; i < cst_function_count; i++) {
    const cst_function *f = &cst_functions[i];
    if (strlen(f->name) == n && !memcmp(f->name, text, n))
      return f;
  }
  return NULL;
}

const char *cst_graph_function(int i) {
  return i < cst_function_count ? cst_functions[i].name : NULL;
}

cst_node cst_function_call(cst_graph *g, const cst_function *f, cst_node a, cst_node b) {
  return f->make ? f->make(g, a, b) : cst_graph_operation(g, f->op, a, b);
}

cst_node cst_graph_call(cst_graph *g, const char *function, cst_node a, cst_node b) {
  const cst_function *f = cst_function_find(function, strlen(function));
  return f ? cst_function_call(g, f, a, b) : -1;
}
