/* ends.c: ends(SCHEME): a composition of leapfrog steps without constraint, with the constraint and its
 * impulses at the two ends of the whole.
 *
 *   P = p0 - G(q0)'L,   (q1, P1) = leapfrog steps of gamma_i h from (q0, P),   g(q1) = 0
 *   p1 = P1 - G(q1)'m,  G(q1) M^-1 p1 = 0
 *
 * For comparison: (5.7) of Barbero-Linan, Martin de Diego, Sato as Example 5.1 reads it, with multipliers
 * at the ends alone. It is the variational integrator of the sum of the discrete Lagrangians over free
 * inner points, so it is symplectic and symmetric, but inner points leave the constraint by O(h^2): the
 * order is 2 whatever the scheme. compose(rattle, SCHEME) has the constraint at every substep. Arithmetic:
 * core/ends.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/families.h"

typedef struct {
  const cst_scheme *scheme;
} values;

static const cst_key arguments[] = {{"", "SCHEME", CST_BY_PLACE, NULL, NULL, "", "ends(yoshida4)",
                                     "a scheme of `constella list schemes`",
                                     .value = {CST_VALUE_SCHEME, CST_AT(values, scheme)}},
                                    {0}};

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  (void)t;
  if (s->ng == 0)
    snprintf(why, (size_t)n,
             "ends needs constraints and %s has none (there compose(rattle, SCHEME) is the same)",
             s->name);
  else
    return true;
  return false;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  values x;
  cst_term_read(t, &x);
  cst_program_add(p, cst_ends(fraction, x.scheme->gamma, x.scheme->stages));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)t;
  return cst_variational(2, s);
}

const cst_method_row cst_method_row_ends = {
    .info = {.name = "ends",
             .doc = "A composition of leapfrog steps with the constraint at the two ends of the "
                    "whole alone; for comparison.",
             .equations = "P = p0 - G(q0)'L;  (q1, P1): leapfrog steps of gamma_i h without "
                          "constraint;  g(q1) = 0\n"
                          "p1 = P1 - G(q1)'m, G(q1) M^-1 p1 = 0",
             .notes = "Symplectic, but of order 2 whatever the scheme. compose(rattle, SCHEME) "
                      "has the constraint at every substep and the order of the scheme.",
             .source = "Barbero-Linan, Martin de Diego, Sato Martin de Almagro (discretization "
                       "maps), (5.7), Example 5.1",
             .signature = "ends(SCHEME)",
             .example = "ends(yoshida4)"},
    .needs = CST_SEPARABLE,
    .arguments = arguments,
    .fits = fits,
    .properties = properties,
    .expand = expand,
};
