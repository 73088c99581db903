/* read-functions.c: reads functions of the motion: the potential, gyroscopic terms, forces, symmetries, and
 * events. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/named-events.h"
#include "system/read/system-reader.h"

/* ---- the key `forces` ------------------------------------------------------------------------ */

/* Generalised forces f(q, v, t) that are not gradients, the time, and the
 * energy accounts.
 *
 * The time becomes a parameter after those of the text. So does an account of the work of each force. If the
 * potential depends on the time, there is also an account of int dV/dt, and for each name of constraints that
 * depend on the time one of their work.
 */

cst_scope cst_read_timed(cst_reading *r) {
  cst_system *s = r->s;
  cst_scope   in = cst_read_positions(r);
  r->names[1 + in.n] = (cst_binding){
      .name = "t", .node = cst_graph_input(s->model->graph, 'c', cst_system_named(s))};
  return (cst_scope){in.names, in.n + 1};
}

static void read_force(cst_reading *r, cst_yaml *key, cst_yaml *list, cst_scope in, int k) {
  cst_system *s = r->s;
  cst_entries e = cst_read_coordinate_entries(r);
  char        what[200];
  s->description->force_name[k] = s->description->force_text[k] = "";
  if (!cst_read_symbol(r, key, -1, cst_yaml_text(key), "force"))
    return;
  s->description->force_name[k] = cst_yaml_text(key);
  if (cst_yaml_is_scalar(list)) {
    cst_yaml_error(
        r->doc, list, r->d,
        "the force '%s' must be a list of %d expressions, one per %s; an energy whose gradient is "
        "the force belongs under 'potential'",
        s->description->force_name[k], e.n, e.of);
    return;
  }
  snprintf(what, sizeof what, "force '%.60s'", s->description->force_name[k]);
  cst_node *force = s->model->force + (size_t)k * (size_t)s->nq;
  if (cst_read_list(r, list, in, what, &e, force))
    s->description->force_text[k] = cst_read_join(r, list);
}

static const char *joined(cst_system *s, const char *a, const char *b) {
  char *text = cst_system_keep(s, strlen(a) + strlen(b) + 1, 1);
  return strcat(strcpy(text, a), b);
}

/* The scope with the multipliers lambda_NAME in front. */
static cst_scope with_multipliers(cst_reading *r, cst_scope in) {
  cst_system  *s = r->s;
  cst_binding *all = cst_system_keep(s, (size_t)(in.n + s->description->nfamily) + 1, sizeof *all);
  memcpy(all + 1 + s->description->nfamily, in.names, sizeof *all * (size_t)in.n);
  for (int k = 0; k < s->description->nfamily; k++) {
    const cst_name *a = &s->description->family[k];
    cst_node       *l = cst_system_keep(s, (size_t)a->count, sizeof *l);
    for (int i = 0; i < a->count; i++)
      l[i] = cst_graph_input(s->model->graph, 'l', a->at + i);
    all[1 + k] = (cst_binding){.name = joined(s, "lambda_", a->name),
                               .node = a->array || !a->count ? -1 : l[0],
                               .entry = a->array ? l : NULL,
                               .count = a->array ? a->count : 0,
                               .shift = a->array ? a->first - 1 : 0};
  }
  return (cst_scope){all + 1, in.n + s->description->nfamily};
}

/* Whether a force depends on multipliers, for which a full matrix is solved then. */
static void find_slips(cst_reading *r, cst_yaml *map) {
  cst_system *s = r->s;
  bool        slips = false;
  for (int k = 0; k < s->model->nforce * s->nq && !slips; k++)
    slips = s->model->force[k] >= 0 && cst_graph_depends(s->model->graph, s->model->force[k], 'l');
  cst_system_mark(s, CST_SLIPS, slips);
  if (slips && (s->nq > CST_MOST_FULL || s->ng > CST_MOST_FULL))
    cst_yaml_error(r->doc, map, r->d,
                   "%d coordinates and %d constraints; a system with forces that depend on "
                   "multipliers may have at most %d and %d",
                   s->nq, s->ng, CST_MOST_FULL, CST_MOST_FULL);
}

void cst_read_forces(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_read_map(r, "forces", "name: [a generalised force per coordinate]");
  const int   n = cst_yaml_size(map);
  if (!n)
    return;
  if (n > CST_MAX_FORCES) {
    cst_yaml_error(r->doc, map, r->d, "%d forces; at most %d are allowed", n, CST_MAX_FORCES);
    return;
  }
  s->model->force = cst_system_keep(s, (size_t)n * (size_t)s->nq, sizeof *s->model->force);
  s->description->force_name = cst_system_keep(s, (size_t)n, sizeof *s->description->force_name);
  s->description->force_text = cst_system_keep(s, (size_t)n, sizeof *s->description->force_text);
  const cst_scope in = with_multipliers(r, cst_read_velocities(r, true));
  for (int k = 0; k < n && cst_read_goes_on(r); k++)
    read_force(r, cst_yaml_key(map, k), cst_yaml_value(map, k), in, k);
  s->model->nforce = n;
  find_slips(r, map);
}

/* ---- time and accounts ----------------------------------------------------------------------- */

static bool depends_on(const cst_graph *g, cst_node n, int parameter) {
  int      *index, found = 0;
  const int count = cst_graph_support(g, n, 'c', &index);
  for (int i = 0; i < count; i++)
    found |= index[i] == parameter;
  free(index);
  return found;
}

static void append(cst_system *s, const char *name, const char *doc) {
  s->parameter[s->npar++] = (cst_parameter){
      .name = name,
      .unit = "",
      .doc = doc,
      .node = cst_graph_constant(s->model->graph, 0),
  };
}

static void open_account(cst_system *s, const char *name, const char *doc) {
  s->description->account_name[s->model->naccount] = name;
  s->description->account_doc[s->model->naccount++] = doc;
  append(s, name, doc);
}

/* True if some constraint of this name depends on the time. */
static bool is_driven(const cst_system *s, const cst_name *a) {
  bool driven = false;
  for (int k = 0; k < a->count && !driven; k++)
    driven =
        s->model->g[a->at + k] >= 0 && depends_on(s->model->graph, s->model->g[a->at + k], s->npar);
  return driven;
}

/* A force of the same name would have the same account. */
static void check_account(cst_reading *r, const char *name) {
  const cst_system *s = r->s;
  cst_yaml         *map = cst_yaml_get(r->root, "constraints");
  int               at = 0;
  while (strcmp(cst_yaml_text(cst_yaml_key(map, at)), name))
    at++;
  for (int k = 0; k < s->model->nforce; k++)
    if (!strcmp(s->description->force_name[k], name))
      cst_yaml_error(r->doc, cst_yaml_key(map, at), r->d,
                     "constraint '%s' depends on t, and a force has its name, so that work_%s "
                     "would be the work of both; rename one",
                     name, name);
}

/* The names of constraints that depend on the time. */
static void find_driven(cst_reading *r) {
  cst_system *s = r->s;
  s->model->driven_name = cst_system_keep(s, CST_MAX_DRIVEN, sizeof *s->model->driven_name);
  for (int k = 0; k < s->description->nfamily; k++) {
    const cst_name *a = &s->description->family[k];
    if (!is_driven(s, a))
      continue;
    if (s->model->ndriven == CST_MAX_DRIVEN) {
      cst_yaml_error(r->doc, cst_yaml_get(r->root, "constraints"), r->d,
                     "more than %d constraints depend on t, the maximum; a family counts once",
                     CST_MAX_DRIVEN);
      return;
    }
    check_account(r, a->name);
    s->model->driven_name[s->model->ndriven++] = k;
  }
}

void cst_read_accounts(cst_reading *r) {
  cst_system *s = r->s;
  const bool  pumped = s->model->V >= 0 && depends_on(s->model->graph, s->model->V, s->npar);
  cst_system_mark(s, CST_PUMPED, pumped);
  find_driven(r);
  const int n = s->model->nforce + pumped + s->model->ndriven;
  if (!n)
    return;
  s->description->account_name =
      cst_system_keep(s, (size_t)n, sizeof *s->description->account_name);
  s->description->account_doc = cst_system_keep(s, (size_t)n, sizeof *s->description->account_doc);
  append(s, "t", "the time");
  s->model->account = s->npar;
  for (int k = 0; k < s->model->nforce; k++)
    open_account(s, joined(s, "work_", s->description->force_name[k]),
                 joined(s, "work done by the force ", s->description->force_name[k]));
  if (pumped)
    open_account(s, "pumped", "integral of dV/dt over the time");
  for (int k = 0; k < s->model->ndriven; k++) {
    const char *name = s->description->family[s->model->driven_name[k]].name;
    open_account(s, joined(s, "work_", name), joined(s, "work done by the constraint ", name));
  }
}

/* ---- symmetries of bodies -------------------------------------------------------------------- */

/* A rotation or translation of all bodies as the generator of a symmetry.
 *
 *   rotation-z: {rotation: [0, 0, 1]}     xi = (hat(n) R, n x centre), n in space axes, through the origin
 *   along-x: {translation: [1, 0, 0]}     xi = (0, n)
 *
 * With either key `generator` concerns the plain coordinates only.
 */

enum { AXES = 3 };

static bool read_vector(cst_reading *r, cst_yaml *list, const char *key, cst_node n[3]) {
  bool good = cst_yaml_is_list(list) && cst_yaml_size(list) == AXES;
  if (!good)
    cst_yaml_error(r->doc, list, r->d,
                   "'%s' must be a list of 3 expressions of the parameters, in space axes", key);
  for (int a = 0; a < AXES && good; a++) {
    n[a] = cst_read_expression(r, cst_yaml_item(list, a), cst_read_constants(r), key);
    good = n[a] >= 0;
  }
  return good;
}

/* xi := n x x for the coordinates x at `at`, at + stride, at + 2 stride. */
static void turn(cst_system *s, const cst_node n[3], int at, int stride, cst_node *xi) {
  cst_graph *g = s->model->graph;
  for (int a = 0; a < AXES; a++) {
    const int      i = (a + 1) % AXES;
    const int      j = (a + 2) % AXES;
    const cst_node x = cst_graph_input(g, 'q', at + i * stride);
    const cst_node y = cst_graph_input(g, 'q', at + j * stride);
    const cst_node taken = cst_graph_mul(g, n[j], x);
    const cst_node given = cst_graph_mul(g, n[i], y);
    xi[at + a * stride] = cst_graph_sub(g, given, taken);
  }
}

static void turn_bodies(cst_system *s, const cst_node n[3], cst_node *xi) {
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    for (int column = 0; column < AXES; column++)
      turn(s, n, b->rotation + column, AXES, xi);
    if (b->centre >= 0)
      turn(s, n, b->centre, 1, xi);
  }
}

/* A body that turns about the origin does not take part in a translation. If it holds other bodies, the
 * translation is not a symmetry; the examination finds that. */
static void move_bodies(cst_system *s, const cst_node n[3], cst_node *xi) {
  for (int k = 0; k < s->model->nbodies; k++)
    if (s->model->bodies[k].centre >= 0)
      memcpy(xi + s->model->bodies[k].centre, n, sizeof *n * AXES);
}

/* True if the symmetry n moves all bodies. The second function writes its generator to xi[nq] and returns its
 * text, NULL after a mistake. */
static bool moves_bodies(cst_yaml *n) {
  return cst_yaml_get(n, "rotation") || cst_yaml_get(n, "translation");
}

static const char *body_symmetry(cst_reading *r, cst_yaml *n, cst_node *xi) {
  cst_system *s = r->s;
  cst_yaml   *rotation = cst_yaml_get(n, "rotation");
  cst_yaml   *translation = cst_yaml_get(n, "translation");
  cst_yaml   *own = cst_yaml_get(n, "generator");
  cst_node    axis[3];
  cst_entries e = cst_read_plain_entries(r);
  for (int i = 0; i < s->nq; i++)
    xi[i] = cst_graph_constant(s->model->graph, 0);
  if (rotation && translation)
    cst_yaml_error(r->doc, n, r->d,
                   "a symmetry has a rotation or a translation; these are two symmetries");
  if (!read_vector(r, rotation ? rotation : translation, rotation ? "rotation" : "translation",
                   axis))
    return NULL;
  if (s->model->nplain || own) {
    own = cst_read_required(r, n, "generator",
                            "of the symmetry (for the coordinates that belong to no body)");
    if (!own)
      return NULL;
    if (!cst_read_list(r, own, cst_read_positions(r), "symmetry", &e, xi))
      return NULL;
  }
  if (rotation)
    turn_bodies(s, axis, xi);
  else
    move_bodies(s, axis, xi);
  const char  *written = cst_read_join(r, rotation ? rotation : translation);
  const char  *beside = own ? cst_read_join(r, own) : "";
  const size_t size = strlen(written) + strlen(beside) + 60;
  char        *text = cst_system_keep(s, size, 1);
  snprintf(text, size, "%s of all bodies [%s]%s%s", rotation ? "rotation" : "translation", written,
           own ? ", and " : "", beside);
  return text;
}

/* ---- functions of the coordinates ------------------------------------------------------------ */

/* A part of the potential that is also available on its own; V includes it. */
static void read_stiff(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *n = cst_yaml_get(r->root, "stiff");
  if (!n)
    return;
  s->model->stiff = cst_read_expression(r, n, cst_read_positions(r), "stiff");
  s->description->stiff_text = cst_yaml_text(n);
  if (s->model->V >= 0 && s->model->stiff >= 0)
    s->model->V = cst_graph_add(s->model->graph, s->model->V, s->model->stiff);
}

void cst_read_potential(cst_reading *r) {
  cst_system *s = r->s;
  const bool  optional = cst_read_has_bodies(r) && !cst_yaml_get(r->root, "potential");
  cst_yaml   *n;
  if (optional)
    n = NULL;
  else
    n = cst_read_required(r, r->root, "potential", "of the system (0 if there is none)");
  s->model->V = cst_graph_constant(s->model->graph, 0);
  s->description->potential_text = "0";
  if (!n)
    return;
  s->model->V = cst_read_potential_expression(r, n);
  s->description->potential_text = cst_yaml_text(n);
  read_stiff(r);
}

const char **cst_read_entries_written(cst_reading *r, cst_yaml *list) {
  int          n = cst_yaml_size(list);
  const char **text = cst_system_keep(r->s, (size_t)n, sizeof *text);
  cst_yaml   **item = cst_read_children(list, NULL);
  for (int i = 0; i < n; i++)
    text[i] = cst_read_written(r, item[i]);
  free(item);
  return text;
}

void cst_read_gyroscopic(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *list = cst_yaml_get(r->root, "gyroscopic");
  cst_entries e = cst_read_coordinate_entries(r);
  if (!list)
    return;
  s->model->a = cst_system_keep(s, (size_t)s->nq, sizeof *s->model->a);
  if (!cst_read_list(r, list, cst_read_positions(r), "gyroscopic", &e, s->model->a))
    return;
  s->description->gyroscopic_text = cst_read_entries_written(r, list);
  bool some = false;
  for (int i = 0; i < s->nq; i++)
    some |= !cst_graph_is_zero(s->model->graph, s->model->a[i]);
  cst_system_mark(s, CST_GYROSCOPIC, some);
}

/* `name: [...]` or `name: {generator: [...], gauge: F}`, or a rotation or translation of all bodies. */
static void read_symmetry(cst_reading *r, cst_yaml *key, cst_yaml *n, int k) {
  cst_system *s = r->s;
  cst_entries e = cst_read_coordinate_entries(r);
  cst_node   *xi = s->model->xi + (size_t)k * (size_t)s->nq;
  const bool  is_map = cst_yaml_is_map(n);
  const bool  of_bodies = is_map && s->model->nbodies && moves_bodies(n);
  cst_yaml   *list = n;
  cst_yaml   *gauge = NULL;
  cst_read_label(r, key, "symmetry");
  s->description->symmetry[k] = cst_yaml_text(key);
  s->model->gauge[k] = cst_graph_constant(s->model->graph, 0);
  if (is_map) {
    {
      const unsigned forms = s->model->nbodies ? CST_SYSTEM_BODIES : 0;
      cst_system_keys_check(r->doc, n, "symmetries.NAME", forms, r->d);
    }
    gauge = cst_yaml_get(n, "gauge");
    if (of_bodies)
      list = NULL;
    else
      list = cst_read_required(r, n, "generator", "of the symmetry");
  }
  if (gauge)
    s->model->gauge[k] = cst_read_expression(r, gauge, cst_read_positions(r), "gauge");
  if (of_bodies)
    s->description->symmetry_text[k] = body_symmetry(r, n, xi);
  else if (cst_read_list(r, list, cst_read_positions(r), "symmetry", &e, xi))
    s->description->symmetry_text[k] = cst_read_join(r, list);
}

void cst_read_symmetries(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_read_map(r, "symmetries", "name: [an expression per coordinate]");
  int         n = cst_yaml_size(map);
  if (n > CST_MAX_SYM) {
    cst_yaml_error(r->doc, map, r->d, "%d symmetries; at most %d are allowed", n, CST_MAX_SYM);
    n = 0;
  }
  s->nsym = n;
  s->model->xi = cst_system_keep(s, (size_t)n * (size_t)s->nq, sizeof *s->model->xi);
  s->model->gauge = cst_system_keep(s, (size_t)n, sizeof *s->model->gauge);
  for (int k = 0; k < n; k++)
    read_symmetry(r, cst_yaml_key(map, k), cst_yaml_value(map, k), k);
}

/* ---- the key `events` ------------------------------------------------------------------------ */

/* Where expressions change their sign, under names that a study may use. */

int cst_system_events(const cst_system *s, const cst_system_event **event) {
  const cst_system_owned *o = s->owned;
  *event = o->event;
  return o->nevent;
}

const cst_system_event *cst_system_event_find(const cst_system *s, const char *name) {
  const cst_system_event *all;
  const int               n = cst_system_events(s, &all);
  for (int k = 0; k < n; k++)
    if (!strcmp(all[k].name, name))
      return &all[k];
  return NULL;
}

/* `name: expression` or `name: {when: expression, direction: up}`. */
static void read_event(cst_reading *r, cst_yaml *key, cst_yaml *n, cst_system_event *x) {
  cst_yaml *when = n;
  char      what[80];
  cst_read_label(r, key, "event");
  x->name = cst_yaml_text(key);
  x->when = -1;
  snprintf(what, sizeof what, "event '%.60s'", x->name ? x->name : "");
  if (cst_yaml_is_map(n)) {
    cst_system_keys_check(r->doc, n, "events.NAME", CST_KEYS_ALL, r->d);
    when = cst_read_required(r, n, "when", "of the event");
    x->direction = cst_read_choice(r, cst_yaml_get(n, "direction"),
                                   cst_system_key("events.NAME", "direction"));
  }
  if (!when)
    return;
  x->text = cst_read_written(r, when);
  x->when = cst_read_expression(r, when, cst_read_velocities(r, true), what);
}

void cst_read_events(cst_reading *r) {
  cst_system_owned *o = r->s->owned;
  cst_yaml         *map = cst_read_map(r, "events", "name: expression");
  const int         n = cst_yaml_size(map);
  if (n > CST_SYSTEM_EVENTS_MOST) {
    cst_yaml_error(r->doc, map, r->d, "%d events; at most %d are allowed", n,
                   CST_SYSTEM_EVENTS_MOST);
    return;
  }
  o->event = cst_system_keep(r->s, (size_t)n, sizeof *o->event);
  o->nevent = n;
  for (int k = 0; k < n; k++)
    read_event(r, cst_yaml_key(map, k), cst_yaml_value(map, k), &o->event[k]);
}
