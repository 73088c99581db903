/* graph-properties.c: the degree of an expression as a polynomial and the linear expressions in it, and the exact
 * rewritings that save operations: of scales and of divisors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "expr/expr-internal.h"

enum { NONE = -1, MOST = 1000000 };

static int larger(int a, int b) { return a > b ? a : b; }

/* The degree of an operation on operands of degrees a and b; b is 0 for a unary one. */
static int degree_of(cst_op op, int a, int b) {
  if (a == NONE || b == NONE)
    return NONE;
  switch (op) {
  case CST_OP_ADD:
  case CST_OP_SUB:
    return larger(a, b);
  case CST_OP_MUL:
    return a + b > MOST ? NONE : a + b;
  case CST_OP_DIV:
    return b == 0 ? a : NONE;
  case CST_OP_NEG:
    return a;
  default:
    return a == 0 && b == 0 ? 0 : NONE;
  }
}

/* The degrees of all nodes of the walk. Owned. */
static int *degrees(const cst_graph *g, const cst_walk *walk, char array) {
  int *degree = cst_expr_memory(NULL, (size_t)walk->n, sizeof *degree);
  for (int i = 0; i < walk->n; i++) {
    const cst_vertex *v = &g->node[walk->node[i]];
    if (v->op == CST_OP_INPUT)
      degree[i] = v->a == array;
    else if (v->op == CST_OP_CONSTANT)
      degree[i] = 0;
    else
      degree[i] = degree_of(v->op, degree[cst_walk_place(walk, g, v->a)],
                            v->b >= 0 ? degree[cst_walk_place(walk, g, v->b)] : 0);
  }
  return degree;
}

int cst_graph_degree(const cst_graph *g, cst_node n, char array) {
  const cst_walk walk = cst_graph_walk(g, &n, 1);
  int           *degree = degrees(g, &walk, array);
  const int      found = degree[cst_walk_place(&walk, g, n)];
  free(degree);
  free(walk.node);
  return found;
}

/* Whether the operation is linear in its operands, of degrees a and b. */
static bool is_linear(cst_op op, int a, int b) {
  switch (op) {
  case CST_OP_ADD:
  case CST_OP_SUB:
  case CST_OP_NEG:
    return true;
  case CST_OP_MUL:
    return a == 0 || b == 0;
  case CST_OP_DIV:
    return b == 0;
  default:
    return false;
  }
}

static bool has_a_period_or_rate(cst_op op) {
  switch (op) {
  case CST_OP_SIN:
  case CST_OP_COS:
  case CST_OP_TAN:
  case CST_OP_EXP:
  case CST_OP_EXPM1:
  case CST_OP_SINH:
  case CST_OP_COSH:
  case CST_OP_TANH:
    return true;
  default:
    return false;
  }
}

static int add_part(cst_linear_part *part, int n, cst_linear_part x) {
  for (int i = 0; i < n; i++)
    if (part[i].node == x.node && part[i].dimensionless == x.dimensionless)
      return n;
  part[n] = x;
  return n + 1;
}

int cst_graph_linear_parts(const cst_graph *g, cst_node n, char array, cst_linear_part **part) {
  const cst_walk walk = cst_graph_walk(g, &n, 1);
  int           *degree = degrees(g, &walk, array);
  int            count = 0;
  *part = cst_expr_memory(NULL, 2 * (size_t)walk.n, sizeof **part);
  for (int i = 0; i < walk.n; i++) {
    const cst_vertex *v = &g->node[walk.node[i]];
    if (cst_op_leaf(v->op))
      continue;
    const int a = degree[cst_walk_place(&walk, g, v->a)];
    const int b = v->b >= 0 ? degree[cst_walk_place(&walk, g, v->b)] : 0;
    if (is_linear(v->op, a, b))
      continue;
    if (a == 1)
      count = add_part(*part, count, (cst_linear_part){v->a, has_a_period_or_rate(v->op)});
    if (b == 1)
      count = add_part(*part, count, (cst_linear_part){v->b, false});
  }
  free(degree);
  free(walk.node);
  return count;
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Powers of two and signs move out of products and sums, where they cancel: -1/2 y (x + x) is -(y x).
 * Exact in IEEE arithmetic, signs of zeros and what leaves the range of numbers apart. */
/* The node times 2^exponent, or minus that. */
typedef struct {
  cst_node node;
  int      exponent;
  bool     negative;
} scaled;

static cst_node whole(cst_graph *g, scaled x) {
  const double factor = ldexp(x.negative ? -1 : 1, x.exponent);
  return cst_graph_mul(g, cst_graph_constant(g, factor), x.node);
}

static scaled constant(cst_graph *g, cst_node n, double value) {
  int          exponent;
  const double part = frexp(value, &exponent);
  if (fabs(part) != 0.5)
    return (scaled){n, 0, false};
  return (scaled){cst_graph_constant(g, 1), exponent - 1, value < 0};
}

/* a + b, or with b turned around a - b. */
static scaled sum(cst_graph *g, scaled a, scaled b) {
  const bool same_sign = a.negative == b.negative;
  if (a.exponent == b.exponent && a.node == b.node && same_sign)
    return (scaled){a.node, a.exponent + 1, a.negative};
  if (a.exponent != b.exponent) {
    b.exponent -= a.exponent;
    const scaled size = {b.node, b.exponent, false};
    b = (scaled){whole(g, size), a.exponent, b.negative};
  }
  cst_node node;
  if (same_sign)
    node = cst_graph_add(g, a.node, b.node);
  else if (a.negative)
    node = cst_graph_sub(g, b.node, a.node);
  else
    node = cst_graph_sub(g, a.node, b.node);
  return (scaled){node, a.exponent, same_sign && a.negative};
}

static scaled operation(cst_graph *g, cst_op op, scaled a, scaled b) {
  switch (op) {
  case CST_OP_NEG:
    a.negative = !a.negative;
    return a;
  case CST_OP_MUL:
    return (scaled){cst_graph_mul(g, a.node, b.node), a.exponent + b.exponent,
                    a.negative != b.negative};
  case CST_OP_DIV:
    return (scaled){cst_graph_div(g, a.node, b.node), a.exponent - b.exponent,
                    a.negative != b.negative};
  case CST_OP_SUB:
    b.negative = !b.negative;
    return sum(g, a, b);
  case CST_OP_ADD:
    return sum(g, a, b);
  default:
    return (scaled){cst_graph_operation(g, op, whole(g, a), b.node < 0 ? -1 : whole(g, b)), 0,
                    false};
  }
}

void cst_graph_gather_scales(cst_graph *g, const cst_node *out, int nout, cst_node *result) {
  const cst_walk w = cst_graph_walk(g, out, nout);
  scaled        *at = cst_expr_memory(NULL, (size_t)w.n, sizeof *at); /* of every place */
  for (int i = 0; i < w.n; i++) {
    const cst_vertex v = g->node[w.node[i]];
    if (v.op == CST_OP_CONSTANT)
      at[i] = constant(g, w.node[i], v.value);
    else if (v.op == CST_OP_INPUT)
      at[i] = (scaled){w.node[i], 0, false};
    else {
      const scaled none = {-1, 0, false};
      const scaled a = at[cst_walk_place(&w, g, v.a)];
      const scaled b = v.b < 0 ? none : at[cst_walk_place(&w, g, v.b)];
      at[i] = operation(g, v.op, a, b);
    }
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      result[k] = -1;
    else
      result[k] = whole(g, at[cst_walk_place(&w, g, out[k])]);
  free(at);
  free(w.node);
}

/* ---- divisors -------------------------------------------------------------------------------- */

/* One division for each divisor, and none for 1/sqrt(x).
 *
 * Where sqrt(x) divides, or y = 1/sqrt(x) is there, y is made by one operation, 1/x becomes y y and sqrt(x)
 * becomes x y. So potentials of distances take neither root nor division.
 */

/* By places in the walk: what becomes of a node; 1 over it, where it or a product with it divides. */
typedef struct {
  cst_graph     *g;
  cst_walk       w;
  cst_node      *map, *inverse;
  unsigned char *divides, *rooted,
      *good; /* rooted: its square root divides; good: it is made of such, and so is its inverse */
} sharing;

static int place_of(const sharing *s, cst_node n) { return cst_walk_place(&s->w, s->g, n); }

/* Numbers that are made of parameters alone keep their quotients. */
static bool is_fixed(const cst_vertex *v) { return !(v->depends & ~(UINT64_C(1) << ('c' - 'A'))); }

/* Factors of divisors divide, too. */
static void find_divisors(sharing *s) {
  for (int i = s->w.n - 1; i >= 0; i--) {
    const cst_vertex *v = &s->g->node[s->w.node[i]];
    if (v->op == CST_OP_RSQRT)
      s->rooted[place_of(s, v->a)] = 1;
    if (v->op == CST_OP_DIV)
      s->divides[place_of(s, v->b)] = 1;
    if (!s->divides[i])
      continue;
    if (v->op == CST_OP_MUL) {
      s->divides[place_of(s, v->a)] = 1;
      s->divides[place_of(s, v->b)] = 1;
    }
    if (v->op == CST_OP_SQRT)
      s->rooted[place_of(s, v->a)] = 1;
  }
}

/* True if the reciprocal of a node is made of reciprocals of roots. */
static bool is_good(const sharing *s, const cst_vertex *v, int i) {
  if (s->rooted[i])
    return true;
  if (v->op == CST_OP_SQRT)
    return s->rooted[place_of(s, v->a)];
  if (v->op != CST_OP_MUL)
    return false;
  return s->good[place_of(s, v->a)] && s->good[place_of(s, v->b)];
}

static void find_good(sharing *s) {
  for (int i = 0; i < s->w.n; i++)
    s->good[i] = is_good(s, &s->g->node[s->w.node[i]], i);
}

static cst_node root(const sharing *s, int i) {
  return cst_graph_operation(s->g, CST_OP_RSQRT, s->map[i], -1);
}

static cst_node changed(const sharing *s, const cst_vertex *v, int i) {
  cst_graph *g = s->g;
  if (cst_op_leaf(v->op) || is_fixed(v))
    return s->w.node[i];
  const int a = place_of(s, v->a);
  const int b = v->b < 0 ? -1 : place_of(s, v->b);
  if (v->op == CST_OP_DIV)
    return cst_graph_mul(g, s->map[a], s->inverse[b]);
  if (v->op == CST_OP_SQRT && s->rooted[a])
    return cst_graph_mul(g, s->map[a], root(s, a));
  return cst_graph_operation(g, v->op, s->map[a], b < 0 ? -1 : s->map[b]);
}

static cst_node inverted(const sharing *s, const cst_vertex *v, int i) {
  cst_graph *g = s->g;
  if (v->op == CST_OP_SQRT)
    return root(s, place_of(s, v->a));
  if (s->rooted[i])
    return cst_graph_mul(g, root(s, i), root(s, i));
  if (s->good[i]) {
    const int a = place_of(s, v->a);
    const int b = place_of(s, v->b);
    return cst_graph_mul(g, s->inverse[a], s->inverse[b]);
  }
  return cst_graph_div(g, cst_graph_constant(g, 1), s->map[i]);
}

static bool has_divisors(const sharing *s) {
  for (int i = 0; i < s->w.n; i++) {
    const cst_vertex *v = &s->g->node[s->w.node[i]];
    if ((v->op == CST_OP_DIV || v->op == CST_OP_RSQRT) && !is_fixed(v))
      return true;
  }
  return false;
}

bool cst_graph_share_divisors(cst_graph *g, const cst_node *out, int nout, cst_node *result) {
  sharing      s = {.g = g, .w = cst_graph_walk(g, out, nout)};
  const size_t n = (size_t)s.w.n;
  if (!has_divisors(&s)) {
    memmove(result, out, (size_t)nout * sizeof *out);
    free(s.w.node);
    return false;
  }
  s.map = cst_expr_memory(NULL, 2 * n, sizeof *s.map);
  s.inverse = s.map + n;
  s.divides = cst_expr_memory(NULL, 3 * n, 1);
  s.rooted = s.divides + n;
  s.good = s.rooted + n;
  memset(s.divides, 0, 3 * n);
  find_divisors(&s);
  find_good(&s);
  for (int i = 0; i < s.w.n; i++) {
    const cst_vertex v = g->node[s.w.node[i]]; /* a copy: nodes are made */
    s.map[i] = changed(&s, &v, i);
    if (s.divides[i])
      s.inverse[i] = inverted(&s, &v, i);
  }
  for (int k = 0; k < nout; k++)
    if (out[k] < 0)
      result[k] = -1;
    else
      result[k] = s.map[place_of(&s, out[k])];
  free(s.map);
  free(s.divides);
  free(s.w.node);
  return true;
}
