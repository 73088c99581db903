/* read-velocities.c: the key `nonholonomic`: constraints phi(q) v + phi0(q) = 0, single ones or families, and
 * the names of velocities in expressions.
 *
 * They come after all other constraints. Each must be linear or affine in the velocities: its derivative by a
 * velocity must not depend on any velocity.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

/* The name "x'" for "x". Borrowed. */
static const char *primed(cst_reading *r, const char *name) {
  char *text = cst_system_keep(r->s, strlen(name) + 2, 1);
  return strcat(strcpy(text, name), "'");
}

static cst_binding velocity(cst_reading *r, const cst_name *a) {
  cst_system *s = r->s;
  cst_node   *v = cst_system_keep(s, (size_t)a->count, sizeof *v);
  for (int k = 0; k < a->count; k++)
    v[k] = cst_graph_input(s->graph, 'v', a->at + k * a->step);
  return (cst_binding){.name = primed(r, a->name),
                       .node = a->array ? -1 : v[0],
                       .entry = a->array ? v : NULL,
                       .count = a->array ? a->count : 0};
}

cst_scope cst_read_velocities(cst_reading *r, bool timed) {
  cst_system     *s = r->s;
  const cst_scope known = timed ? cst_read_timed(r) : cst_read_positions(r);
  cst_binding    *all = cst_system_keep(s, (size_t)(known.n + s->ncoordinate) + 1, sizeof *all);
  memcpy(all + 1, known.names, sizeof *all * (size_t)known.n);
  for (int i = 0; i < s->ncoordinate; i++)
    all[1 + known.n + i] = velocity(r, &s->coordinate_name[i]);
  return (cst_scope){all + 1, known.n + s->ncoordinate};
}

/* Returns true if phi is not linear in the velocities. Then `by` is the first velocity with a slope that is
 * not constant, and `on` a velocity on which that slope depends. */
static bool is_bent(const cst_system *s, cst_node phi, int *by, int *on) {
  cst_graph     *g = s->graph;
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
  if (!cst_graph_depends(s->graph, phi, 'v'))
    cst_yaml_error(
        r->doc, n, r->d,
        "the nonholonomic constraint '%s' depends on no velocity (%s' is the velocity of %s); a "
        "constraint on positions belongs under 'constraints'",
        name, s->coordinate[0], s->coordinate[0]);
  else if (!is_bent(s, phi, &by, &on))
    return true;
  else
    cst_yaml_error(
        r->doc, n, r->d,
        "the nonholonomic constraint '%s' is not linear in the velocities: its derivative by %s' "
        "depends on %s'; it must be phi(q) v + phi0(q), linear or affine in the velocities",
        name, s->coordinate[by], s->coordinate[on]);
  return false;
}

static bool is_taken(const cst_reading *r, const char *name) {
  cst_system *s = r->s;
  for (int i = 0; i < s->nfamily; i++)
    if (!strcmp(s->family[i].name, name))
      return true;
  return false;
}

int cst_read_count_velocities(const cst_reading *r) {
  return cst_yaml_size(cst_yaml_get(r->root, "nonholonomic"));
}

void cst_read_declare_velocities(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map =
      cst_read_map(r, "nonholonomic", "name: expression of coordinates and velocities x'");
  for (int k = 0;
       k < cst_yaml_size(map) && cst_read_goes_on(r) && s->nvel <= cst_read_most_constraints(r);
       k++) {
    cst_yaml *key = cst_yaml_key(map, k);
    cst_name  a;
    if (is_taken(r, cst_yaml_text(key))) {
      cst_yaml_error(r->doc, key, r->d,
                     "nonholonomic constraint '%s': there is already a constraint of this name",
                     cst_yaml_text(key));
      continue;
    }
    cst_read_family(r, key, cst_yaml_value(map, k), "nonholonomic constraint", &a,
                    &r->variable[s->nfamily]);
    s->family[s->nfamily++] = a;
    s->nvel += a.count;
  }
  s->ng += s->nvel;
}

/* The expression of a family that was accepted, or NULL. */
static cst_yaml *expression_of(const cst_reading *r, const cst_name *a) {
  cst_yaml *value = cst_yaml_get(cst_yaml_get(r->root, "nonholonomic"), a->name);
  return a->array ? cst_yaml_get(value, "expression") : value;
}

/* Reads phi v + phi0 of one element from n; returns false after a mistake. */
static bool read_element(cst_reading *r, cst_yaml *n, int a, cst_scope scope) {
  cst_system *s = r->s;
  const char *name = s->constraint[a];
  cst_node   *phi = &s->phi[a - (s->ng - s->nvel)];
  char        what[200];
  snprintf(what, sizeof what, "nonholonomic constraint '%s'", name);
  s->g[a] = cst_graph_constant(s->graph, 0);
  *phi = cst_read_expression(r, n, scope, what);
  return *phi >= 0 && check_form(r, n, name, *phi);
}

void cst_read_velocity_constraints(cst_reading *r) {
  cst_system *s = r->s;
  const int   first = s->ng - s->nvel;
  if (!s->nvel)
    return;
  s->phi = cst_system_keep(s, (size_t)s->nvel, sizeof *s->phi);
  const cst_scope scope = cst_read_velocities(r, false);
  for (int k = 0; k < s->nfamily && cst_read_goes_on(r); k++) {
    const cst_name *a = &s->family[k];
    cst_yaml       *n = a->at >= first ? expression_of(r, a) : NULL;
    for (int i = 0; i < a->count && n && cst_read_goes_on(r); i++)
      if (!read_element(r, n, a->at + i, cst_read_member(r, scope, k, i)))
        break;
    r->table = NULL;
  }
}
