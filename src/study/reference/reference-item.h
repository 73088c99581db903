/* reference-item.h: a task of the reference that is being computed, shared by reference-item.c and
 * reference-midway.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REFERENCE_ITEM_H
#define CST_REFERENCE_ITEM_H
#include "study/reference/motion.h"
#include "study/reference/reference.h"

struct cst_item {
  cst_reference      *r;
  long                index;
  cst_reference_share x;
  int                 time; /* index of the next time to read */
  long                done; /* steps done towards it */
  cst_stepper        *st;   /* in double precision; NULL in quadruple */
  cst_batch           b;
  double             *lambda;
  cst_motion         *m; /* in quadruple precision; NULL without a valid start */
  __float128         *workspace;
  long                some;  /* steps between two polls */
  long                finer; /* each step of the reference is taken in so many */
  double             *saved; /* the batch before steps that may be halted */
};

/* The batch of i := the members saved at `from`, after `step` steps. */
void cst_reference_midway_batch(cst_item *i, const double *from, long step);
/* Puts i where it was interrupted, from a section of `size` bytes that cst_reference_pack_midway made; false
 * if the section does not fit i. */
bool cst_reference_unpack_midway(cst_item *i, const char *from, size_t size);
#endif
