/* langevin.c: langevin(METHOD, friction=, inverse-temperature=): a step of METHOD, then the exact effect of
 * friction and noise on v.
 *
 *   v <- e^(-friction h) v + sqrt((1 - e^(-2 friction h)) / b) M^(-1/2) xi,  xi independent normals;
 *   then v M-orthogonally onto G v = 0
 *
 * The geometric Langevin algorithm. The kick preserves the Maxwell distribution on the tangent space for
 * every h; the sampling error is METHOD's error in preserving e^(-bH). A temperature is claimed if METHOD
 * preserves volume, or is conjugate to a map that does; others (euler, newmark with gamma > 1/2) damp or heat
 * by an amount that the bath does not know, and the motion is colder or warmer than it. With `coefficient` the rate of
 * coordinate i is coefficient/m_i, as in the paper; then friction does not commute with the projection, and
 * with constraints the motion is colder than the bath. If the rate is 0 there is no kick, and the bits are
 * those of METHOD. Source: Bou-Rabee, Owhadi 2010; Tao, Owhadi, section 4.3. Arithmetic: core/noise.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "method/families.h"

enum {
  MOST_JOINTS = 100000
}; /* lane code has two such matrices on the stack: 13 MB with 8 lanes */

/* ---- shared by thermostats ------------------------------------------------------------------- */

static double number_of(const cst_term *t, const char *key) {
  const cst_term *x = cst_term_argument(t, key);
  return x ? x->number : 0;
}

static cst_bath langevin_of(const cst_term *t) {
  const bool by_mass = cst_term_argument(t, "coefficient") != NULL;
  return (cst_bath){number_of(t, by_mass ? "coefficient" : "friction"),
                    number_of(t, "inverse-temperature"), by_mass};
}

static bool check_number(const cst_term *x, bool positive, cst_expr_error *e, const char *what) {
  if (!x || (x->kind == CST_TERM_NUMBER && isfinite(x->number) &&
             (positive ? x->number > 0 : x->number >= 0)))
    return true;
  return cst_term_error(x, e, "%s", what);
}

static bool check_keys(const cst_term *t, const char *more, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++) {
    const char *key = t->key[i];
    if (!key)
      continue;
    const bool own = more ? !strcmp(key, more) : !strcmp(key, "coefficient");
    if (strcmp(key, "friction") && strcmp(key, "inverse-temperature") && !own)
      return cst_term_error(t->arg[i], e, "%s takes no '%s='; write %s", t->name, key,
                            t->row->info.signature);
    for (int j = 0; j < i; j++)
      if (t->key[j] && !strcmp(t->key[j], key))
        return cst_term_error(t->arg[i], e, "'%s=' appears twice", key);
  }
  return true;
}

bool cst_langevin_check(const cst_term *t, const char *more, cst_expr_error *e) {
  const cst_term *friction = cst_term_argument(t, "friction");
  const cst_term *coefficient = cst_term_argument(t, "coefficient");
  const cst_term *b = cst_term_argument(t, "inverse-temperature");
  if (!check_keys(t, more, e))
    return false;
  if (friction && coefficient)
    return cst_term_error(
        coefficient, e,
        "friction is one rate for all coordinates, coefficient is divided by their masses: "
        "give only one of them");
  if (!friction && !coefficient)
    return cst_term_error(t, e, "%s needs friction, a rate: %s", t->name, t->row->info.example);
  if (!b)
    return cst_term_error(t, e, "%s needs inverse-temperature, 1/kT: %s", t->name,
                          t->row->info.example);
  return check_number(friction, false, e, "friction is a rate (1/time), at least 0; 0: no noise") &&
         check_number(coefficient, false, e,
                      "coefficient is a mass divided by a time, at least 0; 0: no noise") &&
         check_number(b, true, e,
                      "inverse-temperature is 1/kT in the units of the energy, a positive number");
}

static bool mass_is_constant(const cst_system *s) {
  const int entries = (int)cst_system_masses(s);
  for (int k = 0; k < entries; k++)
    if (cst_graph_depends(s->graph, s->mass[k], 'q'))
      return false;
  return true;
}

/* Whether the bath can kick the flat body: by one rate, with few enough joints (core/noise.c). */
bool cst_langevin_fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                            int n) {
  const double velocities = s->nq - 6.0 * s->nbodies;
  const char  *body = flat->name;
  if (langevin_of(t).by_mass) {
    snprintf(why, (size_t)n,
             "coefficient is divided by the mass of each coordinate, and some of the flat body %s "
             "have none; friction is one rate",
             body);
    return false;
  }
  if (s->nown * velocities > MOST_JOINTS) {
    snprintf(
        why, (size_t)n,
        "the bath of systems with a flat body, such as %s, eliminates joints as a dense matrix: "
        "%d constraints times %g velocities are more than %d",
        body, s->nown, velocities, MOST_JOINTS);
    return false;
  }
  return true;
}

bool cst_langevin_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const cst_bath bath = langevin_of(t);
  if (!mass_is_constant(s)) {
    snprintf(
        why, (size_t)n,
        "%s needs a constant mass: the noise is M^(-1/2) times normal deviates, and the mass of %s "
        "depends on q; with constraints in place of such coordinates it would be constant",
        t->name, s->name);
    return false;
  }
  if (bath.by_mass && !cst_has(s, CST_SEPARABLE)) {
    snprintf(why, (size_t)n,
             "coefficient is divided by the mass of each coordinate, and the mass of %s is not "
             "diagonal; "
             "friction is one rate",
             s->name);
    return false;
  }
  return true;
}

cst_properties cst_langevin_properties(const cst_term *t, const cst_system *s, cst_properties of) {
  const cst_bath bath = langevin_of(t);
  if (bath.rate == 0)
    return of;
  of.order_measure = cst_properties_measure(&of);
  of.claims &= CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
  if (of.order_measure > 0 && (!bath.by_mass || s->ng == 0))
    of.claims |= CST_CLAIM_TEMPERATURE;
  of.order_q = of.order_p = of.order_lambda = 0;
  return of;
}

void cst_langevin_add(const cst_term *t, cst_program *p) {
  const cst_bath bath = langevin_of(t);
  if (bath.rate > 0)
    cst_program_add(p, cst_substep_noise(1, bath.rate, bath.inverse_temperature, bath.by_mass));
}

/* ---- langevin -------------------------------------------------------------------------------- */

static bool check(const cst_term *t, cst_expr_error *e) {
  int methods = 0;
  for (int i = 0; i < t->n; i++) {
    methods += !t->key[i];
    if (methods > 1)
      return cst_term_error(t->arg[i], e, "langevin takes one method: %s", t->row->info.example);
  }
  if (!methods)
    return cst_term_error(t, e, "langevin takes a method: %s", t->row->info.example);
  return cst_term_method(cst_term_argument(t, NULL), e) && cst_langevin_check(t, NULL, e);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const cst_term *method = cst_term_argument(t, NULL);
  double          more[CST_MORE_PARAMETERS];
  if (!cst_term_fits(method, s, why, n))
    return false;
  const cst_system *stepped = cst_term_system(method, s, more);
  if (stepped->ng > 0 && !(cst_term_properties(method, s).claims & CST_CLAIM_VELOCITIES)) {
    snprintf(why, (size_t)n,
             "langevin takes methods that leave v on the tangent space, onto which the noise is "
             "projected, "
             "and %s does not on %s; rattle, midpoint, convert(LAYER) and project(LAYER) do",
             method->name, s->name);
    return false;
  }
  return cst_langevin_fits(t, stepped, why, n);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  double            more[CST_MORE_PARAMETERS];
  const cst_term   *method = cst_term_argument(t, NULL);
  const cst_system *stepped = cst_term_system(method, s, more);
  return cst_langevin_properties(t, stepped ? stepped : s, cst_term_properties(method, s));
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_term_expand(cst_term_argument(t, NULL), p, fraction);
  cst_langevin_add(t, p);
}

const cst_method_row cst_method_row_langevin = {
    .info =
        {.name = "langevin",
         .doc = "A method in a heat bath: its step, then the exact effect of friction and noise on "
                "the "
                "velocities.",
         .equations =
             "METHOD;  v <- e^(-friction h) v + sqrt((1 - e^(-2 friction h))/b) M^(-1/2) xi;  "
             "then v M-orthogonally on G v = 0",
         .notes =
             "b, the inverse temperature, is 1/kT in the units of the energy; friction is a rate. "
             "The noise is a function of seed, member and step.\nWith rattle, in a harmonic well "
             "of "
             "frequency w: velocities are exact, <q^2> = kT/k / (1 - (h w)^2/4).\ncoefficient= in "
             "place of friction gives the coordinates the rates coefficient/m_i: with constraints "
             "the motion is then colder than the bath.\nOrders are strong orders, of steps that "
             "share a path: `noise: {resolution: H}` in the study.",
         .source =
             "N. Bou-Rabee, H. Owhadi, SIAM J. Numer. Anal. 48 (2010) 278; Tao, Owhadi, IMA J. "
             "Numer. Anal. (2016), section 4.3",
         .signature = "langevin(METHOD, friction=, inverse-temperature=)",
         .example = "langevin(rattle, friction=0.5, inverse-temperature=2)"},
    .check = check,
    .fits = fits,
    .fits_flat = cst_langevin_fits_flat,
    .properties = properties,
    .thermal = true,
    .expand = expand,
};
