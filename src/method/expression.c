/* expression.c: method expressions: parse, check against the rows, and print the label.
 *
 *   term = number | '[' number {',' number} ']' | name [ '(' [argument {',' argument}] ')' ]      argument = [key '='] term
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/diag.h"
#include "method/method.h"

enum { MAX_DEPTH = 32 };

struct cst_method {
  cst_term *root;
  char     *label;
};

typedef struct {
  const char     *text;
  int             at, depth;
  cst_expr_error *error;
} reader;

static void *need(void *p) {
  if (!p) abort();
  return p;
}

static void set_error(cst_expr_error *e, int offset, const char *format, va_list a) {
  e->offset = offset;
  vsnprintf(e->message, sizeof e->message, format, a);
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
  while (r->text[r->at] == ' ' || r->text[r->at] == '\t') r->at++;
}

static void term_destroy(cst_term *t) {
  if (!t) return;
  for (int i = 0; i < t->n; i++) {
    term_destroy(t->arg[i]);
    free(t->key[i]);
  }
  free(t->arg);
  free(t->key);
  free(t->name);
  free(t);
}

static void push(cst_term *t, cst_term *arg, char *key) {
  t->arg = need(realloc(t->arg, sizeof *t->arg * (size_t)(t->n + 1)));
  t->key = need(realloc(t->key, sizeof *t->key * (size_t)(t->n + 1)));
  t->arg[t->n] = arg;
  t->key[t->n++] = key;
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

static char *word(reader *r) {
  int start = r->at;
  while (word_char(r->text[r->at])) r->at++;
  return need(strndup(r->text + start, (size_t)(r->at - start)));
}

static cst_term *read_number(reader *r, cst_term *t) {
  char *end;
  t->kind = CST_TERM_NUMBER;
  t->number = strtod(r->text + r->at, &end);
  int length = (int)(end - (r->text + r->at));
  for (int i = 0; i < length; i++)
    if (!strchr("0123456789+-.eE", r->text[r->at + i])) length = 0;
  if (length == 0 || !isfinite(t->number)) return fail(r, "expected a number");
  r->at += length;
  return t;
}

static cst_term *read_term(reader *r);

/* The entries behind '(' or '[' up to the closing character. */
static bool read_entries(reader *r, cst_term *t, char close, bool keys) {
  r->at++;
  skip(r);
  if (r->text[r->at] == close && keys) return fail(r, "'%s' needs an argument between its parentheses", t->name), false;
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
    if (!arg) return free(key), false;
    push(t, arg, key);
    skip(r);
    if (r->text[r->at] == close) return r->at++, true;
    if (r->text[r->at] != ',') return fail(r, "expected ',' or '%c'", close), false;
    r->at++;
    skip(r);
  }
}

static cst_term *read_body(reader *r, cst_term *t) {
  char c = r->text[r->at];
  if (isdigit((unsigned char)c) || c == '+' || c == '-' || c == '.') return read_number(r, t);
  if (c == '[') {
    t->kind = CST_TERM_LIST;
    return read_entries(r, t, ']', false) ? t : NULL;
  }
  if (!isalpha((unsigned char)c))
    return c ? fail(r, "expected the name of a method, not '%c'", c) : fail(r, "expected the name of a method");
  t->kind = CST_TERM_NAME;
  t->name = word(r);
  skip(r);
  if (r->text[r->at] != '(') return t;
  return read_entries(r, t, ')', true) ? t : NULL;
}

static cst_term *read_term(reader *r) {
  skip(r);
  if (r->depth >= MAX_DEPTH) return fail(r, "nested deeper than %d", MAX_DEPTH);
  cst_term *t = need(calloc(1, sizeof *t));
  t->offset = r->at;
  r->depth++;
  cst_term *done = read_body(r, t);
  r->depth--;
  if (!done) term_destroy(t);
  return done;
}

static const char *nearest_method(const char *name) {
  const char *names[64];
  int         n = 0;
  for (; n < cst_method_count() && n < 64; n++) names[n] = cst_method_info_at(n)->name;
  const char *near = cst_nearest(name, names, n);
  return near ? near : NULL;
}

bool cst_term_method(cst_term *t, cst_expr_error *e) {
  if (t->kind != CST_TERM_NAME) return cst_term_error(t, e, "expected a method");
  t->row = cst_method_row_find(t->name);
  if (!t->row) {
    const char *near = nearest_method(t->name);
    return cst_term_error(t, e, "unknown method '%s'; `constella list methods` names them all%s%s%s", t->name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  if (!t->row->check && t->n > 0) return cst_term_error(t, e, "'%s' takes no arguments", t->name);
  return !t->row->check || t->row->check(t, e);
}

/* ---- the label ------------------------------------------------------------------------------------------------------- */

static void print_number(FILE *f, double x) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  fputs(text, f);
}

static void print_term(FILE *f, const cst_term *t) {
  if (t->kind == CST_TERM_NUMBER) {
    print_number(f, t->number);
    return;
  }
  if (t->kind == CST_TERM_NAME) fputs(t->name, f);
  if (t->n == 0) return;
  fputc(t->kind == CST_TERM_LIST ? '[' : '(', f);
  for (int i = 0; i < t->n; i++) {
    if (i) fputs(", ", f);
    if (t->key[i]) fprintf(f, "%s=", t->key[i]);
    print_term(f, t->arg[i]);
  }
  fputc(t->kind == CST_TERM_LIST ? ']' : ')', f);
}

cst_method *cst_method_parse(const char *text, cst_expr_error *error) {
  reader      r = {text, 0, 0, error};
  cst_term   *root = read_term(&r);
  cst_method *m;
  size_t      length;
  if (!root) return NULL;
  skip(&r);
  if (text[r.at]) {
    fail(&r, "unexpected '%c' behind the method", text[r.at]);
    return term_destroy(root), NULL;
  }
  if (!cst_term_method(root, error)) return term_destroy(root), NULL;
  m = need(calloc(1, sizeof *m));
  m->root = root;
  FILE *f = need(open_memstream(&m->label, &length));
  print_term(f, root);
  fclose(f);
  return m;
}

void cst_method_destroy(cst_method *m) {
  if (!m) return;
  term_destroy(m->root);
  free(m->label);
  free(m);
}

const char     *cst_method_label(const cst_method *m) { return m->label; }
const cst_term *cst_method_root(const cst_method *m) { return m->root; }
bool            cst_method_fits(const cst_method *m, const cst_system *s, char *why, int n) { return cst_term_fits(m->root, s, why, n); }
cst_properties  cst_method_properties(const cst_method *m, const cst_system *s) { return cst_term_properties(m->root, s); }

bool cst_term_fits(const cst_term *t, const cst_system *s, char *why, int n) { return !t->row->fits || t->row->fits(t, s, why, n); }
cst_properties cst_term_properties(const cst_term *t, const cst_system *s) { return t->row->properties(t, s); }
void           cst_term_expand(const cst_term *t, cst_program *p, double fraction) { t->row->expand(t, p, fraction); }
