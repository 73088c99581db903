/* constrained.c: what the methods that impose the constraints at their stages have in common. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/constrained.h"
#include <stdio.h>

enum { MOST_UNKNOWNS = 600 }; /* of Newton's matrix */

bool cst_constrained_fits(const cst_term *t, const cst_system *s, int stages, bool both, char *why,
                          int n) {
  const int unknowns = stages * (s->nq + (both ? 2 : 1) * s->ng);
  if (s->nvel)
    snprintf(why, (size_t)n,
             "%s imposes constraints on positions at its stages, and %s has constraints on "
             "velocities; layers such as radau(3, form=index-1) step it",
             t->name, s->name);
  else if (unknowns > MOST_UNKNOWNS)
    snprintf(why, (size_t)n,
             "%s solves for at most %d unknowns at once, with a full matrix, and %s has %d",
             t->name, MOST_UNKNOWNS, s->name, unknowns);
  else
    return cst_term_bends(t, s, why, n);
  return false;
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
