/* show.c: `constella show NAME`: prints a page on a system, a method, a scheme or a kind of study from its
 * row, order and claims of a method expression on a system, or the keys of a file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "constella/expr.h"
#include "study/rows/study.h"
#include "system/system.h"
#include "core/diag.h"
#include "core/home.h"
#include "core/need.h"
#include "core/text.h"
#include "method/method.h"
#include "study/file/study-keys.h"
#include "study/rows/kind.h"
#include "system/library.h"
#include "system/named-events.h"
#include "system/read/system-keys.h"

/* A label and its text, in the columns that all pages share. */
enum { INDENT_OF_ITEMS = 13 };
static void item(const char *name, const char *text) {
  cst_page_item(name, text, INDENT_OF_ITEMS, stdout);
}

/* ---- keys of a study file and of a system file, from the tables that their readers use ------- */

enum { INDENT = 4 };

static void paragraph(const char *text) {
  printf("%*s", INDENT, "");
  cst_page_wrap(text, INDENT, INDENT, stdout);
}

static void field(const char *name, const char *text) {
  if (text && *text)
    printf("%*s%-9s%s\n", INDENT, "", name, text);
}

/* Rows of keys; NULL: none. */
static void show_keys(const cst_key *table) {
  char type[200];
  for (const cst_key *k = table; k && k->key; k++) {
    printf("\n%s%s%s\n", k->in, *k->in ? "." : "", k->key);
    field("type", cst_key_type(k, type, sizeof type));
    field("default", k->standard ? k->standard : "required");
    field("unit", k->unit);
    field("example", k->example);
    paragraph(k->doc);
  }
}

/* ---- the same as JSON, for programs ---------------------------------------------------------- */

static void put_text(const char *name, const char *text) {
  printf(", \"%s\": ", name);
  if (text)
    cst_text_json(text, stdout);
  else
    fputs("null", stdout);
}

static void put_flag(const char *name, bool on) {
  printf(", \"%s\": %s", name, on ? "true" : "false");
}

static void put_bound(const char *name, double x, bool there) {
  printf(", \"%s\": ", name);
  if (there && isfinite(x))
    printf("%.17g", x);
  else
    fputs("null", stdout);
}

static void put_words(const char *const *words) {
  fputs(", \"words\": [", stdout);
  for (int i = 0; words && words[i]; i++) {
    fputs(i ? ", " : "", stdout);
    cst_text_json(words[i], stdout);
  }
  fputs("]", stdout);
}

/* What a reader of a file has to know of a value. */
static void put_value(const cst_value *v) {
  static const char *const types[] = {
      [CST_VALUE_OWN] = NULL,
      [CST_VALUE_NUMBER] = "number",
      [CST_VALUE_NUMBERS] = "number",
      [CST_VALUE_INTEGER] = "integer",
      [CST_VALUE_SEED] = "seed",
      [CST_VALUE_FLAG] = "flag",
      [CST_VALUE_CHOICE] = "choice",
      [CST_VALUE_TEXT] = "text",
      [CST_VALUE_NAME] = "name",
      [CST_VALUE_EXPRESSION] = "expression",
      [CST_VALUE_EXPRESSIONS] = "expression",
  };
  put_text("type", types[v->type]);
  if (v->type == CST_VALUE_SEED) {
    printf(", \"low\": 0, \"high\": %" PRIu64, UINT64_MAX);
  } else {
    put_bound("low", v->low, cst_value_bounded(v));
    put_bound("high", v->high, cst_value_bounded(v));
  }
  put_flag("above", v->above);
  put_flag("below", v->below);
  put_text("until", v->until);
  put_words(v->words);
  put_flag("list", v->list);
  put_text("also", v->also);
  put_bound("entries", v->entries, v->entries > 0);
}

/* Whether the default is a value, as a file would have it, and not described in words. */
static bool is_value(const cst_value *v) {
  return !v->rule &&
         (v->type == CST_VALUE_NUMBER || v->type == CST_VALUE_INTEGER ||
          v->type == CST_VALUE_SEED || v->type == CST_VALUE_FLAG || v->type == CST_VALUE_CHOICE);
}

static void print_keys_json(const cst_key *table) {
  char type[200], path[200];
  for (const cst_key *k = table; k && k->key; k++) {
    snprintf(path, sizeof path, "%s%s%s", k->in, *k->in ? "." : "", k->key);
    printf("%s\n  {\"path\": ", k == table ? "[" : ",");
    cst_text_json(path, stdout);
    put_value(&k->value);
    put_text("in_words", cst_key_type(k, type, sizeof type));
    put_flag("required", !k->standard);
    put_text("default", k->standard);
    put_flag("rule", k->standard && !is_value(&k->value));
    put_text("unit", k->unit);
    put_text("example", k->example);
    put_text("doc", k->doc);
    fputs("}", stdout);
  }
  puts("\n]");
}

/* Every key of a study file. */
static void show_study_keys(void) {
  printf("study: the keys of a study file\n\n");
  paragraph(
      "A key is named by its path: initial.spread.q is the key q of the map `spread` of the map "
      "`initial`; "
      "range.from is that of a range of values, {from: 0, to: 1, count: 11}; layers.NAME.a is that "
      "of a "
      "layer under a name of your own. Numbers may be written as quoted expressions of the "
      "system's "
      "parameters and pi. `constella list studies|systems|methods|observables` lists the names.");
  show_keys(cst_study_keys());
}

static void show_system_keys(void) {
  printf("system: the keys of a system file\n\n");
  paragraph(
      "A key is named by its path: states.NAME.q is the key q of a state under a name of your own. "
      "Expressions have + - * / ^, sqrt, sin, cos, tan, exp, log, atan2, expm1, log1p, sinh, cosh, "
      "tanh, acos, asin, sums, numbers, pi, "
      "parameters "
      "and, where the key allows them, coordinates, velocities x' and the time t. `constella "
      "system "
      "FILE` examines a file.");
  show_keys(cst_system_keys);
}

/* ---- the page on a system -------------------------------------------------------------------- */

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
  while (n < s->description->ncoordinate &&
         s->description->coordinate_name[n].at < s->model->nplain)
    n++;
  return n;
}

/* Prints a text for each of the n declared coordinates: an entry, or a row of a matrix on its own line. */
static void print_rows(const char *title, int n, const char *const *text, bool rows) {
  printf("%-12s", title);
  for (int i = 0; i < n; i++) {
    if (i)
      printf(rows ? "\n%*s" : ", ", rows ? INDENT_OF_ITEMS - 1 : 0, "");
    printf("%s%s", rows || !i ? " " : "", text[i] ? text[i] : "?");
  }
  printf("\n");
}

/* Prints the coordinates of bodies and their orthogonality constraints. */
static void print_bodies(const cst_system *s) {
  for (int k = 0; k < s->description->nbody_name; k++) {
    const cst_name *body = &s->description->body_name[k];
    const cst_body *b = &s->model->bodies[body->at];
    printf("%-12s ", k ? "" : "bodies");
    print_name(body);
    printf(": rotation %s .. %s", s->description->coordinate[b->rotation],
           s->description->coordinate[b->rotation + 8]);
    if (b->centre >= 0)
      printf(", centre %s %s %s", s->description->coordinate[b->centre],
             s->description->coordinate[b->centre + 1], s->description->coordinate[b->centre + 2]);
    else
      printf(" about the origin");
    printf("\n%*sconstraints %s .. %s (R'R - 1, on the diagonal half of it)\n", INDENT_OF_ITEMS, "",
           s->description->constraint[b->constraint],
           s->description->constraint[b->constraint + 5]);
  }
}

static void print_families(const cst_system *s) {
  for (int i = 0; i < s->description->nfamily && s->description->family[i].at < s->model->nown;
       i++) {
    printf("%-12s ", i ? "" : "constraints");
    print_name(&s->description->family[i]);
    printf(": %s", s->description->family[i].text ? s->description->family[i].text : "?");
    if (s->description->family[i].range)
      printf("   for %s", s->description->family[i].range);
    printf("\n");
  }
}

static void print_velocity_constraints(const cst_system *s) {
  bool any = false;
  for (int i = 0; i < s->description->nfamily; i++) {
    if (s->description->family[i].at < s->ng - s->model->nvel)
      continue;
    printf("%-12s %s: %s = 0\n", any ? "" : "nonholonomic", s->description->family[i].name,
           s->description->family[i].text);
    any = true;
  }
}

static void print_forces(const cst_system *s) {
  for (int k = 0; k < s->model->nforce; k++)
    printf("%-12s %s: (%s)\n", k ? "" : "forces", s->description->force_name[k],
           s->description->force_text[k]);
}

/* Whether the default is an expression of other parameters. */
static bool follows(const cst_system *s, const cst_parameter *p) {
  return cst_graph_depends(s->model->graph, p->node, 'c');
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
  printf("%-12s %s: ", i ? "" : "states", s->description->state[i].name);
  print_vector("q", q, s->nq);
  print_vector(", v", v, s->nq);
  printf("%s\n", cst_system_has_exact(s, i) ? ", exact motion known" : "");
  free(q);
}

static void print_symmetries(const cst_system *s) {
  print_texts("symmetries", s->nsym, s->description->symmetry, s->description->symmetry_text);
  for (int k = 0; k < s->nsym; k++)
    if (!cst_graph_is_zero(s->model->graph, s->model->gauge[k]))
      printf("%-12s the momentum map of %s is <M v + a, xi> - F\n", "",
             s->description->symmetry[k]);
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
  const bool  gyroscopic = cst_has(s, CST_GYROSCOPIC);
  if (!cst_has(s, CST_SEPARABLE))
    printf("\nEquations: L = 1/2 v'M(q)v%s - V(q), p = M v%s; M A = f%s, f = L_q - L_vq v.\n",
           gyroscopic ? " + a(q).v" : "", gyroscopic ? " + a" : "", g);
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

/* A system of the catalogue; false: there is none of this name. */
static bool show_system(const char *name) {
  cst_system *s = cst_catalogue_create(name);
  const char *where = s ? "of the catalogue" : "in a file, found by its name";
  if (!s)
    s = from_library(name);
  if (!s)
    return false;
  printf("%s: a system %s\n\n", s->name, where);
  item("", s->doc);
  item("source", s->source);
  printf("\n");
  print_names("coordinates", s->description->coordinate_name, s->description->ncoordinate);
  print_bodies(s);
  if (!s->model->nplain)
    item("mass", "of the bodies alone");
  if (s->model->nplain)
    print_rows("mass", plain_names(s), s->description->mass_text,
               *s->description->mass_text[0] == '[' && !s->description->coordinate_name[0].array);
  if (cst_has(s, CST_GYROSCOPIC))
    print_rows("gyroscopic", s->description->ncoordinate, s->description->gyroscopic_text, false);
  item("potential", s->description->potential_text);
  if (s->description->stiff_text)
    item("stiff", s->description->stiff_text);
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

/* ---- the page on a composition scheme, of the list or of given gammas ------------------------ */

enum { MOST_GAMMAS = 1024 };

void cst_show_defects(int indent, int order, const double *defect) {
  double most = 0;
  for (int k = 1; k <= order; k++)
    most = fmax(most, defect[k]);
  printf("%-*sup to order %d: largest residual %.2g", indent, indent ? "conditions" : "conditions ",
         order, most);
  if (order < CST_SCHEME_ORDER)
    printf("; of order %d: %.3g", order + 1, defect[order + 1]);
  printf("\n");
}

static void print_gammas(const double *gamma, int n) {
  double defect[CST_SCHEME_ORDER + 1];
  cst_scheme_defects(gamma, n, defect);
  cst_show_defects(INDENT_OF_ITEMS, cst_scheme_order(gamma, n), defect);
  printf("%-12s", "gammas");
  for (int i = 0; i < n; i++)
    printf("%s%.17g", i ? ", " : " ", gamma[i]);
  printf("\n");
}

/* A scheme of the list; false: there is none of this name. */
static bool show_scheme(const char *name) {
  const cst_scheme *s = cst_scheme_find(name);
  if (!s)
    return false;
  printf("%s: a composition scheme\n\n", s->name);
  item("", s->doc);
  item("source", s->source);
  printf("%-12s %d on a symmetric base of order 2\n", "order", s->order);
  print_gammas(s->gamma, s->stages);
  return true;
}

/* Length of an expression, which ends before a ',' or ']' outside parentheses. */
static size_t expression_length(const char *text) {
  size_t n = 0;
  int    open = 0;
  for (; text[n] && text[n] != ']' && (open > 0 || text[n] != ','); n++)
    open += (text[n] == '(') - (text[n] == ')');
  return n;
}

/* Reads "[EXPR, ...]" into gamma[MOST_GAMMAS]; returns the number of them, -1 after a mistake. */
static int read_gammas(const char *text, double *gamma, cst_diag *d) {
  cst_graph     *g = cst_graph_create();
  cst_expr_error e;
  int            n = 0;
  const char    *at = text;
  do {
    const size_t   length = expression_length(++at);
    char          *one = cst_need(strndup(at, length));
    const cst_node x = n < MOST_GAMMAS ? cst_expr_parse(g, one, NULL, 0, &e) : -1;
    free(one);
    if (n == MOST_GAMMAS)
      cst_diag_add(d, NULL, 0, 0, "a scheme has at most %d gammas", MOST_GAMMAS);
    else if (x < 0)
      cst_diag_add(d, NULL, 0, 0, "gamma %d of '%s': %s", n + 1, text, e.message);
    n = x < 0 ? -1 : n;
    if (x >= 0)
      cst_graph_is_constant(g, x, &gamma[n++]);
    at += length;
  } while (n >= 0 && *at == ',');
  cst_graph_destroy(g);
  if (n >= 0 && strcmp(at, "]")) {
    cst_diag_add(d, NULL, 0, 0, "'%s': expected ',' or ']' at the end of the gammas", text);
    return -1;
  }
  return n;
}

/* The gammas in a text "[EXPR, ...]". */
static void show_gammas(const char *text, cst_diag *d) {
  char        why[200] = "";
  double     *gamma = cst_zeros(MOST_GAMMAS, sizeof *gamma);
  const int   n = read_gammas(text, gamma, d);
  cst_layers *l = cst_layers_create();
  if (n > 0 && !cst_layers_add_scheme(l, "gammas", gamma, n, why, sizeof why))
    cst_diag_add(d, NULL, 0, 0, "'%s': %s", text, why);
  if (n > 0 && !*why) {
    printf("a composition scheme of %d substeps\n\n%-12s %d on a symmetric base "
           "of order 2\n",
           n, "order", cst_layers_scheme(l, "gammas")->order);
    print_gammas(gamma, n);
  }
  cst_layers_destroy(l);
  free(gamma);
}

/* ---- the page on a family of methods, and order and claims of a method on a system ----------- */

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
  item("claims", claims ? text : strcat(text, between));
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
  item("momenta",
       p.tangential ? "tangential: p is the part of M v + a with G p = 0" : "kinetic: p = M v + a");
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
      item("certificate", tab);
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

/* The method of an expression, or the example of a family's name; NULL: neither, see e. */
static cst_method *method_of(const char *text, cst_expr_error *e) {
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

/* "bias: what it does (number from -1 to 0; default: 0)". */
static void print_argument(const cst_key *k, const char *label) {
  char        type[200], text[1000];
  const bool  term = k->value.type >= CST_VALUE_METHOD; /* whose doc says what it is */
  const char *fact[] = {term ? "" : cst_key_type(k, type, sizeof type), *k->unit ? "in " : "",
                        k->unit, k->standard ? "default: " : "", k->standard ? k->standard : ""};
  size_t      n = (size_t)snprintf(text, sizeof text, "%s: %s", k->key, k->doc);
  const char *between = " (";
  for (int i = 0; i < 5; i += i ? 2 : 1) {
    if (!*fact[i])
      continue;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", between, fact[i],
                          i ? fact[i + 1] : "");
    between = "; ";
  }
  snprintf(text + n, sizeof text - n, "%s", *between == ';' ? ")" : "");
  printf("%-*s ", INDENT_OF_ITEMS - 1, label);
  cst_page_wrap(text, INDENT_OF_ITEMS, INDENT_OF_ITEMS + 2, stdout);
}

static void print_arguments(const char *name) {
  const cst_key *first = cst_method_row_find(name)->arguments;
  for (const cst_key *k = first; k && k->key; k++)
    print_argument(k, k == first ? "arguments" : "");
}

/* Prints a method with its claims on the given system, or on a usual one: claims depend on the system. */
static void show_method(const char *text, const cst_method *m, const char *system, cst_diag *d) {
  const cst_method_info *info = method_named(text);
  cst_system            *s = system ? cst_description_read(system, d) : usual(m);
  char                   why[400] = "";
  const bool             good = s && cst_method_fits(m, s, why, sizeof why);
  if (s && !good)
    cst_diag_add(d, NULL, 0, 0, "%s", why);
  if (good && info) {
    printf("%s: a method\n\n", info->signature);
    item("", info->doc);
    print_arguments(info->name);
    item("equations", info->equations);
    item("notes", info->notes);
    item("source", info->source);
    item("example", info->example);
  }
  if (good)
    print_properties(m, s);
  if (good)
    print_certificate(m);
  cst_system_destroy(s);
}

/* ---- the command ----------------------------------------------------------------------------- */

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
  if (!k)
    return false;
  printf("%s: a kind of study\n\n", k->name);
  item("", k->doc);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (k->needs & needs[i].need) {
      item(title, needs[i].doc);
      title = "";
    }
  item("figures", k->figures);
  show_keys(k->keys);
  return true;
}

/* Keys as JSON: of a study, of a system file, or of a kind of study. */
static void show_json(const char *name, cst_diag *d) {
  const cst_kind *kind = cst_kind_find(name);
  if (!strcmp(name, "study"))
    print_keys_json(cst_study_keys());
  else if (!strcmp(name, "system"))
    print_keys_json(cst_system_keys);
  else if (kind && kind->keys)
    print_keys_json(kind->keys);
  else
    cst_diag_add(d, NULL, 0, 0,
                 "--json is for keys of files: study, system, or a kind of study that has keys");
}

/* The nearest name, for the end of a message. */
static const char *guess(const char *name) {
  const char *names[256];
  int         n = 0;
  for (int i = 0; i < cst_catalogue_size(); i++)
    names[n++] = cst_catalogue_name(i);
  for (int i = 0; i < cst_method_count(); i++)
    names[n++] = cst_method_info_at(i)->name;
  for (int i = 0; i < cst_scheme_count(); i++)
    names[n++] = cst_scheme_at(i)->name;
  for (int i = 0; i < cst_kind_count(); i++)
    names[n++] = cst_kind_name(cst_kind_at(i));
  names[n++] = "study";
  names[n++] = "system";
  return cst_diag_guess(name, names, n);
}

static void report_unknown(const char *name, const cst_expr_error *e, cst_diag *d) {
  if (strpbrk(name, "({"))
    cst_diag_add(d, NULL, 0, 0, "'%s': %s", name, e->message);
  else if (!access(name, R_OK))
    cst_diag_add(d, NULL, 0, 0,
                 "nothing is called '%s'; `constella system %s` examines a system file", name,
                 name);
  else
    cst_diag_add(d, NULL, 0, 0,
                 "nothing is called '%s'; `constella list systems|methods|schemes|studies` tells "
                 "the names%s",
                 name, guess(name));
}

static void show(const char *name, const char *system, bool json, cst_diag *d) {
  cst_expr_error e = {0};
  cst_method    *m = method_of(name, &e);
  if (json && system)
    cst_diag_add(d, NULL, 0, 0, "'--json' and '--system' exclude each other");
  else if (json)
    show_json(name, d);
  else if (*name == '[' && !system)
    show_gammas(name, d);
  else if (!strcmp(name, "study") && !system)
    show_study_keys();
  else if (!strcmp(name, "system") && !system)
    show_system_keys();
  else if (m)
    show_method(name, m, system, d);
  else if (system && (!strcmp(name, "study") || !strcmp(name, "system") ||
                      cst_catalogue_text(name) || cst_scheme_find(name) || cst_kind_find(name)))
    cst_diag_add(d, NULL, 0, 0, "--system is for claims of methods, and '%s' is not a method",
                 name);
  else if (!show_system(name) && !show_scheme(name) && !show_kind(name))
    report_unknown(name, &e, d);
  cst_method_destroy(m);
}

typedef struct {
  const char *name, *system;
  bool        json;
} request;

static int show_page(int argc, char **argv) {
  request   q = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_show, argc, argv, &q, d);
  if (!cst_diag_count(d))
    show(q.name, q.system, q.json, d);
  const bool good = !cst_diag_count(d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return good ? 0 : 2;
}

static const cst_option options[] = {
    {"NAME", .is = CST_OPTION_REQUIRED, .at = offsetof(request, name),
     .doc = "a system, method, method expression, composition scheme, list of gammas or kind of "
            "study; study: "
            "every key of a "
            "study file; system: every key of a system file",
     .takes = "one name; `constella list systems|methods|schemes|studies` tells them"},
    {"--system", .value = "NAME|FILE", .at = offsetof(request, system),
     .doc =
         "the system on which order and claims of a method are shown; default: the first of "
         "spherical-pendulum, henon-heiles, lagrange-top and nonholonomic-oscillator that it steps",
     .takes = "a system file or the name of a system"},
    {"--json", .at = offsetof(request, json),
     .doc =
         "the keys of study, system or a kind of study as JSON, with types, bounds and defaults"},
    {NULL},
};

const cst_command cst_command_show = {
    .name = "show",
    .doc = "A page on a system, method, scheme or kind of study; what a method claims on a system.",
    .option = options,
    .run = show_page,
};
