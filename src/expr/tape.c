/* tape.c: the tape of some outputs: instructions in the order of cst_graph_order, registers reused once their value is dead.
 *
 * A value that is an output is written straight to its place there, and read back from there by later instructions.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/expr-internal.h"

typedef struct {
  int base, index;
} place;

typedef struct {
  const cst_graph *g;
  cst_tape        *tape;
  place           *where; /* of every node; base -1 before it has one */
  int             *last;  /* the instruction that uses it last */
  int             *free;  /* stack of free registers */
  int              nfree, nconstant;
  double          *constant;
} builder;

static int letter_base(cst_tape *t, char letter) {
  int j = 0;
  while (j < t->letters && t->letter[j] != letter) j++;
  if (j == t->letters) t->letter[t->letters++] = letter;
  return CST_BASE_INPUT + j;
}

/* Where a value is; leaves get their place when they are first used. */
static place locate(builder *b, cst_node n) {
  const cst_vertex *v = &b->g->node[n];
  if (b->where[n].base < 0 && v->op == CST_OP_INPUT) b->where[n] = (place){letter_base(b->tape, (char)v->a), v->b};
  if (b->where[n].base < 0 && v->op == CST_OP_CONSTANT) {
    b->where[n] = (place){CST_BASE_CONSTANT, b->nconstant};
    b->constant = cst_expr_memory(b->constant, (size_t)b->nconstant + 1, sizeof *b->constant);
    b->constant[b->nconstant++] = v->value;
  }
  return b->where[n];
}

static void release(builder *b, cst_node n, int instruction) {
  if (b->where[n].base != CST_BASE_SCRATCH || b->last[n] != instruction) return;
  b->last[n] = -1; /* both operands may be this one */
  b->free[b->nfree++] = b->where[n].index;
}

static void append(builder *b, cst_op op, place r, place x, place y) {
  b->tape->code[b->tape->length++] = (cst_instruction){.op = (uint8_t)op,
                                                       .rbase = (uint8_t)r.base,
                                                       .abase = (uint8_t)x.base,
                                                       .bbase = (uint8_t)y.base,
                                                       .r = r.index,
                                                       .a = x.index,
                                                       .b = y.index};
}

static void append_operation(builder *b, cst_node n) {
  const cst_vertex *v = &b->g->node[n];
  const int         i = b->tape->length;
  const place       x = locate(b, v->a), y = v->b < 0 ? x : locate(b, v->b);
  release(b, v->a, i);
  if (v->b >= 0) release(b, v->b, i);
  if (b->where[n].base < 0) b->where[n] = (place){CST_BASE_SCRATCH, b->nfree ? b->free[--b->nfree] : b->tape->registers++};
  append(b, v->op, b->where[n], x, y);
}

/* last uses among order[0..count); the first output place of every operation. */
static void prepare(builder *b, const cst_node *order, int count, const cst_node *out, int nout) {
  for (int i = 0; i < b->g->size; i++) b->where[i].base = b->last[i] = -1;
  for (int i = 0; i < count; i++) {
    const cst_vertex *v = &b->g->node[order[i]];
    b->last[v->a] = i;
    if (v->b >= 0) b->last[v->b] = i;
  }
  for (int k = nout - 1; k >= 0; k--)
    if (out[k] >= 0 && !cst_op_leaf(b->g->node[out[k]].op)) b->where[out[k]] = (place){CST_BASE_OUT, k};
}

static void append_copies(builder *b, const cst_node *out, int nout) {
  for (int k = 0; k < nout; k++) {
    if (out[k] < 0) continue;
    const place p = locate(b, out[k]);
    if (p.base != CST_BASE_OUT || p.index != k) append(b, CST_OP_COPY, (place){CST_BASE_OUT, k}, p, p);
  }
}

static void spread_constants(cst_tape *t, const double *constant, int n) {
  for (int s = 0; s < 4; s++) {
    const size_t w = (size_t)1 << s;
    t->constants[s] = aligned_alloc(64, ((size_t)n * w * sizeof(double) + 64) / 64 * 64);
    if (!t->constants[s]) fprintf(stderr, "constella: out of memory for expressions\n"), abort();
    for (size_t i = 0; i < (size_t)n * w; i++) t->constants[s][i] = constant[i / w];
  }
}

cst_tape *cst_tape_create(const cst_graph *g, const cst_node *out, int nout) {
  int       count;
  cst_node *order = cst_graph_order(g, out, nout, &count);
  cst_tape *t = cst_expr_memory(NULL, 1, sizeof *t);
  *t = (cst_tape){.outputs = nout, .code = cst_expr_memory(NULL, (size_t)count + (size_t)nout, sizeof *t->code)};
  const size_t size = (size_t)g->size;
  builder      b = {.g = g,
                    .tape = t,
                    .where = cst_expr_memory(NULL, size, sizeof *b.where),
                    .last = cst_expr_memory(NULL, size, sizeof *b.last),
                    .free = cst_expr_memory(NULL, (size_t)count, sizeof *b.free)};
  prepare(&b, order, count, out, nout);
  for (int i = 0; i < count; i++) append_operation(&b, order[i]);
  append_copies(&b, out, nout);
  spread_constants(t, b.constant, b.nconstant);
  free(b.constant);
  free(b.free);
  free(b.last);
  free(b.where);
  free(order);
  return t;
}

void cst_tape_destroy(cst_tape *t) {
  if (!t) return;
  for (int s = 0; s < 4; s++) free(t->constants[s]);
  free(t->code);
  free(t);
}

int cst_tape_registers(const cst_tape *t) { return t->registers; }

int cst_tape_outputs(const cst_tape *t) { return t->outputs; }

void cst_tape_eval(const cst_tape *t, const double *const in[128], double *out) {
  double        few[256], *scratch = t->registers <= 256 ? few : cst_expr_memory(NULL, (size_t)t->registers, sizeof *scratch);
  const double *base[CST_BASES] = {scratch, out, t->constants[0]};
  double *const target[] = {scratch, out};
  for (int j = 0; j < t->letters; j++) base[CST_BASE_INPUT + j] = in[(int)t->letter[j]];
  for (const cst_instruction *i = t->code, *end = i + t->length; i < end; i++)
    target[i->rbase][i->r] = cst_op_apply((cst_op)i->op, base[i->abase][i->a], base[i->bbase][i->b]);
  if (scratch != few) free(scratch);
}
