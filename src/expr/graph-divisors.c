/* graph-divisors.c: one division for each divisor, and none for 1/sqrt(x).
 *
 * Where sqrt(x) divides, or y = 1/sqrt(x) is there, y is made by one operation, 1/x becomes y y and sqrt(x)
 * becomes x y. So potentials of distances take neither root nor division.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

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
