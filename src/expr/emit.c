/* emit.c: the straight-line C of some outputs: one temporary for each operation, leaves written where they are used.
 *
 * The statements do the operations of the tape, on the same operands in the same order; only + - * / and the functions of
 * lanes.h occur, so the compiled text and the interpreter give the same bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <locale.h>
#include <math.h>
#include <string.h>
#include "expr/expr-internal.h"

static const char        infix[] = {[CST_OP_ADD] = '+', [CST_OP_SUB] = '-', [CST_OP_MUL] = '*', [CST_OP_DIV] = '/'};
static const char *const call[] = {[CST_OP_SQRT] = "vsqrt", [CST_OP_SIN] = "vsin", [CST_OP_COS] = "vcos",     [CST_OP_TAN] = "vtan",
                                   [CST_OP_EXP] = "vexp",   [CST_OP_LOG] = "vlog", [CST_OP_ATAN2] = "vatan2", [CST_OP_POW] = "vpow"};

static void emit_constant(double value, FILE *f) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  if (isnan(value))
    strcpy(text, "__builtin_nan(\"\")");
  else if (isinf(value))
    strcpy(text, value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
  else if (!strpbrk(text, ".e"))
    strcat(text, ".0");
  fprintf(f, *text == '-' ? "(%s)" : "%s", text);
}

/* number[n] is that of the temporary of node n; vector: whether a constant has to be one here. */
static void emit_operand(const cst_graph *g, const int *number, cst_node n, bool vector, FILE *f) {
  const cst_vertex *v = &g->node[n];
  if (v->op == CST_OP_INPUT) {
    fprintf(f, "%c[%d]", v->a, v->b);
  } else if (v->op == CST_OP_CONSTANT) {
    const bool negative = vector && v->value == 0 && signbit(v->value); /* vset adds to 0, which would lose this sign */
    if (vector) fputs(negative ? "-vset(" : "vset(", f);
    emit_constant(negative ? 0 : v->value, f);
    if (vector) fputs(")", f);
  } else {
    fprintf(f, "t%d", number[n]);
  }
}

static void emit_operation(const cst_graph *g, const int *number, cst_node n, FILE *f) {
  const cst_vertex *v = &g->node[n];
  const bool        function = v->op >= CST_OP_SQRT;
  if (v->op == CST_OP_NEG) fputs("-", f);
  if (function) fprintf(f, "%s(", call[v->op]);
  emit_operand(g, number, v->a, function, f);
  if (v->b >= 0) {
    if (function)
      fputs(", ", f);
    else
      fprintf(f, " %c ", infix[v->op]);
    emit_operand(g, number, v->b, function, f);
  }
  if (function) fputs(")", f);
}

/* The temporaries come in the tape's order, each output as soon as its value is there. */
static void emit_all(const cst_graph *g, const cst_node *out, int nout, const char *indent, FILE *f) {
  int       count, next = 0;
  cst_node *order = cst_graph_order(g, out, nout, &count);
  int      *number = cst_expr_memory(NULL, (size_t)g->size, sizeof *number);
  memset(number, 0xff, (size_t)g->size * sizeof *number);
  for (int k = 0; k < nout; k++) {
    if (out[k] < 0) continue;
    while (!cst_op_leaf(g->node[out[k]].op) && number[out[k]] < 0) {
      number[order[next]] = next;
      fprintf(f, "%sconst vd t%d = ", indent, next);
      emit_operation(g, number, order[next++], f);
      fputs(";\n", f);
    }
    fprintf(f, "%so[%d] = ", indent, k);
    emit_operand(g, number, out[k], true, f);
    fputs(";\n", f);
  }
  free(number);
  free(order);
}

void cst_graph_emit(const cst_graph *g, const cst_node *out, int nout, const char *indent, FILE *f) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), users = uselocale(plain);
  emit_all(g, out, nout, indent, f);
  uselocale(users);
  freelocale(plain);
}
