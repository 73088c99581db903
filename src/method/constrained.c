/* constrained.c: what the methods that impose the constraints at their stages have in common. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/families.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/need.h"

enum { MOST_UNKNOWNS = 600 }; /* of Newton's matrix */

bool cst_constrained_fits(const cst_term *t, const cst_system *s, int stages, bool both, char *why,
                          int n) {
  const int   unknowns = stages * (s->nq + (both ? 2 : 1) * s->ng);
  const char *other = cst_trait_among(s, CST_SLIPS | CST_MASSLESS);
  if (cst_has(s, CST_NONHOLONOMIC))
    snprintf(why, (size_t)n,
             "%s imposes constraints on positions at its stages, and %s has constraints on "
             "velocities; layers such as radau(3, form=index-1) step it",
             t->name, s->name);
  else if (other)
    snprintf(why, (size_t)n,
             "%s has %s, which %s does not solve for at its stages; layers such as radau(3, "
             "form=index-1) and gauss(2) step it",
             s->name, other, t->name);
  else if (unknowns > MOST_UNKNOWNS)
    snprintf(why, (size_t)n,
             "%s solves for at most %d unknowns at once, with a full matrix, and %s has %d",
             t->name, MOST_UNKNOWNS, s->name, unknowns);
  else
    return cst_term_bends(t, s, why, n);
  return false;
}

void cst_constrained_accelerations(const cst_system *s, const double *c, const double *q,
                                   const double *v, double *A) {
  const size_t n = (size_t)s->nq + 1, g = (size_t)s->ng + 1;
  double      *f = cst_need(calloc(2 * n + g + n * g, sizeof *f));
  double      *a = f + n, *lambda = a + n, *G = lambda + g;
  cst_system_force(s, c, q, v, NULL, f);
  cst_system_eval_at(s, CST_K_a, c, q, a);
  if (s->ng > 0) {
    cst_system_multipliers(s, c, q, v, lambda);
    cst_system_matrix(s, CST_K_G, c, q, v, G);
  }
  for (int i = 0; i < s->nq; i++) {
    f[i] += a[i];
    for (int b = 0; b < s->ng; b++)
      f[i] -= G[b * s->nq + i] * lambda[b];
  }
  cst_system_velocity(s, c, q, f, A);
  free(f);
}

cst_properties cst_constrained_properties(int q, int p, int lambda, bool positions,
                                          bool velocities) {
  return (cst_properties){.order_q = q,
                          .order_p = p,
                          .order_lambda = lambda,
                          .claims = (positions ? CST_CLAIM_POSITIONS : 0u) |
                                    (velocities ? CST_CLAIM_VELOCITIES : 0u),
                          .lambda_time = 1,
                          .own_lambda = true};
}
