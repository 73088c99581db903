/* derive-matrix.c: the outputs of kernels, and matrices by their nonzero entries (see derive.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/budget.h"
#include "system/derive/derive.h"

cst_node *cst_derive_memory(long n) { return cst_zeros(n, sizeof(cst_node)); }

cst_node *cst_derive_kernel(cst_system *s, cst_kernel_id k, int size) {
  s->kernel_size[k] = size;
  return s->kernel_out[k] = cst_derive_memory(size);
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
  cst_pattern *p = &s->pattern[k];
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
