/* parse-sum.c: sum(i, FROM, TO, TERM): reads the text of TERM once for each value of i and adds the terms
 * from left to right; sum(TABLE, TERM): once for each row.
 *
 * Repetition is bounded for every text: by the number of terms, with those of nested sums, and by the
 * characters that are read for them. TERM of a sum without terms is read once, to check its grammar and
 * names.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "expr/parse.h"

enum { CHARACTERS_A_NODE = 4, CHARACTERS = 100000000 };

/* Whether word[0..n) can name the variable of a sum. */
static bool well_formed(const char *word, size_t n) {
  return n <= CST_PARSE_SHOWN && word[n - 1] != '\'' && *word != '_' && !cst_parse_digit(*word);
}

bool cst_parse_variable(cst_parser *p, cst_parse_loop *l) {
  static const char *const letters = "a name has letters, digits and _, a letter first, at most";
  cst_parse_peek(p);
  char         s[32];
  const char  *word = p->text + p->at;
  const size_t n = cst_parse_word(word);
  const int    shown = n < CST_PARSE_SHOWN ? (int)n : CST_PARSE_SHOWN;
  if (!n)
    cst_parse_fail(p, p->at, "expected the variable of the sum, a new name%s",
                   cst_parse_found(p, s));
  else if (!well_formed(word, n))
    cst_parse_fail(p, p->at, "'%.*s%s' cannot be the variable of a sum; %s %d of them", shown, word,
                   n > CST_PARSE_SHOWN ? "..." : "", letters, CST_PARSE_SHOWN);
  else if (cst_parse_taken(p, p->at, n))
    cst_parse_fail(
        p, p->at,
        "'%.*s' cannot be the variable of a sum, it has a meaning already; choose a new name",
        shown, word);
  else {
    memcpy(l->name, word, n);
    l->name[n] = '\0';
    p->at += n;
  }
  return !p->failed;
}

static cst_node wrong_count(cst_parser *p) {
  char s[32];
  return cst_parse_fail(p, p->at, "sum takes 4 arguments: sum(i, FROM, TO, TERM)%s",
                        cst_parse_found(p, s));
}

/* Reads the comma and the first or last value of the variable. */
static bool limit(cst_parser *p, const char *what, double *value) {
  static const double largest = 9007199254740992; /* above it not every integer is a double */
  if (!cst_parse_accept(p, ',')) {
    wrong_count(p);
    return false;
  }
  cst_parse_peek(p);
  const size_t at = p->at;
  if (!cst_parse_integer(p, cst_parse_expression(p), at, what, value))
    return false;
  if (fabs(*value) <= largest)
    return true;
  char s[32];
  cst_parse_fail(p, at, "%s is %s; at most %.17g", what, cst_parse_value(*value, s), largest);
  return false;
}

void cst_parse_charge(cst_parser *p, double n, size_t at, const char *what) {
  p->read += n;
  cst_graph_spend(p->g, n / CHARACTERS_A_NODE);
  if (p->read > CHARACTERS)
    cst_parse_fail(p, at, "the %s of an expression are together longer than %d characters", what,
                   CHARACTERS);
}

#define TERMS "terms of all sums"

/* Reads TERM once, from `start` on. */
static cst_node term(cst_parser *p, size_t start, size_t at) {
  p->at = start;
  const cst_node n = cst_parse_expression(p);
  cst_parse_charge(p, (double)(p->at - start), at, TERMS);
  return n;
}

/* The sum over `count` values of l from `from` on, or over the rows of t. */
static cst_node add_terms(cst_parser *p, cst_parse_loop *l, double from, double count,
                          const cst_edge_table *t, size_t at) {
  const size_t start = p->at;
  cst_node     n = cst_graph_constant(p->g, 0);
  p->terms += count;
  if (p->terms > cst_graph_most_terms(p->g))
    return cst_parse_fail(p, at, "all sums of an expression have together more than %.0f terms",
                          cst_graph_most_terms(p->g));
  for (double k = 0; k < count && !p->failed; k++) {
    if (t)
      cst_parse_row_take(p, t, l, (int)k);
    else
      l->node = cst_graph_constant(p->g, from + k);
    const cst_node m = term(p, start, at);
    const double   rest = (double)(p->at - start) * (count - 1);
    if (!k && !p->failed && p->read + rest > CHARACTERS)
      cst_parse_charge(p, rest, at, TERMS); /* nobody waits for what will be refused */
    n = cst_parse_operation(p, CST_OP_ADD, n, m, at);
  }
  return n;
}

/* TERM of a sum without terms. */
static cst_node skip_term(cst_parser *p, cst_parse_loop *l, size_t at) {
  l->node = cst_graph_constant(p->g, 0);
  p->idle++;
  term(p, p->at, at);
  p->idle--;
  return cst_parse_checked(p, l->node, at);
}

/* sum(TABLE, TERM), behind TABLE */
static cst_node add_rows(cst_parser *p, const cst_edge_table *t, size_t at) {
  cst_parse_loop              loop[CST_EDGE_COLUMNS];
  const cst_parse_loop *const outer = p->loop;
  const cst_edge_table *const table = p->row_of;
  const int                   row = p->row;
  if (!cst_parse_accept(p, ','))
    return -1;
  p->loop = cst_parse_row_open(p, t, loop);
  cst_parse_row_take(p, t, loop, 0);
  const cst_node n = p->idle ? cst_parse_expression(p) : add_terms(p, loop, 0, t->rows, t, at);
  p->loop = outer;
  p->row_of = table;
  p->row = row;
  if (!p->failed && cst_parse_peek(p) == ',')
    return cst_parse_fail(p, p->at, "a sum over a table takes 2 arguments: sum(%s, TERM)", t->name);
  return cst_parse_closing(p, ')', n);
}

cst_node cst_parse_series(cst_parser *p, size_t at) {
  cst_parse_loop        l = {.outer = p->loop};
  double                from, to;
  cst_node              pairs;
  const bool            outermost = p->loop == p->arguments && !p->inside;
  const cst_edge_table *rows = cst_parse_summed(p);
  if (rows)
    return add_rows(p, rows, at);
  if (p->pairs && outermost && !p->idle && !p->failed && cst_parse_double(p, &pairs))
    return pairs;
  if (!cst_parse_variable(p, &l))
    return -1;
  if (!limit(p, "FROM of the sum", &from))
    return -1;
  if (!limit(p, "TO of the sum", &to))
    return -1;
  if (!cst_parse_accept(p, ','))
    return wrong_count(p);
  p->loop = &l;
  const cst_node n =
      p->idle || to < from ? skip_term(p, &l, at) : add_terms(p, &l, from, to - from + 1, NULL, at);
  p->loop = l.outer;
  if (!p->failed && cst_parse_peek(p) == ',')
    return wrong_count(p);
  return cst_parse_closing(p, ')', n);
}
