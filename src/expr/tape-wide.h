/* tape-wide.h: runs a short straight tape on the lanes of a group at several states, instruction by
 * instruction, so that these states share the cost of decoding; included by interpret.c.
 *
 * Registers have a row of CST_CHUNK states each.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* A value at the first state; those of the next ones are `step` vectors on. */
typedef struct {
  const vd *at;
  size_t    step;
} course;

static inline course course_of(const bases *m, const size_t *step, int base, int index) {
  if (base == CST_BASE_SCRATCH)
    return (course){m->base[base] + (long)index * CST_CHUNK, 1};
  return (course){m->base[base] + index, step[base]};
}

#define EACH(OP)                                                                                   \
  case OP:                                                                                         \
    for (int j = 0; j < n; j++)                                                                    \
      to[j] = apply(OP, a.at[(size_t)j * a.step], b.at[(size_t)j * b.step]);                       \
    break;

static inline void run_wide_instruction(cst_op op, int n, vd *to, course a, course b) {
  switch (op) {
    EACH(CST_OP_ADD)
    EACH(CST_OP_SUB)
    EACH(CST_OP_MUL)
    EACH(CST_OP_DIV)
    EACH(CST_OP_NEG)
    EACH(CST_OP_SQRT)
    EACH(CST_OP_COPY)
  default:
    for (int j = 0; j < n; j++)
      to[j] = apply(op, a.at[(size_t)j * a.step], b.at[(size_t)j * b.step]);
  }
}
#undef EACH

/* At n states, at most CST_CHUNK; its single output goes to value[n]. */
static void run_wide(const cst_tape *t, int n, const bases *m, const size_t step[128]) {
  size_t by[CST_BASES] = {[CST_BASE_OUT] = 1};
  for (int j = 0; j < t->letters; j++)
    by[CST_BASE_INPUT + j] = step[(int)t->letter[j]] / CST_W;
  for (const cst_instruction *i = t->code + t->block->first; i->op != CST_OP_END; i++) {
    const course a = course_of(m, by, i->abase, i->a);
    const course b = course_of(m, by, i->bbase, i->b);
    vd          *to = m->target[i->rbase] + (i->rbase == CST_BASE_SCRATCH ? i->r * CST_CHUNK : 0);
    run_wide_instruction((cst_op)i->op, n, to, a, b);
  }
}
