/* system.c: `constella system FILE`: examines a system file or a system of the catalogue, and prints its
 * properties and what is wrong with it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/system-page.h"
#include "system/library.h"
#include "system/examine/examine.h"
#include "core/diag.h"
#include "core/need.h"

/* ---- the command line ---- */

typedef struct {
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
  bool        html;
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
  all->at[all->n++] =
      (setting){.name = cst_need(strndup(text, (size_t)(equals - text))), .text = equals + 1};
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

/* ---- the page ---- */

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void print_head(const cst_system *s) {
  const int free_of = cst_system_page_freedom(s);
  printf("%s: %d coordinate%s, %d constraint%s, %d degree%s of freedom\n", s->name, s->nq,
         plural(s->nq), s->ng, plural(s->ng), free_of, plural(free_of));
}

static void print_page(const cst_system *s, const cst_examination *x) {
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

static bool examine(const arguments *a, cst_diag *d) {
  double      c[CST_MAX_PAR];
  cst_system *s = make(a, c, d);
  if (!s)
    return false;
  cst_examination *x = cst_examine(s, c);
  const bool       good = x->faults == 0;
  if (a->html)
    cst_system_page(s, c, x, stdout);
  else
    print_page(s, x);
  cst_examine_destroy(x);
  cst_system_destroy(s);
  return good;
}

static int examine_system(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  cst_options_parse(&cst_command_system, argc, argv, &a, d);
  evaluate_settings(&a.given, d);
  const bool good = !cst_diag_count(d) && examine(&a, d);
  cst_diag_print(d, stderr);
  end_arguments(&a);
  cst_diag_destroy(d);
  return good ? 0 : 2;
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
