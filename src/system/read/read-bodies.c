/* read-bodies.c: the key `bodies`: the names of the bodies, their inertias, their coordinates with their mass, and the
 * orthogonality of their rotation matrices. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/read/system-reader.h"

/* ---- masses and inertias --------------------------------------------------------------------- */

/* An inertia is given by its principal moments or as a full
 * symmetric matrix; it is checked at the default parameters. */

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
      I[e] = cst_graph_constant(r->s->model->graph, 0);
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
    s->model->flat = (int)(b - s->model->bodies);
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
  cst_body             *b = &s->model->bodies[s->description->body_name[name].at + i];
  cst_yaml             *mass = cst_yaml_get(p->map, "mass");
  cst_yaml             *inertia = cst_yaml_get(p->map, "inertia");
  char                  what[WHAT];
  cst_node              I[9];
  cst_scope             in = scope_of(r, &s->description->body_name[name], i);
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
  const char           *of = r->s->description->body_name[name].name;
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
  const int size = cst_graph_size(s->model->graph);
  int      *seen = cst_zeros(size, sizeof *seen);
  for (int i = 0; i <= size; i++)
    seen[i] = -1;
  s->model->nbody = 0;
  for (int k = 0; k < s->model->nbodies; k++) {
    cst_body *b = &s->model->bodies[k];
    for (int e = 0; e < 7; e++) {
      const cst_node n = e < 6 ? b->inertia[e] : b->mass;
      if (n >= 0 && seen[n] < 0)
        seen[n] = s->model->nbody++;
      b->at[e] = n < 0 ? -1 : seen[n];
    }
  }
  free(seen);
}

void cst_read_inertia(cst_reading *r) {
  cst_system *s = r->s;
  for (int k = 0; k < s->description->nbody_name; k++) {
    check_keys(r, k);
    for (int i = 0; i < s->description->body_name[k].count && read_one(r, k, i); i++) {
    }
  }
  if (cst_diag_count(r->d) == r->before)
    number_all(s);
}

/* ---- the mass of the coordinates ------------------------------------------------------------- */

/* It follows from the inertias, behind that of the
 * plain coordinates. A flat body has coordinates without mass; where constraints on velocities leave it to methods in
 * coordinates, M is raised by terms that are zero on the velocities of rotations.
 */

/* True if the mass, including that of the bodies, is a matrix with entries off its diagonal. */
static bool wants_matrix(const cst_system *s) {
  static const int off_diagonal[] = {1, 2, 4};
  if (s->model->traits & (CST_MASS_MATRIX | CST_MASS_RAISED))
    return true;
  for (int k = 0; k < s->model->nbodies; k++)
    for (int e = 0; e < 3; e++) {
      const cst_node product = s->model->bodies[k].inertia[off_diagonal[e]];
      if (!cst_graph_is_zero(s->model->graph, product))
        return true;
    }
  return false;
}

/* J[81] += sigma O'O, as a matrix of the nine entries of R, with the rows O of orthogonality and sigma = tr I / 2:
 *
 *   sigma (delta_ij (R R')_ab + (1 - delta_ij) R_aj R_bi)   for the entries R_ai and R_bj
 *
 * On O v = 0 nothing changes: not L along motions, not p = M v, and not the multipliers, since d/dt(O v) = 0 too.
 */
static cst_node raised(const cst_system *s, const cst_body *b, int entry, int other) {
  static const int diagonal[] = {0, 3, 5};
  cst_graph       *g = s->model->graph;
  const int        a = entry / 3, i = entry % 3, c = other / 3, j = other % 3;
  cst_node         R[9], sum = cst_graph_constant(g, 0), sigma = cst_graph_constant(g, 0);
  for (int k = 0; k < 9; k++)
    R[k] = cst_graph_input(g, 'q', b->rotation + k);
  for (int k = 0; k < 3; k++)
    sigma = cst_graph_add(g, sigma, b->inertia[diagonal[k]]);
  if (i != j)
    sum = cst_graph_mul(g, R[3 * a + j], R[3 * c + i]);
  for (int k = 0; k < 3 && i == j; k++)
    sum = cst_graph_add_product(g, sum, R[3 * a + k], R[3 * c + k]);
  return cst_graph_mul(g, cst_graph_mul(g, cst_graph_constant(g, 0.5), sigma), sum);
}

static void raise_body(const cst_system *s, const cst_body *b, cst_node *out, int stride) {
  for (int k = 0; k < 9; k++)
    for (int l = 0; l < 9; l++) {
      cst_node *at = out + (long)(b->rotation + k) * stride + b->rotation + l;
      *at = cst_graph_add(s->model->graph, *at, raised(s, b, k < l ? k : l, k < l ? l : k));
    }
}

/* Writes the entries of body b to out, whose rows have `stride` entries; stride 0 means a diagonal. */
static void put_body(const cst_system *s, const cst_body *b, cst_node *out, int stride) {
  cst_node J[9];
  cst_body_block(s, b, J);
  for (int a = 0; a < 3; a++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int row = b->rotation + 3 * a + i;
        const int column = b->rotation + 3 * a + j;
        if (stride || i == j)
          out[stride ? row * stride + column : row] = J[3 * i + j];
      }
    if (b->centre >= 0)
      out[(b->centre + a) * (stride + 1)] = b->mass;
  }
}

void cst_read_body_masses(cst_reading *r) {
  cst_system *s = r->s;
  const bool  matrix = cst_has(s, CST_MASS_MATRIX);
  const bool  raised =
      s->model->flat >= 0 && cst_yaml_size(cst_yaml_get(r->root, "nonholonomic")) > 0;
  cst_system_mark(s, CST_MASS_RAISED, raised);
  if (raised)
    s->model->flat = -1;
  const bool full = wants_matrix(s);
  const int  n = s->nq;
  const int  np = s->model->nplain;
  if (full && n > CST_MOST_FULL) {
    cst_yaml_error(r->doc, cst_yaml_get(r->root, matrix ? "mass" : "bodies"), r->d,
                   "a mass matrix of %d coordinates; at most %d are allowed if it or an inertia is "
                   "not diagonal%s",
                   n, CST_MOST_FULL,
                   matrix ? "" : "; with principal axes as body axes there is no limit");
    return;
  }
  const size_t rows = (size_t)n;
  const size_t size = full ? rows * rows : rows;
  cst_node    *mass = cst_system_keep(s, size, sizeof *mass);
  for (size_t i = 0; i < size; i++)
    mass[i] = cst_graph_constant(s->model->graph, 0);
  for (int i = 0; i < np; i++)
    for (int j = 0; j < np; j++) {
      if (matrix || i == j)
        mass[full ? i * n + j : i] = s->model->mass[matrix ? i * np + j : i];
    }
  for (int k = 0; k < s->model->nbodies; k++) {
    put_body(s, &s->model->bodies[k], mass, full ? n : 0);
    if (raised)
      raise_body(s, &s->model->bodies[k], mass, n);
  }
  s->model->mass = mass;
  cst_system_mark(s, CST_MASS_MATRIX, full);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

enum { ENTRIES = 9 };

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
  item[s->description->ncoordinate] = n;
  r->i[s->description->ncoordinate] = "i";
  s->description->coordinate_name[s->description->ncoordinate++] = (cst_name){.name = name,
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
  cst_name       *body = &s->description->body_name[s->description->nbody_name];
  cst_body_place *p = &r->body[s->description->nbody_name];
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
  body->at = s->model->nbodies;
  s->description->nbody_name++;
  declare_rotation(r, body, p, item);
  declare_centre(r, body, p, item);
  s->model->nbodies += body->count;
  if ((double)body->count * p->size > CST_MOST_Q)
    s->nq += CST_MOST_Q + 1;
  else
    s->nq += body->count * p->size;
}

static void check_names(cst_reading *r) {
  const cst_system *s = r->s;
  for (int k = 0; k < s->description->nbody_name; k++)
    for (int i = 0; i < k; i++)
      if (!strcmp(s->description->body_name[i].name, s->description->body_name[k].name)) {
        cst_yaml_error(r->doc, r->body[k].key, r->d,
                       "body '%s': there is already a body of this name",
                       s->description->body_name[k].name);
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
  s->description->body_name = cst_system_keep(s, (size_t)n, sizeof *s->description->body_name);
  r->body = cst_system_keep(s, (size_t)n, sizeof *r->body);
  for (int k = 0; k < n && cst_read_goes_on(r) && s->nq <= CST_MOST_Q; k++)
    declare_body(r, key[k], value[k], item);
  check_names(r);
  free(value);
}

void cst_read_fill_bodies(cst_reading *r) {
  cst_system *s = r->s;
  s->model->bodies = cst_system_keep(s, (size_t)s->model->nbodies, sizeof *s->model->bodies);
  const char **name = cst_read_elements(r, s->description->body_name, s->description->nbody_name,
                                        s->model->nbodies);
  for (int k = 0; k < s->description->nbody_name; k++)
    for (int i = 0; i < s->description->body_name[k].count; i++) {
      const cst_body_place *p = &r->body[k];
      const int             at = s->description->body_name[k].at + i;
      cst_body             *b = &s->model->bodies[at];
      *b = (cst_body){
          .name = name[at], .rotation = p->rotation + i * p->size, .centre = -1, .mass = -1};
      if (p->centre >= 0)
        b->centre = p->centre + i * p->size;
    }
}

static void check_taken(cst_reading *r, cst_yaml *const *key, int own, const char *name) {
  for (int i = 0; i < own; i++)
    if (!strcmp(r->s->description->family[i].name, name))
      cst_yaml_error(r->doc, key[i], r->d,
                     "constraint '%s': this is the name of an orthogonality constraint of a body",
                     name);
}

void cst_read_declare_orthogonal(cst_reading *r, cst_yaml *const *key) {
  cst_system *s = r->s;
  const int   own = s->description->nfamily;
  for (int k = 0; k < s->description->nbody_name; k++) {
    const cst_name *body = &s->description->body_name[k];
    for (int e = 0; e < CST_ORTHOGONAL; e++) {
      const char *name = with_digits(r, body->name, "_", pair[e][0], pair[e][1]);
      check_taken(r, key, own, name);
      r->variable[s->description->nfamily] = "i";
      s->description->family[s->description->nfamily++] = (cst_name){.name = name,
                                                                     .at = s->ng + e,
                                                                     .count = body->count,
                                                                     .first = body->first,
                                                                     .array = body->array,
                                                                     .step = CST_ORTHOGONAL};
    }
    for (int i = 0; i < body->count; i++)
      s->model->bodies[body->at + i].constraint = s->ng + i * CST_ORTHOGONAL;
    s->ng += CST_ORTHOGONAL * body->count;
  }
}

/* The product of columns i and j of R; on the diagonal half of the product less 1. */
static cst_node orthogonality(const cst_system *s, const cst_body *b, int i, int j) {
  cst_graph *g = s->model->graph;
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
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    cst_node       *g = s->model->g + b->constraint;
    for (int e = 0; e < CST_ORTHOGONAL; e++)
      g[e] = orthogonality(s, b, pair[e][0], pair[e][1]);
  }
}
