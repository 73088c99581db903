/* tape-run.h: runs a tape on one type of value: scalars, quadruple precision, or the lanes of one group.
 *
 * Include it once, with VALUE defined as the type and APPLY(op, a, b) as the operation; op is a constant
 * where that helps the compiler.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/tape.h"

typedef struct {
  const VALUE *base[CST_BASES];
  VALUE       *target[CST_BASE_CHUNK + 1];
} bases;

/* Values at p[i[0]], p[i[1]], ... */
typedef struct {
  const VALUE *p;
  const int   *i;
} column;

static const int together[CST_CHUNK] = {0},
                 apart[CST_CHUNK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Every operation jumps to the next one directly, which the processor predicts better than a return to a
 * common place. */
#define STEP(OP)                                                                                   \
  do_##OP : {                                                                                      \
    const VALUE a = m->base[i->abase][i->a], b = m->base[i->bbase][i->b];                          \
    m->target[i->rbase][i->r] = APPLY(CST_OP_##OP, a, b);                                          \
    i++;                                                                                           \
    goto *go[i->op];                                                                               \
  }
#define GO(OP) [CST_OP_##OP] = &&do_##OP

/* Runs straight code up to an instruction END. */
static inline void run_straight(const cst_instruction *i, const bases *m) {
  static const void *const go[] = {
#define OPERATION(OP, ...) GO(OP),
#include "expr/operations.h"
      GO(COPY), GO(END)};
  goto *go[i->op];
#define OPERATION(OP, ...) STEP(OP)
#include "expr/operations.h"
  STEP(COPY)
do_END:
  return;
}
#undef STEP
#undef GO

/* The operands of the rows from `row` on. */
static inline column column_of(const bases *m, const cst_loop *l, int row, int base, int index) {
  if (base == CST_BASE_CHUNK)
    return (column){m->base[base] + (long)index * CST_CHUNK, apart};
  if (base == CST_BASE_CONSTANT)
    return (column){m->base[base] + index, together};
  return (column){m->base[base], l->index + (long)index * l->rows + row};
}

#define EACH(OP)                                                                                   \
  case OP:                                                                                         \
    for (int j = 0; j < n; j++)                                                                    \
      r[to[j]] = APPLY(OP, a.p[a.i[j]], b.p[b.i[j]]);                                              \
    break;

static inline void run_instruction(cst_op op, int n, VALUE *r, const int *to, column a, column b) {
  switch (op) {
    EACH(CST_OP_ADD)
    EACH(CST_OP_SUB)
    EACH(CST_OP_MUL)
    EACH(CST_OP_DIV)
    EACH(CST_OP_NEG)
    EACH(CST_OP_SQRT)
    EACH(CST_OP_RSQRT)
    EACH(CST_OP_COPY)
  default:
    for (int j = 0; j < n; j++)
      r[to[j]] = APPLY(op, a.p[a.i[j]], b.p[b.i[j]]);
  }
}
#undef EACH

/* Runs the body of a loop on n rows from `row` on. */
static inline void run_body(const cst_tape *t, const cst_tape_block *k, const bases *m, int row,
                            int n) {
  const cst_loop *l = &t->loops.loop[k->loop];
  for (const cst_instruction *i = t->code + k->first, *end = i + k->length; i < end; i++) {
    const column a = column_of(m, l, row, i->abase, i->a), b = column_of(m, l, row, i->bbase, i->b);
    VALUE       *r = m->target[i->rbase];
    if (i->rbase == CST_BASE_CHUNK)
      run_instruction((cst_op)i->op, n, r + (long)i->r * CST_CHUNK, apart, a, b);
    else
      run_instruction((cst_op)i->op, n, r, l->place + row, a, b);
  }
}

static inline int least(int a, int b) { return a < b ? a : b; }

static inline void run_values(const cst_tape *t, const cst_tape_block *k, const bases *m) {
  const int rows = t->loops.loop[k->loop].rows;
  for (int row = 0; row < rows; row += CST_CHUNK)
    run_body(t, k, m, row, least(CST_CHUNK, rows - row));
}

static inline VALUE run_sum(const cst_tape *t, const cst_tape_block *k, const bases *m, VALUE total,
                            int from, int to) {
  const cst_loop *l = &t->loops.loop[k->loop];
  for (int row = from; row < to; row += CST_CHUNK) {
    const int n = least(CST_CHUNK, to - row);
    run_body(t, k, m, row, n);
    const column c = column_of(m, l, row, k->term.base, k->term.index);
    if (l->sign == CST_OP_ADD)
      for (int j = 0; j < n; j++)
        total = APPLY(CST_OP_ADD, total, c.p[c.i[j]]);
    else
      for (int j = 0; j < n; j++)
        total = APPLY(CST_OP_SUB, total, c.p[c.i[j]]);
  }
  return total;
}

static inline void run_sums(const cst_tape *t, const cst_tape_block *k, const bases *m) {
  const cst_loop *l = &t->loops.loop[k->loop];
  VALUE          *target = m->target[l->letter == CST_FROM_OUT ? CST_BASE_OUT : CST_BASE_SCRATCH];
  for (int s = 0; s < l->sums; s++) {
    const int at = k->start.base == CST_BASE_CONSTANT ? k->start.index : l->origin[s];
    target[l->place[s]] =
        run_sum(t, k, m, m->base[k->start.base][at], l->first[s], l->first[s + 1]);
  }
}

/* Bases that no instruction uses stay unset. */
static inline void set_bases(const cst_tape *t, const VALUE *const in[128], const VALUE *constant,
                             VALUE *out, VALUE *scratch, bases *m) {
  m->base[CST_BASE_SCRATCH] = m->target[CST_BASE_SCRATCH] = scratch;
  m->base[CST_BASE_OUT] = m->target[CST_BASE_OUT] = out;
  m->base[CST_BASE_CHUNK] = m->target[CST_BASE_CHUNK] = scratch + t->chunk;
  m->base[CST_BASE_CONSTANT] = constant;
  for (int j = 0; j < t->letters; j++)
    m->base[CST_BASE_INPUT + j] = in[(int)t->letter[j]];
}

static inline void run_blocks(const cst_tape *t, const bases *m) {
  for (const cst_tape_block *k = t->block, *end = k + t->blocks; k < end; k++) {
    if (k->loop < 0)
      run_straight(t->code + k->first, m);
    else if (t->loops.loop[k->loop].sums)
      run_sums(t, k, m);
    else
      run_values(t, k, m);
  }
}

static inline void run(const cst_tape *t, const VALUE *const in[128], const VALUE *constant,
                       VALUE *out, VALUE *scratch) {
  bases m;
  set_bases(t, in, constant, out, scratch, &m);
  run_blocks(t, &m);
}
