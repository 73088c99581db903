/* partition-group.c: makes loops of the units of a plan that have the same shape.
 *
 * The level of a root is one more than the largest level of the roots that it reads, so the members of a
 * loop, which have the same level, do not depend on each other. Units that are alone or too few become
 * straight code.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/partition.h"

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

static void find_sums(grouper *z) {
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

void cst_partition_group(cst_partition *p) {
  const size_t n = (size_t)p->size;
  uint64_t    *hash = cst_shape_hash(p, true);
  grouper      z = {.p = p, .level = numbers(p->size), .top = cst_expr_memory(NULL, n, 1)};
  z.shape = numbers(p->terms);
  z.row = numbers(p->terms);
  z.shaper = (cst_shaper){p, hash, numbers(p->size), numbers(p->size), 0};
  memset(z.shaper.seen, 0, n * sizeof(int));
  memset(z.top, 0, n);
  find_sums(&z);
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
