/* read-stationary.c: the key `stationary`: coordinates without mass that only make the Lagrangian stationary.
 *
 * L has no s', so that the equation of s is dV/ds + (dg/ds)'lambda = 0. Where it can be read without multipliers it is
 * a constraint on positions, c = 0, of the name stationary_s:
 *
 *   c = dV/ds     no constraint depends on s
 *   c = dg/ds     V does not, and one constraint g does: s is where g is extremal
 *
 * The multiplier kappa of c vanishes, since the row of s in M A = f - G'lambda - c_q'kappa is then kappa dc/ds = 0, and
 * the motion is that of the system without it. dc/ds must be regular, which point/mass.c examines for all coordinates
 * without mass: M is definite on the velocities with G v = 0 and c_q v = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "core/diag.h"
#include "system/read/system-reader.h"

static cst_yaml *list_of(const cst_reading *r) { return cst_yaml_get(r->root, "stationary"); }

/* The plain coordinate of this name; -1 with an error at n if there is none without mass. */
static int find(cst_reading *r, cst_yaml *n) {
  cst_system *s = r->s;
  const char *name = cst_yaml_text(n), *known[s->ncoordinate + 1];
  int         k = 0, plain = 0;
  while (plain < s->ncoordinate && s->coordinate_name[plain].at < s->nplain) {
    known[plain] = s->coordinate_name[plain].name;
    plain++;
  }
  while (name && k < plain && strcmp(known[k], name))
    k++;
  if (!name || k == plain)
    cst_yaml_error(r->doc, n, r->d, "'stationary' lists coordinates, and '%s' is none%s",
                   name ? name : "", name ? cst_diag_guess(name, known, plain) : "");
  else if (!s->mass_text || !s->mass_text[k] || strcmp(s->mass_text[k], "0"))
    cst_yaml_error(r->doc, n, r->d,
                   "%s has a mass; only a coordinate with the mass 0 is stationary", name);
  else
    return k;
  return -1;
}

void cst_read_declare_stationary(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *list = list_of(r);
  if (list && !cst_yaml_is_list(list))
    cst_yaml_error(r->doc, list, r->d, "'stationary' is a list of coordinates: [s]");
  for (int i = 0; list && i < cst_yaml_size(list); i++) {
    const int k = find(r, cst_yaml_item(list, i));
    if (k < 0)
      continue;
    const cst_name *of = &s->coordinate_name[k];
    const size_t    size = strlen(of->name) + sizeof "stationary_";
    char           *name = cst_system_keep(s, size, 1);
    snprintf(name, size, "stationary_%s", of->name);
    for (int a = 0; a < s->nfamily; a++)
      if (!strcmp(s->family[a].name, name))
        cst_yaml_error(r->doc, cst_yaml_item(list, i), r->d,
                       "'%s', the constraint of this coordinate, exists already", name);
    s->family[s->nfamily++] = (cst_name){
        .name = name, .at = s->ng, .count = of->count, .first = 1, .array = of->array, .step = 1};
    s->ng += of->count;
  }
  s->nown = s->ng;
}

/* The derivative of a node by an input. */
static cst_node slope(const cst_system *s, cst_node of, char array, int index) {
  const cst_node x = cst_graph_input(s->graph, array, index);
  const cst_node one = cst_graph_constant(s->graph, 1);
  cst_node       d;
  cst_graph_tangent(s->graph, &of, 1, &x, &one, 1, &d);
  return d;
}

static bool depends(const cst_system *s, cst_node of, int i) {
  return of >= 0 && !cst_graph_is_zero(s->graph, slope(s, of, 'q', i));
}

/* Whether L depends on coordinate i by terms with velocities. */
static bool is_kinetic(const cst_system *s, int i) {
  const int entries = s->matrix ? s->nq * s->nq : s->nq;
  bool      found = s->gyroscopic && !cst_graph_is_zero(s->graph, s->a[i]);
  for (int k = 0; k < entries && !found; k++)
    found = depends(s, s->mass[k], i);
  for (int k = 0; k < s->nq && s->gyroscopic && !found; k++)
    found = depends(s, s->a[k], i);
  return found;
}

/* c of coordinate i, or -1 with an error at n; the first `own` constraints are given. */
static cst_node condition(cst_reading *r, cst_yaml *n, int i, int own) {
  const cst_system *s = r->s;
  const bool        bent = depends(s, s->V, i);
  int               many = 0, last = -1;
  for (int a = 0; a < own; a++)
    if (depends(s, s->g[a], i)) {
      many++;
      last = a;
    }
  if (s->npairs || is_kinetic(s, i))
    cst_yaml_error(r->doc, n, r->d, "%s is not stationary: %s", s->coordinate[i],
                   s->npairs ? "the potential has sums over pairs"
                             : "the mass or the gyroscopic term depends on it");
  else if (many > 1 || (many && bent))
    cst_yaml_error(r->doc, n, r->d,
                   "the equation of %s contains multipliers: %s; it must be stationary for the "
                   "potential alone, or for one constraint alone",
                   s->coordinate[i],
                   bent ? "the potential and a constraint depend on it"
                        : "several constraints depend on it");
  else if (!many && !bent)
    cst_yaml_error(r->doc, n, r->d, "neither the potential nor a constraint depends on %s",
                   s->coordinate[i]);
  else
    return slope(s, many ? s->g[last] : s->V, 'q', i);
  return -1;
}

void cst_read_stationary(cst_reading *r, int own) {
  cst_system *s = r->s;
  cst_yaml   *list = list_of(r);
  for (int i = 0, a = own; list && i < cst_yaml_size(list) && a < s->nown; i++) {
    cst_yaml *n = cst_yaml_item(list, i);
    int       k = 0;
    while (strcmp(s->coordinate_name[k].name, cst_yaml_text(n)))
      k++;
    for (int e = 0; e < s->coordinate_name[k].count && cst_read_goes_on(r); e++)
      s->g[a++] = condition(r, n, s->coordinate_name[k].at + e, own);
  }
}

/* Whether a force or a constraint on velocities acts on coordinate i. */
static bool is_moved(const cst_system *s, int i) {
  bool found = false;
  for (int k = 0; k < s->nforce && !found; k++)
    found = s->force[k * s->nq + i] >= 0 && !cst_graph_is_zero(s->graph, s->force[k * s->nq + i]);
  for (int k = 0; k < s->nvel && !found; k++)
    found = s->phi[k] >= 0 && !cst_graph_is_zero(s->graph, slope(s, s->phi[k], 'v', i));
  return found;
}

void cst_read_check_stationary(cst_reading *r) {
  const cst_system *s = r->s;
  cst_yaml         *list = list_of(r);
  for (int i = 0; list && i < cst_yaml_size(list); i++)
    for (int k = 0; k < s->ncoordinate; k++) {
      const cst_name *of = &s->coordinate_name[k];
      for (int e = 0; e < of->count && !strcmp(of->name, cst_yaml_text(cst_yaml_item(list, i)));
           e++)
        if (is_moved(s, of->at + e)) {
          cst_yaml_error(r->doc, cst_yaml_item(list, i), r->d,
                         "%s is not stationary: a force or a constraint on velocities acts on it",
                         s->coordinate[of->at + e]);
          return;
        }
    }
}
