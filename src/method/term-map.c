/* term-map.c: discretization maps in method expressions: {left: EXPRESSION, right: EXPRESSION}, with names
 * q and v, for every coordinate; and the names of maps that a study defines. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/diag.h"
#include "core/need.h"
#include "method/map.h"
#include "method/method.h"

static const char *const sides[] = {"left", "right", NULL};

static int skip(const char *text, int at) { return at + (int)strspn(text + at, " \t"); }

/* The side whose name begins text, followed by a colon; 2: none. *end: behind the colon. */
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
  return text[0] == '{' && side_at(text, skip(text, 1), &end) < 2;
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
    if (k == 2 || side[k])
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

int cst_term_read_map(cst_term *t, const char *text, int at, cst_expr_error *e) {
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

const struct cst_map *cst_term_map(cst_term *x, cst_expr_error *e) {
  const cst_layers *l = x->layers;
  if (x->kind == CST_TERM_MAP)
    return x->map;
  if (x->kind == CST_TERM_NAME && x->n == 0)
    x->map = cst_layers_find_map(l, x->name);
  if (x->map)
    return x->map;
  const char **names = cst_zeros(l ? l->nmap : 0, sizeof *names);
  for (int i = 0; l && i < l->nmap; i++)
    names[i] = l->map[i].name;
  const char *near =
      x->kind == CST_TERM_NAME ? cst_diag_nearest(x->name, names, l ? l->nmap : 0) : NULL;
  cst_term_error(x, e,
                 "map is a name under the study's key `maps`, or {left: ..., right: ...} with "
                 "expressions of q and v%s%s%s",
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  free(names);
  return NULL;
}
