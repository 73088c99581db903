/* field.c: accelerations, multipliers and the Lagrangian as nodes; see field.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/field.h"
#include <string.h>
#include "system/internal.h"

enum { N = CST_MAX_Q, SQUARE = CST_MAX_Q * CST_MAX_Q };
_Static_assert((int)CST_MAX_G <= (int)N, "a row of S can hold every constraint");

bool cst_field_exists(const cst_system *s, char *why, int n) {
  if (s->nq <= CST_MAX_Q && s->ng <= CST_MAX_G && !s->model->gram.banded && cst_system_bend(s))
    return true;
  snprintf(why, (size_t)n,
           "%s has %d coordinates and %d constraints%s; formulas of its accelerations are for at "
           "most %d of "
           "each, not banded",
           s->name, s->nq, s->ng, s->model->gram.banded ? " that couple as a band" : "", CST_MAX_Q);
  return false;
}

/* Evaluates kernel k at q, v. v is NULL for a kernel that does not read it. */
static void kernel_at(const cst_system *s, cst_kernel_id k, const cst_node *q, const cst_node *v,
                      cst_node *out) {
  cst_node x[2 * N], y[2 * N];
  int      n = 0;
  for (int i = 0; i < s->nq; i++) {
    x[n] = cst_graph_input(s->model->graph, 'q', i);
    y[n++] = q[i];
  }
  for (int i = 0; v && i < s->nq; i++) {
    x[n] = cst_graph_input(s->model->graph, 'v', i);
    y[n++] = v[i];
  }
  cst_graph_substitute(s->model->graph, s->model->kernel_out[k], s->model->kernel_size[k], x, y, n,
                       out);
}

/* The same for a matrix kernel; out is row-major and includes the zeros. */
static void matrix_at(const cst_system *s, cst_kernel_id k, const cst_node *q, cst_node *out) {
  const cst_pattern *p = &s->model->pattern[k];
  cst_node           entry[SQUARE];
  kernel_at(s, k, q, NULL, entry);
  for (int i = 0; i < p->rows * p->columns; i++)
    out[i] = cst_graph_constant(s->model->graph, 0);
  for (int r = 0; r < p->rows; r++) {
    cst_node *row = out + r * p->columns;
    CST_EACH_ENTRY(p, r, e)
      row[p->column[e]] = entry[e];
  }
}

/* x.y */
static cst_node dot(cst_graph *g, const cst_node *x, const cst_node *y, int n) {
  cst_node sum = cst_graph_constant(g, 0);
  for (int i = 0; i < n; i++)
    sum = cst_graph_add_product(g, sum, x[i], y[i]);
  return sum;
}

/* Factors a symmetric matrix, of which it reads the upper triangle: L below the diagonal, the reciprocal
 * pivots on the diagonal. */
static void factor(cst_graph *g, cst_node *A, int n) {
  const cst_node one = cst_graph_constant(g, 1);
  for (int k = 0; k < n; k++) {
    cst_node *const row = A + k * n;
    row[k] = cst_graph_div(g, one, row[k]);
    for (int i = k + 1; i < n; i++) {
      cst_node *const below = A + i * n;
      below[k] = cst_graph_mul(g, row[i], row[k]);
      for (int j = i; j < n; j++)
        below[j] = cst_graph_sub_product(g, below[j], below[k], row[j]);
    }
  }
}

/* b := A^-1 b with the factors. */
static void solve(cst_graph *g, const cst_node *A, cst_node *b, int n) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i] = cst_graph_sub_product(g, b[i], A[i * n + j], b[j]);
  for (int i = 0; i < n; i++)
    b[i] = cst_graph_mul(g, b[i], A[i * n + i]);
  for (int i = n - 2; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      b[i] = cst_graph_sub_product(g, b[i], A[j * n + i], b[j]);
}

/* Whether M(q) is a matrix here. */
static bool is_full(const cst_system *s) { return !cst_has(s, CST_SEPARABLE); }

/* M(q), factored; for a constant diagonal mass the reciprocals of its entries. */
static void inertia(const cst_system *s, const cst_node *q, cst_node *M) {
  const cst_node one = cst_graph_constant(s->model->graph, 1);
  if (is_full(s)) {
    matrix_at(s, CST_K_M, q, M);
    factor(s->model->graph, M, s->nq);
  } else
    for (int i = 0; i < s->nq; i++)
      M[i] = cst_graph_div(s->model->graph, one,
                           s->model->kernel_out[CST_K_mass][s->model->mass_class[i]]);
}

/* x := M^-1 x */
static void accelerate(const cst_system *s, const cst_node *M, cst_node *x) {
  if (is_full(s))
    solve(s->model->graph, M, x, s->nq);
  else
    for (int i = 0; i < s->nq; i++)
      x[i] = cst_graph_mul(s->model->graph, M[i], x[i]);
}

static void force(const cst_system *s, const cst_node *q, const cst_node *v, cst_node *f) {
  const cst_kernel_id force = cst_system_force_kernel(s);
  kernel_at(s, force, q, v, f);
  for (int i = 0; force == CST_K_dV && i < s->nq; i++)
    f[i] = cst_graph_neg(s->model->graph, f[i]);
}

/* The indices of the enforced constraints; returns their number. The others have the equation lambda = 0. */
static int kept(const cst_system *s, int *index) {
  int n = 0;
  for (int a = 0; a < s->ng; a++)
    if (cst_system_enforces(s, a))
      index[n++] = a;
  return n;
}

/* A := A - M^-1 G'l with S l = D2g[v, v] + G A. The rows of G are those of the n enforced constraints. */
static void constrain(const cst_system *s, const cst_node *M, const cst_node *G, int n, cst_node *A,
                      cst_node *l) {
  cst_graph *g = s->model->graph;
  cst_node   X[SQUARE], S[SQUARE];
  const int  nq = s->nq;
  memcpy(X, G, sizeof *X * (size_t)(n * nq));
  for (int a = 0; a < n; a++) {
    accelerate(s, M, X + a * nq);
    l[a] = cst_graph_add(g, l[a], dot(g, G + a * nq, A, nq));
    for (int b = 0; b <= a; b++)
      S[b * n + a] = dot(g, G + b * nq, X + a * nq, nq);
  }
  factor(g, S, n);
  solve(g, S, l, n);
  for (int a = 0; a < n; a++)
    for (int i = 0; i < nq; i++)
      A[i] = cst_graph_sub_product(g, A[i], X[a * nq + i], l[a]);
}

void cst_field_acceleration(const cst_system *s, const cst_node *q, const cst_node *v, cst_node *A,
                            cst_node *lambda) {
  cst_node M[SQUARE], G[SQUARE], bend[N], l[N];
  int      index[N];
  int      n = kept(s, index);
  inertia(s, q, M);
  force(s, q, v, A);
  accelerate(s, M, A);
  matrix_at(s, CST_K_G, q, G);
  kernel_at(s, CST_K_D2gvv, q, v, bend);
  for (int a = 0; a < n; a++) {
    memmove(G + a * s->nq, G + index[a] * s->nq, sizeof *G * (size_t)s->nq);
    l[a] = bend[index[a]];
  }
  constrain(s, M, G, n, A, l);
  if (!lambda)
    return;
  for (int a = 0; a < s->ng; a++)
    lambda[a] = cst_graph_constant(s->model->graph, 0);
  for (int a = 0; a < n; a++)
    lambda[index[a]] = l[a];
}

/* The momenta p = Mv + 2 a, for which 1/2 v'Mv + a.v = 1/2 v.p. */
static void twofold(const cst_system *s, const cst_node *q, const cst_node *v, cst_node *p) {
  cst_node a[N];
  if (is_full(s)) {
    kernel_at(s, CST_K_Lv, q, v, p);
    kernel_at(s, CST_K_a, q, NULL, a);
    for (int i = 0; i < s->nq; i++)
      p[i] = cst_graph_add(s->model->graph, p[i], a[i]);
  } else
    for (int i = 0; i < s->nq; i++)
      p[i] = cst_graph_mul(s->model->graph,
                           s->model->kernel_out[CST_K_mass][s->model->mass_class[i]], v[i]);
}

cst_node cst_field_lagrangian(const cst_system *s, const cst_node *q, const cst_node *v) {
  cst_graph *g = s->model->graph;
  cst_node   p[N], V;
  twofold(s, q, v, p);
  kernel_at(s, CST_K_V, q, NULL, &V);
  return cst_graph_sub(g, cst_graph_mul(g, cst_graph_constant(g, 0.5), dot(g, v, p, s->nq)), V);
}
