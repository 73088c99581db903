/* interpret.c: runs a tape over the lanes of one group. Compiled once per instruction set (see lanes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef __clang__  /* for which sleef.h declares other types of results */
#include <sleef.h> /* first: what lanes.h declares of it is compared */
#endif
#include "constella/lanes.h"
#include "core/inverse-root.h"
#include "expr/expr-internal.h"
#include "expr/tape-lanes.h"

enum { LOG2_W = CST_W == 1 ? 0 : CST_W == 2 ? 1 : CST_W == 4 ? 2 : 3 };

CST_INLINE vd apply(cst_op op, vd a, vd b) {
  switch (op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define LANES(f, ...) return f(__VA_ARGS__);
#define ANY(x)        return x;
#include "expr/operations.h"
  default:
    return a;
  }
}

#define VALUE vd
#define APPLY apply
#include "expr/tape-run.h"

/* ---- several states at once ------------------------------------------------------------------ */

/* A short straight tape runs at several states, instruction by instruction, so that these states share the cost of
 * decoding. Registers have a row of CST_CHUNK states each. */

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

static void run_group(const cst_tape *t, const double *const in[128], double *out,
                      double *scratch) {
  run(t, (const vd *const *)in, (const vd *)t->constants[LOG2_W], (vd *)out, (vd *)scratch);
}

static void measure(const cst_tape *t, const double *const in[128], double *value, double *size,
                    double *scratch) {
  run(t, (const vd *const *)in, (const vd *)t->constants[LOG2_W], (vd *)value, (vd *)scratch);
  *(vd *)size = vabs(*(const vd *)value);
}

/* To the state after n more. */
CST_INLINE void go_on(const cst_tape *t, int n, const size_t step[128], bases *m) {
  m->target[CST_BASE_OUT] += n;
  m->base[CST_BASE_OUT] += n;
  for (int j = 0; j < t->letters; j++)
    m->base[CST_BASE_INPUT + j] += (size_t)n * step[(int)t->letter[j]] / CST_W;
}

static void run_each(const cst_tape *t, int n, bases m, const size_t step[128]) {
  for (int i = 0; i < n; i++) {
    run_blocks(t, &m);
    go_on(t, 1, step, &m);
  }
}

static void run_chunks(const cst_tape *t, int n, bases m, const size_t step[128]) {
  for (int i = 0; i < n; i += CST_CHUNK) {
    run_wide(t, n - i < CST_CHUNK ? n - i : CST_CHUNK, &m, step);
    go_on(t, CST_CHUNK, step, &m);
  }
}

static void along(const cst_tape *t, int n, const double *const in[128], const size_t step[128],
                  double *value, double *scratch) {
  bases m;
  set_bases(t, (const vd *const *)in, (const vd *)t->constants[LOG2_W], (vd *)value, (vd *)scratch,
            &m);
  if (cst_tape_is_wide(t))
    run_chunks(t, n, m, step);
  else
    run_each(t, n, m, step);
}

static int bits_of(vl m) {
  int bits = 0;
  for (int l = 0; l < CST_W; l++)
    bits |= (m[l] != 0) << l;
  return bits;
}

static int signs(const cst_tape *t, int n, const double *const in[128], const size_t step[128],
                 const double *before, double *value, double *scratch) {
  const vd from = *(const vd *)before;
  vl       same = vmask(1);
  along(t, n, in, step, value, scratch);
  for (int i = 0; i < n; i++)
    same &= (vl)(from * ((const vd *)value)[i] > 0);
  return vany(~same) ? bits_of(~same) : 0;
}

#define PAIRS_TAPES
#include "expr/pair-sums.h"

static void pairs(const cst_pair_tapes *p, bool value, const int *place,
                  const double *const in[128], double *out, double *scratch) {
  const cst_tape *t = value ? p->value : p->slope;
  pairs_of_tapes(p, value, place, (const vd *const *)in, (const vd *)t->constants[LOG2_W],
                 (vd *)out, (vd *)scratch);
}

extern const cst_tape_lanes CST_NAME(cst_interpret);
const cst_tape_lanes        CST_NAME(cst_interpret) = {run_group, measure, along, signs, pairs};
