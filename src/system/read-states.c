/* read-states.c: named states and their exact motions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/reader.h"

static bool is_finite(double x) { return isfinite(x); }

/* The list `key` of a map that is `of` something. Kept; entries that are not expressions are -1 or 0. */
static cst_node *read_list(cst_reading *r, cst_yaml *map, const char *key, const char *of, cst_scope in, const char *what,
                           const cst_entries *e, int total, bool *good) {
  cst_node *out = cst_system_keep(r->s, (size_t)total, sizeof *out);
  *good = cst_reading_list(r, cst_reading_required(r, map, key, of), in, what, e, out);
  return out;
}

static void read_exact(cst_reading *r, cst_yaml *n, cst_state *state) {
  static const char *const keys[] = {"q", "v", "lambda"}, of[] = "of the exact motion";
  cst_system              *s = r->s;
  cst_entries              coordinates = cst_reading_coordinate_entries(r), constraints = cst_reading_constraint_entries(r);
  bool                     lambda = cst_yaml_get(r->root, "constraints") != NULL, good;
  if (!n) return;
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "'exact' must be a map with the keys q, v%s", lambda ? ", lambda" : "");
    return;
  }
  state->has_exact = true;
  cst_yaml_check_keys(r->doc, n, keys, lambda ? 3 : 2, r->d);
  state->exact_q = read_list(r, n, "q", of, cst_reading_motion(r), "exact q", &coordinates, s->nq, &good);
  state->exact_v = read_list(r, n, "v", of, cst_reading_motion(r), "exact v", &coordinates, s->nq, &good);
  if (s->nfamily) state->exact_lambda = read_list(r, n, "lambda", of, cst_reading_motion(r), "exact lambda", &constraints, s->ng, &good);
}

/* q or v, whose values must be numbers. */
static cst_node *read_start(cst_reading *r, cst_yaml *map, const char *key) {
  cst_entries e = cst_reading_coordinate_entries(r);
  bool        good;
  cst_node   *out = read_list(r, map, key, "of the state", cst_reading_constants(r), key, &e, r->s->nq, &good);
  if (!good) return out;
  double *value = cst_need(malloc(sizeof *value * (size_t)r->s->nq));
  cst_reading_values(r, out, r->s->nq, NULL, value);
  cst_reading_check(r, cst_yaml_get(map, key), key, &e, value, is_finite, "at the default parameters", "finite");
  free(value);
  return out;
}

static void read_state(cst_reading *r, cst_yaml *key, cst_yaml *n, cst_state *state) {
  static const char *const keys[] = {"q", "v", "exact"};
  state->name = cst_yaml_text(key);
  cst_reading_label(r, key, "state");
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "a state must be a map with the keys q and v");
    return;
  }
  cst_yaml_check_keys(r->doc, n, keys, 3, r->d);
  state->q = read_start(r, n, "q");
  state->v = read_start(r, n, "v");
  read_exact(r, cst_yaml_get(n, "exact"), state);
}

void cst_reading_states(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *map = cst_reading_required(r, r->root, "states", "of the system"), **key, **value;
  if (!map) return;
  if (!cst_yaml_is_map(map) || !cst_yaml_size(map)) {
    cst_yaml_error(r->doc, map, r->d, "'states' must be a map of 'name: {q: [...], v: [...]}'");
    return;
  }
  value = cst_reading_children(map, &key);
  if (strcmp(cst_yaml_text(key[0]), "default"))
    cst_yaml_error(r->doc, key[0], r->d, "the first state is '%s'; it must be called 'default'", cst_yaml_text(key[0]));
  s->nstate = cst_yaml_size(map);
  s->state = cst_system_keep(s, (size_t)s->nstate, sizeof *s->state);
  for (int i = 0; i < s->nstate && cst_reading_goes_on(r); i++) read_state(r, key[i], value[i], &s->state[i]);
  free(value);
}
