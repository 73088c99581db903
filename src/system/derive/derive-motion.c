/* derive-motion.c: masses, the Lagrangian, the residuals of the equations of motion, the potential, and the
 * constraints, with their derivatives, and the bands of Hessians (see derive.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <string.h>
#include "system/derive/derive.h"

/* ---- bands ------------------------------------------------------------------------------------ */

/* The elimination order and storage of a symmetric matrix of the coordinates, M + b Hess V.
 *
 * The Hessian's pattern is reduced to two quantities: the half bandwidth after reverse Cuthill-McKee, and the
 * end of each row including the fill-in of the elimination. Blocks on the diagonal, chains, and rings, which
 * are folded to twice the band, cost in proportion to their length; a full matrix is a band of full width. E.
 * Cuthill, J. McKee, Proc. 24th Nat. Conf. ACM (1969); A. George (1971).
 */

static int *integers(long n) { return cst_zeros(n, sizeof(int)); }

void cst_bands_destroy(cst_bands *b) {
  free(b->order);
  free(b->place);
  free(b->last);
  free(b->at);
  free(b->entry);
  *b = (cst_bands){0};
}

static int degree(const cst_pattern *p, int i) { return p->start[i + 1] - p->start[i]; }

/* Breadth first from `root`, neighbours of lowest degree first; appends to order. Returns its new length. */
static int visit(const cst_pattern *p, int root, int *order, int n, unsigned char *seen) {
  int next = n;
  order[n++] = root;
  seen[root] = 1;
  while (next < n) {
    const int i = order[next++];
    const int first = n;
    CST_EACH_ENTRY(p, i, e) {
      const int j = p->column[e];
      if (seen[j])
        continue;
      seen[j] = 1;
      order[n++] = j;
    }
    for (int k = first + 1; k < n; k++) /* few: by insertion */
      for (int j = k; j > first && degree(p, order[j]) < degree(p, order[j - 1]); j--) {
        const int x = order[j];
        order[j] = order[j - 1];
        order[j - 1] = x;
      }
  }
  return n;
}

/* A node far from `root` in its connected component. */
static int far_end(const cst_pattern *p, int root, int *order) {
  for (int pass = 0; pass < 2; pass++) {
    unsigned char *seen = cst_zeros(p->rows, 1);
    const int      n = visit(p, root, order, 0, seen);
    root = order[n - 1];
    free(seen);
  }
  return root;
}

static int band_of(const cst_pattern *p, const int *place) {
  int band = 0;
  for (int i = 0; i < p->rows; i++)
    CST_EACH_ENTRY(p, i, e) {
      const int k = p->column[e];
      const int distance = abs(place[i] - place[k]);
      if (distance > band)
        band = distance;
    }
  return band;
}

/* Reverse Cuthill-McKee, unless the given order has a band at least as small. */
static void put_in_order(const cst_pattern *p, cst_bands *b) {
  const int      nq = p->rows;
  int           *order = integers(nq);
  int           *scratch = integers(nq);
  int           *place = integers(nq);
  int            n = 0;
  unsigned char *seen = cst_zeros(nq, 1);
  for (int i = 0; i < nq; i++)
    b->place[i] = i;
  for (int i = 0; i < nq; i++)
    if (!seen[i]) {
      const int root = far_end(p, i, scratch);
      n = visit(p, root, order, n, seen);
    }
  for (int r = 0; r < nq; r++)
    place[order[r]] = nq - 1 - r;
  if (band_of(p, place) < band_of(p, b->place))
    memcpy(b->place, place, (size_t)nq * sizeof *place);
  for (int i = 0; i < nq; i++)
    b->order[b->place[i]] = i;
  free(order);
  free(scratch);
  free(place);
  free(seen);
}

static void find_ends(const cst_system *s, const cst_pattern *p, cst_bands *b) {
  const int nq = s->nq;
  for (int r = 0; r < nq; r++) {
    if (!cst_has(s, CST_SEPARABLE))
      b->last[r] = nq - 1;
    else
      b->last[r] = r;
    CST_EACH_ENTRY(p, b->order[r], e) {
      const int place = b->place[p->column[e]];
      if (place > b->last[r])
        b->last[r] = place;
    }
  }
  for (int r = 0; r < nq; r++) /* fill-in of row r */
    for (int i = r + 1; i <= b->last[r]; i++)
      if (b->last[i] < b->last[r])
        b->last[i] = b->last[r];
  for (int r = 0; r < nq; r++) {
    const int width = b->last[r] - r;
    if (width > b->band)
      b->band = width;
  }
}

static void place_entries(const cst_system *s, const cst_pattern *p, cst_bands *b) {
  b->at = integers(p->n);
  b->entry = integers(p->n);
  for (int r = 0; r < s->nq; r++)
    CST_EACH_ENTRY(p, b->order[r], e) {
      const int i = b->place[p->column[e]];
      if (i < r)
        continue;
      const int pivot = r * (b->band + 1);
      b->at[b->n] = pivot + i - r;
      b->entry[b->n++] = e;
    }
}

/* Fills b from the pattern of the Hessian k; returns false if the band has more than CST_MOST_IN_LANES
 * entries. A full constant mass gives the largest possible bandwidth. */
static bool find_bands(const cst_system *s, cst_kernel_id k, cst_bands *b) {
  const cst_pattern *p = &s->model->pattern[k];
  const size_t       nq = (size_t)s->nq;
  if (!cst_has(s, CST_SEPARABLE) && s->nq > CST_MAX_Q)
    return false;
  b->order = integers(nq);
  b->place = integers(nq);
  b->last = integers(nq);
  put_in_order(p, b);
  find_ends(s, p, b);
  if ((double)s->nq * (b->band + 1) > CST_MOST_IN_LANES) {
    cst_bands_destroy(b);
    return false;
  }
  place_entries(s, p, b);
  return true;
}

/* ---- the potential --------------------------------------------------------------------------- */

/* Its derivatives, and the kernels of linearly implicit methods. */

void cst_derive_potential(const cst_derivation *d) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_derive_kernel(s, CST_K_V, 1)[0] = s->model->V;
  cst_node *dV = cst_derive_kernel(s, CST_K_dV, n);
  cst_graph_gradient(d->graph, &s->model->V, &d->one, 1, d->q, n, dV);
  s->model->bent = !s->model->npairs;
  if (!s->model->bent)
    return;
  cst_derive_jacobian(d, CST_K_d2V, dV, n, true);
  cst_system_mark(s, CST_LINEAR_V,
                  s->model->kernel_size[CST_K_d2V] == 0 &&
                      cst_graph_smoothness(d->graph, s->model->V) == INT_MAX);
}

/* The Hessian of the stiff part of V. */
static void derive_stiff(const cst_derivation *d) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_node   *dS = cst_derive_memory(n);
  cst_graph_gradient(d->graph, &s->model->stiff, &d->one, 1, d->q, n, dS);
  cst_derive_jacobian(d, CST_K_d2S, dS, n, true);
  free(dS);
}

/* D3V[w, w] without the subexpressions shared with grad V and its Hessian, which are returned in *shared
 * (owned). */
static void derive_third(const cst_derivation *d, cst_node **shared) {
  cst_graph  *g = d->graph;
  cst_system *s = d->s;
  const int   n = d->n;
  const int  *place = s->model->bands[0].place;
  const int  *order = s->model->bands[0].order;
  cst_node   *w = cst_derive_memory(n);
  cst_node   *once = cst_derive_memory(n);
  cst_node   *twice = cst_derive_memory(n);
  cst_node   *rows = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    w[i] = d->w[place[i]];
  cst_graph_tangent(g, s->model->kernel_out[CST_K_dV], n, d->q, w, n, once);
  cst_graph_tangent(g, once, n, d->q, w, n, twice);
  for (int r = 0; r < n; r++)
    rows[r] = twice[order[r]];
  cst_node *D3V = cst_derive_kernel(s, CST_K_D3V, n);
  s->model->nshared = cst_graph_split(g, rows, n, 'w', 'l', shared, D3V);
  free(w);
  free(once);
  free(twice);
  free(rows);
}

/* Kernel k: grad V by rows, the upper half of the Hessian `of`, then `more`. */
static void derive_banded(const cst_derivation *d, cst_kernel_id k, cst_kernel_id of,
                          const cst_bands *b, const cst_node *more, int nmore) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_node   *out = cst_derive_kernel(s, k, n + b->n + nmore);
  for (int r = 0; r < n; r++)
    out[r] = s->model->kernel_out[CST_K_dV][b->order[r]];
  for (int e = 0; e < b->n; e++)
    out[n + e] = s->model->kernel_out[of][b->entry[e]];
  for (int e = 0; e < nmore; e++)
    out[n + b->n + e] = more[e];
}

static bool has_constant_mass(const cst_system *s) {
  const cst_pattern *M = &s->model->pattern[CST_K_M];
  const cst_node    *entry = s->model->kernel_out[CST_K_M];
  for (int e = 0; e < M->n; e++)
    if (cst_graph_depends(s->model->graph, entry[e], 'q'))
      return false;
  return !cst_has(s, CST_GYROSCOPIC);
}

void cst_derive_linear(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_node   *shared;
  if (s->ng || !s->model->bent)
    return;
  if (!has_constant_mass(s))
    return;
  if (!find_bands(s, CST_K_d2V, &s->model->bands[0]))
    return;
  derive_third(d, &shared);
  derive_banded(d, CST_K_dVH, CST_K_d2V, &s->model->bands[0], shared, s->model->nshared);
  free(shared);
}

void cst_derive_linear_stiff(const cst_derivation *d) {
  cst_system *s = d->s;
  if (s->ng || !s->description->stiff_text)
    return;
  if (!has_constant_mass(s))
    return;
  if (s->model->bent && !s->model->kernel_size[CST_K_dVH])
    return;
  derive_stiff(d);
  if (find_bands(s, CST_K_d2S, &s->model->bands[1]))
    derive_banded(d, CST_K_dVS, CST_K_d2S, &s->model->bands[1], NULL, 0);
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* Number of constraints on positions; those on velocities follow them. */
static int positions(const cst_system *s) { return s->ng - s->model->nvel; }

/* out[i] += sum_a l_a phi_ai, if there are constraints on velocities. */
static void add_rows(const cst_derivation *d, const cst_node *l, cst_node *out) {
  cst_graph        *g = d->graph;
  const int         n = d->n;
  const cst_system *s = d->s;
  if (!s->model->nvel)
    return;
  cst_node       *add = cst_derive_memory(n);
  const cst_node *last = l + positions(s);
  cst_graph_gradient(g, s->model->phi, last, s->model->nvel, d->v, n, add);
  for (int i = 0; i < n; i++)
    out[i] = cst_graph_add(g, out[i], add[i]);
  free(add);
}

/* Gl[n] := G'l */
static void rows_times(const cst_derivation *d, const cst_node *l, cst_node *Gl) {
  const cst_node *g = d->s->model->kernel_out[CST_K_g];
  const int       ng = positions(d->s);
  cst_graph_gradient(d->graph, g, l, ng, d->q, d->n, Gl);
  add_rows(d, l, Gl);
}

/* Gx[ng] := G x */
static void rows_along(const cst_derivation *d, const cst_node *x, cst_node *Gx) {
  const int         n = d->n;
  const cst_system *s = d->s;
  const cst_node   *g = s->model->kernel_out[CST_K_g];
  const int         ng = positions(s);
  cst_graph_tangent(d->graph, g, ng, d->q, x, n, Gx);
  if (s->model->nvel)
    cst_graph_tangent(d->graph, s->model->phi, s->model->nvel, d->v, x, n, Gx + ng);
}

static bool is_quadratic(const cst_derivation *d) {
  for (int a = 0; a < positions(d->s); a++) {
    const int degree = cst_graph_degree(d->graph, d->s->model->g[a], 'q');
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
  if (!s->model->nvel) {
    cst_derive_jacobian(d, CST_K_G, s->model->kernel_out[CST_K_g], s->ng, false);
    return;
  }
  cst_node *row = cst_derive_memory(n);
  for (int a = 0; a < positions(s); a++)
    cst_derive_add_gradient(d, s->model->g[a], a, false, &e);
  for (int k = 0; k < s->model->nvel; k++) {
    cst_graph_gradient(d->graph, &s->model->phi[k], &d->one, 1, d->v, n, row);
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
  const cst_node time = cst_graph_input(g, 'c', s->model->account - 1);
  cst_node      *rate = s->model->kernel_out[CST_K_D2gvv];
  cst_node      *more = cst_derive_memory(2 * first);
  cst_graph_tangent(g, s->model->g, first, &time, &d->one, 1, phi0);
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
  const bool  driven = cst_has(s, CST_DRIVEN);
  if (!s->model->nvel && !driven)
    return;
  cst_node *phi0 = cst_derive_kernel(s, CST_K_phi0, s->ng);
  cst_node *zero = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    zero[i] = cst_graph_constant(g, 0);
  for (int a = 0; a < first; a++)
    phi0[a] = zero[0];
  if (driven)
    derive_drive(d, gv, phi0);
  cst_graph_substitute(g, s->model->phi, s->model->nvel, d->v, zero, n, phi0 + first);
  cst_node *along_w = cst_derive_kernel(s, CST_K_Dphi0w, s->ng);
  cst_node *along_v = s->model->kernel_out[CST_K_D2gvv] + first;
  cst_graph_tangent(g, phi0, s->ng, d->q, d->w, n, along_w);
  cst_graph_tangent(g, s->model->phi, s->model->nvel, d->q, d->v, n, along_v);
  bool affine = driven;
  for (int k = 0; k < s->model->nvel; k++)
    affine |= !cst_graph_is_zero(g, phi0[first + k]);
  cst_system_mark(s, CST_AFFINE, affine);
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
    g[a] = s->model->g[a];
  cst_system_mark(s, CST_QUADRATIC_G, is_quadratic(d));
  derive_rows(d);
  rows_along(d, d->v, gv);
  cst_node *D2gvv = cst_derive_kernel(s, CST_K_D2gvv, ng);
  cst_graph_tangent(d->graph, gv, ng, d->q, d->v, n, D2gvv);
  cst_node *D2gvw = cst_derive_kernel(s, CST_K_D2gvw, ng);
  cst_graph_tangent(d->graph, gv, ng, d->q, d->w, n, D2gvw);
  derive_offsets(d, gv);
  rows_times(d, d->l, Gl);
  cst_graph_tangent(d->graph, Gl, n, d->q, d->w, n, D2glw);
  cst_node *D3glwu = cst_derive_kernel(s, CST_K_D3glwu, n);
  cst_graph_tangent(d->graph, D2glw, n, d->q, d->u, n, D3glwu);
  free(gv);
  free(Gl);
}

/* ---- masses and residuals -------------------------------------------------------------------- */

void cst_derive_diagonal(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_node   *distinct = cst_derive_memory(d->n);
  double      value;
  bool        unit = true;
  for (int i = 0; i < s->nq; i++) {
    int            k = 0;
    const cst_node mass = s->model->mass[i];
    while (k < s->model->nmass && distinct[k] != mass)
      k++;
    if (k == s->model->nmass)
      distinct[s->model->nmass++] = s->model->mass[i];
    s->model->mass_class[i] = k;
    const bool constant = cst_graph_is_constant(s->model->graph, s->model->mass[i], &value);
    unit &= constant && value == 1;
  }
  cst_system_mark(s, CST_MASS_UNIT, unit);
  cst_node *out = cst_derive_kernel(s, CST_K_mass, s->model->nmass);
  for (int k = 0; k < s->model->nmass; k++)
    out[k] = distinct[k];
  free(distinct);
}

/* Entry (i, j) of M(q), of a full matrix that of the upper half; -1: zero. */
static cst_node mass_entry(const cst_derivation *d, int i, int j) {
  const int         n = d->n;
  const cst_system *s = d->s;
  if (cst_has(s, CST_MASS_MATRIX)) {
    const int row = i < j ? i : j;
    const int column = i < j ? j : i;
    return s->model->mass[row * n + column];
  }
  return i == j ? s->model->mass[i] : -1;
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
  cst_node    L = cst_graph_neg(g, s->model->V);
  cst_node    half = cst_graph_constant(g, 0.5);
  cst_node   *a = cst_derive_kernel(s, CST_K_a, n);
  cst_node   *Lv = cst_derive_kernel(s, CST_K_Lv, n);
  cst_node   *Lq = cst_derive_kernel(s, CST_K_Lq, n);
  cst_node   *f = cst_derive_kernel(s, CST_K_f, n);
  derive_mass(d, Mv);
  for (int i = 0; i < n; i++) {
    a[i] = s->model->a ? s->model->a[i] : cst_graph_constant(g, 0);
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
  for (int k = 0; k < s->model->nforce * n; k++) {
    const int i = k % n;
    f[i] = cst_graph_add(g, f[i], s->model->force[k]);
  }
  cst_node *DMvw = cst_derive_kernel(s, CST_K_DMvw, n);
  cst_graph_tangent(g, Mv, n, d->q, d->w, n, DMvw);
  free(Mv);
  free(along);
}

/* The residuals (E1, E2)[nq + ng] of the equations of motion for accelerations A[nq] and multipliers l[ng].
 * Owned. */
static cst_node *residuals(const cst_derivation *d, const cst_node *A, const cst_node *l) {
  cst_system         *s = d->s;
  cst_graph          *g = d->graph;
  const cst_pattern  *P = &s->model->pattern[CST_K_M];
  const cst_node     *M = s->model->kernel_out[CST_K_M];
  const cst_kernel_id kernel = cst_system_force_kernel(s);
  const cst_node     *force = s->model->kernel_out[kernel];
  const cst_node     *bend = s->model->kernel_out[CST_K_D2gvv];
  const int           n = d->n;
  const int           ng = s->ng;
  cst_node           *E = cst_derive_memory(n + ng);
  cst_node           *Gl = cst_derive_memory(n);
  cst_node           *GA = cst_derive_memory(ng);
  rows_times(d, l, Gl);
  rows_along(d, A, GA);
  for (int i = 0; i < n; i++) {
    cst_node f = force[i];
    if (kernel == CST_K_dV)
      f = cst_graph_neg(g, f);
    E[i] = cst_graph_sub(g, f, Gl[i]);
  }
  for (int i = 0; kernel == CST_K_f && i < n; i++)
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
  if (!cst_has(s, CST_SEPARABLE))
    return s->model->kernel_out[i < n ? CST_K_Lq : CST_K_Lv][k];
  if (i < n)
    return cst_graph_neg(g, s->model->kernel_out[CST_K_dV][k]);
  return cst_graph_mul(g, s->model->mass[k], d->v[k]);
}

/* out[n] += s (F - phi'l): the work on a variation of q that L does not contain. */
static void add_work(const cst_derivation *d, cst_node s, const cst_node *l, cst_node *out) {
  const int         n = d->n;
  cst_graph        *g = d->graph;
  const cst_system *x = d->s;
  cst_node         *pull = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    pull[i] = cst_graph_constant(g, 0);
  add_rows(d, l, pull);
  for (int i = 0; i < n; i++) {
    cst_node f = cst_graph_neg(g, pull[i]);
    for (int k = 0; k < x->model->nforce; k++)
      f = cst_graph_add(g, f, x->model->force[k * n + i]);
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
  if (s->model->traits & (CST_NONHOLONOMIC | CST_FORCED))
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
  cst_graph_tangent(d->graph, s->model->kernel_out[CST_K_RE], 2 * n, x, dx, all,
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
