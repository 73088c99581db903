/* large.c: large pages for large arrays (see large.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "core/large.h"
#include <stdint.h>
#include <sys/mman.h>

void *cst_large(void *x, size_t n) {
#ifdef MADV_HUGEPAGE
  enum { PAGE = 4096, LARGE = 2 << 20 };
  const size_t ahead = (size_t)(-(uintptr_t)x % PAGE);
  if (x && n >= LARGE)
    (void)madvise((char *)x + ahead, n - ahead, MADV_HUGEPAGE); /* without it, smaller ones */
#else
  (void)n;
#endif
  return x;
}
