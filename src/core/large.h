/* large.h: large pages for large arrays. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LARGE_H
#define CST_LARGE_H
#include <stddef.h>

/* Returns x, an array of n bytes that nothing was written to yet. Where it is large, the system is asked for large
 * pages: to fill small ones for the first time takes most of the time of filling. Any array is the same with them. */
void *cst_large(void *x, size_t n);
#endif
