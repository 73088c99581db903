/* graph-series.c: Taylor coefficients of expressions by the recurrences of truncated power series, one order
 * after the other.
 *
 * Each operation computes its coefficient of order k from those of its operands up to k and its own below k,
 * so order k costs about k operations per node; repeated differentiation would multiply the size of the
 * expression each time. Sources: Moore, Methods and Applications of Interval Analysis, 3.4; Hairer, Norsett,
 * Wanner, Solving Ordinary Differential Equations I, I.8; Griewank, Walther, Evaluating Derivatives, 13.2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/expr-internal.h"

/* A node with the places of its operands and of its coefficients. */
typedef struct {
  cst_node node;
  cst_op   op;
  int      a, b;
  bool     active; /* whether it depends on some x */
} place;

/* Coefficients are [n][most + 1]. help: auxiliary series of an operation, such as those of cos for sin. */
struct cst_graph_series {
  cst_graph *g;
  place     *at;
  int        n, nx, nout, most, next;
  int       *x, *out; /* places; -1 for an x that out does not need and for an output -1 */
  cst_node  *own, *help[2];
};

/* The series of an operation, of its operands, and its auxiliary ones. */
typedef struct {
  const cst_node *a, *b;
  cst_node       *r, *h, *i;
  bool            b_active;
} terms;

static cst_node times(cst_graph *g, double factor, cst_node a) {
  return cst_graph_mul(g, cst_graph_constant(g, factor), a);
}

static cst_node over(cst_graph *g, cst_node a, double divisor) { return times(g, 1 / divisor, a); }

/* sum a_j b_(k-j), j = first .. last. */
static cst_node convolution(cst_graph *g, const cst_node *a, const cst_node *b, int k, int first,
                            int last) {
  cst_node sum = cst_graph_constant(g, 0);
  for (int j = first; j <= last; j++)
    sum = cst_graph_add_product(g, sum, a[j], b[k - j]);
  return sum;
}

/* The same for b = a, j = first .. k - first: every product once. */
static cst_node square(cst_graph *g, const cst_node *a, int k, int first) {
  const int      half = k / 2;
  const cst_node products = convolution(g, a, a, k, first, (k - 1) / 2);
  const cst_node sum = times(g, 2, products);
  if (k % 2)
    return sum;
  return cst_graph_add_product(g, sum, a[half], a[half]);
}

/* sum j a_j b_(k-j), j = 1 .. last: the coefficient of a'b. */
static cst_node slope(cst_graph *g, const cst_node *a, const cst_node *b, int k, int last) {
  cst_node sum = cst_graph_constant(g, 0);
  for (int j = 1; j <= last; j++) {
    const cst_node weighted = times(g, j, a[j]);
    sum = cst_graph_add_product(g, sum, weighted, b[k - j]);
  }
  return sum;
}

/* Coefficients of order k >= 1. */

static cst_node product(cst_graph *g, terms t, int k) {
  if (t.a == t.b)
    return square(g, t.a, k, 0);
  return convolution(g, t.a, t.b, k, 0, k);
}

static cst_node quotient(cst_graph *g, terms t, int k) {
  const cst_node known = convolution(g, t.b, t.r, k, 1, k);
  const cst_node rest = cst_graph_sub(g, t.a[k], known);
  return cst_graph_div(g, rest, t.b[0]);
}

static cst_node root(cst_graph *g, terms t, int k) {
  const cst_node twice = times(g, 2, t.r[0]);
  const cst_node known = square(g, t.r, k, 1);
  const cst_node rest = cst_graph_sub(g, t.a[k], known);
  return cst_graph_div(g, rest, twice);
}

/* r' = a'r. */
static cst_node exponential(cst_graph *g, const cst_node *a, const cst_node *r, int k) {
  const cst_node sum = slope(g, a, r, k, k);
  return over(g, sum, k);
}

/* h r' = a', where ak is the coefficient of order k of a. */
static cst_node divided(cst_graph *g, cst_node ak, const cst_node *h, const cst_node *r, int k) {
  const cst_node sum = slope(g, r, h, k, k - 1);
  const cst_node known = over(g, sum, k);
  const cst_node rest = cst_graph_sub(g, ak, known);
  return cst_graph_div(g, rest, h[0]);
}

/* a r' = a'. */
static cst_node logarithm(cst_graph *g, const cst_node *a, const cst_node *r, int k) {
  return divided(g, a[k], a, r, k);
}

/* r = exp(a) - 1, h = exp(a). */
static cst_node exponential_less_1(cst_graph *g, terms t, int k) {
  return t.h[k] = exponential(g, t.a, t.h, k);
}

/* h r' = a', h = 1 + a. */
static cst_node logarithm_of_1_and(cst_graph *g, terms t, int k) {
  t.h[k] = t.a[k];
  return divided(g, t.a[k], t.h, t.r, k);
}

/* sin and cos, each the auxiliary series of the other: r' = sign a'h, h' = -sign a'r. */
static cst_node circular(cst_graph *g, terms t, int k, double sign) {
  const double   factor = sign / k;
  const cst_node of_help = slope(g, t.a, t.r, k, k);
  t.h[k] = times(g, -factor, of_help);
  const cst_node own = slope(g, t.a, t.h, k, k);
  return times(g, factor, own);
}

/* sinh and cosh: r' = a'h, h' = a'r. */
static cst_node hyperbolic(cst_graph *g, terms t, int k) {
  t.h[k] = exponential(g, t.a, t.r, k);
  return exponential(g, t.a, t.h, k);
}

/* tan and tanh: r' = a'h, h = 1 + r^2 or 1 - r^2. */
static cst_node tangent(cst_graph *g, terms t, int k, bool circular) {
  const cst_node sum = slope(g, t.a, t.h, k, k);
  const cst_node r = over(g, sum, k);
  t.r[k] = r;
  const cst_node r_square = square(g, t.r, k, 0);
  t.h[k] = circular ? r_square : cst_graph_neg(g, r_square);
  return r;
}

/* asin and acos: h r' = sign a', h' = -sign a r', h = sqrt(1 - a^2). */
static cst_node arc(cst_graph *g, terms t, int k, double sign) {
  const cst_node r = divided(g, times(g, sign, t.a[k]), t.h, t.r, k);
  t.r[k] = r;
  t.h[k] = times(g, -sign / k, slope(g, t.r, t.a, k, k));
  return r;
}

/* h r' = a'b - b'a, h = a^2 + b^2. */
static cst_node angle(cst_graph *g, terms t, int k) {
  const cst_node back = slope(g, t.b, t.a, k, k);
  const cst_node forth = slope(g, t.a, t.b, k, k);
  const cst_node turn = cst_graph_sub(g, forth, back);
  const cst_node b_square = square(g, t.b, k, 0);
  const cst_node a_square = square(g, t.a, k, 0);
  t.h[k] = cst_graph_add(g, a_square, b_square);
  const cst_node known = slope(g, t.r, t.h, k, k - 1);
  const cst_node rest = cst_graph_sub(g, turn, known);
  const cst_node rate = over(g, rest, k);
  return cst_graph_div(g, rate, t.h[0]);
}

/* a r' = b a'r, b constant. */
static cst_node constant_power(cst_graph *g, terms t, int k, cst_node b) {
  cst_node sum = cst_graph_constant(g, 0);
  for (int j = 1; j <= k; j++) {
    const cst_node own = cst_graph_constant(g, k - j);
    const cst_node given = times(g, j, b);
    const cst_node weight = cst_graph_sub(g, given, own);
    const cst_node weighted = cst_graph_mul(g, weight, t.a[j]);
    sum = cst_graph_add_product(g, sum, weighted, t.r[k - j]);
  }
  const cst_node mean = over(g, sum, k);
  return cst_graph_div(g, mean, t.a[0]);
}

/* That where b is constant; else exp of i = b h, h = log a. */
static cst_node power(cst_graph *g, terms t, int k) {
  if (!t.b_active)
    return constant_power(g, t, k, t.b[0]);
  t.h[k] = logarithm(g, t.a, t.h, k);
  t.i[k] = convolution(g, t.b, t.h, k, 0, k);
  return exponential(g, t.i, t.r, k);
}

static cst_node higher(cst_graph *g, cst_op op, terms t, int k) {
  switch (op) {
  case CST_OP_ADD:
    return cst_graph_add(g, t.a[k], t.b[k]);
  case CST_OP_SUB:
    return cst_graph_sub(g, t.a[k], t.b[k]);
  case CST_OP_MUL:
    return product(g, t, k);
  case CST_OP_DIV:
    return quotient(g, t, k);
  case CST_OP_STEP:
    return cst_graph_constant(g, 0);
  case CST_OP_NEG:
    return cst_graph_neg(g, t.a[k]);
  case CST_OP_SQRT:
    return root(g, t, k);
  case CST_OP_RSQRT:
    return constant_power(g, t, k, cst_graph_constant(g, -0.5));
  case CST_OP_SIN:
    return circular(g, t, k, 1);
  case CST_OP_COS:
    return circular(g, t, k, -1);
  case CST_OP_TAN:
    return tangent(g, t, k, true);
  case CST_OP_EXP:
    return exponential(g, t.a, t.r, k);
  case CST_OP_LOG:
    return logarithm(g, t.a, t.r, k);
  case CST_OP_ATAN2:
    return angle(g, t, k);
  case CST_OP_POW:
    return power(g, t, k);
  case CST_OP_EXPM1:
    return exponential_less_1(g, t, k);
  case CST_OP_LOG1P:
    return logarithm_of_1_and(g, t, k);
  case CST_OP_SINH:
  case CST_OP_COSH:
    return hyperbolic(g, t, k);
  case CST_OP_TANH:
    return tangent(g, t, k, false);
  case CST_OP_ACOS:
    return arc(g, t, k, -1);
  case CST_OP_ASIN:
    return arc(g, t, k, 1);
  case CST_OP_CONSTANT:
  case CST_OP_INPUT:
  case CST_OP_COPY:
  case CST_OP_END:
    break;
  }
  return -1;
}

/* The value; sets those of the auxiliary series. */
static cst_node lowest(cst_graph *g, cst_op op, terms t) {
  const cst_node a = t.a[0];
  const cst_node b = t.b ? t.b[0] : -1;
  const cst_node r = cst_graph_operation(g, op, a, b);
  if (op == CST_OP_SIN)
    t.h[0] = cst_graph_operation(g, CST_OP_COS, a, -1);
  if (op == CST_OP_COS)
    t.h[0] = cst_graph_operation(g, CST_OP_SIN, a, -1);
  if (op == CST_OP_TAN || op == CST_OP_TANH) {
    const cst_node r_square = cst_graph_mul(g, r, r);
    const cst_node one = cst_graph_constant(g, 1);
    t.h[0] = op == CST_OP_TAN ? cst_graph_add(g, one, r_square) : cst_graph_sub(g, one, r_square);
  }
  if (op == CST_OP_SINH)
    t.h[0] = cst_graph_operation(g, CST_OP_COSH, a, -1);
  if (op == CST_OP_COSH)
    t.h[0] = cst_graph_operation(g, CST_OP_SINH, a, -1);
  if (op == CST_OP_EXPM1)
    t.h[0] = cst_graph_operation(g, CST_OP_EXP, a, -1);
  if (op == CST_OP_LOG1P)
    t.h[0] = cst_graph_add(g, cst_graph_constant(g, 1), a);
  if (op == CST_OP_ASIN || op == CST_OP_ACOS) {
    const cst_node one = cst_graph_constant(g, 1);
    const cst_node below = cst_graph_sub(g, one, a);
    const cst_node above = cst_graph_add(g, one, a);
    t.h[0] = cst_graph_operation(g, CST_OP_SQRT, cst_graph_mul(g, below, above), -1);
  }
  if (op == CST_OP_ATAN2) {
    const cst_node b_square = cst_graph_mul(g, b, b);
    const cst_node a_square = cst_graph_mul(g, a, a);
    t.h[0] = cst_graph_add(g, a_square, b_square);
  }
  if (op == CST_OP_POW && t.b_active) {
    t.h[0] = cst_graph_operation(g, CST_OP_LOG, a, -1);
    t.i[0] = cst_graph_mul(g, b, t.h[0]);
  }
  return r;
}

/* The places of some nodes in the walk; -1 where a node is not in it. Owned. */
static int *places(const cst_graph *g, const cst_walk *w, const cst_node *x, int n) {
  int *at = cst_expr_memory(NULL, (size_t)n, sizeof *at);
  for (int i = 0; i < n; i++)
    at[i] = cst_walk_place(w, g, x[i]);
  return at;
}

static void take_over(cst_graph_series *s, const cst_walk *w) {
  for (int i = 0; i < s->n; i++) {
    const cst_vertex *v = &s->g->node[w->node[i]];
    place            *p = &s->at[i];
    *p = (place){.node = w->node[i], .op = v->op, .a = -1, .b = -1};
    if (cst_op_leaf(v->op))
      continue;
    p->a = s->g->node[v->a].mark;
    if (v->b >= 0)
      p->b = s->g->node[v->b].mark;
  }
}

static void activate(cst_graph_series *s) {
  for (int i = 0; i < s->nx; i++)
    if (s->x[i] >= 0)
      s->at[s->x[i]].active = true;
  for (int i = 0; i < s->n; i++) {
    place *p = &s->at[i];
    if (p->a >= 0)
      p->active = s->at[p->a].active;
    if (p->b >= 0)
      p->active |= s->at[p->b].active;
  }
}

cst_graph_series *cst_graph_series_create(cst_graph *g, const cst_node *out, int nout,
                                          const cst_node *x, int nx, int most) {
  const cst_walk    w = cst_graph_walk(g, out, nout);
  const size_t      size = (size_t)w.n * (size_t)(most + 1);
  cst_graph_series *s = cst_expr_memory(NULL, 1, sizeof *s);
  *s = (cst_graph_series){.g = g, .n = w.n, .nx = nx, .nout = nout, .most = most};
  s->at = cst_expr_memory(NULL, (size_t)w.n, sizeof *s->at);
  s->x = places(g, &w, x, nx);
  s->out = places(g, &w, out, nout);
  s->own = cst_expr_memory(NULL, size, sizeof *s->own);
  for (int i = 0; i < 2; i++)
    s->help[i] = cst_expr_memory(NULL, size, sizeof *s->own);
  take_over(s, &w);
  activate(s);
  free(w.node);
  return s;
}

void cst_graph_series_destroy(cst_graph_series *s) {
  if (!s)
    return;
  free(s->at);
  free(s->x);
  free(s->out);
  free(s->own);
  free(s->help[0]);
  free(s->help[1]);
  free(s);
}

static cst_node *series_at(const cst_graph_series *s, cst_node *of, int i) {
  return of + (size_t)i * (size_t)(s->most + 1);
}

static cst_node coefficient(const cst_graph_series *s, int i, int k) {
  const place *p = &s->at[i];
  if (!p->active)
    return k ? cst_graph_constant(s->g, 0) : p->node;
  const terms t = {.a = series_at(s, s->own, p->a),
                   .b = p->b < 0 ? NULL : series_at(s, s->own, p->b),
                   .r = series_at(s, s->own, i),
                   .h = series_at(s, s->help[0], i),
                   .i = series_at(s, s->help[1], i),
                   .b_active = p->b >= 0 && s->at[p->b].active};
  if (k)
    return higher(s->g, p->op, t, k);
  return lowest(s->g, p->op, t);
}

void cst_graph_series_next(cst_graph_series *s, const cst_node *x, cst_node *out) {
  const int k = s->next++;
  for (int i = 0; i < s->nx; i++)
    if (s->x[i] >= 0)
      series_at(s, s->own, s->x[i])[k] = x[i];
  for (int i = 0; i < s->n; i++) {
    const bool given = s->at[i].active && s->at[i].a < 0;
    if (!given)
      series_at(s, s->own, i)[k] = coefficient(s, i, k);
  }
  for (int i = 0; i < s->nout; i++) {
    const int at = s->out[i];
    if (at < 0)
      out[i] = -1;
    else
      out[i] = series_at(s, s->own, at)[k];
  }
}
