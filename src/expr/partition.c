/* partition.c: divides the program of some outputs into straight code and loops; see partition.h.
 *
 * Values that several loops share are kept in slots where these are few enough, else computed again. Where
 * loops would take several times the operations of straight code, no loops are made.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/partition.h"

enum { MOST_REPETITION = 3, ABSENT = -1, WAITING = -2 /* stages */ };

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
  cst_partition_cut(p, threshold);
  cst_partition_group(p);
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
