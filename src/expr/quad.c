/* quad.c: evaluates a tape once in quadruple precision, with the functions of libquadmath. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "expr/expr-internal.h"

static __float128 apply(cst_op op, __float128 a, __float128 b) {
  switch (op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define QUAD(x) return x;
#define ANY(x)  return x;
#include "expr/operations.h"
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
