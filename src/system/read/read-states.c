/* read-states.c: reads the named states and their exact motions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/read/system-reader.h"

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
  return !has_bodies(map) || r->s->nplain || cst_yaml_get(map, key);
}

/* The multipliers of the bodies' constraints follow from the motion; if lambda is absent, it is computed. */
static void read_exact_lambda(cst_reading *r, cst_yaml *n, cst_state *state) {
  cst_system *s = r->s;
  cst_entries constraints = cst_read_constraint_entries(r);
  bool        good;
  if (!s->nfamily)
    return;
  if (s->nbodies && !cst_yaml_get(n, "lambda"))
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
                   s->nbodies ? "bodies, " : "", lambda ? ", lambda" : "");
    return;
  }
  state->has_exact = true;
  const int forms = s->nbodies ? CST_SYSTEM_BODIES | CST_SYSTEM_CONSTRAINED
                    : lambda   ? CST_SYSTEM_CONSTRAINED
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
  if (has_bodies(n) && s->nbodies)
    cst_read_body_states(r, n, cst_read_motion(r), of, node[0], node[1]);
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
  const int n = has_bodies(map) ? s->nplain : s->nq;
  double   *value = cst_zeros(n, sizeof *value);
  cst_read_values(r, out, n, NULL, value);
  cst_read_check(r, cst_yaml_get(map, key), key, &e, value, is_finite, cst_read_where(r), "finite");
  free(value);
  return out;
}

void cst_read_start(cst_reading *r, cst_yaml *map, cst_node **q, cst_node **v) {
  *q = read_start(r, map, "q");
  *v = read_start(r, map, "v");
  if (r->s->nbodies && has_bodies(map))
    cst_read_body_states(r, map, cst_read_constants(r), "of the state", *q, *v);
}

static void read_state(cst_reading *r, cst_yaml *key, cst_yaml *n, cst_state *state) {
  const bool bodies = r->s->nbodies > 0;
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
  s->state = cst_system_keep(s, (size_t)s->nstate, sizeof *s->state);
  for (int i = 0; i < s->nstate && cst_read_goes_on(r); i++)
    read_state(r, key[i], value[i], &s->state[i]);
  free(value);
}
