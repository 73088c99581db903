/* compare.h: compares recomputed numbers with stored ones bit by bit. All NaNs are equal. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COMPARE_H
#define CST_COMPARE_H
#include "constella/record.h"

typedef struct {
  /* 0: bits are compared. Else q, p and lambda at the end are, to this tolerance relative to 1 or their size, and
   * what became of a trajectory; nothing else */
  double tolerance;
  long   compared, different; /* numbers */
  char   first[512];          /* the first difference: its place, both values and their distance */
} cst_comparison;

/* Compares a block x of a field with the same block of the file (start and count as in cst_record_write).
 * False: the file has no such block. */
bool cst_compare_block(cst_comparison *c, cst_result *file, const cst_field *f, const long *start,
                       const long *count, const void *x);
/* Compares n numbers with the stored ones of `name`. */
void cst_compare_numbers(cst_comparison *c, const char *name, const double *kept, const double *x,
                         long n);
#endif
