/* quad.c: evaluates a tape once in quadruple precision, with the functions of libquadmath. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "expr/expr-internal.h"

static __float128 apply(cst_op op, __float128 a, __float128 b) {
  switch (op) {
  case CST_OP_ADD:
    return a + b;
  case CST_OP_SUB:
    return a - b;
  case CST_OP_MUL:
    return a * b;
  case CST_OP_DIV:
    return a / b;
  case CST_OP_NEG:
    return -a;
  case CST_OP_STEP:
    return a > 0 ? 1 : a < 0 ? 0 : a + 0.5Q;
  case CST_OP_SQRT:
    return sqrtq(a);
  case CST_OP_RSQRT:
    return 1 / sqrtq(a);
  case CST_OP_SIN:
    return sinq(a);
  case CST_OP_COS:
    return cosq(a);
  case CST_OP_TAN:
    return tanq(a);
  case CST_OP_EXP:
    return expq(a);
  case CST_OP_LOG:
    return logq(a);
  case CST_OP_ATAN2:
    return atan2q(a, b);
  case CST_OP_POW:
    return powq(a, b);
  default:
    return a;
  }
}

#define VALUE __float128
#define APPLY apply
#include "expr/tape-run.h"

void cst_tape_eval_quad(const cst_tape *t, const __float128 *const in[128], __float128 *out) {
  __float128 *scratch =
      cst_expr_memory(NULL, (size_t)t->registers + (size_t)t->nconstant, sizeof *scratch);
  __float128 *constant = scratch + t->registers;
  for (int i = 0; i < t->nconstant; i++)
    constant[i] = t->constants[0][i];
  run(t, in, constant, out, scratch);
  free(scratch);
}

#define PAIRS_TAPES
#include "expr/pair-sums.h"

void cst_pairs_eval_quad(const cst_pair_tapes *p, bool value, const int *place,
                         const __float128 *const in[128], __float128 *out) {
  const cst_tape *t = value ? p->value : p->slope;
  __float128     *scratch =
      cst_expr_memory(NULL, (size_t)t->registers + (size_t)t->nconstant, sizeof *scratch);
  __float128 *constant = scratch + t->registers;
  for (int i = 0; i < t->nconstant; i++)
    constant[i] = t->constants[0][i];
  pairs_of_tapes(p, value, place, in, constant, out, scratch);
  free(scratch);
}
