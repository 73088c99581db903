/* parse.c: makes nodes of arithmetic expressions by recursive descent; locates and explains the first
 * error.
 *
 *   expression = product { (+|-) product }
 *   product    = unary { (*|/) unary }
 *   unary      = - unary | power
 *   power      = atom [ ^ unary ]
 *   atom       = number | name | name [ expression ] | function ( expression {, expression} )
 *                | ( expression )
 *              | sum ( name , expression , expression , expression ) | sum ( table , expression )
 *
 * A function is one of the graph's or a definition (define.h). A name may end in apostrophes: x' is looked up as it
 * is written.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "expr/parse.h"

static const char *const operand_wanted = "expected a number, a name or '('";

static cst_node unary(cst_parser *p);

/* Returns n, or an error where the graph is full or the value is not finite; `at` is the place of the
 * operation. */
cst_node cst_parse_checked(cst_parser *p, cst_node n, size_t at) {
  double value;
  if (p->failed)
    return -1;
  if (n < 0 && cst_graph_spent(p->g))
    return cst_parse_fail(
        p, at,
        "with its arrays and sums written out, the description is more work than is allowed");
  if (n < 0)
    return cst_parse_fail(p, at,
                          "too many operations: all expressions of a system together may have %d",
                          cst_graph_most(p->g));
  if (cst_graph_is_constant(p->g, n, &value) && !isfinite(value)) {
    cst_parse_fail(p, at, "the value of this operation is not a finite number (%s)",
                   isnan(value) ? "nan" : "inf");
    cst_parse_blame_row(p, at);
    return -1;
  }
  return n;
}

cst_node cst_parse_operation(cst_parser *p, cst_op op, cst_node a, cst_node b, size_t at) {
  if (p->failed)
    return -1;
  if (p->idle)
    return a;
  if (op == CST_OP_DIV && cst_graph_is_zero(p->g, b)) {
    cst_parse_fail(p, at, "division by zero");
    cst_parse_blame_row(p, at);
    return -1;
  }
  return cst_parse_checked(p, cst_graph_operation(p->g, op, a, b), at);
}

bool cst_parse_enter(cst_parser *p, size_t at) {
  if (p->depth++ < CST_EXPR_DEPTH)
    return true;
  cst_parse_fail(p, at, "nested deeper than %d", CST_EXPR_DEPTH);
  return false;
}

cst_node cst_parse_closing(cst_parser *p, char bracket, cst_node n) {
  char s[32];
  if (p->failed || cst_parse_accept(p, bracket))
    return n;
  if (!p->text[p->at])
    return cst_parse_fail(p, p->at, "missing '%c'", bracket);
  return cst_parse_fail(p, p->at, "expected an operator or '%c'%s", bracket, cst_parse_found(p, s));
}

static cst_node wrong_count(cst_parser *p, const cst_function *f) {
  return cst_parse_fail(p, p->at, "%s takes %d argument%s", f->name, f->arguments,
                        f->arguments > 1 ? "s" : "");
}

cst_node cst_parse_call(cst_parser *p, const cst_function *f, size_t at) {
  cst_node argument[2] = {-1, -1};
  for (int i = 0; i < f->arguments; i++) {
    const bool there = i ? cst_parse_accept(p, ',') : cst_parse_peek(p) != ')';
    if (!there && !p->failed && cst_parse_peek(p) == ')')
      return wrong_count(p, f);
    if (!there)
      return cst_parse_closing(p, ')', -1);
    argument[i] = cst_parse_expression(p);
  }
  if (!p->failed && cst_parse_peek(p) == ',')
    return wrong_count(p, f);
  if (cst_parse_closing(p, ')', 0) < 0 || p->failed)
    return -1;
  if (!f->make)
    return cst_parse_operation(p, f->op, argument[0], argument[1], at);
  return p->idle ? argument[0]
                 : cst_parse_checked(p, cst_function_call(p->g, f, argument[0], argument[1]), at);
}

static cst_node atom(cst_parser *p) {
  char         s[32];
  const char   c = cst_parse_peek(p);
  const size_t at = p->at;
  if (cst_parse_digit(c) || c == '.')
    return cst_parse_number(p);
  if (cst_parse_letter(c))
    return cst_parse_name(p);
  if (c != '(')
    return cst_parse_fail(p, at, "%s%s", operand_wanted, cst_parse_found(p, s));
  p->at++;
  if (!cst_parse_enter(p, at))
    return -1;
  const cst_node n = cst_parse_closing(p, ')', cst_parse_expression(p));
  p->depth--;
  return n;
}

static cst_node power(cst_parser *p) {
  const cst_node base = atom(p);
  if (!cst_parse_accept(p, '^'))
    return base;
  const size_t at = p->at - 1;
  if (!cst_parse_enter(p, at))
    return -1;
  const cst_node exponent = unary(p);
  p->depth--;
  return cst_parse_operation(p, CST_OP_POW, base, exponent, at);
}

static cst_node unary(cst_parser *p) {
  if (!cst_parse_accept(p, '-'))
    return power(p);
  const size_t at = p->at - 1;
  if (!cst_parse_enter(p, at))
    return -1;
  const cst_node n = unary(p);
  p->depth--;
  return cst_parse_operation(p, CST_OP_NEG, n, -1, at);
}

static cst_node product(cst_parser *p) {
  cst_node n = unary(p);
  while (!p->failed) {
    const char   c = cst_parse_peek(p);
    const size_t at = p->at;
    if (c != '*' && c != '/')
      break;
    if (c == '*' && p->text[at + 1] == '*')
      return cst_parse_fail(p, at + 1, "%s; powers are written with ^", operand_wanted);
    p->at++;
    const cst_node m = unary(p);
    n = cst_parse_operation(p, c == '*' ? CST_OP_MUL : CST_OP_DIV, n, m, at);
  }
  return n;
}

cst_node cst_parse_expression(cst_parser *p) {
  cst_node n = product(p);
  while (!p->failed) {
    const char   c = cst_parse_peek(p);
    const size_t at = p->at;
    if (c != '+' && c != '-')
      break;
    p->at++;
    const cst_node m = product(p);
    n = cst_parse_operation(p, c == '+' ? CST_OP_ADD : CST_OP_SUB, n, m, at);
  }
  return n;
}

cst_node cst_parse_complete(cst_parser *p) {
  char s[32];
  if (!cst_parse_peek(p))
    return cst_parse_fail(p, p->at, "empty expression; %s", operand_wanted);
  const cst_node r = cst_parse_expression(p);
  if (p->failed)
    return -1;
  if (cst_parse_peek(p) == ')')
    return cst_parse_fail(p, p->at, "')' without '('");
  if (cst_parse_peek(p) == '=')
    return cst_parse_fail(p, p->at,
                          "expected an operator or the end; found '='; write the expression that "
                          "is zero, as x^2 - 1");
  if (cst_parse_peek(p) == '\'' && p->at > 0 && p->text[p->at - 1] == ']')
    return cst_parse_fail(
        p, p->at, "expected an operator or the end; found '''; the velocity of y[3] is y'[3]");
  if (cst_parse_peek(p))
    return cst_parse_fail(p, p->at, "expected an operator or the end%s", cst_parse_found(p, s));
  return r;
}

cst_node cst_expr_parse_pairs(cst_graph *g, const char *text, const cst_binding *names, int n,
                              cst_expr_error *error, cst_pair_sums *pairs) {
  cst_expr_error unread;
  cst_parser     p = {.g = g,
                      .text = text,
                      .names = names,
                      .n = n,
                      .error = error ? error : &unread,
                      .pairs = pairs,
                      .defined = cst_parse_defined_create(g),
                      .within = -1};
  const cst_node r = cst_parse_complete(&p);
  free(p.defined);
  g->effort += p.read + 16 * p.terms;
  return r;
}

cst_node cst_expr_parse(cst_graph *g, const char *text, const cst_binding *names, int n,
                        cst_expr_error *error) {
  return cst_expr_parse_pairs(g, text, names, n, error, NULL);
}

double cst_parse_effort(const cst_graph *g) { return g->effort; }
