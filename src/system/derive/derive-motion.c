/* derive-motion.c: masses, the Lagrangian, and the residuals of the equations of motion (see derive.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/derive.h"

void cst_derive_diagonal(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_node   *distinct = cst_derive_memory(d->n);
  double      value;
  s->mass_unit = true;
  for (int i = 0; i < s->nq; i++) {
    int            k = 0;
    const cst_node mass = s->mass[i];
    while (k < s->nmass && distinct[k] != mass)
      k++;
    if (k == s->nmass)
      distinct[s->nmass++] = s->mass[i];
    s->mass_class[i] = k;
    const bool constant = cst_graph_is_constant(s->graph, s->mass[i], &value);
    s->mass_unit &= constant && value == 1;
  }
  cst_node *out = cst_derive_kernel(s, CST_K_mass, s->nmass);
  for (int k = 0; k < s->nmass; k++)
    out[k] = distinct[k];
  free(distinct);
}

/* Entry (i, j) of M(q), of a full matrix that of the upper half; -1: zero. */
static cst_node mass_entry(const cst_derivation *d, int i, int j) {
  const int         n = d->n;
  const cst_system *s = d->s;
  if (s->matrix) {
    const int row = i < j ? i : j;
    const int column = i < j ? j : i;
    return s->mass[row * n + column];
  }
  return i == j ? s->mass[i] : -1;
}

/* M(q) v, and M as a kernel. */
static void derive_mass(const cst_derivation *d, cst_node *Mv) {
  const int           n = d->n;
  cst_graph          *g = d->graph;
  cst_derived_entries e = {.s = d->s};
  for (int i = 0; i < n; i++) {
    Mv[i] = cst_graph_constant(g, 0);
    for (int j = 0; j < n; j++) {
      const cst_node m = mass_entry(d, i, j);
      if (m < 0 || cst_graph_is_zero(g, m))
        continue;
      cst_derive_add(&e, i, j, m);
      Mv[i] = cst_graph_add_product(g, Mv[i], m, d->v[j]);
    }
  }
  cst_derive_matrix(d->s, CST_K_M, n, n, &e);
}

void cst_derive_lagrangian(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_graph  *g = d->graph;
  const int   n = d->n;
  cst_node   *Mv = cst_derive_memory(n);
  cst_node   *along = cst_derive_memory(n);
  cst_node    L = cst_graph_neg(g, s->V);
  cst_node    half = cst_graph_constant(g, 0.5);
  cst_node   *a = cst_derive_kernel(s, CST_K_a, n);
  cst_node   *Lv = cst_derive_kernel(s, CST_K_Lv, n);
  cst_node   *Lq = cst_derive_kernel(s, CST_K_Lq, n);
  cst_node   *f = cst_derive_kernel(s, CST_K_f, n);
  derive_mass(d, Mv);
  for (int i = 0; i < n; i++) {
    if (s->gyroscopic)
      a[i] = s->a[i];
    else
      a[i] = cst_graph_constant(g, 0);
    Lv[i] = cst_graph_add(g, Mv[i], a[i]);
    const cst_node half_Mv = cst_graph_mul(g, half, Mv[i]);
    const cst_node slope = cst_graph_add(g, half_Mv, a[i]);
    L = cst_graph_add_product(g, L, d->v[i], slope);
  }
  cst_graph_gradient(g, &L, &d->one, 1, d->q, n, Lq);
  cst_derive_jacobian(d, CST_K_Lvq, Lv, n, false);
  cst_derive_jacobian(d, CST_K_Lqq, Lq, n, true);
  cst_graph_tangent(g, Lv, n, d->q, d->v, n, along);
  for (int i = 0; i < n; i++)
    f[i] = cst_graph_sub(g, Lq[i], along[i]);
  for (int k = 0; k < s->nforce * n; k++) {
    const int i = k % n;
    f[i] = cst_graph_add(g, f[i], s->force[k]);
  }
  cst_node *DMvw = cst_derive_kernel(s, CST_K_DMvw, n);
  cst_graph_tangent(g, Mv, n, d->q, d->w, n, DMvw);
  free(Mv);
  free(along);
}

/* The residuals (E1, E2)[nq + ng] of the equations of motion for accelerations A[nq] and multipliers l[ng].
 * Owned. */
static cst_node *residuals(const cst_derivation *d, const cst_node *A, const cst_node *l) {
  cst_system        *s = d->s;
  cst_graph         *g = d->graph;
  const cst_pattern *P = &s->pattern[CST_K_M];
  const cst_node    *M = s->kernel_out[CST_K_M];
  const cst_node    *force = s->kernel_out[s->general ? CST_K_f : CST_K_dV];
  const cst_node    *bend = s->kernel_out[CST_K_D2gvv];
  const int          n = d->n;
  const int          ng = s->ng;
  cst_node          *E = cst_derive_memory(n + ng);
  cst_node          *Gl = cst_derive_memory(n);
  cst_node          *GA = cst_derive_memory(ng);
  cst_derive_rows_times(d, l, Gl);
  cst_derive_rows_along(d, A, GA);
  for (int i = 0; i < n; i++) {
    cst_node f = force[i];
    if (!s->general)
      f = cst_graph_neg(g, f);
    E[i] = cst_graph_sub(g, f, Gl[i]);
  }
  for (int i = 0; s->general && i < n; i++)
    CST_EACH_ENTRY(P, i, e)
      E[i] = cst_graph_sub_product(g, E[i], M[e], A[P->column[e]]);
  for (int a = 0; a < ng; a++) {
    const cst_node sum = cst_graph_add(g, bend[a], GA[a]);
    E[n + a] = cst_graph_neg(g, sum);
  }
  free(Gl);
  free(GA);
  return E;
}

/* Entry i of (Lq, Lv). */
static cst_node slope_of_lagrangian(const cst_derivation *d, int i) {
  cst_graph        *g = d->graph;
  const int         n = d->n;
  const cst_system *s = d->s;
  const int         k = i % n;
  if (s->general)
    return s->kernel_out[i < n ? CST_K_Lq : CST_K_Lv][k];
  if (i < n)
    return cst_graph_neg(g, s->kernel_out[CST_K_dV][k]);
  return cst_graph_mul(g, s->mass[k], d->v[k]);
}

/* out[n] += s (F - phi'l): the work on a variation of q that L does not contain. */
static void add_work(const cst_derivation *d, cst_node s, const cst_node *l, cst_node *out) {
  const int         n = d->n;
  cst_graph        *g = d->graph;
  const cst_system *x = d->s;
  cst_node         *pull = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    pull[i] = cst_graph_constant(g, 0);
  cst_derive_add_rows(d, l, pull);
  for (int i = 0; i < n; i++) {
    cst_node f = cst_graph_neg(g, pull[i]);
    for (int k = 0; k < x->nforce; k++)
      f = cst_graph_add(g, f, x->force[k * n + i]);
    out[i] = cst_graph_add_product(g, out[i], s, f);
  }
  free(pull);
}

/* RE, with w = (y, A) and l = (lambda, z, s). */
static void derive_reverse(const cst_derivation *d) {
  cst_graph     *g = d->graph;
  cst_system    *s = d->s;
  const int      n = d->n;
  const int      ng = s->ng;
  const cst_node scale = d->l[2 * ng];
  cst_node      *E = residuals(d, d->w + n, d->l);
  cst_node      *yz = cst_derive_memory(n + ng);
  cst_node      *RE = cst_derive_kernel(s, CST_K_RE, 2 * n);
  for (int i = 0; i < n; i++)
    yz[i] = d->w[i];
  for (int a = 0; a < ng; a++)
    yz[n + a] = d->l[ng + a];
  cst_graph_gradient(g, E, yz, n + ng, d->q, 2 * n, RE);
  for (int i = 0; i < 2 * n; i++) {
    const cst_node slope = slope_of_lagrangian(d, i);
    RE[i] = cst_graph_add_product(g, RE[i], scale, slope);
  }
  if (s->nvel || s->nforce)
    add_work(d, scale, d->l, RE);
  free(E);
  free(yz);
}

/* The derivative of RE: q, v, w along u, and the first 2 ng entries of l along those after s. */
static void derive_second(const cst_derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n;
  const int   ng = s->ng;
  const int   all = 4 * n + 2 * ng;
  cst_node   *x = cst_derive_memory(all);
  cst_node   *dx = cst_derive_memory(all);
  for (int i = 0; i < 2 * n; i++) {
    x[i] = d->q[i];
    x[2 * n + i] = d->w[i];
  }
  for (int i = 0; i < 4 * n; i++)
    dx[i] = d->u[i];
  for (int a = 0; a < 2 * ng; a++) {
    x[4 * n + a] = d->l[a];
    dx[4 * n + a] = d->l[2 * ng + 1 + a];
  }
  cst_graph_tangent(d->graph, s->kernel_out[CST_K_RE], 2 * n, x, dx, all,
                    cst_derive_kernel(s, CST_K_DRE, 2 * n));
  free(x);
  free(dx);
}

void cst_derive_residuals(const cst_derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n + s->ng;
  cst_node   *E = residuals(d, d->w, d->l);
  cst_node   *DE = cst_derive_kernel(s, CST_K_DE, n);
  cst_graph_tangent(d->graph, E, n, d->q, d->u, 2 * d->n, DE);
  free(E);
  derive_reverse(d);
  derive_second(d);
}
