/* evaluate.c: a tape evaluated once, with scalars. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define VALUE double
#define APPLY cst_op_apply
#include "expr/run.h"

void cst_tape_eval(const cst_tape *t, const double *const in[128], double *out) {
  double few[256], *scratch = t->registers <= 256 ? few : cst_expr_memory(NULL, (size_t)t->registers, sizeof *scratch);
  run(t, in, t->constants[0], out, scratch);
  if (scratch != few) free(scratch);
}
