/* file-system.c: the key `system`: which system, and the parameter sets that its lists of values make.
 *
 * Sets are numbered in the order of the system's parameters, the last one fastest; the order of keys in the file is of no account.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "study/reader.h"

enum { MAX_VARIANT = 1000000 };

typedef struct {
  int     n;
  double *value;
} choice; /* the values of one parameter */

static void named(cst_reader *r, cst_yaml *n) {
  const char *name = cst_reader_text(r, n, "system", "the name of a system or a map with the key 'name'");
  if (!name) return;
  r->s->system = cst_catalogue_create(name);
  if (!r->s->system) cst_reader_unknown(r, n, "system", name, cst_catalogue_names(), cst_catalogue_size());
}

static bool repeated(cst_reader *r, cst_yaml *n, const choice *c, const char *name) {
  for (int i = 0; i < c->n - 1; i++)
    if (c->value[i] == c->value[c->n - 1]) {
      cst_yaml_error(r->doc, n, r->d, "parameter '%s': the value %s appears twice", name, cst_shortest(c->value[i]));
      return true;
    }
  return false;
}

/* A number or a list of them; what cannot be read leaves the default. */
static void values(cst_reader *r, cst_yaml *n, const char *name, choice *c) {
  if (cst_yaml_is_scalar(n)) {
    cst_reader_constant(r, n, name, c->value);
    return;
  }
  if (!cst_reader_list(r, n, name, "numbers, or one number", false)) return;
  c->value = realloc(c->value, sizeof(double) * (size_t)cst_yaml_size(n));
  if (!c->value) abort();
  c->n = 0;
  double standard = c->value[0];
  for (int i = 0; i < cst_yaml_size(n); i++) {
    cst_yaml *item = cst_yaml_item(n, i);
    if (!cst_reader_constant(r, item, name, c->value + c->n)) continue;
    c->n++;
    if (repeated(r, item, c, name)) c->n--;
  }
  if (!c->n) c->value[c->n++] = standard;
}

static void parameters(cst_reader *r, cst_yaml *map, choice *c) {
  const cst_system *s = r->s->system;
  const char       *names[CST_MAX_PAR];
  for (int i = 0; i < s->npar; i++) names[i] = s->parameter[i].name;
  if (map && !cst_yaml_is_map(map)) cst_yaml_error(r->doc, map, r->d, "'parameters' must be a map of: %s", cst_join(names, s->npar));
  if (!cst_yaml_is_map(map)) return;
  for (int k = 0; k < cst_yaml_size(map); k++) {
    const char *key = cst_yaml_text(cst_yaml_key(map, k));
    int         i = 0;
    while (i < s->npar && (!key || strcmp(names[i], key))) i++;
    if (i < s->npar)
      values(r, cst_yaml_value(map, k), key, c + i);
    else
      cst_reader_unknown(r, cst_yaml_key(map, k), "parameter", key ? key : "", names, s->npar);
  }
}

/* All combinations. */
static void combine(cst_reader *r, cst_yaml *at, const choice *c) {
  cst_study *s = r->s;
  int        npar = s->system->npar;
  double     total = 1;
  for (int i = 0; i < npar; i++) total *= c[i].n;
  if (total > MAX_VARIANT)
    cst_yaml_error(r->doc, at, r->d, "the lists of parameter values make %.0f sets; at most %d are allowed", total, MAX_VARIANT);
  else
    s->nvariant = (int)total;
  s->parameter = cst_reader_memory((size_t)s->nvariant * (size_t)npar, sizeof(double));
  for (int v = 0; v < s->nvariant; v++)
    for (int i = npar - 1, rest = v; i >= 0; rest /= c[i].n, i--) s->parameter[v * npar + i] = c[i].value[rest % c[i].n];
}

static void sets(cst_reader *r, cst_yaml *map) {
  const cst_system *s = r->s->system;
  choice            c[CST_MAX_PAR];
  for (int i = 0; i < s->npar; i++) {
    c[i] = (choice){1, cst_reader_memory(1, sizeof(double))};
    c[i].value[0] = s->parameter[i].value;
    r->binding[i] = (cst_binding){s->parameter[i].name, cst_graph_input(r->graph, 'c', i)};
  }
  parameters(r, map, c);
  combine(r, map, c);
  for (int i = 0; i < s->npar; i++) free(c[i].value);
}

static void from_map(cst_reader *r, cst_yaml *n) {
  static const char *const keys[] = {"name", "file", "parameters", "compile"}, *const compiles[] = {"auto"};
  int unused;
  cst_reader_map(r, n, "system", keys, CST_COUNT(keys));
  cst_reader_choice(r, cst_yaml_get(n, "compile"), "compile", compiles, CST_COUNT(compiles), &unused);
  cst_yaml *file = cst_yaml_get(n, "file"), *name = cst_yaml_get(n, "name");
  if (file)
    cst_yaml_error(r->doc, file, r->d, "user system files are not supported yet; allowed: a name of %s",
                   cst_join(cst_catalogue_names(), cst_catalogue_size()));
  else if (!name)
    cst_reader_required(r, n, "system", "name");
  if (name) named(r, name);
}

void cst_read_system(cst_reader *r) {
  cst_yaml *n = cst_reader_required(r, r->root, "", "system");
  r->s->nvariant = 1;
  if (!n) return;
  if (cst_yaml_is_map(n))
    from_map(r, n);
  else
    named(r, n);
  if (r->s->system) sets(r, cst_yaml_get(n, "parameters"));
}
