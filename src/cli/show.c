/* show.c: `constella show NAME`: prints a page on a system, a method, a scheme or a kind of study from its
 * row, and order and claims of a method expression on a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/description.h"
#include "cli/page.h"
#include "core/diag.h"
#include "core/need.h"
#include "constella/study.h"
#include "study/kind.h"

enum { INDENT = 13, SHOWN = 12 }; /* columns of the labels; numbers shown of a long state */

static void item(const char *name, const char *text) { cst_page_item(name, text, INDENT, stdout); }

/* ---- systems ---- */

static void print_texts(const char *title, int n, const char *const *name, const char *const *text) {
  for (int i = 0; i < n; i++) printf("%-12s %s: %s\n", i ? "" : title, name[i], text[i]);
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
  while (n < s->ncoordinate && s->coordinate_name[n].at < s->nplain) n++;
  return n;
}

/* Prints a text for each of the n declared coordinates: an entry, or a row of a matrix on its own line. */
static void print_rows(const char *title, int n, const char *const *text, bool rows) {
  printf("%-12s", title);
  for (int i = 0; i < n; i++) {
    if (i) printf(rows ? "\n%*s" : ", ", rows ? INDENT - 1 : 0, "");
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
    printf("\n%*sconstraints %s .. %s (R'R - 1, on the diagonal half of it)\n", INDENT, "",
           s->constraint[b->constraint], s->constraint[b->constraint + 5]);
  }
}

static void print_families(const cst_system *s) {
  for (int i = 0; i < s->nfamily && s->family[i].at < s->nown; i++) {
    printf("%-12s ", i ? "" : "constraints");
    print_name(&s->family[i]);
    printf(": %s", s->family[i].text ? s->family[i].text : "?");
    if (s->family[i].range) printf("   for %s", s->family[i].range);
    printf("\n");
  }
}

static void print_velocity_constraints(const cst_system *s) {
  bool any = false;
  for (int i = 0; i < s->nfamily; i++) {
    if (s->family[i].at < s->ng - s->nvel) continue;
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
    printf("%-12s %s = %.10g%s%s%s%s%s\n", i ? "" : "parameters", p->name, p->value, *p->unit ? " " : "",
           p->unit, *p->doc ? "  " : "", p->doc,
           p->size         ? "  (a size: a whole number)"
           : follows(s, p) ? "  (follows the others)"
                           : "");
  }
}

/* Prints the first few components. */
static void print_vector(const char *name, const double *x, int n) {
  printf("%s = (", name);
  for (int k = 0; k < n && k < SHOWN; k++) printf("%s%.6g", k ? ", " : "", x[k]);
  printf(n > SHOWN ? ", ...)" : ")");
}

static void print_state(const cst_system *s, int i) {
  double  c[CST_MAX_PAR], *q = cst_need(calloc(2 * (size_t)s->nq, sizeof *q));
  double *v = q + s->nq;
  for (int k = 0; k < s->npar; k++) c[k] = s->parameter[k].value;
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

static bool show_system(const char *name) {
  cst_system *s = cst_catalogue_create(name);
  if (!s) return false;
  printf("%s: a system of the catalogue\n\n", s->name);
  item("", s->doc);
  item("source", s->source);
  printf("\n");
  print_names("coordinates", s->coordinate_name, s->ncoordinate);
  print_bodies(s);
  if (!s->nplain) item("mass", "of the bodies alone");
  if (s->nplain)
    print_rows("mass", plain_names(s), s->mass_text, *s->mass_text[0] == '[' && !s->coordinate_name[0].array);
  if (s->gyroscopic) print_rows("gyroscopic", s->ncoordinate, s->gyroscopic_text, false);
  item("potential", s->potential_text);
  if (s->stiff_text) item("stiff", s->stiff_text);
  print_families(s);
  print_velocity_constraints(s);
  print_forces(s);
  print_symmetries(s);
  print_parameters(s);
  printf("%-12s %d coordinate%s, %d constraint%s\n", "size", s->nq, s->nq == 1 ? "" : "s", s->ng,
         s->ng == 1 ? "" : "s");
  for (int i = 0; i < s->nstate; i++) print_state(s, i);
  print_methods(s);
  print_equations(s);
  cst_system_destroy(s);
  return true;
}

/* ---- methods ---- */

static void print_claims(unsigned claims, const char *system) {
  static const struct {
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
               {CST_CLAIM_TEMPERATURE, "temperature of its bath"}};
  char        text[600];
  int         at = snprintf(text, sizeof text, "on %.200s: ", system);
  const char *between = claims ? "" : "none";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (claims & names[i].claim)
      at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", between, names[i].text), between = "; ";
  item("claims", claims ? text : strcat(text, between));
}

/* The claims that are not trivial for s. */
static unsigned nontrivial(const cst_system *s) {
  return ~((s->ng ? 0u : CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES) | (s->nsym ? 0u : CST_CLAIM_MOMENTUM));
}

static void print_properties(const cst_method *m, const cst_system *s) {
  const cst_properties p = cst_method_properties(m, s);
  if (p.order_q)
    printf("%-12s %d in q, %d in p", "order", p.order_q, p.order_p);
  else
    printf("%-12s none", "order");
  if (s->ng && p.order_q) printf(", %d in lambda", p.order_lambda);
  printf(" (of `%s`, on %s)\n", cst_method_label(m), s->name);
  if (s->ng && p.own_lambda)
    printf("%-12s its own, those of step n -> n+1 belong to t = (n + %g) h\n", "multipliers", p.lambda_time);
  else if (s->ng)
    printf("%-12s from M A = f - G'lambda at its state\n", "multipliers");
  item("momenta",
       p.tangential ? "tangential: p is the part of M v + a with G p = 0" : "kinetic: p = M v + a");
  print_claims(p.claims & nontrivial(s), s->name);
}

/* The registry's entry for a name; NULL: it is not the name of a method. */
static const cst_method_info *method_named(const char *name) {
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(cst_method_info_at(i)->name, name)) return cst_method_info_at(i);
  return NULL;
}

static cst_method *method_of(const char *text, cst_expr_error *e) {
  const cst_method_info *info = method_named(text);
  return cst_method_parse(info ? info->example : text, NULL, e);
}

/* The first of these that the method steps; the first of all where it steps none. */
static cst_system *usual(const cst_method *m) {
  static const char *const names[] = {"spherical-pendulum", "henon-heiles", "lagrange-top",
                                      "nonholonomic-oscillator"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char        why[400];
    cst_system *s = cst_catalogue_create(names[i]);
    if (cst_method_fits(m, s, why, sizeof why)) return s;
    cst_system_destroy(s);
  }
  return cst_catalogue_create(names[0]);
}

/* Prints a method with its claims on the given system, or on a usual one: claims depend on the system. */
static void show_method(const char *text, const cst_method *m, const char *system, cst_diag *d) {
  const cst_method_info *info = method_named(text);
  cst_system            *s = system ? cst_description_read(system, d) : usual(m);
  char                   why[400] = "";
  const bool             good = s && cst_method_fits(m, s, why, sizeof why);
  if (s && !good) cst_diag_add(d, NULL, 0, 0, "%s", why);
  if (good && info) {
    printf("%s: a method\n\n", info->signature);
    item("", info->doc);
    item("equations", info->equations);
    item("notes", info->notes);
    item("source", info->source);
    item("example", info->example);
  }
  if (good) print_properties(m, s);
  cst_system_destroy(s);
}

static bool show_scheme(const char *name) {
  const cst_scheme *s = cst_scheme_find(name);
  if (!s) return false;
  printf("%s: a composition scheme\n\n", s->name);
  item("", s->doc);
  item("source", s->source);
  printf("%-12s %d on a symmetric base of order 2\n%-12s", "order", s->order, "gammas");
  for (int i = 0; i < s->stages; i++) printf("%s%.17g", i ? ", " : " ", s->gamma[i]);
  printf("\n");
  return true;
}

static bool show_kind(const char *name) {
  static const struct {
    unsigned    need;
    const char *doc;
  } needs[] = {{CST_NEEDS_REFERENCE, "a reference in the study file"},
               {CST_NEEDS_REFERENCE_ERROR, "the error of a method that is the reference"},
               {CST_NEEDS_NOMINAL_STEPS, "steps as they are written, not rounded to few bits"},
               {CST_NEEDS_WINDOWS, "means over windows of the run"}};
  const cst_kind *k = cst_kind_find(name);
  const char     *title = "needs";
  if (!k) return false;
  printf("%s: a kind of study\n\n", k->name);
  item("", k->doc);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (k->needs & needs[i].need) {
      item(title, needs[i].doc);
      title = "";
    }
  title = "keys";
  for (const char *const *key = k->keys; key && *key; key++) {
    item(title, *key);
    title = "";
  }
  item("figures", k->figures);
  return true;
}

/* The nearest name, for the end of a message. */
static const char *guess(const char *name) {
  const char *names[256];
  int         n = 0;
  for (int i = 0; i < cst_catalogue_size(); i++) names[n++] = cst_catalogue_name(i);
  for (int i = 0; i < cst_method_count(); i++) names[n++] = cst_method_info_at(i)->name;
  for (int i = 0; i < cst_scheme_count(); i++) names[n++] = cst_scheme_at(i)->name;
  for (int i = 0; i < cst_kind_count(); i++) names[n++] = cst_kind_name(cst_kind_at(i));
  names[n++] = "study";
  names[n++] = "system";
  return cst_diag_guess(name, names, n);
}

static void report_unknown(const char *name, const cst_expr_error *e, cst_diag *d) {
  if (strpbrk(name, "({"))
    cst_diag_add(d, NULL, 0, 0, "'%s': %s", name, e->message);
  else if (!access(name, R_OK))
    cst_diag_add(d, NULL, 0, 0, "nothing is called '%s'; `constella system %s` examines a system file", name,
                 name);
  else
    cst_diag_add(d, NULL, 0, 0,
                 "nothing is called '%s'; `constella list systems|methods|schemes|studies` tells the names%s",
                 name, guess(name));
}

static void show(const char *name, const char *system, cst_diag *d) {
  cst_expr_error e = {0};
  cst_method    *m = method_of(name, &e);
  if (!strcmp(name, "study") && !system)
    cst_show_study();
  else if (!strcmp(name, "system") && !system)
    cst_show_system();
  else if (m)
    show_method(name, m, system, d);
  else if (system && (cst_catalogue_text(name) || cst_scheme_find(name) || cst_kind_find(name)))
    cst_diag_add(d, NULL, 0, 0, "--system is for claims of methods, and '%s' is not a method", name);
  else if (!show_system(name) && !show_scheme(name) && !show_kind(name))
    report_unknown(name, &e, d);
  cst_method_destroy(m);
}

typedef struct {
  const char *name, *system;
} request;

static int show_page(int argc, char **argv) {
  request   q = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_show, argc, argv, &q, d);
  if (!cst_diag_count(d)) show(q.name, q.system, d);
  const bool good = !cst_diag_count(d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return good ? 0 : 2;
}

static const cst_option options[] = {
    {"NAME", .is = CST_OPTION_REQUIRED, .at = offsetof(request, name),
     .doc = "a system, method, method expression, composition scheme or kind of study; study: every key of a "
            "study file; system: every key of a system file",
     .takes = "one name; `constella list systems|methods|schemes|studies` tells them"},
    {"--system", .value = "NAME|FILE", .is = CST_OPTION_ONCE, .at = offsetof(request, system),
     .doc = "the system on which order and claims of a method are shown; default: the first of "
            "spherical-pendulum, henon-heiles, lagrange-top and nonholonomic-oscillator that it steps",
     .takes = "a system file or the name of a system"},
    {NULL},
};

const cst_command cst_command_show = {
    .name = "show",
    .doc = "A page on a system, method, scheme or kind of study; what a method claims on a system.",
    .option = options,
    .run = show_page,
};
