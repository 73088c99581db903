/* taylor-curve.c: taylor-curve(p, quadrature=exact): the layer of the thesis on which lagrange-dalembert is
 * based: the curves R of curve.c, with
 *
 *   S = int_0^t L(R, R'),   work on variations  - int (phi'lambda)(R, R') . D R
 *
 * lambda is that of the equations of motion at (R, R'). Both integrals are exact to round-off, unless
 * `quadrature` is gauss(n), a sum with n points, or left, with the point t = 0 alone: (6.51), (6.113) of the
 * source. The exact action along the curve is stationary at the motion: a conversion is of order 2p in q and p,
 * and of order p + 1 with constraints on velocities; the map of w that the source iterates is of order p.
 * Quadratures of S limit these orders to 2n, and to 1. A step of the layer ends at R(t), with the Taylor
 * polynomial of degree p of v for the independent coordinates and phi v + phi0 = r for the others. Source: C.
 * Cuell, thesis, 5.2 and chapter 6. Arithmetic: flow.c, core/rk.c, core/convert.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "method/curve.h"
#include "method/dependent.h"
#include "method/layer.h"
#include "system/field.h"

enum { N = CST_MAX_Q };

static cst_node scaled(const cst_curve *x, double factor, cst_node a) {
  return cst_graph_mul(x->g, cst_graph_constant(x->g, factor), a);
}

static void formulas(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                     const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  cst_curve x;
  cst_node  R[N], rate[N];
  cst_node  sum = cst_graph_constant(s->graph, 0);
  cst_curve_open(&x, self, s, t, q, v);
  for (int k = 0; k < x.points; k++) {
    cst_curve_point(&x, x.node[k], R, rate);
    sum = cst_graph_add(x.g, sum, scaled(&x, x.weight[k], cst_field_lagrangian(s, R, rate)));
  }
  *S = cst_graph_mul(x.g, t, sum);
  cst_curve_end(&x, q1, v1);
}

static void work(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                 const cst_node *v, cst_flow_work *w) {
  cst_curve x;
  cst_node  rate[N], A[N], lambda[CST_MAX_G], phi[CST_MAX_G * N], phi0[CST_MAX_G];
  cst_curve_open(&x, self, s, t, q, v);
  w->n = x.points;
  for (int k = 0; k < x.points; k++) {
    cst_curve_point(&x, x.node[k], w->Q[k], rate);
    cst_field_acceleration(s, w->Q[k], rate, A, lambda);
    cst_curve_constraints(&x, w->Q[k], phi, phi0);
    for (int i = 0; i < s->nq; i++) {
      cst_node pull = cst_graph_constant(x.g, 0);
      for (int a = 0; a < x.m; a++)
        pull = cst_graph_add_product(x.g, pull, phi[a * s->nq + i], lambda[x.row[a]]);
      w->N[k][i] = cst_graph_mul(x.g, scaled(&x, -x.weight[k], t), pull);
    }
  }
}

/* The order of S is 2n with n points, 1 with the left end. */
#define RULE(p, n, words)                                                                          \
  {                                                                                                \
    .name = "taylor-curve(" #p words ")", .self = &(const cst_curve_kind){p, n}, .order = p,       \
    .action = (n) ? 2 * (n) : 1, .evaluations = (n) ? n : 1, .equivariant = true,                  \
    .formulas = formulas, .work = work                                                             \
  }
#define POINTS(p, n) RULE(p, n, ", quadrature=gauss(" #n ")")
#define RULES(p)                                                                                   \
  {                                                                                                \
    RULE(p, 0, ", quadrature=left"), POINTS(p, 1), POINTS(p, 2), POINTS(p, 3), POINTS(p, 4),       \
        POINTS(p, 5), POINTS(p, 6), POINTS(p, 7), RULE(p, CST_CURVE_NODES, "")                     \
  }
static const cst_flow_rule rules[CST_CURVE_DEGREE][CST_CURVE_NODES + 1] = {RULES(1), RULES(2),
                                                                           RULES(3), RULES(4)};

static bool is_integer(const cst_term *x, int most) {
  return x->kind == CST_TERM_NUMBER && x->number == floor(x->number) && x->number >= 1 &&
         x->number <= most;
}

/* The Gauss points of a quadrature, 0 for the left end; -1: it is none of those. */
static int points_of(const cst_term *quadrature) {
  const cst_term *x = quadrature;
  if (!x)
    return CST_CURVE_NODES;
  if (x->kind != CST_TERM_NAME)
    return -1;
  if (!strcmp(x->name, "gauss"))
    return x->n == 1 && !x->key[0] && is_integer(x->arg[0], CST_CURVE_NODES)
               ? (int)x->arg[0]->number
               : -1;
  if (x->n)
    return -1;
  return !strcmp(x->name, "exact") ? CST_CURVE_NODES : !strcmp(x->name, "left") ? 0 : -1;
}

static const cst_flow_rule *rule(const cst_term *t) {
  const int degree = (int)cst_term_argument(t, NULL)->number;
  return &rules[degree - 1][points_of(cst_term_argument(t, "quadrature"))];
}

static bool check(const cst_term *t, cst_expr_error *e) {
  const cst_term *quadrature = NULL, *degree = NULL;
  for (int i = 0; i < t->n; i++) {
    const bool is_degree = !t->key[i];
    if (!is_degree && strcmp(t->key[i], "quadrature"))
      return cst_term_error(t->arg[i], e,
                            "taylor-curve knows no '%s'; it takes the degree, and quadrature",
                            t->key[i]);
    if (is_degree ? degree : quadrature)
      return cst_term_error(t->arg[i], e, "taylor-curve takes one %s",
                            is_degree ? "degree" : "quadrature");
    *(is_degree ? &degree : &quadrature) = t->arg[i];
  }
  if (!degree)
    return cst_term_error(t, e, "taylor-curve takes one argument, the degree: taylor-curve(2)");
  if (!is_integer(degree, CST_CURVE_DEGREE))
    return cst_term_error(degree, e, "the degree of taylor-curve is an integer from 1 to %d",
                          CST_CURVE_DEGREE);
  return points_of(quadrature) >= 0 ||
         cst_term_error(
             quadrature, e,
             "the quadrature of taylor-curve is exact, left, or gauss(n) with n from 1 to %d",
             CST_CURVE_NODES);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  int row[CST_MAX_G], column[N];
  if (s->ng > s->nvel) {
    snprintf(why, (size_t)n,
             "taylor-curve integrates constraints on velocities, and %s has constraints on "
             "positions; write "
             "these as velocities too, or use taylor(p)",
             s->name);
    return false;
  }
  if (!cst_field_exists(s, why, n))
    return false;
  if (s->nvel && cst_dependent(s, row, column) < 0) {
    snprintf(why, (size_t)n,
             "taylor-curve needs as many coordinates as there are constraints on velocities, on "
             "which these "
             "do not depend and which they determine everywhere, and %s has no such set",
             s->name);
    return false;
  }
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

const cst_method_row cst_method_row_taylor_curve = {
    .info =
        {.name = "taylor-curve",
         .doc =
             "A curve of degree p, order p, which satisfies constraints on velocities exactly: the "
             "layer of the thesis on which lagrange-dalembert is based.",
         .equations =
             "R^a(t) = sum_(k <= p) q_k^a t^k of independent coordinates,  phi(R) R' + phi0(R) "
             "= phi(q) v + phi0(q) gives the others\n"
             "S = int L(R, R') dt,  work - int (phi'lambda)(R, R') . D R dt,  both exact unless "
             "`quadrature` says otherwise",
         .notes =
             "p is 1, 2, 3 or 4. lagrange-dalembert(taylor-curve(p)) is of order p + 1 in q and p, "
             "and of order 2p without constraints, since its action is exact; with state=w, which "
             "reads them at w, it is of order p. quadrature=gauss(n) takes S and the work as Gauss "
             "sums "
             "of n points, quadrature=left at the beginning of the step, as the source's methods "
             "of "
             "order 1 do (6.51), (6.113): the orders are then at most 2n, and 1. The dependent "
             "coordinates are the last ones on "
             "which no constraint depends and which the constraints determine everywhere: their "
             "block of phi was not found singular at any test point. Systems without such "
             "coordinates are refused. Without constraints the curve is the Taylor polynomial.",
         .source =
             "C. L. Cuell, Lagrange-d'Alembert integrators, thesis, University of Saskatchewan "
             "2007, 5.2 and chapter 6",
         .signature = "taylor-curve(p, quadrature=exact)",
         .example = "taylor-curve(2)"},
    .on_also = CST_ON_NONHOLONOMIC,
    .layer = layer,
    .check = check,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
