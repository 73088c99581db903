/* functions.c: the functions that texts, and methods in C, call by their names, and the check of the table of
 * operations. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "expr/expr-internal.h"

/* ---- functions that are smooth in pieces ----------------------------------------------------- */

/* They are made of one operation, step(x): 0, 1/2, 1 where x is
 * below, at and above 0. Its derivative is 0, so that all derivatives are those between the pieces.
 *
 *   sign(x) = 2 step(x) - 1,   abs(x) = x sign(x),   max(a, b) = a step(a - b) + b step(b - a)
 *   c(x) = x step(x) step(1 - x) + step(x - 1), x between 0 and 1
 *   smoothstep(x) = c^2 (3 - 2 c)
 *   ramp(x, w) = w (c^2/2 + (u - 1) step(u - 1)), u = x/w, c = c(u): x - w/2 above w, a parabola below it
 *
 * Products with 0 and 1 are exact: beyond the pieces the values are those of the formulas there.
 */

enum { JUMPS = CST_JUMPS, BENDS = CST_KINKS, TURNS = 1 };

static cst_node number(cst_graph *g, double x) { return cst_graph_constant(g, x); }

static cst_node pieces_step(cst_graph *g, cst_node a, cst_node b) {
  (void)b;
  return cst_graph_step(g, a, JUMPS);
}

/* 2 step(a) - 1 */
static cst_node sign_of(cst_graph *g, cst_node a, int smooth) {
  const cst_node twice = cst_graph_mul(g, number(g, 2), cst_graph_step(g, a, smooth));
  return cst_graph_sub(g, twice, number(g, 1));
}

static cst_node pieces_sign(cst_graph *g, cst_node a, cst_node b) {
  (void)b;
  return sign_of(g, a, JUMPS);
}

static cst_node pieces_abs(cst_graph *g, cst_node a, cst_node b) {
  (void)b;
  return cst_graph_mul(g, a, sign_of(g, a, BENDS));
}

/* a where it is on the side of d > 0, b elsewhere. */
static cst_node either(cst_graph *g, cst_node d, cst_node a, cst_node b) {
  const cst_node first = cst_graph_mul(g, a, cst_graph_step(g, d, BENDS));
  const cst_node other = cst_graph_step(g, cst_graph_neg(g, d), BENDS);
  return cst_graph_add(g, first, cst_graph_mul(g, b, other));
}

static cst_node pieces_max(cst_graph *g, cst_node a, cst_node b) {
  return either(g, cst_graph_sub(g, a, b), a, b);
}

static cst_node pieces_min(cst_graph *g, cst_node a, cst_node b) {
  return either(g, cst_graph_sub(g, b, a), a, b);
}

/* a - 1, and its step */
static cst_node beyond(cst_graph *g, cst_node a, cst_node *past) {
  const cst_node more = cst_graph_sub(g, a, number(g, 1));
  *past = cst_graph_step(g, more, TURNS);
  return more;
}

static cst_node between(cst_graph *g, cst_node a) {
  cst_node       past;
  const cst_node more = beyond(g, a, &past);
  const cst_node inside = cst_graph_mul(g, cst_graph_step(g, a, TURNS),
                                        cst_graph_step(g, cst_graph_neg(g, more), TURNS));
  return cst_graph_add(g, cst_graph_mul(g, a, inside), past);
}

static cst_node pieces_smoothstep(cst_graph *g, cst_node a, cst_node b) {
  (void)b;
  const cst_node c = between(g, a);
  const cst_node rest = cst_graph_sub(g, number(g, 3), cst_graph_mul(g, number(g, 2), c));
  return cst_graph_mul(g, cst_graph_mul(g, c, c), rest);
}

static cst_node pieces_ramp(cst_graph *g, cst_node a, cst_node w) {
  cst_node       past;
  const cst_node u = cst_graph_div(g, a, w);
  const cst_node more = beyond(g, u, &past);
  const cst_node c = between(g, u);
  const cst_node half = cst_graph_mul(g, number(g, 0.5), cst_graph_mul(g, c, c));
  return cst_graph_mul(g, w, cst_graph_add(g, half, cst_graph_mul(g, more, past)));
}

int cst_graph_smoothness(const cst_graph *g, cst_node n) {
  int least = INT_MAX;
  if (!g->pieces || n < 0)
    return least;
  const cst_walk w = cst_graph_walk(g, &n, 1);
  for (int i = 0; i < w.n; i++) {
    const cst_vertex *v = &g->node[w.node[i]];
    if (v->op == CST_OP_STEP && v->value < least)
      least = (int)v->value;
  }
  free(w.node);
  return least;
}

/* ---- the table ------------------------------------------------------------------------------- */

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
#define PIECES(name, n)           {#name, CST_OP_END, n, false, pieces_##name},
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
