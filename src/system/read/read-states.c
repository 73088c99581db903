/* read-states.c: reads the named states and their exact motions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "constella/expr.h"
#include "system/read/system-reader.h"

/* Rotations of bodies as nodes of a graph: the axis, the quaternion and the angular velocity of a
 * state become coordinates. */
/* ---- rotations as nodes of a graph ----------------------------------------------------------- */

enum { AXES = 3 };

static cst_node length(cst_graph *g, const cst_node *x, int n) {
  cst_node sum = cst_graph_mul(g, x[0], x[0]);
  for (int i = 1; i < n; i++)
    sum = cst_graph_add_product(g, sum, x[i], x[i]);
  return cst_graph_call(g, "sqrt", sum, -1);
}

/* R[9] by rows: a rotation about the axis (any length but 0) by the angle in radians, counterclockwise when
 * seen from the tip of the axis (Rodrigues). */
static void rotation_from_axis(cst_graph *g, const cst_node axis[3], cst_node angle,
                               cst_node R[9]) {
  const cst_node size = length(g, axis, AXES);
  const cst_node c = cst_graph_call(g, "cos", angle, -1);
  const cst_node s = cst_graph_call(g, "sin", angle, -1);
  const cst_node one = cst_graph_constant(g, 1);
  const cst_node rest = cst_graph_sub(g, one, c);
  cst_node       n[3];
  for (int a = 0; a < AXES; a++)
    n[a] = cst_graph_div(g, axis[a], size);
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      const cst_node product = cst_graph_mul(g, n[a], n[b]);
      const cst_node both = cst_graph_mul(g, rest, product);
      /* hat(n)_ab is the component of n along the third axis, with a minus sign if b follows a */
      const bool     follows = (a + 1) % AXES == b;
      const cst_node turn = a == b ? c : cst_graph_mul(g, s, n[3 - a - b]);
      cst_node      *entry = &R[3 * a + b];
      if (follows)
        *entry = cst_graph_sub(g, both, turn);
      else
        *entry = cst_graph_add(g, both, turn);
    }
}

/* The rotation of the quaternion p0 + p1 i + p2 j + p3 k, scalar first, of any length but 0. */
static void rotation_from_quaternion(cst_graph *g, const cst_node p[4], cst_node R[9]) {
  const cst_node size = length(g, p, 4);
  const cst_node one = cst_graph_constant(g, 1);
  const cst_node two = cst_graph_constant(g, 2);
  cst_node       u[4];
  for (int k = 0; k < 4; k++)
    u[k] = cst_graph_div(g, p[k], size);
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      cst_node x;
      if (a == b) {
        const cst_node y = u[1 + (a + 1) % AXES];
        const cst_node z = u[1 + (a + 2) % AXES];
        const cst_node z_square = cst_graph_mul(g, z, z);
        const cst_node y_square = cst_graph_mul(g, y, y);
        x = cst_graph_add(g, y_square, z_square);
        R[4 * a] = cst_graph_sub_product(g, one, two, x);
        continue;
      }
      const cst_node both = cst_graph_mul(g, u[1 + a], u[1 + b]);
      const cst_node turn = cst_graph_mul(g, u[0], u[4 - a - b]);
      if ((a + 1) % AXES == b)
        x = cst_graph_sub(g, both, turn);
      else
        x = cst_graph_add(g, both, turn);
      R[3 * a + b] = cst_graph_mul(g, two, x);
    }
}

/* R' = R hat(omega), omega in body axes. */
static void velocity_of_rotation(cst_graph *g, const cst_node R[9], const cst_node omega[3],
                                 cst_node V[9]) {
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      /* column b: omega_last R_next - omega_next R_last */
      const int       next = (b + 1) % AXES;
      const int       last = (b + 2) % AXES;
      const cst_node *row = R + 3 * a;
      const cst_node  taken = cst_graph_mul(g, omega[next], row[last]);
      const cst_node  added = cst_graph_mul(g, omega[last], row[next]);
      V[3 * a + b] = cst_graph_sub(g, added, taken);
    }
}

/* ---- the key `bodies` of a state ------------------------------------------------------------- */

/* Also of an exact motion. Rotations and angular velocities become coordinates.
 *
 *   top: {axis: [0, 0, 1], angle: pi/3, omega: [0, 0, 5]}
 *   top: {quaternion: [p0, p1, p2, p3], ...}
 *   top: {matrix: [[..], [..], [..]], ...}
 *
 * A body with a centre also has `centre` and `velocity`. By default the rotation is the identity and
 * velocities are 0. omega is in body axes.
 */

enum { WHAT = 200 };
/* largest entry of R'R - 1, as strict as the check of a start against its constraints */
static const double ORTHOGONAL = 1e-10;

/* One body of a state: its description and the names that its expressions may use. */
typedef struct {
  cst_reading    *r;
  cst_yaml       *map;
  cst_scope       in;
  const cst_body *b;
} entry;

static cst_graph *graph_of(const entry *x) { return x->r->s->model->graph; }

static const char *name_of(const entry *x, const char *key, char what[WHAT]) {
  snprintf(what, WHAT, "%s of %.100s", key, x->b->name);
  return what;
}

/* Reads a list of n expressions; returns false after a mistake. */
static bool list_of(const entry *x, cst_yaml *list, const char *key, int n, cst_node *out) {
  cst_reading *r = x->r;
  char         what[WHAT];
  if (!cst_yaml_is_list(list) || cst_yaml_size(list) != n) {
    cst_yaml_error(r->doc, list, r->d, "%s must be a list of %d expressions", name_of(x, key, what),
                   n);
    return false;
  }
  for (int i = 0; i < n; i++) {
    const char *name = name_of(x, key, what);
    out[i] = cst_read_expression(r, cst_yaml_item(list, i), x->in, name);
    if (out[i] < 0)
      return false;
  }
  return true;
}

/* Three expressions; 0 if the key is absent. */
static bool vector(const entry *x, const char *key, cst_node out[3]) {
  cst_yaml *list = cst_yaml_get(x->map, key);
  for (int a = 0; a < AXES; a++)
    out[a] = cst_graph_constant(graph_of(x), 0);
  return !list || list_of(x, list, key, AXES, out);
}

/* Reports an error if all n expressions are 0 at the default parameters. */
static bool has_length(const entry *x, cst_yaml *list, const char *key, const cst_node *node,
                       int n) {
  cst_reading *r = x->r;
  double       value[4], sum = 0;
  char         what[WHAT];
  cst_read_values(r, node, n, NULL, value);
  for (int i = 0; i < n; i++)
    sum += value[i] * value[i];
  if (sum > 0 && isfinite(sum))
    return true;
  cst_yaml_error(r->doc, list, r->d,
                 "%s has the length %g %s; it must be positive and finite (it is normalised to 1)",
                 name_of(x, key, what), sqrt(sum), cst_read_where(r));
  return false;
}

static bool from_axis(const entry *x, cst_yaml *axis, cst_node R[9]) {
  cst_reading *r = x->r;
  char         what[WHAT];
  cst_node     n[3], angle;
  cst_yaml    *value = cst_read_required(r, x->map, "angle", "beside 'axis' (in radians)");
  if (!list_of(x, axis, "axis", AXES, n))
    return false;
  if (!value)
    return false;
  angle = cst_read_expression(r, value, x->in, name_of(x, "angle", what));
  if (angle < 0)
    return false;
  if (!has_length(x, axis, "axis", n, AXES))
    return false;
  rotation_from_axis(r->s->model->graph, n, angle, R);
  return true;
}

static bool from_quaternion(const entry *x, cst_yaml *list, cst_node R[9]) {
  cst_node p[4];
  if (!list_of(x, list, "quaternion", 4, p))
    return false;
  if (!has_length(x, list, "quaternion", p, 4))
    return false;
  rotation_from_quaternion(graph_of(x), p, R);
  return true;
}

static bool from_matrix(const entry *x, cst_yaml *list, cst_node R[9]) {
  cst_reading *r = x->r;
  char         what[WHAT];
  if (!cst_yaml_is_list(list) || cst_yaml_size(list) != AXES) {
    cst_yaml_error(r->doc, list, r->d, "%s must be a list of 3 rows of 3 expressions",
                   name_of(x, "matrix", what));
    return false;
  }
  for (int a = 0; a < AXES; a++)
    if (!list_of(x, cst_yaml_item(list, a), "row of the matrix", AXES, R + 3 * a))
      return false;
  return true;
}

/* The largest entry of R'R - 1 (of R R' - 1, which is as large). */
static double off_orthogonal(const double R[9]) {
  double off = 0;
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < AXES; j++) {
      const double two = R[i] * R[j] + R[3 + i] * R[3 + j];
      const double product = two + R[6 + i] * R[6 + j];
      const double e = fabs(product - (i == j));
      if (!(e <= off))
        off = e;
    }
  return off;
}

static double determinant(const double R[9]) {
  const double one = R[0] * (R[4] * R[8] - R[5] * R[7]);
  const double two = R[1] * (R[3] * R[8] - R[5] * R[6]);
  const double three = R[2] * (R[3] * R[7] - R[4] * R[6]);
  return one - two + three;
}

/* Checks R'R = 1 and the sign of the determinant at the default parameters. */
static bool check_rotation(const entry *x, cst_yaml *n, const cst_node node[9]) {
  cst_reading *r = x->r;
  double       R[9];
  char         what[WHAT];
  cst_read_values(r, node, 9, NULL, R);
  const double off = off_orthogonal(R);
  if (off <= ORTHOGONAL && determinant(R) > 0)
    return true;
  name_of(x, "matrix", what);
  if (!(off <= ORTHOGONAL))
    cst_yaml_error(r->doc, n, r->d,
                   "%s is not a rotation %s: an entry of R'R - 1 is %.3g; at most 1e-10 is allowed",
                   what, cst_read_where(r), off);
  else
    cst_yaml_error(r->doc, n, r->d,
                   "%s is a reflection %s: its determinant is -1; that of a rotation is 1", what,
                   cst_read_where(r));
  return false;
}

/* Reads the rotation in one of its three forms; returns false after a mistake. */
static bool rotation(const entry *x, cst_node R[9]) {
  static const char *const form[] = {"axis", "quaternion", "matrix"};
  cst_reading             *r = x->r;
  cst_yaml                *n[3];
  cst_yaml                *angle = cst_yaml_get(x->map, "angle");
  int                      given = 0;
  int                      which = -1;
  for (int k = 0; k < 3; k++) {
    n[k] = cst_yaml_get(x->map, form[k]);
    if (!n[k])
      continue;
    given++;
    which = k;
  }
  if (given > 1) {
    cst_yaml_error(
        r->doc, x->map, r->d,
        "the rotation of %s is given %d times; one of 'axis' with 'angle', 'quaternion' and "
        "'matrix' is allowed",
        x->b->name, given);
    return false;
  }
  if (angle && which) {
    cst_yaml_error(r->doc, angle, r->d, "'angle' of %s needs 'axis'", x->b->name);
    return false;
  }
  for (int e = 0; e < 9; e++)
    R[e] = cst_graph_constant(graph_of(x), e % 4 == 0);
  if (which < 0)
    return true;
  bool good;
  if (which == 0)
    good = from_axis(x, n[0], R);
  else if (which == 1)
    good = from_quaternion(x, n[1], R);
  else
    good = from_matrix(x, n[2], R);
  return good && check_rotation(x, n[which], R);
}

/* Fills the coordinates of the body; returns false after a mistake. */
static bool place(const entry *x, cst_node *q, cst_node *v) {
  cst_reading    *r = x->r;
  const cst_body *b = x->b;
  cst_node        R[9], V[9], omega[3], centre[3], velocity[3];
  const bool      free = b->centre >= 0;
  const int       before = cst_diag_count(r->d);
  if (!cst_yaml_is_map(x->map)) {
    cst_yaml_error(
        r->doc, x->map, r->d,
        "the state of %s must be a map with the keys axis and angle, quaternion or matrix, omega%s",
        b->name, free ? ", centre, velocity" : "");
    return false;
  }
  cst_system_keys_check(r->doc, x->map, "states.NAME.bodies.NAME", free ? CST_SYSTEM_FREE : 0,
                        r->d);
  if (free && !cst_yaml_get(x->map, "centre"))
    cst_yaml_error(r->doc, x->map, r->d, "missing key 'centre' of %s", b->name);
  bool good = rotation(x, R);
  good &= vector(x, "omega", omega);
  good &= !free || vector(x, "centre", centre);
  good &= !free || vector(x, "velocity", velocity);
  if (!good || cst_diag_count(r->d) != before)
    return false;
  velocity_of_rotation(r->s->model->graph, R, omega, V);
  memcpy(q + b->rotation, R, sizeof R);
  memcpy(v + b->rotation, V, sizeof V);
  if (free) {
    memcpy(q + b->centre, centre, sizeof centre);
    memcpy(v + b->centre, velocity, sizeof velocity);
  }
  return true;
}

/* Reads the bodies of one name: one description for all, in which i is the number of the element, or a list
 * with one per element. Stops at the first mistake. */
static void place_all(cst_reading *r, cst_yaml *n, const cst_name *name, cst_scope in, cst_node *q,
                      cst_node *v) {
  const bool list = name->array && cst_yaml_is_list(n);
  bool       good = true;
  if (list && cst_yaml_size(n) != name->count) {
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s' has %d entries; there must be %d, one per element, or one description for all",
        name->name, cst_yaml_size(n), name->count);
    return;
  }
  for (int i = 0; i < name->count && good; i++) {
    const cst_scope scope = name->array ? cst_read_with(r, in, "i", name->first + i) : in;
    cst_yaml       *map = list ? cst_yaml_item(n, i) : n;
    const entry     x = {r, map, scope, &r->s->model->bodies[name->at + i]};
    good = place(&x, q, v);
  }
}

/* Reads the key `bodies` of a state or an exact motion into q[nq], v[nq]. `of` names the map in messages;
 * `in` has the names that its expressions may use. */
static void body_states(cst_reading *r, cst_yaml *state, cst_scope in, const char *of, cst_node *q,
                        cst_node *v) {
  const cst_system *s = r->s;
  cst_yaml         *map = cst_yaml_get(state, "bodies");
  const char      **names = cst_zeros(s->description->nbody_name, sizeof *names);
  for (int k = 0; k < s->description->nbody_name; k++)
    names[k] = s->description->body_name[k].name;
  if (cst_yaml_is_map(map)) {
    cst_yaml_check_keys(r->doc, map, names, s->description->nbody_name, r->d);
    for (int k = 0; k < s->description->nbody_name; k++) {
      cst_yaml *n = cst_yaml_get(map, names[k]);
      if (n)
        place_all(r, n, &s->description->body_name[k], in, q, v);
      else
        cst_yaml_error(r->doc, map, r->d, "missing body '%s' %s", names[k], of);
    }
  } else
    cst_yaml_error(r->doc, map, r->d, "'bodies' must be a map of the bodies: %s",
                   cst_diag_join(names, s->description->nbody_name));
  free(names);
}

/* ---- states and exact motions ---------------------------------------------------------------- */

static bool is_finite(double x) { return isfinite(x); }

/* Reads the list `key` of a map; `of` says in messages what the map describes. The result lives as long as
 * the system; entries that are not valid expressions are -1 or 0. */
static cst_node *read_list(cst_reading *r, cst_yaml *map, const char *key, const char *of,
                           cst_scope in, const char *what, const cst_entries *e, int total,
                           bool *good) {
  cst_node *out = cst_system_keep(r->s, (size_t)total, sizeof *out);
  *good = cst_read_list(r, cst_read_required(r, map, key, of), in, what, e, out);
  return out;
}

/* True if `bodies` describes the bodies of this state or motion; q and v are then those of the plain
 * coordinates. */
static bool has_bodies(cst_yaml *map) { return cst_yaml_get(map, "bodies") != NULL; }

/* The coordinates of the lists q and v of the map, for cst_read_list. */
static cst_entries listed(cst_reading *r, cst_yaml *map) {
  if (has_bodies(map))
    return cst_read_plain_entries(r);
  return cst_read_coordinate_entries(r);
}

/* True if the list is to be read. It may be absent if the bodies have all coordinates. */
static bool is_listed(cst_reading *r, cst_yaml *map, const char *key) {
  return !has_bodies(map) || r->s->model->nplain || cst_yaml_get(map, key);
}

/* The multipliers of the bodies' constraints follow from the motion; if lambda is absent, it is computed. */
static void read_exact_lambda(cst_reading *r, cst_yaml *n, cst_state *state) {
  cst_system *s = r->s;
  cst_entries constraints = cst_read_constraint_entries(r);
  bool        good;
  if (!s->description->nfamily)
    return;
  if (s->model->nbodies && !cst_yaml_get(n, "lambda"))
    return;
  state->exact_lambda = read_list(r, n, "lambda", "of the exact motion", cst_read_motion(r),
                                  "exact lambda", &constraints, s->ng, &good);
}

static void read_exact(cst_reading *r, cst_yaml *n, cst_state *state) {
  static const char *const list[] = {"q", "v"}, *const what[] = {"exact q", "exact v"},
                           of[] = "of the exact motion";
  cst_system *s = r->s;
  bool        lambda = s->ng || cst_yaml_get(r->root, "constraints");
  bool        good;
  if (!n)
    return;
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "'exact' must be a map with the keys %sq, v%s",
                   s->model->nbodies ? "bodies, " : "", lambda ? ", lambda" : "");
    return;
  }
  state->has_exact = true;
  const int forms = s->model->nbodies ? CST_SYSTEM_BODIES | CST_SYSTEM_CONSTRAINED
                    : lambda          ? CST_SYSTEM_CONSTRAINED
                                      : 0;
  cst_system_keys_check(r->doc, n, "states.NAME.exact", forms, r->d);
  cst_entries e = listed(r, n);
  cst_node   *node[2];
  for (int k = 0; k < 2; k++)
    if (is_listed(r, n, list[k]))
      node[k] = read_list(r, n, list[k], of, cst_read_motion(r), what[k], &e, s->nq, &good);
    else
      node[k] = cst_system_keep(s, (size_t)s->nq, sizeof(cst_node));
  state->exact_q = node[0];
  state->exact_v = node[1];
  if (has_bodies(n) && s->model->nbodies)
    body_states(r, n, cst_read_motion(r), of, node[0], node[1]);
  read_exact_lambda(r, n, state);
}

/* Reads q or v, whose values must be finite. */
static cst_node *read_start(cst_reading *r, cst_yaml *map, const char *key) {
  cst_system *s = r->s;
  cst_entries e = listed(r, map);
  bool        good;
  if (!is_listed(r, map, key))
    return cst_system_keep(s, (size_t)s->nq, sizeof(cst_node));
  cst_node *out =
      read_list(r, map, key, "of the state", cst_read_constants(r), key, &e, s->nq, &good);
  if (!good)
    return out;
  const int n = has_bodies(map) ? s->model->nplain : s->nq;
  double   *value = cst_zeros(n, sizeof *value);
  cst_read_values(r, out, n, NULL, value);
  cst_read_check(r, cst_yaml_get(map, key), key, &e, value, is_finite, cst_read_where(r), "finite");
  free(value);
  return out;
}

void cst_read_start(cst_reading *r, cst_yaml *map, cst_node **q, cst_node **v) {
  *q = read_start(r, map, "q");
  *v = read_start(r, map, "v");
  if (r->s->model->nbodies && has_bodies(map))
    body_states(r, map, cst_read_constants(r), "of the state", *q, *v);
}

static void read_state(cst_reading *r, cst_yaml *key, cst_yaml *n, cst_state *state) {
  const bool bodies = r->s->model->nbodies > 0;
  state->name = cst_yaml_text(key);
  cst_read_label(r, key, "state");
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "a state must be a map with the keys %s",
                   bodies ? "bodies, and q and v of the coordinates that belong to none"
                          : "q and v");
    return;
  }
  cst_system_keys_check(r->doc, n, "states.NAME", bodies ? CST_SYSTEM_BODIES : 0, r->d);
  if (bodies && !has_bodies(n) && !cst_yaml_get(n, "q") && !cst_yaml_get(n, "v")) {
    cst_yaml_error(r->doc, n, r->d, "missing key 'bodies' of the state");
    return;
  }
  cst_read_start(r, n, &state->q, &state->v);
  read_exact(r, cst_yaml_get(n, "exact"), state);
}

void cst_read_states(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_read_required(r, r->root, "states", "of the system");
  cst_yaml  **key, **value;
  if (!map)
    return;
  if (!cst_yaml_is_map(map) || !cst_yaml_size(map)) {
    cst_yaml_error(r->doc, map, r->d, "'states' must be a map of 'name: {q: [...], v: [...]}'");
    return;
  }
  value = cst_read_children(map, &key);
  if (strcmp(cst_yaml_text(key[0]), "default"))
    cst_yaml_error(r->doc, key[0], r->d, "the first state is '%s'; it must be called 'default'",
                   cst_yaml_text(key[0]));
  s->nstate = cst_yaml_size(map);
  s->description->state = cst_system_keep(s, (size_t)s->nstate, sizeof *s->description->state);
  for (int i = 0; i < s->nstate && cst_read_goes_on(r); i++)
    read_state(r, key[i], value[i], &s->description->state[i]);
  free(value);
}
