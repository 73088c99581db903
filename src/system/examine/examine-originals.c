/* examine-originals.c: compares the kernels from which others are derived with the expressions of the
 * description, including the zeros outside their patterns. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/examine/examiner.h"

static const double EXACT = 1e-12;

typedef struct {
  cst_kernel_id   kernel;
  const cst_node *node; /* [n], or [rows x columns] of a matrix */
  int             n;
} original;

/* The values of nodes at point p. Owned. */
static double *values(const cst_examiner *e, const cst_node *node, int n, const cst_point *p) {
  const cst_analytic f = {
      .e = e,
      .at = p,
      .n = n,
      .node = node,
      .value = cst_examine_field_own,
  };
  double *x = cst_linear_numbers(n);
  cst_examine_field_value(&f, x);
  return x;
}

static bool equal(const double *x, const double *y, int n) {
  const double room = EXACT * cst_examine_largest(x, n);
  for (int i = 0; i < n; i++) {
    if (x[i] == y[i])
      continue;
    if (!(fabs(x[i] - y[i]) <= room))
      return false;
  }
  return true;
}

static bool same_at(const cst_examiner *e, const original *o, const cst_point *p) {
  const cst_system *s = e->s;
  double           *x = cst_linear_numbers((size_t)s->kernel_size[o->kernel]);
  double           *y = values(e, o->node, o->n, p);
  cst_system_eval(s, o->kernel, e->c, p->q, p->v, NULL, NULL, NULL, x);
  const bool same = equal(x, y, o->n);
  free(x);
  free(y);
  return same;
}

static void compare(cst_examiner *e, const original *o) {
  bool same = true;
  for (int k = 0; k < e->npoint && o->n && o->node; k++)
    same &= same_at(e, o, &e->point[k]);
  if (!same)
    cst_examine_say(e, CST_FAULT, "derivatives", "the kernel %s differs from the description",
                    cst_system_kernel_names[o->kernel]);
}

/* The nodes of a matrix in the order of its pattern, owned; NULL if the pattern omits a nonzero one. stride
 * 0: a diagonal. */
static cst_node *in_pattern(const cst_system *s, const cst_pattern *P, const cst_node *node,
                            int stride) {
  cst_graph *g = s->graph;
  const long columns = stride;
  const long all = stride ? P->rows * columns : P->rows;
  long       nonzero = 0, found = 0;
  cst_node  *out = cst_zeros(P->n, sizeof *out);
  for (long i = 0; i < all; i++)
    nonzero += !cst_graph_is_zero(g, node[i]);
  for (int a = 0; a < P->rows; a++)
    CST_EACH_ENTRY(P, a, e) {
      const int j = P->column[e];
      if (stride)
        out[e] = node[a * columns + j];
      else
        out[e] = j == a ? node[a] : -1;
      found += out[e] >= 0 && !cst_graph_is_zero(g, out[e]);
    }
  if (found == nonzero)
    return out;
  free(out);
  return NULL;
}

static void compare_matrix(cst_examiner *e, cst_kernel_id k, const cst_node *node, int stride) {
  cst_node *out = in_pattern(e->s, &e->s->pattern[k], node, stride);
  if (out)
    compare(e, &(original){k, out, e->s->pattern[k].n});
  else
    cst_examine_say(e, CST_FAULT, "derivatives", "the pattern of %s omits nonzero entries",
                    cst_system_kernel_names[k]);
  free(out);
}

static void compare_diagonal(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  double           *m = cst_linear_numbers(n);
  double           *y;
  if (e->npoint) {
    cst_linear_masses(s, e->c, m);
    y = values(e, s->mass, n, &e->point[0]);
    if (!equal(m, y, n))
      cst_examine_say(e, CST_FAULT, "derivatives", "the masses differ from the description");
    free(y);
  }
  free(m);
}

void cst_examine_originals(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         nq = s->nq;
  const cst_node    V = cst_system_whole(s);
  if (s->bent)
    compare(e, &(original){CST_K_V, &V, 1});
  compare(e, &(original){CST_K_g, s->g, s->ng});
  compare(e, &(original){CST_K_gauge, s->gauge, s->nsym});
  if (s->gyroscopic)
    compare(e, &(original){CST_K_a, s->a, nq});
  if (s->nsym)
    compare_matrix(e, CST_K_xi, s->xi, nq);
  if (s->general)
    compare_matrix(e, CST_K_M, s->mass, s->matrix ? nq : 0);
  else
    compare_diagonal(e);
}
