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

/* ---- the variable of a sum ------------------------------------------------------------------- */

/* Whether word[0..n) can name the variable of a sum. */
static bool well_formed(const char *word, size_t n) {
  return n <= CST_PARSE_SHOWN && word[n - 1] != '\'' && *word != '_' && !cst_parse_digit(*word);
}

/* the name of l */
static bool read_variable(cst_parser *p, cst_parse_loop *l) {
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

/* ---- sums over pairs ------------------------------------------------------------------------- */

/* A double sum is read once, as a sum over pairs: sum(i, 1, n, sum(j, i+1, n, TERM)).
 *
 * TERM is read with inputs in the place of i and j. Where an index is just i or j, the entry of the array
 * becomes an input of the pair. Where i or j has another use, or an entry of the same inputs is read by a
 * fixed index, it is not a sum over pairs: it is read again and written out, and errors are then reported.
 */

static const double LARGEST = 1e6; /* of limits */

void cst_parse_pair_sums_destroy(cst_pair_sums *s) {
  for (int k = 0; k < s->n; k++) {
    free(s->sum[k].from);
    free(s->sum[k].to);
  }
  free(s->sum);
  s->sum = NULL;
  s->n = 0;
}

/* What array b is to a sum over pairs. */
static cst_parse_array look(const cst_parser *p, const cst_binding *b) {
  const cst_vertex *v = p->g->node;
  const cst_vertex *e = &v[b->entry[0]];
  cst_parse_array   a = {.binding = b, .first = e->b, .step = 1};
  if (e->op != CST_OP_INPUT || e->a != p->pairs->array)
    return a;
  if (b->count > 1)
    a.step = v[b->entry[1]].b - a.first;
  for (int k = 1; k < b->count; k++) {
    e = &v[b->entry[k]];
    if (e->op != CST_OP_INPUT || e->a != p->pairs->array || e->b != a.first + k * a.step)
      return a;
  }
  a.regular = true;
  return a;
}

/* The same, kept from the first time. */
static cst_parse_array array_of(const cst_parser *p, const cst_binding *b) {
  cst_parse_pairs *x = p->pair;
  for (int k = 0; k < x->narray; k++)
    if (x->array[k].binding == b)
      return x->array[k];
  const cst_parse_array a = look(p, b);
  if (x->narray < CST_PAIR_ARRAYS)
    x->array[x->narray++] = a;
  return a;
}

/* The number of an array in a list of n, appended when it is new; -1: the list is full. at: its place for
 * index 0. */
static int find_array(int *at, int *steps, int *n, int start, int step) {
  for (int k = 0; k < *n; k++)
    if (at[k] == start && steps[k] == step)
      return k;
  if (*n == CST_PAIR_ARRAYS)
    return -1;
  at[*n] = start;
  steps[*n] = step;
  return (*n)++;
}

/* Whether all values of the index are those of elements. */
static bool within(const cst_binding *b, int least, int most) {
  return least > b->shift && most <= b->shift + b->count;
}

cst_node cst_parse_paired(cst_parser *p, const cst_binding *b, cst_node n) {
  cst_pair_sum *s = &p->pair->sum;
  int           k;
  if (n != p->pair->i && n != p->pair->j)
    return -1;
  const cst_parse_array a = array_of(p, b);
  if (!a.regular)
    return -1;
  const int zero = a.first - (b->shift + 1) * a.step; /* its place for index 0 */
  if (n == p->pair->i) {
    const int least = p->pair->first;
    const int most = least + s->rows - 1;
    const int start = zero + least * a.step;
    k = within(b, least, most) ? find_array(s->x, s->xstep, &s->nx, start, a.step) : -1;
    return k < 0 ? -1 : cst_graph_input(p->g, 'x', k);
  }
  k = within(b, s->least, s->most) ? find_array(s->y, s->ystep, &s->ny, zero, a.step) : -1;
  return k < 0 ? -1 : cst_graph_input(p->g, 'y', k);
}

/* A limit as `times` i + `more`, times 0 or 1. */
static bool affine_limit(cst_parser *p, cst_node i, int *times, double *more) {
  if (!cst_parse_accept(p, ','))
    return false;
  const cst_node n = cst_parse_expression(p);
  if (p->failed)
    return false;
  const cst_vertex *v = &p->g->node[n];
  *times = i >= 0 &&
           (n == i || ((v->op == CST_OP_ADD || v->op == CST_OP_SUB) && (v->a == i || v->b == i)));
  *more = 0;
  if (!*times)
    return cst_graph_is_constant(p->g, n, more) && *more == floor(*more) && fabs(*more) <= LARGEST;
  if (n == i)
    return true;
  if (v->op == CST_OP_SUB && v->a != i)
    return false;
  if (!cst_graph_is_constant(p->g, v->a == i ? v->b : v->a, more))
    return false;
  if (v->op == CST_OP_SUB)
    *more = -*more;
  return *more == floor(*more) && fabs(*more) <= LARGEST;
}

/* The name of a sum and its '('. */
static bool opens(cst_parser *p) {
  cst_parse_peek(p);
  if (cst_parse_word(p->text + p->at) != 3)
    return false;
  if (strncmp(p->text + p->at, "sum", 3))
    return false;
  p->at += 3;
  return cst_parse_accept(p, '(');
}

/* Fills the rows of pairs; returns the number of pairs. */
static double fill_rows(cst_parse_pairs *x, double from, double to, const int *times,
                        const double *more) {
  cst_pair_sum *s = &x->sum;
  double        pairs = 0;
  if (to < from)
    s->rows = 0;
  else
    s->rows = (int)(to - from) + 1;
  x->first = (int)from;
  s->from = cst_expr_memory(NULL, (size_t)s->rows, sizeof *s->from);
  s->to = cst_expr_memory(NULL, (size_t)s->rows, sizeof *s->to);
  for (int i = 0; i < s->rows; i++) {
    s->from[i] = (int)(times[0] * (from + i) + more[0]);
    s->to[i] = (int)(times[1] * (from + i) + more[1]) + 1;
    if (s->to[i] < s->from[i])
      s->to[i] = s->from[i];
    pairs += s->to[i] - s->from[i];
    if (s->to[i] == s->from[i])
      continue;
    if (!s->pairs || s->from[i] < s->least)
      s->least = s->from[i];
    if (!s->pairs || s->to[i] - 1 > s->most)
      s->most = s->to[i] - 1;
    s->pairs += s->to[i] - s->from[i];
  }
  for (int i = 0; i < s->rows; i++)
    if (s->from[i] < s->to[i])
      s->blocks += (s->to[i] - 1 - s->least) / 8 - (s->from[i] - s->least) / 8 + 1;
  return pairs;
}

/* Reads the whole double sum. */
static bool read_double(cst_parser *p, cst_parse_pairs *x) {
  cst_parse_loop i = {.outer = p->loop};
  cst_parse_loop j = {.outer = &i};
  int            times[2];
  double         from, to, more[2];
  x->i = i.node = cst_graph_input(p->g, 'I', 0);
  x->j = j.node = cst_graph_input(p->g, 'J', 0);
  if (!read_variable(p, &i))
    return false;
  if (!affine_limit(p, -1, &times[0], &from))
    return false;
  if (!affine_limit(p, -1, &times[1], &to))
    return false;
  if (!cst_parse_accept(p, ',') || !opens(p))
    return false;
  p->loop = &i;
  if (!read_variable(p, &j))
    return false;
  if (!affine_limit(p, i.node, &times[0], &more[0]))
    return false;
  if (!affine_limit(p, i.node, &times[1], &more[1]))
    return false;
  if (!cst_parse_accept(p, ','))
    return false;
  if (fill_rows(x, from, to, times, more) < p->pairs->least)
    return false;
  p->loop = &j;
  p->pair = x;
  x->sum.term = cst_parse_expression(p);
  return !p->failed && cst_parse_accept(p, ')') && cst_parse_accept(p, ')');
}

static bool depends_on_pairs_alone(const cst_parser *p, cst_node n) {
  static const char others[] = {'I', 'J', 'P', 0};
  for (const char *c = others; *c; c++)
    if (cst_graph_depends(p->g, n, *c))
      return false;
  return !cst_graph_depends(p->g, n, p->pairs->array);
}

/* sum(...) where it may be a sum over pairs; false, with the parser unchanged, where it is
 * not. */
static bool parse_double(cst_parser *p, cst_node *n) {
  const cst_parser before = *p;
  cst_expr_error   unread;
  cst_parse_pairs  x = {.i = -1, .j = -1};
  p->error = &unread;
  const bool     good = read_double(p, &x) && depends_on_pairs_alone(p, x.sum.term);
  const size_t   end = p->at;
  const double   read = p->read + (double)(end - before.at);
  cst_pair_sums *all = p->pairs;
  *p = before;
  if (!good) {
    free(x.sum.from);
    free(x.sum.to);
    return false;
  }
  p->at = end;
  p->read = read;
  all->sum = cst_expr_memory(all->sum, (size_t)all->n + 1, sizeof *all->sum);
  all->sum[all->n] = x.sum;
  *n = cst_graph_input(p->g, 'P', all->n++);
  return true;
}

/* ---- tables (edge-table.h) ------------------------------------------------------------------- */

void cst_graph_tabulate(cst_graph *g, const cst_edge_table *t, int n) {
  g->table_at = t;
  g->tables = n;
}

const cst_edge_table *cst_graph_tables(const cst_graph *g, int *n) {
  *n = g->tables;
  return g->table_at;
}

static const cst_edge_table *find_table(const cst_graph *g, const char *word, size_t n) {
  for (int k = 0; k < g->tables; k++)
    if (!strncmp(g->table_at[k].name, word, n) && !g->table_at[k].name[n])
      return &g->table_at[k];
  return NULL;
}

const cst_edge_table *cst_graph_table_find(const cst_graph *g, const char *name) {
  return find_table(g, name, strlen(name));
}

static int find_column(const cst_edge_table *t, const char *word, size_t n) {
  for (int k = 0; k < t->columns; k++)
    if (!strncmp(t->column[k], word, n) && !t->column[k][n])
      return k;
  return -1;
}

void cst_edge_table_place(const cst_edge_table *t, int row, int column, int *line, int *at) {
  const char *start = t->text[1 + row], *cell = start;
  for (int k = 0; k < column; k++)
    cell += strcspn(cell, ",\n") + 1;
  *line = t->line[1 + row];
  *at = column < 0 ? 1 : (int)(cell + strspn(cell, " \t\"") - start) + 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static cst_parse_loop *row_open(cst_parser *p, const cst_edge_table *t,
                                cst_parse_loop loop[CST_EDGE_COLUMNS]) {
  for (int k = 0; k < t->columns; k++) {
    loop[k].outer = k ? &loop[k - 1] : p->loop;
    strcpy(loop[k].name, t->column[k]);
  }
  return &loop[t->columns - 1];
}

/* Gives them the numbers of a row. */
static void row_take(cst_parser *p, const cst_edge_table *t, cst_parse_loop *loop, int row) {
  for (int k = 0; k < t->columns; k++)
    loop[k].cell = &t->cell[(size_t)row * (size_t)t->columns + (size_t)k];
  p->row_of = t;
  p->row = row;
}

void cst_parse_blame_row(cst_parser *p, size_t at) {
  const cst_edge_table *t = p->row_of;
  const size_t          n = cst_parse_word(p->text + at);
  const bool            alone = n && !p->frame && strchr("] \t\n", p->text[at + n]);
  if (!t || p->error->table)
    return;
  p->error->table = t;
  p->error->row = p->row;
  p->error->column = alone ? find_column(t, p->text + at, n) : -1;
}

cst_node cst_expr_parse_row(cst_graph *g, const char *text, const cst_binding *names, int n,
                            const cst_edge_table *t, int row, cst_expr_error *error) {
  cst_parse_loop loop[CST_EDGE_COLUMNS];
  cst_parser     p = {.g = g,
                      .text = text,
                      .names = names,
                      .n = n,
                      .error = error,
                      .defined = cst_parse_defined_create(g),
                      .within = -1};
  p.loop = row_open(&p, t, loop);
  row_take(&p, t, loop, row);
  const cst_node r = cst_parse_complete(&p);
  free(p.defined);
  g->effort += p.read + 16 * p.terms;
  return r;
}

/* ---- words ----------------------------------------------------------------------------------- */

const cst_edge_table *cst_parse_table(const cst_parser *p, size_t at, size_t n) {
  return find_table(p->g, p->text + at, n);
}

/* The table over which a sum runs, and its name is read; NULL, with p unchanged: it is a sum over a variable. */
static const cst_edge_table *parse_summed(cst_parser *p) {
  cst_parse_peek(p);
  const size_t          at = p->at, n = cst_parse_word(p->text + at);
  const cst_edge_table *t = n ? find_table(p->g, p->text + at, n) : NULL;
  if (!t)
    return NULL;
  p->at += n;
  const bool summed = cst_parse_peek(p) == ',';
  p->at = at + (summed ? n : 0);
  return summed ? t : NULL;
}

bool cst_parse_is_column(const cst_parser *p, size_t at, size_t n) {
  for (int k = 0; k < p->g->tables; k++)
    if (find_column(&p->g->table_at[k], p->text + at, n) >= 0)
      return true;
  return false;
}

bool cst_graph_is_column(const cst_graph *g, const char *name) {
  bool is = cst_graph_table_find(g, name) != NULL;
  for (int k = 0; k < g->tables; k++)
    is |= find_column(&g->table_at[k], name, strlen(name)) >= 0;
  return is;
}

/* The table with the column named at `at`; an error if there are two. */
static const cst_edge_table *table_of(cst_parser *p, size_t at, size_t n, int *column) {
  const cst_edge_table *found = NULL;
  for (int k = 0; k < p->g->tables; k++) {
    const cst_edge_table *t = &p->g->table_at[k];
    const int             c = find_column(t, p->text + at, n);
    if (c < 0)
      continue;
    if (found) {
      cst_parse_fail(p, at, "the tables '%s' and '%s' both have a column '%.*s'", found->name,
                     t->name, (int)n, p->text + at);
      return NULL;
    }
    found = t;
    *column = c;
  }
  return found;
}

cst_node cst_parse_cell(cst_parser *p, size_t at, size_t n) {
  int                   column = 0;
  double                row;
  char                  s[32];
  const cst_edge_table *t = table_of(p, at, n, &column);
  if (!t || !cst_parse_enter(p, p->at++))
    return -1;
  cst_parse_peek(p);
  const size_t   index = p->at;
  const cst_node k = cst_parse_closing(p, ')', cst_parse_expression(p));
  p->depth--;
  if (p->idle || p->failed)
    return p->failed ? -1 : k;
  if (!cst_parse_integer(p, k, index, "the number of a row", &row))
    return -1;
  if (row < 1 || row > t->rows)
    return cst_parse_fail(p, index, "row %s of '%s' is outside 1 .. %d", cst_parse_value(row, s),
                          t->name, t->rows);
  return cst_graph_constant(p->g, t->cell[((size_t)row - 1) * (size_t)t->columns + (size_t)column]);
}

/* ---- sums ------------------------------------------------------------------------------------ */

enum { CHARACTERS_A_NODE = 4, CHARACTERS = 100000000 };

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
      row_take(p, t, l, (int)k);
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
  p->loop = row_open(p, t, loop);
  row_take(p, t, loop, 0);
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
  const cst_edge_table *rows = parse_summed(p);
  if (rows)
    return add_rows(p, rows, at);
  if (p->pairs && outermost && !p->idle && !p->failed && parse_double(p, &pairs))
    return pairs;
  if (!read_variable(p, &l))
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
