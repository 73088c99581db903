/* parse.c: arithmetic expressions to nodes by recursive descent; the first mistake is located and explained.
 *
 *   sum     = product { (+|-) product }
 *   product = unary { (*|/) unary }
 *   unary   = - unary | power
 *   power   = atom [ ^ unary ]
 *   atom    = number | name | function ( sum {, sum} ) | ( sum )
 *
 * A name may end in apostrophes: x' is looked up as it stands.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* strtod_l */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "constella/diag.h"
#include "expr/expr-internal.h"

enum { SHOWN = 40, LIST = 110, NAME = 64 }; /* characters of a word, of a list of names, of a name worth a guess */
static const char *const operand_wanted = "expected a number, a name or '('";

typedef struct {
  cst_graph         *g;
  const char        *text;
  size_t             at; /* the next character */
  int                depth;
  bool               failed;
  const cst_binding *names;
  int                n;
  cst_expr_error    *error;
} parser;

static cst_node sum(parser *p);
static cst_node unary(parser *p);

__attribute__((format(printf, 3, 4))) static cst_node fail(parser *p, size_t at, const char *format, ...) {
  if (p->failed) return -1;
  p->failed = true;
  p->error->offset = at > INT_MAX ? INT_MAX : (int)at;
  va_list a;
  va_start(a, format);
  vsnprintf(p->error->message, sizeof p->error->message, format, a);
  va_end(a);
  return -1;
}

/* isalpha and isdigit without a locale. */
static bool digit(char c) { return c >= '0' && c <= '9'; }

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static char peek(parser *p) {
  while (p->text[p->at] && strchr(" \t\r\n", p->text[p->at])) p->at++;
  return p->text[p->at];
}

static bool accept(parser *p, char c) {
  if (p->failed || peek(p) != c) return false;
  p->at++;
  return true;
}

/* "; found ..." for the character at p->at, into s. */
static const char *found(const parser *p, char s[32]) {
  const unsigned char c = (unsigned char)p->text[p->at];
  if (!c) return "";
  snprintf(s, 32, c > 32 && c < 127 ? "; found '%c'" : "; found character 0x%02x", c);
  return s;
}

/* The node, unless the graph is full or the value is not finite; `at` is the place of the operation. */
static cst_node checked(parser *p, cst_node n, size_t at) {
  double value;
  if (p->failed) return -1;
  if (n < 0) return fail(p, at, "too many operations: all expressions of a system together may have %d", CST_EXPR_NODES);
  if (cst_graph_is_constant(p->g, n, &value) && !isfinite(value))
    return fail(p, at, "the value of this operation is not a finite number (%s)", isnan(value) ? "nan" : "inf");
  return n;
}

static cst_node operation(parser *p, cst_op op, cst_node a, cst_node b, size_t at) {
  if (p->failed) return -1;
  if (op == CST_OP_DIV && cst_graph_is_zero(p->g, b)) return fail(p, at, "division by zero");
  return checked(p, cst_graph_operation(p->g, op, a, b), at);
}

static bool enter(parser *p, size_t at) {
  if (p->depth++ < CST_EXPR_DEPTH) return true;
  fail(p, at, "nested deeper than %d", CST_EXPR_DEPTH);
  return false;
}

static size_t digits(const char *s) {
  size_t n = 0;
  while (digit(s[n])) n++;
  return n;
}

/* The length of the number at s; 0 when it is malformed, *bad then is where. */
static size_t number_length(const char *s, size_t *bad) {
  size_t       n = digits(s);
  const bool   whole = n > 0;
  const size_t point = s[n] == '.' ? 1 + digits(s + n + 1) : 0;
  n += point;
  *bad = n;
  if (!whole && point < 2) return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-', exponent = digits(s + n + 1 + sign);
    if (exponent) n += 1 + sign + exponent;
  }
  *bad = n;
  return letter(s[n]) || s[n] == '.' ? 0 : n;
}

static cst_node number(parser *p) {
  const size_t   start = p->at;
  const char    *s = p->text + start;
  size_t         bad;
  const size_t   n = number_length(s, &bad);
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const double   value = n ? strtod_l(s, NULL, plain) : 0;
  freelocale(plain);
  if (!n) return fail(p, start + bad, "malformed number; expected digits with at most one '.' and an exponent such as e-3");
  if (!isfinite(value)) return fail(p, start, "the number is too large; at most 1.7976931348623157e308");
  if (value == 0 && strcspn(s, "123456789") < strcspn(s, "eE") && strcspn(s, "123456789") < n)
    return fail(p, start, "the number is too small; at least 4.9406564584124654e-324, or 0");
  p->at += n;
  return checked(p, cst_graph_constant(p->g, value), start);
}

/* "a, b, c, ..." of what may stand here, at most LIST characters of it. */
static void list_allowed(const char *const *allowed, int n, char list[LIST + 8]) {
  size_t used = 0;
  list[0] = '\0';
  for (int i = 0; i < n; i++) {
    const size_t more = strlen(allowed[i]) + (i ? 2 : 0);
    if (used + more > LIST) {
      strcpy(list + used, used ? ", ..." : "...");
      return;
    }
    used += (size_t)snprintf(list + used, LIST + 1 - used, "%s%s", i ? ", " : "", allowed[i]);
  }
}

/* The message for word[0..n), which is not among the allowed. */
static cst_node unknown(parser *p, size_t at, size_t n, const char *what, const char *const *allowed, int count) {
  char         list[LIST + 8], word[NAME];
  const size_t kept = n < NAME - 1 ? n : NAME - 1;
  memcpy(word, p->text + at, kept);
  word[kept] = '\0';
  const char *near = n <= SHOWN ? cst_nearest(word, allowed, count) : NULL;
  if (near && strlen(near) > SHOWN) near = NULL;
  list_allowed(allowed, count, list);
  return fail(p, at, "%s '%.*s%s'; allowed: %s%s%s%s", what, SHOWN, word, n > SHOWN ? "..." : "", list, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "");
}

static cst_node unknown_name(parser *p, size_t at, size_t n) {
  const char **allowed = cst_expr_memory(NULL, (size_t)p->n + 1 + CST_FUNCTIONS, sizeof *allowed);
  int          count = 0;
  for (int i = 0; i < p->n; i++) allowed[count++] = p->names[i].name;
  allowed[count++] = "pi";
  for (int i = 0; i < CST_FUNCTIONS; i++) allowed[count++] = cst_functions[i].name;
  unknown(p, at, n, "unknown name", allowed, count);
  free(allowed);
  return -1;
}

static cst_node unknown_function(parser *p, size_t at, size_t n) {
  const char *allowed[CST_FUNCTIONS];
  for (int i = 0; i < CST_FUNCTIONS; i++) allowed[i] = cst_functions[i].name;
  return unknown(p, at, n, "unknown function", allowed, CST_FUNCTIONS);
}

static cst_node closing(parser *p, cst_node n) {
  char s[32];
  if (p->failed || accept(p, ')')) return n;
  if (!p->text[p->at]) return fail(p, p->at, "missing ')'");
  return fail(p, p->at, "expected an operator or ')'%s", found(p, s));
}

/* The arguments of f, whose name starts at `at`; p->at is behind its '('. */
static cst_node call(parser *p, const cst_function *f, size_t at) {
  cst_node argument[2] = {-1, -1};
  for (int i = 0; i < f->arguments; i++) {
    const bool there = i ? accept(p, ',') : peek(p) != ')';
    if (!there && !p->failed && peek(p) == ')')
      return fail(p, p->at, "%s takes %d argument%s", f->name, f->arguments, f->arguments > 1 ? "s" : "");
    if (!there) return closing(p, -1);
    argument[i] = sum(p);
  }
  if (!p->failed && peek(p) == ',') return fail(p, p->at, "%s takes %d argument%s", f->name, f->arguments, f->arguments > 1 ? "s" : "");
  if (closing(p, 0) < 0 || p->failed) return -1;
  return operation(p, f->op, argument[0], argument[1], at);
}

static size_t name_length(const char *s) {
  size_t n = 0;
  while (letter(s[n]) || digit(s[n])) n++;
  while (s[n] == '\'') n++;
  return n;
}

static cst_node name(parser *p) {
  const size_t        at = p->at, n = name_length(p->text + at);
  const char         *s = p->text + at;
  const cst_function *f = cst_function_find(s, n);
  p->at += n;
  if (peek(p) == '(') {
    if (!f) return unknown_function(p, at, n);
    if (!enter(p, p->at++)) return -1;
    const cst_node r = call(p, f, at);
    p->depth--;
    return r;
  }
  if (n == 2 && !memcmp(s, "pi", 2)) return checked(p, cst_graph_constant(p->g, M_PI), at);
  for (int i = 0; i < p->n; i++)
    if (strlen(p->names[i].name) == n && !memcmp(p->names[i].name, s, n)) return checked(p, p->names[i].node, at);
  if (f) return fail(p, p->at, "expected '(' after %s", f->name);
  return unknown_name(p, at, n);
}

static cst_node atom(parser *p) {
  char         s[32];
  const char   c = peek(p);
  const size_t at = p->at;
  if (digit(c) || c == '.') return number(p);
  if (letter(c)) return name(p);
  if (c != '(') return fail(p, at, "%s%s", operand_wanted, found(p, s));
  p->at++;
  if (!enter(p, at)) return -1;
  const cst_node n = closing(p, sum(p));
  p->depth--;
  return n;
}

static cst_node power(parser *p) {
  const cst_node base = atom(p);
  if (!accept(p, '^')) return base;
  const size_t at = p->at - 1;
  if (!enter(p, at)) return -1;
  const cst_node exponent = unary(p);
  p->depth--;
  return operation(p, CST_OP_POW, base, exponent, at);
}

static cst_node unary(parser *p) {
  if (!accept(p, '-')) return power(p);
  const size_t at = p->at - 1;
  if (!enter(p, at)) return -1;
  const cst_node n = unary(p);
  p->depth--;
  return operation(p, CST_OP_NEG, n, -1, at);
}

static cst_node product(parser *p) {
  cst_node n = unary(p);
  while (!p->failed) {
    const char   c = peek(p);
    const size_t at = p->at;
    if (c != '*' && c != '/') break;
    if (c == '*' && p->text[at + 1] == '*') return fail(p, at + 1, "%s; powers are written with ^", operand_wanted);
    p->at++;
    const cst_node m = unary(p);
    n = operation(p, c == '*' ? CST_OP_MUL : CST_OP_DIV, n, m, at);
  }
  return n;
}

static cst_node sum(parser *p) {
  cst_node n = product(p);
  while (!p->failed) {
    const char   c = peek(p);
    const size_t at = p->at;
    if (c != '+' && c != '-') break;
    p->at++;
    const cst_node m = product(p);
    n = operation(p, c == '+' ? CST_OP_ADD : CST_OP_SUB, n, m, at);
  }
  return n;
}

cst_node cst_expr_parse(cst_graph *g, const char *text, const cst_binding *names, int n, cst_expr_error *error) {
  char           s[32];
  cst_expr_error unread = {0, ""};
  parser         p = {.g = g, .text = text, .names = names, .n = n, .error = error ? error : &unread};
  if (!peek(&p)) return fail(&p, p.at, "empty expression; %s", operand_wanted);
  const cst_node r = sum(&p);
  if (p.failed) return -1;
  if (peek(&p) == ')') return fail(&p, p.at, "')' without '('");
  if (peek(&p)) return fail(&p, p.at, "expected an operator or the end%s", found(&p, s));
  return r;
}
