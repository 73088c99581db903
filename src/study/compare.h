/* compare.h: recomputed numbers against stored ones, bit by bit: equal bits are equal, not-a-numbers too. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COMPARE_H
#define CST_COMPARE_H
#include "constella/record.h"

typedef struct {
  long compared, different; /* numbers */
  char first[512];          /* the first that differs: where it is, both values, and how far they are apart */
} cst_comparison;

/* A block of a field against the file's, where cst_record_write would write it. False where the file has no
 * such block. */
bool cst_compare_block(cst_comparison *c, cst_result *file, const cst_field *f, const long *start,
                       const long *count, const void *x);
/* n numbers against those that `name` has. */
void cst_compare_numbers(cst_comparison *c, const char *name, const double *kept, const double *x, long n);
#endif
