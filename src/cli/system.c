/* system.c: `constella system FILE`: examines a system file or a system of the catalogue, and prints its
 * properties and what is wrong with it, for reading or as JSON. The page of --html is made from this JSON by
 * analysis/constella/system_page.py. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "core/document.h"
#include "system/library.h"
#include "system/examine/examine.h"
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"

/* ---- the command line ---- */

typedef struct {
  const char *word; /* NAME=VALUE */
  char       *name; /* owned */
  const char *text;
  double      value;
} setting;

typedef struct {
  int      n;
  setting *at; /* [n] */
} settings;

typedef struct {
  const char *system;
  settings    given;
  bool        html, json;
} arguments;

/* A constant expression. */
static bool evaluate(const char *text, double *value, cst_expr_error *error) {
  cst_graph *g = cst_graph_create();
  cst_node   n = cst_expr_parse(g, text, NULL, 0, error);
  const bool good = n >= 0 && cst_graph_is_constant(g, n, value);
  cst_graph_destroy(g);
  return good;
}

/* NAME=VALUE. */
static bool add_setting(void *member, const char *text) {
  settings   *all = member;
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return false;
  all->at = cst_need(realloc(all->at, sizeof *all->at * (size_t)(all->n + 1)));
  all->at[all->n++] = (setting){
      .word = text, .name = cst_need(strndup(text, (size_t)(equals - text))), .text = equals + 1};
  return true;
}

static void evaluate_settings(settings *all, cst_diag *d) {
  for (int i = 0; i < all->n; i++) {
    setting       *x = &all->at[i];
    cst_expr_error error = {0};
    if (!evaluate(x->text, &x->value, &error))
      cst_diag_add(d, NULL, 0, 0, "'%s=%s': %s", x->name, x->text, error.message);
    for (int k = 0; k < i; k++)
      if (!strcmp(all->at[k].name, x->name))
        cst_diag_add(d, NULL, 0, 0, "parameter '%s' is given twice", x->name);
  }
}

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(arguments, system),
     .doc = "a system file, or the name of a system of the catalogue",
     .takes = "a system file or the name of a system"},
    {"--parameters", .value = "NAME=VALUE", .is = CST_OPTION_SPREADS,
     .at = offsetof(arguments, given), .set = add_setting,
     .doc = "values of parameters, also of sizes: numbers or expressions of numbers and pi",
     .takes = "NAME=VALUE"},
    {"--html", .at = offsetof(arguments, html),
     .doc = "print a page in HTML instead: equations, degrees of freedom, joints, a picture"},
    {"--json", .at = offsetof(arguments, json),
     .doc = "print what this page is made from, for other programs"},
    {NULL},
};

static void end_arguments(arguments *a) {
  for (int i = 0; i < a->given.n; i++)
    free(a->given.at[i].name);
  free(a->given.at);
}

/* ---- the system ---- */

static int find(const cst_system *s, const char *name) {
  for (int i = 0; i < cst_system_named(s); i++)
    if (!strcmp(s->parameter[i].name, name))
      return i;
  return -1;
}

static void unknown_parameter(const cst_system *s, const char *name, cst_diag *d) {
  const char *names[CST_MAX_PAR];
  const int   n = cst_system_named(s);
  for (int i = 0; i < n; i++)
    names[i] = s->parameter[i].name;
  cst_diag_add(d, NULL, 0, 0, "unknown parameter '%s'; allowed: %s%s", name,
               n ? cst_diag_join(names, n) : "none", cst_diag_guess(name, names, n));
}

/* Puts the settings of sizes into size[]; returns their number. The reader reports errors of the description.
 */
static int sizes(const arguments *a, const char *text, size_t length, cst_size *size, cst_diag *d) {
  cst_diag     *unread = cst_diag_create();
  cst_document *doc =
      cst_document_parse(a->system, text, cst_description_length(text, length), unread);
  cst_yaml *all = doc ? cst_yaml_get(cst_document_root(doc), "parameters") : NULL;
  int       n = 0;
  for (int k = 0; cst_yaml_is_map(all) && k < a->given.n && n < CST_MAX_PAR; k++) {
    const double x = a->given.at[k].value;
    cst_yaml    *row = cst_yaml_get(all, a->given.at[k].name);
    if (!row || !cst_yaml_is_map(row) || !cst_yaml_get(row, "size"))
      continue;
    if (x == floor(x) && x >= 1 && x <= CST_MOST_Q)
      size[n++] = (cst_size){a->given.at[k].name, (int)x};
    else
      cst_diag_add(d, NULL, 0, 0, "%s=%g: it is a size, a whole number from 1 to %d",
                   a->given.at[k].name, x, CST_MOST_Q);
  }
  cst_document_destroy(doc);
  cst_diag_destroy(unread);
  return n;
}

static void apply_settings(const cst_system *s, const arguments *a, double *c, cst_diag *d) {
  bool given[CST_MAX_PAR] = {false};
  for (int k = 0; k < a->given.n; k++) {
    const int i = find(s, a->given.at[k].name);
    if (i < 0) {
      unknown_parameter(s, a->given.at[k].name, d);
      continue;
    }
    given[i] = true;
    c[i] = a->given.at[k].value;
  }
  cst_system_defaults(s, given, c); /* sizes stay */
  for (int i = 0; i < s->npar; i++)
    if (!isfinite(c[i]))
      cst_diag_add(d, NULL, 0, 0, "the default of parameter '%s' is not finite with these values",
                   s->parameter[i].name);
}

/* The system with the settings; fills c[npar]. NULL with errors in d. Owned. */
static cst_system *make(const arguments *a, double *c, cst_diag *d) {
  cst_size    size[CST_MAX_PAR];
  bool        catalogue;
  size_t      length = 0;
  char       *text = cst_description_text(a->system, &length, &catalogue, d);
  cst_system *s = NULL;
  const int   n = text ? sizes(a, text, length, size, d) : 0;
  if (text && !cst_diag_count(d))
    s = catalogue && !n ? cst_catalogue_create(a->system)
                        : cst_system_read(a->system, text, length, size, n, d);
  free(text);
  if (s)
    apply_settings(s, a, c, d);
  if (!cst_diag_count(d))
    return s;
  cst_system_destroy(s);
  return NULL;
}

/* Degrees of freedom: coordinates less constraints that are enforced. */
static int freedom(const cst_system *s) { return s->nq - cst_system_enforced(s, s->ng); }

/* ---- the text ---- */

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void print_head(const cst_system *s) {
  const int free_of = freedom(s);
  printf("%s: %d coordinate%s, %d constraint%s, %d degree%s of freedom\n", s->name, s->nq,
         plural(s->nq), s->ng, plural(s->ng), free_of, plural(free_of));
}

static void print_text(const cst_system *s, const cst_examination *x) {
  static const char *const mark[] = {
      [CST_FACT] = "", [CST_NOTE] = "note: ", [CST_FAULT] = "error: "};
  int width = 0;
  for (int i = 0; i < x->n; i++)
    if ((int)strlen(x->at[i].topic) > width)
      width = (int)strlen(x->at[i].topic);
  print_head(s);
  for (int i = 0; i < x->n; i++) {
    const bool again = i && !strcmp(x->at[i].topic, x->at[i - 1].topic);
    printf("%-*s  %s%s\n", width, again ? "" : x->at[i].topic, mark[x->at[i].severity],
           x->at[i].text);
  }
  if (x->faults)
    printf("%d finding%s\n", x->faults, plural(x->faults));
  else
    printf("ok\n");
}

/* ---- JSON ---- */

/* Behind the first member of an object or a list. */
static const char *comma(int i) { return i ? ", " : ""; }

static void put_key(const char *before, const char *name) { printf("%s\"%s\": ", before, name); }

/* A text; NULL: null. */
static void put_text(const char *before, const char *name, const char *text) {
  put_key(before, name);
  if (text)
    cst_text_json(text, stdout);
  else
    fputs("null", stdout);
}

static void put_flag(const char *before, const char *name, bool value) {
  put_key(before, name);
  fputs(value ? "true" : "false", stdout);
}

/* JSON has no numbers that are not finite. */
static void put_number(const char *before, double x) {
  char text[32] = "null";
  if (isfinite(x))
    cst_text_shortest(x, text, sizeof text);
  printf("%s%s", before, text);
}

static void put_numbers(const double *x, int n) {
  fputs("[", stdout);
  for (int i = 0; i < n; i++)
    put_number(comma(i), x[i]);
  fputs("]", stdout);
}

/* A list of n objects, one a line; next_entry() begins each. */
static void begin_list(const char *name) { printf(",\n  \"%s\": [", name); }
static void next_entry(int i) { fputs(i ? "},\n    {" : "\n    {", stdout); }
static void end_list(int n) { fputs(n ? "}\n  ]" : "]", stdout); }

static void put_parameters(const cst_system *s, const double *c) {
  const int n = cst_system_named(s);
  begin_list("parameters");
  for (int i = 0; i < n; i++) {
    next_entry(i);
    put_text("", "name", s->parameter[i].name);
    put_number(", \"value\": ", c[i]);
    put_text(", ", "unit", s->parameter[i].unit);
    put_text(", ", "doc", s->parameter[i].doc);
  }
  end_list(n);
}

static void put_coordinates(const cst_system *s) {
  begin_list("coordinates");
  for (int i = 0; i < s->nq; i++) {
    const char *unit = cst_system_unit(s, s->description->coordinate[i]);
    next_entry(i);
    put_text("", "name", s->description->coordinate[i]);
    put_text(", ", "unit", unit + (*unit == ' '));
  }
  end_list(s->nq);
}

/* Numbers of its first coordinates and of its first constraint, as in cst_body. */
static void put_bodies(const cst_system *s) {
  begin_list("bodies");
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    next_entry(k);
    put_text("", "name", b->name);
    printf(", \"rotation\": %d, \"centre\": %d, \"constraints\": %d", b->rotation, b->centre,
           b->constraint);
  }
  end_list(s->model->nbodies);
}

/* Expressions as the text has them. */
static void put_expressions(const char *list, int n, const char *const *name,
                            const char *const *text) {
  begin_list(list);
  for (int k = 0; k < n; k++) {
    next_entry(k);
    put_text("", "name", name[k]);
    put_text(", ", "expression", text[k]);
  }
  end_list(n);
}

static void put_masses(const cst_system *s) {
  const char **name = cst_need(calloc((size_t)s->description->ncoordinate + 1, 2 * sizeof *name));
  const char **text = name + s->description->ncoordinate;
  int          n = 0;
  for (int i = 0;
       i < s->description->ncoordinate && s->description->coordinate_name[i].at < s->model->nplain;
       i++)
    if (s->description->mass_text && s->description->mass_text[i]) {
      name[n] = s->description->coordinate_name[i].name;
      text[n++] = s->description->mass_text[i];
    }
  put_expressions("masses", n, name, text);
  free(name);
}

/* The constraints of the text as declared: a family is one. */
static void put_declared(const cst_system *s) {
  int n = 0;
  begin_list("declared");
  for (int k = 0; k < s->description->nfamily; k++) {
    const cst_name *x = &s->description->family[k];
    if (!x->text)
      continue;
    next_entry(n++);
    put_text("", "name", x->name);
    put_text(", ", "expression", x->text);
    put_text(", ", "range", x->range);
    put_flag(", ", "velocities", x->at >= s->ng - s->model->nvel);
  }
  end_list(n);
}

/* Larger systems have no second derivatives here. */
enum { LARGEST = 300, POINT = 3 };

/* Second derivatives of constraint a by the coordinates on which it acts, where it is of degree 2 and acts on
 * three of them at most: a step of 1 gives them exactly. */
static void put_curvature(const cst_system *s, const double *c, double *q, const double *G, int a) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  const int          first = P->start[a], n = P->start[a + 1] - first;
  double             row[POINT];
  if (n > POINT || s->nq > LARGEST || cst_graph_degree(s->model->graph, s->model->g[a], 'q') != 2)
    return;
  double *there = cst_need(malloc(sizeof *there * (size_t)P->n));
  put_key(", ", "curvature");
  for (int i = 0; i < n; i++) {
    const double at = q[P->column[first + i]];
    q[P->column[first + i]] += 1;
    cst_system_eval_at(s, CST_K_G, c, q, there);
    q[P->column[first + i]] = at;
    for (int k = 0; k < n; k++)
      row[k] = there[first + k] - G[first + k];
    fputs(i ? ", " : "[", stdout);
    put_numbers(row, n);
  }
  fputs("]", stdout);
  free(there);
}

/* Every constraint, with the coordinates or velocities on which it acts and its slopes along them in the first
 * state. A body is acted on at a point of it where these are those of a function of this point. */
static void put_constraints(const cst_system *s, const double *c, double *q) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_need(calloc((size_t)P->n + 1, sizeof *G));
  if (s->ng)
    cst_system_eval_at(s, CST_K_G, c, q, G);
  begin_list("constraints");
  for (int a = 0; a < s->ng; a++) {
    const bool velocities = a >= s->ng - s->model->nvel;
    next_entry(a);
    put_text("", "name", s->description->constraint[a]);
    put_flag(", ", "velocities", velocities);
    put_flag(", ", "redundant", !cst_system_enforces(s, a));
    fputs(", \"slopes\": {", stdout);
    CST_EACH_ENTRY(P, a, e) {
      fputs(comma(e - P->start[a]), stdout);
      cst_text_json(s->description->coordinate[P->column[e]], stdout);
      put_number(": ", G[e]);
    }
    fputs("}", stdout);
    if (!velocities)
      put_curvature(s, c, q, G, a);
  }
  end_list(s->ng);
  free(G);
}

/* q[nq] and v[nq] keep the first state. */
static void put_states(const cst_system *s, const double *c, double *q, double *v) {
  begin_list("states");
  for (int k = 0; k < s->nstate; k++) {
    next_entry(k);
    put_text("", "name", s->description->state[k].name);
    cst_system_state(s, k, c, q, v);
    fputs(", \"q\": ", stdout);
    put_numbers(q, s->nq);
    fputs(", \"v\": ", stdout);
    put_numbers(v, s->nq);
  }
  end_list(s->nstate);
  if (s->nstate)
    cst_system_state(s, 0, c, q, v);
}

static void put_findings(const cst_examination *x) {
  static const char *const severity[] = {
      [CST_FACT] = "fact", [CST_NOTE] = "note", [CST_FAULT] = "error"};
  begin_list("findings");
  for (int i = 0; i < x->n; i++) {
    next_entry(i);
    put_text("", "topic", x->at[i].topic);
    put_text(", ", "severity", severity[x->at[i].severity]);
    put_text(", ", "text", x->at[i].text);
  }
  end_list(x->n);
}

static void print_json(const cst_system *s, const double *c, const cst_examination *x) {
  double *q = cst_need(calloc(2 * (size_t)s->nq + 1, sizeof *q));
  put_text("{\n  ", "system", s->name);
  put_text(",\n  ", "doc", s->doc);
  put_text(",\n  ", "source", s->source);
  put_text(",\n  ", "up", s->description->up);
  printf(",\n  \"degrees_of_freedom\": %d", freedom(s));
  put_flag(",\n  ", "gyroscopic", cst_has(s, CST_GYROSCOPIC));
  put_flag(",\n  ", "affine", cst_has(s, CST_AFFINE));
  put_text(",\n  ", "potential",
           s->description->potential_text ? s->description->potential_text : "0");
  put_masses(s);
  put_expressions("forces", s->model->nforce, s->description->force_name,
                  s->description->force_text);
  put_declared(s);
  put_parameters(s, c);
  put_coordinates(s);
  put_bodies(s);
  put_states(s, c, q, q + s->nq);
  put_constraints(s, c, q);
  put_findings(x);
  fputs("\n}\n", stdout);
  free(q);
}

/* ---- the page ---- */

/* Becomes analysis/constella/system_page.py, which calls this command with --json. */
static int start_page(const arguments *a) {
  char       *file = NULL, *parameters = NULL;
  const char *words[4] = {"system"};
  if (asprintf(&file, "system=%s", a->system) < 0)
    cst_need_fail();
  words[1] = file;
  for (int k = 0; k < a->given.n; k++) {
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", k ? parameters : "parameters=", k ? "\n" : "",
                 a->given.at[k].word) < 0)
      cst_need_fail();
    free(parameters);
    words[2] = parameters = longer;
  }
  const int status = cst_analysis_start(parameters ? 3 : 2, words);
  free(file);
  free(parameters);
  return status;
}

/* ---- the command ---- */

static bool examine(const arguments *a, cst_diag *d) {
  double      c[CST_MAX_PAR];
  cst_system *s = make(a, c, d);
  if (!s)
    return false;
  cst_examination *x = cst_examine(s, c);
  const bool       good = x->faults == 0;
  if (a->json)
    print_json(s, c, x);
  else
    print_text(s, x);
  cst_examine_destroy(x);
  cst_system_destroy(s);
  return good;
}

static int examine_system(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_system, argc, argv, &a, d);
  if (a.html && a.json)
    cst_diag_add(d, NULL, 0, 0, "'--html' and '--json' exclude each other");
  evaluate_settings(&a.given, d);
  int status = 2;
  if (!cst_diag_count(d))
    status = a.html ? start_page(&a) : examine(&a, d) ? 0 : 2;
  cst_diag_print(d, stderr);
  end_arguments(&a);
  cst_diag_destroy(d);
  return status;
}

const cst_command cst_command_system = {
    .name = "system",
    .doc = "Examines a system: states, constraints, derivatives, symmetries, exact motions, "
           "compiled code.",
    .option = options,
    .notes =
        "It compares the states with the constraints, derivatives with complex steps and finite "
        "differences, symmetries and exact motions with the equations, and compiled code with "
        "interpreted code. Exit status 0 when all is well, 2 when something is wrong.",
    .run = examine_system,
};
