/* parse-pairs.c: reads a double sum once, as a sum over pairs: sum(i, 1, n, sum(j, i+1, n, TERM)).
 *
 * TERM is read with inputs in the place of i and j. Where an index is just i or j, the entry of the array
 * becomes an input of the pair. Where i or j has another use, or an entry of the same inputs is read by a
 * fixed index, it is not a sum over pairs: it is read again and written out, and errors are then reported.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "expr/parse.h"

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
static bool limit(cst_parser *p, cst_node i, int *times, double *more) {
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
  if (!cst_parse_variable(p, &i))
    return false;
  if (!limit(p, -1, &times[0], &from))
    return false;
  if (!limit(p, -1, &times[1], &to))
    return false;
  if (!cst_parse_accept(p, ',') || !opens(p))
    return false;
  p->loop = &i;
  if (!cst_parse_variable(p, &j))
    return false;
  if (!limit(p, i.node, &times[0], &more[0]))
    return false;
  if (!limit(p, i.node, &times[1], &more[1]))
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

bool cst_parse_double(cst_parser *p, cst_node *n) {
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
