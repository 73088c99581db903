/* term-sweep.c: method expressions with swept arguments: penalty(rattle, omega={20, 40}) is a method for each
 * value.
 *
 * Braces that do not hold a tableau list the values of an argument. A text with such braces is expanded into
 * one text per combination, the last braces fastest, with the offset in the original of each character, so
 * that messages about an expansion have their place in the text of the user.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "method/method.h"

enum { MOST_BRACES = 8, MOST_VALUES = 10000 };

/* One pair of braces: its place in the text, and its values as pieces of the text. */
typedef struct {
  int   from, to; /* '{' and behind '}' */
  int   key;      /* where the key of its argument begins; -1: it has none */
  int   n, *at, *length;
  char *name; /* of the argument; NULL: it has none */
} braces;

struct cst_sweep {
  char  *text;
  int    n, count; /* braces; methods */
  braces brace[MOST_BRACES];
  int   *origin; /* of each character of the last expansion */
};

static int skip(const char *text, int i) { return i + (int)strspn(text + i, " \t"); }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

static int word(const char *text, int i) {
  while (is_word(text[i]))
    i++;
  return i;
}

__attribute__((format(printf, 3, 4))) static bool fail(cst_expr_error *e, int offset,
                                                       const char *format, ...) {
  va_list a;
  va_start(a, format);
  e->offset = offset;
  vsnprintf(e->message, sizeof e->message, format, a);
  va_end(a);
  return false;
}

/* Whether the brace at i lists values: tableaus and discretization maps have keys with colons. */
static bool lists_values(const char *text, int i) {
  const int start = skip(text, i + 1);
  const int end = skip(text, word(text, start));
  int       before = i - 1;
  if (text[end] == ':' && end > start)
    return false;
  while (before >= 0 && isspace((unsigned char)text[before]))
    before--;
  if (before >= 0 && text[before] == '=')
    return true;
  return before >= 0 && text[end] == ',' && end > start;
}

/* Where the key of the argument whose value begins at i starts; -1: it has none. *end: behind the key. */
static int key_before(const char *text, int i, int *end) {
  int at = i - 1;
  while (at >= 0 && isspace((unsigned char)text[at]))
    at--;
  if (at < 0 || text[at] != '=')
    return -1;
  at--;
  while (at >= 0 && isspace((unsigned char)text[at]))
    at--;
  *end = at + 1;
  while (at >= 0 && is_word(text[at]))
    at--;
  return at + 1;
}

static bool is_number(const char *text, int n) {
  char *end;
  char  copy[64];
  if (n <= 0 || n >= (int)sizeof copy)
    return false;
  snprintf(copy, sizeof copy, "%.*s", n, text);
  strtod(copy, &end);
  return !end[strspn(end, " \t")];
}

/* The name of the argument without a key of the method before the brace, where it is a number: s of gauss(s). Owned; NULL:
 * none. */
static char *positional(const char *text, const braces *b) {
  int open = b->from - 1;
  while (open >= 0 && isspace((unsigned char)text[open]))
    open--;
  if (open < 0 || text[open] != '(')
    return NULL;
  int start = open;
  while (start > 0 && is_word(text[start - 1]))
    start--;
  char                 *name = cst_need(strndup(text + start, (size_t)(open - start)));
  const cst_method_row *row = cst_method_row_find(name);
  const cst_key        *first = row ? row->arguments : NULL;
  free(name);
  return first && first->forms & CST_BY_PLACE && first->value.type == CST_VALUE_INTEGER
             ? cst_need(strdup(first->key))
             : NULL;
}

static void name_it(const char *text, braces *b) {
  int  end = 0;
  bool numbers = true;
  b->key = key_before(text, b->from, &end);
  for (int i = 0; i < b->n; i++)
    numbers &= is_number(text + b->at[i], b->length[i]);
  if (b->key >= 0)
    b->name = cst_need(strndup(text + b->key, (size_t)(end - b->key)));
  else if (numbers)
    b->name = positional(text, b);
}

static bool same(const char *text, const braces *b, int i, int k) {
  const bool number =
      is_number(text + b->at[i], b->length[i]) && is_number(text + b->at[k], b->length[k]);
  if (number)
    return strtod(text + b->at[i], NULL) == strtod(text + b->at[k], NULL);
  return b->length[i] == b->length[k] &&
         !strncmp(text + b->at[i], text + b->at[k], (size_t)b->length[i]);
}

/* Adds the value text[from, to), without the blanks around it. */
static bool add_value(const char *text, braces *b, int from, int to, cst_expr_error *e) {
  from = skip(text, from);
  while (to > from && isspace((unsigned char)text[to - 1]))
    to--;
  if (to <= from)
    return fail(e, from, "expected a value; the values of a swept argument are {1, 2, ...}");
  if (b->n == MOST_VALUES)
    return fail(e, from, "a swept argument has more than %d values", MOST_VALUES);
  b->at = cst_need(realloc(b->at, sizeof *b->at * (size_t)(b->n + 1)));
  b->length = cst_need(realloc(b->length, sizeof *b->length * (size_t)(b->n + 1)));
  b->at[b->n] = from;
  b->length[b->n++] = to - from;
  for (int i = 0; i + 1 < b->n; i++)
    if (same(text, b, i, b->n - 1))
      return fail(e, from, "the value %.*s appears twice", to - from, text + from);
  return true;
}

/* Reads the braces at b->from: values are separated by commas outside of brackets. */
static bool read_braces(const char *text, braces *b, cst_expr_error *e) {
  int depth = 0, from = b->from + 1;
  for (int i = from;; i++) {
    if (!text[i])
      return fail(e, i, "expected ',' or '}'");
    if (text[i] == '{' && lists_values(text, i))
      return fail(e, i,
                  "a swept argument within another one; give each its own braces side by side");
    depth += strchr("([{", text[i]) != NULL;
    const bool ends = text[i] == '}' && depth == 0;
    if (strchr(")]}", text[i]) && !ends)
      depth--;
    if (!ends && (text[i] != ',' || depth > 0))
      continue;
    if (!add_value(text, b, from, i, e))
      return false;
    from = i + 1;
    b->to = from;
    if (ends)
      return true;
  }
}

/* Whether the last braces have another name than those before. */
static bool is_new(const cst_sweep *s, cst_expr_error *e) {
  const braces *last = &s->brace[s->n - 1];
  for (int k = 0; k + 1 < s->n; k++)
    if (last->name && s->brace[k].name && !strcmp(last->name, s->brace[k].name))
      return fail(e, last->from, "'%s' is swept twice in one method; one of them must be a number",
                  last->name);
  return true;
}

static bool read_all(cst_sweep *s, cst_expr_error *e) {
  for (int i = 0; s->text[i]; i++) {
    if (s->text[i] != '{' || !lists_values(s->text, i))
      continue;
    if (s->n == MOST_BRACES)
      return fail(e, i, "more than %d arguments are swept", MOST_BRACES);
    braces *b = &s->brace[s->n++];
    b->from = i;
    if (!read_braces(s->text, b, e))
      return false;
    name_it(s->text, b);
    if (!is_new(s, e))
      return false;
    if ((long)s->count * b->n > MOST_VALUES)
      return fail(e, i, "the swept arguments make more than %d methods", MOST_VALUES);
    s->count *= b->n;
    i = b->to - 1;
  }
  return true;
}

/* Puts text[from, to) behind the n characters of out; returns their new number. */
static int put(cst_sweep *s, char *out, int n, int from, int to) {
  for (int i = from; i < to; i++) {
    s->origin[n] = i;
    out[n++] = s->text[i];
  }
  return n;
}

/* The number of the value of brace k in method i: the last braces vary fastest. */
static int digit(const cst_sweep *s, int i, int k) {
  for (int j = s->n - 1; j > k; j--)
    i /= s->brace[j].n;
  return i % s->brace[k].n;
}

char *cst_sweep_text(cst_sweep *s, int i) {
  const int length = (int)strlen(s->text);
  char     *out = cst_need(malloc((size_t)length + 1));
  int       n = 0, from = 0;
  for (int k = 0; k < s->n; k++) {
    const braces *b = &s->brace[k];
    const int     d = digit(s, i, k);
    n = put(s, out, n, from, b->from);
    n = put(s, out, n, b->at[d], b->at[d] + b->length[d]);
    from = b->to;
  }
  n = put(s, out, n, from, length);
  s->origin[n] = length;
  out[n] = 0;
  return out;
}

/* Appends c to a label of n characters: no blanks but one after each comma and colon. */
static int put_plain(char *out, int n, char c) {
  if (isspace((unsigned char)c))
    return n;
  out[n++] = c;
  if (c == ',' || c == ':')
    out[n++] = ' ';
  return n;
}

static int put_text(char *out, int n, const char *text, int length) {
  for (int i = 0; i < length; i++)
    n = put_plain(out, n, text[i]);
  return n;
}

/* Whether an argument of s has a name, under which its values are an axis. */
static bool has_axis(const cst_sweep *s) {
  for (int k = 0; k < s->n; k++)
    if (s->brace[k].name)
      return true;
  return false;
}

char *cst_sweep_family(const cst_sweep *s, int i) {
  if (!has_axis(s))
    return NULL;
  char *out = cst_need(calloc(2 * strlen(s->text) + 64 * MOST_BRACES, 1));
  int   n = 0, from = 0;
  for (int k = 0; k < s->n; k++) {
    const braces *b = &s->brace[k];
    const int     to = b->name && b->key >= 0 ? b->key : b->from;
    const int     d = digit(s, i, k);
    n = put_text(out, n, s->text + from, to - from);
    if (b->name)
      n = put_text(out, n, b->name, (int)strlen(b->name));
    else
      n = put_text(out, n, s->text + b->at[d], b->length[d]);
    from = b->to;
  }
  put_text(out, n, s->text + from, (int)strlen(s->text + from));
  return out;
}

cst_sweep *cst_sweep_create(const char *text, cst_expr_error *error) {
  CST_REQUIRE(text && error, NULL);
  cst_sweep *s = cst_need(calloc(1, sizeof *s));
  s->text = cst_need(strdup(text));
  s->origin = cst_zeros((long)strlen(text) + 2, sizeof *s->origin);
  s->count = 1;
  if (read_all(s, error))
    return s;
  cst_sweep_destroy(s);
  return NULL;
}

void cst_sweep_destroy(cst_sweep *s) {
  if (!s)
    return;
  for (int k = 0; k < s->n; k++) {
    free(s->brace[k].at);
    free(s->brace[k].length);
    free(s->brace[k].name);
  }
  free(s->text);
  free(s->origin);
  free(s);
}

int cst_sweep_count(const cst_sweep *s) { return s->count; }
int cst_sweep_origin(const cst_sweep *s, int offset) { return s->origin[offset]; }

int         cst_sweep_arguments(const cst_sweep *s) { return s->n; }
const char *cst_sweep_name(const cst_sweep *s, int k) { return s->brace[k].name; }

char *cst_sweep_value(const cst_sweep *s, int i, int k) {
  const braces *b = &s->brace[k];
  const int     d = digit(s, i, k);
  return cst_need(strndup(s->text + b->at[d], (size_t)b->length[d]));
}
