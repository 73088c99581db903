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

/* ---- the nodes that some outputs need -------------------------------------------------------- */

/* All of them in ascending order, the operations in the order of a program, the inputs, a copy with other inputs.
 * The cost is proportional to the nodes needed; nothing recurses. */
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

/* Whether it takes longer than to read its value again. */
static bool is_costly(cst_op op) { return op == CST_OP_DIV || op >= CST_OP_SQRT; }

int cst_graph_costly(const cst_graph *g, const cst_node *out, int nout, const char *arrays,
                     cst_node **part) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  uint64_t       allowed = 0;
  int            n = 0;
  for (const char *a = arrays; *a; a++)
    allowed |= (uint64_t)1 << (*a - 'A');
  for (int i = 0; i < w.n; i++) {
    const cst_vertex *v = &g->node[w.node[i]];
    if (!cst_op_leaf(v->op) && is_costly(v->op) && !(v->depends & ~allowed))
      w.node[n++] = w.node[i]; /* n <= i */
  }
  *part = w.node;
  return n;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

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
