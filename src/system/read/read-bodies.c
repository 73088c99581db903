/* read-bodies.c: the key `bodies`: the names of the bodies, their coordinates, and the orthogonality of
 * their rotation matrices.
 *
 *   top: {rotation: R, inertia: ...}
 *   "link[n]": {rotation: L, centre: [u, v, w], mass: m, inertia: ...}
 *
 * A body contributes the coordinates R11 .. R33, those of its centre, and six constraints top_11 .. top_33.
 * The coordinates of the bodies of an array follow each other body by body, so the step between the
 * elements L11[1], L11[2] of a name is the number of coordinates of one body.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

enum { ENTRIES = 9, AXES = 3 };

/* The row and the column of each of the six constraints. */
static const int pair[CST_ORTHOGONAL][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

bool cst_read_has_bodies(const cst_reading *r) { return cst_yaml_get(r->root, "bodies") != NULL; }

/* "R" and "12" joined to one name, in memory of the system. */
static const char *with_digits(cst_reading *r, const char *name, const char *between, int a,
                               int b) {
  const size_t size = strlen(name) + strlen(between) + 3;
  char        *text = cst_system_keep(r->s, size, 1);
  snprintf(text, size, "%s%s%d%d", name, between, a + 1, b + 1);
  return text;
}

/* Declares one coordinate of all bodies of this name. */
static void declare_coordinate(cst_reading *r, const cst_name *body, const cst_body_place *p,
                               const char *name, int at, cst_yaml *n, cst_yaml **item) {
  cst_system *s = r->s;
  item[s->ncoordinate] = n;
  r->i[s->ncoordinate] = "i";
  s->coordinate_name[s->ncoordinate++] = (cst_name){.name = name,
                                                    .at = at,
                                                    .count = body->count,
                                                    .first = body->first,
                                                    .array = body->array,
                                                    .step = p->size};
}

static void declare_rotation(cst_reading *r, const cst_name *body, const cst_body_place *p,
                             cst_yaml **item) {
  cst_yaml *n =
      cst_read_required(r, p->map, "rotation", "of the body (the name of its rotation matrix)");
  const char *name = n ? cst_yaml_text(n) : NULL;
  if (!n)
    return;
  if (!cst_read_symbol(r, n, -1, name, "rotation"))
    return;
  for (int e = 0; e < ENTRIES; e++)
    declare_coordinate(r, body, p, with_digits(r, name, "", e / AXES, e % AXES), p->rotation + e, n,
                       item);
}

static void declare_centre(cst_reading *r, const cst_name *body, const cst_body_place *p,
                           cst_yaml **item) {
  cst_yaml *list = cst_yaml_get(p->map, "centre");
  if (!list)
    return;
  if (!cst_yaml_is_list(list) || cst_yaml_size(list) != AXES) {
    cst_yaml_error(r->doc, list, r->d,
                   "'centre' must be a list of 3 names, one per coordinate of the centre of mass");
    return;
  }
  for (int a = 0; a < AXES; a++) {
    cst_yaml   *n = cst_yaml_item(list, a);
    const char *text = cst_yaml_text(n);
    if (cst_read_symbol(r, n, -1, text, "coordinate"))
      declare_coordinate(r, body, p, text, p->centre + a, n, item);
  }
}

static void declare_body(cst_reading *r, cst_yaml *key, cst_yaml *map, cst_yaml **item) {
  cst_system     *s = r->s;
  cst_name       *body = &s->body_name[s->nbody_name];
  cst_body_place *p = &r->body[s->nbody_name];
  if (!cst_read_declared(r, key, "body", body))
    return;
  if (!cst_yaml_is_map(map)) {
    cst_yaml_error(r->doc, map, r->d,
                   "a body must be a map with the keys rotation, inertia and, if it has a centre, "
                   "centre and mass");
    return;
  }
  cst_system_keys_check(r->doc, map, "bodies.NAME", CST_KEYS_ALL, r->d);
  if (body->array && !r->array)
    r->array = cst_yaml_text(key);
  const bool centre = cst_yaml_get(map, "centre") != NULL;
  *p = (cst_body_place){key, map, s->nq, centre ? s->nq + ENTRIES : -1,
                        ENTRIES + (centre ? AXES : 0)};
  body->at = s->nbodies;
  s->nbody_name++;
  declare_rotation(r, body, p, item);
  declare_centre(r, body, p, item);
  s->nbodies += body->count;
  if ((double)body->count * p->size > CST_MOST_Q)
    s->nq += CST_MOST_Q + 1;
  else
    s->nq += body->count * p->size;
}

static void check_names(cst_reading *r) {
  const cst_system *s = r->s;
  for (int k = 0; k < s->nbody_name; k++)
    for (int i = 0; i < k; i++)
      if (!strcmp(s->body_name[i].name, s->body_name[k].name)) {
        cst_yaml_error(r->doc, r->body[k].key, r->d,
                       "body '%s': there is already a body of this name", s->body_name[k].name);
        break;
      }
}

void cst_read_declare_bodies(cst_reading *r, cst_yaml **item) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_read_map(r, "bodies", "name: {rotation: R, inertia: [...]}");
  cst_yaml  **key, **value;
  const int   n = cst_yaml_size(map);
  if (map && !n)
    cst_yaml_error(
        r->doc, map, r->d,
        "'bodies' has no body; leave it out, or write 'name: {rotation: R, inertia: [...]}'");
  value = cst_read_children(map, &key);
  s->body_name = cst_system_keep(s, (size_t)n, sizeof *s->body_name);
  r->body = cst_system_keep(s, (size_t)n, sizeof *r->body);
  for (int k = 0; k < n && cst_read_goes_on(r) && s->nq <= CST_MOST_Q; k++)
    declare_body(r, key[k], value[k], item);
  check_names(r);
  free(value);
}

void cst_read_fill_bodies(cst_reading *r) {
  cst_system *s = r->s;
  s->bodies = cst_system_keep(s, (size_t)s->nbodies, sizeof *s->bodies);
  const char **name = cst_read_elements(r, s->body_name, s->nbody_name, s->nbodies);
  for (int k = 0; k < s->nbody_name; k++)
    for (int i = 0; i < s->body_name[k].count; i++) {
      const cst_body_place *p = &r->body[k];
      const int             at = s->body_name[k].at + i;
      cst_body             *b = &s->bodies[at];
      *b = (cst_body){
          .name = name[at], .rotation = p->rotation + i * p->size, .centre = -1, .mass = -1};
      if (p->centre >= 0)
        b->centre = p->centre + i * p->size;
    }
}

static void check_taken(cst_reading *r, cst_yaml *const *key, int own, const char *name) {
  for (int i = 0; i < own; i++)
    if (!strcmp(r->s->family[i].name, name))
      cst_yaml_error(r->doc, key[i], r->d,
                     "constraint '%s': this is the name of an orthogonality constraint of a body",
                     name);
}

void cst_read_declare_orthogonal(cst_reading *r, cst_yaml *const *key) {
  cst_system *s = r->s;
  const int   own = s->nfamily;
  for (int k = 0; k < s->nbody_name; k++) {
    const cst_name *body = &s->body_name[k];
    for (int e = 0; e < CST_ORTHOGONAL; e++) {
      const char *name = with_digits(r, body->name, "_", pair[e][0], pair[e][1]);
      check_taken(r, key, own, name);
      r->variable[s->nfamily] = "i";
      s->family[s->nfamily++] = (cst_name){.name = name,
                                           .at = s->ng + e,
                                           .count = body->count,
                                           .first = body->first,
                                           .array = body->array,
                                           .step = CST_ORTHOGONAL};
    }
    for (int i = 0; i < body->count; i++)
      s->bodies[body->at + i].constraint = s->ng + i * CST_ORTHOGONAL;
    s->ng += CST_ORTHOGONAL * body->count;
  }
}

/* The product of columns i and j of R; on the diagonal half of the product less 1. */
static cst_node orthogonality(const cst_system *s, const cst_body *b, int i, int j) {
  cst_graph *g = s->graph;
  cst_node   sum = -1;
  for (int a = 0; a < AXES; a++) {
    const int      row = b->rotation + AXES * a;
    const cst_node y = cst_graph_input(g, 'q', row + j);
    const cst_node x = cst_graph_input(g, 'q', row + i);
    cst_node       term = cst_graph_mul(g, x, y);
    sum = a ? cst_graph_add(g, sum, term) : term;
  }
  if (i != j)
    return sum;
  return cst_graph_mul(g, cst_graph_constant(g, 0.5),
                       cst_graph_sub(g, sum, cst_graph_constant(g, 1)));
}

void cst_read_orthogonal(cst_reading *r) {
  cst_system *s = r->s;
  for (int k = 0; k < s->nbodies; k++) {
    const cst_body *b = &s->bodies[k];
    cst_node       *g = s->g + b->constraint;
    for (int e = 0; e < CST_ORTHOGONAL; e++)
      g[e] = orthogonality(s, b, pair[e][0], pair[e][1]);
  }
}
