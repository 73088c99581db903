/* evaluate.c: evaluates a tape once, on scalars. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define VALUE double
#define APPLY cst_elementary_apply
#include "expr/tape-run.h"

void cst_evaluate_tape(const cst_tape *t, const double *const in[128], double *out) {
  double  few[256];
  double *scratch;
  if (t->registers <= 256)
    scratch = few;
  else
    scratch = cst_expr_memory(NULL, (size_t)t->registers, sizeof *scratch);
  run(t, in, t->constants[0], out, scratch);
  if (scratch != few)
    free(scratch);
}

#define PAIRS_TAPES
#include "expr/pair-sums.h"

void cst_evaluate_pairs(const cst_pair_tapes *p, bool value, const int *place,
                        const double *const in[128], double *out) {
  const cst_tape *t = value ? p->value : p->slope;
  double         *scratch = cst_expr_memory(NULL, (size_t)t->registers + 1, sizeof *scratch);
  pairs_of_tapes(p, value, place, in, t->constants[0], out, scratch);
  free(scratch);
}
