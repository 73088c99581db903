/* graph.c: the hash-consed graph: every constructor looks the node up before it makes one, so equal
 * subexpressions share one node.
 *
 * Every simplification is exact in IEEE arithmetic except for signs of zeros and non-finite values: constants
 * are folded by the functions that evaluate, signs are moved outwards, nothing is reassociated. The operands
 * of + and * are ordered by index. A full graph returns -1, and so does an operation on -1: one check at the
 * end is enough.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "expr/expr-internal.h"

enum { FIRST_SLOTS = 256, LARGEST_PRODUCT_POWER = 65536, LARGE_PAGE = 2 << 20 };

cst_graph *cst_graph_create(void) {
  cst_graph *g = cst_expr_memory(NULL, 1, sizeof *g);
  *g = (cst_graph){.slots = FIRST_SLOTS,
                   .most = INFINITY,
                   .table = cst_expr_memory(NULL, FIRST_SLOTS, sizeof *g->table)};
  memset(g->table, 0xff, FIRST_SLOTS * sizeof *g->table);
  return g;
}

/* Room for n bytes, of which the first `used` are those of `old`. Nodes are met in no order: a large graph
 * lies in large pages, where there are any. */
static void *move(void *old, size_t used, size_t n) {
  void *x = NULL;
  if (n < LARGE_PAGE)
    return cst_expr_memory(old, 1, n);
  if (posix_memalign(&x, LARGE_PAGE, n))
    return cst_expr_memory(old, 1, n);
#ifdef MADV_HUGEPAGE
  (void)madvise(x, n, MADV_HUGEPAGE); /* without it, smaller ones */
#endif
  if (used)
    memcpy(x, old, used);
  free(old);
  return x;
}

cst_graph *cst_graph_copy(const cst_graph *g) {
  cst_graph *c = cst_expr_memory(NULL, 1, sizeof *c);
  *c = *g;
  c->capacity = g->size;
  c->node = memcpy(cst_expr_memory(NULL, (size_t)g->size, sizeof *c->node), g->node,
                   (size_t)g->size * sizeof *c->node);
  c->table = memcpy(cst_expr_memory(NULL, g->slots, sizeof *c->table), g->table,
                    g->slots * sizeof *c->table);
  return c;
}

void cst_graph_destroy(cst_graph *g) {
  if (!g)
    return;
  free(g->node);
  free(g->table);
  free(g);
}

int cst_graph_size(const cst_graph *g) { return g->size; }

void cst_graph_expect(cst_graph *g, int inputs) { g->inputs = inputs; }

int cst_graph_most(const cst_graph *g) {
  const int most = CST_EXPR_NODES_EACH * g->inputs;
  return most > CST_EXPR_NODES ? most : CST_EXPR_NODES;
}

double cst_graph_most_terms(const cst_graph *g) {
  return fmax(CST_PARSE_TERMS, (double)CST_PARSE_TERMS_EACH * g->inputs);
}

double cst_graph_part(const cst_graph *g) {
  return fmax(g->work / g->most, (double)g->size / cst_graph_most(g));
}

void cst_graph_allow(cst_graph *g, double work) { g->most = g->work + work; }
void cst_graph_spend(cst_graph *g, double work) { g->work += work; }
bool cst_graph_spent(const cst_graph *g) { return g->work > g->most; }

static uint64_t bits(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint32_t mark_of(const cst_vertex *v) {
  const uint64_t operation = 0x9e3779b97f4a7c15u * ((uint64_t)v->op + 1);
  const uint64_t operands = (uint64_t)(uint32_t)v->a << 32 | (uint32_t)v->b;
  const uint64_t h = mix(bits(v->value) + operation);
  return (uint32_t)mix(h ^ operands);
}

static bool same(const cst_vertex *v, const cst_vertex *w) {
  const bool same_operands = v->a == w->a && v->b == w->b;
  return v->op == w->op && same_operands && bits(v->value) == bits(w->value);
}

/* The slot of v, or the free one where it belongs. */
static uint32_t find(const cst_graph *g, const cst_vertex *v, uint32_t mark) {
  uint32_t s = mark & (g->slots - 1);
  for (;;) {
    const cst_slot *slot = &g->table[s];
    if (slot->node < 0)
      return s;
    if (slot->mark == mark && same(&g->node[slot->node], v))
      return s;
    s = (s + 1) & (g->slots - 1);
  }
}

/* No two of the nodes are equal, and their marks are in the table: none of them is looked at. */
static void rehash(cst_graph *g) {
  const cst_slot *old = g->table;
  const uint32_t  n = g->slots;
  g->slots *= 2;
  g->table = move(NULL, 0, g->slots * sizeof *g->table);
  memset(g->table, 0xff, g->slots * sizeof *g->table);
  for (uint32_t i = 0; i < n; i++) {
    if (old[i].node < 0)
      continue;
    uint32_t s = old[i].mark & (g->slots - 1);
    while (g->table[s].node >= 0)
      s = (s + 1) & (g->slots - 1);
    g->table[s] = old[i];
  }
  free((void *)old);
}

static cst_node intern(cst_graph *g, cst_vertex v) {
  if (++g->work > g->most)
    return -1;
  const uint32_t mark = mark_of(&v);
  const uint32_t s = find(g, &v, mark);
  if (g->table[s].node >= 0)
    return g->table[s].node;
  if (g->size >= cst_graph_most(g))
    return -1;
  if (g->size == g->capacity) {
    if (g->capacity)
      g->capacity = 2 * g->capacity;
    else
      g->capacity = 64;
    g->node =
        move(g->node, (size_t)g->size * sizeof *g->node, (size_t)g->capacity * sizeof *g->node);
  }
  g->node[g->size] = v;
  g->table[s] = (cst_slot){mark, g->size++};
  const cst_node n = g->size - 1;
  if (2 * (uint32_t)g->size > g->slots)
    rehash(g);
  return n;
}

cst_node cst_graph_constant(cst_graph *g, double value) {
  return intern(g, (cst_vertex){.op = CST_OP_CONSTANT, .value = value, .a = -1, .b = -1});
}

cst_node cst_graph_input(cst_graph *g, char array, int index) {
  if (array < 'A' || array > 'z' || index < 0)
    return -1;
  return intern(
      g, (cst_vertex){
             .op = CST_OP_INPUT, .a = array, .b = index, .depends = UINT64_C(1) << (array - 'A')});
}

bool cst_graph_is_constant(const cst_graph *g, cst_node n, double *value) {
  if (n < 0 || g->node[n].op != CST_OP_CONSTANT)
    return false;
  if (value)
    *value = g->node[n].value;
  return true;
}

static bool is(const cst_graph *g, cst_node n, double value) {
  return g->node[n].op == CST_OP_CONSTANT && g->node[n].value == value;
}

bool cst_graph_is_zero(const cst_graph *g, cst_node n) { return n >= 0 && is(g, n, 0); }

bool cst_graph_depends(const cst_graph *g, cst_node n, char array) {
  if (n < 0 || array < 'A' || array > 'z')
    return false;
  return g->node[n].depends >> (array - 'A') & 1;
}

/* The node of an operation, folded when its operands are constants. */
static cst_node make(cst_graph *g, cst_op op, cst_node a, cst_node b) {
  const cst_vertex *x = &g->node[a];
  const cst_vertex *y = b < 0 ? x : &g->node[b];
  if (x->op == CST_OP_CONSTANT && y->op == CST_OP_CONSTANT)
    return cst_graph_constant(g, cst_elementary_apply(op, x->value, y->value));
  const bool       swap = (op == CST_OP_ADD || op == CST_OP_MUL) && a > b;
  const cst_vertex v = {
      .op = op, .a = swap ? b : a, .b = swap ? a : b, .depends = x->depends | y->depends};
  return intern(g, v);
}

static bool both_constant(const cst_graph *g, cst_node a, cst_node b) {
  const cst_vertex *x = &g->node[a];
  const cst_vertex *y = &g->node[b];
  return x->op == CST_OP_CONSTANT && y->op == CST_OP_CONSTANT;
}

/* n without its sign; *negative flips when there was one. */
static cst_node strip(const cst_graph *g, cst_node n, bool *negative) {
  if (g->node[n].op != CST_OP_NEG)
    return n;
  *negative = !*negative;
  return g->node[n].a;
}

cst_node cst_graph_step(cst_graph *g, cst_node a, int smooth) {
  if (a < 0)
    return -1;
  const cst_vertex *x = &g->node[a];
  if (x->op == CST_OP_CONSTANT)
    return cst_graph_constant(g, cst_elementary_apply(CST_OP_STEP, x->value, 0));
  g->pieces = true;
  return intern(
      g, (cst_vertex){.op = CST_OP_STEP, .value = smooth, .a = a, .b = -1, .depends = x->depends});
}

cst_node cst_graph_neg(cst_graph *g, cst_node a) {
  if (a < 0)
    return -1;
  const cst_vertex v = g->node[a];
  if (v.op == CST_OP_NEG)
    return v.a;
  if (v.op == CST_OP_MUL && cst_graph_is_constant(g, v.a, NULL))
    return cst_graph_mul(g, cst_graph_neg(g, v.a), v.b);
  if (v.op == CST_OP_MUL && cst_graph_is_constant(g, v.b, NULL))
    return cst_graph_mul(g, cst_graph_neg(g, v.b), v.a);
  if (v.op == CST_OP_DIV && cst_graph_is_constant(g, v.a, NULL))
    return cst_graph_div(g, cst_graph_neg(g, v.a), v.b);
  return make(g, CST_OP_NEG, a, -1);
}

cst_node cst_graph_add(cst_graph *g, cst_node a, cst_node b) {
  if (a < 0 || b < 0)
    return -1;
  if (both_constant(g, a, b))
    return make(g, CST_OP_ADD, a, b);
  if (is(g, a, 0))
    return b;
  if (is(g, b, 0))
    return a;
  if (g->node[b].op == CST_OP_NEG)
    return cst_graph_sub(g, a, g->node[b].a);
  if (g->node[a].op == CST_OP_NEG)
    return cst_graph_sub(g, b, g->node[a].a);
  return make(g, CST_OP_ADD, a, b);
}

cst_node cst_graph_sub(cst_graph *g, cst_node a, cst_node b) {
  if (a < 0 || b < 0)
    return -1;
  if (both_constant(g, a, b))
    return make(g, CST_OP_SUB, a, b);
  if (is(g, b, 0))
    return a;
  if (is(g, a, 0))
    return cst_graph_neg(g, b);
  if (a == b)
    return cst_graph_constant(g, 0);
  if (g->node[b].op == CST_OP_NEG)
    return cst_graph_add(g, a, g->node[b].a);
  return make(g, CST_OP_SUB, a, b);
}

cst_node cst_graph_mul(cst_graph *g, cst_node a, cst_node b) {
  if (a < 0 || b < 0)
    return -1;
  if (both_constant(g, a, b))
    return make(g, CST_OP_MUL, a, b);
  if (is(g, a, 0))
    return cst_graph_constant(g, 0);
  if (is(g, b, 0))
    return cst_graph_constant(g, 0);
  if (is(g, a, 1))
    return b;
  if (is(g, b, 1))
    return a;
  if (is(g, a, -1))
    return cst_graph_neg(g, b);
  if (is(g, b, -1))
    return cst_graph_neg(g, a);
  bool           negative = false;
  const cst_node x = strip(g, a, &negative);
  const cst_node y = strip(g, b, &negative);
  const cst_node product = make(g, CST_OP_MUL, x, y);
  return negative ? cst_graph_neg(g, product) : product;
}

cst_node cst_graph_div(cst_graph *g, cst_node a, cst_node b) {
  if (a < 0 || b < 0)
    return -1;
  if (both_constant(g, a, b))
    return make(g, CST_OP_DIV, a, b);
  if (is(g, a, 0))
    return a;
  if (is(g, b, 1))
    return a;
  if (is(g, b, -1))
    return cst_graph_neg(g, a);
  bool           negative = false;
  const cst_node x = strip(g, a, &negative);
  const cst_node y = strip(g, b, &negative);
  const cst_node quotient = make(g, CST_OP_DIV, x, y);
  return negative ? cst_graph_neg(g, quotient) : quotient;
}

/* a^n by squaring, n >= 0. */
static cst_node power(cst_graph *g, cst_node a, int n) {
  cst_node result = cst_graph_constant(g, 1);
  for (; n; n >>= 1) {
    if (n & 1)
      result = cst_graph_mul(g, result, a);
    if (n > 1)
      a = cst_graph_mul(g, a, a);
  }
  return result;
}

cst_node cst_graph_pow(cst_graph *g, cst_node a, cst_node b) {
  if (a < 0 || b < 0)
    return -1;
  double n;
  if (cst_graph_is_constant(g, b, &n) && fabs(n) <= LARGEST_PRODUCT_POWER &&
      2 * n == floor(2 * n)) {
    cst_node p = power(g, a, (int)fabs(n));
    if (n != floor(n))
      p = cst_graph_mul(g, p, cst_graph_operation(g, CST_OP_SQRT, a, -1));
    if (n < 0)
      return cst_graph_div(g, cst_graph_constant(g, 1), p);
    return p;
  }
  if (is(g, a, 1))
    return a;
  return make(g, CST_OP_POW, a, b);
}

cst_node cst_graph_operation(cst_graph *g, cst_op op, cst_node a, cst_node b) {
  switch (op) {
  case CST_OP_ADD:
    return cst_graph_add(g, a, b);
  case CST_OP_SUB:
    return cst_graph_sub(g, a, b);
  case CST_OP_MUL:
    return cst_graph_mul(g, a, b);
  case CST_OP_DIV:
    return cst_graph_div(g, a, b);
  case CST_OP_NEG:
    return cst_graph_neg(g, a);
  case CST_OP_POW:
    return cst_graph_pow(g, a, b);
  case CST_OP_STEP:
    return cst_graph_step(g, a, CST_KINKS);
  default:
    if (a < 0 || (cst_op_binary(op) && b < 0))
      return -1;
    return make(g, op, a, cst_op_binary(op) ? b : -1);
  }
}
