/* derive.c: derives the kernels of a system as nodes of its graph, and the sparsity of its matrices.
 *
 * Derivatives are contractions: D2g[v, v] is two forward sweeps, D2(l.g) w a reverse sweep with seed l and a
 * forward one along w. A row of a matrix is a reverse sweep over the operations of one function, for the
 * inputs on which it depends; the cost is proportional to the number of nonzero entries, so a long chain
 * costs as much per link as a short one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/derive.h"
#include <string.h>
#include "core/boundary.h"
#include "expr/budget.h"

/* ---- outputs and matrices -------------------------------------------------------------------- */

/* Matrices are kept by their nonzero entries. */

cst_node *cst_derive_memory(long n) { return cst_zeros(n, sizeof(cst_node)); }

cst_node *cst_derive_kernel(cst_system *s, cst_kernel_id k, int size) {
  s->model->kernel_size[k] = size;
  return s->model->kernel_out[k] = cst_derive_memory(size);
}

/* Whether the matrix, or what a system may take, is exceeded: the last entry is -1. */
static bool ended(const cst_derived_entries *e) { return e->n > 0 && e->at[e->n - 1].node < 0; }

void cst_derive_add(cst_derived_entries *e, int row, int column, cst_node node) {
  if (ended(e))
    return;
  if (e->n >= cst_system_most_entries(e->s))
    node = -1;
  if (e->n == e->capacity) {
    if (e->capacity)
      e->capacity = 2 * e->capacity;
    else
      e->capacity = 64;
    e->at = cst_need(realloc(e->at, sizeof *e->at * (size_t)e->capacity));
  }
  e->at[e->n++] = (cst_derived_entry){row, column, node};
}

void cst_derive_add_row(const cst_derivation *d, cst_derived_entries *e, int at,
                        const cst_node *row) {
  for (int i = 0; i < d->n; i++)
    if (!cst_graph_is_zero(d->graph, row[i]))
      cst_derive_add(e, at, i, row[i]);
}

static int by_place(const void *x, const void *y) {
  const cst_derived_entry *a = x;
  const cst_derived_entry *b = y;
  if (a->row != b->row)
    return a->row > b->row ? 1 : -1;
  return (a->column > b->column) - (a->column < b->column);
}

void cst_derive_matrix(cst_system *s, cst_kernel_id k, int rows, int columns,
                       cst_derived_entries *e) {
  cst_node *out = cst_derive_kernel(s, k, e->n);
  int      *row = cst_zeros(e->n, sizeof *row);
  int      *column = cst_zeros(e->n, sizeof *column);
  if (e->n)
    qsort(e->at, (size_t)e->n, sizeof *e->at, by_place);
  for (int i = 0; i < e->n; i++) {
    row[i] = e->at[i].row;
    column[i] = e->at[i].column;
    out[i] = e->at[i].node;
  }
  cst_pattern *p = &s->model->pattern[k];
  *p = cst_structure_pattern_create(rows, columns, e->n, row, column);
  free(row);
  free(column);
  free(e->at);
}

void cst_derive_add_gradient(const cst_derivation *d, cst_node of, int row, bool symmetric,
                             cst_derived_entries *e) {
  cst_graph *g = d->graph;
  int       *index;
  if (cst_graph_spent(g))
    cst_derive_add(e, row, 0, -1);
  if (ended(e))
    return;
  int       n = cst_graph_support(g, of, 'q', &index);
  int       kept = 0;
  cst_node *x = cst_derive_memory(n);
  cst_node *grad = cst_derive_memory(n);
  for (int k = 0; k < n; k++)
    if (!symmetric || index[k] >= row) {
      x[kept] = d->q[index[k]];
      index[kept++] = index[k];
    }
  cst_graph_gradient(g, &of, &d->one, 1, x, kept, grad);
  for (int k = 0; k < kept; k++) {
    if (cst_graph_is_zero(g, grad[k]))
      continue;
    cst_derive_add(e, row, index[k], grad[k]);
    if (symmetric && index[k] > row)
      cst_derive_add(e, index[k], row, grad[k]); /* exactly symmetric */
  }
  free(index);
  free(x);
  free(grad);
}

void cst_derive_jacobian(const cst_derivation *d, cst_kernel_id k, const cst_node *of, int rows,
                         bool symmetric) {
  cst_derived_entries e = {.s = d->s};
  for (int i = 0; i < rows && !ended(&e); i++)
    cst_derive_add_gradient(d, of[i], i, symmetric, &e);
  if (ended(&e)) { /* incomplete */
    e.n = 1;
    e.at[0].node = -1;
  }
  cst_derive_matrix(d->s, k, rows, d->n, &e);
}

/* ---- quotients and roots --------------------------------------------------------------------- */

/* A division takes as long as three to eight products, a root twice that. Functions are rewritten before they
 * are differentiated, so that derivatives of 1/b are made of products with 1/b, and those of 1/sqrt(x) of its
 * powers. Numbers that depend on parameters alone are left as they are.
 */

static bool moves(const cst_graph *g, cst_node n) {
  return n >= 0 && (cst_graph_depends(g, n, 'q') || cst_graph_depends(g, n, 'v'));
}

typedef struct {
  cst_node **at; /* where the functions are kept */
  cst_node  *f;
  int        n;
} functions;

static void add(const cst_system *s, functions *all, cst_node *f, int n) {
  for (int i = 0; f && i < n; i++)
    if (moves(s->model->graph, f[i])) {
      all->at[all->n] = &f[i];
      all->f[all->n++] = f[i];
    }
}

/* Before derivation: the functions that a system is made of, all together, take one
 * reciprocal for each divisor and no root where its inverse is there. */
static void share_divisors(cst_system *s) {
  const int nq = s->nq;
  const int masses = (int)cst_system_masses(s);
  const int most =
      2 + s->ng + masses + nq + s->model->nvel + s->model->nforce * nq + s->nsym * (nq + 1);
  functions all = {cst_zeros(most, sizeof *all.at), cst_derive_memory(most), 0};
  add(s, &all, &s->model->V, 1);
  add(s, &all, &s->model->stiff, s->description->stiff_text ? 1 : 0);
  add(s, &all, s->model->g, s->ng);
  add(s, &all, s->model->mass, masses);
  add(s, &all, s->model->a, cst_has(s, CST_GYROSCOPIC) ? nq : 0);
  add(s, &all, s->model->phi, s->model->nvel);
  add(s, &all, s->model->force, s->model->nforce * nq);
  add(s, &all, s->model->xi, s->nsym * nq);
  add(s, &all, s->model->gauge, s->nsym);
  cst_graph_share_divisors(s->model->graph, all.f, all.n, all.f);
  for (int i = 0; i < all.n; i++)
    *all.at[i] = all.f[i];
  free(all.at);
  free(all.f);
}

/* After it: the kernels from `first` on, each by itself. */
static void share_roots(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++) {
    cst_node *out = s->model->kernel_out[k];
    const int n = s->model->kernel_size[k];
    if (out && cst_graph_share_divisors(s->model->graph, out, n, out))
      cst_graph_gather_scales(s->model->graph, out, n, out);
  }
}

/* ---- all kernels ----------------------------------------------------------------------------- */

const char *const cst_system_kernel_names[CST_K_COUNT] = {
#define X(name) #name,
    CST_KERNELS(X)
#undef X
};

/* Whether the residuals are differentiated, which triples the graph. */
static bool has_residuals(const cst_system *s) {
  return s->nq <= CST_MOST_CONVERTED && s->ng <= CST_MOST_CONVERTED;
}

int cst_system_entries(const cst_system *s, char letter) {
  CST_REQUIRE(s, 0);
  const int  nq = s->nq;
  const bool more = has_residuals(s);
  const int  l = more ? 4 * s->ng + 1 : s->ng;
  switch (letter) {
  case 'c':
    return s->npar;
  case 'w':
    return more ? 2 * nq : nq;
  case 'u':
    return more ? 4 * nq : nq;
  case 'l':
    return l > s->model->nshared ? l : s->model->nshared;
  default:
    return nq;
  }
}

static cst_node *inputs(const cst_system *s, char letter, cst_node *x) {
  const int n = cst_system_entries(s, letter);
  for (int i = 0; i < n; i++)
    x[i] = cst_graph_input(s->model->graph, letter, i);
  return x;
}

static cst_node *some_inputs(const cst_system *s, char letter) {
  cst_node *x = cst_derive_memory(cst_system_entries(s, letter));
  return inputs(s, letter, x);
}

static cst_derivation begin(cst_system *s) {
  cst_derivation d = {
      .s = s,
      .graph = s->model->graph,
      .n = s->nq,
      .one = cst_graph_constant(s->model->graph, 1),
  };
  d.q = inputs(s, 'q', cst_derive_memory(2 * s->nq));
  d.v = inputs(s, 'v', d.q + s->nq);
  d.w = some_inputs(s, 'w');
  d.u = some_inputs(s, 'u');
  d.l = some_inputs(s, 'l');
  return d;
}

static void end(cst_derivation *d) {
  free(d->q);
  free(d->w);
  free(d->u);
  free(d->l);
}

static bool has_diagonal_mass(const cst_system *s) {
  if (s->model->traits & (CST_MASS_MATRIX | CST_GYROSCOPIC | CST_MASSLESS))
    return false;
  for (int i = 0; i < s->nq; i++)
    if (cst_graph_depends(s->model->graph, s->model->mass[i], 'q'))
      return false;
  return true;
}

/* Those that follow from what was read; the springs of a penalised system leave names of driven constraints. */
static void find_traits(cst_system *s) {
  cst_system_mark(s, CST_STIFF, s->description->stiff_text);
  cst_system_mark(s, CST_PAIRS, s->model->npairs);
  cst_system_mark(s, CST_BODIES, s->model->nbodies);
  cst_system_mark(s, CST_FORCED, s->model->nforce);
  cst_system_mark(s, CST_DRIVEN, s->model->ndriven && s->ng);
  cst_system_mark(s, CST_TIMED, s->model->naccount);
  cst_system_mark(s, CST_NONHOLONOMIC, s->model->nvel);
  cst_system_mark(s, CST_CONSTRAINED, s->ng);
  cst_system_mark(s, CST_JOINED, s->model->nown || s->model->nvel);
  cst_system_mark(s, CST_AFFINE, false);
  cst_system_mark(s, CST_MASS_DIAGONAL, has_diagonal_mass(s));
  cst_system_mark(s, CST_SEPARABLE, cst_has(s, CST_MASS_DIAGONAL) && !s->model->naccount);
}

/* The distinct numbers of all bodies (cst_body.at). */
static void derive_bodies(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_node   *out = cst_derive_kernel(s, CST_K_body, s->model->nbody);
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    for (int e = 0; e < 6; e++)
      if (b->at[e] >= 0)
        out[b->at[e]] = b->inertia[e];
    if (b->at[6] >= 0)
      out[b->at[6]] = b->mass;
  }
}

/* The sum of the forces and its derivatives. */
static void derive_forces(const cst_derivation *d) {
  cst_graph          *g = d->graph;
  cst_system         *s = d->s;
  const int           n = d->n;
  cst_derived_entries e = {.s = d->s};
  if (!s->model->nforce)
    return;
  cst_node *F = cst_derive_kernel(s, CST_K_F, n);
  cst_node *row = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    F[i] = s->model->force[i];
  for (int k = 1; k < s->model->nforce; k++)
    for (int i = 0; i < n; i++)
      F[i] = cst_graph_add(g, F[i], s->model->force[k * n + i]);
  cst_derive_jacobian(d, CST_K_Fq, F, n, false);
  for (int r = 0; r < n; r++) {
    cst_graph_gradient(g, &F[r], &d->one, 1, d->v, n, row);
    cst_derive_add_row(d, &e, r, row);
  }
  cst_derive_matrix(s, CST_K_Fv, n, n, &e);
  free(row);
}

/* The derivative of the sum of the forces by the multipliers. */
static void derive_slips(const cst_derivation *d) {
  cst_system         *s = d->s;
  cst_derived_entries e = {.s = d->s};
  if (!cst_has(s, CST_SLIPS))
    return;
  cst_node *row = cst_derive_memory(s->ng);
  for (int r = 0; r < d->n; r++) {
    cst_graph_gradient(d->graph, &s->model->kernel_out[CST_K_F][r], &d->one, 1, d->l, s->ng, row);
    for (int a = 0; a < s->ng; a++)
      if (row[a] < 0 || !cst_graph_is_zero(d->graph, row[a]))
        cst_derive_add(&e, r, a, row[a]);
  }
  cst_derive_matrix(s, CST_K_Fl, d->n, s->ng, &e);
  free(row);
}

/* out := lambda.g_t of the constraints of one name. */
static cst_node work_of(const cst_derivation *d, const cst_name *a) {
  cst_graph      *g = d->graph;
  const cst_node *slope = d->s->model->kernel_out[CST_K_phi0];
  cst_node        sum = cst_graph_constant(g, 0);
  for (int k = a->at; k < a->at + a->count; k++)
    sum = cst_graph_add_product(g, sum, d->l[k], slope[k]);
  return sum;
}

/* Rates of the energy accounts: F.v of every force, dV/dt if V depends on t, lambda.g_t of constraints that
 * do. */
static void derive_accounts(const cst_derivation *d) {
  cst_graph  *g = d->graph;
  cst_system *s = d->s;
  if (!s->model->naccount)
    return;
  cst_node *out = cst_derive_kernel(s, CST_K_power, s->model->naccount);
  for (int k = 0; k < s->model->nforce; k++) {
    const cst_node *force = s->model->force + k * d->n;
    out[k] = cst_graph_constant(g, 0);
    for (int i = 0; i < d->n; i++)
      out[k] = cst_graph_add_product(g, out[k], d->v[i], force[i]);
  }
  const cst_node time = cst_graph_input(g, 'c', s->model->account - 1);
  for (int k = s->model->nforce; s->model->rate && k < s->model->naccount; k++)
    out[k] = s->model->rate[k - s->model->nforce];
  if (s->model->rate)
    return;
  const bool pumped = cst_has(s, CST_PUMPED);
  if (pumped)
    cst_graph_gradient(g, &s->model->V, &d->one, 1, &time, 1, &out[s->model->nforce]);
  for (int k = 0; k < s->model->ndriven; k++)
    out[s->model->nforce + pumped + k] =
        work_of(d, &s->description->family[s->model->driven_name[k]]);
}

static void derive_symmetries(const cst_derivation *d) {
  const int           n = d->n;
  cst_system         *s = d->s;
  cst_derived_entries e = {.s = d->s};
  cst_node           *gauge = cst_derive_kernel(s, CST_K_gauge, s->nsym);
  for (int k = 0; k < s->nsym; k++) {
    gauge[k] = s->model->gauge[k];
    cst_derive_add_row(d, &e, k, s->model->xi + k * n);
  }
  cst_derive_matrix(s, CST_K_xi, s->nsym, n, &e);
}

static bool complete(const cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    for (int i = 0; i < s->model->kernel_size[k]; i++)
      if (s->model->kernel_out[k][i] < 0)
        return false;
  return true;
}

/* Empty kernels for those that this system does not have. */
static void fill_up(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    if (!s->model->kernel_out[k])
      cst_derive_kernel(s, (cst_kernel_id)k, 0);
}

/* Expands the pairs: the kernels of general systems use V in many places. */
static void write_out(cst_system *s) {
  s->model->V = cst_pairs_written_out(s);
  cst_pairs_destroy(s);
  cst_system_mark(s, CST_PAIRS, false);
}

bool cst_system_derive(cst_system *s) {
  find_traits(s);
  if (!cst_has(s, CST_SEPARABLE) && s->model->npairs)
    write_out(s);
  share_divisors(s);
  cst_derivation d = begin(s);
  s->model->mass_class = cst_zeros(s->nq, sizeof(int));
  cst_derive_potential(&d);
  cst_derive_constraints(&d);
  if (!cst_has(s, CST_SEPARABLE))
    cst_derive_lagrangian(&d);
  if (cst_has(s, CST_MASS_DIAGONAL))
    cst_derive_diagonal(&d);
  cst_derive_linear(&d);
  cst_derive_linear_stiff(&d);
  if (s->model->bent && has_residuals(s))
    cst_derive_residuals(&d);
  derive_bodies(&d);
  derive_forces(&d);
  derive_slips(&d);
  derive_accounts(&d);
  derive_symmetries(&d);
  share_roots(s);
  fill_up(s);
  end(&d);
  return complete(s) && cst_system_structure(s);
}

/* Saves the outputs of kernel k, which are then those of the whole V; `beside` keeps those that are
 * evaluated. */
static void put_beside(cst_system *s, cst_kernel_id k) {
  s->model->beside[k] = s->model->kernel_out[k];
  s->model->kernel_out[k] = NULL;
}

static void put_back(cst_system *s, cst_kernel_id k) {
  free(s->model->kernel_out[k]);
  s->model->kernel_out[k] = s->model->beside[k];
  s->model->beside[k] = NULL;
}

/* Removes a kernel and its tape. */
static void drop(cst_system *s, cst_kernel_id k) {
  cst_system_owned *o = s->owned;
  free(s->model->kernel_out[k]);
  s->model->kernel_out[k] = NULL;
  cst_structure_pattern_destroy(&s->model->pattern[k]);
  cst_tape_destroy(o->tape[k]);
  o->tape[k] = NULL;
}

bool cst_system_is_bent_kernel(cst_kernel_id k) {
  return k == CST_K_d2V || k == CST_K_dVH || k == CST_K_D3V || k == CST_K_DE || k == CST_K_RE ||
         k == CST_K_DRE;
}

static void drop_bent(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    if (cst_system_is_bent_kernel((cst_kernel_id)k))
      drop(s, (cst_kernel_id)k);
}

bool cst_system_derive_bent(cst_system *s) {
  cst_node       rest = s->model->V;
  cst_derivation d = begin(s);
  if ((s->model->whole = cst_pairs_written_out(s)) < 0) {
    end(&d);
    return false;
  }
  drop_bent(s);
  put_beside(s, CST_K_V);
  put_beside(s, CST_K_dV);
  const int pairs = s->model->npairs;
  s->model->npairs = 0;
  s->model->V = s->model->whole; /* temporarily */
  cst_derive_potential(&d);
  cst_derive_linear(&d);
  if (has_residuals(s))
    cst_derive_residuals(&d);
  s->model->npairs = pairs;
  s->model->V = rest;
  fill_up(s);
  end(&d);
  if (complete(s))
    return true;
  drop_bent(s);
  put_back(s, CST_K_V);
  put_back(s, CST_K_dV);
  fill_up(s);
  return s->model->bent = false;
}
