/* term-map.c: discretization maps, retractions and fibres in method expressions: {left: EXPRESSION, right:
 * EXPRESSION} and {point: EXPRESSION}, with names q and v, for every coordinate; {tangent: EXPRESSION} of
 * s, for rotations; {fibre: EXPRESSION} of q and theta (map.h); and the names that a study defines
 * for them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/diag.h"
#include "core/need.h"
#include "method/texts/map.h"
#include "method/method.h"

enum { LEFT, RIGHT, POINT, TANGENT, FIBRE, NONE };
static const char *const sides[] = {"left", "right", "point", "tangent", "fibre", NULL};

static int skip(const char *text, int at) { return at + (int)strspn(text + at, " \t"); }

/* The side whose name begins text, followed by a colon; NONE: none. *end: behind the colon. */
static int side_at(const char *text, int at, int *end) {
  int k = 0;
  for (; sides[k]; k++) {
    const size_t n = strlen(sides[k]);
    if (strncmp(text + at, sides[k], n) != 0)
      continue;
    *end = skip(text, at + (int)n);
    if (text[(*end)++] == ':')
      break;
  }
  return k;
}

bool cst_term_begins_map(const char *text) {
  int end;
  return text[0] == '{' && side_at(text, skip(text, 1), &end) < NONE;
}

/* Length of an expression, up to a ',' outside parentheses or a brace. */
static int length_of(const char *text) {
  int n = 0, open = 0;
  for (; text[n] && !strchr("{}", text[n]) && (open > 0 || text[n] != ','); n++)
    open += (text[n] == '(') - (text[n] == ')');
  while (n > 0 && isspace((unsigned char)text[n - 1]))
    n--;
  return n;
}

static int fail(cst_expr_error *e, int offset, const char *what) {
  e->offset = offset;
  snprintf(e->message, sizeof e->message, "%s", what);
  return -1;
}

/* Reads the sides; offset[2] of their texts. */
static int read_sides(const char *text, int at, char *side[2], int offset[2], cst_expr_error *e) {
  static const char form[] = "a discretization map is {left: EXPRESSION, right: EXPRESSION}";
  for (int i = 0; i < 2; i++) {
    int       begin;
    const int k = side_at(text, skip(text, at + 1), &begin);
    if (k > RIGHT || side[k])
      return fail(e, skip(text, at + 1), form);
    offset[k] = skip(text, begin);
    const int n = length_of(text + offset[k]);
    side[k] = cst_need(strndup(text + offset[k], (size_t)n));
    at = skip(text, offset[k] + n);
    if (text[at] != (i ? '}' : ','))
      return fail(e, at, form);
  }
  return at + 1;
}

/* Fills t from the one expression of {point: ...}, {tangent: ...} or {fibre: ...}; false with *e filled. */
static bool make_one(cst_term *t, int kind, const char *one, cst_expr_error *e) {
  const char *const *text = &one;
  cst_map_error      wrong = {0};
  int                entry;
  if (kind == POINT) {
    const cst_map_texts texts = {.left = text, .right = text, .retraction = true};
    t->map = cst_map_make(&texts, &wrong);
    t->name = t->map ? cst_map_text(t->map) : NULL;
    *e = wrong.error;
  } else if (kind == TANGENT) {
    t->tau = cst_tau_make(text, 1, NULL, 0, &entry, e);
    t->name = t->tau ? cst_tau_text(t->tau) : NULL;
  } else {
    t->iota = cst_iota_make(&(cst_iota_texts){.fibre = text}, &entry, e);
    t->name = t->iota ? cst_iota_text(t->iota) : NULL;
  }
  return t->name != NULL;
}

/* Reads {point: EXPRESSION}, {tangent: EXPRESSION} or {fibre: EXPRESSION}. */
static int read_one(cst_term *t, const char *text, int at, int kind, cst_expr_error *e) {
  int begin;
  side_at(text, skip(text, at + 1), &begin);
  begin = skip(text, begin);
  const int n = length_of(text + begin), end = skip(text, begin + n);
  t->kind = CST_TERM_MAP;
  if (text[end] != '}')
    return fail(e, end,
                kind == FIBRE ? "a fibre is {fibre: EXPRESSION}"
                              : "a retraction is {point: EXPRESSION} or {tangent: EXPRESSION}");
  char      *one = cst_need(strndup(text + begin, (size_t)n));
  const bool made = make_one(t, kind, one, e);
  free(one);
  if (made)
    return end + 1;
  e->offset += begin;
  return -1;
}

int cst_term_read_map(cst_term *t, const char *text, int at, cst_expr_error *e) {
  int       begin;
  const int kind = side_at(text, skip(text, at + 1), &begin);
  if (kind == POINT || kind == TANGENT || kind == FIBRE)
    return read_one(t, text, at, kind, e);
  char         *side[2] = {0};
  int           offset[2];
  cst_map_error wrong;
  int           end = read_sides(text, at, side, offset, e);
  if (end >= 0) {
    const cst_map_texts texts = {.left = (const char *const *)&side[0],
                                 .right = (const char *const *)&side[1]};
    t->map = cst_map_make(&texts, &wrong);
  }
  if (end >= 0 && !t->map) {
    *e = wrong.error;
    e->offset += offset[wrong.side == CST_MAP_RIGHT];
    end = -1;
  }
  t->kind = CST_TERM_MAP;
  if (t->map)
    t->name = cst_map_text(t->map);
  free(side[0]);
  free(side[1]);
  return end;
}

/* What the argument is or names; NULL: nothing that is known. */
static cst_own_map find(const cst_term *x) {
  if (x->kind == CST_TERM_MAP)
    return (cst_own_map){.map = x->map, .tau = x->tau, .iota = x->iota};
  const cst_own_map *named =
      x->kind == CST_TERM_NAME && x->n == 0 ? cst_layers_find_map(x->layers, x->name) : NULL;
  return named ? *named : (cst_own_map){0};
}

static void *refuse(const cst_term *x, cst_expr_error *e, const char *what) {
  const cst_layers *l = x->layers;
  const char      **names = cst_zeros(l ? l->nmap : 0, sizeof *names);
  for (int i = 0; l && i < l->nmap; i++)
    names[i] = l->map[i].name;
  const char *near =
      x->kind == CST_TERM_NAME ? cst_diag_nearest(x->name, names, l ? l->nmap : 0) : NULL;
  cst_term_error(x, e, "%s%s%s%s", what, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
  free(names);
  return NULL;
}

const struct cst_map *cst_term_map(cst_term *x, cst_expr_error *e) {
  const cst_own_map of = find(x);
  if (of.map && !cst_map_is_retraction(of.map))
    return x->map = of.map;
  if (of.map || of.tau)
    return refuse(x, e, "a retraction is no map; write retraction= in place of map=");
  return refuse(x, e,
                "map is a name under the study's key `maps`, or {left: ..., right: ...} with "
                "expressions of q and v");
}

const struct cst_map *cst_term_retraction(cst_term *x, double theta, cst_expr_error *e) {
  const cst_own_map of = find(x);
  if (of.map && cst_map_is_retraction(of.map))
    return x->map = cst_map_at(of.map, theta);
  return refuse(x, e,
                of.tau
                    ? "this retraction is of rotations, for lie-rattle and others like it"
                    : "retraction is a name under the study's key `retractions`, or {point: ...} "
                      "with an expression of q and v");
}

const struct cst_tau *cst_term_tau(cst_term *x, cst_expr_error *e) {
  const cst_own_map of = find(x);
  if (of.tau)
    return x->tau = of.tau;
  return refuse(x, e,
                of.map ? "this retraction is of R^n, for discretization(retraction=)"
                       : "'retraction' is cayley, exp, a name under the study's key `retractions`, "
                         "or {tangent: ...} with an expression of s");
}

const struct cst_iota *cst_term_iota(cst_term *x, cst_expr_error *e) {
  const cst_own_map of = find(x);
  if (of.iota)
    return x->iota = of.iota;
  return refuse(
      x, e,
      of.map || of.tau
          ? "this is no fibre; iota is a name under the study's key `iotas`"
          : "iota of convert is euclidean, mass, a name under the study's key `iotas`, or "
            "{fibre: ...} with an expression of q and theta");
}
