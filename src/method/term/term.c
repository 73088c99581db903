/* term.c: method expressions: parses them, resolves their names to rows of the registry and the user's layers, checks
 * them with the rows, and says which systems they can step. */
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

/* ---- which systems a method can step, and what it claims on them ----------------------------- */

static bool has_method(const cst_system *s, const cst_body *flat, char *why, int n) {
  if (!flat || !s->nvel)
    return true;
  snprintf(why, (size_t)n,
           "no method steps %s: its body %s is flat for these parameters, and its mass in "
           "coordinates is that of bodies that are not; give the file parameters whose defaults "
           "make it flat, and constraints on velocities go with it",
           s->name, flat->name);
  return false;
}

/* Some coordinates of a flat body have no mass: only substeps for bodies can step it. */
static bool steps_flat(const cst_method *m, const cst_system *s, const cst_body *flat, char *why,
                       int n) {
  if (!flat)
    return true;
  cst_program *p = cst_program_create_on(m, s);
  bool         good = true;
  for (int i = 0; i < p->n; i++)
    good &= (p->step[i].row->features & CST_STEPS_FLAT) != 0;
  cst_program_destroy(p);
  if (!good)
    snprintf(why, (size_t)n,
             "%s cannot step the flat body %s: a principal moment is the sum of the other two, so "
             "coordinates of its rotation matrix have no mass; methods on the group (lie-...) can",
             cst_method_label(m), flat->name);
  return good;
}

static bool root_fits_flat(const cst_term *t, const cst_system *s, const cst_body *flat, char *why,
                           int n) {
  return !flat || !t->row->fits_flat || t->row->fits_flat(t, s, flat, why, n);
}

bool cst_method_fits_flat(const cst_method *m, const cst_system *s, const cst_body *flat, char *why,
                          int n) {
  CST_REQUIRE(m && s && (why || n <= 0), false);
  const cst_term *root = cst_method_root(m);
  return has_method(s, flat, why, n) && root_fits_flat(root, s, flat, why, n) &&
         cst_term_fits(root, s, why, n) && steps_flat(m, s, flat, why, n);
}

bool cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n) {
  CST_REQUIRE(s, false);
  return cst_method_fits_flat(m, s, cst_system_flat(s), why, n);
}
const cst_system *cst_method_system(const cst_method *m, const cst_system *s, double *more) {
  CST_REQUIRE(m && s && more, NULL);
  return cst_term_system(cst_method_root(m), s, more);
}
cst_properties cst_method_properties(const cst_method *m, const cst_system *s) {
  CST_REQUIRE(m && s, (cst_properties){0});
  return cst_term_properties(cst_method_root(m), s);
}

const cst_system *cst_term_system(const cst_term *t, const cst_system *s, double *more) {
  const cst_term *inner = t->row->thermal ? cst_term_argument(t, NULL) : NULL;
  if (inner)
    return cst_term_system(inner, s, more);
  return t->row->on ? t->row->on(t, s, more) : s;
}

enum { MOST_BENDS = 1200000 }; /* lane code has them on the stack: 77 MB with 8 lanes */

bool cst_term_bends(const cst_term *t, const cst_system *s, char *why, int n) {
  const bool known = cst_system_bend(s);
  const int  bends = s->pattern[CST_K_d2V].n;
  if (known && bends <= MOST_BENDS)
    return true;
  if (known)
    snprintf(why, (size_t)n,
             "%s needs second derivatives of the potential; %s has %d of them, more than %d",
             t->name, s->name, bends, MOST_BENDS);
  else
    snprintf(
        why, (size_t)n,
        "%s needs second derivatives of the potential, and those of %s, with its sums over pairs "
        "expanded, are too large",
        t->name, s->name);
  return false;
}

/* What is said of a trait that a method does not step, or that it needs: of the system %1$s, the method %2$s and the constraint %3$s that
 * depends on t. */
static const struct {
  unsigned    trait;
  const char *why;
  bool        needed;
} refusals[] = {
    {CST_NONHOLONOMIC, "%2$s is for constraints on velocities and %1$s has none", true},
    {CST_SEPARABLE,
     "%2$s needs a constant diagonal mass, no gyroscopic term, no forces and no "
     "dependence on time, and %1$s has others",
     true},
    {CST_NONHOLONOMIC,
     "%1$s has constraints on velocities, which %2$s does not keep; layers such as rk4, "
     "project(LAYER), lagrange-dalembert(LAYER) and gauss(s) step such systems"},
    {CST_SLIPS,
     "%1$s has forces that depend on multipliers, for which %2$s does not solve; layers such "
     "as rk4, project(LAYER) and gauss(s) do"},
    {CST_MASSLESS,
     "%1$s has coordinates without mass, and %2$s divides by the mass; midpoint, layers such "
     "as rk4, project(LAYER) and gauss(s) do not"},
    {CST_FORCED,
     "%1$s has nonconservative forces, which %2$s does not support; layers, project(LAYER), "
     "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do"},
    {CST_DRIVEN,
     "%1$s has a constraint that depends on t, %3$s, which %2$s does not keep; rattle and the "
     "other variational methods, on the group too, their compositions, hbvm, layers with a "
     "tableau, project(LAYER), gauss(s), radau(s) and penalty(METHOD) do"},
    {CST_TIMED,
     "%1$s depends on time, which %2$s does not support; layers with a tableau, project(LAYER), "
     "convert(LAYER), lagrange-dalembert(LAYER), gauss(s), midpoint and rattle do"},
};

/* Refuses systems with traits that this method does not step. */
static bool is_for(const cst_term *t, const cst_system *s, char *why, int n) {
  const unsigned left = s->traits & ~t->row->steps;
  const char    *driven = s->ndriven ? s->family[s->driven_name[0]].name : "";
  const unsigned lacks = t->row->needs & ~s->traits;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (refusals[i].trait & (refusals[i].needed ? lacks : left)) {
      snprintf(why, (size_t)n, refusals[i].why, s->name, t->name, driven);
      return false;
    }
  return true;
}

bool cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n) {
  return is_for(t, s, why, n) && (!t->row->fits || t->row->fits(t, s, why, n));
}
/* Removes the claims that do not hold with constraints on velocities, forces or explicit time dependence. A
 * step at another time is another map, so a step back counted from the start does not undo it. */
static unsigned remaining_claims(unsigned claims, const cst_system *s) {
  if (s->traits & (CST_NONHOLONOMIC | CST_FORCED))
    claims &= ~(unsigned)(CST_CLAIM_SYMPLECTIC | CST_CLAIM_MOMENTUM | CST_CLAIM_BOUNDED |
                          CST_CLAIM_ENERGY | CST_CLAIM_VOLUME);
  if (cst_has(s, CST_TIMED))
    claims &= ~(unsigned)(CST_CLAIM_BOUNDED | CST_CLAIM_ENERGY | CST_CLAIM_SYMMETRIC);
  return claims;
}

cst_properties cst_term_properties(const cst_term *t, const cst_system *s) {
  cst_properties p = t->row->properties(t, s);
  p.claims = remaining_claims(p.claims, s);
  return p;
}
/* Those of a layer around which a method is built. Where the method is symmetric, odd orders are enough. */
static void layer_conditions(const cst_term *t, const cst_system *s, cst_conditions *c) {
  const bool within = t->row->of_layer && t->n && !t->key[0];
  cst_layer  l = {0};
  if (!cst_term_layer(within ? t->arg[0] : t, &l) || l.rule)
    return;
  c->orders = CST_TREE_ORDER;
  c->roundoff = CST_TREE_VANISHING;
  cst_tableau_defects(&l.tableau, c->defect);
  if (within && t->row->properties(t, s).claims & CST_CLAIM_SYMMETRIC)
    for (int k = 2; k <= CST_TREE_ORDER; k += 2)
      c->defect[k] = 0;
}

cst_conditions cst_method_conditions(const cst_method *m, const cst_system *s) {
  cst_conditions c = {0};
  CST_REQUIRE(m && s, c);
  const cst_term *t = cst_method_root(m);
  layer_conditions(t, s, &c);
  if (!c.orders && t->row->conditions)
    t->row->conditions(t, s, &c);
  return c;
}

bool cst_term_layer(const cst_term *t, cst_layer *l) {
  return t->row->layer && t->row->layer(t, l);
}
void cst_term_expand(const cst_term *t, cst_program *p, double fraction) {
  t->row->expand(t, p, fraction);
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

bool cst_term_method(cst_term *t, cst_expr_error *e) {
  if (t->kind != CST_TERM_NAME && t->kind != CST_TERM_TABLEAU)
    return cst_term_error(t, e, "expected a method");
  if (!cst_term_known(t))
    return unknown(t, e);
  cst_own_layer *own = own_layer(t);
  t->row = own ? own->row : cst_method_row_find(t->name);
  if (own)
    t->own = &own->layer;
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
