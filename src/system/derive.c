/* derive.c: the kernels of a system as nodes of its graph, and where its matrices may be nonzero.
 *
 * Derivatives are contractions: D2g[v, v] is two forward sweeps, D2(l.g) w a reverse sweep with seed l and a
 * forward one along w. A row of a matrix is a reverse sweep over the few operations of one function, for the
 * inputs that it depends on; so the cost is that of the entries that are there, and a long chain is as cheap
 * a link as a short one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/internal.h"

const char *const cst_system_kernel_names[CST_K_COUNT] = {
#define X(name) #name,
    CST_KERNELS(X)
#undef X
};

/* The inputs, made once. */
typedef struct {
  cst_system *s;
  cst_graph  *graph;
  int         n;
  cst_node    one;
  cst_node   *q, *v, *w, *u,
      *l; /* as many as cst_system_entries; v stands behind q, so that (q, v) is an array too */
} derivation;

/* Whether the residuals are differentiated, which triples the graph. */
static bool has_residuals(const cst_system *s) {
  return s->nq <= CST_MOST_CONVERTED && s->ng <= CST_MOST_CONVERTED;
}

int cst_system_entries(const cst_system *s, char letter) {
  const bool more = has_residuals(s);
  const int  l = more ? 4 * s->ng + 1 : s->ng;
  switch (letter) {
  case 'c':
    return s->npar;
  case 'w':
    return more ? 2 * s->nq : s->nq;
  case 'u':
    return more ? 4 * s->nq : s->nq;
  case 'l':
    return l > s->nshared ? l : s->nshared;
  default:
    return s->nq;
  }
}

static cst_node *memory(size_t n) { return cst_need(calloc(n + 1, sizeof(cst_node))); }

static cst_node *inputs(const cst_system *s, char letter, cst_node *x) {
  const int n = cst_system_entries(s, letter);
  for (int i = 0; i < n; i++) x[i] = cst_graph_input(s->graph, letter, i);
  return x;
}

static cst_node *some_inputs(const cst_system *s, char letter) {
  return inputs(s, letter, memory((size_t)cst_system_entries(s, letter)));
}

static derivation begin(cst_system *s) {
  derivation d = {.s = s, .graph = s->graph, .n = s->nq, .one = cst_graph_constant(s->graph, 1)};
  d.q = inputs(s, 'q', memory(2 * (size_t)s->nq));
  d.v = inputs(s, 'v', d.q + s->nq);
  d.w = some_inputs(s, 'w');
  d.u = some_inputs(s, 'u');
  d.l = some_inputs(s, 'l');
  return d;
}

static void end(derivation *d) {
  free(d->q);
  free(d->w);
  free(d->u);
  free(d->l);
}

static cst_node *kernel(cst_system *s, cst_kernel_id k, int size) {
  s->kernel_size[k] = size;
  return s->kernel_out[k] = memory((size_t)size);
}

/* ---- matrices
 * ----------------------------------------------------------------------------------------------------------
 */

typedef struct {
  int      row, column;
  cst_node node;
} entry;

typedef struct {
  int    n, capacity;
  entry *at;
} entries;

/* A node that the graph has no room for stands for all that follow: the whole is incomplete then. */
static void add(entries *e, int row, int column, cst_node node) {
  if (e->n > 0 && e->at[e->n - 1].node < 0) return;
  if (e->n >= CST_EXPR_NODES) node = -1;
  if (e->n == e->capacity) {
    e->capacity = e->capacity ? 2 * e->capacity : 64;
    e->at = cst_need(realloc(e->at, sizeof *e->at * (size_t)e->capacity));
  }
  e->at[e->n++] = (entry){row, column, node};
}

static int by_place(const void *x, const void *y) {
  const entry *a = x, *b = y;
  return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
                          : (a->column > b->column) - (a->column < b->column);
}

/* The entries become kernel k, a matrix of rows x columns. */
static void matrix(cst_system *s, cst_kernel_id k, int rows, int columns, entries *e) {
  cst_node *out = kernel(s, k, e->n);
  int      *row = cst_need(malloc(sizeof(int) * ((size_t)e->n + 1))),
      *column = cst_need(malloc(sizeof(int) * ((size_t)e->n + 1)));
  if (e->n) qsort(e->at, (size_t)e->n, sizeof *e->at, by_place);
  for (int i = 0; i < e->n; i++) row[i] = e->at[i].row, column[i] = e->at[i].column, out[i] = e->at[i].node;
  s->pattern[k] = cst_structure_pattern_create(rows, columns, e->n, row, column);
  free(row);
  free(column);
  free(e->at);
}

/* The row `row` of the Jacobian of `of`: columns from `least` on, mirrored below the diagonal when
 * `symmetric`. */
static void add_gradient(const derivation *d, cst_node of, int row, bool symmetric, entries *e) {
  int      *index, n = cst_graph_support(d->graph, of, 'q', &index), kept = 0;
  cst_node *x = memory((size_t)n), *grad = memory((size_t)n);
  for (int k = 0; k < n; k++)
    if (!symmetric || index[k] >= row) x[kept] = d->q[index[k]], index[kept++] = index[k];
  cst_graph_gradient(d->graph, &of, &d->one, 1, x, kept, grad);
  for (int k = 0; k < kept; k++) {
    if (cst_graph_is_zero(d->graph, grad[k])) continue;
    add(e, row, index[k], grad[k]);
    if (symmetric && index[k] > row) add(e, index[k], row, grad[k]); /* symmetric to the bit */
  }
  free(index);
  free(x);
  free(grad);
}

static void jacobian(const derivation *d, cst_kernel_id k, const cst_node *of, int rows, bool symmetric) {
  entries e = {0};
  for (int i = 0; i < rows && e.n <= CST_MOST_ENTRIES; i++) add_gradient(d, of[i], i, symmetric, &e);
  if (e.n > CST_MOST_ENTRIES) e.n = 1, e.at[0].node = -1; /* not complete */
  matrix(d->s, k, rows, d->n, &e);
}

/* ---- kernels
 * -----------------------------------------------------------------------------------------------------------
 */

static void derive_potential(const derivation *d) {
  cst_system *s = d->s;
  kernel(s, CST_K_V, 1)[0] = s->V;
  cst_node *dV = kernel(s, CST_K_dV, d->n);
  cst_graph_gradient(d->graph, &s->V, &d->one, 1, d->q, d->n, dV);
  s->bent = !s->npairs;
  if (!s->bent) return;
  jacobian(d, CST_K_d2V, dV, d->n, true);
  s->linear_v = s->kernel_size[CST_K_d2V] == 0;
}

/* Of the stiff part of V. */
static void derive_stiff(const derivation *d) {
  cst_system *s = d->s;
  cst_node   *dS = memory((size_t)d->n);
  cst_graph_gradient(d->graph, &s->stiff, &d->one, 1, d->q, d->n, dS);
  jacobian(d, CST_K_d2S, dS, d->n, true);
  free(dS);
}

/* D3V[w, w] without what it shares with grad V and its Hessian, which is left in *shared (owned). */
static void derive_third(const derivation *d, cst_node **shared) {
  cst_system *s = d->s;
  const int   n = d->n, *place = s->bands[0].place, *order = s->bands[0].order;
  cst_node   *w = memory((size_t)n), *once = memory((size_t)n), *twice = memory((size_t)n),
           *rows = memory((size_t)n);
  for (int i = 0; i < n; i++) w[i] = d->w[place[i]];
  cst_graph_tangent(d->graph, s->kernel_out[CST_K_dV], n, d->q, w, n, once);
  cst_graph_tangent(d->graph, once, n, d->q, w, n, twice);
  for (int r = 0; r < n; r++) rows[r] = twice[order[r]];
  s->nshared = cst_graph_split(d->graph, rows, n, 'w', 'l', shared, kernel(s, CST_K_D3V, n));
  free(w);
  free(once);
  free(twice);
  free(rows);
}

/* Kernel k: grad V by rows, the upper half of the Hessian `of`, and more behind them. */
static void derive_banded(const derivation *d, cst_kernel_id k, cst_kernel_id of, const cst_bands *b,
                          const cst_node *more, int nmore) {
  const cst_system *s = d->s;
  cst_node         *out = kernel(d->s, k, d->n + b->n + nmore);
  for (int r = 0; r < d->n; r++) out[r] = s->kernel_out[CST_K_dV][b->order[r]];
  for (int e = 0; e < b->n; e++) out[d->n + e] = s->kernel_out[of][b->entry[e]];
  for (int e = 0; e < nmore; e++) out[d->n + b->n + e] = more[e];
}

static bool has_constant_mass(const cst_system *s) {
  const cst_pattern *M = &s->pattern[CST_K_M];
  for (int e = 0; s->general && e < M->n; e++)
    if (cst_graph_depends(s->graph, s->kernel_out[CST_K_M][e], 'q')) return false;
  return !s->gyroscopic;
}

/* What linearly implicit methods take, of the whole V and of its stiff part. */
static void derive_linear(const derivation *d) {
  cst_system *s = d->s;
  cst_node   *shared;
  if (s->ng || !s->bent || !has_constant_mass(s) || !cst_system_bands(s, CST_K_d2V, &s->bands[0])) return;
  derive_third(d, &shared);
  derive_banded(d, CST_K_dVH, CST_K_d2V, &s->bands[0], shared, s->nshared);
  free(shared);
}

static void derive_linear_stiff(const derivation *d) {
  cst_system *s = d->s;
  if (s->ng || !s->stiff_text || !has_constant_mass(s) || (s->bent && !s->kernel_size[CST_K_dVH])) return;
  derive_stiff(d);
  if (cst_system_bands(s, CST_K_d2S, &s->bands[1]))
    derive_banded(d, CST_K_dVS, CST_K_d2S, &s->bands[1], NULL, 0);
}

/* Constraints on positions; those on velocities follow them. */
static int positions(const cst_system *s) { return s->ng - s->nvel; }

/* out[i] += sum_a l_a phi_ai, where there are constraints on velocities. */
static void add_rows(const derivation *d, const cst_node *l, cst_node *out) {
  const cst_system *s = d->s;
  cst_node         *add = memory((size_t)d->n);
  if (s->nvel) cst_graph_gradient(d->graph, s->phi, l + positions(s), s->nvel, d->v, d->n, add);
  for (int i = 0; s->nvel && i < d->n; i++) out[i] = cst_graph_add(d->graph, out[i], add[i]);
  free(add);
}

/* Gl[n] := G'l */
static void rows_times(const derivation *d, const cst_node *l, cst_node *Gl) {
  cst_graph_gradient(d->graph, d->s->kernel_out[CST_K_g], l, positions(d->s), d->q, d->n, Gl);
  add_rows(d, l, Gl);
}

/* Gx[ng] := G x */
static void rows_along(const derivation *d, const cst_node *x, cst_node *Gx) {
  const cst_system *s = d->s;
  cst_graph_tangent(d->graph, s->kernel_out[CST_K_g], positions(s), d->q, x, d->n, Gx);
  if (s->nvel) cst_graph_tangent(d->graph, s->phi, s->nvel, d->v, x, d->n, Gx + positions(s));
}

/* The entries of G: Dg, and where there are constraints on velocities their slopes. */
static void derive_rows(const derivation *d) {
  cst_system *s = d->s;
  entries     e = {0};
  if (!s->nvel) {
    jacobian(d, CST_K_G, s->kernel_out[CST_K_g], s->ng, false);
    return;
  }
  cst_node *row = memory((size_t)d->n);
  for (int a = 0; a < positions(s); a++) add_gradient(d, s->g[a], a, false, &e);
  for (int k = 0; k < s->nvel; k++) {
    cst_graph_gradient(d->graph, &s->phi[k], &d->one, 1, d->v, d->n, row);
    for (int i = 0; i < d->n; i++)
      if (!cst_graph_is_zero(d->graph, row[i])) add(&e, positions(s) + k, i, row[i]);
  }
  matrix(s, CST_K_G, s->ng, d->n, &e);
  free(row);
}

/* phi0, its derivative, and D(phi v + phi0)[v] in the place of D(phi v)[v]. */
static void derive_offsets(const derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n, first = positions(s);
  if (!s->nvel) return;
  cst_node *phi0 = kernel(s, CST_K_phi0, s->ng), *zero = memory((size_t)n);
  for (int i = 0; i < n; i++) zero[i] = cst_graph_constant(d->graph, 0);
  for (int a = 0; a < first; a++) phi0[a] = zero[0];
  cst_graph_substitute(d->graph, s->phi, s->nvel, d->v, zero, n, phi0 + first);
  cst_graph_tangent(d->graph, phi0, s->ng, d->q, d->w, n, kernel(s, CST_K_Dphi0w, s->ng));
  cst_graph_tangent(d->graph, s->phi, s->nvel, d->q, d->v, n, s->kernel_out[CST_K_D2gvv] + first);
  for (int k = 0; k < s->nvel; k++) s->affine |= !cst_graph_is_zero(d->graph, phi0[first + k]);
  free(zero);
}

static void derive_constraints(const derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n, ng = s->ng;
  cst_node   *gv = memory((size_t)ng), *Gl = memory((size_t)n);
  cst_node   *g = kernel(s, CST_K_g, ng), *D2glw = kernel(s, CST_K_D2glw, n);
  for (int a = 0; a < ng; a++) g[a] = s->g[a];
  derive_rows(d);
  rows_along(d, d->v, gv);
  cst_graph_tangent(d->graph, gv, ng, d->q, d->v, n, kernel(s, CST_K_D2gvv, ng));
  cst_graph_tangent(d->graph, gv, ng, d->q, d->w, n, kernel(s, CST_K_D2gvw, ng));
  derive_offsets(d);
  rows_times(d, d->l, Gl);
  cst_graph_tangent(d->graph, Gl, n, d->q, d->w, n, D2glw);
  cst_graph_tangent(d->graph, D2glw, n, d->q, d->u, n, kernel(s, CST_K_D3glwu, n));
  free(gv);
  free(Gl);
}

/* Forces and a time make a system general, and leave its mass as it is. */
static bool has_diagonal_mass(const cst_system *s) {
  if (s->matrix || s->gyroscopic) return false;
  for (int i = 0; s->general && i < s->nq; i++)
    if (cst_graph_depends(s->graph, s->mass[i], 'q')) return false;
  return true;
}

/* Coordinates whose masses are one node share a class; classes are numbered as they appear. */
static void derive_diagonal(const derivation *d) {
  cst_system *s = d->s;
  cst_node   *distinct = memory((size_t)d->n);
  double      value;
  s->mass_unit = true;
  for (int i = 0; i < s->nq; i++) {
    int k = 0;
    while (k < s->nmass && distinct[k] != s->mass[i]) k++;
    if (k == s->nmass) distinct[s->nmass++] = s->mass[i];
    s->mass_class[i] = k;
    s->mass_unit &= cst_graph_is_constant(s->graph, s->mass[i], &value) && value == 1;
  }
  cst_node *out = kernel(s, CST_K_mass, s->nmass);
  for (int k = 0; k < s->nmass; k++) out[k] = distinct[k];
  free(distinct);
}

/* M(q) v, and M as a kernel. */
static void derive_mass(const derivation *d, cst_node *Mv) {
  cst_system *s = d->s;
  entries     e = {0};
  for (int i = 0; i < d->n; i++) {
    Mv[i] = cst_graph_constant(d->graph, 0);
    for (int j = 0; j < d->n; j++) {
      cst_node m = s->matrix ? s->mass[(i < j ? i : j) * d->n + (i < j ? j : i)] : i == j ? s->mass[i] : -1;
      if (m < 0 || cst_graph_is_zero(d->graph, m)) continue;
      add(&e, i, j, m);
      Mv[i] = cst_graph_add(d->graph, Mv[i], cst_graph_mul(d->graph, m, d->v[j]));
    }
  }
  matrix(s, CST_K_M, d->n, d->n, &e);
}

/* L = v.(1/2 M v + a) - V and its derivatives. */
static void derive_lagrangian(const derivation *d) {
  cst_system *s = d->s;
  cst_graph  *g = d->graph;
  const int   n = d->n;
  cst_node   *Mv = memory((size_t)n), *along = memory((size_t)n), L = cst_graph_neg(g, s->V),
           half = cst_graph_constant(g, 0.5);
  cst_node *a = kernel(s, CST_K_a, n), *Lv = kernel(s, CST_K_Lv, n), *Lq = kernel(s, CST_K_Lq, n),
           *f = kernel(s, CST_K_f, n);
  derive_mass(d, Mv);
  for (int i = 0; i < n; i++) {
    a[i] = s->gyroscopic ? s->a[i] : cst_graph_constant(g, 0);
    Lv[i] = cst_graph_add(g, Mv[i], a[i]);
    L = cst_graph_add(g, L, cst_graph_mul(g, d->v[i], cst_graph_add(g, cst_graph_mul(g, half, Mv[i]), a[i])));
  }
  cst_graph_gradient(g, &L, &d->one, 1, d->q, n, Lq);
  jacobian(d, CST_K_Lvq, Lv, n, false);
  jacobian(d, CST_K_Lqq, Lq, n, true);
  cst_graph_tangent(g, Lv, n, d->q, d->v, n, along);
  for (int i = 0; i < n; i++) f[i] = cst_graph_sub(g, Lq[i], along[i]);
  for (int k = 0; k < s->nforce * n; k++) f[k % n] = cst_graph_add(g, f[k % n], s->force[k]);
  cst_graph_tangent(g, Mv, n, d->q, d->w, n, kernel(s, CST_K_DMvw, n));
  free(Mv);
  free(along);
}

/* The residuals (E1, E2)[nq + ng] of the equations of motion for accelerations A[nq] and multipliers l[ng].
 * Owned. */
static cst_node *residuals(const derivation *d, const cst_node *A, const cst_node *l) {
  cst_system *s = d->s;
  cst_graph  *g = d->graph;
  const int   n = d->n, ng = s->ng;
  cst_node   *E = memory((size_t)(n + ng)), *Gl = memory((size_t)n), *GA = memory((size_t)ng);
  rows_times(d, l, Gl);
  rows_along(d, A, GA);
  for (int i = 0; i < n; i++) {
    cst_node f = s->general ? s->kernel_out[CST_K_f][i] : cst_graph_neg(g, s->kernel_out[CST_K_dV][i]);
    E[i] = cst_graph_sub(g, f, Gl[i]);
  }
  const cst_pattern *M = &s->pattern[CST_K_M];
  for (int i = 0; s->general && i < n; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++)
      E[i] = cst_graph_sub(g, E[i], cst_graph_mul(g, s->kernel_out[CST_K_M][e], A[M->column[e]]));
  for (int a = 0; a < ng; a++)
    E[n + a] = cst_graph_neg(g, cst_graph_add(g, s->kernel_out[CST_K_D2gvv][a], GA[a]));
  free(Gl);
  free(GA);
  return E;
}

/* Entry i of (Lq, Lv). */
static cst_node slope_of_lagrangian(const derivation *d, int i) {
  const cst_system *s = d->s;
  const int         k = i % d->n;
  if (s->general) return s->kernel_out[i < d->n ? CST_K_Lq : CST_K_Lv][k];
  return i < d->n ? cst_graph_neg(d->graph, s->kernel_out[CST_K_dV][k])
                  : cst_graph_mul(d->graph, s->mass[k], d->v[k]);
}

/* out[n] += s (F - phi'l): what works on a variation of q, beside L. */
static void add_work(const derivation *d, cst_node s, const cst_node *l, cst_node *out) {
  const cst_system *x = d->s;
  cst_node         *pull = memory((size_t)d->n);
  for (int i = 0; i < d->n; i++) pull[i] = cst_graph_constant(d->graph, 0);
  add_rows(d, l, pull);
  for (int i = 0; i < d->n; i++) {
    cst_node f = cst_graph_neg(d->graph, pull[i]);
    for (int k = 0; k < x->nforce; k++) f = cst_graph_add(d->graph, f, x->force[k * d->n + i]);
    out[i] = cst_graph_add(d->graph, out[i], cst_graph_mul(d->graph, s, f));
  }
  free(pull);
}

/* RE, with w = (y, A) and l = (lambda, z, s). */
static void derive_reverse(const derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n, ng = s->ng;
  cst_node   *E = residuals(d, d->w + n, d->l), *yz = memory((size_t)(n + ng)),
           *RE = kernel(s, CST_K_RE, 2 * n);
  for (int i = 0; i < n; i++) yz[i] = d->w[i];
  for (int a = 0; a < ng; a++) yz[n + a] = d->l[ng + a];
  cst_graph_gradient(d->graph, E, yz, n + ng, d->q, 2 * n, RE);
  for (int i = 0; i < 2 * n; i++)
    RE[i] = cst_graph_add(d->graph, RE[i], cst_graph_mul(d->graph, d->l[2 * ng], slope_of_lagrangian(d, i)));
  if (s->nvel || s->nforce) add_work(d, d->l[2 * ng], d->l, RE);
  free(E);
  free(yz);
}

/* Its change: q, v, w along u, and the first 2 ng of l along those behind s. */
static void derive_second(const derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n, ng = s->ng, all = 4 * n + 2 * ng;
  cst_node   *x = memory((size_t)all), *dx = memory((size_t)all);
  for (int i = 0; i < 2 * n; i++) x[i] = d->q[i], x[2 * n + i] = d->w[i];
  for (int i = 0; i < 4 * n; i++) dx[i] = d->u[i];
  for (int a = 0; a < 2 * ng; a++) x[4 * n + a] = d->l[a], dx[4 * n + a] = d->l[2 * ng + 1 + a];
  cst_graph_tangent(d->graph, s->kernel_out[CST_K_RE], 2 * n, x, dx, all, kernel(s, CST_K_DRE, 2 * n));
  free(x);
  free(dx);
}

/* What differentiates accelerations: forward, in reverse, and forward over reverse. */
static void derive_residuals(const derivation *d) {
  const int n = d->n + d->s->ng;
  cst_node *E = residuals(d, d->w, d->l);
  cst_graph_tangent(d->graph, E, n, d->q, d->u, 2 * d->n, kernel(d->s, CST_K_DE, n));
  free(E);
  derive_reverse(d);
  derive_second(d);
}

/* The distinct numbers of all bodies (cst_body.at). */
static void derive_bodies(const derivation *d) {
  cst_system *s = d->s;
  cst_node   *out = kernel(s, CST_K_body, s->nbody);
  for (int k = 0; k < s->nbodies; k++)
    for (int e = 0; e < 7; e++)
      if (s->bodies[k].at[e] >= 0)
        out[s->bodies[k].at[e]] = e < 6 ? s->bodies[k].inertia[e] : s->bodies[k].mass;
}

/* The sum of the forces and its derivatives. */
static void derive_forces(const derivation *d) {
  cst_system *s = d->s;
  const int   n = d->n;
  entries     e = {0};
  if (!s->nforce) return;
  cst_node *F = kernel(s, CST_K_F, n), *row = memory((size_t)n);
  for (int k = 0; k < s->nforce * n; k++)
    F[k % n] = k < n ? s->force[k] : cst_graph_add(d->graph, F[k % n], s->force[k]);
  jacobian(d, CST_K_Fq, F, n, false);
  for (int r = 0; r < n; r++) {
    cst_graph_gradient(d->graph, &F[r], &d->one, 1, d->v, n, row);
    for (int i = 0; i < n; i++)
      if (!cst_graph_is_zero(d->graph, row[i])) add(&e, r, i, row[i]);
  }
  matrix(s, CST_K_Fv, n, n, &e);
  free(row);
}

/* What the accounts gather: F.v of every force, and behind them dV/dt where there is an account for it. */
static void derive_accounts(const derivation *d) {
  cst_system *s = d->s;
  if (!s->naccount) return;
  cst_node  *out = kernel(s, CST_K_power, s->naccount);
  const bool pumped = s->naccount > s->nforce;
  for (int k = 0; k < s->nforce; k++) {
    out[k] = cst_graph_constant(d->graph, 0);
    for (int i = 0; i < d->n; i++)
      out[k] = cst_graph_add(d->graph, out[k], cst_graph_mul(d->graph, d->v[i], s->force[k * d->n + i]));
  }
  const cst_node time = cst_graph_input(d->graph, 'c', s->account - 1);
  if (pumped) cst_graph_gradient(d->graph, &s->V, &d->one, 1, &time, 1, &out[s->nforce]);
}

static void derive_symmetries(const derivation *d) {
  cst_system *s = d->s;
  entries     e = {0};
  cst_node   *gauge = kernel(s, CST_K_gauge, s->nsym);
  for (int k = 0; k < s->nsym; k++) {
    gauge[k] = s->gauge[k];
    for (int i = 0; i < d->n; i++)
      if (!cst_graph_is_zero(d->graph, s->xi[k * d->n + i])) add(&e, k, i, s->xi[k * d->n + i]);
  }
  matrix(s, CST_K_xi, s->nsym, d->n, &e);
}

static bool complete(const cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    for (int i = 0; i < s->kernel_size[k]; i++)
      if (s->kernel_out[k][i] < 0) return false;
  return true;
}

/* Kernels that this system does not have. */
static void fill_up(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    if (!s->kernel_out[k]) kernel(s, (cst_kernel_id)k, 0);
}

/* The kernels of general systems have V in many places. */
static void write_out(cst_system *s) {
  s->V = cst_pairs_written_out(s);
  cst_pairs_destroy(s);
}

bool cst_system_derive(cst_system *s) {
  if (s->general && s->npairs) write_out(s);
  derivation d = begin(s);
  s->mass_class = cst_need(calloc((size_t)s->nq + 1, sizeof(int)));
  derive_potential(&d);
  derive_constraints(&d);
  s->diagonal = has_diagonal_mass(s);
  if (s->general) derive_lagrangian(&d);
  if (s->diagonal) derive_diagonal(&d);
  derive_linear(&d);
  derive_linear_stiff(&d);
  if (s->bent && has_residuals(s)) derive_residuals(&d);
  derive_bodies(&d);
  derive_forces(&d);
  derive_accounts(&d);
  derive_symmetries(&d);
  fill_up(s);
  end(&d);
  return complete(s) && cst_system_structure(s);
}

/* The outputs of kernel k are those of the whole V from now on, and what is evaluated is kept beside. */
static void put_beside(cst_system *s, cst_kernel_id k) {
  s->beside[k] = s->kernel_out[k];
  s->kernel_out[k] = NULL;
}

static void put_back(cst_system *s, cst_kernel_id k) {
  free(s->kernel_out[k]);
  s->kernel_out[k] = s->beside[k], s->beside[k] = NULL;
}

/* Kernels that were left out. */
static void drop(cst_system *s, cst_kernel_id k) {
  cst_system_owned *o = s->owned;
  free(s->kernel_out[k]);
  s->kernel_out[k] = NULL;
  cst_structure_pattern_destroy(&s->pattern[k]);
  cst_tape_destroy(o->tape[k]);
  o->tape[k] = NULL;
}

bool cst_system_is_bent_kernel(cst_kernel_id k) {
  return k == CST_K_d2V || k == CST_K_dVH || k == CST_K_D3V || k == CST_K_DE || k == CST_K_RE ||
         k == CST_K_DRE;
}

static void drop_bent(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    if (cst_system_is_bent_kernel((cst_kernel_id)k)) drop(s, (cst_kernel_id)k);
}

bool cst_system_derive_bent(cst_system *s) {
  cst_node   rest = s->V;
  derivation d = begin(s);
  if ((s->whole = cst_pairs_written_out(s)) < 0) return end(&d), false;
  drop_bent(s);
  put_beside(s, CST_K_V), put_beside(s, CST_K_dV);
  const int pairs = s->npairs;
  s->npairs = 0, s->V = s->whole; /* meanwhile */
  derive_potential(&d);
  derive_linear(&d);
  if (has_residuals(s)) derive_residuals(&d);
  s->npairs = pairs, s->V = rest;
  fill_up(s);
  end(&d);
  if (complete(s)) return true;
  drop_bent(s);
  put_back(s, CST_K_V), put_back(s, CST_K_dV);
  fill_up(s);
  return s->bent = false;
}
