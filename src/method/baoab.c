/* baoab.c: baoab(friction=, inverse-temperature=, drifts=1): half a kick, half a drift, friction and noise
 * for the whole step, half a drift, half a kick.
 *
 *   B: p <- p - h/2 dV(q)     A: q <- q + h/2 M^-1 p     O: as in langevin.c, for h
 *
 * Harmonic configurations are sampled without error, others with an error O(h^2) with a small constant;
 * velocities have an error O(h^2). With constraints the method is g-BAOAB: each half drift consists of
 * `drifts` steps of RATTLE without a force, along the geodesic, and p is projected after B and O. The
 * impulse of a drift absorbs the normal part of p at its left end, and the projections at its right end
 * coincide, so B and the adjacent drift are one substep of core/kick.c. Source: Leimkuhler, Matthews, Appl.
 * Math. Res. Express (2013) 34; Proc. R. Soc. A 472 (2016) 20160138.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "method/families.h"

typedef struct {
  cst_bath bath;
  int      drifts;
} values;

#define EXAMPLE "baoab(friction=0.5, inverse-temperature=2)"
static const cst_key arguments[] = {
    CST_FRICTION(values, bath.rate, NULL, false, EXAMPLE),
    CST_INVERSE_TEMPERATURE(values, bath.inverse_temperature, EXAMPLE),
    {"", "drifts", CST_BY_NAME, NULL, "1", "",
     "baoab(friction=0.5, inverse-temperature=2, drifts=3)", "in each half of the step",
     .value = {CST_VALUE_INTEGER, CST_AT(values, drifts), 1, 100}},
    {0}};

CST_VALUES_OF_TERM

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const values x = values_of(t);
  if (!cst_langevin_fits(t, x.bath, s, why, n))
    return false;
  if (cst_has(s, CST_SEPARABLE) || x.drifts == 1)
    return true;
  snprintf(why, (size_t)n, "with a full mass matrix or an a(q), as %s has, baoab takes drifts=1",
           s->name);
  return false;
}

static bool fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                      int n) {
  return cst_langevin_fits_flat(values_of(t).bath, s, flat, why, n);
}

/* B A .. A  O  A .. A B, where each B is part of the adjacent substep. */
static void expand(const cst_term *t, cst_program *p, double fraction) {
  const values x = values_of(t);
  const int    n = x.drifts;
  const double part = fraction / (2 * n);
  for (int i = 0; i < n; i++)
    cst_program_add(p, cst_kick_apart(part, i == 0 ? n : 0, 0));
  cst_langevin_add(x.bath, p);
  for (int i = 0; i < n; i++)
    cst_program_add(p, cst_kick_apart(part, 0, i == n - 1 ? n : 0));
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_langevin_properties(
      values_of(t).bath, s,
      (cst_properties){.order_q = 2,
                       .order_p = 2,
                       .order_lambda = 2,
                       .claims = CST_CLAIM_SYMPLECTIC | CST_CLAIM_SYMMETRIC | CST_CLAIM_POSITIONS |
                                 CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED |
                                 (cst_system_is_gauged(s) ? 0u : CST_CLAIM_MOMENTUM),
                       .lambda_time = 0.5,
                       .own_lambda = true});
}

const cst_method_row cst_method_row_baoab = {
    .info =
        {.name = "baoab",
         .doc = "The BAOAB splitting of Langevin's equation; with constraints g-BAOAB.",
         .equations =
             "B: p <- p - h/2 dV(q);  A: q <- q + h/2 M^-1 p;  O: v <- e^(-friction h) v + sqrt((1 "
             "- e^(-2 friction h))/b) M^(-1/2) xi;  B A O A B, p projected on G v = 0, A along the "
             "geodesics of g = 0",
         .notes = "b, the inverse temperature, is 1/kT in the units of the energy; friction is a "
                  "rate. The noise "
                  "is a function of seed, member and step.\nConfigurations are more accurate than "
                  "velocities, "
                  "whose temperature has an error O(h^2): take the temperature from "
                  "configurations.\nWith "
                  "constraints each A consists of `drifts` steps of RATTLE without a force.",
         .source =
             "B. Leimkuhler, C. Matthews, Appl. Math. Res. Express (2013) 34; Proc. R. Soc. A 472 "
             "(2016) 20160138",
         .signature = "baoab(friction=, inverse-temperature=, drifts=1)",
         .example = EXAMPLE},
    .arguments = arguments,
    .fits = fits,
    .fits_flat = fits_flat,
    .properties = properties,
    .thermal = true,
    .expand = expand,
};
