/* term.c: resolves the names in a method expression: rows of the registry, and the user's layers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "constella/diag.h"
#include "core/need.h"
#include "method/method.h"

bool cst_term_known(const cst_term *t) {
  return cst_method_row_find(t->name) || cst_layers_find(t->layers, t->name);
}

const char *cst_term_nearest(const cst_term *t, bool schemes) {
  const int    own = t->layers ? t->layers->n : 0;
  const int    more = t->layers ? t->layers->nscheme : 0;
  const int    most = cst_method_count() + cst_scheme_count() + own + more;
  const char **names = cst_zeros(most, sizeof *names);
  int          n = 0;
  for (int i = 0; schemes && i < cst_scheme_count(); i++)
    names[n++] = cst_scheme_at(i)->name;
  for (int i = 0; schemes && i < more; i++)
    names[n++] = t->layers->scheme[i]->name;
  for (int i = 0; i < cst_method_count(); i++)
    names[n++] = cst_method_info_at(i)->name;
  for (int i = 0; i < own; i++)
    names[n++] = t->layers->layer[i].name;
  const char *near = cst_diag_nearest(t->name, names, n);
  free(names);
  return near;
}

/* Other names of the field, without hyphens and in small letters, and the names here. */
static const struct {
  const char *word, *here;
} elsewhere[] = {
    {"verlet", "shake and rattle, which are Verlet's method on a system without constraints"},
    {"stormerverlet",
     "shake and rattle, which are Verlet's method on a system without constraints"},
    {"velocityverlet", "rattle, which is velocity Verlet on a system without constraints"},
    {"leapfrog", "shake and rattle, which are the leapfrog on a system without constraints"},
    {"implicitmidpoint", "midpoint with constraints, and gauss(1)"},
    {"symplecticeuler", "euler-a and euler-b"},
    {"forwardeuler", "euler"},
    {"rungekutta", "rk3, rk4, rk5, rk6 and rk8"},
    {"yoshida", "compose(METHOD, SCHEME); `constella list schemes` names the schemes"},
    {"dormandprince", "dopri5"},
};

/* The name here for a name of the field, or for one in capitals; NULL: none. */
static const char *name_here(const char *word) {
  char   plain[64];
  size_t n = 0;
  for (const char *c = word; *c && n < sizeof plain - 1; c++)
    if (*c != '-' && *c != '_')
      plain[n++] = (char)tolower((unsigned char)*c);
  plain[n] = 0;
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
    if (!strcmp(elsewhere[i].word, plain))
      return elsewhere[i].here;
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcasecmp(cst_method_info_at(i)->name, word))
      return cst_method_info_at(i)->name;
  return NULL;
}

static bool unknown(const cst_term *t, cst_expr_error *e) {
  const char *here = name_here(t->name);
  if (here)
    return cst_term_error(t, e, "unknown method '%s'; here: %s", t->name, here);
  const char *near = cst_term_nearest(t, false);
  return cst_term_error(t, e, "unknown method '%s'; `constella list methods` names them all%s%s%s",
                        t->name, near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
}

static void copy_own(cst_term *t, const cst_own_layer *own) {
  if (!t->own)
    t->own = cst_need(malloc(sizeof *t->own));
  *t->own = own->layer;
}

bool cst_term_method(cst_term *t, cst_expr_error *e) {
  if (t->kind != CST_TERM_NAME && t->kind != CST_TERM_TABLEAU)
    return cst_term_error(t, e, "expected a method");
  if (!cst_term_known(t))
    return unknown(t, e);
  const cst_own_layer *own = cst_layers_find(t->layers, t->name);
  t->row = own ? own->row : cst_method_row_find(t->name);
  if (own)
    copy_own(t, own);
  if ((own || !t->row->check) && t->n > 0)
    return cst_term_error(t, e, "'%s' takes no arguments", t->name);
  return own || !t->row->check || t->row->check(t, e);
}

static int count(const char *const *words) {
  int n = 0;
  while (words[n])
    n++;
  return n;
}

static int find(const char *name, const char *const *words) {
  int k = 0;
  while (words[k] && strcmp(words[k], name))
    k++;
  return k;
}

/* "a, b or c" in text[n]. */
static const char *listed(const char *const *words, char *text, size_t n) {
  const int last = count(words) - 1;
  int       at = 0;
  for (int k = 0; k <= last && at >= 0 && (size_t)at < n; k++) {
    const char *separator = k == last ? " or " : ", ";
    if (k == 0)
      separator = "";
    at += snprintf(text + at, n - (size_t)at, "%s%s", separator, words[k]);
  }
  return text;
}

bool cst_term_keys(const cst_term *t, const char *const *known, cst_expr_error *e) {
  char text[200];
  for (int i = 0; i < t->n; i++) {
    if (!t->key[i])
      return cst_term_error(t->arg[i], e, "the arguments of %s must be named: %s", t->name,
                            listed(known, text, sizeof text));
    if (!known[find(t->key[i], known)]) {
      const char *near = cst_diag_nearest(t->key[i], known, count(known));
      return cst_term_error(t->arg[i], e, "%s takes no '%s='; it takes %s%s%s%s", t->name,
                            t->key[i], listed(known, text, sizeof text),
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    for (int k = 0; k < i; k++)
      if (!strcmp(t->key[k], t->key[i]))
        return cst_term_error(t->arg[i], e, "'%s=' appears twice", t->key[i]);
  }
  return true;
}

int cst_term_choice(const cst_term *t, const char *key, const char *const *words) {
  const cst_term *x = cst_term_argument(t, key);
  return x ? find(x->name, words) : 0;
}

bool cst_term_check_choice(const cst_term *t, const char *key, const char *const *words,
                           cst_expr_error *e) {
  const cst_term *x = cst_term_argument(t, key);
  char            text[200];
  if (!x || (x->kind == CST_TERM_NAME && !x->n && words[find(x->name, words)]))
    return true;
  return cst_term_error(x, e, "%s of %s is %s", key, t->name, listed(words, text, sizeof text));
}

/* ---- what must be outermost --------------------------------------------------------------------- */

static const cst_method_row *row_of(const cst_term *t) {
  return t->kind == CST_TERM_NAME ? cst_method_row_find(t->name) : NULL;
}

/* Checks that thermostats and methods that step another system are outermost, in either order, around
 * everything else. */
static bool check_outermost(const cst_term *t, bool within, bool on, bool thermal,
                            cst_expr_error *e) {
  const cst_method_row *row = row_of(t);
  const bool            is_on = row && row->on;
  const bool            is_thermal = row && row->thermal;
  if (row && row->whole && (within || thermal))
    return cst_term_error(t, e,
                          "%s must be the whole method: it carries numbers from step to step that "
                          "other methods and noise do not keep up to date",
                          t->name);
  if ((is_on && (on || within)) || (is_thermal && (thermal || within)))
    return cst_term_error(t, e,
                          "%s must be outermost, around the whole method, and appear once%s%s",
                          t->name, is_on ? ": " : "",
                          is_on ? "penalty(compose(METHOD, SCHEME), omega=20)"
                                : ": noise has no adjoint and no order to raise");
  for (int i = 0; i < t->n; i++)
    if (!check_outermost(t->arg[i], within || !(is_on || is_thermal), on || is_on,
                         thermal || is_thermal, e))
      return false;
  return true;
}

bool cst_term_check_outermost(const cst_term *t, cst_expr_error *e) {
  return check_outermost(t, false, false, false, e);
}
