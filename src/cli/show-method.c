/* show-method.c: the page on a family of methods, and order and claims of a method on a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/description.h"
#include "cli/show.h"
#include "core/diag.h"
#include "core/home.h"

static void print_claims(unsigned claims, int measure, const char *system) {
  char temperature[60];
  snprintf(temperature, sizeof temperature, "temperature of its bath, to order %d in h", measure);
  const struct {
    unsigned    claim;
    const char *text;
  } names[] = {{CST_CLAIM_SYMPLECTIC, "symplectic"},
               {CST_CLAIM_VOLUME, "volume in phase space"},
               {CST_CLAIM_SYMMETRIC, "symmetric"},
               {CST_CLAIM_POSITIONS, "g(q) = 0 to the solver's tolerance or round-off"},
               {CST_CLAIM_VELOCITIES, "G v = 0 to round-off"},
               {CST_CLAIM_MOMENTUM, "momenta of linear symmetries to round-off"},
               {CST_CLAIM_ENERGY, "energy to round-off"},
               {CST_CLAIM_BOUNDED, "energy error bounded at moderate steps"},
               {CST_CLAIM_TEMPERATURE, temperature}};
  char        text[600];
  int         at = snprintf(text, sizeof text, "on %.200s: ", system);
  const char *between = claims ? "" : "none";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (claims & names[i].claim) {
      at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", between, names[i].text);
      between = "; ";
    }
  cst_show_item("claims", claims ? text : strcat(text, between));
}

/* The claims that are not trivial for s. */
static unsigned nontrivial(const cst_system *s) {
  return ~((s->ng ? 0u : CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES) |
           (s->nsym ? 0u : CST_CLAIM_MOMENTUM));
}

static void print_properties(const cst_method *m, const cst_system *s) {
  const cst_properties p = cst_method_properties(m, s);
  if (p.order_q)
    printf("%-12s %d in q, %d in p", "order", p.order_q, p.order_p);
  else
    printf("%-12s none", "order");
  if (s->ng && p.order_q)
    printf(", %d in lambda", p.order_lambda);
  printf(" (of `%s`, on %s)\n", cst_method_label(m), s->name);
  if (s->ng && p.own_lambda)
    printf("%-12s its own, those of step n -> n+1 belong to t = (n + %g) h\n", "multipliers",
           p.lambda_time);
  else if (s->ng)
    printf("%-12s from M A = f - G'lambda at its state\n", "multipliers");
  cst_show_item("momenta", p.tangential ? "tangential: p is the part of M v + a with G p = 0"
                                        : "kinetic: p = M v + a");
  print_claims(p.claims & nontrivial(s), p.order_measure, s->name);
}

/* Prints the line of the method in the certificate of the catalogue, "LABEL<tab>what was found", if there is one. */
static void print_certificate(const cst_method *m) {
  char   path[4200], *line = NULL;
  size_t room = 0;
  FILE  *f = cst_home_find("analysis/constella/certifying/catalogue.txt", path, sizeof path)
                 ? fopen(path, "r")
                 : NULL;
  while (f && getline(&line, &room, f) > 0) {
    char *tab = strchr(line, '\t');
    if (!tab)
      continue;
    *tab++ = 0;
    tab[strcspn(tab, "\n")] = 0;
    if (!strcmp(line, cst_method_label(m)))
      cst_show_item("certificate", tab);
  }
  free(line);
  if (f)
    fclose(f);
}

/* The registry's entry for a name; NULL: it is not the name of a method. */
static const cst_method_info *method_named(const char *name) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(cst_method_info_at(i)->name, name))
      return cst_method_info_at(i);
  return NULL;
}

cst_method *cst_show_method_of(const char *text, cst_expr_error *e) {
  const cst_method_info *info = method_named(text);
  return cst_method_parse(info ? info->example : text, NULL, e);
}

/* The first of these that the method steps; the first of the catalogue where it steps none. */
static cst_system *usual(const cst_method *m) {
  static const char *const names[] = {"spherical-pendulum", "henon-heiles", "lagrange-top",
                                      "nonholonomic-oscillator"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char        why[400];
    cst_system *s = cst_catalogue_create(names[i]); /* NULL in a build with other systems */
    if (s && cst_method_fits(m, s, why, sizeof why))
      return s;
    cst_system_destroy(s);
  }
  return cst_catalogue_create(cst_catalogue_name(0));
}

/* Prints a method with its claims on the given system, or on a usual one: claims depend on the system. */
void cst_show_method(const char *text, const cst_method *m, const char *system, cst_diag *d) {
  const cst_method_info *info = method_named(text);
  cst_system            *s = system ? cst_description_read(system, d) : usual(m);
  char                   why[400] = "";
  const bool             good = s && cst_method_fits(m, s, why, sizeof why);
  if (s && !good)
    cst_diag_add(d, NULL, 0, 0, "%s", why);
  if (good && info) {
    printf("%s: a method\n\n", info->signature);
    cst_show_item("", info->doc);
    cst_show_item("equations", info->equations);
    cst_show_item("notes", info->notes);
    cst_show_item("source", info->source);
    cst_show_item("example", info->example);
  }
  if (good)
    print_properties(m, s);
  if (good)
    print_certificate(m);
  cst_system_destroy(s);
}
