/* need.h: memory allocation that ends the program, in words, where it fails. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NEED_H
#define CST_NEED_H
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns x, an array of n bytes that nothing was written to yet. Where it is large, the system is asked for large
 * pages: to fill small ones for the first time takes most of the time of filling. Any array is the same with them. */
void *cst_large(void *x, size_t n);

/* Says on stderr that there is no memory, with the limit if there is one, and ends the process with status 1;
 * under MPI the launcher then ends the other ranks. */
_Noreturn void cst_need_fail(void);

/* Returns p, the result of malloc, strdup and the like; ends the program where it is NULL. */
static inline void *cst_need(void *p) {
  if (!p)
    cst_need_fail();
  return p;
}

/* n items of `size` bytes, all zero; one more than n, so that the result is never NULL. Release with
 * free(). */
static inline void *cst_zeros(long n, size_t size) { return cst_need(calloc((size_t)n + 1, size)); }

/* n numbers, or records of as many bytes, all zero, from the start of a cache line, which vectors are loaded
 * from; eight more than n. Release with free(). */
static inline void *cst_aligned(size_t n) {
  void *p = cst_need(aligned_alloc(64, (n + 15) / 8 * 64));
  return memset(p, 0, (n + 8) * sizeof(double));
}
#endif
