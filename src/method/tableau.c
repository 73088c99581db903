/* tableau.c: {a: [[...], ...], b: [...], c: [...]}: a user's Runge-Kutta tableau, explicit or implicit, on
 * the index-reduced equations; written in place or under a name.
 *
 * Its order, symmetry and symplecticity are computed from the coefficients (tableau/tableau-algebra.c). c may
 * be left out; it must be the row sums of a. Implicit tableaus are solved by functional iteration
 * (core/rk.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/layer.h"

static const double rounded = 1e-13; /* tolerance on sums of coefficients */

static const cst_term *part(const cst_term *t, const char *key) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->key[i], key))
      return t->arg[i];
  return NULL;
}

static bool check_keys(const cst_term *t, cst_expr_error *e) {
  for (int i = 0; i < t->n; i++) {
    if (strlen(t->key[i]) != 1 || !strchr("abc", *t->key[i]))
      return cst_term_error(t->arg[i], e, "a tableau has no '%s'; allowed: a, b, c", t->key[i]);
    if (part(t, t->key[i]) != t->arg[i])
      return cst_term_error(t->arg[i], e, "'%s' appears twice in the tableau", t->key[i]);
  }
  if (part(t, "a") && part(t, "b"))
    return true;
  return cst_term_error(
      t, e, "the tableau has no '%s'; it is {a: [[0, 0], [1/2, 0]], b: [0, 1]}, with c or without",
      part(t, "a") ? "b" : "a");
}

/* Whether x is a list of n numbers. */
static bool check_numbers(const cst_term *x, int n, const char *what, cst_expr_error *e) {
  if (x->kind != CST_TERM_LIST)
    return cst_term_error(x, e, "%s is a list of numbers, such as [0, 1/2]", what);
  for (int i = 0; i < x->n; i++)
    if (x->arg[i]->kind != CST_TERM_NUMBER)
      return cst_term_error(x->arg[i], e, "%s is a list of numbers, not a list of lists", what);
  if (x->n == n)
    return true;
  const char *plural = x->n == 1 ? "" : "s";
  const char *plural_of_a = n == 1 ? "" : "s";
  return cst_term_error(x, e, "%s has %d number%s; 'a' has %d row%s", what, x->n, plural, n,
                        plural_of_a);
}

static bool check_shape(const cst_term *t, cst_expr_error *e) {
  const cst_term *a = part(t, "a");
  const cst_term *c = part(t, "c");
  if (a->kind != CST_TERM_LIST)
    return cst_term_error(a, e, "'a' is a list of rows, such as [[0, 0], [1/2, 0]]");
  for (int i = 0; i < a->n; i++)
    if (!check_numbers(a->arg[i], a->n, "a row of 'a'", e))
      return false;
  return check_numbers(part(t, "b"), a->n, "'b'", e) && (!c || check_numbers(c, a->n, "'c'", e));
}

static cst_tableau coefficients(const cst_term *t) {
  const cst_term *a = part(t, "a");
  const cst_term *b = part(t, "b");
  const int       s = a->n;
  cst_tableau     x = {
          .name = "tableau", .doc = "A tableau of the user's own.", .source = "", .stages = s};
  for (int i = 0; i < s; i++) {
    x.b[i] = b->arg[i]->number;
    for (int j = 0; j < s; j++)
      x.c[i] += x.a[i * s + j] = a->arg[i]->arg[j]->number;
  }
  x.implicit = cst_tableau_implicit(&x);
  x.order = cst_tableau_order(&x);
  return x;
}

static bool check_sums(const cst_term *t, const cst_tableau *x, cst_expr_error *e) {
  const cst_term *c = part(t, "c");
  double          sum = 0;
  for (int i = 0; c && i < x->stages; i++) {
    const double given = c->arg[i]->number;
    if (!(fabs(given - x->c[i]) <= rounded))
      return cst_term_error(
          c->arg[i], e,
          "row %d of 'a' sums to %.17g, and its c is %.17g; they must be equal, or leave c out",
          i + 1, x->c[i], given);
  }
  for (int i = 0; i < x->stages; i++)
    sum += x->b[i];
  if (fabs(sum - 1) <= rounded)
    return true;
  return cst_term_error(part(t, "b"), e, "'b' sums to %.17g; it must sum to 1", sum);
}

static bool check(const cst_term *t, cst_expr_error *e) {
  if (t->kind != CST_TERM_TABLEAU)
    return cst_term_error(t, e, "a tableau is written {a: [[0, 0], [1/2, 0]], b: [0, 1]}");
  if (!check_keys(t, e) || !check_shape(t, e))
    return false;
  t->own->tableau = coefficients(t);
  return check_sums(t, &t->own->tableau, e);
}

static bool layer(const cst_term *t, cst_layer *l) {
  *l = *t->own;
  return true;
}

static void expand(const cst_term *t, cst_program *p, double fraction) {
  cst_layer_add(p, fraction, &t->own->tableau);
}

static cst_properties properties(const cst_term *t, const cst_system *s) {
  return cst_tableau_properties(&t->own->tableau, s);
}

const cst_method_row cst_method_row_tableau = {
    .info = {.name = "tableau",
             .doc = "A Runge-Kutta tableau of your own, explicit or implicit, of at most 32 "
                    "stages, on the "
                    "index-reduced equations. Numbers may be expressions such as 1/3 or 1/2 - "
                    "sqrt(3)/6; c, "
                    "the row sums of a, may be left out. A study can name it under `layers`.",
             .equations =
                 "Q_i = q + h sum a_ij V_j,  V_i = v + h sum a_ij A(Q_j, V_j);  q1 = q + h sum b_i "
                 "V_i,  v1 = v + h sum b_i A_i",
             .source = "Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1",
             .signature = "{a:, b:, c:}",
             .example = "{a: [[0, 0], [2/3, 0]], b: [1/4, 3/4], c: [0, 2/3]}"},
    .steps = CST_STEPS_LAYERS,
    .layer = layer,
    .check = check,
    .properties = properties,
    .expand = expand,
};

bool cst_layers_add_tableau(cst_layers *l, const char *name, const char *text,
                            cst_expr_error *error) {
  CST_REQUIRE(l && name && text && error, false);
  const cst_wording w = {CST_TEXT_TABLEAU, .side = {&text}};
  const cst_text   *known = cst_text_find(l, &w);
  cst_method       *m = known ? NULL : cst_method_parse(text, NULL, error);
  if (m) {
    const cst_term *t = cst_method_root(m);
    if (t->kind == CST_TERM_TABLEAU) {
      cst_own_layer *own = cst_need(malloc(sizeof *own));
      *own = (cst_own_layer){t->row, *t->own};
      known = cst_text_keep(l, &w, own, free);
    } else {
      cst_term_error(t, error, "expected {a: [[...]], b: [...]}");
    }
    cst_method_destroy(m);
  }
  if (known)
    cst_layers_add(l, name, known);
  return known;
}
