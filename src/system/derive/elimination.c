/* elimination.c: see elimination.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/elimination.h"
#include <stdlib.h>
#include <string.h>
#include "system/internal.h"

/* to |= the pattern of kernel k, or of its transpose. */
static void add(const cst_system *s, cst_kernel_id k, bool transposed, unsigned char *to) {
  const int          nq = s->nq;
  const cst_pattern *p = &s->model->pattern[k];
  for (int i = 0; i < p->rows; i++)
    CST_EACH_ENTRY(p, i, e) {
      const int j = p->column[e];
      int       at = i * nq + j;
      if (transposed)
        at = j * nq + i;
      to[at] = 1;
    }
}

/* The fill-in of elimination without pivoting. */
static void fill(unsigned char *a, int n) {
  for (int k = 0; k < n; k++)
    a[k * n + k] = 1;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      if (!a[i * n + k])
        continue;
      for (int j = k + 1; j < n; j++)
        a[i * n + j] |= a[k * n + j];
    }
}

static long products(const unsigned char *a, int n, int sides) {
  long entries = 0, factors = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      entries += a[i * n + k];
      for (int j = k + 1; k < i && a[i * n + k] && j < n; j++)
        factors += a[k * n + j];
    }
  return factors + sides * entries;
}

cst_elimination *cst_elimination_create(const cst_system *s) {
  const int    n = s->nq;
  const size_t size = (size_t)n * (size_t)n;
  if (cst_has(s, CST_SEPARABLE) || n > CST_MOST_FULL)
    return NULL;
  const size_t     bytes = sizeof(cst_elimination) + 4 * size;
  cst_elimination *e = cst_need(calloc(1, bytes));
  e->mass = (unsigned char *)(e + 1);
  e->ends = e->mass + size;
  e->inside = e->ends + size;
  e->across = e->inside + size;
  add(s, CST_K_Lvq, false, e->across);
  add(s, CST_K_Lvq, true, e->across);
  add(s, CST_K_Fv, false, e->across);
  add(s, CST_K_M, false, e->mass);
  for (size_t k = 0; k < size; k++) {
    e->ends[k] = e->mass[k] | e->across[k];
    e->inside[k] = e->ends[k];
  }
  add(s, CST_K_Lqq, false, e->inside);
  add(s, CST_K_Fq, false, e->inside);
  fill(e->mass, n);
  fill(e->ends, n);
  fill(e->inside, n);
  e->work = 2 * products(e->ends, n, 1 + s->ng);
  return e;
}

void cst_elimination_destroy(cst_elimination *e) { free(e); }
