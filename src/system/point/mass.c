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
  while (i < s->nplain && m[i] > 0 && isfinite(m[i]))
    i++;
  if (i < s->nplain)
    snprintf(why, (size_t)n, "the mass of %s is %g; it must be positive and finite",
             s->coordinate[i], m[i]);
  free(m);
  return i < s->nplain ? i : -1;
}

int cst_mass_wrong(const cst_system *s, const double *c, const double *q, char *why, int n) {
  if (!s->general)
    return wrong_diagonal(s, c, why, n);
  double *M = cst_linear_numbers((long)s->nq * s->nq);
  cst_system_matrix(s, CST_K_M, c, q, NULL, M);
  const int i = cst_read_mass_pivot(M, s->nplain, s->nq);
  free(M);
  if (i == s->nplain)
    return -1;
  snprintf(why, (size_t)n, "the mass is not positive definite: it fails at %s", s->coordinate[i]);
  return i;
}

int cst_mass_parameters(const cst_system *s, int i, int **index) {
  const long stride = s->matrix ? s->nq + 1 : 1;
  return cst_graph_support(s->graph, s->mass[i * stride], 'c', index);
}
