/* curve.c: a curve from (q, v) whose independent coordinates are Taylor polynomials of degree p; the others
 * follow exactly from the constraints on velocities.
 *
 *   R^a(t) = sum_(k <= p) q_k^a t^k                    a independent, q_k of the exact motion on all of TQ
 *   phi_c(R) R'^c = r - phi0(R) - phi_a(R) R'^a        c dependent, r = phi(q) v + phi0(q)
 *   R^c(t) = q^c + int_0^t R'^c
 *
 * The coordinates are chosen such that no constraint depends on the dependent ones (dependent.h): their
 * rates can then be integrated, as the source assumes (5.14): over a step by a Gauss sum that is exact for
 * polynomials of degree 15, to points inside it by the polynomial through the same eight rates, of degree 7.
 * Both are exact to round-off for the steps at which a curve of degree 4 is useful: a rate that varies like
 * exp(w t) is integrated to 1e-9 (w t)^8. Source: C. Cuell, thesis, 5.2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/curve.h"
#include "method/dependent.h"
#include "system/field.h"
#include "tableau/legendre.h"

enum { N = CST_MAX_Q };

static cst_node scaled(const cst_curve *x, double factor, cst_node a) {
  return cst_graph_mul(x->g, cst_graph_constant(x->g, factor), a);
}

static void find_coefficients(cst_curve *x, const cst_node *q, const cst_node *v) {
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
static cst_node polynomial(const cst_curve *x, const cst_node *a, int degree, cst_node t) {
  cst_node sum = a[degree];
  for (int k = degree - 1; k >= 0; k--)
    sum = cst_graph_add_product(x->g, a[k], t, sum);
  return sum;
}

static cst_node slope(const cst_curve *x, const cst_node *a, int degree, cst_node t) {
  cst_node sum = scaled(x, degree, a[degree]);
  for (int k = degree - 1; k >= 1; k--)
    sum = cst_graph_add(x->g, scaled(x, k, a[k]), cst_graph_mul(x->g, t, sum));
  return sum;
}

/* out[n] := expressions of the inputs q, evaluated at R. */
static void at_point(const cst_curve *x, const cst_node *of, int n, const cst_node *R,
                     cst_node *out) {
  cst_node input[N];
  for (int i = 0; i < x->s->nq; i++)
    input[i] = cst_graph_input(x->g, 'q', i);
  cst_graph_substitute(x->g, of, n, input, R, x->s->nq, out);
}

void cst_curve_constraints(const cst_curve *x, const cst_node *R, cst_node *phi, cst_node *phi0) {
  const cst_pattern *G = &x->s->pattern[CST_K_G];
  for (int a = 0; a < x->m; a++) {
    for (int i = 0; i < x->s->nq; i++)
      phi[a * x->s->nq + i] = cst_graph_constant(x->g, 0);
    CST_EACH_ENTRY(G, x->row[a], e)
      at_point(x, &x->s->kernel_out[CST_K_G][e], 1, R, &phi[a * x->s->nq + G->column[e]]);
    phi0[a] = cst_graph_constant(x->g, 0);
    if (x->s->affine)
      at_point(x, &x->s->kernel_out[CST_K_phi0][x->row[a]], 1, R, &phi0[a]);
  }
}

/* rest[m] := r - phi0 - phi v, summed over the coordinates that are not left out. */
static void remainder_of(const cst_curve *x, const cst_node *phi, const cst_node *phi0,
                         const cst_node *v, const bool *left_out, cst_node *rest) {
  for (int a = 0; a < x->m; a++) {
    rest[a] = cst_graph_sub(x->g, x->r[a], phi0[a]);
    for (int i = 0; i < x->s->nq; i++)
      if (!left_out || !left_out[i])
        rest[a] = cst_graph_sub_product(x->g, rest[a], phi[a * x->s->nq + i], v[i]);
  }
}

/* b := B^-1 b, b[m], by the normal equations, which need no pivoting; a single equation by division. */
static void solve(const cst_curve *x, const cst_node *B, cst_node *b) {
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
static void complete(const cst_curve *x, const cst_node *R, cst_node *v) {
  cst_node  phi[CST_MAX_G * N], phi0[CST_MAX_G], B[CST_MAX_G * CST_MAX_G], b[CST_MAX_G];
  const int m = x->m;
  if (m == 0)
    return;
  cst_curve_constraints(x, R, phi, phi0);
  remainder_of(x, phi, phi0, v, x->dependent, b);
  for (int a = 0; a < m; a++)
    for (int i = 0; i < m; i++)
      B[a * m + i] = phi[a * x->s->nq + x->column[i]];
  solve(x, B, b);
  for (int i = 0; i < m; i++)
    v[x->column[i]] = b[i];
}

/* (R, R') at a time; the dependent entries of R are those at time 0. */
static void rates_at(const cst_curve *x, cst_node time, cst_node *R, cst_node *v) {
  for (int i = 0; i < x->s->nq; i++) {
    R[i] = x->dependent[i] ? x->q[i][0] : polynomial(x, x->q[i], x->p, time);
    v[i] = x->dependent[i] ? x->v[i][0] : slope(x, x->q[i], x->p, time);
  }
  complete(x, R, v);
}

/* w_i = int_0^x l_i, l_i the Lagrange polynomials of the nodes: b_i sum_j P_j(c_i) int_0^x P_j. */
static void weigh_integral(double fraction, double *w) {
  enum { n = CST_CURVE_NODES };
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

void cst_curve_point(const cst_curve *x, double fraction, cst_node *R, cst_node *v) {
  double w[CST_CURVE_NODES];
  rates_at(x, scaled(x, fraction, x->t), R, v);
  if (fraction == 0 || x->m == 0)
    return;
  weigh_integral(fraction, w);
  for (int i = 0; i < x->m; i++) {
    cst_node sum = cst_graph_constant(x->g, 0);
    for (int k = 0; k < CST_CURVE_NODES; k++)
      sum = cst_graph_add(x->g, sum, scaled(x, w[k], x->rate[k][i]));
    R[x->column[i]] = cst_graph_add_product(x->g, R[x->column[i]], x->t, sum);
  }
}

/* The dependent rates at the nodes. */
static void find_rates(cst_curve *x) {
  cst_node R[N], v[N];
  for (int k = 0; k < CST_CURVE_NODES && x->m > 0; k++) {
    rates_at(x, scaled(x, x->c[k], x->t), R, v);
    for (int i = 0; i < x->m; i++)
      x->rate[k][i] = v[x->column[i]];
  }
}

static void gauss_points(int n, double *weight, double *node) {
  __float128 b[CST_CURVE_NODES], c[CST_CURVE_NODES];
  cst_legendre_gauss_quad(n, b, c);
  for (int k = 0; k < n; k++) {
    weight[k] = (double)b[k];
    node[k] = (double)c[k];
  }
}

void cst_curve_open(cst_curve *x, const cst_curve_kind *of, const cst_system *s, cst_node t,
                    const cst_node *q, const cst_node *v) {
  cst_node phi[CST_MAX_G * N], phi0[CST_MAX_G];
  *x = (cst_curve){.s = s, .g = s->graph, .p = of->degree, .points = 1, .weight = {1}, .t = t};
  x->m = s->nvel ? cst_dependent(s, x->row, x->column) : 0;
  for (int i = 0; i < x->m; i++)
    x->dependent[x->column[i]] = true;
  gauss_points(CST_CURVE_NODES, x->b, x->c);
  if (of->points) {
    x->points = of->points;
    gauss_points(of->points, x->weight, x->node);
  }
  find_coefficients(x, q, v);
  cst_curve_constraints(x, q, phi, phi0);
  for (int a = 0; a < x->m; a++)
    x->r[a] = cst_graph_constant(x->g, 0);
  remainder_of(x, phi, phi0, v, NULL, x->r); /* the negative of r */
  for (int a = 0; a < x->m; a++)
    x->r[a] = cst_graph_neg(x->g, x->r[a]);
  find_rates(x);
}

void cst_curve_end(const cst_curve *x, cst_node *R, cst_node *v) {
  cst_curve_point(x, 1, R, v);
  for (int i = 0; i < x->s->nq; i++)
    if (!x->dependent[i])
      v[i] = polynomial(x, x->v[i], x->p, x->t);
  complete(x, R, v);
}
