/* read-definitions.c: the key `define`: names for subexpressions, and functions of one line, which the
 * expressions below may use (expr/define.h).
 *
 * Every definition is checked here with all names that it may have: parameters, coordinates, velocities and t.
 * The check makes its nodes in a copy of the graph, so that the system has the nodes of its other keys alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/budget.h"
#include "expr/define.h"
#include "expr/edge-table.h"
#include "system/read/system-reader.h"

static const char form[] = "'NAME: expression' or '\"NAME(ARGUMENT, ...)\": expression'";

/* ---- names ----------------------------------------------------------------------------------- */

/* The part of text up to `end` without blanks around it; *offset becomes its place. Kept by the system. */
static const char *part_of(cst_reading *r, const char *text, const char *end, int *offset) {
  const char *begin = text + *offset;
  while (begin < end && strchr(" \t\n", *begin))
    begin++;
  *offset = (int)(begin - text);
  while (end > begin && strchr(" \t\n", end[-1]))
    end--;
  char *part = cst_system_keep(r->s, (size_t)(end - begin) + 1, 1);
  return memcpy(part, begin, (size_t)(end - begin));
}

static bool is_short(cst_reading *r, cst_yaml *key, int offset, const char *name,
                     const char *what) {
  if (!cst_read_symbol(r, key, offset, name, what))
    return false;
  if (strlen(name) <= CST_DEFINE_NAME)
    return true;
  cst_yaml_error_at(r->doc, key, offset, r->d, "'%s' is too long for the name of a %s; at most %d",
                    name, what, CST_DEFINE_NAME);
  return false;
}

/* Whether a study gives the name to a quantity of a body, as omega_top_1. */
static bool is_quantity(const cst_system *s, const char *name) {
  for (const cst_body_quantity *x = cst_body_quantities; x->prefix; x++)
    for (int k = 0; k < s->nbody_name; k++) {
      const size_t before = strlen(x->prefix);
      const size_t body = strlen(s->body_name[k].name);
      if (!strncmp(name, x->prefix, before) && name[before] == '_' &&
          !strncmp(name + before + 1, s->body_name[k].name, body) && name[before + 1 + body] == '_')
        return true;
    }
  return false;
}

/* What has this name already; NULL: nothing. */
static const char *holder(cst_reading *r, const char *name, const cst_definition *d, int n) {
  const cst_scope known = cst_read_positions(r);
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name))
      return i < cst_system_named(r->s) ? "a parameter" : "a coordinate";
  for (int i = 0; i < n; i++)
    if (!strcmp(d[i].name, name))
      return "a definition";
  if (cst_graph_is_column(r->s->graph, name))
    return "a table or column";
  return is_quantity(r->s, name) ? "a quantity of a body" : NULL;
}

/* Whether d, whose name is at `offset` of the key, may have it after the definitions all[n]. */
static bool is_free(cst_reading *r, cst_yaml *key, int offset, const char *name,
                    const cst_definition *all, int n) {
  if (!is_short(r, key, offset, name, "definition"))
    return false;
  const char *other = holder(r, name, all, n);
  if (other)
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "definition '%s': there is already %s of this name", name, other);
  else if (r->array && !strcmp(name, "i"))
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "'i' is reserved in a system with arrays, such as '%s': it is the number of "
                      "an element",
                      r->array);
  else
    return true;
  return false;
}

/* ---- one definition -------------------------------------------------------------------------- */

/* Appends the argument that ends at `end`. */
static bool read_argument(cst_reading *r, cst_yaml *key, const char *end, int offset,
                          const char **argument, int n) {
  const char *text = cst_yaml_text(key);
  const char *name = part_of(r, text, end, &offset);
  if (n == CST_DEFINE_ARGUMENTS) {
    cst_yaml_error_at(r->doc, key, offset, r->d,
                      "a definition has at most %d arguments; this is one more", n);
    return false;
  }
  if (!is_short(r, key, offset, name, "function's argument"))
    return false;
  for (int i = 0; i < n; i++)
    if (!strcmp(argument[i], name)) {
      cst_yaml_error_at(r->doc, key, offset, r->d, "the argument '%s' appears twice", name);
      return false;
    }
  argument[n] = name;
  return true;
}

/* Reads "(x, w)" behind the name. */
static bool read_arguments(cst_reading *r, cst_yaml *key, const char *bracket, cst_definition *d) {
  const char  *text = cst_yaml_text(key);
  const char  *close = strchr(bracket, ')');
  const char **argument = cst_system_keep(r->s, CST_DEFINE_ARGUMENTS, sizeof *argument);
  d->argument = argument;
  if (!close || close[1 + strspn(close + 1, " \t\n")]) {
    cst_yaml_error_at(r->doc, key, (int)((close ? close + 1 : bracket) - text), r->d,
                      "'%s': a definition is written %s", text, form);
    return false;
  }
  for (const char *from = bracket + 1; from <= close;) {
    const char *end = from + strcspn(from, ",)");
    if (!read_argument(r, key, end, (int)(from - text), argument, d->n))
      return false;
    d->n++;
    from = end + 1;
  }
  return true;
}

/* Reads a definition as all[n]; returns false after a mistake. */
static bool read_definition(cst_reading *r, cst_yaml *key, cst_yaml *value, cst_definition *all,
                            int n) {
  cst_definition *d = &all[n];
  const char     *text = cst_yaml_text(key);
  const char     *bracket = text ? strchr(text, '(') : NULL;
  int             offset = 0;
  if (!text)
    return cst_read_symbol(r, key, -1, NULL, "definition");
  *d = (cst_definition){.text = cst_yaml_text(value)};
  d->name = part_of(r, text, bracket ? bracket : text + strlen(text), &offset);
  bool good = is_free(r, key, offset, d->name, all, n);
  good &= !bracket || read_arguments(r, key, bracket, d);
  if (cst_yaml_is_scalar(value))
    return good;
  cst_yaml_error(r->doc, value, r->d, "the definition '%s' must be a number or an expression",
                 text);
  return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* All names that a definition may have, in the graph of the system. */
static void check_all(cst_reading *r, cst_yaml *const *value, int n) {
  cst_graph           *g = r->s->graph;
  cst_definition_state state[CST_DEFINE_MOST];
  cst_expr_error       error[CST_DEFINE_MOST];
  int                  within[CST_DEFINE_MOST], nall;
  const cst_scope      in = cst_read_velocities(r, true);
  for (int k = 0; k < n; k++) {
    state[k] = CST_DEFINE_GOOD;
    if (!cst_graph_spent(g)) /* one message is enough */
      state[k] = cst_definition_check(g, k, in.names, in.n, &error[k], &within[k]);
  }
  const cst_definition *d = cst_graph_definitions(g, &nall);
  for (int k = 0; k < n && cst_read_goes_on(r); k++) {
    char what[80];
    if (state[k] != CST_DEFINE_WRONG &&
        (state[k] != CST_DEFINE_WITHIN || state[within[k]] != CST_DEFINE_GOOD))
      continue;
    snprintf(what, sizeof what, "definition '%s'", d[k].name);
    if (error[k].table)
      cst_read_tell_row(r, what, &error[k]);
    else
      cst_yaml_error_at(r->doc, value[k], error[k].offset, r->d, "%s: %s", what, error[k].message);
  }
}

/* Reads the map into all[]; returns their number. */
static int read_map(cst_reading *r, cst_yaml *const *key, cst_yaml **value, cst_definition *all,
                    int n) {
  int good = 0;
  for (int k = 0; k < n && cst_read_goes_on(r); k++)
    if (read_definition(r, key[k], value[k], all, good))
      value[good++] = value[k];
  return good;
}

bool cst_read_definitions(cst_reading *r) {
  cst_system *s = r->s;
  const int   before = cst_diag_count(r->d);
  cst_yaml   *map = cst_yaml_get(r->root, "define");
  const int   n = cst_yaml_size(map);
  if (!map)
    return true;
  if (!cst_yaml_is_map(map) || n > CST_DEFINE_MOST) {
    if (!cst_yaml_is_map(map))
      cst_yaml_error(r->doc, map, r->d, "'define' must be a map of %s", form);
    else
      cst_yaml_error(r->doc, map, r->d, "%d definitions; at most %d are allowed", n,
                     CST_DEFINE_MOST);
    return false;
  }
  cst_yaml      **key;
  cst_yaml      **value = cst_read_children(map, &key);
  cst_definition *all = cst_system_keep(s, (size_t)n + 1, sizeof *all);
  const int       good = read_map(r, key, value, all, n);
  cst_graph      *own = s->graph;
  if (good == n) {
    cst_graph_define(own, all, good);
    s->graph = cst_graph_copy(own);
    check_all(r, value, good);
    cst_graph_destroy(s->graph);
    s->graph = own;
  }
  free(value);
  return cst_diag_count(r->d) == before;
}
