/* registry.c: the table of methods, generated from list.h; which systems they can step, and what they claim on them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "constella/method.h"
#include "core/boundary.h"
#include "method/method.h"

#define METHOD(name) extern const cst_method_row cst_method_row_##name;
#include "method/list.h"
#undef METHOD

static const cst_method_row *const rows[] = {
#define METHOD(name) &cst_method_row_##name,
#include "method/list.h"
#undef METHOD
};

int cst_method_count(void) { return sizeof rows / sizeof *rows; }

const cst_method_info *cst_method_info_at(int i) {
  return i >= 0 && i < cst_method_count() ? &rows[i]->info : NULL;
}

const cst_method_row *cst_method_row_find(const char *name) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(rows[i]->info.name, name))
      return rows[i];
  return NULL;
}

/* ---- which systems a method can step, and what it claims on them ----------------------------- */

static bool has_method(const cst_system *s, const cst_body *flat, char *why, int n) {
  if (!flat || !s->model->nvel)
    return true;
  snprintf(why, (size_t)n,
           "no method steps %s: its body %s is flat for these parameters, and its mass in "
           "coordinates is that of bodies that are not; give the file parameters whose defaults "
           "make it flat, and constraints on velocities go with it",
           s->name, flat->name);
  return false;
}

/* Some coordinates of a flat body have no mass: only substeps for bodies can step it. */
static bool steps_flat(const cst_method *m, const cst_system *s, const cst_body *flat, char *why,
                       int n) {
  if (!flat)
    return true;
  cst_program *p = cst_program_create_on(m, s);
  bool         good = true;
  for (int i = 0; i < p->n; i++)
    good &= (p->step[i].row->features & CST_STEPS_FLAT) != 0;
  cst_program_destroy(p);
  if (!good)
    snprintf(why, (size_t)n,
             "%s cannot step the flat body %s: a principal moment is the sum of the other two, so "
             "coordinates of its rotation matrix have no mass; methods on the group (lie-...) can",
             cst_method_label(m), flat->name);
  return good;
}

static bool root_fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                           int n) {
  return !flat || !t->row->fits_flat || t->row->fits_flat(t, s, flat, why, n);
}

bool cst_method_fits_flat(const cst_method *m, const cst_system *s, const cst_body *flat, char *why,
                          int n) {
  CST_REQUIRE(m && s && (why || n <= 0), false);
  const cst_term *root = cst_method_root(m);
  return has_method(s, flat, why, n) && root_fits_flat(root, s, flat, why, n) &&
         cst_term_fits(root, s, why, n) && steps_flat(m, s, flat, why, n);
}

bool cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n) {
  CST_REQUIRE(s, false);
  return cst_method_fits_flat(m, s, cst_system_flat(s), why, n);
}
const cst_system *cst_method_system(const cst_method *m, const cst_system *s, double *more) {
  CST_REQUIRE(m && s && more, NULL);
  return cst_term_system(cst_method_root(m), s, more);
}
cst_properties cst_method_properties(const cst_method *m, const cst_system *s) {
  CST_REQUIRE(m && s, (cst_properties){0});
  return cst_term_properties(cst_method_root(m), s);
}

const cst_system *cst_term_system(const cst_term *t, const cst_system *s, double *more) {
  const cst_term *inner = t->row->thermal ? cst_term_argument(t, NULL) : NULL;
  if (inner)
    return cst_term_system(inner, s, more);
  return t->row->on ? t->row->on(t, s, more) : s;
}

enum { MOST_BENDS = 1200000 }; /* lane code has them on the stack: 77 MB with 8 lanes */

bool cst_term_bends(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool known = cst_system_bend(s);
  const int  bends = s->model->pattern[CST_K_d2V].n;
  if (known && bends <= MOST_BENDS)
    return true;
  if (known)
    snprintf(why, (size_t)n,
             "%s needs second derivatives of the potential; %s has %d of them, more than %d",
             t->name, s->name, bends, MOST_BENDS);
  else
    snprintf(
        why, (size_t)n,
        "%s needs second derivatives of the potential, and those of %s, with its sums over pairs "
        "expanded, are too large",
        t->name, s->name);
  return false;
}

/* What is said of a trait that a method does not step, or that it needs: of the system %1$s, the method %2$s and the constraint %3$s that
 * depends on t. */
static const struct {
  unsigned    trait;
  const char *why;
  bool        needed;
} refusals[] = {
    {CST_NONHOLONOMIC, "%2$s is for constraints on velocities and %1$s has none", true},
    {CST_SEPARABLE,
     "%2$s needs a constant diagonal mass, no gyroscopic term, no forces and no "
     "dependence on time, and %1$s has others",
     true},
    {CST_NONHOLONOMIC,
     "%1$s has constraints on velocities, which %2$s does not keep; layers such as rk4, "
     "project(LAYER), lagrange-dalembert(LAYER) and gauss(s) step such systems"},
    {CST_SLIPS,
     "%1$s has forces that depend on multipliers, for which %2$s does not solve; layers such "
     "as rk4, project(LAYER) and gauss(s) do"},
    {CST_MASSLESS,
     "%1$s has coordinates without mass, and %2$s divides by the mass; midpoint, layers such "
     "as rk4, project(LAYER) and gauss(s) do not"},
    {CST_FORCED,
     "%1$s has nonconservative forces, which %2$s does not support; layers, project(LAYER), "
     "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do"},
    {CST_DRIVEN,
     "%1$s has a constraint that depends on t, %3$s, which %2$s does not keep; rattle and the "
     "other variational methods, on the group too, their compositions, hbvm, layers with a "
     "tableau, project(LAYER), gauss(s), radau(s) and penalty(METHOD) do"},
    {CST_TIMED,
     "%1$s depends on time, which %2$s does not support; layers with a tableau, project(LAYER), "
     "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do"},
};

/* Refuses systems with traits that this method does not step. */
static bool is_for(const cst_term *t, const cst_system *s, char *why, int n) {
  const unsigned left = s->model->traits & ~t->row->steps;
  const char    *driven =
      s->model->ndriven ? s->description->family[s->model->driven_name[0]].name : "";
  const unsigned lacks = t->row->needs & ~s->model->traits;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (refusals[i].trait & (refusals[i].needed ? lacks : left)) {
      snprintf(why, (size_t)n, refusals[i].why, s->name, t->name, driven);
      return false;
    }
  return true;
}

bool cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return is_for(t, s, why, n) && (!t->row->fits || t->row->fits(t, s, why, n));
}
/* Removes the claims that do not hold with constraints on velocities, forces or explicit time dependence. A
 * step at another time is another map, so a step back counted from the start does not undo it. */
static unsigned remaining_claims(unsigned claims, const cst_system *s) {
  if (s->model->traits & (CST_NONHOLONOMIC | CST_FORCED))
    claims &= ~(unsigned)(CST_CLAIM_SYMPLECTIC | CST_CLAIM_MOMENTUM | CST_CLAIM_BOUNDED |
                          CST_CLAIM_ENERGY | CST_CLAIM_VOLUME);
  if (cst_has(s, CST_TIMED))
    claims &= ~(unsigned)(CST_CLAIM_BOUNDED | CST_CLAIM_ENERGY | CST_CLAIM_SYMMETRIC);
  return claims;
}

cst_properties cst_term_properties(const cst_term *t, const cst_system *s) {
  cst_properties p = t->row->properties(t, s);
  p.claims = remaining_claims(p.claims, s);
  return p;
}
/* Those of a layer around which a method is built. Where the method is symmetric, odd orders are enough. */
static void layer_conditions(const cst_term *t, const cst_system *s, cst_conditions *c) {
  const cst_term *layer = t->row->of_layer ? cst_term_argument(t, NULL) : NULL;
  cst_layer       l = {0};
  if (!cst_term_layer(layer ? layer : t, &l) || l.rule)
    return;
  c->orders = CST_TREE_ORDER;
  c->roundoff = CST_TREE_VANISHING;
  cst_tableau_defects(&l.tableau, c->defect);
  if (layer && t->row->properties(t, s).claims & CST_CLAIM_SYMMETRIC)
    for (int k = 2; k <= CST_TREE_ORDER; k += 2)
      c->defect[k] = 0;
}

cst_conditions cst_method_conditions(const cst_method *m, const cst_system *s) {
  cst_conditions c = {0};
  CST_REQUIRE(m && s, c);
  const cst_term *t = cst_method_root(m);
  layer_conditions(t, s, &c);
  if (!c.orders && t->row->conditions)
    t->row->conditions(t, s, &c);
  return c;
}

bool cst_term_layer(const cst_term *t, cst_layer *l) {
  return t->row->layer && t->row->layer(t, l);
}
void cst_term_expand(const cst_term *t, cst_program *p, double fraction) {
  t->row->expand(t, p, fraction);
}

/* ---- what follows from the properties of a method -------------------------------------------- */

double cst_properties_window(const cst_properties *p, double h) {
  CST_REQUIRE(p, NAN);
  return p->mean > 0 ? fmax(1, round(p->mean / fabs(h))) : 0;
}

double cst_properties_back(const cst_properties *p, double h, double step) {
  CST_REQUIRE(p, NAN);
  return (1 - p->lambda_time) + 0.5 * fmin(step, cst_properties_window(p, h));
}

static int least(int a, int b) { return a < b ? a : b; }

int cst_properties_measure(const cst_properties *p) {
  CST_REQUIRE(p, 0);
  const unsigned volume = CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME;
  /* conjugate to a symplectic map */
  const bool conjugate = p->claims & CST_CLAIM_BOUNDED && !(p->claims & CST_CLAIM_ENERGY);
  if (p->order_measure > 0)
    return p->order_measure;
  return p->claims & volume || conjugate ? least(p->order_q, p->order_p) : 0;
}
