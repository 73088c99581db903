/* interpret.c: a tape run over the lanes of one group. Compiled once for every instruction set (see lanes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "expr/expr-internal.h"

enum { LOG2_W = CST_W == 2 ? 1 : CST_W == 4 ? 2 : 3 };

CST_INLINE vd apply(cst_op op, vd a, vd b) {
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
  case CST_OP_SQRT:
    return vsqrt(a);
  case CST_OP_SIN:
    return vsin(a);
  case CST_OP_COS:
    return vcos(a);
  case CST_OP_TAN:
    return vtan(a);
  case CST_OP_EXP:
    return vexp(a);
  case CST_OP_LOG:
    return vlog(a);
  case CST_OP_ATAN2:
    return vatan2(a, b);
  case CST_OP_POW:
    return vpow(a, b);
  default:
    return a;
  }
}

void CST_NAME(cst_tape_run)(const cst_tape *t, const double *const in[128], double *out, double *scratch) {
  const double *base[CST_BASES] = {scratch, out, t->constants[LOG2_W]};
  double *const target[] = {scratch, out};
  for (int j = 0; j < t->letters; j++) base[CST_BASE_INPUT + j] = in[(int)t->letter[j]];
  for (const cst_instruction *i = t->code, *end = i + t->length; i < end; i++) {
    const vd a = *(const vd *)(base[i->abase] + (long)i->a * CST_W), b = *(const vd *)(base[i->bbase] + (long)i->b * CST_W);
    *(vd *)(target[i->rbase] + (long)i->r * CST_W) = apply((cst_op)i->op, a, b);
  }
}
