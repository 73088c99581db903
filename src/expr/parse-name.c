/* parse-name.c: the meaning of a word in an expression: a function, pi, the variable of a sum, a bound name,
 * the entry of an array; and the messages about unknown words.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/diag.h"
#include "expr/parse.h"

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
    instead = cst_expr_instead(word, p->text[p->at] == '(');
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
        cst_expr_instead("floor", true));
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
  const cst_node r = series ? cst_parse_series(p, at) : cst_parse_call(p, f, at);
  p->depth--;
  return r;
}

static cst_node value_of(cst_parser *p, const cst_parse_loop *loop) {
  return loop->cell ? cst_graph_constant(p->g, *loop->cell) : loop->node;
}

cst_node cst_parse_name(cst_parser *p) {
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
