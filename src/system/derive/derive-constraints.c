/* derive-constraints.c: constraints on positions and velocities, and their derivatives (see derive.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/derive.h"

/* Number of constraints on positions; those on velocities follow them. */
static int positions(const cst_system *s) { return s->ng - s->nvel; }

void cst_derive_add_rows(const cst_derivation *d, const cst_node *l, cst_node *out) {
  cst_graph        *g = d->graph;
  const int         n = d->n;
  const cst_system *s = d->s;
  if (!s->nvel)
    return;
  cst_node       *add = cst_derive_memory(n);
  const cst_node *last = l + positions(s);
  cst_graph_gradient(g, s->phi, last, s->nvel, d->v, n, add);
  for (int i = 0; i < n; i++)
    out[i] = cst_graph_add(g, out[i], add[i]);
  free(add);
}

void cst_derive_rows_times(const cst_derivation *d, const cst_node *l, cst_node *Gl) {
  const cst_node *g = d->s->kernel_out[CST_K_g];
  const int       ng = positions(d->s);
  cst_graph_gradient(d->graph, g, l, ng, d->q, d->n, Gl);
  cst_derive_add_rows(d, l, Gl);
}

void cst_derive_rows_along(const cst_derivation *d, const cst_node *x, cst_node *Gx) {
  const int         n = d->n;
  const cst_system *s = d->s;
  const cst_node   *g = s->kernel_out[CST_K_g];
  const int         ng = positions(s);
  cst_graph_tangent(d->graph, g, ng, d->q, x, n, Gx);
  if (s->nvel)
    cst_graph_tangent(d->graph, s->phi, s->nvel, d->v, x, n, Gx + ng);
}

static bool is_quadratic(const cst_derivation *d) {
  for (int a = 0; a < positions(d->s); a++) {
    const int degree = cst_graph_degree(d->graph, d->s->g[a], 'q');
    if (degree < 0 || degree > 2)
      return false;
  }
  return true;
}

/* The entries of G: Dg and, for constraints on velocities, their coefficients of v. */
static void derive_rows(const cst_derivation *d) {
  const int           n = d->n;
  cst_system         *s = d->s;
  cst_derived_entries e = {.s = d->s};
  if (!s->nvel) {
    cst_derive_jacobian(d, CST_K_G, s->kernel_out[CST_K_g], s->ng, false);
    return;
  }
  cst_node *row = cst_derive_memory(n);
  for (int a = 0; a < positions(s); a++)
    cst_derive_add_gradient(d, s->g[a], a, false, &e);
  for (int k = 0; k < s->nvel; k++) {
    cst_graph_gradient(d->graph, &s->phi[k], &d->one, 1, d->v, n, row);
    cst_derive_add_row(d, &e, positions(s) + k, row);
  }
  cst_derive_matrix(s, CST_K_G, s->ng, n, &e);
  free(row);
}

/* phi0[first] := g_t of the constraints on positions, and their D2gvv := D(G v + g_t)[v] + (G v + g_t)_t, where
 * gv has G v. */
static void derive_drive(const cst_derivation *d, const cst_node *gv, cst_node *phi0) {
  cst_graph     *g = d->graph;
  cst_system    *s = d->s;
  const int      first = positions(s);
  const cst_node time = cst_graph_input(g, 'c', s->account - 1);
  cst_node      *rate = s->kernel_out[CST_K_D2gvv];
  cst_node      *more = cst_derive_memory(2 * first);
  if (!s->driven) {
    free(more);
    return;
  }
  cst_graph_tangent(g, s->g, first, &time, &d->one, 1, phi0);
  cst_graph_tangent(g, phi0, first, d->q, d->v, d->n, more); /* G_t v once, and again below */
  for (int a = 0; a < first; a++)
    more[first + a] = cst_graph_add(g, gv[a], phi0[a]);
  for (int a = 0; a < first; a++)
    rate[a] = cst_graph_add(g, rate[a], more[a]);
  cst_graph_tangent(g, more + first, first, &time, &d->one, 1, more);
  for (int a = 0; a < first; a++)
    rate[a] = cst_graph_add(g, rate[a], more[a]);
  free(more);
}

/* phi0, its derivative, and D(phi v + phi0)[v] in place of D(phi v)[v]; gv has G v. */
static void derive_offsets(const cst_derivation *d, const cst_node *gv) {
  cst_graph  *g = d->graph;
  cst_system *s = d->s;
  const int   n = d->n;
  const int   first = positions(s);
  if (!s->nvel && !s->driven)
    return;
  cst_node *phi0 = cst_derive_kernel(s, CST_K_phi0, s->ng);
  cst_node *zero = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    zero[i] = cst_graph_constant(g, 0);
  for (int a = 0; a < first; a++)
    phi0[a] = zero[0];
  derive_drive(d, gv, phi0);
  cst_graph_substitute(g, s->phi, s->nvel, d->v, zero, n, phi0 + first);
  cst_node *along_w = cst_derive_kernel(s, CST_K_Dphi0w, s->ng);
  cst_node *along_v = s->kernel_out[CST_K_D2gvv] + first;
  cst_graph_tangent(g, phi0, s->ng, d->q, d->w, n, along_w);
  cst_graph_tangent(g, s->phi, s->nvel, d->q, d->v, n, along_v);
  s->affine = s->driven;
  for (int k = 0; k < s->nvel; k++)
    s->affine |= !cst_graph_is_zero(g, phi0[first + k]);
  free(zero);
}

void cst_derive_constraints(const cst_derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n;
  const int   ng = s->ng;
  cst_node   *gv = cst_derive_memory(ng);
  cst_node   *Gl = cst_derive_memory(n);
  cst_node   *g = cst_derive_kernel(s, CST_K_g, ng);
  cst_node   *D2glw = cst_derive_kernel(s, CST_K_D2glw, n);
  for (int a = 0; a < ng; a++)
    g[a] = s->g[a];
  s->quadratic = is_quadratic(d);
  derive_rows(d);
  cst_derive_rows_along(d, d->v, gv);
  cst_node *D2gvv = cst_derive_kernel(s, CST_K_D2gvv, ng);
  cst_graph_tangent(d->graph, gv, ng, d->q, d->v, n, D2gvv);
  cst_node *D2gvw = cst_derive_kernel(s, CST_K_D2gvw, ng);
  cst_graph_tangent(d->graph, gv, ng, d->q, d->w, n, D2gvw);
  derive_offsets(d, gv);
  cst_derive_rows_times(d, d->l, Gl);
  cst_graph_tangent(d->graph, Gl, n, d->q, d->w, n, D2glw);
  cst_node *D3glwu = cst_derive_kernel(s, CST_K_D3glwu, n);
  cst_graph_tangent(d->graph, D2glw, n, d->q, d->u, n, D3glwu);
  free(gv);
  free(Gl);
}
