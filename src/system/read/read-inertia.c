/* read-inertia.c: masses and inertias of bodies. An inertia is given by its principal moments or as a full
 * symmetric matrix; it is checked at the default parameters. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/read/system-reader.h"

enum { AXES = 3, WHY = 300, WHAT = 200 };

/* the entries of cst_body.inertia */
static const int place[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

static cst_scope scope_of(cst_reading *r, const cst_name *name, int i) {
  cst_scope in = cst_read_constants(r);
  if (name->array)
    return cst_read_with(r, in, "i", name->first + i);
  return in;
}

/* Reads inertia: [I1, I2, I3] or three rows into I[9]; returns false if an entry is wrong. */
static bool read_entries(cst_reading *r, cst_yaml *list, cst_scope in, const char *what,
                         cst_node I[9]) {
  bool good = true;
  for (int e = 0; e < 9; e++) {
    cst_yaml *row = cst_yaml_item(list, e / AXES);
    if (!cst_yaml_is_list(row) && e / AXES != e % AXES)
      I[e] = cst_graph_constant(r->s->graph, 0);
    else
      good &= (I[e] = cst_read_expression(
                   r, cst_yaml_is_list(row) ? cst_yaml_item(row, e % AXES) : row, in, what)) >= 0;
  }
  return good;
}

static bool has_form(cst_reading *r, cst_yaml *list) {
  int rows = 0;
  if (!cst_yaml_is_list(list) || cst_yaml_size(list) != AXES) {
    cst_yaml_error(r->doc, list, r->d,
                   "'inertia' must be a list of 3 principal moments [I1, I2, I3] or of 3 rows of a "
                   "symmetric matrix");
    return false;
  }
  for (int a = 0; a < AXES; a++) {
    cst_yaml *row = cst_yaml_item(list, a);
    if (!cst_yaml_is_list(row))
      continue;
    rows++;
    if (cst_yaml_size(row) == AXES)
      continue;
    cst_yaml_error(r->doc, row, r->d, "row %d of inertia has %d entries; there must be 3", a + 1,
                   cst_yaml_size(row));
    return false;
  }
  if (rows == 0 || rows == AXES)
    return true;
  cst_yaml_error(
      r->doc, list, r->d,
      "'inertia' mixes numbers and rows; it must be a list of 3 principal moments or of 3 rows");
  return false;
}

/* Mirrored entries must agree at the default parameters. */
static bool is_symmetric(cst_reading *r, cst_yaml *list, const char *what, const double I[9]) {
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < a; b++) {
      const double x = I[3 * a + b];
      const double y = I[3 * b + a];
      const double size = fmax(fabs(x), fabs(y));
      if (!(fabs(x - y) > 1e-12 * size))
        continue;
      cst_yaml_error(
          r->doc, cst_yaml_item(cst_yaml_item(list, a), b), r->d,
          "%s: entry (%d, %d) is %.13g and entry (%d, %d) is %.13g at the default parameters; an "
          "inertia must be symmetric",
          what, a + 1, b + 1, x, b + 1, a + 1, y);
      return false;
    }
  return true;
}

/* node[9]: the entries. Of the elements of an array with equal inertias only the first is checked. */
static bool check_inertia(cst_reading *r, cst_yaml *list, const char *what, const cst_node node[9],
                          const cst_body *b, bool first) {
  cst_system     *s = r->s;
  const cst_body *before = first ? NULL : b - 1;
  bool            same = before != NULL;
  for (int e = 0; e < 6 && same; e++) {
    const int at = 3 * place[e][0] + place[e][1];
    same = before->inertia[e] == node[at];
  }
  if (same)
    return true;
  double I[9];
  char   why[WHY];
  cst_read_values(r, node, 9, NULL, I);
  if (!is_symmetric(r, list, what, I))
    return false;
  if (cst_body_is_flat(I))
    s->flat = (int)(b - s->bodies);
  if (!cst_body_is_wrong(I, why, WHY))
    return true;
  cst_yaml_error(r->doc, list, r->d, "%s at the default parameters: %s", what, why);
  return false;
}

static bool read_mass(cst_reading *r, cst_yaml *n, cst_scope in, const char *what, cst_body *b,
                      bool first) {
  double value;
  b->mass = cst_read_expression(r, n, in, what);
  if (b->mass < 0)
    return false;
  if (!first && b[-1].mass == b->mass)
    return true;
  cst_read_values(r, &b->mass, 1, NULL, &value);
  if (value > 0 && isfinite(value))
    return true;
  cst_yaml_error(r->doc, n, r->d,
                 "%s: the value is %g at the default parameters; it must be positive and finite",
                 what, value);
  return false;
}

/* Reads one body. Returns false after a mistake, which the other bodies of this name share. */
static bool read_one(cst_reading *r, int name, int i) {
  cst_system           *s = r->s;
  const cst_body_place *p = &r->body[name];
  cst_body             *b = &s->bodies[s->body_name[name].at + i];
  cst_yaml             *mass = cst_yaml_get(p->map, "mass");
  cst_yaml             *inertia = cst_yaml_get(p->map, "inertia");
  char                  what[WHAT];
  cst_node              I[9];
  cst_scope             in = scope_of(r, &s->body_name[name], i);
  snprintf(what, sizeof what, "mass of %.100s", b->name);
  bool good = !mass || read_mass(r, mass, in, what, b, i == 0);
  snprintf(what, sizeof what, "inertia of %.100s", b->name);
  if (!inertia || !has_form(r, inertia))
    return false;
  if (!read_entries(r, inertia, in, what, I))
    return false;
  if (!check_inertia(r, inertia, what, I, b, i == 0))
    return false;
  for (int e = 0; e < 6; e++)
    b->inertia[e] = I[3 * place[e][0] + place[e][1]];
  return good;
}

static void check_keys(cst_reading *r, int name) {
  const cst_body_place *p = &r->body[name];
  const char           *of = r->s->body_name[name].name;
  cst_yaml             *mass = cst_yaml_get(p->map, "mass");
  if (!cst_yaml_get(p->map, "inertia"))
    cst_yaml_error(r->doc, p->map, r->d,
                   "missing key 'inertia' of the body '%s': 3 principal moments, or 3 rows of a "
                   "symmetric matrix",
                   of);
  if (p->centre >= 0 && !mass)
    cst_yaml_error(r->doc, p->map, r->d, "missing key 'mass' of the body '%s', which has a centre",
                   of);
  if (p->centre < 0 && mass)
    cst_yaml_error(
        r->doc, mass, r->d,
        "the body '%s' has a mass but no centre; give 'centre' or leave out 'mass': a body "
        "without a centre turns about the origin, and its inertia is taken about the origin",
        of);
}

/* Numbers the distinct values of the inertias and masses in the order in which they appear; cst_body.at holds
 * these numbers (derive.c has the kernel). */
static void number_all(cst_system *s) {
  const int size = cst_graph_size(s->graph);
  int      *seen = cst_zeros(size, sizeof *seen);
  for (int i = 0; i <= size; i++)
    seen[i] = -1;
  s->nbody = 0;
  for (int k = 0; k < s->nbodies; k++) {
    cst_body *b = &s->bodies[k];
    for (int e = 0; e < 7; e++) {
      const cst_node n = e < 6 ? b->inertia[e] : b->mass;
      if (n >= 0 && seen[n] < 0)
        seen[n] = s->nbody++;
      b->at[e] = n < 0 ? -1 : seen[n];
    }
  }
  free(seen);
}

void cst_read_inertia(cst_reading *r) {
  cst_system *s = r->s;
  for (int k = 0; k < s->nbody_name; k++) {
    check_keys(r, k);
    for (int i = 0; i < s->body_name[k].count && read_one(r, k, i); i++) {
    }
  }
  if (cst_diag_count(r->d) == r->before)
    number_all(s);
}
