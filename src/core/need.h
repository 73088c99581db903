/* need.h: memory allocation that ends the program where it fails. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NEED_H
#define CST_NEED_H
#include <stdio.h>
#include <stdlib.h>

/* Returns p, the result of malloc, strdup and the like; ends the program where it is NULL. */
static inline void *cst_need(void *p) {
  if (p)
    return p;
  fputs("constella: out of memory\n", stderr);
  abort();
}

/* n items of `size` bytes, all zero; one more than n, so that the result is never NULL. Release with
 * free(). */
static inline void *cst_zeros(long n, size_t size) { return cst_need(calloc((size_t)n + 1, size)); }
#endif
