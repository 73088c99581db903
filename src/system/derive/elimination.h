/* elimination.h: which entries of the matrices of Newton's method are filled when a general system is stepped
 * in its variational form.
 *
 * With u the velocity at a point where L is taken, the derivatives of the equations for p by it are M + (D_q
 * L_v) and its like; the order of elimination is that of the coordinates. Lane code skips what is zero, and
 * skips the same whether it is compiled for the system or not.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ELIMINATION_H
#define CST_ELIMINATION_H
#include "system/system.h"

/* [nq * nq] each, row-major, 1 where an entry may be nonzero, and but for `across` where elimination makes
 * one; diagonals are 1. */
typedef struct {
  unsigned char *mass;   /* M */
  unsigned char *ends;   /* M, D_q L_v, its transpose and D_v F: L taken at an end of the step */
  unsigned char *inside; /* these and D_q (L_q + F): at a point within */
  /* D_q L_v, its transpose and D_v F: what the equations at one end have of the velocity at the
   * other */
  unsigned char *across;
  /* products of a factorisation and a solution with 1 + ng right hand sides of `ends`, twice */
  long work;
} cst_elimination;

/* NULL where s is no general system, or one too large for dense matrices. Owned. */
cst_elimination *cst_elimination_create(const cst_system *s);
void             cst_elimination_destroy(cst_elimination *e);
#endif
