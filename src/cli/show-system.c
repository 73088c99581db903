/* show-system.c: the page on a system of the catalogue. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/description.h"
#include "cli/show.h"
#include "system/named-events.h"
#include "system/library.h"
#include "constella/system.h"
#include "core/need.h"

enum { SHOWN = 12 }; /* numbers of a long state */

static void print_texts(const char *title, int n, const char *const *name,
                        const char *const *text) {
  for (int i = 0; i < n; i++)
    printf("%-12s %s: %s\n", i ? "" : title, name[i], text[i]);
}

/* "x" or "link[2..20]". */
static void print_name(const cst_name *x) {
  printf(x->array ? "%s[%d..%d]" : "%s", x->name, x->first, x->first + x->count - 1);
}

static void print_names(const char *title, const cst_name *name, int n) {
  printf("%-12s", title);
  for (int i = 0; i < n; i++) {
    printf(i ? ", " : " ");
    print_name(&name[i]);
  }
  printf("\n");
}

/* The number of names of coordinates that belong to no body. */
static int plain_names(const cst_system *s) {
  int n = 0;
  while (n < s->ncoordinate && s->coordinate_name[n].at < s->nplain)
    n++;
  return n;
}

/* Prints a text for each of the n declared coordinates: an entry, or a row of a matrix on its own line. */
static void print_rows(const char *title, int n, const char *const *text, bool rows) {
  printf("%-12s", title);
  for (int i = 0; i < n; i++) {
    if (i)
      printf(rows ? "\n%*s" : ", ", rows ? CST_SHOW_INDENT - 1 : 0, "");
    printf("%s%s", rows || !i ? " " : "", text[i] ? text[i] : "?");
  }
  printf("\n");
}

/* Prints the coordinates of bodies and their orthogonality constraints. */
static void print_bodies(const cst_system *s) {
  for (int k = 0; k < s->nbody_name; k++) {
    const cst_name *body = &s->body_name[k];
    const cst_body *b = &s->bodies[body->at];
    printf("%-12s ", k ? "" : "bodies");
    print_name(body);
    printf(": rotation %s .. %s", s->coordinate[b->rotation], s->coordinate[b->rotation + 8]);
    if (b->centre >= 0)
      printf(", centre %s %s %s", s->coordinate[b->centre], s->coordinate[b->centre + 1],
             s->coordinate[b->centre + 2]);
    else
      printf(" about the origin");
    printf("\n%*sconstraints %s .. %s (R'R - 1, on the diagonal half of it)\n", CST_SHOW_INDENT, "",
           s->constraint[b->constraint], s->constraint[b->constraint + 5]);
  }
}

static void print_families(const cst_system *s) {
  for (int i = 0; i < s->nfamily && s->family[i].at < s->nown; i++) {
    printf("%-12s ", i ? "" : "constraints");
    print_name(&s->family[i]);
    printf(": %s", s->family[i].text ? s->family[i].text : "?");
    if (s->family[i].range)
      printf("   for %s", s->family[i].range);
    printf("\n");
  }
}

static void print_velocity_constraints(const cst_system *s) {
  bool any = false;
  for (int i = 0; i < s->nfamily; i++) {
    if (s->family[i].at < s->ng - s->nvel)
      continue;
    printf("%-12s %s: %s = 0\n", any ? "" : "nonholonomic", s->family[i].name, s->family[i].text);
    any = true;
  }
}

static void print_forces(const cst_system *s) {
  for (int k = 0; k < s->nforce; k++)
    printf("%-12s %s: (%s)\n", k ? "" : "forces", s->force_name[k], s->force_text[k]);
}

/* Whether the default is an expression of other parameters. */
static bool follows(const cst_system *s, const cst_parameter *p) {
  return cst_graph_depends(s->graph, p->node, 'c');
}

static void print_parameters(const cst_system *s) {
  for (int i = 0; i < cst_system_named(s); i++) {
    const cst_parameter *p = &s->parameter[i];
    const char          *blank = *p->unit ? " " : "";
    const char          *gap = *p->doc ? "  " : "";
    const char          *kind = "";
    if (p->size)
      kind = "  (a size: a whole number)";
    else if (follows(s, p))
      kind = "  (follows the others)";
    printf("%-12s %s = %.10g%s%s%s%s%s\n", i ? "" : "parameters", p->name, p->value, blank, p->unit,
           gap, p->doc, kind);
  }
}

/* Prints the first few components. */
static void print_vector(const char *name, const double *x, int n) {
  printf("%s = (", name);
  for (int k = 0; k < n && k < SHOWN; k++)
    printf("%s%.6g", k ? ", " : "", x[k]);
  printf(n > SHOWN ? ", ...)" : ")");
}

static void print_state(const cst_system *s, int i) {
  double  c[CST_MAX_PAR];
  double *q = cst_need(calloc(2 * (size_t)s->nq, sizeof *q));
  double *v = q + s->nq;
  for (int k = 0; k < s->npar; k++)
    c[k] = s->parameter[k].value;
  cst_system_state(s, i, c, q, v);
  printf("%-12s %s: ", i ? "" : "states", s->state[i].name);
  print_vector("q", q, s->nq);
  print_vector(", v", v, s->nq);
  printf("%s\n", cst_system_has_exact(s, i) ? ", exact motion known" : "");
  free(q);
}

static void print_symmetries(const cst_system *s) {
  print_texts("symmetries", s->nsym, s->symmetry, s->symmetry_text);
  for (int k = 0; k < s->nsym; k++)
    if (!cst_graph_is_zero(s->graph, s->gauge[k]))
      printf("%-12s the momentum map of %s is <M v + a, xi> - F\n", "", s->symmetry[k]);
}

static void print_events(const cst_system *s) {
  const cst_system_event *e;
  const int               n = cst_system_events(s, &e);
  for (int k = 0; k < n; k++)
    printf("%-12s %s: %s = 0%s%s\n", k ? "" : "events", e[k].name, e[k].text,
           e[k].direction ? ", " : "", e[k].direction ? e[k].direction : "");
}

/* Prints the methods that cannot step the system, tested by their examples. */
static void print_methods(const cst_system *s) {
  char why[400];
  int  none = 0;
  for (int i = 0; i < cst_method_count(); i++) {
    const cst_method_info *info = cst_method_info_at(i);
    cst_expr_error         e;
    cst_method            *m = cst_method_parse(info->example, NULL, &e);
    if (m && !cst_method_fits(m, s, why, sizeof why))
      printf("%s%s", none++ ? ", " : "methods      all but ", info->signature);
    cst_method_destroy(m);
  }
  printf(none ? "\n" : "methods      all\n");
}

static void print_equations(const cst_system *s) {
  const char *g = s->ng ? " - G'lambda, g(q) = 0, G = Dg" : "";
  if (s->general)
    printf("\nEquations: L = 1/2 v'M(q)v%s - V(q), p = M v%s; M A = f%s, f = L_q - L_vq v.\n",
           s->gyroscopic ? " + a(q).v" : "", s->gyroscopic ? " + a" : "", g);
  else
    printf("\nEquations: L = 1/2 v'M v - V(q), p = M v; M A = f%s, f = -dV.\n", g);
}

/* A system whose file is found by its name. */
static cst_system *from_library(const char *name) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_library_path(name) ? cst_description_read(name, d) : NULL;
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return s;
}

bool cst_show_system(const char *name) {
  cst_system *s = cst_catalogue_create(name);
  const char *where = s ? "of the catalogue" : "in a file, found by its name";
  if (!s)
    s = from_library(name);
  if (!s)
    return false;
  printf("%s: a system %s\n\n", s->name, where);
  cst_show_item("", s->doc);
  cst_show_item("source", s->source);
  printf("\n");
  print_names("coordinates", s->coordinate_name, s->ncoordinate);
  print_bodies(s);
  if (!s->nplain)
    cst_show_item("mass", "of the bodies alone");
  if (s->nplain)
    print_rows("mass", plain_names(s), s->mass_text,
               *s->mass_text[0] == '[' && !s->coordinate_name[0].array);
  if (s->gyroscopic)
    print_rows("gyroscopic", s->ncoordinate, s->gyroscopic_text, false);
  cst_show_item("potential", s->potential_text);
  if (s->stiff_text)
    cst_show_item("stiff", s->stiff_text);
  print_families(s);
  print_velocity_constraints(s);
  print_forces(s);
  print_symmetries(s);
  print_parameters(s);
  printf("%-12s %d coordinate%s, %d constraint%s\n", "size", s->nq, s->nq == 1 ? "" : "s", s->ng,
         s->ng == 1 ? "" : "s");
  for (int i = 0; i < s->nstate; i++)
    print_state(s, i);
  print_events(s);
  print_methods(s);
  print_equations(s);
  cst_system_destroy(s);
  return true;
}
