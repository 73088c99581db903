/* file-observe.c: the keys `observables` and `observe`: what is measured along trajectories. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr/define.h"
#include "observe/observer.h"
#include "study/rows/collector.h"
#include "study/file/names.h"
#include "study/file/reader.h"

/* NAME_MAX_LENGTH fits cst_quantity.name; an observable makes several datasets, so their number is limited */
enum { NAME_MAX_LENGTH = 47, MOST_OBSERVABLES = 1000 };

/* An observer that a study file may name. */
static bool is_named(const cst_observer *row) { return !row->always && !row->expression; }

static const cst_observer *find(const char *name) {
  for (int k = 0; k < cst_observer_count; k++) {
    const cst_observer *row = cst_observers[k];
    if (is_named(row) && !strcmp(name, row->name))
      return row;
  }
  return NULL;
}

static const cst_observer *of_expressions(void) {
  int k = 0;
  while (!cst_observers[k]->expression)
    k++;
  return cst_observers[k];
}

enum { MOST_MEASURED = 32 };

/* The names for which collectors measure; returns their number. */
static int measured(const char **names) {
  int n = 0;
  for (int k = 0; k < cst_collector_count; k++)
    for (const cst_measured *m = cst_collectors[k]->keys.measures; m && m->name; m++)
      names[n++] = m->name;
  return n;
}

/* The allowed entries of the list, as text. */
static const char *wanted(void) {
  static char text[768];
  size_t      n = 0;
  for (int i = 0; i < cst_observer_count; i++) {
    if (!is_named(cst_observers[i]))
      continue;
    const char *separator = n ? ", " : "";
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", separator, cst_observers[i]->name);
  }
  const char *names[MOST_MEASURED];
  const int   count = measured(names);
  for (int i = 0; i < count; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, ", %s", names[i]);
  snprintf(text + n, sizeof text - n, " or \"NAME: expression\"");
  return text;
}

/* The expression in the graph of the system; -1 with a message. offset: position of text inside the scalar n.
 */
static cst_node parse(cst_reader *r, cst_yaml *n, const char *name, const char *text, int offset) {
  if (!r->s->problem.system)
    return -1;
  cst_expr_error error;
  cst_names      names =
      cst_names_create(r->s->problem.system, r->s->problem.system->model->graph, text);
  cst_node x =
      cst_expr_parse(r->s->problem.system->model->graph, text, names.name, names.n, &error);
  if (x < 0)
    cst_yaml_error_at(r->doc, n, offset + error.offset, r->d, "observable '%s': %s", name,
                      error.message);
  cst_names_destroy(&names);
  return x;
}

static bool is_identifier(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    rest[] = "0123456789_-";
  size_t n = strspn(s, letters);
  if (!n)
    return false;
  while (s[n] && (strchr(letters, s[n]) || strchr(rest, s[n])))
    n++;
  return !s[n] && n <= NAME_MAX_LENGTH;
}

static bool is_taken(cst_reader *r, cst_yaml *n, const char *name) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->observe.n; i++)
    if (!strcmp(s->observe.observable[i].name, name)) {
      cst_yaml_error(r->doc, n, r->d, "the observable '%s' appears twice", name);
      return true;
    }
  return false;
}

/* The name of which stored states have what the observable would replace: a dataset of theirs, or one of the
 * components, which the Python package names x, x', p_x and lambda_NAME. NULL: none. */
static const char *meaning_in_states(const cst_system *s, const char *name) {
  static const char *const dataset[] = {"t", "q", "p", "v", "lambda", "member"};
  const bool               momentum = !strncmp(name, "p_", 2);
  const bool               multiplier = !strncmp(name, "lambda_", 7);
  for (size_t i = 0; i < sizeof dataset / sizeof *dataset; i++)
    if (!strcmp(name, dataset[i]))
      return i ? "a dataset" : "the time";
  for (int i = 0; i < s->nq; i++) {
    if (!strcmp(name, s->description->coordinate[i]))
      return "a coordinate";
    if (momentum && !strcmp(name + 2, s->description->coordinate[i]))
      return "a momentum";
  }
  for (int a = 0; a < s->ng && multiplier; a++)
    if (!strcmp(name + 7, s->description->constraint[a]))
      return "a multiplier";
  return NULL;
}

static bool is_free(cst_reader *r, cst_yaml *n, const char *name) {
  const cst_system *s = r->s->problem.system;
  if (!is_identifier(name)) {
    cst_yaml_error(r->doc, n, r->d,
                   "'%s' cannot name an observable; allowed: a letter, then letters, digits, _ and "
                   "-, at most %d",
                   name, NAME_MAX_LENGTH);
    return false;
  }
  const cst_measured *measured_as = cst_collector_measured(name);
  bool                reserved = measured_as && !measured_as->yields;
  for (int k = 0; k < cst_observer_count; k++)
    reserved |= !strcmp(cst_observers[k]->name, name) && is_named(cst_observers[k]);
  for (int i = 0; s && i < s->nsym; i++)
    reserved |= !strcmp(s->description->symmetry[i], name);
  if (reserved)
    cst_yaml_error(r->doc, n, r->d,
                   "the name '%s' is taken by a declared observable or a symmetry; choose another",
                   name);
  const char *meaning = s ? meaning_in_states(s, name) : NULL;
  if (meaning)
    cst_yaml_error(r->doc, n, r->d,
                   "the observable '%s' cannot be called that: it is the name of %s in stored "
                   "trajectories; choose another name",
                   name, meaning);
  return !reserved && !meaning && !is_taken(r, n, name);
}

static void add(cst_study *s, const cst_observer *row) {
  s->observe.observable[s->observe.n++] =
      (cst_observable){.name = strdup(row->name), .node = -1, .observer = row};
}

static void add_expression(cst_reader *r, cst_yaml *n, const char *name, const char *expression,
                           cst_node node) {
  cst_observable *x = &r->s->observe.observable[r->s->observe.n++];
  *x = (cst_observable){.name = strdup(name),
                        .expression = strdup(expression),
                        .node = node,
                        .observer = of_expressions()};
  cst_yaml_place(n, &x->line, &x->column);
}

static void unknown(cst_reader *r, cst_yaml *n, const char *name) {
  const char           *names[MOST_MEASURED + CST_MOST_OBSERVERS + CST_DEFINE_MOST];
  const cst_definition *d = NULL;
  int                   count = measured(names), defined = 0;
  for (int k = 0; k < cst_observer_count; k++)
    if (is_named(cst_observers[k]))
      names[count++] = cst_observers[k]->name;
  if (r->s->problem.system)
    d = cst_graph_definitions(r->s->problem.system->model->graph, &defined);
  for (int k = 0; k < defined; k++)
    if (!d[k].n)
      names[count++] = d[k].name;
  cst_yaml_error(r->doc, n, r->d, "unknown observable '%s'; allowed: %s%s", name, wanted(),
                 cst_diag_guess(name, names, count));
}

/* Whether a name is an expression by itself: a quantity of a body, or a definition of the system. */
static bool is_expression(const cst_system *s, const char *name) {
  const cst_definition *d = cst_graph_definition_find(s->model->graph, name);
  return cst_names_has_quantity(s, name) || (d && !d->n);
}

/* A name without an expression: an observer that the system supports, or such a name. Those for which a
 * collector measures are read by it. */
static void plain(cst_reader *r, cst_yaml *n, const char *name) {
  const cst_system   *s = r->s->problem.system;
  const cst_observer *row = find(name);
  const char         *why = row && s && row->refuse ? row->refuse(s) : NULL;
  if (!row && cst_collector_measured(name))
    return;
  if (!row && s && is_expression(s, name)) {
    const cst_node node = is_free(r, n, name) ? parse(r, n, name, name, 0) : -1;
    if (node >= 0)
      add_expression(r, n, name, name, node);
  } else if (!row)
    unknown(r, n, name);
  else if (why)
    cst_yaml_error(r->doc, n, r->d, "'%s': %s %s", name, s->name, why);
  else if (!is_taken(r, n, name))
    add(r->s, row);
}

static char *trimmed(const char *s, size_t n) {
  while (n && strchr(" \t\n", s[n - 1]))
    n--;
  return strndup(s, n);
}

/* "NAME: expression" as one scalar. */
static void joined(cst_reader *r, cst_yaml *n, const char *text, const char *colon) {
  char          *name = trimmed(text, (size_t)(colon - text));
  const char    *expression = colon + 1 + strspn(colon + 1, " \t\n");
  const bool     named = is_free(r, n, name);
  const cst_node node = parse(r, n, name, expression, (int)(expression - text));
  if (node >= 0 && named)
    add_expression(r, n, name, expression, node);
  free(name);
}

/* NAME: expression, which YAML reads as a map with one entry. */
static void entry(cst_reader *r, cst_yaml *n) {
  cst_yaml   *key = cst_yaml_key(n, 0);
  cst_yaml   *value = cst_yaml_value(n, 0);
  const char *name = cst_yaml_text(key);
  if (cst_yaml_size(n) != 1) {
    cst_yaml_error(r->doc, n, r->d, "an observable is one of: %s", wanted());
    return;
  }
  const char    *text = cst_reader_text(r, value, name, "an expression");
  const bool     named = is_free(r, key, name);
  const cst_node node = text ? parse(r, value, name, text, 0) : -1;
  if (node >= 0 && named)
    add_expression(r, key, name, text, node);
}

static void observable(cst_reader *r, cst_yaml *n) {
  if (cst_yaml_is_map(n)) {
    entry(r, n);
    return;
  }
  const char *text = cst_reader_text(r, n, "observables", wanted());
  const char *colon = text ? strchr(text, ':') : NULL;
  if (colon)
    joined(r, n, text, colon);
  else if (text)
    plain(r, n, text);
}

static void read_observables(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "observables");
  s->observe.observable = cst_reader_memory((size_t)cst_yaml_size(n) + cst_observer_count,
                                            sizeof *s->observe.observable);
  if (cst_yaml_is_list(n) && cst_yaml_size(n) > MOST_OBSERVABLES) {
    cst_yaml_error(r->doc, n, r->d, "there are %d observables; at most %d are allowed",
                   cst_yaml_size(n), MOST_OBSERVABLES);
    return;
  }
  if (cst_reader_list(r, n, "observables", wanted(), true))
    for (int i = 0; i < cst_yaml_size(n); i++)
      observable(r, cst_yaml_item(n, i));
  if (n)
    return;
  for (int k = 0; k < cst_observer_count; k++) {
    const cst_observer *row = cst_observers[k];
    if (row->optional || !is_named(row))
      continue;
    if (!row->refuse || (s->problem.system && !row->refuse(s->problem.system)))
      add(s, row);
  }
}

/* `hidden` concerns a column of the observable `constraint`. */
static void check_hidden(cst_reader *r) {
  cst_yaml *hidden = cst_yaml_get(cst_yaml_get(r->root, "error"), "hidden");
  bool      observed = false;
  for (int i = 0; i < r->s->observe.n; i++)
    observed |= r->s->observe.observable[i].observer == CST_OBSERVER(constraint);
  if (hidden && !observed && r->s->problem.system && r->s->problem.system->ng)
    cst_yaml_error(r->doc, hidden, r->d,
                   "'hidden' is the norm of the hidden constraints, and 'constraint' is not among "
                   "the observables");
}

void cst_file_observe(cst_reader *r) {
  read_observables(r);
  check_hidden(r);
}
