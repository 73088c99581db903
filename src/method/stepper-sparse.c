/* stepper-sparse.c: the sparse matrix of a substep's equations (see stepper-sparse.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/stepper-sparse.h"
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

bool cst_sparse_takes(const cst_substep *x, const cst_system *s) {
  const bool is_long = s->nq > CST_MAX_Q || s->ng > CST_MAX_G;
  return is_long && s->gram.banded && cst_substep_jacobian(x, s) == CST_JACOBIAN_GRAM;
}

static const cst_gram *gram(const cst_sparse *x) { return &x->march->group.system->gram; }

static bool is_dropped(const cst_sparse *x, int a) {
  const unsigned char *dropped = x->march->group.dropped;
  return dropped && dropped[a];
}

/* The entry (a, b). */
static int find(const cst_sparse *x, int a, int b) {
  int at = x->row[a], end = x->row[a + 1];
  while (x->column[at] != b) {
    const int middle = (at + end) / 2;
    if (x->column[middle] <= b)
      at = middle;
    else
      end = middle;
  }
  return at;
}

static int ascending(const void *x, const void *y) {
  const int a = *(const int *)x, b = *(const int *)y;
  return (a > b) - (a < b);
}

static void find_pattern(cst_sparse *x, int n) {
  const cst_gram *g = gram(x);
  int            *next = cst_zeros(n, sizeof *next);
  x->row = cst_zeros(n + 1, sizeof *x->row);
  x->column = cst_zeros(g->n, sizeof *x->column);
  x->at = cst_zeros(g->n, sizeof *x->at);
  x->mirror = cst_zeros(g->n, sizeof *x->mirror);
  for (int k = 0; k < g->n; k++)
    x->row[g->a[k] + 1]++;
  for (int a = 0; a < n; a++)
    x->row[a + 1] += x->row[a];
  for (int k = 0; k < g->n; k++)
    x->column[x->row[g->a[k]] + next[g->a[k]]++] = g->b[k];
  for (int a = 0; a < n; a++)
    qsort(x->column + x->row[a], (size_t)(x->row[a + 1] - x->row[a]), sizeof(int), ascending);
  for (int k = 0; k < g->n; k++) {
    x->at[k] = find(x, g->a[k], g->b[k]);
    x->mirror[k] = find(x, g->b[k], g->a[k]);
  }
  free(next);
}

/* The first n pairs of S, whose number k is at S[stride at[k]], or at S[k] if at is NULL. */
static void take(cst_sparse *x, int n, const double *S, const int *at, int stride, bool symmetric) {
  const cst_gram *g = gram(x);
  for (int k = 0; k < n; k++) {
    const double s =
        is_dropped(x, g->a[k]) ? 1 : S[at ? (size_t)at[k] * (size_t)stride : (size_t)k];
    x->values[x->at[k]] = s;
    if (symmetric)
      x->values[x->mirror[k]] = s;
  }
}

static void factor(void *context, const double *S, int symmetric) {
  cst_sparse     *x = context;
  const cst_gram *g = gram(x);
  if (x->use == CST_SPARSE_IGNORE)
    return;
  take(x, symmetric ? g->upper : g->n, S, g->at, x->width, symmetric);
  if (x->use == CST_SPARSE_SOLVE && !x->error)
    x->error = cst_single_factor(x->solver, x->values);
}

static void solve(void *context, double *b) {
  cst_sparse *x = context;
  const int   n = x->march->group.ng, W = x->width;
  bool        good = true;
  if (x->use != CST_SPARSE_SOLVE) {
    memset(b, 0, (size_t)n * (size_t)W * sizeof *b);
    return;
  }
  for (int a = 0; a < n; a++)
    x->x[a] = is_dropped(x, a) ? 0 : b[a * W];
  if (!x->error)
    x->error = cst_single_backsolve(x->solver, x->x, &good);
  x->failed |= !good;
  for (int a = 0; a < n; a++)
    for (int l = 0; l < W; l++)
      b[a * W + l] = x->x[a];
}

void cst_sparse_create(cst_sparse *x, const cst_march *m, int width) {
  const cst_system *s = m->group.system;
  *x = (cst_sparse){.march = m, .width = width};
  find_pattern(x, s->ng);
  x->values = cst_zeros(x->row[s->ng], sizeof *x->values);
  x->G = cst_aligned((size_t)s->pattern[CST_K_G].n * (size_t)width + (size_t)s->gram.n);
  x->x = cst_zeros(s->ng, sizeof *x->x);
  x->by = (cst_eliminator){x, factor, solve};
}

void cst_sparse_destroy(cst_sparse *x) {
  free(x->row);
  free(x->column);
  free(x->at);
  free(x->mirror);
  free(x->values);
  free(x->G);
  free(x->x);
  *x = (cst_sparse){0};
}

/* The operations of cst_gram_fill, in its order, so that a projection at q and a start from q have one S. */
void cst_sparse_at_start(cst_sparse *x, const double *record, int j) {
  const cst_context *C = &x->march->group;
  const cst_gram    *g = gram(x);
  const int          W = x->width;
  const double       h = x->march->sub[j].h[0];
  const double      *mass = record + (size_t)C->at.mass * (size_t)W, *G = x->G;
  double            *S = x->G + (size_t)C->system->pattern[CST_K_G].n * (size_t)W;
  C->kernel[CST_K_G](C->self, record + (size_t)C->at.c * (size_t)W,
                     record + (size_t)C->at.q * (size_t)W, NULL, NULL, NULL, NULL, x->G);
  for (int k = 0; k < g->upper; k++) {
    double s = g->first[k] == g->first[k + 1] ? 1 : -0.0;
    for (int t = g->first[k]; t < g->first[k + 1]; t++) {
      const double w = C->mass_unit ? h : h * (1.0 / mass[C->mass_class[g->i[t]] * W]);
      s += G[(size_t)g->ea[t] * (size_t)W] * w * G[(size_t)g->eb[t] * (size_t)W];
    }
    S[k] = s;
  }
  take(x, g->upper, S, NULL, 1, true);
}
