/* lie.c: the core of lie-euler-a, lie-euler-b and lie-lobatto: forces and impulses at the ends of a drift in
 * one piece (core/lie.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         lie
#define PIECES       1
#define CST_ROW_NAME "lie"
#define COMPILED_FOR .needs = CST_SEPARABLE | CST_BODIES, .lacks = CST_JOINED, .before = true
#include "method/core/lie-row.h"
#ifdef CST_W
#include "method/core/lie.h"
#else
cst_substep cst_lie(double fraction, double w0, double w1, bool exponential, const cst_text *tau) {
  return cst_substep_of(&row, fraction, &(struct parameters){w0, w1, exponential, tau});
}
#endif
