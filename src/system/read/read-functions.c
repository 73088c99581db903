/* read-functions.c: reads functions of the coordinates: the potential, gyroscopic terms, symmetries. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

/* A part of the potential that is also available on its own; V includes it. */
static void read_stiff(cst_reading *r) {
  cst_system *s = r->s;
  cst_yaml   *n = cst_yaml_get(r->root, "stiff");
  if (!n)
    return;
  s->stiff = cst_read_expression(r, n, cst_read_positions(r), "stiff");
  s->stiff_text = cst_yaml_text(n);
  if (s->V >= 0 && s->stiff >= 0)
    s->V = cst_graph_add(s->graph, s->V, s->stiff);
}

void cst_read_potential(cst_reading *r) {
  cst_system *s = r->s;
  const bool  optional = cst_read_has_bodies(r) && !cst_yaml_get(r->root, "potential");
  cst_yaml   *n;
  if (optional)
    n = NULL;
  else
    n = cst_read_required(r, r->root, "potential", "of the system (0 if there is none)");
  s->V = cst_graph_constant(s->graph, 0);
  s->potential_text = "0";
  if (!n)
    return;
  s->V = cst_read_potential_expression(r, n);
  s->potential_text = cst_yaml_text(n);
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
  s->a = cst_system_keep(s, (size_t)s->nq, sizeof *s->a);
  if (!cst_read_list(r, list, cst_read_positions(r), "gyroscopic", &e, s->a))
    return;
  s->gyroscopic_text = cst_read_entries_written(r, list);
  for (int i = 0; i < s->nq; i++)
    s->gyroscopic |= !cst_graph_is_zero(s->graph, s->a[i]);
}

/* `name: [...]` or `name: {generator: [...], gauge: F}`, or a rotation or translation of all bodies. */
static void read_symmetry(cst_reading *r, cst_yaml *key, cst_yaml *n, int k) {
  cst_system *s = r->s;
  cst_entries e = cst_read_coordinate_entries(r);
  cst_node   *xi = s->xi + (size_t)k * (size_t)s->nq;
  const bool  is_map = cst_yaml_is_map(n);
  const bool  of_bodies = is_map && s->nbodies && cst_read_moves_bodies(n);
  cst_yaml   *list = n;
  cst_yaml   *gauge = NULL;
  cst_read_label(r, key, "symmetry");
  s->symmetry[k] = cst_yaml_text(key);
  s->gauge[k] = cst_graph_constant(s->graph, 0);
  if (is_map) {
    {
      const unsigned forms = s->nbodies ? CST_SYSTEM_BODIES : 0;
      cst_system_keys_check(r->doc, n, "symmetries.NAME", forms, r->d);
    }
    gauge = cst_yaml_get(n, "gauge");
    if (of_bodies)
      list = NULL;
    else
      list = cst_read_required(r, n, "generator", "of the symmetry");
  }
  if (gauge)
    s->gauge[k] = cst_read_expression(r, gauge, cst_read_positions(r), "gauge");
  if (of_bodies)
    s->symmetry_text[k] = cst_read_body_symmetry(r, n, xi);
  else if (cst_read_list(r, list, cst_read_positions(r), "symmetry", &e, xi))
    s->symmetry_text[k] = cst_read_join(r, list);
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
  s->xi = cst_system_keep(s, (size_t)n * (size_t)s->nq, sizeof *s->xi);
  s->gauge = cst_system_keep(s, (size_t)n, sizeof *s->gauge);
  for (int k = 0; k < n; k++)
    read_symmetry(r, cst_yaml_key(map, k), cst_yaml_value(map, k), k);
}
