/* cuts.h: where expressions may jump: at the cut of atan2, and at the poles of tan and of quotients. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_CUTS_H
#define CST_EXPR_CUTS_H
#include "constella/expr.h"

/* What has `sign` as a sign jumps where that changes: y of atan2(y, x), cos(x) of tan(x), b of a/b. beside: x of atan2(y, x),
 * which jumps where x < 0 only; else -1. */
typedef struct {
  const char *what; /* "atan2", "tan", "a quotient" */
  cst_node    sign, beside;
} cst_cut;

/* The operations in out that depend on an input of the arrays, "qv", and may jump, in *cut (owned, free()). Returns their
 * number. Divisors that have one sign by their form, such as sums of squares and roots, are left out. The cosines are new
 * nodes of g. */
int cst_graph_cuts(cst_graph *g, const cst_node *out, int nout, const char *arrays, cst_cut **cut);
#endif
