/* bound.h: a tape with a bound of the rounding error of its outputs: running error analysis (N. J. Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd edition, section 3.3), operation by operation.
 *
 * Errors are in units of the round-off u = 2^-53, so that those of subnormal numbers are numbers: an output differs from
 * what exact arithmetic would make of the same inputs by at most u `error`. An input's own error comes with it; constants
 * have none. Not finite where nothing can be said, as for the logarithm of a number that may be 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_BOUND_H
#define CST_EXPR_BOUND_H
#include <math.h>
#include "constella/expr.h"

/* The error that an operation makes at least, of numbers that are 0 or subnormal: 2^-1074. */
#define CST_BOUND_FLOOR 0x1p-1021

typedef struct {
  double value, error;
} cst_bounded;

/* x + y, and x y. */
static inline cst_bounded cst_bounded_sum(cst_bounded x, cst_bounded y) {
  const double z = x.value + y.value;
  return (cst_bounded){z, x.error + y.error + fabs(z)};
}

static inline cst_bounded cst_bounded_product(cst_bounded x, cst_bounded y) {
  const double z = x.value * y.value;
  const double both = 0x1p-53 * x.error * y.error;
  return (cst_bounded){z, fabs(x.value) * y.error + fabs(y.value) * x.error + both + fabs(z) +
                              CST_BOUND_FLOOR};
}

/* Numbers of each letter that a run of the tape reads: reach[letter]; of the others 0. */
void cst_tape_reach(const cst_tape *t, int reach[128]);
void cst_tape_bound(const cst_tape *t, const cst_bounded *const in[128], cst_bounded *out);
/* Adds the sums over pairs: cst_evaluate_pairs. */
void cst_pairs_bound(const cst_pair_tapes *p, bool value, const int *place,
                     const cst_bounded *const in[128], cst_bounded *out);
#endif
