/* taylor.c: taylor(p): a step along the Taylor polynomial of degree p of (q, v, S) in time.
 *
 *   q_(k+1) = v_k / (k+1),   v_(k+1) = A_k / (k+1),   S_(k+1) = L_k / (k+1)
 *
 * where A_k and L_k are the Taylor coefficients of A and L along the curve so far, by recursion over the
 * operations of their formulas (expr/graph-series.c). Sources: Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, I.8; Moore, Methods and Applications of Interval Analysis, 3.4. Arithmetic:
 * flow.c, core/rk.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "method/layer.h"
#include "system/field.h"

enum { MAX_P = 12, N = CST_MAX_Q };

/* The next coefficient of a quantity with the rate dx_k. */
static cst_node next(cst_graph *g, cst_node dx, int k) {
  return cst_graph_mul(g, cst_graph_constant(g, 1.0 / (k + 1)), dx);
}

/* The polynomial with the coefficients x[0 .. p] at t, by Horner's rule. */
static cst_node polynomial(cst_graph *g, cst_node t, const cst_node *x, int p) {
  cst_node sum = x[p];
  for (int k = p - 1; k >= 0; k--)
    sum = cst_graph_add_product(g, x[k], t, sum);
  return sum;
}

typedef struct {
  cst_node q[N][MAX_P + 1], v[N][MAX_P + 1], S[MAX_P + 1];
} curve;

/* The coefficients of order k + 1 from those of order k; field holds the series of (A, L). */
static void extend(cst_graph *g, cst_graph_series *field, curve *x, int n, int k) {
  cst_node at[2 * N], rate[N + 1];
  for (int i = 0; i < n; i++) {
    at[i] = x->q[i][k];
    at[n + i] = x->v[i][k];
  }
  cst_graph_series_next(field, at, rate);
  for (int i = 0; i < n; i++) {
    x->q[i][k + 1] = next(g, x->v[i][k], k);
    x->v[i][k + 1] = next(g, rate[i], k);
  }
  x->S[k + 1] = next(g, rate[n], k);
}

static void formulas(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                     const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  const int  n = s->nq;
  const int  p = *(const int *)self;
  cst_graph *g = s->model->graph;
  cst_node   out[N + 1], state[2 * N];
  curve      x;
  cst_field_acceleration(s, q, v, out, NULL);
  out[n] = cst_field_lagrangian(s, q, v);
  for (int i = 0; i < n; i++) {
    state[i] = x.q[i][0] = q[i];
    state[n + i] = x.v[i][0] = v[i];
  }
  x.S[0] = cst_graph_constant(g, 0);
  cst_graph_series *field = cst_graph_series_create(g, out, n + 1, state, 2 * n, p - 1);
  for (int k = 0; k < p; k++)
    extend(g, field, &x, n, k);
  cst_graph_series_destroy(field);
  for (int i = 0; i < n; i++) {
    q1[i] = polynomial(g, t, x.q[i], p);
    v1[i] = polynomial(g, t, x.v[i], p);
  }
  *S = polynomial(g, t, x.S, p);
}

/* The rule of each degree. */
static const int degree[MAX_P] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
#define RULE(p)                                                                                    \
  {                                                                                                \
    .name = "taylor(" #p ")", .self = &degree[p - 1], .order = p, .evaluations = p,                \
    .equivariant = true, .formulas = formulas                                                      \
  }
static const cst_flow_rule rules[MAX_P] = {RULE(1), RULE(2), RULE(3), RULE(4),  RULE(5),  RULE(6),
                                           RULE(7), RULE(8), RULE(9), RULE(10), RULE(11), RULE(12)};

typedef struct {
  int degree;
} values;

static const cst_key arguments[] = {
    {"", "p", CST_BY_PLACE, NULL, NULL, "", "taylor(4)", "the degree",
     .value = {CST_VALUE_INTEGER, CST_AT(values, degree), 1, MAX_P}},
    {0}};

static const cst_flow_rule *rule(const cst_term *t) {
  values x;
  cst_term_read(t, &x);
  return &rules[x.degree - 1];
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_flow_fits(rule(t), s, why, n);
}

static bool layer(const cst_term *t, cst_layer *l) {
  *l = (cst_layer){.rule = rule(t)};
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer_add_rule(p, fraction, rule(t));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)s;
  return cst_layer_properties(rule(t)->order, 0);
}

const cst_method_row cst_method_row_taylor = {
    .info =
        {.name = "taylor",
         .doc =
             "The Taylor polynomial of degree p, order p, on the index-reduced equations; keeps no "
             "constraint. For dense systems.",
         .equations = "q1 = sum q_k h^k,  q_(k+1) = v_k / (k+1),  v_(k+1) = A_k / (k+1),  A_k the "
                      "coefficients of A(q(t), v(t))",
         .source =
             "Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.8; Moore 1966",
         .signature = "taylor(p)",
         .example = "taylor(4)"},
    .steps = CST_NONHOLONOMIC | CST_FORCED,
    .layer = layer,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
