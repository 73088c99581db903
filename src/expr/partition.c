/* partition.c: divides the program of some outputs into straight code and loops; see partition.h.
 *
 * Values that several loops share are kept in slots where these are few enough, else computed again. Where
 * loops would take several times the operations of straight code, no loops are made.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/partition.h"
#include <string.h>

/* ---- cuts ------------------------------------------------------------------------------------ */

/* Where expressions are cut: at outputs, at long sums and at expensive shared subexpressions.
 *
 * The value at a cut (a root) is computed once, in a loop with similar values, and read back; cheap shared
 * values are computed again at each use. A unit is an expression between cuts: the expression of a root, or
 * one term of a sum.
 *
 * A sum is a chain of + or - whose partial sums have no other use: ((t1 + t2) + t3) + ..., with the chain on
 * either side of +. The order of additions is kept. A hash of their operations identifies the terms; other
 * terms at either end stay outside.
 */

enum { NOBODY = -1, MANY = -2, MOST = 1 << 20 };

typedef struct {
  cst_partition  *p;
  const uint64_t *hash;
  int            *uses,
      *length; /* of a node: its number of uses; the length of the chain of + and - that it may end */
  int *member; /* the term of a partial sum; -1 for other nodes */
  int *owner, *cost;
} cutter;

static bool additive(const cst_vertex *v) { return v->op == CST_OP_ADD || v->op == CST_OP_SUB; }

static void count_uses(cutter *c) {
  const cst_partition *p = c->p;
  for (int i = 0; i < p->size; i++)
    c->uses[i] = 0;
  for (int i = 0; i < p->size; i++) {
    if (cst_op_leaf(p->node[i].op))
      continue;
    c->uses[p->node[i].a]++;
    if (p->node[i].b >= 0)
      c->uses[p->node[i].b]++;
  }
  for (int k = 0; k < p->nout; k++)
    if (p->out[k] >= 0)
      c->uses[p->out[k]]++;
}

static void measure_chains(cutter *c) {
  for (int i = 0; i < c->p->size; i++) {
    const cst_vertex *v = &c->p->node[i];
    c->length[i] = 0;
    if (!additive(v))
      continue;
    const int a = c->uses[v->a] == 1 ? c->length[v->a] : 0;
    const int b = c->uses[v->b] == 1 ? c->length[v->b] : 0;
    c->length[i] = 1 + (v->op == CST_OP_ADD && b > a ? b : a);
  }
}

/* Split step n into the term with this hash and the rest; false when neither operand is one. */
static bool split(const cutter *c, cst_node n, cst_op sign, uint64_t term, cst_node *t,
                  cst_node *rest) {
  const cst_vertex *v = &c->p->node[n];
  if (v->op != sign)
    return false;
  const bool second = c->hash[v->b] == term;
  const bool first = sign == CST_OP_ADD && c->hash[v->a] == term;
  *t = second ? v->b : v->a;
  *rest = second ? v->a : v->b;
  return second || first;
}

/* The hash of the term that the last step of a chain adds to the longer part. */
static uint64_t last_term(const cutter *c, cst_node n) {
  const cst_vertex *v = &c->p->node[n];
  const bool        swap = v->op == CST_OP_ADD && c->length[v->b] > c->length[v->a];
  return c->hash[swap ? v->a : v->b];
}

/* Walks down from the top of a sum; appends steps and terms from last to first. */
static cst_terms walk(cutter *c, cst_node top) {
  cst_partition *p = c->p;
  const uint64_t term = last_term(c, top);
  cst_terms      r = {.first = p->terms, .start = top, .sign = p->node[top].op};
  cst_node       t, rest;
  while ((r.start == top || c->uses[r.start] == 1) && split(c, r.start, r.sign, term, &t, &rest)) {
    p->term[r.first + r.count] = t;
    p->step[r.first + r.count] = r.start;
    r.count++;
    r.start = rest;
  }
  if (r.sign == CST_OP_ADD && r.count && c->hash[r.start] == term) {
    const int at = r.first + r.count;
    p->term[at] = r.start;
    p->step[at] = r.start;
    r.count++;
    r.start = -1;
  }
  return r;
}

static void reverse(cst_node *x, int n) {
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    const cst_node t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
}

static void keep_run(cutter *c, cst_terms r) {
  cst_partition *p = c->p;
  reverse(p->term + r.first, r.count);
  reverse(p->step + r.first, r.count);
  for (int i = r.start < 0; i < r.count; i++) {
    const int at = r.first + i;
    c->member[p->step[at]] = at;
  }
  p->root[p->step[r.first + r.count - 1]] = 1;
  if (r.start >= 0 && !cst_op_leaf(p->node[r.start].op))
    p->root[r.start] = 1;
  p->terms += r.count;
  p->run = cst_expr_memory(p->run, (size_t)p->runs + 1, sizeof *p->run);
  p->run[p->runs++] = r;
}

static void find_sums(cutter *c) {
  cst_partition *p = c->p;
  count_uses(c);
  measure_chains(c);
  p->runs = p->terms = 0;
  for (int i = p->size - 1; i >= 0; i--) {
    if (c->length[i] < CST_SUM_TERMS - 1)
      continue;
    if (c->member[i] >= 0)
      continue;
    const cst_terms r = walk(c, i);
    if (r.count >= CST_SUM_TERMS)
      keep_run(c, r);
  }
}

/* Unit u needs x. */
static void claim(cutter *c, cst_node x, int u) {
  if (c->p->root[x])
    return;
  if (cst_op_leaf(c->p->node[x].op))
    return;
  if (c->owner[x] == NOBODY || c->owner[x] == u)
    c->owner[x] = u;
  else
    c->owner[x] = MANY;
}

/* A step of a sum needs its term; the step of the second term also needs the first one where the sum starts
 * with it. */
static void claim_terms(cutter *c, int m) {
  const cst_partition *p = c->p;
  claim(c, p->term[m], p->size + m);
  if (m > 0 && p->step[m - 1] == p->term[m - 1])
    claim(c, p->term[m - 1], p->size + m - 1);
}

/* Nodes come after their operands, so in descending order the owner of each node is known. Expensive shared
 * values become roots when they are candidates. */
static void find_owners(cutter *c, const unsigned char *candidate) {
  cst_partition *p = c->p;
  for (int i = 0; i < p->size; i++)
    c->owner[i] = NOBODY;
  for (int i = p->size - 1; i >= 0; i--) {
    const cst_vertex *v = &p->node[i];
    if (cst_op_leaf(v->op))
      continue;
    if (c->member[i] >= 0) {
      claim_terms(c, c->member[i]);
      continue;
    }
    if (candidate && candidate[i] && c->owner[i] == MANY)
      p->root[i] = 1;
    const int u = p->root[i] ? i : c->owner[i];
    claim(c, v->a, u);
    if (v->b >= 0)
      claim(c, v->b, u);
  }
}

static int weight(cst_op op) {
  if (op >= CST_OP_SIN)
    return 16;
  if (op == CST_OP_DIV || op == CST_OP_SQRT || op == CST_OP_RSQRT)
    return 4;
  return 1;
}

/* Finds the shared values that cost more than `threshold`, the cheapest first: the cost of a value does not
 * include that of candidates below it. */
static void find_candidates(cutter *c, int threshold, unsigned char *candidate) {
  const cst_partition *p = c->p;
  for (int i = 0; i < p->size; i++) {
    const cst_vertex *v = &p->node[i];
    candidate[i] = 0;
    c->cost[i] = 0;
    if (cst_op_leaf(v->op))
      continue;
    const int  cost_b = v->b < 0 ? 0 : c->cost[v->b];
    const int  cost = weight(v->op) + c->cost[v->a] + cost_b;
    const bool shared = c->owner[i] == MANY && c->uses[i] > 1;
    candidate[i] = cost > threshold && shared && !p->root[i];
    if (candidate[i] || p->root[i])
      c->cost[i] = 0;
    else if (cost < MOST)
      c->cost[i] = cost;
    else
      c->cost[i] = MOST;
  }
}

/* Finds the sums, and chooses the roots: shared values whose cost is above `threshold`. */
static void partition_cut(cst_partition *p, int threshold) {
  const size_t   n = (size_t)p->size;
  uint64_t      *hash = cst_shape_hash(p, false);
  unsigned char *candidate = cst_expr_memory(NULL, n, 1);
  int           *work = cst_expr_memory(NULL, 5 * n, sizeof *work);
  cutter         c = {p, hash, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n};
  memset(c.member, 0xff, n * sizeof *c.member);
  for (int i = 0; i < p->size; i++)
    p->root[i] = p->home[i] >= 0;
  find_sums(&c);
  find_owners(&c, NULL);
  find_candidates(&c, threshold, candidate);
  find_owners(&c, candidate);
  free(work);
  free(candidate);
  free(hash);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Units of the same shape become one loop.
 *
 * The level of a root is one more than the largest level of the roots that it reads, so the members of a
 * loop, which have the same level, do not depend on each other. Units that are alone or too few become
 * straight code.
 */

/* A value or a copy (first is unused), or a sum of `count` terms from `first`; and its destination. */
typedef struct {
  cst_node node;
  int      shape, level, letter, place;
  int      row; /* in the pool */
  int      first, count, origin, number;
  cst_op   sign;
  cst_leaf start;
} unit;

typedef struct {
  cst_partition *p;
  cst_shaper     shaper;
  unit          *unit;
  int            units, sums, *pool, used, capacity, *shape, *row; /* shape and row of every term */
  int           *level;
  unsigned char *top; /* whether a node is the value of a sum */
} grouper;

enum { ROW = 2 * CST_SHAPE_STEPS + 2 };

/* The shape of n; puts its row of entries into the pool at *row. */
static int shape_of(grouper *z, cst_node n, bool apart, int *row) {
  if (z->used + ROW > z->capacity) {
    z->capacity = 2 * z->capacity + ROW;
    z->pool = cst_expr_memory(z->pool, (size_t)z->capacity, sizeof *z->pool);
  }
  const int shape = cst_shape_find(&z->p->loops.shapes, &z->shaper, n, apart, z->pool + z->used);
  *row = z->used;
  if (shape >= 0)
    z->used += z->p->loops.shapes.shape[shape].leaves;
  return shape;
}

static unit *append(grouper *z, unit u) {
  if (!(z->units & (z->units + 1)))
    z->unit = cst_expr_memory(z->unit, 2 * (size_t)z->units + 2, sizeof *z->unit);
  u.number = z->units;
  z->unit[z->units] = u;
  return &z->unit[z->units++];
}

/* Appends the terms [from, to) of a run, all of one shape, as a sum of their own. */
static void append_sum(grouper *z, const cst_terms *r, int from, int to) {
  cst_partition *p = z->p;
  const cst_node start = from > r->first ? p->step[from - 1] : r->start;
  const cst_node top = p->step[to - 1];
  unit           u = {
                .node = top, .shape = z->shape[from], .first = from, .count = to - from, .sign = r->sign};
  if (start < 0)
    u.start = (cst_leaf){CST_FROM_CONSTANT, -0.0}; /* -0 + x is x for every x */
  else if (p->node[start].op == CST_OP_CONSTANT)
    u.start = (cst_leaf){CST_FROM_CONSTANT, p->node[start].value};
  else if (p->node[start].op == CST_OP_INPUT) {
    u.start = (cst_leaf){p->node[start].a, 0};
    u.origin = p->node[start].b;
  } else {
    u.start = (cst_leaf){cst_partition_letter(p, start), 0};
    u.origin = start;
    p->root[start] = 1;
  }
  p->root[top] = z->top[top] = 1;
  append(z, u);
}

static void sums_of_units(grouper *z) {
  const cst_partition *p = z->p;
  for (int i = 0; i < p->terms; i++)
    z->shape[i] = shape_of(z, p->term[i], false, &z->row[i]);
  for (int k = 0; k < p->runs; k++) {
    const cst_terms *r = &p->run[k];
    for (int i = r->first, j; i < r->first + r->count; i = j) {
      for (j = i + 1; j < r->first + r->count && z->shape[j] == z->shape[i]; j++)
        continue;
      if (z->shape[i] >= 0 && j - i >= CST_SUM_TERMS)
        append_sum(z, r, i, j);
    }
  }
  z->sums = z->units;
}

static int level_above(const grouper *z, cst_node n) { return z->level[n] + z->p->root[n]; }

static void find_levels(grouper *z) {
  for (int i = 0; i < z->p->size; i++) {
    const cst_vertex *v = &z->p->node[i];
    z->level[i] = 0;
    if (cst_op_leaf(v->op))
      continue;
    const int a = level_above(z, v->a);
    const int b = v->b < 0 ? a : level_above(z, v->b);
    z->level[i] = a > b ? a : b;
  }
}

/* Appends a value that is computed, or an output that is only copied. */
static void append_value(grouper *z, cst_node n, bool apart, int letter, int place) {
  unit u = {.node = apart ? n : -1,
            .letter = letter,
            .place = place,
            .level = apart ? z->level[n] : level_above(z, n)};
  u.shape = shape_of(z, n, apart, &u.row);
  if (u.shape >= 0)
    append(z, u);
}

static void find_values(grouper *z) {
  const cst_partition *p = z->p;
  for (int k = 0; k < p->nout; k++) {
    const cst_node n = p->out[k];
    if (n < 0)
      continue;
    if (p->home[n] == k && z->top[n])
      continue;
    append_value(z, n, p->home[n] == k, CST_FROM_OUT, k);
  }
  for (int i = 0; i < p->size; i++)
    if (p->root[i] && p->home[i] < 0 && !z->top[i])
      append_value(z, i, true, CST_FROM_SLOT, i);
}

static void place_sums(grouper *z) {
  for (int i = 0; i < z->sums; i++) {
    unit     *u = &z->unit[i];
    const int home = z->p->home[u->node];
    u->level = z->level[u->node];
    u->letter = cst_partition_letter(z->p, u->node);
    u->place = home >= 0 ? home : u->node;
  }
}

enum { KIND = 7 };

/* What is equal for units that may share a loop, in the order in which they are sorted. */
static void kind_of(const unit *u, uint64_t kind[KIND]) {
  kind[0] = (uint64_t)u->level;
  kind[1] = (uint64_t)!u->count;
  kind[2] = (uint64_t)u->shape;
  kind[3] = (uint64_t)u->letter;
  kind[4] = (uint64_t)u->sign;
  kind[5] = (uint64_t)u->start.letter;
  kind[6] = cst_bits(u->start.value);
}

static int compare_kind(const unit *u, const unit *w) {
  uint64_t a[KIND], b[KIND];
  kind_of(u, a);
  kind_of(w, b);
  for (int i = 0; i < KIND; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare(const void *a, const void *b) {
  const unit *u = a;
  const unit *w = b;
  const int   kind = compare_kind(u, w);
  if (kind)
    return kind;
  return (u->number > w->number) - (u->number < w->number);
}

static void fill_row(const grouper *z, const cst_loop *l, int row, int at) {
  const int leaves = z->p->loops.shapes.shape[l->shape].leaves;
  for (int i = 0; i < leaves; i++)
    l->index[(size_t)i * (size_t)l->rows + (size_t)row] = z->pool[at + i];
}

static int *numbers(int n) { return cst_expr_memory(NULL, (size_t)n, sizeof(int)); }

static void fill_sums(const grouper *z, cst_loop *l, const unit *u) {
  l->first = numbers(l->sums + 1);
  l->origin = numbers(l->sums);
  l->first[0] = 0;
  for (int s = 0; s < l->sums; s++) {
    for (int i = 0; i < u[s].count; i++)
      fill_row(z, l, l->first[s] + i, z->row[u[s].first + i]);
    l->first[s + 1] = l->first[s] + u[s].count;
    l->origin[s] = u[s].origin;
  }
}

/* The loop of n units of one kind. */
static void append_loop(grouper *z, const unit *u, int n) {
  cst_partition *p = z->p;
  cst_loop       l = {.shape = u->shape,
                      .level = u->level,
                      .letter = u->letter,
                      .sign = u->sign,
                      .start = u->start};
  for (int i = 0; i < n; i++)
    if (u[i].count)
      l.rows += u[i].count;
    else
      l.rows += 1;
  l.sums = u->count ? n : 0;
  l.place = numbers(n);
  l.index = cst_expr_memory(
      NULL, (size_t)l.rows * (size_t)(p->loops.shapes.shape[l.shape].leaves + 1), sizeof *l.index);
  if (l.sums)
    fill_sums(z, &l, u);
  for (int i = 0; i < n; i++) {
    l.place[i] = u[i].place;
    if (!l.sums)
      fill_row(z, &l, i, u[i].row);
    if (u[i].node >= 0)
      p->value[u[i].node] = p->loops.count;
    if (l.letter == CST_FROM_OUT)
      p->done[u[i].place] = 1;
  }
  if (!(p->loops.count & (p->loops.count + 1)))
    p->loops.loop = cst_expr_memory(p->loops.loop, 2 * (size_t)p->loops.count + 2, sizeof l);
  p->loops.loop[p->loops.count++] = l;
}

static void make_loops(grouper *z) {
  if (z->units)
    qsort(z->unit, (size_t)z->units, sizeof *z->unit, compare);
  for (int i = 0, j; i < z->units; i = j) {
    for (j = i + 1; j < z->units && !compare_kind(&z->unit[i], &z->unit[j]); j++)
      continue;
    if (z->unit[i].count || j - i >= CST_LOOP_ROWS)
      append_loop(z, &z->unit[i], j - i);
  }
}

/* Makes the loops of a plan that is cut: fills p->value, p->done and p->loops. */
static void group(cst_partition *p) {
  const size_t n = (size_t)p->size;
  uint64_t    *hash = cst_shape_hash(p, true);
  grouper      z = {.p = p, .level = numbers(p->size), .top = cst_expr_memory(NULL, n, 1)};
  z.shape = numbers(p->terms);
  z.row = numbers(p->terms);
  z.shaper = (cst_shaper){p, hash, numbers(p->size), numbers(p->size), 0};
  memset(z.shaper.seen, 0, n * sizeof(int));
  memset(z.top, 0, n);
  sums_of_units(&z);
  find_levels(&z);
  place_sums(&z);
  find_values(&z);
  make_loops(&z);
  free(z.shaper.seen);
  free(z.shaper.number);
  free(hash);
  free(z.shape);
  free(z.row);
  free(z.level);
  free(z.top);
  free(z.pool);
  free(z.unit);
}

enum { MOST_REPETITION = 3, ABSENT = -1, WAITING = -2 /* stages */ };

/* ---- the program ----------------------------------------------------------------------------- */

static int *filled(int n, int value) {
  int *x = cst_expr_memory(NULL, (size_t)n, sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = value;
  return x;
}

/* A map from nodes of the graph to those of the plan, by open addressing. */
typedef struct {
  cst_node *from, *to;
  uint32_t  places;
} renumbering;

static renumbering renumbering_create(int most) {
  renumbering r = {.places = 64};
  while (r.places < 2 * (uint32_t)most + 2)
    r.places *= 2;
  r.from = filled((int)r.places, -1);
  r.to = cst_expr_memory(NULL, r.places, sizeof *r.to);
  return r;
}

/* The new number of n; added to the plan when it is a leaf or an operation whose operands are there. */
static cst_node renumber(cst_partition *p, const renumbering *r, const cst_graph *g, cst_node n) {
  if (n < 0)
    return -1;
  uint32_t k = (uint32_t)cst_mix((uint64_t)n) & (r->places - 1);
  while (r->from[k] >= 0 && r->from[k] != n)
    k = (k + 1) & (r->places - 1);
  if (r->from[k] == n)
    return r->to[k];
  cst_vertex v = g->node[n];
  if (!cst_op_leaf(v.op)) {
    v.a = renumber(p, r, g, v.a);
    v.b = renumber(p, r, g, v.b);
  }
  k = (uint32_t)cst_mix((uint64_t)n) & (r->places - 1);
  while (r->from[k] >= 0)
    k = (k + 1) & (r->places - 1);
  p->node[p->size] = v;
  r->from[k] = n;
  return r->to[k] = p->size++;
}

static void take_over(cst_partition *p, const cst_graph *g, const cst_node *out, int nout) {
  cst_node   *order = cst_graph_order(g, out, nout, &p->operations);
  const int   most = 3 * p->operations + nout;
  renumbering r = renumbering_create(most);
  p->node = cst_expr_memory(NULL, (size_t)most, sizeof *p->node);
  p->out = cst_expr_memory(NULL, (size_t)nout, sizeof *p->out);
  for (int i = 0; i < p->operations; i++)
    renumber(p, &r, g, order[i]);
  for (int k = 0; k < nout; k++)
    p->out[k] = renumber(p, &r, g, out[k]);
  free(r.from);
  free(r.to);
  free(order);
}

static void find_homes(cst_partition *p) {
  p->home = filled(p->size, -1);
  for (int k = p->nout - 1; k >= 0; k--)
    if (p->out[k] >= 0 && !cst_op_leaf(p->node[p->out[k]].op))
      p->home[p->out[k]] = k;
}

void cst_partition_loops_destroy(cst_loops *l) {
  for (int i = 0; i < l->count; i++) {
    free(l->loop[i].index);
    free(l->loop[i].place);
    free(l->loop[i].first);
    free(l->loop[i].origin);
  }
  free(l->loop);
  cst_shapes_destroy(&l->shapes);
  *l = (cst_loops){0};
}

/* Removes the loops. */
static void clear(cst_partition *p) {
  cst_partition_loops_destroy(&p->loops);
  p->slots = p->nstraight = 0;
  for (int i = 0; i < p->size; i++) {
    p->value[i] = p->slot[i] = -1;
    p->stage[i] = ABSENT;
  }
  memset(p->done, 0, (size_t)p->nout);
}

static void give_slot(cst_partition *p, cst_node n) {
  if (p->slot[n] < 0)
    p->slot[n] = p->slots++;
}

/* Replaces nodes by slots or outputs in the entries x[0 .. n) that a loop reads or writes. */
static void resolve(cst_partition *p, int letter, int *x, int n, unsigned char *needed) {
  for (int i = 0; i < n; i++) {
    const cst_node v = x[i];
    if (letter == CST_FROM_SLOT)
      give_slot(p, v);
    if (letter == CST_FROM_SLOT)
      x[i] = p->slot[v];
    else
      x[i] = p->home[v];
    needed[v] = 1;
  }
}

static void resolve_loop(cst_partition *p, cst_loop *l, unsigned char *needed) {
  const cst_shape *s = &p->loops.shapes.shape[l->shape];
  for (int i = 0; i < s->leaves; i++) {
    const int letter = s->leaf[i].letter;
    if (letter == CST_FROM_SLOT || letter == CST_FROM_OUT)
      resolve(p, letter, l->index + (size_t)i * (size_t)l->rows, l->rows, needed);
  }
  if (l->sums && (l->start.letter == CST_FROM_SLOT || l->start.letter == CST_FROM_OUT))
    resolve(p, l->start.letter, l->origin, l->sums, needed);
  if (l->letter == CST_FROM_SLOT)
    resolve(p, CST_FROM_SLOT, l->place, l->sums ? l->sums : l->rows, needed);
}

/* Finds the straight code: the operations that outputs, loops and other straight code need and that no loop
 * computes. */
static void find_straight(cst_partition *p) {
  unsigned char *needed = cst_expr_memory(NULL, (size_t)p->size, 1);
  memset(needed, 0, (size_t)p->size);
  for (int i = 0; i < p->loops.count; i++)
    resolve_loop(p, &p->loops.loop[i], needed);
  for (int k = 0; k < p->nout; k++)
    if (p->out[k] >= 0 && !p->done[k])
      needed[p->out[k]] = 1;
  for (int i = p->size - 1; i >= 0; i--) {
    const cst_vertex *v = &p->node[i];
    if (!needed[i] || cst_op_leaf(v->op))
      continue;
    if (p->value[i] >= 0 && p->home[i] < 0)
      give_slot(p, i);
    if (p->value[i] >= 0)
      continue;
    needed[v->a] = 1;
    p->nstraight++;
    if (v->b >= 0)
      needed[v->b] = 1;
    p->stage[i] = WAITING;
  }
  free(needed);
}

static int stage_after(const cst_partition *p, cst_node n) {
  if (p->value[n] >= 0)
    return p->value[n] + 1;
  if (p->stage[n] < 0)
    return 0;
  return p->stage[n];
}

/* Computes the stages of straight operations and sorts the operations by stage. */
static void find_stages(cst_partition *p) {
  const int stages = p->loops.count + 1;
  int      *next = filled(stages + 1, 0);
  for (int i = 0; i < p->size; i++) {
    if (p->stage[i] != WAITING)
      continue;
    const int a = stage_after(p, p->node[i].a);
    const int b = p->node[i].b < 0 ? a : stage_after(p, p->node[i].b);
    p->stage[i] = a > b ? a : b;
    next[p->stage[i] + 1]++;
  }
  for (int s = 0; s < stages; s++)
    next[s + 1] += next[s];
  p->straight = cst_expr_memory(NULL, (size_t)p->nstraight, sizeof *p->straight);
  for (int i = 0; i < p->size; i++)
    if (p->stage[i] >= 0)
      p->straight[next[p->stage[i]]++] = i;
  free(next);
}

static void attempt(cst_partition *p, int threshold) {
  clear(p);
  partition_cut(p, threshold);
  group(p);
  find_straight(p);
}

static bool repetitive(const cst_partition *p) {
  long work = p->nstraight;
  for (int i = 0; i < p->loops.count; i++) {
    const cst_loop *loop = &p->loops.loop[i];
    const int       steps = p->loops.shapes.shape[loop->shape].steps;
    work += (long)loop->rows * (steps + (loop->sums ? 1 : 0));
  }
  return work > MOST_REPETITION * (long)p->operations;
}

static void find_loops(cst_partition *p, int most_slots) {
  static const int threshold[] = {4, 8, 16, 32, 1 << 30};
  const size_t     n = (size_t)p->size;
  p->root = cst_expr_memory(NULL, n, 1);
  p->term = cst_expr_memory(NULL, 2 * n + CST_SUM_TERMS, sizeof *p->term);
  p->step = cst_expr_memory(NULL, 2 * n + CST_SUM_TERMS, sizeof *p->step);
  for (size_t i = 0; i < sizeof threshold / sizeof *threshold && (!i || p->slots > most_slots); i++)
    attempt(p, threshold[i]);
  if (p->slots > most_slots || repetitive(p)) {
    clear(p);
    find_straight(p);
  }
  free(p->root);
  free(p->term);
  free(p->step);
  free(p->run);
}

void cst_partition_create(cst_partition *p, const cst_graph *g, const cst_node *out, int nout,
                          int most_slots) {
  *p = (cst_partition){.nout = nout};
  take_over(p, g, out, nout);
  find_homes(p);
  p->done = cst_expr_memory(NULL, (size_t)nout, 1);
  p->value = filled(p->size, -1);
  p->slot = filled(p->size, -1);
  p->stage = filled(p->size, -1);
  clear(p);
  if (most_slots == CST_PARTITION_NONE || p->operations + nout < CST_PARTITION_STRAIGHT)
    find_straight(p);
  else
    find_loops(p, most_slots);
  find_stages(p);
}

void cst_partition_destroy(cst_partition *p) {
  cst_partition_loops_destroy(&p->loops);
  free(p->node);
  free(p->out);
  free(p->done);
  free(p->home);
  free(p->value);
  free(p->slot);
  free(p->stage);
  free(p->straight);
}
