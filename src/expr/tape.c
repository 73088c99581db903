/* tape.c: makes the tape of some outputs: instructions in the order of the plan; registers are reused after
 * the last use of their value.
 *
 * A value that is an output is written directly to its place there, and later instructions read it back. The
 * first registers are the slots, which keep their values; after the registers of straight code come the
 * chunks for the bodies of loops.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/tape.h"
#include "expr/tape-lanes.h"

typedef struct {
  const cst_partition *p;
  cst_tape            *tape;
  cst_where           *where; /* of every node; base -1: none yet */
  int                 *last;  /* the last straight operation that uses it, -1: none */
  int                 *free;  /* stack of free registers */
  int                  nfree, capacity, chunks;
  double              *constant;
} builder;

static int letter_base(cst_tape *t, int letter) {
  if (letter == CST_FROM_SLOT)
    return CST_BASE_SCRATCH;
  if (letter == CST_FROM_OUT)
    return CST_BASE_OUT;
  int j = 0;
  while (j < t->letters && t->letter[j] != letter)
    j++;
  if (j == t->letters)
    t->letter[t->letters++] = (char)letter;
  return CST_BASE_INPUT + j;
}

static cst_where add_constant(builder *b, double value) {
  const int  n = b->tape->nconstant++;
  const bool full = !(n & (n + 1)); /* the room is a power of two less one */
  if (full)
    b->constant = cst_expr_memory(b->constant, 2 * (size_t)n + 2, sizeof *b->constant);
  b->constant[n] = value;
  return (cst_where){CST_BASE_CONSTANT, n};
}

/* The place of a value; leaves get theirs at the first use. */
static cst_where locate(builder *b, cst_node n) {
  const cst_vertex *v = &b->p->node[n];
  if (b->where[n].base < 0 && v->op == CST_OP_INPUT)
    b->where[n] = (cst_where){letter_base(b->tape, v->a), v->b};
  if (b->where[n].base < 0 && v->op == CST_OP_CONSTANT)
    b->where[n] = add_constant(b, v->value);
  return b->where[n];
}

static void release(builder *b, cst_node n, int position) {
  if (b->where[n].base != CST_BASE_SCRATCH)
    return;
  if (b->p->slot[n] >= 0)
    return;
  if (b->last[n] != position)
    return;
  b->last[n] = -1; /* both operands may be the same node */
  b->free[b->nfree++] = b->where[n].index;
}

static void append(builder *b, cst_op op, cst_where r, cst_where x, cst_where y) {
  cst_tape *t = b->tape;
  if (t->length == b->capacity) {
    b->capacity = 2 * b->capacity + 16;
    t->code = cst_expr_memory(t->code, (size_t)b->capacity, sizeof *t->code);
  }
  t->code[t->length++] = (cst_instruction){.op = (uint8_t)op,
                                           .rbase = (uint8_t)r.base,
                                           .abase = (uint8_t)x.base,
                                           .bbase = (uint8_t)y.base,
                                           .r = r.index,
                                           .a = x.index,
                                           .b = y.index};
}

/* Appends straight operation i of the plan. */
static void append_operation(builder *b, int i) {
  const cst_node    n = b->p->straight[i];
  const cst_vertex *v = &b->p->node[n];
  const cst_where   x = locate(b, v->a);
  const cst_where   y = v->b < 0 ? x : locate(b, v->b);
  release(b, v->a, i);
  if (v->b >= 0)
    release(b, v->b, i);
  if (b->where[n].base < 0) {
    int place;
    if (b->nfree)
      place = b->free[--b->nfree];
    else
      place = b->tape->registers++;
    b->where[n] = (cst_where){CST_BASE_SCRATCH, place};
  }
  append(b, v->op, b->where[n], x, y);
}

/* Finds last uses and the places of outputs and of values in slots. */
static void prepare(builder *b) {
  const cst_partition *p = b->p;
  for (int n = 0; n < p->size; n++) {
    b->where[n] = (cst_where){-1, 0};
    b->last[n] = -1;
    if (p->slot[n] >= 0)
      b->where[n] = (cst_where){CST_BASE_SCRATCH, p->slot[n]};
    if (p->home[n] >= 0)
      b->where[n] = (cst_where){CST_BASE_OUT, p->home[n]};
  }
  for (int i = 0; i < p->nstraight; i++) {
    const cst_vertex *v = &p->node[p->straight[i]];
    b->last[v->a] = i;
    if (v->b >= 0)
      b->last[v->b] = i;
  }
}

static void append_copies(builder *b) {
  const cst_partition *p = b->p;
  for (int k = 0; k < p->nout; k++) {
    if (p->out[k] < 0)
      continue;
    if (p->done[k])
      continue;
    const cst_where w = locate(b, p->out[k]);
    if (w.base != CST_BASE_OUT || w.index != k)
      append(b, CST_OP_COPY, (cst_where){CST_BASE_OUT, k}, w, w);
  }
}

/* Makes a block of everything since the last one; NULL where it is empty and straight. */
static cst_tape_block *end_block(builder *b, int loop) {
  cst_tape *t = b->tape;
  int       first = 0;
  if (t->blocks) {
    const cst_tape_block *last = &t->block[t->blocks - 1];
    first = last->first + last->length;
  }
  cst_tape_block *k = &t->block[t->blocks];
  if (loop < 0 && t->length > first)
    append(b, CST_OP_END, (cst_where){0}, (cst_where){0}, (cst_where){0});
  *k = (cst_tape_block){.first = first, .length = t->length - first, .loop = loop};
  t->blocks += k->length > 0 || loop >= 0;
  return k;
}

/* An operand of a step: a leaf, or the register of an earlier step. */
static cst_where body_operand(builder *b, const cst_shape *s, const int *reg, int operand) {
  if (operand >= 0)
    return (cst_where){CST_BASE_CHUNK, reg[operand]};
  const cst_leaf *leaf = &s->leaf[-1 - operand];
  if (leaf->letter == CST_FROM_CONSTANT)
    return add_constant(b, leaf->value);
  return (cst_where){letter_base(b->tape, leaf->letter), -1 - operand};
}

/* Appends the steps of a shape; the result goes into a register of the chunk or, for values, to the row's
 * place. */
static cst_where append_body(builder *b, const cst_shape *s, const cst_where *place) {
  int last[CST_SHAPE_STEPS];
  int reg[CST_SHAPE_STEPS];
  int free[CST_SHAPE_STEPS];
  int nfree = 0;
  int used = 0;
  for (int i = 0; i < s->steps; i++) {
    last[i] = -1;
    if (s->step[i].a >= 0)
      last[s->step[i].a] = i;
    if (s->step[i].b >= 0)
      last[s->step[i].b] = i;
  }
  for (int i = 0; i < s->steps; i++) {
    const int       operand[] = {s->step[i].a, s->step[i].b};
    const cst_where x = body_operand(b, s, reg, operand[0]);
    const cst_where y = operand[1] == operand[0] ? x : body_operand(b, s, reg, operand[1]);
    for (int j = 0; j < 2; j++) {
      if (operand[j] < 0)
        continue;
      if (last[operand[j]] != i)
        continue;
      last[operand[j]] = -1;
      free[nfree++] = reg[operand[j]];
    }
    const bool end = place && i == s->steps - 1;
    if (!end)
      reg[i] = nfree ? free[--nfree] : used++;
    const cst_where to = end ? *place : (cst_where){CST_BASE_CHUNK, reg[i]};
    append(b, (cst_op)s->step[i].op, to, x, y);
  }
  if (used > b->chunks)
    b->chunks = used;
  if (place && s->steps)
    return *place;
  return body_operand(b, s, reg, s->result);
}

static void append_loop(builder *b, int loop) {
  const cst_loop  *l = &b->tape->loops.loop[loop];
  const cst_shape *s = &b->tape->loops.shapes.shape[l->shape];
  const cst_where  place = {letter_base(b->tape, l->letter), 0};
  const cst_where  value = append_body(b, s, l->sums ? NULL : &place);
  if (!l->sums && !s->steps)
    append(b, CST_OP_COPY, place, value, value);
  cst_tape_block *k = end_block(b, loop);
  if (!l->sums)
    return;
  k->term = value;
  if (l->start.letter == CST_FROM_CONSTANT)
    k->start = add_constant(b, l->start.value);
  else
    k->start = (cst_where){letter_base(b->tape, l->start.letter), 0};
}

static void append_all(builder *b) {
  cst_tape            *t = b->tape;
  const cst_partition *p = b->p;
  const int            loops = t->loops.count;
  int                  next = 0;
  t->block = cst_expr_memory(NULL, 2 * (size_t)loops + 2, sizeof *t->block);
  for (int s = 0; s <= loops; s++) {
    for (; next < p->nstraight && p->stage[p->straight[next]] == s; next++)
      append_operation(b, next);
    if (s == loops)
      append_copies(b);
    end_block(b, -1);
    if (s < loops)
      append_loop(b, s);
  }
}

static void spread_constants(cst_tape *t, const double *constant, int n) {
  for (int s = 0; s < 4; s++) {
    const size_t w = (size_t)1 << s;
    t->constants[s] = cst_need(aligned_alloc(64, ((size_t)n * w * sizeof(double) + 64) / 64 * 64));
    for (size_t i = 0; i < (size_t)n * w; i++)
      t->constants[s][i] = constant[i / w];
  }
}

cst_tape *cst_tape_create(const cst_graph *g, const cst_node *out, int nout) {
  cst_partition p;
  cst_partition_create(&p, g, out, nout, cst_graph_most(g));
  cst_tape *t = cst_expr_memory(NULL, 1, sizeof *t);
  *t = (cst_tape){.outputs = nout, .registers = p.slots, .loops = p.loops};
  p.loops = (cst_loops){0};
  const size_t size = (size_t)p.size;
  builder      b = {.p = &p,
                    .tape = t,
                    .where = cst_expr_memory(NULL, size, sizeof *b.where),
                    .last = cst_expr_memory(NULL, size, sizeof *b.last),
                    .free = cst_expr_memory(NULL, (size_t)p.nstraight, sizeof *b.free)};
  prepare(&b);
  append_all(&b);
  t->chunk = t->registers;
  t->registers += CST_CHUNK * b.chunks;
  spread_constants(t, b.constant, t->nconstant);
  free(b.constant);
  free(b.free);
  free(b.last);
  free(b.where);
  cst_partition_destroy(&p);
  return t;
}

void cst_tape_destroy(cst_tape *t) {
  if (!t)
    return;
  for (int s = 0; s < 4; s++)
    free(t->constants[s]);
  cst_partition_loops_destroy(&t->loops);
  free(t->block);
  free(t->code);
  free(t);
}

bool cst_tape_is_wide(const cst_tape *t) {
  enum { MOST = 32 };
  return t->blocks == 1 && t->block->loop < 0 && t->registers <= MOST;
}

bool cst_tape_is_input(const cst_tape *t, char *letter, int *index) {
  const bool             straight = t->outputs == 1 && t->blocks == 1 && t->block->loop < 0;
  const cst_instruction *i = t->code + (t->blocks ? t->block->first : 0);
  if (!straight || i->op != CST_OP_COPY || i[1].op != CST_OP_END || i->abase < CST_BASE_INPUT)
    return false;
  *letter = t->letter[i->abase - CST_BASE_INPUT];
  *index = i->a;
  return true;
}

int cst_tape_along_registers(const cst_tape *t) {
  return cst_tape_is_wide(t) ? CST_CHUNK * t->registers : t->registers;
}

int cst_tape_registers(const cst_tape *t) { return t->registers; }

int cst_tape_outputs(const cst_tape *t) { return t->outputs; }
