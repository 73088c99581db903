/* multipliers.c: multipliers of the continuous equations at one point.
 *
 *   M A = f - G' lambda,  G A = -D2g[v, v]   so   (G M^-1 G') lambda = D2g[v, v] + G M^-1 f
 *
 * Where a body is flat M is singular. M + sigma O'O then replaces it, where O has the rows of G of the
 * orthogonality constraints (linear.c). With f - sigma O'D2o[v, v] in place of f the equations have the
 * same A and lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "core/boundary.h"
#include "system/point/linear.h"
#include "system/point/slips.h"

/* M A without constraints: f, or -grad V. */
static void free_force(const cst_system *s, const double *c, const double *q, const double *v,
                       double *f) {
  const cst_kernel_id force = s->general ? CST_K_f : CST_K_dV;
  cst_system_eval(s, force, c, q, v, NULL, NULL, NULL, f);
  if (s->general)
    return;
  for (int i = 0; i < s->nq; i++)
    f[i] = -f[i];
}

/* f := f - sigma O'D2o[v, v]; bend is D2g[v, v]. */
static void lower_force(const cst_mass *M, const double *G, const double *bend, double *f) {
  const cst_system  *s = M->s;
  const cst_pattern *P = &s->pattern[CST_K_G];
  if (!(M->sigma > 0))
    return;
  int from, to;
  cst_linear_raised(s, &from, &to);
  for (int a = from; a < to; a++)
    CST_EACH_ENTRY(P, a, e) {
      const double pull = M->sigma * G[e] * bend[a];
      f[P->column[e]] -= pull;
    }
}

void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v,
                            double *lambda) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && lambda);
  const int          ng = s->ng;
  const cst_pattern *P = &s->pattern[CST_K_G];
  if (!ng)
    return;
  if (s->slips) {
    const bool there = cst_slips_solve(s, c, q, v, lambda);
    for (int a = 0; a < ng && !there; a++)
      lambda[a] = NAN;
    return;
  }
  double    *G = cst_linear_numbers(P->n);
  double    *A = cst_linear_numbers(s->nq);
  double    *b = cst_linear_numbers(ng);
  cst_mass   M;
  cst_schur  S = {0};
  const bool mass = cst_linear_mass_create(&M, s, c, q);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  const bool good = mass && cst_linear_schur_create(&S, s, G, &M);
  if (good) {
    free_force(s, c, q, v, A);
    cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, lambda);
    lower_force(&M, G, lambda, A);
    cst_linear_mass_solve(&M, A);
    cst_linear_pattern_times(P, G, A, b);
    for (int a = 0; a < ng; a++)
      lambda[a] += b[a];
    cst_linear_schur_solve(&S, lambda);
    if (s->dropped)
      cst_system_least_norm(s, c, q, lambda);
  }
  for (int a = 0; a < ng && !good; a++)
    lambda[a] = NAN;
  cst_linear_schur_destroy(&S);
  cst_linear_mass_destroy(&M);
  free(G);
  free(A);
  free(b);
}

bool cst_system_acceleration(const cst_system *s, const double *c, const double *q, const double *v,
                             const double *lambda, double *A) {
  CST_REQUIRE(s && (c || !s->npar) && q && v && A, false);
  const cst_pattern *P = &s->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n + (long)s->ng + s->nq);
  double            *bend = G + P->n, *pull = bend + s->ng;
  cst_mass           M;
  const bool         good = cst_linear_mass_create(&M, s, c, q);
  double             sum = 0;
  if (good) {
    cst_system_eval_at(s, CST_K_G, c, q, G);
    cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, bend);
    free_force(s, c, q, v, A);
    lower_force(&M, G, bend, A);
    if (lambda)
      cst_linear_pattern_add_transposed(P, G, lambda, pull);
    for (int i = 0; i < s->nq; i++)
      A[i] -= pull[i];
    cst_linear_mass_solve(&M, A);
  }
  for (int i = 0; i < s->nq && good; i++)
    sum += A[i];
  cst_linear_mass_destroy(&M);
  free(G);
  return good && isfinite(sum);
}
