/* examine-linear.c: checks the kernels of linearly implicit methods: by rows of the bands, dVH and dVS hold
 * entries of grad V and of Hessians, d2S is a Hessian, and D3V is a third derivative when given the shared
 * subexpressions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "system/examine/examiner.h"

static const double EXACT = 1e-12, NEARLY = 1e-8;

static void say(cst_examiner *e, cst_kernel_id k) {
  cst_examine_say(e, CST_FAULT, "derivatives",
                  "the kernel %s differs from the derivatives that it must contain",
                  cst_system_kernel_names[k]);
}

static double *value_of(const cst_examiner *e, cst_kernel_id k, const cst_point *p, const double *w,
                        const double *l) {
  const cst_system *s = e->s;
  double           *x = cst_linear_numbers(s->kernel_size[k]);
  cst_system_eval(s, k, e->c, p->q, NULL, w, NULL, l, x);
  return x;
}

/* Whether x and y differ by at most `bound` of their size, or by `rounding`. */
static bool near(const double *x, const double *y, int n, double bound, double rounding) {
  const double one = cst_examine_largest(x, n);
  const double other = cst_examine_largest(y, n);
  const double size = fmax(one, other);
  double       off = 0;
  for (int i = 0; i < n; i++)
    if (x[i] != y[i])
      off = fmax(off, fabs(x[i] - y[i]));
  return off <= bound * size + rounding;
}

/* Whether kernel k consists of grad V and the Hessian `of`, by rows of b. */
static bool is_made_of(const cst_examiner *e, cst_kernel_id k, cst_kernel_id of, const cst_bands *b,
                       const cst_point *p) {
  const int n = e->s->nq;
  double   *x = value_of(e, k, p, NULL, NULL);
  double   *dV = value_of(e, CST_K_dV, p, NULL, NULL);
  double   *H = value_of(e, of, p, NULL, NULL);
  double   *y = cst_linear_numbers((size_t)(n + b->n));
  for (int r = 0; r < n; r++)
    y[r] = dV[b->order[r]];
  for (int i = 0; i < b->n; i++)
    y[n + i] = H[b->entry[i]];
  const bool above = near(x, y, n, EXACT, 0);
  const bool same = above && near(x + n, y + n, b->n, EXACT, 0);
  free(x);
  free(dV);
  free(H);
  free(y);
  return same;
}

/* Directional derivatives of nodes along w. */
static double *slopes(const cst_examiner *e, const cst_node *node, const cst_point *p) {
  const cst_analytic f = {
      .e = e,
      .at = p,
      .n = e->s->nq,
      .node = node,
      .value = cst_examine_field_own,
  };
  const cst_change d = {.q = p->w};
  double          *x = cst_linear_numbers(e->s->nq);
  if (!cst_examine_field_slope(&f, &d, x))
    cst_examine_field_difference(&f, &d, 1e-3, x);
  return x;
}

static cst_node *inputs(cst_system *s, char letter) {
  cst_node *x = cst_zeros(s->nq, sizeof *x);
  for (int i = 0; i < s->nq; i++)
    x[i] = cst_graph_input(s->graph, letter, i);
  return x;
}

static bool is_third(const cst_examiner *e, const cst_node *Hw, const cst_point *p) {
  const cst_system *s = e->s;
  const int         nq = s->nq;
  const cst_bands  *b = &s->bands[0];
  double           *w = cst_linear_numbers(nq);
  double           *bent = value_of(e, CST_K_dVH, p, NULL, NULL);
  double           *y = slopes(e, Hw, p);
  for (int i = 0; i < nq; i++)
    w[b->place[i]] = p->w[i];
  double *row = value_of(e, CST_K_D3V, p, w, bent + nq + b->n);
  double *x = cst_linear_numbers(nq);
  for (int i = 0; i < nq; i++)
    x[i] = row[b->place[i]];
  /* where V is flat both are the round-off of its slopes, some ulps of them over the square of the coordinates */
  const double far = cst_examine_largest(p->q, nq), along = cst_examine_largest(p->w, nq);
  const double rounding = 64 * DBL_EPSILON * cst_examine_largest(bent, nq) * along / (far * far);
  const bool   same = near(x, y, nq, NEARLY, rounding);
  free(w);
  free(bent);
  free(row);
  free(x);
  free(y);
  return same;
}

static bool is_stiff(const cst_examiner *e, const cst_node *dS, const cst_point *p) {
  double *H = value_of(e, CST_K_d2S, p, NULL, NULL);
  double *x = cst_linear_numbers(e->s->nq);
  double *y = slopes(e, dS, p);
  cst_linear_pattern_times(&e->s->pattern[CST_K_d2S], H, p->w, x);
  const bool same = near(x, y, e->s->nq, NEARLY, 0);
  free(H);
  free(x);
  free(y);
  return same;
}

void cst_examine_linear(cst_examiner *e) {
  cst_system    *s = e->s;
  cst_node      *q = inputs(s, 'q');
  cst_node      *w = inputs(s, 'w');
  cst_node      *of = cst_zeros(s->nq, sizeof *of);
  const cst_node one = cst_graph_constant(s->graph, 1);
  bool           good[4] = {true, true, true, true};
  if (s->kernel_size[CST_K_dVH])
    cst_graph_tangent(s->graph, s->kernel_out[CST_K_dV], s->nq, q, w, s->nq, of);
  for (int k = 0; k < e->npoint && s->kernel_size[CST_K_dVH]; k++) {
    good[0] &= is_made_of(e, CST_K_dVH, CST_K_d2V, &s->bands[0], &e->point[k]);
    good[1] &= is_third(e, of, &e->point[k]);
  }
  if (s->kernel_size[CST_K_dVS])
    cst_graph_gradient(s->graph, &s->stiff, &one, 1, q, s->nq, of);
  for (int k = 0; k < e->npoint && s->kernel_size[CST_K_dVS]; k++) {
    good[2] &= is_made_of(e, CST_K_dVS, CST_K_d2S, &s->bands[1], &e->point[k]);
    good[3] &= is_stiff(e, of, &e->point[k]);
  }
  static const cst_kernel_id kernels[4] = {CST_K_dVH, CST_K_D3V, CST_K_dVS, CST_K_d2S};
  for (int i = 0; i < 4; i++)
    if (!good[i])
      say(e, kernels[i]);
  free(q);
  free(w);
  free(of);
}
