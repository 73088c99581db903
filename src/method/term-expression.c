/* term-expression.c: method expressions: parses them and checks them with the rows (their labels:
 * term-label.c).
 *
 *   term     = number | '[' number {',' number} ']' | name [ '(' argument {',' argument} ')' ] | tableau
 *   argument = [key '='] term
 *   tableau  = '{' key ':' table {',' key ':' table} '}'      (a discretization map: term-map.c)
 *   table    = '[' table {',' table} ']' | an expression of numbers (expr.h)
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/method.h"

/* MAX_KEYS: one more than a tableau can have, so that its row reports the excess */
enum { MAX_DEPTH = 32, MAX_KEYS = 4 };

struct cst_method {
  cst_term *root;
  char     *label;
};

typedef struct {
  const char       *text;
  int               at, depth;
  const cst_layers *layers;
  cst_graph        *graph; /* for the expressions */
  cst_expr_error   *error;
} reader;

static void set_error(cst_expr_error *e, int offset, const char *format, va_list a) {
  e->offset = offset;
  vsnprintf(e->message, sizeof e->message, format, a);
}

cst_term *cst_term_argument(const cst_term *t, const char *key) {
  for (int i = 0; i < t->n; i++) {
    const bool same = key && t->key[i] ? !strcmp(t->key[i], key) : key == t->key[i];
    if (same)
      return t->arg[i];
  }
  return NULL;
}

bool cst_term_error(const cst_term *t, cst_expr_error *e, const char *format, ...) {
  va_list a;
  va_start(a, format);
  set_error(e, t->offset, format, a);
  va_end(a);
  return false;
}

__attribute__((format(printf, 2, 3))) static cst_term *fail(reader *r, const char *format, ...) {
  va_list a;
  va_start(a, format);
  set_error(r->error, r->at, format, a);
  va_end(a);
  return NULL;
}

static void skip(reader *r) {
  while (r->text[r->at] == ' ' || r->text[r->at] == '\t')
    r->at++;
}

static void term_destroy(cst_term *t) {
  if (!t)
    return;
  for (int i = 0; i < t->n; i++) {
    term_destroy(t->arg[i]);
    free(t->key[i]);
  }
  free(t->arg);
  free(t->key);
  free(t->name);
  free(t->own);
  free(t->scheme);
  free(t);
}

static void push(cst_term *t, cst_term *arg, char *key) {
  t->arg = cst_need(realloc(t->arg, sizeof *t->arg * (size_t)(t->n + 1)));
  t->key = cst_need(realloc(t->key, sizeof *t->key * (size_t)(t->n + 1)));
  t->arg[t->n] = arg;
  t->key[t->n++] = key;
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

static char *word(reader *r) {
  int start = r->at;
  while (word_char(r->text[r->at]))
    r->at++;
  return cst_need(strndup(r->text + start, (size_t)(r->at - start)));
}

static cst_term *read_number(reader *r, cst_term *t) {
  char *end;
  t->kind = CST_TERM_NUMBER;
  t->number = strtod(r->text + r->at, &end);
  int length = (int)(end - (r->text + r->at));
  for (int i = 0; i < length; i++)
    if (!strchr("0123456789+-.eE", r->text[r->at + i]))
      length = 0;
  if (length == 0 || !isfinite(t->number))
    return fail(r, "expected a number");
  r->at += length;
  return t;
}

static cst_term *read_term(reader *r);

/* Reads the entries after '(' or '[' up to the closing character. */
static bool read_entries(reader *r, cst_term *t, char close, bool keys) {
  r->at++;
  skip(r);
  if (r->text[r->at] == close && keys) {
    fail(r, "'%s' needs an argument between its parentheses", t->name);
    return false;
  }
  for (;;) {
    char *key = NULL;
    int   back = r->at;
    if (keys && isalpha((unsigned char)r->text[r->at])) {
      key = word(r);
      skip(r);
      if (r->text[r->at] == '=')
        r->at++;
      else {
        free(key);
        key = NULL;
        r->at = back;
      }
    }
    cst_term *arg = read_term(r);
    if (!arg) {
      free(key);
      return false;
    }
    push(t, arg, key);
    skip(r);
    if (r->text[r->at] == close) {
      r->at++;
      return true;
    }
    if (r->text[r->at] != ',') {
      fail(r, "expected ',' or '%c'", close);
      return false;
    }
    r->at++;
    skip(r);
  }
}

/* ---- tableaus -------------------------------------------------------------------------------- */

/* Length of an expression, which ends before a ',' or a bracket outside parentheses. */
static int expression_length(const char *text) {
  int n = 0, open = 0;
  for (; text[n] && !strchr("[]{}", text[n]) && (open > 0 || text[n] != ','); n++)
    open += (text[n] == '(') - (text[n] == ')');
  return n;
}

/* text[n] without its blanks; NULL for a plain number. Owned. */
static char *squeezed(const char *text, int n) {
  char *s = cst_need(calloc((size_t)n + 1, 1));
  int   k = 0;
  for (int i = 0; i < n; i++)
    if (!isspace((unsigned char)text[i]))
      s[k++] = text[i];
  char *end = s + strspn(s, "-");
  if (end - s < 2 && strchr(".0123456789", *end))
    strtod(s, &end);
  if (*end)
    return s;
  free(s);
  return NULL;
}

/* Limits sums, whose cost is not bounded by the length of their text. */
static const double most_effort = 1e5;

static cst_term *read_expression(reader *r, cst_term *t) {
  const int      n = expression_length(r->text + r->at);
  char          *text = cst_need(strndup(r->text + r->at, (size_t)n));
  cst_expr_error why;
  const cst_node x = cst_expr_parse(r->graph, text, NULL, 0, &why);
  t->kind = CST_TERM_NUMBER;
  if (x >= 0)
    t->name = squeezed(text, n);
  free(text);
  if (x < 0)
    r->at += why.offset;
  if (x < 0)
    return fail(r, "%s", why.message);
  if (cst_parse_effort(r->graph) > most_effort)
    return fail(r, "the sums of a tableau are too long");
  /* without names every expression is folded to a finite constant */
  cst_graph_is_constant(r->graph, x, &t->number);
  r->at += n;
  return t;
}

static cst_term *read_table(reader *r);

static bool closes(reader *r, char close) {
  if (r->text[r->at] != close) {
    fail(r, "expected ',' or '%c'", close);
    return false;
  }
  r->at++;
  return true;
}

static cst_term *read_tables(reader *r, cst_term *t) {
  t->kind = CST_TERM_LIST;
  do {
    r->at++;
    if (t->n == CST_MAX_STAGES)
      return fail(r, "a tableau has at most %d stages", CST_MAX_STAGES);
    cst_term *x = read_table(r);
    if (!x)
      return NULL;
    push(t, x, NULL);
    skip(r);
  } while (r->text[r->at] == ',');
  return closes(r, ']') ? t : NULL;
}

static char *read_key(reader *r) {
  skip(r);
  char *key = word(r);
  skip(r);
  if (*key && r->text[r->at] == ':')
    return key;
  if (*key)
    fail(r, "expected ':' after '%s'", key);
  else
    fail(r, "expected a, b or c");
  free(key);
  return NULL;
}

/* Moves the last entry to its place in the order of keys: equal tableaus have equal labels. */
static void sort_last(cst_term *t) {
  for (int i = t->n - 1; i > 0 && strcmp(t->key[i - 1], t->key[i]) > 0; i--) {
    cst_term *arg = t->arg[i];
    char     *key = t->key[i];
    t->arg[i] = t->arg[i - 1];
    t->key[i] = t->key[i - 1];
    t->arg[i - 1] = arg;
    t->key[i - 1] = key;
  }
}

static cst_term *read_tableau(reader *r, cst_term *t) {
  t->kind = CST_TERM_TABLEAU;
  t->name = cst_need(strdup("tableau"));
  t->own = cst_need(calloc(1, sizeof *t->own));
  do {
    r->at++;
    if (t->n == MAX_KEYS)
      return fail(r, "a tableau has only a, b and c");
    char *key = read_key(r);
    if (!key)
      return NULL;
    r->at++;
    cst_term *x = read_table(r);
    if (!x) {
      free(key);
      return NULL;
    }
    push(t, x, key);
    sort_last(t);
    skip(r);
  } while (r->text[r->at] == ',');
  return closes(r, '}') ? t : NULL;
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* Reads a term with `body`, one nesting level deeper. */
static cst_term *nested(reader *r, cst_term *(*body)(reader *, cst_term *)) {
  if (r->depth >= MAX_DEPTH)
    return fail(r, "nested deeper than %d", MAX_DEPTH);
  cst_term *t = cst_need(calloc(1, sizeof *t));
  t->offset = r->at;
  t->layers = r->layers;
  r->depth++;
  cst_term *done = body(r, t);
  r->depth--;
  if (!done)
    term_destroy(t);
  return done;
}

static cst_term *read_table(reader *r) {
  skip(r);
  return nested(r, r->text[r->at] == '[' ? read_tables : read_expression);
}

static cst_term *read_map(reader *r, cst_term *t) {
  const int end = cst_term_read_map(t, r->text, r->at, r->error);
  r->at = end;
  return end < 0 ? NULL : t;
}

static cst_term *read_body(reader *r, cst_term *t) {
  char c = r->text[r->at];
  if (isdigit((unsigned char)c) || c == '+' || c == '-' || c == '.')
    return read_number(r, t);
  if (c == '{' && cst_term_begins_map(r->text + r->at))
    return read_map(r, t);
  if (c == '{')
    return read_tableau(r, t);
  if (c == '[') {
    t->kind = CST_TERM_LIST;
    return read_entries(r, t, ']', false) ? t : NULL;
  }
  if (!isalpha((unsigned char)c))
    return c ? fail(r, "expected the name of a method, not '%c'", c)
             : fail(r, "expected the name of a method");
  t->kind = CST_TERM_NAME;
  t->name = word(r);
  skip(r);
  if (r->text[r->at] != '(') {
    t->scheme = cst_scheme_copy(cst_layers_scheme(r->layers, t->name));
    return t;
  }
  return read_entries(r, t, ')', true) ? t : NULL;
}

static cst_term *read_term(reader *r) {
  skip(r);
  return nested(r, read_body);
}

/* ---- the whole expression ----------------------------------------------------------------------- */

/* The whole text as one method. */
static cst_term *read_method(reader *r) {
  cst_term *root = read_term(r);
  if (!root)
    return NULL;
  skip(r);
  bool good = !r->text[r->at];
  if (!good)
    fail(r, "unexpected '%c' after the method", r->text[r->at]);
  if (good && cst_term_check_outermost(root, r->error) && cst_term_method(root, r->error))
    return root;
  term_destroy(root);
  return NULL;
}

cst_method *cst_method_parse(const char *text, const cst_layers *layers, cst_expr_error *error) {
  CST_REQUIRE(text && error, NULL);
  reader    r = {.text = text, .layers = layers, .graph = cst_graph_create(), .error = error};
  cst_term *root = read_method(&r);
  cst_graph_destroy(r.graph);
  if (!root)
    return NULL;
  cst_method *m = cst_need(calloc(1, sizeof *m));
  *m = (cst_method){root, cst_term_label(root)};
  return m;
}

void cst_method_destroy(cst_method *m) {
  if (!m)
    return;
  term_destroy(m->root);
  free(m->label);
  free(m);
}

const char *cst_method_label(const cst_method *m) {
  CST_REQUIRE(m, "");
  return m->label;
}
const cst_term *cst_method_root(const cst_method *m) { return m->root; }
