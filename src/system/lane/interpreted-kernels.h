/* interpreted-kernels.h: the kernels of a system with other roundings: every output of a kernel is off by as much as the operations
 * inside it may round, at random up or down, so that what is computed from it shows what their round-off makes of it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_INTERPRETED_KERNELS_H
#define CST_INTERPRETED_KERNELS_H
#include "system/lane/record.h"

/* The kernels of `of`. Outputs are off by the bound (expr/bound.h); all inputs but parameters are uncertain by half an ulp.
 * The signs are drawn from `state`, the same for every lane, so that lanes do not depend on each other. */
typedef struct {
  const cst_context *of;
  int                W,
      apart; /* lanes; how many from the first on differ: the others are copies of the last of these */
  unsigned long state;
} cst_rounding;

/* The next of random bits: a linear congruential generator, whose high bits are good (Knuth, TAOCP 2, 3.3.4). */
static inline unsigned long cst_rounding_draw(unsigned long *state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return *state >> 33;
}

/* The kernels of a context whose `self` is a cst_rounding. */
extern cst_kernel *const cst_rounding_kernels[CST_K_COUNT];
#endif
