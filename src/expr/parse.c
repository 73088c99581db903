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
#define _GNU_SOURCE /* strtod_l */
#include "expr/parse.h"
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "core/diag.h"

static cst_node call(cst_parser *p, const cst_function *f, size_t at);

/* ---- advice ---------------------------------------------------------------------------------- */

static const char
    clock[] = "the time cannot stand here; it can in potential, constraints, forces and exact "
              "motions",
    jump[] = "step(x) is 0, 1/2, 1 where x is below, at, above 0; min, max, abs, ramp(x, w) and "
             "smoothstep(x) are continuous";

static const struct {
  const char *word, *instead;
} words[] = {
    {"atan", "write atan2(x, 1)"},
    {"ln", "write log(x)"},
    {"log10", "write log(x)/log(10)"},
    {"pow", "write x^y"},
    {"cbrt", "write x^(1/3)"},
    {"floor", jump},
    {"heaviside", jump},
    {"if", jump},
};

/* Advice on a function or name that expressions do not have; NULL: none. */
static const char *advice_on(const char *word, bool function) {
  if (!function)
    return strcmp(word, "t") ? NULL : clock;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i].word, word))
      return words[i].instead;
  return NULL;
}

/* ---- characters, words and numbers ----------------------------------------------------------- */

cst_node cst_parse_fail(cst_parser *p, size_t at, const char *format, ...) {
  if (p->failed)
    return -1;
  p->failed = true;
  if (at > INT_MAX)
    p->error->offset = INT_MAX;
  else
    p->error->offset = (int)at;
  p->error->table = NULL;
  va_list a;
  va_start(a, format);
  vsnprintf(p->error->message, sizeof p->error->message, format, a);
  va_end(a);
  return -1;
}

/* isalpha and isdigit without a locale. */
bool cst_parse_digit(char c) { return c >= '0' && c <= '9'; }

/* or _ */
static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

char cst_parse_peek(cst_parser *p) {
  const char *text = p->text;
  while (blank(text[p->at]))
    p->at++;
  return text[p->at];
}

bool cst_parse_accept(cst_parser *p, char c) {
  if (p->failed || cst_parse_peek(p) != c)
    return false;
  p->at++;
  return true;
}

const char *cst_parse_found(const cst_parser *p, char s[32]) {
  const unsigned char c = (unsigned char)p->text[p->at];
  if (!c)
    return "";
  snprintf(s, 32, c > 32 && c < 127 ? "; found '%c'" : "; found character 0x%02x", c);
  return s;
}

const char *cst_parse_value(double value, char s[32]) {
  snprintf(s, 32, "%.15g", value);
  if (strtod(s, NULL) != value)
    snprintf(s, 32, "%.17g", value);
  return s;
}

size_t cst_parse_word(const char *s) {
  size_t n = 0;
  while (letter(s[n]) || cst_parse_digit(s[n]))
    n++;
  while (s[n] == '\'')
    n++;
  return n;
}

static size_t digits(const char *s) {
  size_t n = 0;
  while (cst_parse_digit(s[n]))
    n++;
  return n;
}

/* The length of the number at s; 0 when it is malformed, at *bad. */
static size_t number_length(const char *s, size_t *bad) {
  size_t       n = digits(s);
  const bool   whole = n > 0;
  const size_t point = s[n] == '.' ? 1 + digits(s + n + 1) : 0;
  n += point;
  *bad = n;
  if (!whole && point < 2)
    return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    const size_t exponent = digits(s + n + 1 + sign);
    if (exponent)
      n += 1 + sign + exponent;
  }
  *bad = n;
  if (letter(s[n]) || s[n] == '.')
    return 0;
  return n;
}

static cst_node number(cst_parser *p) {
  const size_t   start = p->at;
  const char    *s = p->text + start;
  size_t         bad;
  const size_t   n = number_length(s, &bad);
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const double   value = n ? strtod_l(s, NULL, plain) : 0;
  freelocale(plain);
  if (!n)
    return cst_parse_fail(
        p, start + bad,
        "malformed number; expected digits with at most one '.' and an exponent such as e-3");
  if (!isfinite(value))
    return cst_parse_fail(p, start, "the number is too large; at most 1.7976931348623157e308");
  if (value == 0 && cst_parse_digit(s[strspn(s, "0.")]))
    return cst_parse_fail(p, start,
                          "the number is too small; at least 4.9406564584124654e-324, or 0");
  p->at += n;
  return cst_parse_checked(p, cst_graph_constant(p->g, value), start);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The meaning of a word: a function, pi, the variable of a sum, a bound name, the entry of an array; and the
 * messages about unknown words. */
enum {
  SHOWN = CST_PARSE_SHOWN,
  LIST = 110,
  NAME = 64
}; /* characters of a word, of a list of names, of a name that is guessed */

/* "a, b, c, ..." of the names that are allowed, at most LIST characters. */
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

/* The message for word[0..n), which is not allowed. */
static cst_node unknown(cst_parser *p, size_t at, size_t n, const char *what,
                        const char *const *allowed, int count) {
  char         list[LIST + 8], word[NAME];
  const size_t kept = n < NAME - 1 ? n : NAME - 1;
  memcpy(word, p->text + at, kept);
  word[kept] = '\0';
  const char *instead = NULL;
  if (kept == n)
    instead = advice_on(word, p->text[p->at] == '(');
  if (instead)
    return cst_parse_fail(p, at, "%s '%s'; %s", what, word, instead);
  const char *near = n <= SHOWN ? cst_diag_nearest(word, allowed, count) : NULL;
  list_allowed(allowed, count, list);
  return cst_parse_fail(p, at, "%s '%.*s%s'; allowed: %s%s", what, SHOWN, word,
                        n > SHOWN ? "..." : "", list,
                        near && strlen(near) <= SHOWN ? cst_diag_guess(word, allowed, count) : "");
}

/* Puts the functions with reserved names, and sum, into allowed; returns their number. */
static int list_reserved(const char **allowed) {
  int count = 0;
  for (; cst_functions[count].reserved; count++)
    allowed[count] = cst_functions[count].name;
  allowed[count++] = "sum";
  return count;
}

static cst_node unknown_name(cst_parser *p, size_t at, size_t n) {
  if (p->used) {
    p->foreign = !p->failed;
    return cst_parse_fail(p, at, "%.*s", n < SHOWN ? (int)n : SHOWN, p->text + at);
  }
  const int most = p->n + p->g->definitions + p->g->tables + CST_DEFINE_ARGUMENTS +
                   CST_EXPR_DEPTH * CST_EDGE_COLUMNS;
  const char **allowed =
      cst_expr_memory(NULL, (size_t)(most + 2 + cst_function_count), sizeof *allowed);
  int count = 0;
  for (const cst_parse_loop *l = p->loop; l; l = l->outer)
    allowed[count++] = l->name;
  for (int i = 0; i < p->n; i++)
    allowed[count++] = p->names[i].name;
  for (int i = 0; i < p->g->definitions; i++)
    allowed[count++] = p->g->definition[i].name;
  for (int i = 0; i < p->g->tables; i++)
    allowed[count++] = p->g->table_at[i].name;
  allowed[count++] = "pi";
  count += list_reserved(allowed + count);
  unknown(p, at, n, "unknown name", allowed, count);
  free(allowed);
  return -1;
}

static cst_node unknown_function(cst_parser *p, size_t at, size_t n) {
  const int    most = cst_function_count + 1 + p->g->definitions;
  const char **allowed = cst_expr_memory(NULL, (size_t)most, sizeof *allowed);
  int          count = list_reserved(allowed);
  for (; count <= cst_function_count; count++)
    allowed[count] = cst_functions[count - 1].name;
  for (int i = 0; i < p->g->definitions; i++)
    if (p->g->definition[i].n)
      allowed[count++] = p->g->definition[i].name;
  unknown(p, at, n, "unknown function", allowed, count);
  free(allowed);
  return -1;
}

static bool same(const cst_parser *p, size_t at, size_t n, const char *word) {
  if (strncmp(p->text + at, word, n))
    return false;
  return !word[n];
}

static const cst_parse_loop *find_loop(const cst_parser *p, size_t at, size_t n) {
  const cst_parse_loop *l = p->loop;
  while (l && !same(p, at, n, l->name))
    l = l->outer;
  return l;
}

/* NULL when the word is not bound. */
static const cst_binding *find_binding(cst_parser *p, size_t at, size_t n) {
  const size_t slot = at % (sizeof p->seen / sizeof *p->seen);
  if (p->seen[slot].end == at + n)
    return p->seen[slot].binding;
  const cst_binding *b = p->names;
  const cst_binding *end = b + p->n;
  while (b < end && !same(p, at, n, b->name))
    b++;
  p->seen[slot].end = at + n;
  return p->seen[slot].binding = b < end ? b : NULL;
}

static const cst_definition *find_definition(const cst_parser *p, size_t at, size_t n) {
  for (int k = 0; k < p->g->definitions; k++)
    if (same(p, at, n, p->g->definition[k].name))
      return &p->g->definition[k];
  return NULL;
}

/* Whether the word is the velocity of something that has the name of an argument. */
static bool primes_argument(const cst_parser *p, size_t at, size_t n) {
  if (!p->arguments || p->text[at + n - 1] != '\'')
    return false;
  while (p->text[at + n - 1] == '\'')
    n--;
  const cst_parse_loop *l = p->arguments;
  while (l && !same(p, at, n, l->name))
    l = l->outer;
  return l;
}

/* Whether the word is a function that goes before everything else. */
static bool is_reserved(const cst_parser *p, size_t at, size_t n) {
  const cst_function *f = cst_function_find(p->text + at, n);
  return same(p, at, n, "sum") || (f && f->reserved);
}

bool cst_parse_taken(cst_parser *p, size_t at, size_t n) {
  return same(p, at, n, "pi") || is_reserved(p, at, n) || cst_parse_table(p, at, n) ||
         find_loop(p, at, n) || find_binding(p, at, n) || find_definition(p, at, n);
}

cst_node cst_parse_foreign(cst_parser *p, size_t at, const cst_definition *d, const char *name) {
  char         list[LIST + 8];
  const char **allowed = cst_expr_memory(NULL, (size_t)p->n + 1, sizeof *allowed);
  for (int i = 0; i < p->n; i++)
    allowed[i] = p->names[i].name;
  list_allowed(allowed, p->n, list);
  free(allowed);
  return cst_parse_fail(p, at, "'%s' cannot stand here, it depends on %s; allowed: %s", d->name,
                        name, p->n ? list : "numbers");
}

/* Reports that n, at `at`, is not constant, with the first name that it depends on. */
static void not_constant(cst_parser *p, cst_node n, size_t at, const char *what) {
  cst_graph     *g = p->g;
  const cst_walk w = cst_graph_walk(g, &n, 1);
  for (int i = 0; i < p->n && !p->failed; i++) {
    const cst_binding *b = &p->names[i];
    for (int k = 0; k < (b->entry ? b->count : 1); k++) {
      const cst_node m = b->entry ? b->entry[k] : b->node;
      if (cst_walk_place(&w, g, m) < 0)
        continue;
      if (cst_graph_is_constant(g, m, NULL))
        continue;
      if (b->entry)
        cst_parse_fail(p, at, "%s must be an integer constant; it depends on '%.*s[%d]'", what,
                       SHOWN, b->name, b->shift + k + 1);
      else
        cst_parse_fail(p, at, "%s must be an integer constant; it depends on '%.*s'", what, SHOWN,
                       b->name);
    }
  }
  cst_parse_fail(p, at, "%s must be an integer constant; it is not constant", what);
  free(w.node);
}

bool cst_parse_integer(cst_parser *p, cst_node n, size_t at, const char *what, double *value) {
  char s[32];
  *value = 0;
  if (p->failed || p->idle)
    return !p->failed;
  if (!cst_graph_is_constant(p->g, n, value))
    not_constant(p, n, at, what);
  else if (*value != floor(*value))
    cst_parse_fail(p, at, "%s must be an integer constant; it is %s", what,
                   cst_parse_value(*value, s));
  *value += 0.0; /* -0 becomes 0 in messages */
  return !p->failed;
}

/* The entry of array b whose name is at `at`; p->at is at its '['. */
static cst_node entry(cst_parser *p, const cst_binding *b, size_t at) {
  char   what[SHOWN + 32], s[32];
  double i;
  if (!cst_parse_enter(p, p->at++))
    return -1;
  cst_parse_peek(p);
  const size_t   index = p->at;
  const cst_node n = cst_parse_closing(p, ']', cst_parse_expression(p));
  p->depth--;
  if (p->idle)
    return n;
  if (p->failed)
    return -1;
  const cst_node paired = p->pair ? cst_parse_paired(p, b, n) : -1;
  if (paired >= 0)
    return paired;
  if (!cst_graph_is_constant(p->g, n, &i) || i != floor(i)) {
    snprintf(what, sizeof what, "the index of '%.*s'", SHOWN, b->name);
    cst_parse_integer(p, n, index, what, &i);
    if (cst_graph_is_constant(p->g, n, NULL))
      cst_parse_blame_row(p, index);
    return -1;
  }
  if (i <= b->shift || i > b->shift + b->count) {
    cst_parse_fail(p, index, "index %s of '%.*s' is outside %d .. %d", cst_parse_value(i + 0.0, s),
                   SHOWN, b->name, b->shift + 1, b->shift + b->count);
    cst_parse_blame_row(p, index);
    return -1;
  }
  return cst_parse_checked(p, b->entry[(int)i - b->shift - 1], at);
}

/* floor(x), the largest integer that is not above x; p->at is at its '('. x is made of numbers, sizes and
 * variables. */
static cst_node whole_part(cst_parser *p, size_t at) {
  double x;
  if (!cst_parse_enter(p, p->at++))
    return -1;
  const cst_node n = cst_parse_closing(p, ')', cst_parse_expression(p));
  p->depth--;
  if (p->idle || p->failed)
    return p->failed ? -1 : n;
  if (!cst_graph_is_constant(p->g, n, &x))
    return cst_parse_fail(
        p, at, "floor takes numbers, sizes and variables of families and sums, for indices; %s",
        advice_on("floor", true));
  return cst_graph_constant(p->g, floor(x));
}

/* The word at `at`, of n characters, which '(' follows. */
static cst_node applied(cst_parser *p, size_t at, size_t n) {
  const bool         reserved = is_reserved(p, at, n);
  const bool         series = same(p, at, n, "sum");
  const cst_binding *b = reserved ? NULL : find_binding(p, at, n);
  if (b && b->entry)
    return cst_parse_fail(
        p, p->at, "'%.*s' is an array; its entries are written with [ ], %.*s[%d] for the first",
        SHOWN, b->name, SHOWN, b->name, b->shift + 1);
  const cst_definition *d = reserved || b ? NULL : find_definition(p, at, n);
  if (d && !find_loop(p, at, n))
    return cst_parse_definition(p, d, at);
  if (!reserved && cst_parse_is_column(p, at, n))
    return cst_parse_cell(p, at, n);
  const cst_function *f = cst_function_find(p->text + at, n);
  if (!f && !series && same(p, at, n, "floor"))
    return whole_part(p, at);
  if (!f && !series)
    return unknown_function(p, at, n);
  if (!cst_parse_enter(p, p->at++))
    return -1;
  const cst_node r = series ? cst_parse_series(p, at) : call(p, f, at);
  p->depth--;
  return r;
}

static cst_node value_of(cst_parser *p, const cst_parse_loop *loop) {
  return loop->cell ? cst_graph_constant(p->g, *loop->cell) : loop->node;
}

static cst_node parse_name(cst_parser *p) {
  const char  *text = p->text;
  const size_t at = p->at;
  const size_t n = cst_parse_word(text + at);
  p->at += n;
  const char next = cst_parse_peek(p);
  if (next == '(')
    return applied(p, at, n);
  if (primes_argument(p, at, n))
    return cst_parse_fail(p, at,
                          "'%.*s' is the velocity of no argument; pass the velocity as an argument "
                          "of its own",
                          n < SHOWN ? (int)n : SHOWN, text + at);
  const bool            pi = same(p, at, n, "pi");
  const cst_parse_loop *loop = pi ? NULL : find_loop(p, at, n);
  const cst_binding    *b = pi || loop ? NULL : find_binding(p, at, n);
  if (b && b->entry && next == '[')
    return entry(p, b, at);
  if (b && b->entry)
    return cst_parse_fail(p, at,
                          "'%.*s' is an array of %d; an entry of it is wanted, such as %.*s[%d]",
                          SHOWN, b->name, b->count, SHOWN, b->name, b->shift + 1);
  if (!pi && !loop && !b && is_reserved(p, at, n))
    return cst_parse_fail(p, p->at, "expected '(' after %.*s", (int)n, text + at);
  const cst_definition *d = pi || loop || b ? NULL : find_definition(p, at, n);
  if (d)
    return cst_parse_definition(p, d, at);
  const cst_edge_table *table = pi || loop || b ? NULL : cst_parse_table(p, at, n);
  if (table)
    return cst_graph_constant(p->g, table->rows);
  if (!pi && !loop && !b)
    return unknown_name(p, at, n);
  if (next == '[')
    return cst_parse_fail(p, p->at, "'%.*s' is not an array and has no entries",
                          n < SHOWN ? (int)n : SHOWN, text + at);
  return cst_parse_checked(p,
                           pi     ? cst_graph_constant(p->g, M_PI)
                           : loop ? value_of(p, loop)
                                  : b->node,
                           at);
}

/* ---- operations ------------------------------------------------------------------------------ */

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

static cst_node call(cst_parser *p, const cst_function *f, size_t at) {
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
    return number(p);
  if (letter(c))
    return parse_name(p);
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
