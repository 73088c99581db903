/* start-spread.c: the key `spread` of an ensemble: one standard deviation for all coordinates, or one per
 * named coordinate.
 *
 *   spread: {q: 0.1, v: {x: 0.05, "u[2]": 0.2}}
 *
 * Coordinates that a map does not name are not spread. The name of an array stands for all its elements,
 * the name of a body for its rotation.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "study/file/starts.h"

static bool deviation(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  if (!cst_reader_number(r, n, what, out))
    return false;
  if (*out >= 0)
    return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; a deviation must not be negative", what,
                 cst_reader_shortest(*out));
  return false;
}

/* Sets the deviation x of the named coordinates; false: the name is unknown. */
static bool set(const cst_system *s, const char *name, double x, double *each) {
  const int at = cst_starts_place(s, name, 0);
  bool      found = at >= 0 && at < s->nq;
  if (found)
    each[at] = x;
  for (int i = 0; i < s->ncoordinate; i++) {
    const cst_name *a = &s->coordinate_name[i];
    if (!a->array || strcmp(a->name, name))
      continue;
    for (int k = 0; k < a->count; k++)
      each[a->at + k * a->step] = x;
    found = found || a->count > 0;
  }
  for (int k = 0; k < s->nbodies; k++) {
    const cst_body *b = &s->bodies[k];
    if (strcmp(b->name, name))
      continue;
    for (int i = 0; i < 9; i++)
      each[b->rotation + i] = x;
    found = true;
  }
  return found;
}

static void by_name(cst_reader *r, cst_yaml *map, const char *what, double *each) {
  const cst_system *s = r->s->system;
  for (int k = 0; s && k < cst_yaml_size(map); k++) {
    const char *name = cst_yaml_text(cst_yaml_key(map, k));
    double      x;
    if (!deviation(r, cst_yaml_value(map, k), name ? name : what, &x))
      continue;
    if (!name || !set(s, name, x, each))
      cst_yaml_error(r->doc, cst_yaml_key(map, k), r->d,
                     "'%s' of '%s' is not a coordinate, array or body of %s", name ? name : "",
                     what, s->name);
  }
}

/* Reads the deviations of q or v. */
static void half(cst_reader *r, cst_yaml *n, const char *what, double *all, int which) {
  cst_study *s = r->s;
  if (!cst_yaml_is_map(n)) {
    deviation(r, n, what, all);
    return;
  }
  if (!s->system)
    return;
  const size_t nq = (size_t)s->system->nq;
  if (!s->deviation[which])
    s->deviation[which] = cst_reader_memory(nq, sizeof(double));
  by_name(r, n, what, s->deviation[which]);
}

void cst_start_spread(cst_reader *r, cst_yaml *n) {
  const int before = cst_diag_count(r->d);
  if (!cst_reader_keys(r, n, "spread", "initial.spread", CST_KEYS_ALL))
    return;
  half(r, cst_yaml_get(n, "q"), "q", &r->s->spread_q, 0);
  half(r, cst_yaml_get(n, "v"), "v", &r->s->spread_v, 1);
  r->spread_known = cst_diag_count(r->d) == before;
}

bool cst_study_spreads(const cst_study *s) {
  bool any = s->spread_q > 0 || s->spread_v > 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; s->deviation[k] && i < s->system->nq; i++)
      any |= s->deviation[k][i] > 0;
  return any;
}
