/* pairs.c: sums over pairs in V: as parts of it, their slopes and programs, and written out for second
 * derivatives. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "expr/budget.h"
#include "system/internal.h"

/* Of V written out, and derived once more: how many operations a pair may make of each of its own, as seen on
 * water and argon. */
static const double GROWTH = 40;

bool cst_pairs_are_in(const cst_system *s, cst_kernel_id k) {
  if (!s->model->npairs)
    return false;
  const bool of_potential = k == CST_K_V || k == CST_K_dV || k == CST_K_dVS;
  return of_potential && s->model->kernel_size[k];
}

const int *cst_pairs_place(const cst_system *s, cst_kernel_id k) {
  if (s->model->npairs && k == CST_K_dVS)
    return s->model->bands[1].place;
  return NULL;
}

const cst_pair_tapes *cst_pairs_tapes(const cst_system *s, int i) {
  cst_graph      *g = s->model->graph;
  cst_pairs      *p = &s->model->pairs[i];
  cst_pair_tapes *t = &p->tapes;
  if (!t->sum) {
    cst_tape *slope = cst_tape_create(g, p->slope, p->sum.nx + p->sum.ny);
    cst_tape *value = cst_tape_create(g, &p->sum.term, 1);
    *t = (cst_pair_tapes){&p->sum, value, slope, 'q'};
  }
  return t;
}

/* The inputs x, then y. */
static void inputs_of(cst_graph *g, const cst_pair_sum *p, cst_node *in) {
  for (int a = 0; a < p->nx; a++)
    in[a] = cst_graph_input(g, 'x', a);
  for (int b = 0; b < p->ny; b++)
    in[p->nx + b] = cst_graph_input(g, 'y', b);
}

/* The factor of sum k becomes part of its term. A division for each divisor is enough. */
static void fill(cst_graph *g, cst_pairs *p, const cst_pair_sum *sum, cst_node factor) {
  cst_node       in[2 * CST_PAIR_ARRAYS];
  cst_node       all[2 * CST_PAIR_ARRAYS + 1];
  const cst_node one = cst_graph_constant(g, 1);
  const int      n = sum->nx + sum->ny;
  *p = (cst_pairs){.sum = *sum};
  inputs_of(g, sum, in);
  all[0] = cst_graph_mul(g, factor, sum->term);
  cst_graph_share_divisors(g, all, 1, all);
  cst_graph_gradient(g, all, &one, 1, in, n, all + 1);
  cst_graph_share_divisors(g, all + 1, n, all + 1);
  cst_graph_gather_scales(g, all + 1, n, all + 1);
  p->sum.term = all[0];
  memcpy(p->slope, all + 1, (size_t)n * sizeof *all);
}

static int *copy(const int *x, int n) {
  int *own = cst_zeros(n, sizeof *own);
  return memcpy(own, x, sizeof *x * (size_t)n);
}

/* True if V is linear in the sums, with factors that depend on neither the coordinates nor the sums. */
static bool are_summands(const cst_graph *g, const cst_node *factor, int n) {
  for (int k = 0; k < n; k++) {
    if (factor[k] < 0)
      return false;
    if (cst_graph_depends(g, factor[k], 'q'))
      return false;
    if (cst_graph_depends(g, factor[k], 'P'))
      return false;
  }
  return true;
}

cst_node cst_pairs_take(cst_system *s, cst_pair_sums *sums, cst_node V) {
  cst_graph     *g = s->model->graph;
  const int      n = sums->n;
  cst_node      *P = cst_zeros(3 * n, sizeof *P);
  cst_node      *zero = P + n;
  cst_node      *factor = zero + n;
  const cst_node one = cst_graph_constant(g, 1);
  for (int k = 0; k < n; k++) {
    P[k] = cst_graph_input(g, 'P', k);
    zero[k] = cst_graph_constant(g, 0);
  }
  cst_graph_gradient(g, &V, &one, 1, P, n, factor);
  const bool good = are_summands(g, factor, n);
  cst_graph_substitute(g, &V, 1, P, zero, n, &V);
  if (good) {
    s->model->pairs = cst_zeros(n, sizeof *s->model->pairs);
    s->model->npairs = n;
    for (int k = 0; k < n; k++) {
      cst_pair_sum       *to = &s->model->pairs[k].sum;
      const cst_pair_sum *from = &sums->sum[k];
      fill(g, &s->model->pairs[k], &sums->sum[k], factor[k]);
      to->from = copy(from->from, from->rows);
      to->to = copy(from->to, from->rows);
    }
  }
  free(P);
  return good ? V : -1;
}

void cst_pairs_copy(cst_system *to, const cst_system *from) {
  to->model->npairs = from->model->npairs;
  to->model->pairs = cst_zeros(from->model->npairs, sizeof *to->model->pairs);
  for (int k = 0; k < from->model->npairs; k++) {
    cst_pairs *p = &to->model->pairs[k];
    *p = from->model->pairs[k];
    p->tapes = (cst_pair_tapes){NULL};
    p->sum.from = copy(p->sum.from, p->sum.rows);
    p->sum.to = copy(p->sum.to, p->sum.rows);
  }
}

void cst_pairs_destroy(cst_system *s) {
  for (int k = 0; k < s->model->npairs; k++) {
    cst_pairs *p = &s->model->pairs[k];
    free(p->sum.from);
    free(p->sum.to);
    cst_tape_destroy((cst_tape *)p->tapes.value);
    cst_tape_destroy((cst_tape *)p->tapes.slope);
  }
  free(s->model->pairs);
  s->model->pairs = NULL;
  s->model->npairs = 0;
}

/* Of j, in eights; what is read at i alone stands behind. */
int cst_pairs_places(const cst_system *s, int k, int *of, int *y) {
  const cst_pair_sum *p = &s->model->pairs[k].sum;
  int                 n = 0;
  for (int i = 0; i < s->nq; i++)
    of[i] = -1;
  for (int b = 0; b < p->ny; b++) {
    y[b] = n;
    for (int j = p->least; j <= p->most; j++) {
      const int q = p->y[b] + j * p->ystep[b];
      of[q] = n + j - p->least;
    }
    const int lanes = p->most - p->least + 8;
    n += lanes / 8 * 8;
  }
  for (int a = 0; a < p->nx; a++)
    for (int i = 0; i < p->rows; i++) {
      const int q = p->x[a] + i * p->xstep[a];
      if (of[q] < 0)
        of[q] = n++;
    }
  return (n + 7) / 8 * 8;
}

/* Written out. */

static cst_node add_rows(cst_graph *g, const cst_pair_sum *p, cst_node sum) {
  cst_node in[2 * CST_PAIR_ARRAYS];
  cst_node at[2 * CST_PAIR_ARRAYS];
  cst_node term;
  inputs_of(g, p, in);
  for (int i = 0; i < p->rows; i++) {
    for (int a = 0; a < p->nx; a++) {
      const int q = p->x[a] + i * p->xstep[a];
      at[a] = cst_graph_input(g, 'q', q);
    }
    for (int j = p->from[i]; j < p->to[i]; j++) {
      for (int b = 0; b < p->ny; b++) {
        const int q = p->y[b] + j * p->ystep[b];
        at[p->nx + b] = cst_graph_input(g, 'q', q);
      }
      cst_graph_substitute(g, &p->term, 1, in, at, p->nx + p->ny, &term);
      sum = cst_graph_add(g, sum, term);
    }
  }
  return sum;
}

static bool is_small(const cst_system *s) {
  cst_graph *g = s->model->graph;
  double     work = 0;
  for (int k = 0; k < s->model->npairs; k++) {
    const cst_pair_sum *sum = &s->model->pairs[k].sum;
    work += (double)sum->pairs * cst_graph_count(g, &sum->term, 1);
  }
  return GROWTH * work < cst_graph_most(g) - cst_graph_size(g);
}

cst_node cst_pairs_written_out(cst_system *s) {
  if (!is_small(s))
    return -1;
  cst_node sum = s->model->V;
  for (int k = 0; k < s->model->npairs; k++)
    sum = add_rows(s->model->graph, &s->model->pairs[k].sum, sum);
  return sum;
}

cst_node cst_system_whole(const cst_system *s) {
  CST_REQUIRE(s, -1);
  if (s->model->npairs && s->model->bent)
    return s->model->whole;
  return s->model->V;
}
