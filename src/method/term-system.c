/* term-system.c: which systems a method can step, and what it claims on them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "core/boundary.h"
#include "method/method.h"

static bool has_method(const cst_system *s, char *why, int n) {
  if (s->flat < 0 || !s->nvel)
    return true;
  snprintf(why, (size_t)n,
           "no method steps %s: its body %s is flat for these parameters, and its mass in "
           "coordinates is that of bodies that are not; give the file parameters whose defaults "
           "make it flat, and constraints on velocities go with it",
           s->name, s->bodies[s->flat].name);
  return false;
}

/* Some coordinates of a flat body have no mass: only substeps for bodies can step it. */
static bool steps_flat(const cst_method *m, const cst_system *s, char *why, int n) {
  if (s->flat < 0)
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
             cst_method_label(m), s->bodies[s->flat].name);
  return good;
}

bool cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n) {
  CST_REQUIRE(m && s && (why || n <= 0), false);
  return has_method(s, why, n) && cst_term_fits(cst_method_root(m), s, why, n) &&
         steps_flat(m, s, why, n);
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
  const int  bends = s->pattern[CST_K_d2V].n;
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

/* Refuses systems with features that this method cannot step. */
static bool is_for(const cst_term *t, const cst_system *s, char *why, int n) {
  const unsigned lacks = ~t->row->on_also;
  if (s->nvel && lacks & CST_ON_NONHOLONOMIC)
    snprintf(why, (size_t)n,
             "%s has constraints on velocities, which %s does not keep; layers such as rk4, "
             "project(LAYER), "
             "lagrange-dalembert(LAYER) and gauss(s) step such systems",
             s->name, t->name);
  else if (s->slips && lacks & CST_ON_SLIPS)
    snprintf(why, (size_t)n,
             "%s has forces that depend on multipliers, for which %s does not solve; layers such "
             "as rk4, project(LAYER) and gauss(s) do",
             s->name, t->name);
  else if (s->massless && lacks & CST_ON_MASSLESS)
    snprintf(why, (size_t)n,
             "%s has coordinates without mass, and %s divides by the mass; midpoint, layers such "
             "as rk4, project(LAYER) and gauss(s) do not",
             s->name, t->name);
  else if (s->nforce && lacks & CST_ON_FORCES)
    snprintf(why, (size_t)n,
             "%s has nonconservative forces, which %s does not support; layers, project(LAYER), "
             "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do",
             s->name, t->name);
  else if (s->driven && lacks & CST_ON_DRIVEN)
    snprintf(why, (size_t)n,
             "%s has a constraint that depends on t, %s, which %s does not keep; rattle and the "
             "other variational methods, on the group too, their compositions, hbvm, layers with a "
             "tableau, project(LAYER), gauss(s), radau(s) and penalty(METHOD) do",
             s->name, s->family[s->driven_name[0]].name, t->name);
  else if (s->timed && lacks & CST_ON_TIME)
    snprintf(
        why, (size_t)n,
        "%s depends on time, which %s does not support; layers with a tableau, project(LAYER), "
        "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do",
        s->name, t->name);
  else
    return true;
  return false;
}

bool cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return is_for(t, s, why, n) && (!t->row->fits || t->row->fits(t, s, why, n));
}
/* Removes the claims that do not hold with constraints on velocities, forces or explicit time dependence. A
 * step at another time is another map, so a step back counted from the start does not undo it. */
static unsigned remaining_claims(unsigned claims, const cst_system *s) {
  if (s->nvel || s->nforce)
    claims &= ~(unsigned)(CST_CLAIM_SYMPLECTIC | CST_CLAIM_MOMENTUM | CST_CLAIM_BOUNDED |
                          CST_CLAIM_ENERGY | CST_CLAIM_VOLUME);
  if (s->timed)
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
  const bool within = t->row->of_layer && t->n && !t->key[0];
  cst_layer  l = {0};
  if (!cst_term_layer(within ? t->arg[0] : t, &l) || l.rule)
    return;
  c->orders = CST_TREE_ORDER;
  c->roundoff = CST_TREE_VANISHING;
  cst_tableau_defects(&l.tableau, c->defect);
  if (within && t->row->properties(t, s).claims & CST_CLAIM_SYMMETRIC)
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
