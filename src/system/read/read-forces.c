/* read-forces.c: the key `forces`: generalised forces f(q, v, t) that are not gradients, the time, and the
 * energy accounts.
 *
 * The time becomes a parameter after those of the text. So does an account of the work of each force. If the
 * potential depends on the time, there is also an account of int dV/dt, and for each name of constraints that
 * depend on the time one of their work.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

cst_scope cst_read_timed(cst_reading *r) {
  cst_system *s = r->s;
  cst_scope   in = cst_read_positions(r);
  r->names[1 + in.n] =
      (cst_binding){.name = "t", .node = cst_graph_input(s->graph, 'c', cst_system_named(s))};
  return (cst_scope){in.names, in.n + 1};
}

static void read_force(cst_reading *r, cst_yaml *key, cst_yaml *list, cst_scope in, int k) {
  cst_system *s = r->s;
  cst_entries e = cst_read_coordinate_entries(r);
  char        what[200];
  s->force_name[k] = s->force_text[k] = "";
  if (!cst_read_symbol(r, key, -1, cst_yaml_text(key), "force"))
    return;
  s->force_name[k] = cst_yaml_text(key);
  if (cst_yaml_is_scalar(list)) {
    cst_yaml_error(
        r->doc, list, r->d,
        "the force '%s' must be a list of %d expressions, one per %s; an energy whose gradient is "
        "the force belongs under 'potential'",
        s->force_name[k], e.n, e.of);
    return;
  }
  snprintf(what, sizeof what, "force '%.60s'", s->force_name[k]);
  cst_node *force = s->force + (size_t)k * (size_t)s->nq;
  if (cst_read_list(r, list, in, what, &e, force))
    s->force_text[k] = cst_read_join(r, list);
}

static const char *joined(cst_system *s, const char *a, const char *b) {
  char *text = cst_system_keep(s, strlen(a) + strlen(b) + 1, 1);
  return strcat(strcpy(text, a), b);
}

/* The scope with the multipliers lambda_NAME in front. */
static cst_scope with_multipliers(cst_reading *r, cst_scope in) {
  cst_system  *s = r->s;
  cst_binding *all = cst_system_keep(s, (size_t)(in.n + s->nfamily) + 1, sizeof *all);
  memcpy(all + 1 + s->nfamily, in.names, sizeof *all * (size_t)in.n);
  for (int k = 0; k < s->nfamily; k++) {
    const cst_name *a = &s->family[k];
    cst_node       *l = cst_system_keep(s, (size_t)a->count, sizeof *l);
    for (int i = 0; i < a->count; i++)
      l[i] = cst_graph_input(s->graph, 'l', a->at + i);
    all[1 + k] = (cst_binding){.name = joined(s, "lambda_", a->name),
                               .node = a->array || !a->count ? -1 : l[0],
                               .entry = a->array ? l : NULL,
                               .count = a->array ? a->count : 0,
                               .shift = a->array ? a->first - 1 : 0};
  }
  return (cst_scope){all + 1, in.n + s->nfamily};
}

/* Whether a force depends on multipliers, for which a full matrix is solved then. */
static void find_slips(cst_reading *r, cst_yaml *map) {
  cst_system *s = r->s;
  for (int k = 0; k < s->nforce * s->nq && !s->slips; k++)
    s->slips = s->force[k] >= 0 && cst_graph_depends(s->graph, s->force[k], 'l');
  if (s->slips && (s->nq > CST_MOST_FULL || s->ng > CST_MOST_FULL))
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
  s->force = cst_system_keep(s, (size_t)n * (size_t)s->nq, sizeof *s->force);
  s->force_name = cst_system_keep(s, (size_t)n, sizeof *s->force_name);
  s->force_text = cst_system_keep(s, (size_t)n, sizeof *s->force_text);
  const cst_scope in = with_multipliers(r, cst_read_velocities(r, true));
  for (int k = 0; k < n && cst_read_goes_on(r); k++)
    read_force(r, cst_yaml_key(map, k), cst_yaml_value(map, k), in, k);
  s->nforce = n;
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
      .node = cst_graph_constant(s->graph, 0),
  };
}

static void open_account(cst_system *s, const char *name, const char *doc) {
  s->account_name[s->naccount] = name;
  s->account_doc[s->naccount++] = doc;
  append(s, name, doc);
}

/* True if some constraint of this name depends on the time. */
static bool is_driven(const cst_system *s, const cst_name *a) {
  bool driven = false;
  for (int k = 0; k < a->count && !driven; k++)
    driven = s->g[a->at + k] >= 0 && depends_on(s->graph, s->g[a->at + k], s->npar);
  return driven;
}

/* A force of the same name would have the same account. */
static void check_account(cst_reading *r, const char *name) {
  const cst_system *s = r->s;
  cst_yaml         *map = cst_yaml_get(r->root, "constraints");
  int               at = 0;
  while (strcmp(cst_yaml_text(cst_yaml_key(map, at)), name))
    at++;
  for (int k = 0; k < s->nforce; k++)
    if (!strcmp(s->force_name[k], name))
      cst_yaml_error(r->doc, cst_yaml_key(map, at), r->d,
                     "constraint '%s' depends on t, and a force has its name, so that work_%s "
                     "would be the work of both; rename one",
                     name, name);
}

/* The names of constraints that depend on the time. */
static void find_driven(cst_reading *r) {
  cst_system *s = r->s;
  s->driven_name = cst_system_keep(s, CST_MAX_DRIVEN, sizeof *s->driven_name);
  for (int k = 0; k < s->nfamily; k++) {
    const cst_name *a = &s->family[k];
    if (!is_driven(s, a))
      continue;
    if (s->ndriven == CST_MAX_DRIVEN) {
      cst_yaml_error(r->doc, cst_yaml_get(r->root, "constraints"), r->d,
                     "more than %d constraints depend on t, the maximum; a family counts once",
                     CST_MAX_DRIVEN);
      return;
    }
    check_account(r, a->name);
    s->driven_name[s->ndriven++] = k;
  }
  s->driven = s->ndriven > 0;
}

void cst_read_accounts(cst_reading *r) {
  cst_system *s = r->s;
  s->pumped = s->V >= 0 && depends_on(s->graph, s->V, s->npar);
  find_driven(r);
  const int n = s->nforce + s->pumped + s->ndriven;
  if (!n)
    return;
  s->account_name = cst_system_keep(s, (size_t)n, sizeof *s->account_name);
  s->account_doc = cst_system_keep(s, (size_t)n, sizeof *s->account_doc);
  append(s, "t", "the time");
  s->timed = s->general = true;
  s->account = s->npar;
  for (int k = 0; k < s->nforce; k++)
    open_account(s, joined(s, "work_", s->force_name[k]),
                 joined(s, "work done by the force ", s->force_name[k]));
  if (s->pumped)
    open_account(s, "pumped", "integral of dV/dt over the time");
  for (int k = 0; k < s->ndriven; k++) {
    const char *name = s->family[s->driven_name[k]].name;
    open_account(s, joined(s, "work_", name), joined(s, "work done by the constraint ", name));
  }
}
