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
static const char *const   sides[] = {"left", "right", "point", "tangent", "fibre", NULL};
static const cst_text_kind kinds[] = {
    [POINT] = CST_TEXT_POINT, [TANGENT] = CST_TEXT_TANGENT, [FIBRE] = CST_TEXT_FIBRE};

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

/* The text of {point: ...}, {tangent: ...} or {fibre: ...}; NULL with *e filled. */
static const cst_text *make_one(cst_layers *l, cst_text_kind kind, const char *one,
                                cst_expr_error *e) {
  const cst_wording w = {kind, .side = {&one}};
  int               entry;
  if (kind == CST_TEXT_TANGENT)
    return cst_tau_make(l, &w, &entry, e);
  if (kind == CST_TEXT_FIBRE)
    return cst_iota_make(l, &w, &entry, e);
  cst_map_error   wrong = {0};
  const cst_text *x = cst_map_make(l, &w, &wrong);
  *e = wrong.error;
  return x;
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
  char *one = cst_need(strndup(text + begin, (size_t)n));
  t->text = make_one(t->layers, kinds[kind], one, e);
  free(one);
  if (t->text)
    return end + 1;
  e->offset += begin;
  return -1;
}

/* Reads {left: EXPRESSION, right: EXPRESSION}. */
static int read_both(cst_term *t, const char *text, int at, cst_expr_error *e) {
  char         *side[2] = {0};
  int           offset[2];
  cst_map_error wrong = {0};
  int           end = read_sides(text, at, side, offset, e);
  if (end >= 0) {
    const cst_wording w = {CST_TEXT_MAP,
                           .side = {(const char *const *)&side[0], (const char *const *)&side[1]}};
    t->text = cst_map_make(t->layers, &w, &wrong);
  }
  if (end >= 0 && !t->text) {
    *e = wrong.error;
    e->offset += offset[wrong.side];
    end = -1;
  }
  t->kind = CST_TERM_MAP;
  free(side[0]);
  free(side[1]);
  return end;
}

/* {left: EXPRESSION, right: EXPRESSION} and the like; first: its first side. Owned. */
static char *label_of(const cst_text *x, int first) {
  char  *label;
  size_t length;
  FILE  *f = cst_need(open_memstream(&label, &length));
  for (int k = 0; k < 2 && x->of.side[k]; k++)
    fprintf(f, "%s%s: %s", k ? ", " : "{", sides[first + k], x->of.side[k][0]);
  fputc('}', f);
  fclose(f);
  return label;
}

int cst_term_read_map(cst_term *t, const char *text, int at, cst_expr_error *e) {
  int       begin;
  const int kind = side_at(text, skip(text, at + 1), &begin);
  const int end = kind == POINT || kind == TANGENT || kind == FIBRE ? read_one(t, text, at, kind, e)
                                                                    : read_both(t, text, at, e);
  if (t->text)
    t->name = label_of(t->text, kind == RIGHT ? LEFT : kind);
  return end;
}

/* What the argument is or names; NULL: no map, retraction or fibre. */
static const cst_text *find(const cst_term *x) {
  if (x->kind == CST_TERM_MAP)
    return x->text;
  const cst_text *of =
      x->kind == CST_TERM_NAME && x->n == 0 ? cst_layers_find(x->layers, x->name) : NULL;
  return of && CST_TEXTS_MAPS >> of->of.kind & 1 ? of : NULL;
}

static bool is(const cst_text *x, cst_text_kind kind) { return x && x->of.kind == kind; }

static bool refuse(const cst_term *x, cst_expr_error *e, const char *what) {
  const char **names = cst_zeros(cst_layers_names(x->layers, CST_TEXTS_MAPS, NULL), sizeof *names);
  const int    n = cst_layers_names(x->layers, CST_TEXTS_MAPS, names);
  const char  *near = x->kind == CST_TERM_NAME ? cst_diag_nearest(x->name, names, n) : NULL;
  cst_term_error(x, e, "%s%s%s%s", what, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
  free(names);
  return false;
}

/* The map of a retraction for a theta. */
static const cst_text *retracted(cst_layers *l, const cst_text *m, double theta) {
  cst_wording   w = m->of;
  cst_map_error none;
  w.theta = theta;
  return cst_map_make(l, &w, &none);
}

static bool set(cst_term *x, const cst_text *of) {
  x->text = of;
  return of != NULL;
}

static bool is_retraction(const cst_text *x) {
  return is(x, CST_TEXT_POINT) || is(x, CST_TEXT_TANGENT);
}

bool cst_term_map(cst_term *x, cst_expr_error *e) {
  const cst_text *of = find(x);
  if (is(of, CST_TEXT_MAP))
    return set(x, of);
  if (is_retraction(of))
    return refuse(x, e, "a retraction is no map; write retraction= in place of map=");
  return refuse(x, e,
                "map is a name under the study's key `maps`, or {left: ..., right: ...} with "
                "expressions of q and v");
}

bool cst_term_retraction(cst_term *x, double theta, cst_expr_error *e) {
  const cst_text *of = find(x);
  if (is(of, CST_TEXT_POINT))
    return set(x, retracted(x->layers, of, theta));
  return refuse(x, e,
                is(of, CST_TEXT_TANGENT)
                    ? "this retraction is of rotations, for lie-rattle and others like it"
                    : "retraction is a name under the study's key `retractions`, or {point: ...} "
                      "with an expression of q and v");
}

bool cst_term_tau(cst_term *x, cst_expr_error *e) {
  const cst_text *of = find(x);
  if (is(of, CST_TEXT_TANGENT))
    return set(x, of);
  return refuse(x, e,
                is(of, CST_TEXT_MAP) || is(of, CST_TEXT_POINT)
                    ? "this retraction is of R^n, for discretization(retraction=)"
                    : "'retraction' is cayley, exp, a name under the study's key `retractions`, "
                      "or {tangent: ...} with an expression of s");
}

bool cst_term_iota(cst_term *x, cst_expr_error *e) {
  const cst_text *of = find(x);
  if (is(of, CST_TEXT_FIBRE))
    return set(x, of);
  return refuse(x, e,
                of ? "this is no fibre; iota is a name under the study's key `iotas`"
                   : "iota of convert is euclidean, mass, a name under the study's key `iotas`, or "
                     "{fibre: ...} with an expression of q and theta");
}
