/* reader-expressions.c: expressions that are evaluated along trajectories, and the names of their datasets. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "observe/observer.h"
#include "study/file/names.h"
#include "study/file/reader.h"

enum { NAME_LENGTH = 32 };

typedef struct {
  cst_reader      *r;
  cst_expressions *x;
  const char      *what, *written;
  cst_yaml        *text;
  int              room;
} growing;

static bool parse(void *context, const cst_binding *names, int n, long number) {
  growing         *g = context;
  cst_reader      *r = g->r;
  cst_expressions *x = g->x;
  cst_expr_error   error;
  const cst_node   node = cst_expr_parse(r->s->system->graph, g->written, names, n, &error);
  if (node < 0) {
    cst_yaml_error_at(r->doc, g->text, error.offset, r->d, "%s%s: %s", g->what,
                      number ? ", in one of its expressions" : "", error.message);
    return false;
  }
  if (x->n >= g->room) {
    g->room = g->room ? 2 * g->room : 16;
    x->node = cst_need(realloc(x->node, sizeof *x->node * (size_t)g->room));
  }
  x->node[x->n++] = node;
  return true;
}

bool cst_reader_expressions(cst_reader *r, cst_yaml *map, const char *in, const char *what,
                            cst_expressions *x) {
  cst_system *s = r->s->system;
  cst_yaml   *text = cst_reader_required(r, map, in, "expression");
  const char *written = cst_reader_text(r, text, "expression", "an expression");
  long        visits;
  if (!written || !s)
    return false;
  x->text = strdup(written);
  cst_names  names = cst_names_create(s, s->graph, written);
  growing    g = {r, x, what, written, text, 0};
  const bool good =
      cst_reader_family(r, cst_yaml_get(map, "for"), what, names.name, names.n, parse, &g, &visits);
  cst_names_destroy(&names);
  return good;
}

bool cst_reader_expression(cst_reader *r, cst_yaml *n, const char *what, cst_expressions *x) {
  const char *written = cst_reader_text(r, n, what, "an expression");
  cst_system *s = r->s->system;
  if (!written || !s)
    return false;
  cst_names  names = cst_names_create(s, s->graph, written);
  growing    g = {r, x, what, written, n, x->n};
  const bool good = parse(&g, names.name, names.n, 0);
  cst_names_destroy(&names);
  return good;
}

void cst_reader_forget(cst_expressions *x) {
  free(x->text);
  free(x->node);
}

static bool is_identifier(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    rest[] = "0123456789_-";
  const size_t n = strspn(s, letters);
  for (size_t i = n; s[i]; i++)
    if (!strchr(letters, s[i]) && !strchr(rest, s[i]))
      return false;
  return n > 0 && strlen(s) <= NAME_LENGTH;
}

bool cst_reader_name(cst_reader *r, cst_yaml *n, const char *of, const char *name) {
  if (!is_identifier(name)) {
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s' cannot name %s; allowed: a letter, then letters, digits, _ and -, at most %d", name,
        of, NAME_LENGTH);
    return false;
  }
  for (int k = 0; k < cst_observer_count; k++)
    if (!strcmp(cst_observers[k]->name, name)) {
      cst_yaml_error(r->doc, n, r->d, "the name '%s' is taken by an observable; choose another",
                     name);
      return false;
    }
  return true;
}
