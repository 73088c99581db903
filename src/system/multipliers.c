/* multipliers.c: multipliers of the continuous equations at one point.
 *
 *   M A = f - G' lambda,  G A = -D2g[v, v]   so   (G M^-1 G') lambda = D2g[v, v] + G M^-1 f
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/linear.h"

/* M A without constraints: f, or -grad V. */
static void free_force(const cst_system *s, const double *c, const double *q, const double *v, double *f) {
  cst_system_eval(s, s->general ? CST_K_f : CST_K_dV, c, q, v, NULL, NULL, NULL, f);
  for (int i = 0; i < s->nq && !s->general; i++) f[i] = -f[i];
}

void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v, double *lambda) {
  const cst_pattern *P = &s->pattern[CST_K_G];
  if (!s->ng) return;
  double    *G = cst_numbers((size_t)P->n), *A = cst_numbers((size_t)s->nq), *b = cst_numbers((size_t)s->ng);
  cst_mass   M;
  cst_schur  S = {0};
  const bool mass = cst_mass_create(&M, s, c, q);
  cst_system_eval(s, CST_K_G, c, q, NULL, NULL, NULL, NULL, G);
  const bool good = mass && cst_schur_create(&S, s, G, &M);
  if (good) {
    free_force(s, c, q, v, A);
    cst_mass_solve(&M, A);
    cst_pattern_times(P, G, A, b);
    cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, lambda);
    for (int a = 0; a < s->ng; a++) lambda[a] += b[a];
    cst_schur_solve(&S, lambda);
    if (s->dropped) cst_system_least_norm(s, c, q, lambda);
  }
  for (int a = 0; a < s->ng && !good; a++) lambda[a] = NAN;
  cst_schur_destroy(&S);
  cst_mass_destroy(&M);
  free(G);
  free(A);
  free(b);
}
