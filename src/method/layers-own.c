/* layers-own.c: the user's layers, by name: tableaus, which are stepped by the row of tableau.c, and
 * formulas, which claim only their declared order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/layer.h"
#include "method/user-layer.h"

enum { NAME_LENGTH = 48 };

static bool fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return cst_flow_fits(t->own->rule, s, why, n);
}

static bool layer(const cst_term *t, cst_layer *l) {
  *l = *t->own;
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer_add_rule(p, fraction, t->own->rule);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  (void)s;
  return cst_layer_properties(t->own->rule->order, 0);
}

static const cst_method_row formulas = {.on_also = CST_ON_NONHOLONOMIC | CST_ON_FORCES,
                                        .layer = layer,
                                        .fits = fits,
                                        .properties = properties,
                                        .expand = expand};

cst_layers *cst_layers_create(void) { return cst_need(calloc(1, sizeof(cst_layers))); }

void cst_layers_destroy(cst_layers *l) {
  if (!l)
    return;
  for (int i = 0; i < l->n; i++)
    free(l->layer[i].name);
  for (int i = 0; i < l->nscheme; i++)
    free(l->scheme[i]);
  for (int i = 0; i < l->nmap; i++)
    free(l->map[i].name);
  free(l->map);
  free(l->scheme);
  free(l->layer);
  free(l);
}

const cst_own_layer *cst_layers_find(const cst_layers *l, const char *name) {
  for (int i = 0; l && i < l->n; i++)
    if (!strcmp(l->layer[i].name, name))
      return &l->layer[i];
  return NULL;
}

static bool is_word(const char *s) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_')
    n++;
  return isalpha((unsigned char)*s) && !s[n] && n <= NAME_LENGTH;
}

bool cst_layers_allow(const cst_layers *l, const char *name, char *why, int n) {
  CST_REQUIRE(l && name && (why || n <= 0), false);
  const char *taken = cst_method_row_find(name)      ? "a method"
                      : cst_scheme_find(name)        ? "a scheme"
                      : cst_layers_find(l, name)     ? "another layer"
                      : cst_layers_scheme(l, name)   ? "another scheme"
                      : cst_layers_find_map(l, name) ? "another map, retraction or fibre"
                                                     : NULL;
  if (!is_word(name))
    snprintf(
        why, (size_t)n,
        "'%s' cannot name a layer, scheme or map; allowed: a letter, then letters, digits, _ and "
        "-, at most %d",
        name, NAME_LENGTH);
  else if (taken)
    snprintf(why, (size_t)n, "the name '%s' is taken by %s; choose another", name, taken);
  return is_word(name) && !taken;
}

static void add(cst_layers *l, cst_own_layer x) {
  l->layer = cst_need(realloc(l->layer, sizeof *l->layer * (size_t)(l->n + 1)));
  l->layer[l->n++] = x;
}

bool cst_layers_add_tableau(cst_layers *l, const char *name, const char *text,
                            cst_expr_error *error) {
  CST_REQUIRE(l && name && text && error, false);
  cst_method *m = cst_method_parse(text, NULL, error);
  if (!m)
    return false;
  const cst_term *t = cst_method_root(m);
  bool            good =
      t->kind == CST_TERM_TABLEAU || cst_term_error(t, error, "expected {a: [[...]], b: [...]}");
  if (good)
    add(l, (cst_own_layer){cst_need(strdup(name)), t->row, *t->own});
  cst_method_destroy(m);
  return good;
}

void cst_layers_add_rule(cst_layers *l, const char *name, const cst_flow_rule *rule) {
  add(l, (cst_own_layer){cst_need(strdup(name)), &formulas, {.rule = rule}});
}

void cst_layers_add_map(cst_layers *l, const char *name, cst_own_map x) {
  l->map = cst_need(realloc(l->map, sizeof *l->map * (size_t)(l->nmap + 1)));
  x.name = cst_need(strdup(name));
  l->map[l->nmap++] = x;
}

const cst_own_map *cst_layers_find_map(const cst_layers *l, const char *name) {
  for (int i = 0; l && i < l->nmap; i++)
    if (!strcmp(l->map[i].name, name))
      return &l->map[i];
  return NULL;
}

static bool names(const cst_term *t, const char *name) {
  bool found = t->kind == CST_TERM_NAME && t->own && !strcmp(t->name, name);
  for (int i = 0; i < t->n && !found; i++)
    found = names(t->arg[i], name);
  return found;
}

bool cst_method_names_layer(const cst_method *m, const char *name) {
  return names(cst_method_root(m), name);
}
