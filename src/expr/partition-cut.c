/* partition-cut.c: cuts the expressions of a program: at outputs, at long sums and at expensive shared
 * subexpressions.
 *
 * The value at a cut (a root) is computed once, in a loop with similar values, and read back; cheap shared
 * values are computed again at each use. A unit is an expression between cuts: the expression of a root, or
 * one term of a sum.
 *
 * A sum is a chain of + or - whose partial sums have no other use: ((t1 + t2) + t3) + ..., with the chain on
 * either side of +. The order of additions is kept. A hash of their operations identifies the terms; other
 * terms at either end stay outside.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/partition.h"

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

void cst_partition_cut(cst_partition *p, int threshold) {
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
