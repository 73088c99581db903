/* read-constraints.c: reads constraints on positions and velocities, single ones and families. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/diag.h"
#include "expr/define.h"
#include "system/read/system-reader.h"

enum { LARGEST = 1000000 }; /* largest bound of the range of a family */

static const char form[] = "'NAME = FROM..TO', for example 'i = 2..n', or the name of a table";

static bool taken(cst_reading *r, const char *name) {
  cst_scope known = cst_read_positions(r);
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.names[i].name, name))
      return true;
  return cst_graph_definition_find(r->s->model->graph, name) != NULL;
}

/* The name text[0 .. n) of the variable, `offset` characters into the node. */
static const char *read_variable(cst_reading *r, cst_yaml *n, int offset, const char *text,
                                 int length) {
  while (length && strchr(" \n", text[length - 1]))
    length--;
  char *name = cst_system_keep(r->s, (size_t)length + 1, 1);
  memcpy(name, text, (size_t)length);
  if (!cst_read_symbol(r, n, offset, name, "variable"))
    return NULL;
  if (!taken(r, name))
    return name;
  cst_yaml_error_at(r->doc, n, offset, r->d,
                    "'%s' cannot be the variable of a family, the name is in use; choose another",
                    name);
  return NULL;
}

static const char *nearest_table(const cst_reading *r, const char *text) {
  const char           *name[CST_EDGE_TABLES];
  int                   n;
  const cst_edge_table *t = cst_graph_tables(r->s->model->graph, &n);
  for (int k = 0; k < n; k++)
    name[k] = t[k].name;
  return text ? cst_diag_guess(text, name, n) : "";
}

static void take_rows(cst_reading *r, const cst_edge_table *t, cst_name *a, const char **variable) {
  r->rows[r->s->description->nfamily] = t;
  *variable = "";
  a->first = 1;
  a->count = t->rows;
  a->range = t->name;
}

/* "i = 2..n", or the name of a table */
static void read_range(cst_reading *r, cst_yaml *n, cst_name *a, const char **variable) {
  const char *text = cst_yaml_text(n);
  if (text && cst_graph_table_find(r->s->model->graph, text)) {
    take_rows(r, cst_graph_table_find(r->s->model->graph, text), a, variable);
    return;
  }
  const char *equal = text ? strchr(text, '=') : NULL;
  const char *dots = equal ? strstr(equal, "..") : NULL;
  int         from = 0;
  int         to = -1;
  if (!dots) {
    cst_yaml_error(r->doc, n, r->d, "'for' is '%s'; it must be %s%s", text ? text : "", form,
                   nearest_table(r, text));
    return;
  }
  int  blanks = (int)strspn(text, " \n");
  bool good = (*variable = read_variable(r, n, blanks, text + blanks,
                                         (int)(equal - text) - blanks)) != NULL;
  good &= cst_read_whole(r, n, (int)(equal + 1 - text), equal + 1, (int)(dots - equal) - 1,
                         "the first number", 0, LARGEST, &from);
  good &= cst_read_whole(r, n, (int)(dots + 2 - text), dots + 2, (int)strlen(dots + 2),
                         "the last number", -LARGEST, LARGEST, &to);
  a->first = from;
  if (good && to >= from)
    a->count = to - from + 1;
  else
    a->count = 0;
  a->range = text;
}

/* Reads `name: expression` or `name: {for: "i = 2..n", expression: "..."}` as the name *a
 * of constraints that follow those already declared. `what` names it in messages. *variable is the variable
 * of a family or NULL. Returns the node of the expression. */
static cst_yaml *read_family(cst_reading *r, cst_yaml *key, cst_yaml *value, const char *what,
                             cst_name *a, const char **variable) {
  bool family = cst_yaml_is_map(value);
  *a = (cst_name){.name = cst_yaml_text(key),
                  .at = r->s->ng + r->s->model->nvel,
                  .count = 1,
                  .array = family,
                  .step = 1};
  *variable = NULL;
  cst_read_symbol(r, key, -1, a->name, what);
  if (family) {
    cst_system_keys_check(r->doc, value, "constraints.NAME", CST_KEYS_ALL, r->d);
    cst_yaml *range = cst_read_required(r, value, "for", "of a family of constraints");
    value = cst_read_required(r, value, "expression", "of a family of constraints");
    a->count = 0;
    if (range)
      read_range(r, range, a, variable);
    if (!*variable) {
      *variable = "";
      a->count = 0;
    }
  }
  a->text = cst_yaml_text(value);
  return value;
}

/* The names for element i of family k of constraints; in a row of a table those of its columns are known besides. */
static cst_scope member(cst_reading *r, cst_scope in, int k, int i) {
  const cst_name *a = &r->s->description->family[k];
  r->table = r->rows[k];
  r->row = i;
  return a->array && !r->table ? cst_read_with(r, in, r->variable[k], a->first + i) : in;
}

static void read_expression(cst_reading *r, cst_yaml *n, int family) {
  cst_system     *s = r->s;
  const cst_name *a = &s->description->family[family];
  const double    before = cst_read_part(r);
  char            what[200], message[300];
  for (int k = 0; k < a->count; k++) {
    const char *name = s->description->constraint[a->at + k];
    cst_scope   scope = member(r, cst_read_timed(r), family, k);
    if (a->array)
      snprintf(what, sizeof what, "constraint %s", name);
    else
      snprintf(what, sizeof what, "constraint");
    const cst_node g = cst_read_expression(r, n, scope, what);
    s->model->g[a->at + k] = g;
    if (g < 0 || !cst_read_foresee(r, n, before, k + 1, a->count))
      break;
    if (cst_graph_depends(s->model->graph, g, 'q'))
      continue;
    snprintf(message, sizeof message, "the %s depends on no coordinate", what);
    cst_read_row_error(r, n, message);
    break;
  }
  r->table = NULL;
}

/* ---- the key `nonholonomic` ------------------------------------------------------------------ */

/* Constraints phi(q) v + phi0(q) = 0, single ones or families, and
 * the names of velocities in expressions.
 *
 * They come after all other constraints. Each must be linear or affine in the velocities: its derivative by a
 * velocity must not depend on any velocity.
 */

/* The name "x'" for "x". Borrowed. */
static const char *primed(cst_reading *r, const char *name) {
  char *text = cst_system_keep(r->s, strlen(name) + 2, 1);
  return strcat(strcpy(text, name), "'");
}

static cst_binding velocity(cst_reading *r, const cst_name *a) {
  cst_system *s = r->s;
  cst_node   *v = cst_system_keep(s, (size_t)a->count, sizeof *v);
  for (int k = 0; k < a->count; k++)
    v[k] = cst_graph_input(s->model->graph, 'v', a->at + k * a->step);
  return (cst_binding){.name = primed(r, a->name),
                       .node = a->array ? -1 : v[0],
                       .entry = a->array ? v : NULL,
                       .count = a->array ? a->count : 0};
}

cst_scope cst_read_velocities(cst_reading *r, bool timed) {
  cst_system     *s = r->s;
  const cst_scope known = timed ? cst_read_timed(r) : cst_read_positions(r);
  cst_binding    *all =
      cst_system_keep(s, (size_t)(known.n + s->description->ncoordinate) + 1, sizeof *all);
  memcpy(all + 1, known.names, sizeof *all * (size_t)known.n);
  for (int i = 0; i < s->description->ncoordinate; i++)
    all[1 + known.n + i] = velocity(r, &s->description->coordinate_name[i]);
  return (cst_scope){all + 1, known.n + s->description->ncoordinate};
}

/* Returns true if phi is not linear in the velocities. Then `by` is the first velocity with a slope that is
 * not constant, and `on` a velocity on which that slope depends. */
static bool is_bent(const cst_system *s, cst_node phi, int *by, int *on) {
  cst_graph     *g = s->model->graph;
  int           *index, *other;
  const int      n = cst_graph_support(g, phi, 'v', &index);
  const cst_node one = cst_graph_constant(g, 1);
  bool           bent = false;
  for (int k = 0; k < n && !bent; k++) {
    cst_node x = cst_graph_input(g, 'v', index[k]);
    cst_node slope;
    cst_graph_gradient(g, &phi, &one, 1, &x, 1, &slope);
    bent = cst_graph_support(g, slope, 'v', &other) > 0;
    if (bent) {
      *by = index[k];
      *on = other[0];
    }
    free(other);
  }
  free(index);
  return bent;
}

static bool check_form(cst_reading *r, cst_yaml *n, const char *name, cst_node phi) {
  const cst_system *s = r->s;
  int               by, on;
  if (!cst_graph_depends(s->model->graph, phi, 'v'))
    cst_yaml_error(
        r->doc, n, r->d,
        "the nonholonomic constraint '%s' depends on no velocity (%s' is the velocity of %s); a "
        "constraint on positions belongs under 'constraints'",
        name, s->description->coordinate[0], s->description->coordinate[0]);
  else if (!is_bent(s, phi, &by, &on))
    return true;
  else
    cst_yaml_error(
        r->doc, n, r->d,
        "the nonholonomic constraint '%s' is not linear in the velocities: its derivative by %s' "
        "depends on %s'; it must be phi(q) v + phi0(q), linear or affine in the velocities",
        name, s->description->coordinate[by], s->description->coordinate[on]);
  return false;
}

static bool is_taken(const cst_reading *r, const char *name) {
  cst_system *s = r->s;
  for (int i = 0; i < s->description->nfamily; i++)
    if (!strcmp(s->description->family[i].name, name))
      return true;
  return false;
}

/* Constraints on velocities, which follow all others: their number, their names, their
 * expressions. */
static int count_velocities(const cst_reading *r) {
  return cst_yaml_size(cst_yaml_get(r->root, "nonholonomic"));
}

static void declare_velocities(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map =
      cst_read_map(r, "nonholonomic", "name: expression of coordinates and velocities x'");
  for (int k = 0; k < cst_yaml_size(map) && cst_read_goes_on(r) &&
                  s->model->nvel <= cst_read_most_constraints(r);
       k++) {
    cst_yaml *key = cst_yaml_key(map, k);
    cst_name  a;
    if (is_taken(r, cst_yaml_text(key))) {
      cst_yaml_error(r->doc, key, r->d,
                     "nonholonomic constraint '%s': there is already a constraint of this name",
                     cst_yaml_text(key));
      continue;
    }
    read_family(r, key, cst_yaml_value(map, k), "nonholonomic constraint", &a,
                &r->variable[s->description->nfamily]);
    s->description->family[s->description->nfamily++] = a;
    s->model->nvel += a.count;
  }
  s->ng += s->model->nvel;
}

/* The expression of a family that was accepted, or NULL. */
static cst_yaml *expression_of(const cst_reading *r, const cst_name *a) {
  cst_yaml *value = cst_yaml_get(cst_yaml_get(r->root, "nonholonomic"), a->name);
  return a->array ? cst_yaml_get(value, "expression") : value;
}

/* Reads phi v + phi0 of one element from n; returns false after a mistake. */
static bool read_element(cst_reading *r, cst_yaml *n, int a, cst_scope scope) {
  cst_system *s = r->s;
  const char *name = s->description->constraint[a];
  cst_node   *phi = &s->model->phi[a - (s->ng - s->model->nvel)];
  char        what[200];
  snprintf(what, sizeof what, "nonholonomic constraint '%s'", name);
  s->model->g[a] = cst_graph_constant(s->model->graph, 0);
  *phi = cst_read_expression(r, n, scope, what);
  return *phi >= 0 && check_form(r, n, name, *phi);
}

static void velocity_constraints(cst_reading *r) {
  cst_system *s = r->s;
  const int   first = s->ng - s->model->nvel;
  if (!s->model->nvel)
    return;
  s->model->phi = cst_system_keep(s, (size_t)s->model->nvel, sizeof *s->model->phi);
  const cst_scope scope = cst_read_velocities(r, false);
  for (int k = 0; k < s->description->nfamily && cst_read_goes_on(r); k++) {
    const cst_name *a = &s->description->family[k];
    cst_yaml       *n = a->at >= first ? expression_of(r, a) : NULL;
    for (int i = 0; i < a->count && n && cst_read_goes_on(r); i++)
      if (!read_element(r, n, a->at + i, member(r, scope, k, i)))
        break;
    r->table = NULL;
  }
}

/* ---- all constraints ------------------------------------------------------------------------- */

/* Declares the names; the nodes of their expressions go to value. */
static void declare(cst_reading *r, cst_yaml *const *key, cst_yaml **value, int n) {
  cst_system *s = r->s;
  const int   stationary = cst_yaml_size(cst_yaml_get(r->root, "stationary"));
  const int   most =
      n + stationary + CST_ORTHOGONAL * s->description->nbody_name + count_velocities(r);
  s->description->family = cst_system_keep(s, (size_t)most, sizeof *s->description->family);
  r->variable = cst_system_keep(s, (size_t)most, sizeof *r->variable);
  r->rows = cst_system_keep(s, (size_t)most, sizeof *r->rows);
  for (int k = 0; k < n && cst_read_goes_on(r) && s->ng <= cst_read_most_constraints(r); k++) {
    value[k] =
        read_family(r, key[k], value[k], "constraint", &s->description->family[k], &r->variable[k]);
    s->ng += s->description->family[k].count;
    s->description->nfamily++;
  }
}

void cst_read_constraints(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_read_map(r, "constraints", "name: expression");
  cst_yaml  **key;
  cst_yaml  **value = cst_read_children(map, &key);
  declare(r, key, value, cst_yaml_size(map));
  const int own = s->description->nfamily, written = s->ng;
  cst_read_declare_stationary(r);
  cst_read_declare_orthogonal(r, key);
  declare_velocities(r);
  if (s->ng > cst_read_most_constraints(r)) {
    cst_yaml_error(r->doc, map, r->d, "there are more than %d constraints, the maximum",
                   cst_read_most_constraints(r));
    s->ng = s->description->nfamily = s->model->nvel = 0;
  }
  if (s->ng > 4 * s->nq) /* some may be redundant; their rank is found at the start */
    cst_yaml_error(r->doc, map, r->d, "%d constraints on %d coordinates leave no motion", s->ng,
                   s->nq);
  s->description->constraint =
      cst_read_elements(r, s->description->family, s->description->nfamily, s->ng);
  s->model->g = cst_system_keep(s, (size_t)s->ng, sizeof *s->model->g);
  for (int k = 0; k < own && k < s->description->nfamily && cst_read_goes_on(r); k++)
    if (value[k])
      read_expression(r, value[k], k);
  if (cst_read_goes_on(r) && cst_diag_count(r->d) == r->before)
    cst_read_stationary(r, written);
  if (s->ng)
    cst_read_orthogonal(r);
  velocity_constraints(r);
  free(value);
}
