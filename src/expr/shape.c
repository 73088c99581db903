/* shape.c: the shape of an expression: its operations, without the entries that they read.
 *
 * The graph orders the operands of + and * by index, which differs between similar expressions. Here they are
 * visited in the order of a hash that ignores entries. Where hashes are equal the order is that of the graph;
 * similar expressions may then get two shapes, which makes the code longer but not wrong: a + b and b + a
 * have the same bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/partition.h"

static bool commutes(cst_op op) { return op == CST_OP_ADD || op == CST_OP_MUL; }

static uint64_t combine(uint64_t op, uint64_t a, uint64_t b) {
  return cst_mix(cst_mix(op * 0x9e3779b97f4a7c15u + a) * 3 + b);
}

static uint64_t hash_operation(const cst_vertex *v, uint64_t a, uint64_t b) {
  const bool swap = commutes(v->op) && b < a;
  return combine((uint64_t)v->op, swap ? b : a, swap ? a : b);
}

/* The hash of a node as an operand: a root is hashed as a leaf, without its expression. */
static uint64_t seen_as(const cst_partition *p, const uint64_t *hash, cst_node n, bool cut) {
  if (cut && p->root[n])
    return combine(99, (uint64_t)cst_partition_letter(p, n), 1);
  return hash[n];
}

uint64_t *cst_shape_hash(const cst_partition *p, bool cut) {
  uint64_t *hash = cst_expr_memory(NULL, (size_t)p->size, sizeof *hash);
  for (int i = 0; i < p->size; i++) {
    const cst_vertex *v = &p->node[i];
    if (v->op == CST_OP_INPUT)
      hash[i] = combine(CST_OP_INPUT, (uint64_t)v->a, 1);
    else if (v->op == CST_OP_CONSTANT)
      hash[i] = combine(CST_OP_CONSTANT, cst_bits(v->value), 1);
    else {
      const uint64_t a = seen_as(p, hash, v->a, cut);
      const uint64_t b = v->b < 0 ? 1 : seen_as(p, hash, v->b, cut);
      hash[i] = hash_operation(v, a, b);
    }
  }
  return hash;
}

/* The operand to visit first, and the other one (the same when there is only one). */
static void visited(const cst_shaper *z, cst_node n, cst_node *a, cst_node *b) {
  const cst_vertex *v = &z->plan->node[n];
  bool              swap = false;
  if (commutes(v->op)) {
    const uint64_t one = seen_as(z->plan, z->hash, v->a, true);
    const uint64_t other = seen_as(z->plan, z->hash, v->b, true);
    swap = other < one;
  }
  *a = swap ? v->b : v->a;
  if (v->b < 0 || swap)
    *b = v->a;
  else
    *b = v->b;
}

typedef struct {
  cst_step step[CST_SHAPE_STEPS];
  cst_leaf leaf[2 * CST_SHAPE_STEPS + 2];
  int      steps, leaves, *row;
} draft;

/* Numbers a leaf; false for an operation. */
static bool number_leaf(cst_shaper *z, cst_node n, draft *d) {
  const cst_partition *p = z->plan;
  const cst_vertex    *v = &p->node[n];
  if (!cst_op_leaf(v->op) && !p->root[n])
    return false;
  cst_leaf leaf = {CST_FROM_CONSTANT, v->value};
  if (v->op == CST_OP_INPUT)
    leaf = (cst_leaf){v->a, 0};
  if (!cst_op_leaf(v->op))
    leaf = (cst_leaf){cst_partition_letter(p, n), 0};
  if (v->op == CST_OP_INPUT)
    d->row[d->leaves] = v->b;
  else if (v->op == CST_OP_CONSTANT)
    d->row[d->leaves] = 0;
  else
    d->row[d->leaves] = n;
  z->seen[n] = z->visit;
  z->number[n] = -1 - d->leaves;
  d->leaf[d->leaves++] = leaf;
  return true;
}

/* Whether n has a number or is a leaf that gets one now. */
static bool known(cst_shaper *z, cst_node n, draft *d) {
  return z->seen[n] == z->visit || number_leaf(z, n, d);
}

/* Numbers operands before the operations that use them; false when there are too many. */
static bool write_down(cst_shaper *z, cst_node n, draft *d) {
  cst_node stack[CST_SHAPE_STEPS], a, b;
  int      depth = 0;
  stack[depth++] = n;
  while (depth) {
    const cst_node v = stack[depth - 1];
    visited(z, v, &a, &b);
    const bool has_a = known(z, a, d);
    const bool has_b = has_a && known(z, b, d);
    if (!has_b) {
      if (d->steps + depth == CST_SHAPE_STEPS)
        return false;
      stack[depth++] = has_a ? b : a;
      continue;
    }
    z->seen[v] = z->visit;
    z->number[v] = d->steps;
    d->step[d->steps++] = (cst_step){(int)z->plan->node[v].op, z->number[a], z->number[b]};
    depth--;
  }
  return true;
}

static uint64_t hash_draft(const draft *d) {
  uint64_t h = (uint64_t)d->leaves;
  for (int i = 0; i < d->steps; i++) {
    const cst_step *step = &d->step[i];
    const uint64_t  operands = (uint64_t)(uint32_t)step->a << 32 | (uint32_t)step->b;
    h = combine((uint64_t)step->op, h, operands);
  }
  for (int i = 0; i < d->leaves; i++)
    h = combine((uint64_t)d->leaf[i].letter, h, cst_bits(d->leaf[i].value));
  return h;
}

static bool same(const cst_shape *s, const draft *d, uint64_t hash) {
  if (s->hash != hash)
    return false;
  if (s->steps != d->steps)
    return false;
  if (s->leaves != d->leaves)
    return false;
  for (int i = 0; i < d->leaves; i++) {
    if (s->leaf[i].letter != d->leaf[i].letter)
      return false;
    if (cst_bits(s->leaf[i].value) != cst_bits(d->leaf[i].value))
      return false;
  }
  return !memcmp(s->step, d->step, (size_t)d->steps * sizeof *d->step);
}

static void enlarge(cst_shapes *s) {
  if (s->places)
    s->places = 2 * s->places;
  else
    s->places = 64;
  s->table = cst_expr_memory(s->table, s->places, sizeof *s->table);
  memset(s->table, 0xff, s->places * sizeof *s->table);
  for (int i = 0; i < s->shapes; i++) {
    uint32_t k = (uint32_t)s->shape[i].hash & (s->places - 1);
    while (s->table[k] >= 0)
      k = (k + 1) & (s->places - 1);
    s->table[k] = i;
  }
}

static void *copy(const void *from, int n, size_t size) {
  void *to = cst_expr_memory(NULL, (size_t)n, size);
  return memcpy(to, from, (size_t)n * size);
}

static int look_up(cst_shapes *s, const draft *d) {
  const uint64_t hash = hash_draft(d);
  if (2 * (uint32_t)s->shapes + 2 > s->places)
    enlarge(s);
  uint32_t k = (uint32_t)hash & (s->places - 1);
  for (; s->table[k] >= 0; k = (k + 1) & (s->places - 1))
    if (same(&s->shape[s->table[k]], d, hash))
      return s->table[k];
  if (s->shapes == s->capacity) {
    if (s->capacity)
      s->capacity = 2 * s->capacity;
    else
      s->capacity = 32;
    s->shape = cst_expr_memory(s->shape, (size_t)s->capacity, sizeof *s->shape);
  }
  s->shape[s->shapes] = (cst_shape){copy(d->step, d->steps, sizeof *d->step),
                                    copy(d->leaf, d->leaves, sizeof *d->leaf),
                                    d->steps,
                                    d->leaves,
                                    d->steps ? d->steps - 1 : -1,
                                    hash};
  return s->table[k] = s->shapes++;
}

int cst_shape_find(cst_shapes *s, cst_shaper *z, cst_node n, bool apart, int *row) {
  draft d;
  d.steps = d.leaves = 0;
  d.row = row;
  z->visit++;
  if (!(apart && z->plan->root[n]) && number_leaf(z, n, &d))
    return look_up(s, &d);
  if (write_down(z, n, &d))
    return look_up(s, &d);
  return -1;
}

void cst_shapes_destroy(cst_shapes *s) {
  for (int i = 0; i < s->shapes; i++) {
    free(s->shape[i].step);
    free(s->shape[i].leaf);
  }
  free(s->shape);
  free(s->table);
}
