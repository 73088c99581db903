/* taylor-curve.c: taylor-curve(p, quadrature=exact): the layer of the thesis on which lagrange-dalembert is
 * based: the curves R below, with
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
#include <stdlib.h>
#include <string.h>
#include "system/system.h"
#include "core/need.h"
#include "method/layer.h"
#include "system/field.h"
#include "tableau/tableau-collocation.h"

/* ---- dependent coordinates ------------------------------------------------------------------- */

enum { POINTS = 24, MOST_SETS = 20000 };
static const double RANGE = 6, SMALL = 1e-6;

typedef struct {
  const cst_system *s;
  int               m, row[CST_MAX_G];
  int n, candidate[CST_MAX_Q]; /* coordinates on which no constraint depends, last first */
  /* [1 + POINTS][ng][nq], at the first start and at points of a range */
  double *phi;
} search;

static void forbid(const cst_system *s, cst_node x, bool *forbidden) {
  int      *index;
  const int n = cst_graph_support(s->model->graph, x, 'q', &index);
  for (int k = 0; k < n; k++)
    forbidden[index[k]] = true;
  free(index);
}

/* Finds the enforced constraints, and the coordinates on which they do not depend. */
static void find_candidates(search *f) {
  const cst_system  *s = f->s;
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  bool               forbidden[CST_MAX_Q] = {false};
  for (int a = s->ng - s->model->nvel; a < s->ng; a++) {
    if (!cst_system_enforces(s, a))
      continue;
    f->row[f->m++] = a;
    CST_EACH_ENTRY(G, a, e)
      forbid(s, s->model->kernel_out[CST_K_G][e], forbidden);
    forbid(s, s->model->kernel_out[CST_K_phi0][a], forbidden);
  }
  for (int i = s->nq - 1; i >= 0; i--)
    if (!forbidden[i])
      f->candidate[f->n++] = i;
}

static void take_points(search *f) {
  const cst_system *s = f->s;
  const int         size = s->ng * s->nq;
  double            c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q];
  f->phi = cst_need(calloc((size_t)((1 + POINTS) * size + 1), sizeof(double)));
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  for (int k = 0; k <= POINTS; k++) {
    cst_system_matrix(s, CST_K_G, c, q, v, f->phi + k * size);
    for (int i = 0; i < s->nq; i++) {
      const double x = 0.6180339887 * (k + 1) * (i + 1.37);
      q[i] = RANGE * (x - floor(x) - 0.5);
    }
  }
}

/* Determinant by elimination with row pivoting; A[m][m] is destroyed. */
static double determinant(double *A, int m) {
  double d = 1;
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabs(A[i * m + k]) > fabs(A[best * m + k]))
        best = i;
    for (int j = 0; j < m && best != k; j++) {
      const double x = A[k * m + j];
      A[k * m + j] = A[best * m + j];
      A[best * m + j] = -x;
    }
    d *= A[k * m + k];
    for (int i = k + 1; i < m && d != 0; i++)
      for (int j = m - 1; j >= k; j--)
        A[i * m + j] -= A[i * m + k] / A[k * m + k] * A[k * m + j];
  }
  return d;
}

/* Determinant of a set of columns at a point, relative to the lengths of the rows. */
static double determinant_at(const search *f, int point, const int *column) {
  const double *phi = f->phi + point * f->s->ng * f->s->nq;
  double        A[CST_MAX_G * CST_MAX_G], size = 1;
  for (int a = 0; a < f->m; a++) {
    const double *row = phi + f->row[a] * f->s->nq;
    double        square = 0;
    for (int i = 0; i < f->s->nq; i++)
      square += row[i] * row[i];
    for (int b = 0; b < f->m; b++)
      A[a * f->m + b] = row[column[b]];
    size *= sqrt(square);
  }
  return determinant(A, f->m) / size;
}

static bool is_regular(const search *f, const int *column) {
  const double at_start = determinant_at(f, 0, column);
  bool         regular = fabs(at_start) > SMALL;
  /* NaN where phi is undefined is accepted */
  for (int k = 1; k <= POINTS && regular; k++)
    regular = !(determinant_at(f, k, column) * at_start <= 0);
  return regular;
}

/* Converts the ascending set k[m] of candidates to ascending coordinates. */
static void take(const search *f, const int *k, int *column) {
  for (int b = 0; b < f->m; b++)
    column[b] = f->candidate[k[f->m - 1 - b]];
}

/* The next set in lexical order; false after the last. */
static bool advance(const search *f, int *k) {
  int b = f->m - 1;
  while (b >= 0 && k[b] == f->n - f->m + b)
    b--;
  if (b < 0)
    return false;
  k[b]++;
  for (b++; b < f->m; b++)
    k[b] = k[b - 1] + 1;
  return true;
}

static bool choose(const search *f, int *column) {
  int k[CST_MAX_G];
  for (int b = 0; b < f->m; b++)
    k[b] = b;
  for (int sets = 0; f->m <= f->n && sets < MOST_SETS; sets++) {
    take(f, k, column);
    if (is_regular(f, column))
      return true;
    if (!advance(f, k))
      break;
  }
  return false;
}

/* Finds the m enforced constraints on velocities of s, row[m], and as many coordinates, column[m], ascending,
 * on which phi and phi0 do not depend and whose block of phi is invertible: along any curve of the other
 * coordinates phi v + phi0 = r gives their rates, which can be integrated. Of all such sets takes the last
 * one whose block has a determinant of one sign at the first start and over a range of points, with the
 * default parameters: a motion that reaches a zero of the determinant would silently lose its order. Returns
 * m, or -1 if there is no set. */
static int find_dependent(const cst_system *s, int *row, int *column) {
  search f = {.s = s};
  find_candidates(&f);
  take_points(&f);
  const bool found = f.m == 0 || choose(&f, column);
  for (int a = 0; a < f.m; a++)
    row[a] = f.row[a];
  free(f.phi);
  return found ? f.m : -1;
}

/* ---- the curves ------------------------------------------------------------------------------ */

/* A curve from (q, v) whose independent coordinates are Taylor polynomials of degree p; the others
 * follow exactly from the constraints on velocities.
 *
 *   R^a(t) = sum_(k <= p) q_k^a t^k                    a independent, q_k of the exact motion on all of TQ
 *   phi_c(R) R'^c = r - phi0(R) - phi_a(R) R'^a        c dependent, r = phi(q) v + phi0(q)
 *   R^c(t) = q^c + int_0^t R'^c
 *
 * The coordinates are chosen such that no constraint depends on the dependent ones: their
 * rates can then be integrated, as the source assumes (5.14): over a step by a Gauss sum that is exact for
 * polynomials of degree 15, to points inside it by the polynomial through the same eight rates, of degree 7.
 * Both are exact to round-off for the steps at which a curve of degree 4 is useful: a rate that varies like
 * exp(w t) is integrated to 1e-9 (w t)^8. Source: C. Cuell, thesis, 5.2.
 */

enum { MOST_DEGREE = 4, NODES = 8, N = CST_MAX_Q };

/* A kind of curve: its degree, and the Gauss points at which L and the work are evaluated; 0: at t = 0. */
typedef struct {
  int degree, points;
} curve_kind;

typedef struct {
  const cst_system *s;
  cst_graph        *g;
  /* constraints, and the coordinates that they determine */
  int      p, m, row[CST_MAX_G], column[CST_MAX_Q];
  bool     dependent[CST_MAX_Q];
  double   b[NODES], c[NODES]; /* of the integrals of R'^c, whose rates at the c: */
  cst_node rate[NODES][CST_MAX_G];
  int      points;
  double   weight[NODES], node[NODES]; /* of the others */
  cst_node t;
  /* Taylor coefficients */
  cst_node q[CST_MAX_Q][MOST_DEGREE + 1], v[CST_MAX_Q][MOST_DEGREE + 1];
  cst_node r[CST_MAX_G]; /* phi v + phi0, [m] */
} curve;

static cst_node scaled(const curve *x, double factor, cst_node a) {
  return cst_graph_mul(x->g, cst_graph_constant(x->g, factor), a);
}

static void find_coefficients(curve *x, const cst_node *q, const cst_node *v) {
  const int n = x->s->nq;
  cst_node  A[N], state[2 * N], at[2 * N], rate[N];
  cst_field_acceleration(x->s, q, v, A, NULL);
  for (int i = 0; i < n; i++) {
    state[i] = x->q[i][0] = q[i];
    state[n + i] = x->v[i][0] = v[i];
  }
  cst_graph_series *field = cst_graph_series_create(x->g, A, n, state, 2 * n, x->p - 1);
  for (int k = 0; k < x->p; k++) {
    for (int i = 0; i < n; i++) {
      at[i] = x->q[i][k];
      at[n + i] = x->v[i][k];
    }
    cst_graph_series_next(field, at, rate);
    for (int i = 0; i < n; i++) {
      x->q[i][k + 1] = scaled(x, 1.0 / (k + 1), x->v[i][k]);
      x->v[i][k + 1] = scaled(x, 1.0 / (k + 1), rate[i]);
    }
  }
  cst_graph_series_destroy(field);
}

/* sum_(k <= degree) a_k t^k, and its derivative. */
static cst_node polynomial(const curve *x, const cst_node *a, int degree, cst_node t) {
  cst_node sum = a[degree];
  for (int k = degree - 1; k >= 0; k--)
    sum = cst_graph_add_product(x->g, a[k], t, sum);
  return sum;
}

static cst_node slope(const curve *x, const cst_node *a, int degree, cst_node t) {
  cst_node sum = scaled(x, degree, a[degree]);
  for (int k = degree - 1; k >= 1; k--)
    sum = cst_graph_add(x->g, scaled(x, k, a[k]), cst_graph_mul(x->g, t, sum));
  return sum;
}

/* out[n] := expressions of the inputs q, evaluated at R. */
static void at_point(const curve *x, const cst_node *of, int n, const cst_node *R, cst_node *out) {
  cst_node input[N];
  for (int i = 0; i < x->s->nq; i++)
    input[i] = cst_graph_input(x->g, 'q', i);
  cst_graph_substitute(x->g, of, n, input, R, x->s->nq, out);
}

/* phi[m][nq] and phi0[m] at R[nq]. */
static void constraints(const curve *x, const cst_node *R, cst_node *phi, cst_node *phi0) {
  const cst_pattern *G = &x->s->model->pattern[CST_K_G];
  for (int a = 0; a < x->m; a++) {
    for (int i = 0; i < x->s->nq; i++)
      phi[a * x->s->nq + i] = cst_graph_constant(x->g, 0);
    CST_EACH_ENTRY(G, x->row[a], e)
      at_point(x, &x->s->model->kernel_out[CST_K_G][e], 1, R, &phi[a * x->s->nq + G->column[e]]);
    at_point(x, &x->s->model->kernel_out[CST_K_phi0][x->row[a]], 1, R, &phi0[a]);
  }
}

/* rest[m] := r - phi0 - phi v, summed over the coordinates that are not left out. */
static void remainder_of(const curve *x, const cst_node *phi, const cst_node *phi0,
                         const cst_node *v, const bool *left_out, cst_node *rest) {
  for (int a = 0; a < x->m; a++) {
    rest[a] = cst_graph_sub(x->g, x->r[a], phi0[a]);
    for (int i = 0; i < x->s->nq; i++)
      if (!left_out || !left_out[i])
        rest[a] = cst_graph_sub_product(x->g, rest[a], phi[a * x->s->nq + i], v[i]);
  }
}

/* b := B^-1 b, b[m], by the normal equations, which need no pivoting; a single equation by division. */
static void solve(const curve *x, const cst_node *B, cst_node *b) {
  cst_graph *g = x->g;
  const int  m = x->m;
  cst_node   S[CST_MAX_G * CST_MAX_G], y[CST_MAX_G];
  if (m == 1) {
    b[0] = cst_graph_div(g, b[0], B[0]);
    return;
  }
  for (int i = 0; i < m; i++) {
    y[i] = cst_graph_constant(g, 0);
    for (int a = 0; a < m; a++)
      y[i] = cst_graph_add_product(g, y[i], B[a * m + i], b[a]);
    for (int j = 0; j < m; j++) {
      S[i * m + j] = cst_graph_constant(g, 0);
      for (int a = 0; a < m; a++)
        S[i * m + j] = cst_graph_add_product(g, S[i * m + j], B[a * m + i], B[a * m + j]);
    }
  }
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++) {
      const cst_node f = cst_graph_div(g, S[i * m + k], S[k * m + k]);
      for (int j = k + 1; j < m; j++)
        S[i * m + j] = cst_graph_sub_product(g, S[i * m + j], f, S[k * m + j]);
      y[i] = cst_graph_sub_product(g, y[i], f, y[k]);
    }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++)
      y[i] = cst_graph_sub_product(g, y[i], S[i * m + j], y[j]);
    b[i] = y[i] = cst_graph_div(g, y[i], S[i * m + i]);
  }
}

/* Sets the dependent entries of v such that phi v + phi0 = r at R; dependent entries of R are not used. */
static void complete(const curve *x, const cst_node *R, cst_node *v) {
  cst_node  phi[CST_MAX_G * N], phi0[CST_MAX_G], B[CST_MAX_G * CST_MAX_G], b[CST_MAX_G];
  const int m = x->m;
  if (m == 0)
    return;
  constraints(x, R, phi, phi0);
  remainder_of(x, phi, phi0, v, x->dependent, b);
  for (int a = 0; a < m; a++)
    for (int i = 0; i < m; i++)
      B[a * m + i] = phi[a * x->s->nq + x->column[i]];
  solve(x, B, b);
  for (int i = 0; i < m; i++)
    v[x->column[i]] = b[i];
}

/* (R, R') at a time; the dependent entries of R are those at time 0. */
static void rates_at(const curve *x, cst_node time, cst_node *R, cst_node *v) {
  for (int i = 0; i < x->s->nq; i++) {
    R[i] = x->dependent[i] ? x->q[i][0] : polynomial(x, x->q[i], x->p, time);
    v[i] = x->dependent[i] ? x->v[i][0] : slope(x, x->q[i], x->p, time);
  }
  complete(x, R, v);
}

/* w_i = int_0^x l_i, l_i the Lagrange polynomials of the nodes: b_i sum_j P_j(c_i) int_0^x P_j. */
static void weigh_integral(double fraction, double *w) {
  enum { n = NODES };
  __float128 b[n], c[n], at[n + 1], P[n + 1], sum[n] = {0};
  cst_legendre_gauss_quad(n, b, c);
  cst_legendre_quad(n, fraction, at);
  for (int i = 0; i < n; i++) {
    cst_legendre_quad(n, c[i], P);
    for (int j = 0; j < n; j++)
      sum[i] += P[j] * cst_legendre_integral_quad(j, fraction, at);
    w[i] = (double)(b[i] * sum[i]);
  }
}

/* (R, R')[nq] at this fraction of the step. */
static void curve_point(const curve *x, double fraction, cst_node *R, cst_node *v) {
  double w[NODES];
  rates_at(x, scaled(x, fraction, x->t), R, v);
  if (fraction == 0 || x->m == 0)
    return;
  weigh_integral(fraction, w);
  for (int i = 0; i < x->m; i++) {
    cst_node sum = cst_graph_constant(x->g, 0);
    for (int k = 0; k < NODES; k++)
      sum = cst_graph_add(x->g, sum, scaled(x, w[k], x->rate[k][i]));
    R[x->column[i]] = cst_graph_add_product(x->g, R[x->column[i]], x->t, sum);
  }
}

/* The dependent rates at the nodes. */
static void find_rates(curve *x) {
  cst_node R[N], v[N];
  for (int k = 0; k < NODES && x->m > 0; k++) {
    rates_at(x, scaled(x, x->c[k], x->t), R, v);
    for (int i = 0; i < x->m; i++)
      x->rate[k][i] = v[x->column[i]];
  }
}

static void gauss_points(int n, double *weight, double *node) {
  __float128 b[NODES], c[NODES];
  cst_legendre_gauss_quad(n, b, c);
  for (int k = 0; k < n; k++) {
    weight[k] = (double)b[k];
    node[k] = (double)c[k];
  }
}

/* The curve from (q, v)[nq] for a step of t. */
static void curve_open(curve *x, const curve_kind *of, const cst_system *s, cst_node t,
                       const cst_node *q, const cst_node *v) {
  cst_node phi[CST_MAX_G * N], phi0[CST_MAX_G];
  *x = (curve){.s = s, .g = s->model->graph, .p = of->degree, .points = 1, .weight = {1}, .t = t};
  x->m = s->model->nvel ? find_dependent(s, x->row, x->column) : 0;
  for (int i = 0; i < x->m; i++)
    x->dependent[x->column[i]] = true;
  gauss_points(NODES, x->b, x->c);
  if (of->points) {
    x->points = of->points;
    gauss_points(of->points, x->weight, x->node);
  }
  find_coefficients(x, q, v);
  constraints(x, q, phi, phi0);
  for (int a = 0; a < x->m; a++)
    x->r[a] = cst_graph_constant(x->g, 0);
  remainder_of(x, phi, phi0, v, NULL, x->r); /* the negative of r */
  for (int a = 0; a < x->m; a++)
    x->r[a] = cst_graph_neg(x->g, x->r[a]);
  find_rates(x);
}

/* (R, v)[nq] at the end of the step: v by its Taylor polynomial, its dependent entries by phi v + phi0 = r. */
static void curve_end(const curve *x, cst_node *R, cst_node *v) {
  curve_point(x, 1, R, v);
  for (int i = 0; i < x->s->nq; i++)
    if (!x->dependent[i])
      v[i] = polynomial(x, x->v[i], x->p, x->t);
  complete(x, R, v);
}

/* ---- the layer ------------------------------------------------------------------------------- */

static void formulas(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                     const cst_node *v, cst_node *q1, cst_node *v1, cst_node *S) {
  curve    x;
  cst_node R[N], rate[N];
  cst_node sum = cst_graph_constant(s->model->graph, 0);
  curve_open(&x, self, s, t, q, v);
  for (int k = 0; k < x.points; k++) {
    curve_point(&x, x.node[k], R, rate);
    sum = cst_graph_add(x.g, sum, scaled(&x, x.weight[k], cst_field_lagrangian(s, R, rate)));
  }
  *S = cst_graph_mul(x.g, t, sum);
  curve_end(&x, q1, v1);
}

static void work(const void *self, const cst_system *s, cst_node t, const cst_node *q,
                 const cst_node *v, cst_flow_work *w) {
  curve    x;
  cst_node rate[N], A[N], lambda[CST_MAX_G], phi[CST_MAX_G * N], phi0[CST_MAX_G];
  curve_open(&x, self, s, t, q, v);
  w->n = x.points;
  for (int k = 0; k < x.points; k++) {
    curve_point(&x, x.node[k], w->Q[k], rate);
    cst_field_acceleration(s, w->Q[k], rate, A, lambda);
    constraints(&x, w->Q[k], phi, phi0);
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
    .name = "taylor-curve(" #p words ")", .self = &(const curve_kind){p, n}, .order = p,           \
    .action = (n) ? 2 * (n) : 1, .evaluations = (n) ? n : 1, .equivariant = true,                  \
    .formulas = formulas, .work = work                                                             \
  }
#define GAUSS(p, n) RULE(p, n, ", quadrature=gauss(" #n ")")
#define RULES(p)                                                                                   \
  {                                                                                                \
    RULE(p, 0, ", quadrature=left"), GAUSS(p, 1), GAUSS(p, 2), GAUSS(p, 3), GAUSS(p, 4),           \
        GAUSS(p, 5), GAUSS(p, 6), GAUSS(p, 7), RULE(p, NODES, "")                                  \
  }
static const cst_flow_rule rules[MOST_DEGREE][NODES + 1] = {RULES(1), RULES(2), RULES(3), RULES(4)};

typedef struct {
  int       degree;
  cst_term *quadrature;
} values;

static const cst_key arguments[] = {
    {"", "p", CST_BY_PLACE, NULL, NULL, "", "taylor-curve(2, quadrature=left)", "the degree",
     .value = {CST_VALUE_INTEGER, CST_AT(values, degree), 1, MOST_DEGREE}},
    {"", "quadrature", CST_BY_NAME, "exact, left, or gauss(n) with n from 1 to 8", "exact", "",
     "taylor-curve(2, quadrature=left)", "the rule for the action and the work along the curve",
     .value = {CST_VALUE_OWN, CST_AT(values, quadrature)}},
    {0}};

CST_VALUES_OF_TERM

/* The number of Gauss points of gauss(n); -1: it is not that. */
static int gauss_points_of(const cst_term *x) {
  const cst_term *n = x->n == 1 && !x->key[0] ? x->arg[0] : NULL;
  if (!n || n->kind != CST_TERM_NUMBER || n->number != floor(n->number))
    return -1;
  return n->number >= 1 && n->number <= NODES ? (int)n->number : -1;
}

/* The Gauss points of a quadrature, 0 for the left end; -1: it is none of those. */
static int points_of(const cst_term *x) {
  if (!x)
    return NODES;
  if (x->kind != CST_TERM_NAME)
    return -1;
  if (!strcmp(x->name, "gauss"))
    return gauss_points_of(x);
  if (x->n)
    return -1;
  return !strcmp(x->name, "exact") ? NODES : !strcmp(x->name, "left") ? 0 : -1;
}

static const cst_flow_rule *rule(const cst_term *t) {
  const values x = values_of(t);
  return &rules[x.degree - 1][points_of(x.quadrature)];
}

static bool check(const cst_term *t, cst_expr_error *e) {
  const cst_term *x = values_of(t).quadrature;
  return points_of(x) >= 0 ||
         cst_term_error(x, e, "the quadrature of taylor-curve is %s", arguments[1].type);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  int row[CST_MAX_G], column[N];
  if (s->ng > s->model->nvel) {
    snprintf(why, (size_t)n,
             "taylor-curve integrates constraints on velocities, and %s has constraints on "
             "positions; write "
             "these as velocities too, or use taylor(p)",
             s->name);
    return false;
  }
  if (!cst_field_exists(s, why, n))
    return false;
  if (s->model->nvel && find_dependent(s, row, column) < 0) {
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
    .steps = CST_NONHOLONOMIC,
    .layer = layer,
    .arguments = arguments,
    .check = check,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
