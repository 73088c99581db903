/* term.c: method expressions: parses them, resolves their names to rows of the registry and the user's layers, and checks
 * and reads their arguments by the rows. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "constella/diag.h"
#include "core/boundary.h"
#include "core/need.h"
#include "core/text.h"
#include "method/method.h"

/* ---- labels ---------------------------------------------------------------------------------- */

/* A label is the expression in one form, which names the method in results. Equal methods have equal labels. */

static void print_number(FILE *f, double x) {
  char text[40];
  fputs(cst_text_number(x, text, sizeof text), f);
}

/* Characters around the entries of a term, and after a key. */
static const struct {
  char        open, close;
  const char *key;
} brackets[] = {[CST_TERM_NAME] = {'(', ')', "="},
                [CST_TERM_LIST] = {'[', ']', ""},
                [CST_TERM_TABLEAU] = {'{', '}', ": "}};

static void print_term(FILE *f, const cst_term *t) {
  if (t->kind == CST_TERM_NUMBER && !t->name)
    print_number(f, t->number);
  if (t->name && t->kind != CST_TERM_TABLEAU)
    fputs(t->name, f);
  if (t->n == 0)
    return;
  fputc(brackets[t->kind].open, f);
  for (int i = 0; i < t->n; i++) {
    if (i)
      fputs(", ", f);
    if (t->key[i])
      fprintf(f, "%s%s", t->key[i], brackets[t->kind].key);
    print_term(f, t->arg[i]);
  }
  fputc(brackets[t->kind].close, f);
}

/* Owned. */
static char *label_of(const cst_term *t) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  print_term(f, t);
  fclose(f);
  return text;
}

/* ---- names ----------------------------------------------------------------------------------- */

static cst_own_layer *own_layer(const cst_term *t) {
  return cst_text_layer(cst_layers_find(t->layers, t->name));
}

bool cst_term_known(const cst_term *t) { return cst_method_row_find(t->name) || own_layer(t); }

const char *cst_term_nearest(const cst_term *t, bool schemes) {
  const int    own = cst_layers_names(t->layers, CST_TEXTS_LAYERS | CST_TEXTS_SCHEMES, NULL);
  const int    most = cst_method_count() + cst_scheme_count() + own;
  const char **names = cst_zeros(most, sizeof *names);
  int          n = 0;
  for (int i = 0; schemes && i < cst_scheme_count(); i++)
    names[n++] = cst_scheme_at(i)->name;
  if (schemes)
    n += cst_layers_names(t->layers, CST_TEXTS_SCHEMES, names + n);
  for (int i = 0; i < cst_method_count(); i++)
    names[n++] = cst_method_info_at(i)->name;
  n += cst_layers_names(t->layers, CST_TEXTS_LAYERS, names + n);
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

/* ---- arguments, by the rows of the method ------------------------------------------------------ */

static bool is_by_place(const cst_key *k) { return (k->forms & CST_BY_PLACE) != 0; }

static cst_term *argument(const cst_term *t, const cst_key *k) {
  return cst_term_argument(t, is_by_place(k) ? NULL : k->key);
}

/* The row of argument i; NULL: there is none. */
static const cst_key *row_of_argument(const cst_term *t, int i) {
  const cst_key *k = t->row->arguments;
  while (k->key && (t->key[i] ? is_by_place(k) || strcmp(k->key, t->key[i]) : !is_by_place(k)))
    k++;
  return k->key ? k : NULL;
}

static bool refuse_key(const cst_term *t, int i, cst_expr_error *e) {
  const char *known[CST_MOST_KEYS + 1] = {0};
  char        text[200];
  const int   n = cst_keys_of(t->row->arguments, "", CST_BY_NAME, known);
  if (!t->key[i])
    return cst_term_error(t->arg[i], e, "the arguments of %s must be named: %s", t->name,
                          cst_value_words(known, text, sizeof text));
  const char *near = cst_diag_nearest(t->key[i], known, n);
  return cst_term_error(t->arg[i], e, "%s takes no '%s='; it takes %s%s%s%s", t->name, t->key[i],
                        cst_value_words(known, text, sizeof text), near ? "; did you mean '" : "",
                        near ? near : "", near ? "'?" : "");
}

/* Whether argument i is one of the method's, and appears once. */
static bool check_key(const cst_term *t, int i, cst_expr_error *e) {
  const cst_key *k = row_of_argument(t, i);
  if (!k)
    return refuse_key(t, i, e);
  if (argument(t, k) == t->arg[i])
    return true;
  if (t->key[i])
    return cst_term_error(t->arg[i], e, "'%s=' appears twice", t->key[i]);
  return cst_term_error(t->arg[i], e, "%s takes one %s: %s", t->name, strchr(k->doc, ' ') + 1,
                        t->row->info.example);
}

/* Whether all arguments are there that have no default, and no others. */
static bool check_shape(const cst_term *t, cst_expr_error *e) {
  const cst_key *first = t->row->arguments;
  const char    *example = t->row->info.example;
  const bool     placed = is_by_place(first);
  if (placed && !first[1].key)
    return (t->n == 1 && !t->key[0]) ||
           cst_term_error(t, e, "%s takes one argument, %s: %s", t->name, first->doc, example);
  if (placed && !first->standard && !argument(t, first))
    return cst_term_error(t, e, "%s takes %s: %s", t->name, first->doc, example);
  for (int i = 0; i < t->n; i++)
    if (!check_key(t, i, e))
      return false;
  for (const cst_key *k = first; k->key; k++)
    if (!k->standard && !argument(t, k))
      return cst_term_error(t, e, "%s needs %s, %s: %s", t->name, k->key, k->doc, k->example);
  return true;
}

static bool wrong_value(const cst_term *t, const cst_term *x, const cst_key *k, cst_expr_error *e) {
  char        text[200];
  const char *type = cst_key_type(k, text, sizeof text);
  const char *article = cst_value_article(&k->value, type);
  if (k->value.type == CST_VALUE_SCHEME)
    return cst_term_error(x, e, "%s takes %s: %s", t->name, k->doc, k->example);
  if (k->called)
    return cst_term_error(x, e, "%s is %s%s", k->called, article, type);
  if (is_by_place(k))
    return cst_term_error(x, e, "%s of %s is %s%s", k->doc, t->name, article, type);
  return cst_term_error(x, e, "the %s of %s is %s%s: %s", k->key, t->name, article, type, k->doc);
}

/* Whether x is a number or a word that the row allows, and which. */
static bool is_allowed(const cst_term *x, const cst_key *k, double *number) {
  char       text[40];
  const bool word = k->value.type == CST_VALUE_CHOICE;
  *number = x->number;
  if (x->kind == CST_TERM_NUMBER && !word)
    return cst_value_allows(&k->value, x->number);
  if (!word || x->n || (x->kind != CST_TERM_NAME && x->kind != CST_TERM_NUMBER))
    return false;
  return cst_value_parse(&k->value,
                         x->name ? x->name : cst_text_number(x->number, text, sizeof text), number);
}

static bool check_layer(const cst_term *t, cst_term *x, bool tableau, cst_expr_error *e) {
  cst_layer l = {0};
  if (!cst_term_method(x, e))
    return false;
  if (!cst_term_layer(x, &l))
    return cst_term_error(
        x, e,
        "'%s' is not a layer; %s takes a one-step layer such as heun, rk4, "
        "gauss(2), or a composition or adjoint of tableaus with at most %d stages",
        x->name, t->name, CST_MAX_STAGES);
  return !tableau || !l.rule ||
         cst_term_error(x, e,
                        "'%s' is given by formulas of its own accelerations; %s takes a layer "
                        "with a tableau, such as rk4 or gauss(2)",
                        x->name, t->name);
}

static const cst_scheme *scheme_of(const cst_term *x) {
  return x->kind == CST_TERM_NAME && x->n == 0 ? cst_scheme_find(x->name) : NULL;
}

static bool check_value(const cst_term *t, cst_term *x, const cst_key *k, cst_expr_error *e) {
  double number;
  switch (k->value.type) {
  case CST_VALUE_OWN:
    return true;
  case CST_VALUE_METHOD:
    return cst_term_method(x, e);
  case CST_VALUE_LAYER:
  case CST_VALUE_TABLEAU:
    return check_layer(t, x, k->value.type == CST_VALUE_TABLEAU, e);
  case CST_VALUE_SCHEME:
    return scheme_of(x) || wrong_value(t, x, k, e);
  default:
    return is_allowed(x, k, &number) || wrong_value(t, x, k, e);
  }
}

static bool check_arguments(const cst_term *t, cst_expr_error *e) {
  if (!t->row->arguments)
    return true;
  if (!check_shape(t, e))
    return t->row->usage && cst_term_error(t, e, "%s", t->row->usage);
  for (const cst_key *k = t->row->arguments; k->key; k++)
    for (int i = 0; i < t->n; i++)
      if (row_of_argument(t, i) == k && !check_value(t, t->arg[i], k, e))
        return false;
  return true;
}

static void read_argument(cst_term *x, const cst_key *k, void *values) {
  const cst_value *v = &k->value;
  void            *to = (char *)values + v->at;
  double           number;
  if (v->type == CST_VALUE_SCHEME)
    *(const cst_scheme **)to = x ? scheme_of(x) : NULL;
  else if (v->type == CST_VALUE_OWN || v->type >= CST_VALUE_METHOD)
    *(cst_term **)to = x;
  else if (x ? is_allowed(x, k, &number)
             : k->standard && !v->rule && cst_value_parse(v, k->standard, &number))
    cst_value_set(v, values, number);
}

void cst_term_read(const cst_term *t, void *values) {
  for (const cst_key *k = t->row->arguments; k && k->key; k++)
    read_argument(argument(t, k), k, values);
}

bool cst_term_method(cst_term *t, cst_expr_error *e) {
  if (t->kind != CST_TERM_NAME && t->kind != CST_TERM_TABLEAU)
    return cst_term_error(t, e, "expected a method");
  if (!cst_term_known(t))
    return unknown(t, e);
  cst_own_layer *own = own_layer(t);
  t->row = own ? own->row : cst_method_row_find(t->name);
  if (own)
    t->own = &own->layer;
  if ((own || (!t->row->check && !t->row->arguments)) && t->n > 0)
    return cst_term_error(t, e, "'%s' takes no arguments", t->name);
  return own || (check_arguments(t, e) && (!t->row->check || t->row->check(t, e)));
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

/* ---- parsing --------------------------------------------------------------------------------- */

/*   term     = number | '[' number {',' number} ']' | name [ '(' argument {',' argument} ')' ] | tableau
 *   argument = [key '='] term
 *   tableau  = '{' key ':' table {',' key ':' table} '}'      (a discretization map: term-map.c)
 *   table    = '[' table {',' table} ']' | an expression of numbers (expr.h)
 */

/* MAX_KEYS: one more than a tableau can have, so that its row reports the excess */
enum { MAX_DEPTH = 32, MAX_KEYS = 4 };

struct cst_method {
  cst_term   *root;
  char       *label;
  cst_layers *layers; /* in which its texts are */
};

typedef struct {
  const char     *text;
  int             at, depth;
  cst_layers     *layers;
  cst_graph      *graph; /* for the expressions */
  cst_expr_error *error;
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
  if (t->kind == CST_TERM_TABLEAU)
    free(t->own);
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
    t->scheme = cst_layers_scheme(r->layers, t->name);
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
  if (good && check_outermost(root, false, false, false, r->error) &&
      cst_term_method(root, r->error))
    return root;
  term_destroy(root);
  return NULL;
}

cst_method *cst_method_parse(const char *text, const cst_layers *layers, cst_expr_error *error) {
  CST_REQUIRE(text && error, NULL);
  reader    r = {.text = text,
                 .layers = cst_layers_share(layers),
                 .graph = cst_graph_create(),
                 .error = error};
  cst_term *root = read_method(&r);
  cst_graph_destroy(r.graph);
  if (!root) {
    cst_layers_destroy(r.layers);
    return NULL;
  }
  cst_method *m = cst_need(calloc(1, sizeof *m));
  *m = (cst_method){root, label_of(root), r.layers};
  return m;
}

void cst_method_destroy(cst_method *m) {
  if (!m)
    return;
  term_destroy(m->root);
  cst_layers_destroy(m->layers);
  free(m->label);
  free(m);
}

const char *cst_method_label(const cst_method *m) {
  CST_REQUIRE(m, "");
  return m->label;
}
const cst_term *cst_method_root(const cst_method *m) { return m->root; }
