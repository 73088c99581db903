/* mass.c: whether the mass of a system is positive definite (see mass.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/mass.h"
#include <math.h>
#include <stdio.h>
#include "system/point/linear.h"
#include "system/read/system-reader.h"

static int wrong_diagonal(const cst_system *s, const double *c, char *why, int n) {
  double *m = cst_linear_numbers(s->nq);
  int     i = 0;
  cst_linear_masses(s, c, m);
  while (i < s->model->nplain && m[i] > 0 && isfinite(m[i]))
    i++;
  if (i < s->model->nplain)
    snprintf(why, (size_t)n, "the mass of %s is %g; it must be positive and finite",
             s->description->coordinate[i], m[i]);
  free(m);
  return i < s->model->nplain ? i : -1;
}

/* The mass must be definite on ker G: M + G'G in whole. */
static void add_rows(const cst_system *s, const double *c, const double *q, double *M) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n), most = 0;
  for (int i = 0; i < s->nq; i++)
    most = fmax(most, M[(long)i * (s->nq + 1)]);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  for (int a = 0; a < s->ng; a++)
    CST_EACH_ENTRY(P, a, e)
      CST_EACH_ENTRY(P, a, f)
        M[(long)P->column[e] * s->nq + P->column[f]] += most * G[e] * G[f];
  free(G);
}

int cst_mass_wrong(const cst_system *s, const double *c, const double *q, char *why, int n) {
  const bool massless = cst_has(s, CST_MASSLESS);
  if (cst_has(s, s->nq > CST_MAX_Q ? CST_MASS_DIAGONAL : CST_SEPARABLE))
    return wrong_diagonal(s, c, why, n);
  double *M = cst_linear_numbers((long)s->nq * s->nq);
  cst_system_matrix(s, CST_K_M, c, q, NULL, M);
  if (massless)
    add_rows(s, c, q, M);
  const int i = cst_read_mass_pivot(M, s->model->nplain, s->nq);
  free(M);
  if (i == s->model->nplain)
    return -1;
  if (massless) {
    snprintf(why, (size_t)n,
             "the constraints leave %s free, and it has no mass: M must be definite on the "
             "velocities with G v = 0; where the Lagrangian is stationary for it, list it under "
             "`stationary`",
             s->description->coordinate[i]);
    return i;
  }
  snprintf(why, (size_t)n, "the mass is not positive definite: it fails at %s",
           s->description->coordinate[i]);
  return i;
}

int cst_mass_parameters(const cst_system *s, int i, int **index) {
  const long stride = cst_has(s, CST_MASS_MATRIX) ? s->nq + 1 : 1;
  return cst_graph_support(s->model->graph, s->model->mass[i * stride], 'c', index);
}
