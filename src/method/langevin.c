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

static bool mass_is_constant(const cst_system *s) {
  const int entries = (int)cst_system_masses(s);
  for (int k = 0; k < entries; k++)
    if (cst_graph_depends(s->model->graph, s->model->mass[k], 'q'))
      return false;
  return true;
}

/* Whether the bath can kick the flat body: by one rate, with few enough joints (core/noise.c). */
bool cst_langevin_fits_flat(cst_bath bath, const cst_system *s, const cst_body *flat, char *why,
                            int n) {
  const double velocities = s->nq - 6.0 * s->model->nbodies;
  const char  *body = flat->name;
  if (bath.by_mass) {
    snprintf(why, (size_t)n,
             "coefficient is divided by the mass of each coordinate, and some of the flat body %s "
             "have none; friction is one rate",
             body);
    return false;
  }
  if (s->model->nown * velocities > MOST_JOINTS) {
    snprintf(
        why, (size_t)n,
        "the bath of systems with a flat body, such as %s, eliminates joints as a dense matrix: "
        "%d constraints times %g velocities are more than %d",
        body, s->model->nown, velocities, MOST_JOINTS);
    return false;
  }
  return true;
}

bool cst_langevin_fits(const cst_term *t, cst_bath bath, const cst_system *s, char *why, int n) {
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

cst_properties cst_langevin_properties(cst_bath bath, const cst_system *s, cst_properties of) {
  if (bath.rate == 0)
    return of;
  of.order_measure = cst_properties_measure(&of);
  of.claims &= CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES;
  if (of.order_measure > 0 && (!bath.by_mass || s->ng == 0))
    of.claims |= CST_CLAIM_TEMPERATURE;
  of.order_q = of.order_p = of.order_lambda = 0;
  return of;
}

void cst_langevin_add(cst_bath bath, cst_program *p) {
  if (bath.rate > 0)
    cst_program_add(p, cst_substep_noise(1, bath.rate, bath.inverse_temperature, bath.by_mass));
}

/* ---- langevin -------------------------------------------------------------------------------- */

typedef struct {
  cst_term *method;
  double    friction, coefficient; /* negative: not given */
  double    inverse_temperature;
} values;

static const cst_key arguments[] = {
    {"", "METHOD", CST_BY_PLACE, NULL, NULL, "",
     "langevin(midpoint, friction=0.5, inverse-temperature=2)", "a method",
     .value = {CST_VALUE_METHOD, CST_AT(values, method)}},
    CST_FRICTION(values, friction, "required without coefficient", true,
                 "langevin(rattle, friction=0.5, inverse-temperature=2)"),
    {"", "coefficient", CST_BY_NAME, NULL, "none", "mass/time",
     "langevin(rattle, coefficient=0.5, inverse-temperature=2)",
     "in place of friction, divided by the mass of each coordinate; 0: no noise",
     .value = {CST_VALUE_NUMBER, CST_AT(values, coefficient), 0, CST_NO_LIMIT, .rule = true}},
    CST_INVERSE_TEMPERATURE(values, inverse_temperature,
                            "langevin(rattle, friction=0.5, inverse-temperature=3)"),
    {0}};

static values values_of(const cst_term *t) {
  values x = {.friction = -1, .coefficient = -1};
  cst_term_read(t, &x);
  return x;
}

static cst_bath bath_of(const cst_term *t) {
  const values x = values_of(t);
  const bool   by_mass = x.coefficient >= 0;
  return (cst_bath){by_mass ? x.coefficient : x.friction, x.inverse_temperature, by_mass};
}

static bool check(const cst_term *t, cst_expr_error *e) {
  const values x = values_of(t);
  if (x.friction >= 0 && x.coefficient >= 0)
    return cst_term_error(
        cst_term_argument(t, "coefficient"), e,
        "friction is one rate for all coordinates, coefficient is divided by their masses: "
        "give only one of them");
  return x.friction >= 0 || x.coefficient >= 0 ||
         cst_term_error(t, e, "%s needs friction, a rate: %s", t->name, t->row->info.example);
}

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  const cst_term *method = values_of(t).method;
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
  return cst_langevin_fits(t, bath_of(t), stepped, why, n);
}

static bool fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                      int n) {
  return cst_langevin_fits_flat(bath_of(t), s, flat, why, n);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  double            more[CST_MORE_PARAMETERS];
  const cst_term   *method = values_of(t).method;
  const cst_system *stepped = cst_term_system(method, s, more);
  return cst_langevin_properties(bath_of(t), stepped ? stepped : s, cst_term_properties(method, s));
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_term_expand(values_of(t).method, p, fraction);
  cst_langevin_add(bath_of(t), p);
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
    .arguments = arguments,
    .check = check,
    .fits = fits,
    .fits_flat = fits_flat,
    .properties = properties,
    .thermal = true,
    .expand = expand,
};
